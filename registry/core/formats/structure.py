"""Members of an A2A card against the schema of its generation: presence, types, nulls and near misses.

The schemas (``schemas/a2a-*.json``) are data; this module runs them and says what is wrong in short words.
"""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import jsonschema_rs
from jsonschema.validators import extend

from registry.core.card.near_misses import closest
from registry.core.card.pointers import child, join
from registry.core.errors import Finding
from registry.core.formats.published import SCHEMAS
from registry.core.formats.spelling import close_to, did_you_mean, near_miss, spelt_otherwise, unknown_members
from registry.core.solver.validators_keywords import DEFAULT_DRAFT, validator_class

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from jsonschema.exceptions import ValidationError

    from registry.core.card.model import Json

    KnownObject = tuple[str, Mapping[str, Json], Mapping[str, Json], Collection[str]]

MAX_FINDINGS = 500
MAX_GUESSES = 1000  # comparing the spelling of every member of a hostile card would take seconds
MAX_NAME_IN_POINTER = 200
# Limits of size: the code of what is over one, and what is counted.
_SIZES: Mapping[str, tuple[str, str]] = {
    "maxLength": ("too-long", "characters"),
    "maxItems": ("too-many-items", "items"),
    "maxProperties": ("too-many-members", "members"),
}
TYPE_WORDS: Mapping[str, str] = {
    "string": "a string",
    "boolean": "true or false",
    "object": "an object",
    "array": "a list",
    "number": "a number",
    "integer": "a whole number",
}


@cache
def _validator(name: str, definition: str | None) -> Any:
    # The solver's class reads patterns as ECMA-262 does: Python's `$` would let a line end pass.
    slow = validator_class(DEFAULT_DRAFT)

    def reference(validator: Any, target: str, value: Json, schema: Json) -> Iterator[ValidationError]:
        if not _quick_validator(name, target.removeprefix("#/$defs/")).is_valid(value):
            yield from slow.VALIDATORS["$ref"](validator, target, value, schema)

    quick: Any = extend(slow, {"$ref": reference})  # type: ignore[no-untyped-call]
    return quick(_part(name, definition))


@cache
def _quick_validator(name: str, definition: str | None) -> Any:
    return jsonschema_rs.Draft202012Validator(_part(name, definition), validate_formats=False, offline=True)


def _part(name: str, definition: str | None) -> dict[str, Any]:
    schema = SCHEMAS[name]
    return {"$ref": f"#/$defs/{definition}", "$defs": schema["$defs"]} if definition else schema


def without_nulls(value: Json, schema_name: str, definition: str | None = None) -> tuple[Json, list[Finding]]:
    """Return a copy of a card in which optional members that are null are absent, and a warning for each.

    ProtoJSON reads null as absent. A null in a required member stays, and is an error later.
    """
    schema = SCHEMAS[schema_name]
    findings: list[Finding] = []
    start = {"$ref": f"#/$defs/{definition}"} if definition else schema
    return _strip(value, start, schema["$defs"], "", findings), findings


def _strip(value: Json, schema: Json, defs: Mapping[str, Json], pointer: str, findings: list[Finding]) -> Json:
    schema = _resolve(schema, defs)
    if isinstance(value, list) and "items" in schema:
        return [_strip(item, schema["items"], defs, child(pointer, at), findings) for at, item in enumerate(value)]
    if not isinstance(value, dict):
        return value
    known, rest = schema.get("properties", {}), schema.get("additionalProperties")
    kept: dict[str, Json] = {}
    for name, member in value.items():
        at = child(pointer, name)
        if member is None and known.get(name, True) is not True and name not in schema.get("required", ()):
            findings.append(Finding("null-member", at, f"`{name}` is null; read as absent, leave it out", "warning"))
        elif name in known:
            kept[name] = _strip(member, known[name], defs, at, findings)
        else:
            kept[name] = _strip(member, rest, defs, at, findings) if isinstance(rest, dict) else member
    return kept


def _resolve(schema: Json, defs: Mapping[str, Json]) -> Mapping[str, Json]:
    if schema is True:  # anything, null too
        return {}
    found = defs[schema["$ref"].removeprefix("#/$defs/")] if "$ref" in schema else schema
    mapping: Mapping[str, Json] = found
    return mapping


def structure_findings(value: Json, schema_name: str, definition: str | None = None) -> Iterator[Finding]:
    """Yield what is missing or of a wrong type in a card whose nulls are gone.

    ``definition`` names one of the schema's ``$defs`` to check against instead of the whole.
    """
    if _quick_validator(schema_name, definition).is_valid(value):
        return  # ``jsonschema`` says what is wrong, and takes 50 times as long to say that nothing is: so for each part
    for error in _validator(schema_name, definition).iter_errors(value):
        yield from _explain(error)


