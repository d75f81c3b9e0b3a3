"""The question and its answers (docs/solver.md): a value that these schemas accept and those refuse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

Json = Any
ProvedBy = Literal["engine", "jsonschema-rs"]


@dataclass(frozen=True, slots=True)
class Side:
    """One schema in a question.

    ``schema`` is self-contained, its dialect told by ``$schema`` (2020-12 without one). ``undeclared`` says what
    becomes of properties that a schema doesn't name: "any" (JSON Schema as written) or "absent" (read as closed).
    """

    schema: Json
    undeclared: Literal["any", "absent"] = "any"


@dataclass(frozen=True, slots=True)
class Found:
    """A value that answers the question, checked by two validators.

    ``against`` is whose proof it refutes, None where there was none: then that prover is at fault.
    """

    value: Json
    against: ProvedBy | None = None


@dataclass(frozen=True, slots=True)
class Nothing:
    """A proof that no value does: every branch was closed. ``proved_by`` is this engine, or what closes its leaves."""

    proved_by: ProvedBy = "engine"


@dataclass(frozen=True, slots=True)
class GaveUp:
    """Neither a value nor a proof; ``reason`` names the keyword or the budget that stopped it."""

    reason: str


Answer = Found | Nothing | GaveUp


@dataclass(frozen=True, slots=True)
class Reason:
    """One distinct way to be refused: a value, and the JSON Pointer of the keyword that refuses it.

    ``answer`` is Found, or GaveUp where this keyword could neither be shown nor excluded. ``pointer`` points into
    the refusing schema, ``keyword`` is its last keyword; ``accepting_pointer`` points at what stands there in the
    accepting schema, where something does ("" is the root, None nothing). ``instance_pointer`` points into the value,
    and ``path`` is that place as steps: ``.name``, ``[2]``, ``[]`` any item, ``{}`` any value of a map. ``among`` says
    that what stands in the accepting schema is one of several alternatives there.
    """

    pointer: str
    keyword: str
    answer: Found | GaveUp
    accepting_pointer: str | None = None
    instance_pointer: str = ""
    path: tuple[str, ...] = ()
    among: bool = False


@dataclass(frozen=True, slots=True)
class Reasons:
    """The distinct ways to be refused, and whether a proof by the second prover left some out (or all)."""

    ways: tuple[Reason, ...] = ()
    second_prover: bool = False

    @property
    def fault(self) -> ProvedBy | None:
        """Whose proof one of the values refutes."""
        found = (each.answer.against for each in self.ways if isinstance(each.answer, Found) and each.answer.against)
        return next(found, None)

    def __iter__(self) -> Iterator[Reason]:
        """Go through the ways."""
        return iter(self.ways)

    def __len__(self) -> int:
        """Return how many ways there are."""
        return len(self.ways)
