"""Inputs, outputs and the answers to pauses: what is taken may only widen, what is given may only narrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from registry.core.card.model import JsonSchema, Text, Undeclared
from registry.core.compat import schemas
from registry.core.compat.report import Witness
from registry.core.compat.rules.rule import MAJOR_ADVICE, Rule
from registry.core.solver import Found, Side, find

if TYPE_CHECKING:
    from collections.abc import Iterator

    from registry.core.card.model import Operation, Shape
    from registry.core.compat.report import Change, Profile
    from registry.core.compat.schemas import SchemaChange

Json = Any
Direction = Literal["input", "output"]


def _input(name: str, purpose: str, mirror: str, advice: str = MAJOR_ADVICE) -> Rule:
    return Rule(f"input-{name}", "major", "input", purpose, advice, mirror=f"output-{mirror}")


def _output(name: str, purpose: str, mirror: str, advice: str = MAJOR_ADVICE) -> Rule:
    return Rule(f"output-{name}", "major", "output", purpose, advice, mirror=f"input-{mirror}")


INPUT_KIND_CHANGED = _input(
    "kind-changed",
    "The input is of another kind: JSON where text was, or text where JSON was.",
    "kind-changed",
    "offer the new kind as another operation, or publish the next major version",
)
OUTPUT_KIND_CHANGED = _output(
    "kind-changed",
    "The output is of another kind: JSON where text was, or text where JSON was.",
    "kind-changed",
    "offer the new kind as another operation, or publish the next major version",
)
INPUT_UNDECLARED = _input("undeclared", "The input is no longer declared: nothing is promised any more.", "undeclared")
OUTPUT_UNDECLARED = _output("undeclared", "The output is no longer declared: anything may come.", "undeclared")
INPUT_DECLARED = Rule(
    "input-declared",
    "minor",
    "input",
    "The input is declared for the first time; nothing was promised before.",
    said_aloud=True,
    mirror="output-declared",
)
OUTPUT_DECLARED = Rule(
    "output-declared",
    "minor",
    "output",
    "The output is declared for the first time; nothing was promised before.",
    said_aloud=True,
    mirror="input-declared",
)

INPUT_RULES = {
    "required": _input(
        "required-added",
        "A property is required that callers needed not to send. A `default` doesn't help: validators fill nothing in.",
        "property-may-be-missing",
        "make the property optional, or publish the next major version",
    ),
    "type": _input("type-narrowed", "A type of value is taken no longer.", "type-widened"),
    "value": _input("value-removed", "A value of an enum or const is taken no longer.", "value-added"),
    "bound": _input("bound-tightened", "A number, length or count must be within tighter bounds.", "bound-loosened"),
    "pattern": _input(
        "pattern-tightened", "A text must match a pattern that it needed not to match.", "pattern-loosened"
    ),
    "closed": _input(
        "property-refused",
        "A property is refused that was taken before.",
        "property-added",
        "keep taking the property and ignore it",
    ),
    "other": _input(
        "narrowed", "Some values that were taken are refused, in a way that no finer rule names.", "widened"
    ),
}
OUTPUT_RULES = {
    "required": _output(
        "property-may-be-missing",
        "A property that always came may be missing.",
        "required-added",
        "keep sending the property",
    ),
    "type": _output("type-widened", "A type of value may come that never came before.", "type-narrowed"),
    "value": _output("value-added", "A value may come that the enum or const never held.", "value-removed"),
    "bound": _output(
        "bound-loosened", "A number, length or count may be outside of its old bounds.", "bound-tightened"
    ),
    "pattern": _output("pattern-loosened", "A text may come that the old pattern doesn't match.", "pattern-tightened"),
    "closed": _output(
        "property-added",
        "A property may come although the old schema promised that nothing else would.",
        "property-refused",
    ),
    "other": _output(
        "widened", "Values may come that never came before, in a way that no finer rule names.", "narrowed"
    ),
}
INPUT_WIDENED = Rule(
    "input-widened", "minor", "input", "The input accepts something that it refused before.", mirror="output-narrowed"
)
OUTPUT_NARROWED = Rule(
    "output-narrowed", "minor", "output", "The output promises more than before.", mirror="input-widened"
)
INPUT_PROPERTY_UNNAMED = Rule(
    "input-property-unnamed",
    "minor",
    "input",
    "The input no longer names a property: what callers send in it is ignored from now on.",
    said_aloud=True,
    mirror="output-property-unnamed",
)
OUTPUT_PROPERTY_UNNAMED = Rule(
    "output-property-unnamed",
    "minor",
    "output",
    "The output no longer names an optional property. It could always be missing, but somebody may read it; trackers "
    "of schema registries call this breaking.",
    said_aloud=True,
    mirror="input-property-unnamed",
)
DEFAULT_CHANGED = Rule(
    "default-changed",
    "minor",
    "input",
    "The default of a property changed: who leaves it out means something else.",
    said_aloud=True,
    mirror="none: changing back is a change",
)
FORMAT_CHANGED = Rule(
    "format-changed",
    "minor",
    "input",
    "The format of a value changed. A format is an annotation: nothing checks it.",
    said_aloud=True,
    mirror="none: changing back is a change",
)

RULES = (
    INPUT_KIND_CHANGED,
    OUTPUT_KIND_CHANGED,
    INPUT_UNDECLARED,
    OUTPUT_UNDECLARED,
    INPUT_DECLARED,
    OUTPUT_DECLARED,
    *INPUT_RULES.values(),
    *OUTPUT_RULES.values(),
    INPUT_WIDENED,
    OUTPUT_NARROWED,
    INPUT_PROPERTY_UNNAMED,
    OUTPUT_PROPERTY_UNNAMED,
    DEFAULT_CHANGED,
    FORMAT_CHANGED,
)
_NAMED = {"unnamed": (INPUT_PROPERTY_UNNAMED, OUTPUT_PROPERTY_UNNAMED)}


def changes(old: Operation, new: Operation, profile: Profile) -> Iterator[Change]:
    """Yield what changed in an operation's input, output and the answers to its pauses."""
    yield from _shape(old.input, new.input, "input", "input", new.id, profile)
    yield from _shape(old.output, new.output, "output", "output", new.id, profile)
    for name, pause in new.pauses.items():
        if name in old.pauses:
            yield from _shape(old.pauses[name].answer, pause.answer, "input", "pause", new.id, profile)


