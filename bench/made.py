"""Schemas and values made up from one source of randomness, for the fuzzer and for tests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random

Json = Any

NAMES = ("a", "b", "x-c", "1")
ODD_NAMES = ("", "é", "a/b", "a~b", "%25", "$ref", "type")
SCALARS: tuple[Json, ...] = (None, True, False, 0, 1, 2, -1, 1.5, 10**20, "", "a", "ab", "b1", "é")
ODD_SCALARS: tuple[Json, ...] = (0.0, 1.0, 3.0, -0.0, 0.1, 1e-7, 1e20, 2**53 + 1)
PATTERNS = ("^a", "b$", "^[a-c]*$", "^x-", "\\d", "^(a|b)+$", ".{2}", "^\\w{1,3}$")
ODD_PATTERNS = (
    *("^$", "^(?!a)", "^(?=.*b)a", "\\s", "^\\S+$", "\\D", "^[^a]*$", "^.{1,3}$", "^a?b*$", "\\bab\\b", "^\\u0061$"),
    *("[\\w-]+", "^(?:a|b1)$", "^\\p{L}+$", "(a+)+$", "^é", "a|^b"),
)
DRAFTS = (
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
)
TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")


class Maker:
    """Makes schemas of drafts 4 to 2020-12, changed copies of them, and values.

    ``odd`` adds names, numbers and patterns that are rare.
    """

    def __init__(self, source: random.Random, *, odd: bool = False) -> None:
        self.random = source
        self.names = NAMES + ODD_NAMES if odd else NAMES
        self.scalars = SCALARS + ODD_SCALARS if odd else SCALARS
        self.patterns = PATTERNS + ODD_PATTERNS if odd else PATTERNS

    def value(self, depth: int = 2) -> Json:
        chance = self.random.random()
        if depth == 0 or chance < 0.6:
            return self.random.choice(self.scalars)
        if chance < 0.8:
            return [self.value(depth - 1) for _ in range(self.random.randrange(4))]
        return {name: self.value(depth - 1) for name in self.random.sample(self.names, self.random.randrange(4))}

    def schema(self, depth: int, draft: int) -> Json:
        if self.random.random() < 0.06:
            return self.random.choice((True, False)) if draft > 0 else {}
        schema: dict[str, Json] = {}
        for _ in range(self.random.choice((1, 1, 2, 2, 3))):
            schema.update(self.random.choice(self.keywords(draft, shallow=depth == 0))(depth, draft))
        return schema

    def keywords(self, draft: int, *, shallow: bool) -> list[Any]:
        plain = [self._type, self._type, self._values, self._number, self._string, self._sizes, self._required]
        if shallow:
            return plain
        deep = [self._properties, self._properties, self._items, self._many, self._not, self._others, self._patterns]
        deep += [self._reference]
        if draft >= 1:
            deep += [self._contains, self._names]
        if draft >= 2:
            deep.append(self._if)
        if draft >= 3:
            deep += [self._unevaluated, self._dependents]
        else:
            deep.append(self._dependencies)
        return plain + deep

    def _type(self, _depth: int, _draft: int) -> dict[str, Json]:
        count = self.random.choice((1, 1, 2, 3))
        return {"type": self.random.choice(TYPES) if count == 1 else self.random.sample(TYPES, count)}

    def _values(self, _depth: int, draft: int) -> dict[str, Json]:
        if draft and self.random.random() < 0.5:
            return {"const": self.value(1)}
        unique = {json.dumps(each): each for each in (self.value(1) for _ in range(3))}
        return {"enum": list(unique.values())}

    def _number(self, _depth: int, draft: int) -> dict[str, Json]:
        words = ["minimum", "maximum", "multipleOf"] + (["exclusiveMinimum", "exclusiveMaximum"] if draft else [])
        word = self.random.choice(words)
        return {word: self.random.choice((1, 2, 0.5, 3) if word == "multipleOf" else (-1, 0, 1, 1.5, 2, 10**20))}

    def _string(self, _depth: int, _draft: int) -> dict[str, Json]:
        word = self.random.choice(("minLength", "maxLength", "pattern"))
        return {word: self.random.choice(self.patterns) if word == "pattern" else self.random.randrange(4)}

    def _sizes(self, _depth: int, _draft: int) -> dict[str, Json]:
        words = ("minItems", "maxItems", "minProperties", "maxProperties", "uniqueItems")
        word = self.random.choice(words)
        return {word: True if word == "uniqueItems" else self.random.randrange(4)}

    def _required(self, _depth: int, _draft: int) -> dict[str, Json]:
        return {"required": self.random.sample(self.names, self.random.choice((1, 1, 2)))}

    def _properties(self, depth: int, draft: int) -> dict[str, Json]:
        names = self.random.sample(self.names, self.random.choice((1, 2, 2)))
        return {"properties": {name: self.schema(depth - 1, draft) for name in names}}

    def _others(self, depth: int, draft: int) -> dict[str, Json]:
        return {"additionalProperties": self.random.choice((False, False, self.schema(depth - 1, draft)))}

    def _patterns(self, depth: int, draft: int) -> dict[str, Json]:
        return {"patternProperties": {self.random.choice(self.patterns): self.schema(depth - 1, draft)}}

    def _names(self, _depth: int, _draft: int) -> dict[str, Json]:
        return {
            "propertyNames": self.random.choice(
                ({"pattern": self.random.choice(self.patterns)}, {"maxLength": 1}, {"enum": ["a"]})
            )
        }

    def _items(self, depth: int, draft: int) -> dict[str, Json]:
        if self.random.random() < 0.5:
            return {"items": self.schema(depth - 1, draft)}
        row = [self.schema(depth - 1, draft) for _ in range(self.random.choice((1, 2)))]
        rest = self.random.choice((False, self.schema(depth - 1, draft)))
        if draft == 4:
            return {"prefixItems": row} | ({"items": rest} if self.random.random() < 0.5 else {})
        return {"items": row} | ({"additionalItems": rest} if self.random.random() < 0.5 else {})

    def _contains(self, depth: int, draft: int) -> dict[str, Json]:
        counts = {"minContains": self.random.randrange(3), "maxContains": self.random.randrange(1, 3)}
        chosen = self.random.sample(list(counts), self.random.randrange(3)) if draft >= 3 else []
        return {"contains": self.schema(depth - 1, draft)} | {word: counts[word] for word in chosen}

    def _many(self, depth: int, draft: int) -> dict[str, Json]:
        count = self.random.choice((1, 2, 2, 3))
        return {self.random.choice(("allOf", "anyOf", "oneOf")): [self.schema(depth - 1, draft) for _ in range(count)]}

    def _not(self, depth: int, draft: int) -> dict[str, Json]:
        return {"not": self.schema(depth - 1, draft)}

    def _if(self, depth: int, draft: int) -> dict[str, Json]:
        branches = self.random.sample(("then", "else"), self.random.choice((1, 2)))
        return {word: self.schema(depth - 1, draft) for word in ("if", *branches)}

    def _unevaluated(self, depth: int, draft: int) -> dict[str, Json]:
        word = self.random.choice(("unevaluatedProperties", "unevaluatedProperties", "unevaluatedItems"))
        return {word: self.random.choice((False, False, self.schema(depth - 1, draft)))}

    def _dependents(self, depth: int, draft: int) -> dict[str, Json]:
        owner, other = self.random.sample(self.names, 2)
        if self.random.random() < 0.5:
            return {"dependentRequired": {owner: [other]}}
        return {"dependentSchemas": {owner: self.schema(depth - 1, draft)}}

    def _dependencies(self, depth: int, draft: int) -> dict[str, Json]:
        owner, other = self.random.sample(self.names, 2)
        return {"dependencies": {owner: self.random.choice(([other], self.schema(depth - 1, draft)))}}

    def _reference(self, _depth: int, _draft: int) -> dict[str, Json]:
        return {"$ref": self.random.choice(("#/definitions/one", "#/definitions/one", "#/definitions/two", "#"))}

    def document(self) -> Json:
        draft = self.random.choice((0, 1, 2, 2, 3, 4, 4, 4))
        schema = self.schema(self.random.choice((1, 2, 2, 3)), draft)
        if not isinstance(schema, dict):
            return schema
        if "$ref" in json.dumps(schema):
            schema["definitions"] = {name: self.schema(1, draft) for name in ("one", "two")}
        return {"$schema": DRAFTS[draft], **schema}

    def mutated(self, schema: Json) -> Json:
        """Change one place of a schema."""
        copy = json.loads(json.dumps(schema))
        places: list[tuple[Any, Any]] = []
        stack = [copy]
        while stack:
            node = stack.pop()
            rows = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
            for key, child in rows:
                if key != "$schema":
                    places.append((node, key))
                    stack.append(child)
        if not places:
            return copy
        holder, key = self.random.choice(places)
        chance, old = self.random.random(), holder[key]
        if isinstance(old, dict) and chance < 0.5:
            holder[key] = self.random.choice(
                (
                    {"anyOf": [old, self.schema(1, 4)]},
                    {"not": {"not": old}},
                    {**old, **self.keywords(4, shallow=True)[0](0, 4)},
                )
            )
        elif isinstance(old, int | float) and not isinstance(old, bool):
            holder[key] = old + self.random.choice((-1, 1, 0.5)) if old < 10**9 else old
        elif isinstance(holder, dict) and chance < 0.8:
            del holder[key]
        return copy
