# ruff: noqa: D401  # a rule's docstring is its page: it states the change
"""Inputs and outputs that change their kind: text, JSON that matches a schema, nothing declared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from registry.core.card.model import JsonSchema, Text, Undeclared
from registry.core.compat.report import Witness
from registry.core.compat.rules.rule import Difference, rule
from registry.core.solver import Found, Side, find

if TYPE_CHECKING:
    from collections.abc import Iterator

    from registry.core.card.model import Json, Shape
    from registry.core.compat.differences import Direction
    from registry.core.compat.rules.subjects import Shapes

_KIND_ADVICE = "offer the new kind as another operation, or publish the next major version"
_KEEP_ADVICE = "keep the declaration, or publish the next major version"


@rule(level="major", side="input", mirror="output-kind-changed", advice=_KIND_ADVICE)
def input_kind_changed(shapes: Shapes) -> Iterator[Difference]:
    """The input, or a pause's answer, is of another kind: JSON where text was, or text where JSON was.

    Text and JSON are never contained in each other: text is not `{"type": "string"}`, which is JSON in quotes.
    """
    yield from _other_kind(shapes, "input")


@rule(level="major", side="output", mirror="input-kind-changed", advice=_KIND_ADVICE)
def output_kind_changed(shapes: Shapes) -> Iterator[Difference]:
    """The output is of another kind: JSON where text was, or text where JSON was.

    Text and JSON are never contained in each other: text is not `{"type": "string"}`, which is JSON in quotes.
    """
    yield from _other_kind(shapes, "output")


@rule(level="major", side="input", mirror="output-undeclared", advice=_KEEP_ADVICE)
def input_undeclared(shapes: Shapes) -> Iterator[Difference]:
    """The input, or a pause's answer, is no longer declared.

    What was taken may be refused from now on: nothing is promised any more.
    """
    yield from _undeclared(shapes, "input", "no longer says what it takes")


@rule(level="major", side="output", mirror="input-undeclared", advice=_KEEP_ADVICE)
def output_undeclared(shapes: Shapes) -> Iterator[Difference]:
    """The output is no longer declared.

    Anything may come from now on: nothing is promised any more.
    """
    yield from _undeclared(shapes, "output", "no longer says what it holds")


@rule(level="minor", side="input", mirror="output-declared", said_aloud=True)
def input_declared(shapes: Shapes) -> Iterator[Difference]:
    """The input, or a pause's answer, is declared for the first time.

    Nothing was promised before, so nothing is broken; callers should hear what is taken.
    """
    yield from _declared(shapes, "input", "takes")


@rule(level="minor", side="output", mirror="input-declared", said_aloud=True)
def output_declared(shapes: Shapes) -> Iterator[Difference]:
    """The output is declared for the first time.

    Nothing was promised before, so nothing is broken; callers should hear what comes.
    """
    yield from _declared(shapes, "output", "holds")


def _other_kind(shapes: Shapes, direction: Direction) -> Iterator[Difference]:
    old, new = shapes.old, shapes.new
    told = (Text, JsonSchema)
    if (
        direction != shapes.direction
        or type(old) is type(new)
        or not isinstance(old, told)
        or not isinstance(new, told)
    ):
        return
    takes = direction == "input"
    witness = _witness(old, "old") if takes else _witness(new, "new")
    sentence = f"{shapes.subject}: {'takes' if takes else 'holds'} {_words(new)} instead of {_words(old)}"
    yield _told(shapes, sentence, witness)


def _undeclared(shapes: Shapes, direction: Direction, words: str) -> Iterator[Difference]:
    if direction == shapes.direction and isinstance(shapes.new, Undeclared) and not isinstance(shapes.old, Undeclared):
        yield _told(shapes, f"{shapes.subject} {words}; before, it was {_words(shapes.old)}")


def _declared(shapes: Shapes, direction: Direction, verb: str) -> Iterator[Difference]:
    if direction == shapes.direction and isinstance(shapes.old, Undeclared) and not isinstance(shapes.new, Undeclared):
        yield _told(shapes, f"{shapes.subject} {verb} {_words(shapes.new)}; nothing was declared before")


def _told(shapes: Shapes, sentence: str, witness: Witness | None = None) -> Difference:
    return Difference(
        sentence,
        operation=shapes.operation,
        side=shapes.side,
        old_pointer=None if isinstance(shapes.old, Undeclared) else shapes.old.pointer,
        new_pointer=None if isinstance(shapes.new, Undeclared) else shapes.new.pointer,
        old=_fragment(shapes.old),
        new=_fragment(shapes.new),
        witness=witness,
    )


def _witness(shape: Text | JsonSchema, accepted_by: Literal["old", "new"]) -> Witness | None:
    """Return a value of the kind that the other contract doesn't know; a text is exempt from validators."""
    if isinstance(shape, Text):
        return Witness("text", "hello", accepted_by)
    answer = find([Side(shape.schema)], [])
    return Witness("json", answer.value, accepted_by) if isinstance(answer, Found) else None


def _words(shape: Shape) -> str:
    return "text" if isinstance(shape, Text) else "JSON that matches a schema"


def _fragment(shape: Shape) -> Json:
    if isinstance(shape, Text):
        return "text"
    return shape.schema if isinstance(shape, JsonSchema) else None


OF_SHAPES = (
    input_kind_changed,
    output_kind_changed,
    input_undeclared,
    output_undeclared,
    input_declared,
    output_declared,
)
