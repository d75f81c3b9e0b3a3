"""Schemas as a graph: references followed, equal meanings told by one number."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

Json = Any

_ONE = frozenset(
    {
        "not",
        "if",
        "then",
        "else",
        "items",
        "contains",
        "propertyNames",
        "additionalProperties",
        "unevaluatedProperties",
        "unevaluatedItems",
    }
)
_MANY = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_NAMED = frozenset({"properties", "patternProperties", "dependentSchemas"})
_LEAVES = frozenset(
    {
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "pattern",
        "minItems",
        "maxItems",
        "uniqueItems",
        "minContains",
        "maxContains",
        "minProperties",
        "maxProperties",
        "required",
        "dependentRequired",
    }
)
_ALL_TYPES = frozenset({"null", "boolean", "integer", "fraction", "string", "array", "object"})


class Node:
    """One subschema. ``keywords`` hold nodes where the schema holds subschemas; ``hints`` are values it shows.

    ``type`` is a set in which a number is an "integer" or a "fraction"; ``const`` is an enum of one; ``never`` is the
    schema false. Nodes that mean the same have the same ``number``.
    """

    __slots__ = ("demands", "format", "hints", "keywords", "members", "number", "refusals")

    def __init__(self) -> None:
        self.keywords: dict[str, Any] = {}
        self.hints: tuple[Json, ...] = ()
        self.format: str | None = None
        self.number = 0
        # Asked for again and again, and settled once a graph is built.
        self.demands: tuple[Any, ...] | None = None
        self.refusals: tuple[Any, ...] | None = None
        self.members: frozenset[str] | None = None

    def lists(self, value: Json) -> bool:
        """Say whether ``enum`` holds a value; the node must have one."""
        if self.members is None:
            self.members = frozenset(map(json_key, self.keywords["enum"]))
        return json_key(value) in self.members


def graph(schemas: Sequence[Json]) -> list[Node]:
    """Return the root nodes of some self-contained 2020-12 schemas, numbered across all of them."""
    nodes: list[Node] = []
    roots = [_Reader(schema, nodes).root for schema in schemas]
    _number(nodes)
    return roots


def json_key(value: Json) -> str:
    """Return a text that is the same for equal JSON values, and for those only: 1.0 is 1, true is not."""
    return json.dumps(_plain(value), sort_keys=True)


def _plain(value: Json) -> Json:
    if isinstance(value, dict):
        return {name: _plain(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


class _Reader:
    """Reads one document with a list of what is left, so that no nesting is too deep."""

    def __init__(self, document: Json, nodes: list[Node]) -> None:
        self.document = document
        self.nodes = nodes
        self.known: dict[int, Node] = {}
        self.left: list[tuple[Node, Json]] = []
        self.root = self.node(document)
        while self.left:
            self.fill(*self.left.pop())

    def node(self, schema: Json) -> Node:
        known = self.known.get(id(schema)) if isinstance(schema, dict) else None
        if known is not None:
            return known
        node = Node()
        self.nodes.append(node)
        if schema is False:
            node.keywords["never"] = True
        elif isinstance(schema, dict):
            self.known[id(schema)] = node
            self.left.append((node, schema))
        return node

    def fill(self, node: Node, schema: Mapping[str, Json]) -> None:
        for keyword, value in schema.items():
            self.keyword(node, keyword, value)
        node.hints = _hints(schema)
        if isinstance(schema.get("format"), str):
            node.format = schema["format"]

    def keyword(self, node: Node, keyword: str, value: Json) -> None:
        if keyword in _ONE and isinstance(value, dict | bool):
            node.keywords[keyword] = self.node(value)
        elif keyword in _MANY and isinstance(value, list):
            node.keywords[keyword] = [self.node(item) for item in value]
        elif keyword in _NAMED and isinstance(value, dict):
            node.keywords[keyword] = {name: self.node(member) for name, member in value.items()}
        elif keyword in ("$ref", "$recursiveRef", "$dynamicRef") and isinstance(value, str):
            # The dynamic ones are read as if nothing were overridden: a guess, as everything here.
            target = _target(self.document, value)
            if target is not None:
                node.keywords["$ref" if keyword == "$ref" else "$dynamicRef"] = self.node(target)
        elif keyword == "type":
            node.keywords["type"] = frozenset(_types([value] if isinstance(value, str) else value))
        elif keyword == "enum":
            node.keywords["enum"] = value
        elif keyword == "const":
            # Both together are rare: then the constant is the narrower one.
            node.keywords["enum"] = [value]
        elif keyword in _LEAVES:
            node.keywords[keyword] = value


def _types(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        if name == "number":
            yield from ("integer", "fraction")
        elif name in _ALL_TYPES:
            yield name


def _hints(schema: Mapping[str, Json]) -> tuple[Json, ...]:
    examples = schema.get("examples")
    shown = list(examples) if isinstance(examples, list) else []
    if "default" in schema:
        shown.append(schema["default"])
    return tuple(shown[:4])


def _target(document: Json, reference: str) -> Json:
    """Return what a ``#`` reference points at; None for any other, and for one that leads nowhere."""
    if reference == "#":
        return document
    if not reference.startswith("#/"):
        return None
    place = document
    for token in unquote(reference[2:]).split("/"):
        name = token.replace("~1", "/").replace("~0", "~")
        if isinstance(place, dict) and name in place:
            place = place[name]
        elif isinstance(place, list) and name.isdecimal() and int(name) < len(place):
            place = place[int(name)]
        else:
            return None
    return place


def _number(nodes: Sequence[Node]) -> None:
    """Give each node the number of its meaning: nodes are told apart by what they say, then by where they lead."""
    shapes = [_shape(node) for node in nodes]
    count = 0
    while True:
        numbers: dict[Hashable, int] = {}
        fresh = [numbers.setdefault(_signature(shape), len(numbers)) for shape in shapes]
        for node, number in zip(nodes, fresh, strict=True):
            node.number = number
        if len(numbers) == count:
            return
        count = len(numbers)


def _shape(node: Node) -> tuple[Node, str, list[Node]]:
    """Return a node, what it says itself, and the nodes it leads to, in a fixed order."""
    said: list[str] = []
    children: list[Node] = []
    for keyword, value in sorted(node.keywords.items()):
        if isinstance(value, Node):
            said.append(keyword)
            children.append(value)
        elif keyword in _MANY:
            said.append(f"{keyword}:{len(value)}")
            children.extend(value)
        elif keyword in _NAMED:
            names = sorted(value)
            said.append(f"{keyword}:{json.dumps(names)}")
            children.extend(value[name] for name in names)
        else:
            said.append(f"{keyword}:{_text(keyword, value)}")
    return node, "\n".join(said), children


def _text(keyword: str, value: Any) -> str:
    if keyword in ("type", "required"):
        return json.dumps(sorted(value))
    if keyword == "enum":
        return json.dumps(sorted({json_key(member) for member in value}))
    return json_key(value)


def _signature(shape: tuple[Node, str, list[Node]]) -> Hashable:
    node, said, children = shape
    # A node's own number is in its signature, so that classes only ever split.
    return node.number, said, tuple(child.number for child in children)
