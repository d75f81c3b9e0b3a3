"""The conditions that the registry knows, each with a stable code.

One class per condition. A caller's mistake is raised; an expected outcome (a change in a report) is returned.
``registry.http.problems`` turns these into RFC 9457 problem details, ``registry.cli`` into exit codes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Level = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, or odd, at one place of a document.

    ``code`` is kebab-case and stable; ``pointer`` an RFC 6901 JSON Pointer into the document as sent; ``line``
    and ``column`` count from 1 and are None where the document has no text (a call's arguments). ``file`` is where it
    stands when a document was made of several files: a path from the card's folder.
    """

    code: str
    pointer: str
    message: str
    level: Level = "error"
    line: int | None = None
    column: int | None = None
    file: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the finding as problem details and ``--format json`` show it, without empty members."""
        members = {
            "code": self.code,
            "level": self.level,
            "pointer": self.pointer,
            "message": self.message,
            "file": self.file,
            "line": self.line,
            "column": self.column,
        }
        return {name: value for name, value in members.items() if value is not None}


class RegistryError(Exception):
    """A condition with a code; ``str()`` says what, where, and what to do next."""

    code: ClassVar[str] = "error"
    title: ClassVar[str] = "Error"

    def members(self) -> Mapping[str, Any]:
        """Return what a problem document carries beside type, title, status, detail and code."""
        return {}


class InvalidInput(RegistryError):
    """A document or a call's arguments are wrong; carries every finding."""

    code = "invalid-input"
    title = "Invalid input"

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)
        errors = [finding for finding in self.findings if finding.level == "error"]
        first = errors[0] if errors else self.findings[0]
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        super().__init__(f"{first.pointer or 'the document'}: {first.message}{more}")

    def members(self) -> Mapping[str, Any]:
        return {"findings": [finding.as_json() for finding in self.findings]}


class InvalidCard(InvalidInput):
    """A card is refused at the door."""

    code = "invalid-card"
    title = "The card is not valid"


class InvalidRequest(InvalidInput):
    """A request's parameters, body or command line are wrong."""

    code = "invalid-request"
    title = "The request is not valid"


class TooLarge(RegistryError):
    """A body is over its limit."""

    code = "too-large"
    title = "The document is too large"

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        super().__init__(f"the document is over {limit_bytes} bytes; keep large schemas out of the card")

    def members(self) -> Mapping[str, Any]:
        return {"limit_bytes": self.limit_bytes}


class NotFound(RegistryError):
    """Nothing has that name."""

    code = "not-found"
    title = "Not found"


class UnknownAgent(NotFound):
    """No agent has that ID."""

    code = "unknown-agent"
    title = "No such agent"

    def __init__(self, agent_id: str) -> None:
        self.agent_id = agent_id
        super().__init__(f"no agent {agent_id!r} is registered; `cards search` lists those that are")


class UnknownVersion(NotFound):
    """An agent has no version that a selector selects."""

    code = "unknown-version"
    title = "No such version"

    def __init__(self, agent_id: str, selector: str, hint: str = "") -> None:
        self.agent_id = agent_id
        self.selector = selector
        super().__init__(f"{agent_id} has no version for {selector!r}{'; ' + hint if hint else ''}")


class NoSuchView(NotFound):
    """A card can't be shown as a card of another kind without saying something untrue."""

    code = "no-such-view"
    title = "No such view of the card"

    def __init__(self, view: str, reason: str) -> None:
        self.view = view
        super().__init__(f"the card has no {view} view: {reason}")


class VersionTaken(RegistryError):
    """A version number already stands for other content; a published version never changes.

    ``others`` are those of the same call.
    """

    code = "version-taken"
    title = "The version is taken"

    def __init__(
        self,
        agent_id: str,
        version: str,
        *,
        stored_digest: str,
        sent_digest: str,
        differs: Sequence[str],
        advice: str,
    ) -> None:
        self.agent_id = agent_id
        self.version = version
        self.stored_digest = stored_digest
        self.sent_digest = sent_digest
        self.differs = tuple(differs)
        self.others: tuple[VersionTaken, ...] = ()
        super().__init__(f"{agent_id} {version} is already published with other content; {advice}")

    def __str__(self) -> str:
        return "; ".join([super().__str__(), *map(str, self.others)])

    def members(self) -> Mapping[str, Any]:
        also = {"also_taken": [each.as_json() for each in self.others]} if self.others else {}
        return {
            "stored_digest": self.stored_digest,
            "sent_digest": self.sent_digest,
            "differs": list(self.differs),
            **also,
        }

    def as_json(self) -> dict[str, Any]:
        """Return it as another problem of the same call shows it."""
        return {"agent_id": self.agent_id, "version": self.version, "detail": str(self), **self.members()}


class UpdateRefused(RegistryError):
    """An update breaks callers and its version doesn't say so; carries the judgement as JSON.

    ``taken`` are the versions of the same call that stand for other content.
    """

    code = "update-refused"
    title = "The update breaks callers"

    def __init__(self, message: str, judgement: Mapping[str, Any], taken: Sequence[VersionTaken] = ()) -> None:
        self.judgement = judgement
        self.taken = tuple(taken)
        super().__init__(message)

    def members(self) -> Mapping[str, Any]:
        also = {"also_taken": [each.as_json() for each in self.taken]} if self.taken else {}
        return {"judgement": dict(self.judgement), **also}


class JudgingStopped(RegistryError):
    """A comparison ran over its time and was stopped; nothing was stored."""

    code = "judging-stopped"
    title = "Judging was stopped"

    def __init__(self, timeout_s: float) -> None:
        self.timeout_s = timeout_s
        super().__init__(
            f"comparing the contracts took over {timeout_s:g} s and was stopped; nothing was stored; "
            "split the largest schema, or publish it as the next major version"
        )


class Unauthenticated(RegistryError):
    """A call needs a token and has none, or one that nobody knows."""

    code = "unauthenticated"
    title = "A token is needed"


class Forbidden(RegistryError):
    """A token does not permit the call."""

    code = "forbidden"
    title = "Not permitted"


class InvalidState(RegistryError):
    """A version can't go from its state to the one that was asked for."""

    code = "invalid-state"
    title = "The state can't change that way"


class PreconditionRequired(RegistryError):
    """A change of something mutable came without ``If-Match``."""

    code = "precondition-required"
    title = "If-Match is needed"


class PreconditionFailed(RegistryError):
    """``If-Match`` names a state that is no longer."""

    code = "precondition-failed"
    title = "It changed meanwhile"


class Unavailable(RegistryError):
    """The database or another part is away for the moment."""

    code = "unavailable"
    title = "Not available for the moment"
