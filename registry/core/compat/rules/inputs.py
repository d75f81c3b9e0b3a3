# ruff: noqa: D401  # a rule's docstring is its page: it states the change
"""Inputs and answers to pauses: what is taken may only widen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from registry.core.card.canonical import canonical
from registry.core.compat.rules.rule import MAJOR_ADVICE, Difference, rule
from registry.core.compat.rules.wording import at, below, listed, short, such_as, types

if TYPE_CHECKING:
    from collections.abc import Iterator

    from registry.core.compat.differences import SchemaDifference
    from registry.core.compat.rules.subjects import Shapes


@rule(
    level="major",
    side="input",
    mirror="output-property-may-be-missing",
    advice="make the property optional, or publish the next major version",
)
def input_required_added(shapes: Shapes) -> Iterator[Difference]:
    """A property is required that callers needed not to send.

    A call without it worked and is refused now. A `default` beside it doesn't help: validators fill nothing in.
    """
    for found in shapes.each("input", "breaks", "required"):
        yield shapes.told(found, f"now requires {below(found, found.wanted)}")


@rule(level="major", side="input", mirror="output-type-widened", advice=MAJOR_ADVICE)
def input_type_narrowed(shapes: Shapes) -> Iterator[Difference]:
    """A type of value is taken no longer.

    A call that sends it worked and is refused now.
    """
    for found in shapes.each("input", "breaks", "type"):
        yield shapes.told(found, f"takes only {types(found.wanted)}{at(found)} now{_before(found)}")


@rule(level="major", side="input", mirror="output-value-added", advice=MAJOR_ADVICE)
def input_value_removed(shapes: Shapes) -> Iterator[Difference]:
    """A value is taken no longer: an `enum` or `const` is new, or holds less.

    A call that sends it worked and is refused now.
    """
    for found in shapes.each("input", "breaks", "value"):
        if isinstance(found.wanted, list) and isinstance(found.had, list):
            kept = {canonical(value) for value in found.wanted}
            gone = [value for value in found.had if canonical(value) not in kept]
            yield shapes.told(found, f"no longer takes {listed(gone)}{at(found)}")
        else:
            yield shapes.told(found, f"takes only {short(found.wanted)}{at(found)} now{such_as_before(found)}")


@rule(level="major", side="input", mirror="output-bound-loosened", advice=MAJOR_ADVICE)
def input_bound_tightened(shapes: Shapes) -> Iterator[Difference]:
    """A number, a length or a count must lie within tighter bounds.

    `minimum`, `maxLength`, `minItems`, `multipleOf`, `uniqueItems`, `contains` and their like. A value beyond them
    was taken and is refused now.
    """
    for found in shapes.each("input", "breaks", "bound"):
        had = f"; before, {short(found.had)}" if found.had is not None else ""
        yield shapes.told(found, f"now demands `{found.keyword}` {short(found.wanted)}{at(found)}{had}")


@rule(level="major", side="input", mirror="output-pattern-loosened", advice=MAJOR_ADVICE)
def input_pattern_tightened(shapes: Shapes) -> Iterator[Difference]:
    """A text must match a pattern that it needed not to match.

    A text that doesn't was taken and is refused now.
    """
    for found in shapes.each("input", "breaks", "pattern"):
        had = f"; before, {short(found.had)}" if found.had is not None else ""
        yield shapes.told(found, f"now demands that {_it(found)} matches {short(found.wanted)}{had}")


@rule(
    level="major",
    side="input",
    mirror="output-property-added",
    advice="keep taking the property and ignore it, or publish the next major version",
)
def input_property_refused(shapes: Shapes) -> Iterator[Difference]:
    """A property is refused that was taken before.

    Callers that name it in their calls are refused now. A schema that only stops naming it takes it still: see
    `input-property-unnamed`.
    """
    for found in shapes.each("input", "breaks", "property"):
        if found.keyword == "false":
            yield shapes.told(found, f"no longer takes {_it(found)}")
        elif found.extra:
            yield shapes.told(found, f"no longer takes {', '.join(below(found, name) for name in found.extra)}")
        else:
            yield shapes.told(found, f"no longer takes properties{at(found, 'of')} that it doesn't name")


@rule(level="major", side="input", mirror="output-widened", advice=MAJOR_ADVICE)
def input_narrowed(shapes: Shapes) -> Iterator[Difference]:
    """Some values that were taken are refused, in a way that no finer rule names.

    `anyOf`, `not`, conditions, dependencies, names of properties. The value beside the change shows it. Where neither
    a value nor a proof was found, the change is marked as unproven and counts as a break.
    """
    for found in shapes.each("input", "breaks", "other"):
        yield shapes.told(found, f"no longer takes some values{at(found)} that it took{such_as(found)}")


@rule(level="minor", side="input", mirror="output-narrowed")
def input_widened(shapes: Shapes) -> Iterator[Difference]:
    """The input takes something that it refused before.

    Whoever sends what was taken before isn't touched.
    """
    for found in shapes.each("input", "widens"):
        was = f": `{found.keyword}` was {short(found.wanted)}" if found.keyword and found.wanted is not None else ""
        yield shapes.told(found, f"takes more than before{at(found)}{was}")


@rule(level="minor", side="input", mirror="input-property-unnamed")
def input_property_named(shapes: Shapes) -> Iterator[Difference]:
    """The input names an optional property for the first time.

    Callers by the old contract never send it, even where an open schema would have let it through.
    """
    for found in shapes.each("input", "names"):
        yield shapes.told(found, f"takes `{found.place}` now" if found.place else "names further properties now")


@rule(level="minor", side="input", mirror="input-property-named", said_aloud=True)
def input_property_unnamed(shapes: Shapes) -> Iterator[Difference]:
    """The input no longer names a property, and doesn't refuse it.

    The call goes through as before, but what the caller says in that property is ignored from now on.
    """
    for found in shapes.each("input", "unnames"):
        what = f"`{found.place}`" if found.place else "some properties"
        yield shapes.told(found, f"no longer names {what}: what callers send there is ignored from now on")


def _before(found: SchemaDifference) -> str:
    also = "also " if found.among else ""
    return f"; before, {also}{types(found.had)}" if found.had is not None else such_as_before(found)


def such_as_before(found: SchemaDifference) -> str:
    """Return the witness's part as an example of what was taken before."""
    return f"; before, also {short(found.part)}" if found.shown else ""


def _it(found: SchemaDifference) -> str:
    return f"`{found.place}`" if found.place else "the whole value"


OF_SHAPES = (
    input_required_added,
    input_type_narrowed,
    input_value_removed,
    input_bound_tightened,
    input_pattern_tightened,
    input_property_refused,
    input_narrowed,
    input_widened,
    input_property_named,
    input_property_unnamed,
)
