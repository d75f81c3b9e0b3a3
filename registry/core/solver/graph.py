"""Schemas as a graph of nodes, where nodes that mean the same are known to be the same.

Each place of a 2020-12 document (``meaning``) becomes a node with its keywords parsed once. Partition refinement over
all documents of a question gives every node a class: two nodes are of one class when no walk through keywords and
references tells them apart. So an inlined ``$ref``, a renamed definition or another order of members is no change.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from registry.core.solver.dialects import LITERAL, children
from registry.core.solver.numbers import exact

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from registry.core.solver.meaning import Meaning

Json = Any

# "literal" is draft 4's integer, a number written without a fraction; 1 may be one, 1.0 is none.
TYPES = ("null", "boolean", "literal", "integer", "number", "string", "array", "object")
NUMBERS = frozenset({"literal", "integer", "number"})
KINDS = "$kinds"  # of nodes that are made in proofs: types, told apart as TYPES does
NO_PATTERN = "$noPattern"  # and a pattern that a text doesn't match
Kind = Hashable


def key(value: Json) -> Json:
    """Return something hashable that is equal exactly for equal JSON values (1 is 1.0, true is not 1)."""
    if isinstance(value, dict):
        return ("object", frozenset((name, key(item)) for name, item in value.items()))
    if isinstance(value, list):
        return ("array", tuple(key(item) for item in value))
    if isinstance(value, bool):
        return ("boolean", value)
    if isinstance(value, int | float):
        return ("number", exact(value))
    return (type(value).__name__, value)


@dataclass(slots=True, eq=False)
class Node:
    """One place in a document. ``kind`` is its class: equal kinds mean the same."""

    pointer: str  # in the original document
    keywords: Mapping[str, Json]
    document: int
    false: bool = False
    kind: Kind = 0
    one: dict[str, Node] = field(default_factory=dict)
    many: dict[str, tuple[Node, ...]] = field(default_factory=dict)
    named: dict[str, dict[str, Node]] = field(default_factory=dict)
    reference: Node | None = None
    # Asked for very often, and settled once a graph is built.
    _trivial: bool | None = None
    _resolved: Node | None = None
    implied: Node | None = None  # what the ``not`` says, and the node of what is refused (``refutation``)
    refuted: Node | None = None
    _keys: frozenset[Json] | None = None
    beside: tuple[Node, ...] | None = None  # what its values must satisfy too, and what applies in place (``facts``)
    applied: list[Node] | None = None
    unfinished: bool = False  # while a negation is being made, it may still get alternatives
    cases: tuple[Node, ...] | None = None  # of ``unevaluated...`` keywords (``unevaluated``)

    def types(self) -> frozenset[str] | None:
        """Return the allowed types, ``number`` with all its kinds; None where the schema is silent."""
        if KINDS in self.keywords:
            made: frozenset[str] = self.keywords[KINDS]
            return made
        named = self.keywords.get("type")
        if named is None:
            return None
        found = {named} if isinstance(named, str) else set(named)
        if "number" in found:
            found |= NUMBERS
        elif "integer" in found:
            found = (found - {"integer"}) | {"literal"} if LITERAL in self.keywords else found | {"literal"}
        return frozenset(found)

    def values(self) -> list[Json] | None:
        """Return the values that ``enum`` and ``const`` leave together, None without either."""
        listed = self.keywords.get("enum") if isinstance(self.keywords.get("enum"), list) else None
        if "const" not in self.keywords:
            return listed
        only = self.keywords["const"]
        if listed is not None and key(only) not in map(key, listed):
            return []
        return [only]

    def lists(self, value: Json) -> bool:
        """Say whether ``values`` holds a value; there must be some."""
        if self._keys is None:
            self._keys = frozenset(map(key, self.values() or ()))
        return key(value) in self._keys

    def required(self) -> tuple[str, ...]:
        """Return the required names."""
        return tuple(self.keywords.get("required", ()))

    def properties(self) -> Mapping[str, Node]:
        """Return the node of every named property."""
        return self.named.get("properties", {})

    def patterns(self) -> Mapping[str, Node]:
        """Return the node of every pattern of names."""
        return self.named.get("patternProperties", {})

    def in_place(self) -> list[Node]:
        """Return what may be applied to the same value: references, alternatives, conditions."""
        found = [self.reference] if self.reference else []
        found += [each for name in ("allOf", "anyOf", "oneOf") for each in self.many.get(name, ())]
        found += [self.one[name] for name in ("not", "if", "then", "else") if name in self.one]
        return found + list(self.named.get("dependentSchemas", {}).values())

    @property
    def trivial(self) -> bool:
        """Whether the node accepts every value on the face of it."""
        if self._trivial is None:
            self._trivial = not (self.false or self.reference or self.one or self.many or self.named) and not any(
                keyword in ASSERTIONS for keyword in self.keywords
            )
        return self._trivial

    @property
    def resolved(self) -> Node:
        """What the node stands for: a reference that stands alone is what it names."""
        if self._resolved is None:
            self._resolved = _follow(self)
        return self._resolved


# Nodes that are made in proofs need no document.
ANYTHING = Node("", {}, -1, kind=("anything",))
NEVER = Node("", {}, -1, false=True, kind=("nothing",))
# A node for each type; those of numbers are one.
TYPE_NODES = {
    name: Node("", {"type": name}, -1, kind=-1 - index)
    for index, name in enumerate(("null", "boolean", "number", "string", "array", "object"))
}
ASSERTIONS = frozenset(
    {
        *("type", "enum", "const", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"),
        *("maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems", "maxContains", "minContains"),
        *("maxProperties", "minProperties", "required", "dependentRequired", "$dynamicRef", LITERAL, KINDS, NO_PATTERN),
    }
)


@dataclass(frozen=True, slots=True)
class Graph:
    """All documents of a question; ``roots`` in their order."""

    roots: tuple[Node, ...]
    nodes: tuple[Node, ...]

    @property
    def spells(self) -> bool:
        """Whether 1 and 1.0 are told apart somewhere: draft 4's integer."""
        return any(LITERAL in node.keywords for node in self.nodes)

    @property
    def size(self) -> int:
        """How many nodes there are."""
        return len(self.nodes)

    def paths(self) -> int:
        """Return how many ways lead through what applies in place, from the node with the most of them."""
        counted: dict[int, int] = {}
        for start in self.nodes:
            stack = [start]
            while stack:
                node = stack[-1]
                inner = node.in_place()
                waiting = [each for each in inner if id(each) not in counted]
                if id(node) not in counted and waiting:
                    stack.extend(waiting)
                    continue
                counted[id(node)] = 1 + sum(counted[id(each)] for each in inner)
                stack.pop()
        return max(counted.values())