def bounded(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield at most MAX_FINDINGS errors, then say that there are more, and at most as many warnings.

    Warnings never push an error out: a card is made where no error was yielded.
    """
    errors = warnings = 0
    for finding in findings:
        if finding.level == "warning":
            warnings += 1
            if warnings <= MAX_FINDINGS:
                yield finding
            continue
        errors += 1
        if errors > MAX_FINDINGS:
            yield Finding("too-many-findings", "", f"has more than {MAX_FINDINGS} faults; the rest isn't listed")
            return
        yield finding


def _explain(error: ValidationError) -> Iterator[Finding]:
    got: Any = error.instance
    kind = str(error.validator)
    pointer = join("", error.absolute_path)
    if "propertyNames" in error.absolute_schema_path and isinstance(got, str) and len(got) <= MAX_NAME_IN_POINTER:
        pointer = child(pointer, got)
    wanted: Any = error.validator_value
    if kind == "required":
        yield from _missing(error, pointer)
    elif kind == "type":
        yield Finding("wrong-type", pointer, f"is {_kind(got)}; it must be {TYPE_WORDS.get(str(wanted), str(wanted))}")
    elif kind == "minItems":
        yield Finding("empty-list", pointer, "is empty; at least one is needed")
    elif kind == "enum":
        yield Finding(
            "wrong-value", pointer, f"is {_short(got)}; it must be one of {_or(wanted)}{did_you_mean(got, wanted)}"
        )
    elif kind == "const":
        yield Finding("wrong-value", pointer, f"is {_short(got)}; it must be {_short(wanted)}")
    elif kind == "oneOf":
        yield from _wrappers(error, pointer)
    elif kind == "anyOf" and (meant := _meant(error)):
        for inner in meant:
            yield from _explain(inner)
    elif kind in _SIZES:
        code, words = _SIZES[kind]
        yield Finding(code, pointer, f"has {len(got):,} {words}; at most {wanted:,}")
    else:
        yield Finding("invalid-member", pointer, "doesn't have the form that its generation of A2A gives it")


def _meant(error: ValidationError) -> list[ValidationError]:
    """Return the faults of the one alternative that is of the value's type."""
    branches: dict[Any, list[ValidationError]] = {}
    for inner in error.context or ():
        branches.setdefault(inner.relative_schema_path[0], []).append(inner)
    fitting = [
        branch
        for branch in branches.values()
        if not any(inner.validator == "type" and not inner.relative_path for inner in branch)
    ]
    return fitting[0] if len(fitting) == 1 else []


def _missing(error: ValidationError, pointer: str) -> Iterator[Finding]:
    # jsonschema reports each missing name as its own error and names it in the message only.
    required: Any = error.validator_value
    schema: Any = error.schema
    name = next(name for name in required if error.message.startswith(repr(name)))
    instance: Any = error.instance
    guess = near_miss(name, instance, schema.get("properties", {}))
    hint = f" (`{guess}` stands there; did you mean `{name}`?)" if guess else ""
    yield Finding("missing-member", child(pointer, name), f"`{name}` is missing{hint}")


def _wrappers(error: ValidationError, pointer: str) -> Iterator[Finding]:
    alternatives: Any = error.validator_value
    allowed = [alternative["required"][0] for alternative in alternatives]
    if not isinstance(error.instance, dict):
        return  # its type is reported already
    present = [name for name in allowed if name in error.instance]
    if present:
        yield Finding("several-alternatives", pointer, f"has {_and(present)}; A2A 1.0 allows exactly one of them here")
    else:
        yield Finding("missing-alternative", pointer, f"has none of {_or(allowed)}; exactly one is needed")


def misspelt_members(value: Json, schema_name: str, definition: str | None = None) -> Iterator[tuple[str, str, str]]:
    """Yield (pointer, member, name that it probably stands for) for members of known objects that nobody reads."""
    schema = SCHEMAS[schema_name]
    start = {"$ref": f"#/$defs/{definition}"} if definition else schema
    guesses = iter(range(MAX_GUESSES))
    for pointer, holder, known, required in _known_objects(value, start, schema["$defs"], ""):
        for name in unknown_members(holder, known):
            meant = spelt_otherwise(name, holder, known)
            if meant is None and next(guesses, None) is not None:
                meant = close_to(name, holder, known)
            if meant is not None and meant not in required:  # a missing one is an error with the same hint
                yield child(pointer, name), name, meant


def limit_findings(value: Mapping[str, Json], schema_name: str) -> Iterator[Finding]:
    """Yield a warning for each limit and budget that nobody defines; those close to a defined one are misspelt."""
    for holder in ("limits", "budget"):
        known = SCHEMAS[schema_name]["properties"][holder]["properties"]
        given = value.get(holder)
        if not isinstance(given, dict):
            continue
        for name in unknown_members(given, known):
            if close_to(name, given, known) is None and spelt_otherwise(name, given, known) is None:
                hint = closest(name, known)
                message = f"`{name}` is none of those that are defined ({_or(list(known))}); it is kept as it is{hint}"
                yield Finding("unknown-limit", child(child("", holder), name), message, "warning")


def _known_objects(value: Json, schema: Json, defs: Mapping[str, Json], pointer: str) -> Iterator[KnownObject]:
    """Yield (pointer, object, known members, required members) for each object that the schema names members of."""
    schema = _resolve(schema, defs)
    if isinstance(value, list) and "items" in schema:
        for at, item in enumerate(value):
            yield from _known_objects(item, schema["items"], defs, child(pointer, at))
    if not isinstance(value, dict):
        return
    known, rest = schema.get("properties", {}), schema.get("additionalProperties")
    if known:
        yield pointer, value, known, schema.get("required", ())
    for name, member in value.items():
        if name in known or isinstance(rest, dict):
            yield from _known_objects(member, known.get(name, rest), defs, child(pointer, name))


def _kind(value: Json) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, str):
        return "a string"
    if isinstance(value, (int, float)):
        return "a number"
    return "a list" if isinstance(value, list) else "an object"


def _short(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)[:60] if isinstance(value, (str, int, float, bool)) else _kind(value)
    return f"`{text}`" if not isinstance(value, (list, dict)) else text


def _or(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _and(names: list[str]) -> str:
    return " and ".join(f"`{name}`" for name in names)
