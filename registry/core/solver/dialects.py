"""The dialects of JSON Schema: which keywords hold subschemas, which are assertions, and how 2020-12 writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Json = Any

DIALECTS = {
    "http://json-schema.org/draft-04/schema": 4,
    "http://json-schema.org/draft-06/schema": 6,
    "http://json-schema.org/draft-07/schema": 7,
    "https://json-schema.org/draft/2019-09/schema": 2019,
    "https://json-schema.org/draft/2020-12/schema": 2020,
}

ONE = frozenset(
    {"not", "if", "then", "else", "contains", "propertyNames", "additionalProperties", "unevaluatedProperties"}
)
MANY = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
NAMED = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})


def token(name: str) -> str:
    """Escape one reference token of a JSON Pointer (RFC 6901)."""
    return name.replace("~", "~0").replace("/", "~1")


def children(node: Mapping[str, Json], pointer: str, number: int) -> Iterator[tuple[str, Json, str, str]]:
    """Yield (keyword, subschema, its pointer, its relative pointer in 2020-12) for every subschema, in order."""
    listed = number < 2020 and isinstance(node.get("items"), list)
    for keyword, value in node.items():
        at = f"{pointer}/{token(keyword)}"
        if keyword in ONE or (keyword in ("items", "unevaluatedItems") and not isinstance(value, list)):
            if _is_schema(value) and _known(keyword, number):
                yield keyword, value, at, f"/{keyword}"
        elif keyword == "items" and listed:
            for index, item in enumerate(value):
                yield keyword, item, f"{at}/{index}", f"/prefixItems/{index}"
        elif keyword == "additionalItems" and listed and _is_schema(value):
            yield keyword, value, at, "/items"
        elif keyword in MANY and isinstance(value, list) and _known(keyword, number):
            for index, item in enumerate(value):
                yield keyword, item, f"{at}/{index}", f"/{keyword}/{index}"
        elif keyword in NAMED and isinstance(value, dict) and _known(keyword, number):
            for name, item in value.items():
                yield keyword, item, f"{at}/{token(name)}", f"/{keyword}/{token(name)}"
        elif keyword == "dependencies" and number < 2019 and isinstance(value, dict):
            for name, item in value.items():
                if _is_schema(item):
                    yield keyword, item, f"{at}/{token(name)}", f"/dependentSchemas/{token(name)}"


def is_hidden(keyword: str, node: Mapping[str, Json], number: int) -> bool:
    """Say whether a subschema stands beside a ``$ref`` that hides it: nothing refers to it either."""
    return number < 2019 and "$ref" in node and keyword not in ("definitions", "$defs")


def _is_schema(value: Json) -> bool:
    return isinstance(value, dict | bool)


def _known(keyword: str, number: int) -> bool:
    """Say whether a dialect has an applicator (draft 4 has no ``contains``, draft 6 no ``if``)."""
    since = {"contains": 6, "propertyNames": 6, "if": 7, "then": 7, "else": 7, "prefixItems": 2020}
    since |= {"dependentSchemas": 2019}
    since |= {"unevaluatedProperties": 2019, "unevaluatedItems": 2019}
    return number >= since.get(keyword, 4)


LITERAL = "$draft4Integer"
_KEPT = (
    *("type", "enum", "multipleOf", "maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems"),
    *("maxProperties", "minProperties", "required", "default", "examples", "minimum", "maximum", "format"),
)


def assertions(node: Mapping[str, Json], number: int) -> dict[str, Json]:
    """Return the keywords that hold no subschema, as 2020-12 writes them; texts are left out."""
    result = {keyword: node[keyword] for keyword in _KEPT if keyword in node}
    if number == 4:
        if "integer" in (result["type"] if isinstance(result.get("type"), list) else [result.get("type")]):
            # draft 4 section 3.5 of its core: 1.0 is no integer there; nobody else reads this mark.
            result[LITERAL] = True
        for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
            if node.get(exclusive) is True and bound in result:
                result[exclusive] = result.pop(bound)
    else:
        result |= {key: node[key] for key in ("const", "exclusiveMinimum", "exclusiveMaximum") if key in node}
    if number >= 2019:
        result |= {key: node[key] for key in ("dependentRequired", "minContains", "maxContains") if key in node}
    elif isinstance(node.get("dependencies"), dict):
        lists = {name: value for name, value in node["dependencies"].items() if isinstance(value, list)}
        if lists:
            result["dependentRequired"] = lists
    return result


def named_by(document: Json, pointer: str) -> Json:
    """Return what a JSON Pointer names, which must be there."""
    node = document
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        node = node[int(name)] if isinstance(node, list) else node[name]
    return node
