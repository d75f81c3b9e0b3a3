"""The question and its answers (docs/solver.md): a value that these schemas accept and those refuse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Json = Any


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
    """A value that answers the question, checked by two validators."""

    value: Json


@dataclass(frozen=True, slots=True)
class Nothing:
    """A proof that no value does: every branch was closed."""


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
    and ``path`` is that place as steps: ``.name``, ``[2]``, ``[]`` any item, ``{}`` any value of a map.
    """

    pointer: str
    keyword: str
    answer: Found | GaveUp
    accepting_pointer: str | None = None
    instance_pointer: str = ""
    path: tuple[str, ...] = ()
