"""The closed reading of a schema, written out (docs/closing.md): nobody sends a property that no one names.

At every place where an object is described and silence meets other properties, ``unevaluatedProperties: false`` is
added, over everything that applies in place together. What is explicit stays; a place that names nothing is a free map
and stays open; what two applicators describe together stays open as well, since each of them names only a part.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from registry.core.solver.dialects import named_by, token
from registry.core.solver.meaning import Meaning
from registry.core.solver.regex_matcher import search_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Json = Any
Schema = dict[str, Json]
_Reading = tuple[str, str, frozenset[str]]  # what is referred to, its role, the names that others describe too

ITEMS = "\0items"  # stands for array positions among names that two applicators describe

_LITERAL_ONES = ("not", "if", "contains", "propertyNames")
_PLACE_ONES = ("items", "additionalProperties", "unevaluatedItems", "unevaluatedProperties")


def close(meaning: Meaning) -> Meaning:
    """Return the closed reading of a schema as a 2020-12 document, with its map back to the original."""
    closing = _Closing(meaning)
    schema = closing.place(meaning.schema, "", "")
    closing.finish()
    if closing.definitions:
        schema = {**(schema if isinstance(schema, dict) else {"allOf": [schema]}), "$defs": closing.definitions}
    return Meaning(schema, closing.origins)


@dataclass(slots=True)
class _Closing:
    """One document's rewriting. Referenced schemas become definitions, once for each way in which they are read."""

    meaning: Meaning
    definitions: dict[str, Json] = field(default_factory=dict)
    names: dict[_Reading, str] = field(default_factory=dict)
    waiting: list[_Reading] = field(default_factory=list)
    origins: dict[str, str] = field(default_factory=dict)

    def target(self, reference: str) -> Json:
        """Return what a pointer reference names in the document."""
        return named_by(self.meaning.schema, reference[1:])

    def note(self, old: str, at: str) -> None:
        self.origins[at] = self.meaning.origins.get(old, old)

    def definition(self, reference: str, role: str, shared: frozenset[str]) -> str:
        """Return a reference to a definition of the target, read in one role."""
        key = (reference, role, shared)
        if key not in self.names:
            self.names[key] = f"{len(self.names)}"
            self.waiting.append(key)
        return f"#/$defs/{self.names[key]}"

    def finish(self) -> None:
        """Make the definitions that were asked for, and those that they ask for, without nesting calls."""
        while self.waiting:
            reference, role, shared = key = self.waiting.pop()
            target, at = self.target(reference), f"/$defs/{self.names[key]}"
            if role == "literal":
                self.definitions[self.names[key]] = self.literal(target, reference[1:], at)
            else:
                self.definitions[self.names[key]] = self.inner(target, reference[1:], at, shared)

    def place(self, schema: Json, old: str, at: str) -> Json:
        """Rewrite what describes one value of its own: the root, a property's value, an item."""
        if not isinstance(schema, dict):
            self.note(old, at)
            return schema
        members = list(self.together(schema))
        shared = _shared(members)
        if any(_is_explicit(member) for member in members):
            return self.inner(schema, old, at, shared)
        if any(_names(member) for member in members):
            result = self.inner(schema, old, at, shared)
            return result if self._would_be_empty(members) else {**result, "unevaluatedProperties": False}
        return self.inner(schema, old, at, shared, alternatives_are_places=True)

    def together(self, schema: Schema) -> Iterator[Schema]:
        """Yield the schemas that all apply to the same value: itself, ``allOf``, what is referred to."""
        stack, seen = [schema], set()
        while stack:
            each = stack.pop()
            if not isinstance(each, dict) or id(each) in seen:
                continue
            seen.add(id(each))
            yield each
            stack.extend(each.get("allOf", ()))
            if "$ref" in each:
                stack.append(self.target(each["$ref"]))

    def _would_be_empty(self, members: list[Schema]) -> bool:
        """Say whether more properties are wanted than are named: the closed reading would hold no object."""
        named = {name for member in members for name in (*member.get("properties", ()), *_required_names(member))}
        least = max((member.get("minProperties", 0) for member in members), default=0)
        open_ended = any("patternProperties" in member or _branches(member) for member in members)
        return least > len(named) and not open_ended

    def inner(
        self, schema: Json, old: str, at: str, shared: frozenset[str], *, alternatives_are_places: bool = False
    ) -> Json:
        """Rewrite what applies in place: the values below are places, the schema itself isn't closed."""
        self.note(old, at)
        if not isinstance(schema, dict):
            return schema
        result: Schema = {}
        for keyword, value in schema.items():
            below, to = f"{old}/{token(keyword)}", f"{at}/{token(keyword)}"
            if keyword in ("allOf", "anyOf", "oneOf"):
                apart = alternatives_are_places and keyword != "allOf"
                result[keyword] = [
                    self.place(each, f"{below}/{index}", f"{to}/{index}")
                    if apart
                    else self.inner(each, f"{below}/{index}", f"{to}/{index}", shared)
                    for index, each in enumerate(value)
                ]
            elif keyword in ("then", "else"):
                read = self.place if alternatives_are_places else None
                result[keyword] = read(value, below, to) if read else self.inner(value, below, to, shared)
            elif keyword == "dependentSchemas":
                result[keyword] = {
                    name: self.inner(each, f"{below}/{token(name)}", f"{to}/{token(name)}", shared)
                    for name, each in value.items()
                }
            elif keyword == "$ref":
                result[keyword] = self.definition(value, "inner", shared)
            else:
                result[keyword] = self._below(keyword, value, below, to, shared)
        named = _required_names(schema)
        if named and not _is_explicit(schema):
            result["properties"] = {**dict.fromkeys(named, True), **result.get("properties", {})}
        result.pop("$defs", None)
        result.pop("definitions", None)
        return result

    def _below(self, keyword: str, value: Json, old: str, at: str, shared: frozenset[str]) -> Json:
        """Rewrite a keyword whose subschemas describe parts of the value."""
        if keyword in ("properties", "patternProperties"):
            together = shared if keyword == "properties" else frozenset(value) if shared else frozenset[str]()
            return {
                name: (self.literal if name in together else self.place)(
                    each, f"{old}/{token(name)}", f"{at}/{token(name)}"
                )
                for name, each in value.items()
            }
        items = self.literal if ITEMS in shared else self.place
        if keyword == "prefixItems":
            return [items(each, f"{old}/{index}", f"{at}/{index}") for index, each in enumerate(value)]
        if keyword in _PLACE_ONES:
            return items(value, old, at)
        if keyword in _LITERAL_ONES:
            return self.literal(value, old, at)
        return value

    def literal(self, schema: Json, old: str, at: str) -> Json:
        """Copy a schema as it is written; only its references move."""
        self.note(old, at)
        if not isinstance(schema, dict):
            return schema
        result: Schema = {}
        for keyword, value in schema.items():
            below, to = f"{old}/{token(keyword)}", f"{at}/{token(keyword)}"
            if keyword == "$ref":
                result[keyword] = self.definition(value, "literal", frozenset())
            elif keyword in ("allOf", "anyOf", "oneOf", "prefixItems"):
                result[keyword] = [
                    self.literal(each, f"{below}/{index}", f"{to}/{index}") for index, each in enumerate(value)
                ]
            elif keyword in ("properties", "patternProperties", "dependentSchemas"):
                result[keyword] = {
                    name: self.literal(each, f"{below}/{token(name)}", f"{to}/{token(name)}")
                    for name, each in value.items()
                }
            elif keyword in (*_LITERAL_ONES, *_PLACE_ONES, "then", "else"):
                result[keyword] = self.literal(value, below, to)
            elif keyword not in ("$defs", "definitions"):
                result[keyword] = value
        return result


