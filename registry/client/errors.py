"""What a registry answers instead: one class per kind of problem, each with the whole problem document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


class RegistryProblem(Exception):
    """The registry answered with a problem (RFC 9457); ``problem`` is its document."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        self.status = status
        self.problem = problem
        self.code = str(problem.get("code", f"http-{status}"))
        super().__init__(str(problem.get("detail") or problem.get("title") or f"the registry answered {status}"))


class Refused(RegistryProblem):
    """An update breaks callers and its version doesn't say so; ``problem["judgement"]`` says how."""


class Taken(RegistryProblem):
    """The version stands for other content already."""


class Invalid(RegistryProblem):
    """A card or a request is wrong; ``problem["findings"]`` says where."""


class Missing(RegistryProblem):
    """Nothing has that name."""


class NotPermitted(RegistryProblem):
    """A token is needed, or this one doesn't suffice."""


class Unreachable(Exception):
    """No registry answered at that address."""


_CLASSES: Mapping[str, type[RegistryProblem]] = {
    "update-refused": Refused,
    "version-taken": Taken,
    "invalid-card": Invalid,
    "invalid-request": Invalid,
    "malformed-request": Invalid,
    "too-large": Invalid,
    "unauthenticated": NotPermitted,
    "forbidden": NotPermitted,
    "not-found": Missing,
    "unknown-agent": Missing,
    "unknown-version": Missing,
    "no-such-view": Missing,
}


def problem_for(status: int, document: Any) -> RegistryProblem:
    """Return the exception for an answer that is no success."""
    problem = document if isinstance(document, dict) else {}
    return _CLASSES.get(str(problem.get("code")), RegistryProblem)(status, problem)
