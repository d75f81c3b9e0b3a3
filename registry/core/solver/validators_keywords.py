"""Keywords of ``jsonschema`` that are ours: ECMA-262 patterns in linear time, exact ``multipleOf``."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import jsonschema
from jsonschema.exceptions import ValidationError
from referencing.jsonschema import DRAFT201909, DRAFT202012, lookup_recursive_ref

from registry.core.solver.numbers import exact
from registry.core.solver.regex_matcher import search_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Json = Any
_DRAFTS = {
    "http://json-schema.org/draft-04/schema": jsonschema.Draft4Validator,
    "http://json-schema.org/draft-06/schema": jsonschema.Draft6Validator,
    "http://json-schema.org/draft-07/schema": jsonschema.Draft7Validator,
    "https://json-schema.org/draft/2019-09/schema": jsonschema.Draft201909Validator,
    "https://json-schema.org/draft/2020-12/schema": jsonschema.Draft202012Validator,
}
DEFAULT_DRAFT = "https://json-schema.org/draft/2020-12/schema"


def knows(dialect: str) -> bool:
    """Tell whether ``dialect``, without its last ``#``, is a draft from 4 to 2020-12."""
    return dialect in _DRAFTS


# A class is made once for each draft: it holds no schema.
@lru_cache(maxsize=8)
def validator_class(dialect: str) -> Any:
    """Return the validator class of a draft with our keywords in it."""
    draft = _DRAFTS[dialect]
    keywords: dict[str, Any] = {
        "pattern": _pattern,
        "properties": _properties,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
        "multipleOf": _multiple_of,
    }
    if "unevaluatedProperties" in draft.VALIDATORS:
        keywords["unevaluatedProperties"] = _unevaluated_properties
    # RFC 8785 writes 1.0 as 1, so no draft may tell them apart; draft 4 did.
    checker = draft.TYPE_CHECKER.redefine("integer", _is_integer)
    return jsonschema.validators.extend(  # type: ignore[no-untyped-call] # the stubs leave it untyped
        draft, validators=keywords, type_checker=checker
    )


def is_multiple(value: float, factor: float) -> bool:
    """Tell whether ``value`` is a multiple of ``factor``, both read as the decimal that they are written as."""
    return (exact(value) / exact(factor)).denominator == 1


def _is_integer(_checker: object, value: Json) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (isinstance(value, float) and value.is_integer())


def _multiple_of(validator: Any, factor: float, instance: Json, _schema: Json) -> Iterator[ValidationError]:
    if validator.is_type(instance, "number") and not is_multiple(instance, factor):
        yield ValidationError("multipleOf")


def _pattern(validator: Any, pattern: str, instance: Json, _schema: Json) -> Iterator[ValidationError]:
    if validator.is_type(instance, "string") and not search_text(pattern, instance):
        yield ValidationError("pattern")


def _properties(
    validator: Any, properties: Mapping[str, Json], instance: Json, _schema: Json
) -> Iterator[ValidationError]:
    if validator.is_type(instance, "object"):
        for name, subschema in properties.items():
            if name in instance:
                yield from _member(validator, instance, name, subschema, name)


def _member(
    validator: Any, instance: Mapping[str, Json], name: str, subschema: Json, schema_path: str | None = None
) -> Iterator[ValidationError]:
    if subschema is False:
        # jsonschema forgets where the value stands that the schema false refuses.
        yield ValidationError("false", validator="false", path=[name], instance=instance[name], schema=False)
    else:
        yield from validator.descend(instance[name], subschema, path=name, schema_path=schema_path)


def _pattern_properties(
    validator: Any, patterns: Mapping[str, Json], instance: Json, _schema: Json
) -> Iterator[ValidationError]:
    if validator.is_type(instance, "object"):
        for pattern, subschema in patterns.items():
            for name in instance:
                if search_text(pattern, name):
                    yield from _member(validator, instance, name, subschema, pattern)


def _additional_properties(validator: Any, extra: Json, instance: Json, schema: Json) -> Iterator[ValidationError]:
    if validator.is_type(instance, "object"):
        for name in instance:
            if not _is_named(name, schema):
                yield from _member(validator, instance, name, extra)


def _unevaluated_properties(validator: Any, extra: Json, instance: Json, schema: Json) -> Iterator[ValidationError]:
    if validator.is_type(instance, "object"):
        own = {keyword: value for keyword, value in schema.items() if keyword != "unevaluatedProperties"}
        evaluated = _evaluated(validator, instance, own)
        for name in instance:
            if name not in evaluated:
                yield from _member(validator, instance, name, extra)


def _is_named(name: str, schema: Mapping[str, Json]) -> bool:
    return name in schema.get("properties", {}) or any(
        search_text(pattern, name) for pattern in schema.get("patternProperties", {})
    )


def _evaluated(validator: Any, instance: Mapping[str, Json], schema: Json) -> set[str]:
    """Return the property names that a schema, and what it applies in place and finds valid, evaluates."""
    if not isinstance(schema, dict):
        return set()
    if "additionalProperties" in schema or "unevaluatedProperties" in schema:
        return set(instance)
    names = {name for name in instance if _is_named(name, schema)}
    for inner in _in_place(validator, instance, schema):
        names |= _evaluated(inner, instance, inner.schema)
    return names


def _in_place(validator: Any, instance: Mapping[str, Json], schema: Mapping[str, Json]) -> Iterator[Any]:
    """Yield a validator for each schema that is applied to the same instance and finds it valid."""
    inner = [_inside(validator, subschema) for subschema in _subschemas(validator, instance, schema)]
    inner += [validator.evolve(schema=one.contents, _resolver=one.resolver) for one in _referred(validator, schema)]
    yield from (one for one in inner if one.is_valid(instance))


def _subschemas(validator: Any, instance: Mapping[str, Json], schema: Mapping[str, Json]) -> Iterator[Json]:
    for keyword in ("allOf", "anyOf", "oneOf"):
        yield from schema.get(keyword, ())
    for name, subschema in schema.get("dependentSchemas", {}).items():
        if name in instance:
            yield subschema
    if "if" in schema:
        yield schema["if"]
        branch = "then" if _inside(validator, schema["if"]).is_valid(instance) else "else"
        yield schema.get(branch, True)


def _referred(validator: Any, schema: Mapping[str, Json]) -> Iterator[Any]:
    resolver = validator._resolver  # noqa: SLF001 - jsonschema's own keywords resolve references with it too
    for keyword in ("$ref", "$dynamicRef"):
        if keyword in schema:
            yield resolver.lookup(schema[keyword])
    if "$recursiveRef" in schema:
        yield lookup_recursive_ref(resolver)


def _inside(validator: Any, subschema: Json) -> Any:
    draft = DRAFT201909 if validator.META_SCHEMA["$id"].endswith("2019-09/schema") else DRAFT202012
    resolver = validator._resolver.in_subresource(draft.create_resource(subschema))  # noqa: SLF001 - as above
    return validator.evolve(schema=subschema, _resolver=resolver)
