"""Names as calls give them: folded and checked once, at the edge."""

from __future__ import annotations

import re

from registry.catalog.precedence import LIMIT
from registry.core.errors import Finding, InvalidRequest

_AGENT_ID = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+")
_AGENT_ID_LIMIT = 200
# SemVer 2.0.0's own grammar (its FAQ), without groups.
_VERSION = re.compile(
    r"(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)"
    r"(?:-(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?"
    r"(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?",
    re.ASCII,
)


def fold_agent_id(agent_id: str) -> str:
    """Return an agent's ID as it is kept: in lower case."""
    return agent_id.lower()


def agent_id_findings(agent_id: str, pointer: str) -> list[Finding]:
    """Say what is wrong with a folded agent ID."""
    if len(agent_id) <= _AGENT_ID_LIMIT and _AGENT_ID.fullmatch(agent_id):
        return []
    message = (
        f"{agent_id[:80]!r} is no agent ID: labels of letters, digits and `-` joined by dots, as in "
        f"`com.example.greeter`, at most {_AGENT_ID_LIMIT} characters"
    )
    return [Finding("invalid-agent-id", pointer, message)]


def version_findings(version: str, pointer: str) -> list[Finding]:
    """Say what is wrong with a version."""
    if len(version) <= LIMIT and _VERSION.fullmatch(version):
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