def build(meanings: Sequence[Meaning]) -> Graph:
    """Make the graph of several documents."""
    nodes: list[Node] = []
    roots = []
    for index, meaning in enumerate(meanings):
        table = _parse(meaning, index)
        nodes.extend(table.values())
        roots.append(table[""])
    _classify(nodes)
    return Graph(tuple(roots), tuple(nodes))


def _parse(meaning: Meaning, document: int) -> dict[str, Node]:
    table: dict[str, Node] = {}
    stack: list[tuple[Json, str]] = [(meaning.schema, "")]
    links: list[tuple[Node, str, str, Json]] = []
    while stack:
        schema, pointer = stack.pop()
        keywords = schema if isinstance(schema, dict) else {}
        node = Node(meaning.origins.get(pointer, pointer), keywords, document, false=schema is False)
        table[pointer] = node
        for keyword, child, at, _ in children(keywords, pointer, 2020):
            stack.append((child, at))
            links.append((node, keyword, at, child))
    for node, keyword, at, _ in links:
        _link(node, keyword, at, table[at])
    for node in table.values():
        if "$ref" in node.keywords:
            node.reference = table[node.keywords["$ref"][1:]]
    return table


def _link(node: Node, keyword: str, at: str, child: Node) -> None:
    if keyword in ("allOf", "anyOf", "oneOf", "prefixItems"):
        node.many[keyword] = (*node.many.get(keyword, ()), child)
    elif keyword in ("properties", "patternProperties", "dependentSchemas"):
        name = at.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
        node.named.setdefault(keyword, {})[name] = child
    elif keyword not in ("$defs", "definitions"):
        node.one[keyword] = child


def _classify(nodes: list[Node]) -> None:
    """Refine classes until no walk tells two nodes of one class apart (Hopcroft's idea, in its plain form)."""
    local = {id(node): _local(node) for node in nodes}
    classes: dict[Json, int] = {}
    for node in nodes:
        node.kind = classes.setdefault(local[id(node)], len(classes))
    count = len(classes)
    while True:
        classes = {}
        fresh = []
        for node in nodes:
            target = node.resolved
            fresh.append(classes.setdefault((local[id(target)], _around(target)), len(classes)))
        for node, kind in zip(nodes, fresh, strict=True):
            node.kind = kind
        if len(classes) == count:
            return
        count = len(classes)


def _follow(node: Node) -> Node:
    seen = 0
    while node.reference and not (node.one or node.many or node.named) and not node.keywords.keys() & ASSERTIONS:
        node, seen = node.reference, seen + 1
        if seen > 10_000:
            break
    return node


def _local(node: Node) -> Json:
    target = node.resolved
    # What ``$dynamicRef`` means depends on where one came from: such a node is equal to itself alone.
    return (
        target.false,
        id(target) if "$dynamicRef" in target.keywords else 0,
        frozenset((name, _loose(name, target.keywords[name])) for name in target.keywords.keys() & ASSERTIONS),
    )


def _loose(name: str, value: Json) -> Json:
    """Return a keyword's value without what doesn't matter: the order of required names, types and members."""
    if name in ("required", "type", "enum") and isinstance(value, list):
        return frozenset(key(item) for item in value)
    if name == "dependentRequired":
        return frozenset((owner, frozenset(names)) for owner, names in value.items())
    return key(value)


def _around(node: Node) -> Json:
    return (
        node.reference.kind if node.reference else -1,
        frozenset((name, child.kind) for name, child in node.one.items()),
        frozenset((name, _row(name, row)) for name, row in node.many.items()),
        frozenset(
            (name, frozenset((each, child.kind) for each, child in row.items())) for name, row in node.named.items()
        ),
    )


def _row(name: str, row: tuple[Node, ...]) -> Json:
    kinds = [child.kind for child in row]
    return tuple(kinds) if name == "prefixItems" else tuple(sorted(kinds))
