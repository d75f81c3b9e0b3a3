# ruff: noqa: D401  # a rule's docstring is its page: it states the change
"""Outputs: what is given may only narrow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from registry.core.compat.rules.rule import Difference, rule
from registry.core.compat.rules.wording import at, below, short, such_as, types

if TYPE_CHECKING:
    from collections.abc import Iterator

    from registry.core.compat.differences import SchemaDifference
    from registry.core.compat.rules.subjects import Shapes

_ADVICE = "keep answering as before, or publish the next major version"


@rule(
    level="major",
    side="output",
    mirror="input-required-added",
    advice="keep sending the property, or publish the next major version",
)
def output_property_may_be_missing(shapes: Shapes) -> Iterator[Difference]:
    """A property that always came may be missing from now on.

    Callers read it without asking whether it is there.
    """
    for found in shapes.each("output", "breaks", "required"):
        yield shapes.told(found, f"may now come without {below(found, found.wanted)}")


@rule(level="major", side="output", mirror="input-type-narrowed", advice=_ADVICE)
def output_type_widened(shapes: Shapes) -> Iterator[Difference]:
    """A type of value may come that never came before.

    Callers read the value as the type that was promised.
    """
    for found in shapes.each("output", "breaks", "type"):
        yield shapes.told(
            found, f"may now hold another type{at(found)}{_part(found)}; before, only {types(found.wanted)}"
        )


@rule(
    level="major",
    side="output",
    mirror="input-value-removed",
    advice="answer with a value that callers know, or publish the next major version",
)
def output_value_added(shapes: Shapes) -> Iterator[Difference]:
    """A value may come that the old `enum` or `const` didn't hold.

    Callers branch on the values that were promised, and no branch knows this one.
    """
    for found in shapes.each("output", "breaks", "value"):
        what = f"another value of `{found.place}`" if found.place else "another value"
        yield shapes.told(found, f"may now hold {what}{_part(found)}")


@rule(level="major", side="output", mirror="input-bound-tightened", advice=_ADVICE)
def output_bound_loosened(shapes: Shapes) -> Iterator[Difference]:
    """A number, a length or a count may lie outside of the bounds that held before.

    `minimum`, `maxLength`, `minItems`, `multipleOf`, `uniqueItems`, `contains` and their like.
    """
    for found in shapes.each("output", "breaks", "bound"):
        held = f"`{found.keyword}` {short(found.wanted)} held"
        yield shapes.told(found, f"may now hold another value{at(found)}{_part(found)}; before, {held}")


@rule(level="major", side="output", mirror="input-pattern-tightened", advice=_ADVICE)
def output_pattern_loosened(shapes: Shapes) -> Iterator[Difference]:
    """A text may come that the old pattern doesn't match.

    Callers take texts apart by the pattern that was promised.
    """
    for found in shapes.each("output", "breaks", "pattern"):
        held = f"it matched {short(found.wanted)}"
        yield shapes.told(found, f"may now hold another text{at(found)}{_part(found)}; before, {held}")


@rule(level="major", side="output", mirror="input-property-refused", advice=_ADVICE)
def output_property_added(shapes: Shapes) -> Iterator[Difference]:
    """A property may come although the old schema promised that nothing else would.

    `additionalProperties: false` in an output is a promise; where the old schema is silent, a new property is none of
    this rule's business: see `output-property-named`.
    """
    for found in shapes.each("output", "breaks", "property"):
        what = (
            ", ".join(below(found, name) for name in found.extra) if found.extra else f"further properties{at(found)}"
        )
        if found.keyword == "false":
            what = f"`{found.place}`" if found.place else "a value"
        yield shapes.told(found, f"may now hold {what}, though nothing else was promised to come")


@rule(level="major", side="output", mirror="input-narrowed", advice=_ADVICE)
def output_widened(shapes: Shapes) -> Iterator[Difference]:
    """Values may come that never came before, in a way that no finer rule names.

    `anyOf`, `not`, conditions, dependencies, names of properties. The value beside the change shows it. Where neither
    a value nor a proof was found, the change is marked as unproven and counts as a break.
    """
    for found in shapes.each("output", "breaks", "other"):
        yield shapes.told(found, f"may now hold values{at(found)} that it never held{such_as(found)}")


@rule(level="minor", side="output", mirror="input-widened")
def output_narrowed(shapes: Shapes) -> Iterator[Difference]:
    """The output promises more than before: something that could come comes no longer.

    Whoever reads what could come before reads this too.
    """
    for found in shapes.each("output", "widens"):
        now = f": `{found.keyword}` is {short(found.wanted)}" if found.keyword and found.wanted is not None else ""
        yield shapes.told(found, f"promises more than before{at(found)}{now}")


@rule(level="minor", side="output", mirror="output-property-unnamed")
def output_property_named(shapes: Shapes) -> Iterator[Difference]:
    """The output names a property for the first time, where the old schema was silent about others.

    Callers by the old contract don't read it.
    """
    for found in shapes.each("output", "names"):
        yield shapes.told(found, f"may hold `{found.place}` now" if found.place else "names further properties now")


@rule(level="minor", side="output", mirror="output-property-named", said_aloud=True)
def output_property_unnamed(shapes: Shapes) -> Iterator[Difference]:
    """The output no longer names an optional property.

    It could always be missing, so nothing is broken by the contract; but somebody may read it. Other schema registries
    call this breaking for outputs (Apicurio/apicurio-registry#1710).
    """
    for found in shapes.each("output", "unnames"):
        what = f"`{found.place}`" if found.place else "some properties"
        yield shapes.told(found, f"no longer names {what}: it may never come again")


@rule(level="minor", side="input", waiver="changing back is a change", said_aloud=True)
def default_changed(shapes: Shapes) -> Iterator[Difference]:
    """The default of a value changed, in an input or an output.

    Whoever leaves the value out means something else from now on. Nothing is refused by it.
    """
    for found in shapes.each(shapes.direction, "default"):
        yield shapes.told(found, f"has another default{at(found)}: {_old_new(found)}")


@rule(level="minor", side="input", waiver="changing back is a change", said_aloud=True)
def format_changed(shapes: Shapes) -> Iterator[Difference]:
    """The format of a value changed, in an input or an output.

    A format is an annotation: nothing checks it, but people go by it.
    """
    for found in shapes.each(shapes.direction, "format"):
        yield shapes.told(found, f"has another format{at(found)}: {_old_new(found)}")


def _part(found: SchemaDifference) -> str:
    return f": {short(found.part)}" if found.shown else ""


def _old_new(found: SchemaDifference) -> str:
    old, new = (
        "none" if not values else " or ".join(short(value) for value in values) for values in (found.had, found.wanted)
    )
    return f"{new} instead of {old}"


OF_SHAPES = (
    output_property_may_be_missing,
    output_type_widened,
    output_value_added,
    output_bound_loosened,
    output_pattern_loosened,
    output_property_added,
    output_widened,
    output_narrowed,
    output_property_named,
    output_property_unnamed,
    default_changed,
    format_changed,
)