def _shape(
    old: Shape,
    new: Shape,
    direction: Direction,
    side: Literal["input", "output", "pause"],
    operation: str,
    profile: Profile,
) -> Iterator[Change]:
    takes = direction == "input"
    if isinstance(old, JsonSchema) and isinstance(new, JsonSchema):
        for found in schemas.schema_changes(old.schema, new.schema, direction, profile):
            yield _schema_change(found, old, new, direction, side, operation)
        return
    if type(old) is type(new):
        return
    rule = _kind_rule(old, new, takes=takes)
    verb = "takes" if takes else "answers"
    sentence = f"{verb} {_words(new)} instead of {_words(old)}"
    if isinstance(old, Undeclared):
        sentence = f"{verb} {_words(new)}; nothing was declared before"
    elif isinstance(new, Undeclared):
        sentence = f"no longer declares what it {verb}; before, {_words(old)}"
    witness = None
    if rule in (INPUT_KIND_CHANGED, OUTPUT_KIND_CHANGED):
        witness = _kind_witness(old if takes else new, "old" if takes else "new")
    yield rule.change(
        sentence,
        operation=operation,
        side=side,
        old_pointer=old.pointer,
        new_pointer=new.pointer,
        old=_fragment(old),
        new=_fragment(new),
        witness=witness,
    )


def _kind_rule(old: Shape, new: Shape, *, takes: bool) -> Rule:
    if isinstance(old, Undeclared):
        return INPUT_DECLARED if takes else OUTPUT_DECLARED
    if isinstance(new, Undeclared):
        return INPUT_UNDECLARED if takes else OUTPUT_UNDECLARED
    return INPUT_KIND_CHANGED if takes else OUTPUT_KIND_CHANGED


def _kind_witness(shape: Shape, accepted_by: Literal["old", "new"]) -> Witness | None:
    """Return a value of the kind that the other side doesn't know; a text is exempt from validators."""
    if isinstance(shape, Text):
        return Witness("text", "hello", accepted_by)
    answer = find([Side(shape.schema)], []) if isinstance(shape, JsonSchema) else None
    return Witness("json", answer.value, accepted_by) if isinstance(answer, Found) else None


def _words(shape: Shape) -> str:
    if isinstance(shape, Text):
        return "text"
    return "JSON that matches a schema" if isinstance(shape, JsonSchema) else "nothing declared"


def _fragment(shape: Shape) -> Json:
    if isinstance(shape, Text):
        return "text"
    return shape.schema if isinstance(shape, JsonSchema) else None


def _schema_change(
    found: SchemaChange,
    old: JsonSchema,
    new: JsonSchema,
    direction: Direction,
    side: Literal["input", "output", "pause"],
    operation: str,
) -> Change:
    takes = direction == "input"
    match found.kind:
        case "breaks":
            rule = (INPUT_RULES if takes else OUTPUT_RULES)[found.family]
        case "gains":
            rule = INPUT_WIDENED if takes else OUTPUT_NARROWED
        case "default":
            rule = DEFAULT_CHANGED
        case "format":
            rule = FORMAT_CHANGED
        case _:
            rule = INPUT_PROPERTY_UNNAMED if takes else OUTPUT_PROPERTY_UNNAMED
    witness = None
    if found.shown:
        # Breaking an input, or narrowing an output, is shown by what the old contract allowed.
        accepted_by: Literal["old", "new"] = "old" if takes == (found.kind == "breaks") else "new"
        witness = Witness("json", found.value, accepted_by)
    return rule.change(
        found.sentence,
        operation=operation,
        side=side,
        old_pointer=None if found.old_pointer is None else old.pointer + found.old_pointer,
        new_pointer=None if found.new_pointer is None else new.pointer + found.new_pointer,
        old=found.old,
        new=found.new,
        witness=witness,
        unproven=found.unproven,
    )
