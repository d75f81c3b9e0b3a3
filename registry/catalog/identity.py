"""Names as calls give them: folded and checked once, at the edge."""

from __future__ import annotations

from registry.catalog.precedence import LIMIT
from registry.core.card.names import MAX_AGENT_ID, is_agent_id, is_semver
from registry.core.errors import Finding, InvalidRequest


def fold_agent_id(agent_id: str) -> str:
    """Return an agent's ID as it is kept: in lower case."""
    return agent_id.lower()


def agent_id_findings(agent_id: str, pointer: str) -> list[Finding]:
    """Say what is wrong with a folded agent ID."""
    if is_agent_id(agent_id):
        return []
    message = (
        f"{agent_id[:80]!r} is no agent ID: labels of letters, digits and `-` joined by dots, as in "
        f"`com.example.greeter`, at most {MAX_AGENT_ID} characters, a label at most 63"
    )
    return [Finding("invalid-agent-id", pointer, message)]


def version_findings(version: str, pointer: str) -> list[Finding]:
    """Say what is wrong with a version."""
    if len(version) <= LIMIT and is_semver(version):
        return []
    message = f"{version[:80]!r} is no version: SemVer 2.0.0 as in `1.4.0`, at most {LIMIT} characters"
    return [Finding("invalid-version", pointer, message)]


def text_findings(text: str | None, name: str, limit: int) -> list[Finding]:
    """Say what is wrong with a free text of a call: control characters, lone surrogates, length."""
    if text is None:
        return []
    if len(text) > limit:
        return [Finding("text-too-long", f"/{name}", f"`{name}` is longer than {limit} characters")]
    if any((character < " " and character not in "\n\t") or "\ud800" <= character <= "\udfff" for character in text):
        return [Finding("invalid-text", f"/{name}", f"`{name}` holds a control character")]
    return []


def refuse(findings: list[Finding]) -> None:
    """Raise InvalidRequest with the findings, if there are any."""
    if findings:
        raise InvalidRequest(findings)
