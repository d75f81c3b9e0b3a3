"""Where the subschemas of a schema stand, by its dialect, and which keywords only describe.

Only positions of keywords count: a property that is called ``description``, or a constant that looks like a schema,
is neither a text nor a schema.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

from registry.core.card import pointers

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from registry.core.card.model import Json

DIALECTS = {
    "http://json-schema.org/draft-04/schema": 4,
    "http://json-schema.org/draft-06/schema": 6,
    "http://json-schema.org/draft-07/schema": 7,
    "https://json-schema.org/draft/2019-09/schema": 2019,
    "https://json-schema.org/draft/2020-12/schema": 2020,
}
DEFAULT_DIALECT = 2020
DIALECT_NAMES = {4: "draft-04", 6: "draft-06", 7: "draft-07", 2019: "2019-09", 2020: "2020-12"}

MAX_POINTER_TOKENS = 128

# Annotations that promise nothing (docs/cards.md): a contract is the same with and without them.
DESCRIBING = frozenset({"title", "description", "$comment", "examples"})

_SINCE: Mapping[str, int] = {
    **dict.fromkeys(
        ("$ref", "$schema", "additionalProperties", "allOf", "anyOf", "default", "description", "enum", "items"), 0
    ),
    **dict.fromkeys(("maximum", "maxItems", "maxLength", "maxProperties", "minimum", "minItems", "minLength"), 0),
    **dict.fromkeys(("exclusiveMaximum", "exclusiveMinimum", "format", "minProperties", "multipleOf", "not"), 0),
    **dict.fromkeys(("oneOf", "pattern", "patternProperties", "properties", "required", "title", "type"), 0),
    **dict.fromkeys(("uniqueItems", "definitions", "$defs"), 0),
    **dict.fromkeys(("$id", "const", "contains", "examples", "propertyNames"), 6),
    **dict.fromkeys(("$comment", "contentEncoding", "contentMediaType", "else", "if", "readOnly", "then"), 7),
    "writeOnly": 7,
    **dict.fromkeys(("$anchor", "$vocabulary", "contentSchema", "dependentRequired", "dependentSchemas"), 2019),
    **dict.fromkeys(("deprecated", "maxContains", "minContains", "unevaluatedItems", "unevaluatedProperties"), 2019),
    **dict.fromkeys(("$dynamicAnchor", "$dynamicRef", "prefixItems"), 2020),
}
# Keywords that ended: the last dialect that has them, and what took their place.
_UNTIL: Mapping[str, tuple[int, str]] = {
    "id": (4, "`$id`"),
    "dependencies": (7, "`dependentRequired` and `dependentSchemas`"),
    "additionalItems": (2019, "`items` beside `prefixItems`"),
    "$recursiveRef": (2019, "`$dynamicRef`"),
    "$recursiveAnchor": (2019, "`$dynamicAnchor`"),
}
KEYWORDS = frozenset({*_SINCE, *_UNTIL})

_ONE = frozenset(
    {
        "additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not",
        "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
    }
)  # fmt: skip
_MANY = frozenset({"allOf", "anyOf", "items", "oneOf", "prefixItems"})
_NAMED = frozenset({"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"})
# Applied to the same value as the schema that holds them: a cycle through these alone never gets anywhere.
IN_PLACE = frozenset({"allOf", "anyOf", "dependencies", "dependentSchemas", "else", "if", "not", "oneOf", "then"})


def dialect_of(schema: Json, inherited: int = DEFAULT_DIALECT) -> int | None:
    """Return the dialect that a schema's ``$schema`` names, the inherited one without it, None for an unknown one."""
    named = schema.get("$schema") if isinstance(schema, dict) else None
    if named is None:
        return inherited
    return DIALECTS.get(named.removesuffix("#")) if isinstance(named, str) else None


def knows(dialect: int, keyword: str) -> bool:
    """Return whether a dialect has a keyword."""
    if keyword in _UNTIL:
        return dialect <= _UNTIL[keyword][0]
    return dialect >= _SINCE.get(keyword, DEFAULT_DIALECT + 1)


def replacement(keyword: str) -> str | None:
    """Return what took the place of a keyword that later dialects no longer have."""
    return _UNTIL[keyword][1] if keyword in _UNTIL else None


def subschemas(schema: Mapping[str, Json], dialect: int) -> Iterator[tuple[tuple[str | int, ...], Json]]:
    """Yield each place of a subschema and what stands there (a schema, or something that should be one)."""
    # Up to draft 7, ``$ref`` hides what stands beside it, but for the definitions that others refer to.
    hidden = dialect <= 7 and "$ref" in schema
    for keyword, member in schema.items():
        if not knows(dialect, keyword) or (hidden and keyword not in {"definitions", "$defs"}):
            continue
        if keyword in _NAMED and isinstance(member, dict):
            for name, item in member.items():
                if keyword != "dependencies" or not isinstance(item, list):
                    yield (keyword, name), item
        elif keyword in _MANY and isinstance(member, list):
            for at, item in enumerate(member):
                yield (keyword, at), item
        elif keyword in _ONE:
            yield (keyword,), member


def without_annotations(schema: Json) -> Json:
    """Return a copy of a schema without the annotations that promise nothing.

    One that a ``$ref`` points into stays: it is used.
    """
    if not isinstance(schema, dict):
        return schema
    return _strip(schema, DEFAULT_DIALECT, (), _referred(schema))


def _strip(schema: Json, inherited: int, place: tuple[str, ...], referred: frozenset[tuple[str, ...]]) -> Json:
    if not isinstance(schema, dict):
        return schema
    dialect = dialect_of(schema, inherited) or inherited
    if "$id" in schema or "id" in schema:
        place = ()  # pointers start anew in an embedded resource
    kept = {
        keyword: member
        for keyword, member in schema.items()
        if keyword not in DESCRIBING or (*place, keyword) in referred
    }
    for path, item in subschemas(schema, dialect):
        keyword = str(path[0])
        if keyword not in kept or not isinstance(item, dict):
            continue
        below = (*place, *(str(token) for token in path))
        if len(path) == 1:
            kept[keyword] = _strip(item, dialect, below, referred)
            continue
        if kept[keyword] is schema[keyword]:
            kept[keyword] = schema[keyword].copy()
        kept[keyword][path[1]] = _strip(item, dialect, below, referred)
    return kept


def _referred(schema: Json) -> frozenset[tuple[str, ...]]:
    """Return the places of describing keywords that references lead through, as tokens from a resource's root."""
    found: set[tuple[str, ...]] = set()
    stack = [schema]
    while stack:
        here = stack.pop()
        if isinstance(here, dict):
            reference = here.get("$ref")
            if isinstance(reference, str) and "#/" in reference:
                tokens = tuple(pointers.split(unquote(reference.partition("#")[2])))
                # A longer pointer than any document is deep points nowhere.
                ends = [at + 1 for at, token in enumerate(tokens[:MAX_POINTER_TOKENS]) if token in DESCRIBING]
                found.update(tokens[:end] for end in ends)
            stack.extend(here.values())
        elif isinstance(here, list):
            stack.extend(here)
    return frozenset(found)
