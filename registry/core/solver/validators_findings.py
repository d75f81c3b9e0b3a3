"""What a schema holds against a value, told in short words at the place in the value."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from registry.core.errors import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from jsonschema.exceptions import ValidationError

    from registry.core.solver.validators import Pair

Json = Any
MAX_SHOWN = 60
_ALTERNATIVES = frozenset({"anyOf", "oneOf"})


def pair_findings(pair: Pair, value: Json) -> list[Finding]:
    """Return everything that a schema holds against ``value``, by place; empty if it accepts it.

    A finding's ``code`` is the keyword in kebab-case, its ``pointer`` leads into the value. Raises as ``Pair.accepts``.
    """
    if pair.accepts(value):
        return []
    findings = {(one.pointer, one.code, one.message): one for one in _findings(pair.errors(value))}
    return sorted(findings.values(), key=lambda one: (one.pointer, one.code, one.message))


def _findings(errors: Iterable[ValidationError]) -> Iterator[Finding]:
    left = list(errors)
    while left:
        error = left.pop()
        likely = _likely_branch(error) if error.validator in _ALTERNATIVES else None
        if likely is not None:
            left.extend(likely)
        else:
            yield Finding(_kebab(str(error.validator)), _pointer(error), _words(error))


def _likely_branch(error: ValidationError) -> list[ValidationError] | None:
    """Return the errors of the one alternative that was meant; None if there is no telling.

    An alternative is not meant if the value as a whole, or a constant in it, is of another kind.
    """
    branches: dict[Any, list[ValidationError]] = {}
    for inner in error.context or ():
        branches.setdefault(inner.relative_schema_path[0], []).append(inner)
    meant = [inner for inner in branches.values() if not any(_is_other_kind(one) for one in inner)]
    return meant[0] if len(meant) == 1 else None


def _is_other_kind(error: ValidationError) -> bool:
    whole = not error.relative_path
    return error.validator == "const" or (whole and error.validator in ("type", "enum", "not"))


def _pointer(error: ValidationError) -> str:
    tokens = (str(token).replace("~", "~0").replace("/", "~1") for token in error.absolute_path)
    return "".join(f"/{token}" for token in tokens)


def _kebab(keyword: str) -> str:
    letters = (f"-{char.lower()}" if char.isupper() else char for char in keyword)
    # The schema false has no keyword of its own.
    return "not-allowed" if keyword in ("None", "false") else "".join(letters).removeprefix("$")


def _words(error: ValidationError) -> str:
    limit: Any = error.validator_value
    keyword: Any = error.validator
    instance = error.instance
    match keyword:
        case "type":
            return f"is {_article(instance)}, not {_types(limit)}"
        case "enum":
            return f"is not one of {_listed(limit)}"
        case "const":
            return f"is not {_shown(limit)}"
        case "required":
            return f"lacks `{_missing(limit, instance)}`"
        case "dependentRequired" | "dependencies" | "dependentSchemas":
            return "lacks a property that another one asks for"
        case None | "false":
            return "may not be here"
        case "pattern":
            return f"doesn't match {limit}"
        case "multipleOf":
            return f"is no multiple of {_shown(limit)}"
        case "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum":
            return f"is {_BOUNDS[keyword]} {_shown(limit)}"
        case "minLength" | "maxLength":
            return f"has {_count(instance, 'characters')}, {_LEAST_MOST[keyword[:3]]} {limit}"
        case "minItems" | "maxItems":
            return f"has {_count(instance, 'items')}, {_LEAST_MOST[keyword[:3]]} {limit}"
        case "minProperties" | "maxProperties":
            return f"has {_count(instance, 'properties')}, {_LEAST_MOST[keyword[:3]]} {limit}"
        case _:
            return _other_words(str(keyword), limit)


_BOUNDS = {
    "minimum": "below",
    "maximum": "above",
    "exclusiveMinimum": "not above",
    "exclusiveMaximum": "not below",
}
_LEAST_MOST = {"min": "fewer than", "max": "more than"}


def _other_words(keyword: str, limit: Json) -> str:
    match keyword:
        case "anyOf":
            return f"matches none of the {len(limit)} alternatives"
        case "oneOf":
            return f"doesn't match exactly one of the {len(limit)} alternatives"
        case "not":
            return "matches a schema that it must not match"
        case "uniqueItems":
            return "holds an item twice"
        case "contains":
            return "holds too few or too many items of a kind"
        case "additionalItems" | "items" | "unevaluatedItems":
            return "holds more items than may be"
        case _:
            return f"doesn't meet `{keyword}`"


def _count(instance: Json, things: str) -> str:
    one = {"properties": "property"}.get(things, things.removesuffix("s"))
    return f"{len(instance)} {one if len(instance) == 1 else things}"


def _missing(names: Json, instance: Json) -> str:
    return "`, `".join(name for name in names if name not in instance)


def _article(value: Json) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list():
            return "an array"
        case _:
            return "an object"


def _types(limit: Json) -> str:
    return " or ".join(str(name) for name in limit) if isinstance(limit, list) else str(limit)


def _listed(values: list[Json]) -> str:
    shown = ", ".join(_shown(value) for value in values[:8])
    return f"{shown}, ... ({len(values)} in all)" if len(values) > 8 else shown


def _shown(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}..."