def _required_names(schema: Schema) -> list[str]:
    """Return the names that a schema names without describing their values."""
    names: dict[str, None] = dict.fromkeys(schema.get("required", ()))
    for owner, others in schema.get("dependentRequired", {}).items():
        names.update(dict.fromkeys((owner, *others)))
    wanted = schema.get("propertyNames")
    if isinstance(wanted, dict) and isinstance(wanted.get("enum"), list):
        names.update(dict.fromkeys(name for name in wanted["enum"] if isinstance(name, str)))
    return list(names)


def _names(schema: Schema) -> bool:
    return "properties" in schema or "patternProperties" in schema or bool(_required_names(schema))


def _is_explicit(schema: Schema) -> bool:
    return "additionalProperties" in schema or "unevaluatedProperties" in schema


def _branches(schema: Schema) -> list[Json]:
    """Return the alternatives and conditions of a schema, which apply in place too."""
    found = [each for row in ("anyOf", "oneOf") for each in schema.get(row, ())]
    found += [schema[name] for name in ("then", "else") if name in schema]
    return found + list(schema.get("dependentSchemas", {}).values())


def _shared(members: list[Schema]) -> frozenset[str]:
    """Return the names (and ITEMS) whose values two schemas describe together.

    Alternatives of one ``anyOf`` or ``oneOf`` don't count against each other: a value follows one of them.
    """
    rows: list[set[str]] = []
    patterns: list[str] = []
    for member in members:
        rows.append(_described(member))
        patterns.extend(member.get("patternProperties", ()))
        for row in (*(member.get(name, ()) for name in ("anyOf", "oneOf")), *([each] for each in _conditions(member))):
            inner = [_described_deep(each) for each in row]
            rows.append(set().union(*inner))
    counted: dict[str, int] = {}
    for described in rows:
        for name in described:
            counted[name] = counted.get(name, 0) + 1
    together = {name for name, count in counted.items() if count > 1}
    return frozenset(together | {name for name in counted if any(_matches(pattern, name) for pattern in patterns)})


def _conditions(schema: Schema) -> list[Json]:
    return [
        *(schema[name] for name in ("if", "then", "else") if name in schema),
        *schema.get("dependentSchemas", {}).values(),
    ]


def _described(schema: Mapping[str, Json]) -> set[str]:
    items = {ITEMS} if schema.keys() & {"items", "prefixItems", "contains"} else set()
    return set(schema.get("properties", ())) | items


def _described_deep(schema: Json) -> set[str]:
    """Return what an alternative describes, with what applies in place inside of it (references excepted)."""
    if not isinstance(schema, dict):
        return set()
    found = _described(schema)
    for each in (*schema.get("allOf", ()), *_branches(schema)):
        found |= _described_deep(each)
    return found


def _matches(pattern: str, name: str) -> bool:
    try:
        return search_text(pattern, name)
    except ValueError:
        return True
