"""What it takes to be refused: the ways in which a value fails a node, each as a node of its own.

Every way is an over-approximation: a value that the node refuses satisfies at least one of the ways. What can't be said
in a node (that some name matches a pattern and its value fails) is left open, down to the type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from registry.core.solver.graph import ANYTHING, KINDS, NEVER, NO_PATTERN, NUMBERS, TYPES, Node

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Json = Any

_OPPOSITES = {
    "minimum": "exclusiveMaximum",
    "exclusiveMinimum": "maximum",
    "maximum": "exclusiveMinimum",
    "exclusiveMaximum": "minimum",
}
_SIZES = {
    "minLength": ("string", "maxLength", -1),
    "maxLength": ("string", "minLength", 1),
    "minItems": ("array", "maxItems", -1),
    "maxItems": ("array", "minItems", 1),
    "minProperties": ("object", "maxProperties", -1),
    "maxProperties": ("object", "minProperties", 1),
}
_LEFT_OPEN: dict[str, tuple[frozenset[str], dict[str, Json]]] = {
    "unevaluatedItems": (frozenset({"array"}), {"minItems": 1}),
    "patternProperties": (frozenset({"object"}), {"minProperties": 1}),
    "additionalProperties": (frozenset({"object"}), {"minProperties": 1}),
    "propertyNames": (frozenset({"object"}), {"minProperties": 1}),
    "unevaluatedProperties": (frozenset({"object"}), {"minProperties": 1}),
}


def implied(node: Node) -> Node | None:
    """Return what a node's ``not`` says of the values that it accepts, None where there is no ``not``."""
    if "not" not in node.one:
        return None
    if node.implied is None:
        node.implied = refuted(node.one["not"])
    return node.implied


def refuted(node: Node) -> Node:
    """Return the node of the values that a node refuses, or of more."""
    target = node.resolved
    if target.refuted is None:
        # Set first: a recursive schema meets itself on the way, and finds the node that is being filled.
        target.refuted = Node(target.pointer, {}, -1, kind=("refuted", target.kind), unfinished=True)
        ways = list(_ways(target))
        if len(ways) == 1:
            target.refuted.many["allOf"] = tuple(ways)
        elif ways:
            target.refuted.many["anyOf"] = tuple(ways)
        else:
            target.refuted.false = True
        target.refuted.unfinished = False
    return target.refuted


def _ways(node: Node) -> Iterator[Node]:
    if node.false or "$dynamicRef" in node.keywords:
        yield Node(node.pointer, {}, -1, kind=("anything", node.kind))
        return
    make = _maker(node)
    types = node.types()
    if types is not None and set(TYPES) - types:
        yield make("type", frozenset(TYPES) - types)
    if node.values() is not None:
        listed = Node(
            node.pointer, {word: node.keywords[word] for word in ("enum", "const") if word in node.keywords}, -1
        )
        listed.kind = ("listed", node.kind)
        way = make("values", None, one={"not": listed})
        way.implied = ANYTHING  # to be none of some values is all that there is to say
        yield way
    yield from _bounds(node, make)
    yield from _objects(node, make)
    yield from _arrays(node, make)
    yield from _in_place(node, make)


def _maker(owner: Node) -> Callable[..., Node]:
    def make(way: object, types: frozenset[str] | None, words: dict[str, Json] | None = None, **parts: Any) -> Node:
        keywords = {**(words or {}), **({} if types is None else {KINDS: types})}
        return Node(owner.pointer, keywords, -1, kind=("way", owner.kind, way), **parts)

    return make


def _bounds(node: Node, make: Callable[..., Node]) -> Iterator[Node]:
    words = node.keywords
    for word, opposite in _OPPOSITES.items():
        if word in words:
            yield make(word, NUMBERS, {opposite: words[word]})
    for word, (kind, opposite, step) in _SIZES.items():
        if word in words and words[word] + step >= 0:
            yield make(word, frozenset({kind}), {opposite: int(words[word]) + step})
    if "pattern" in words:
        yield make("pattern", frozenset({"string"}), {NO_PATTERN: words["pattern"]})
    for word, types, more in (("multipleOf", NUMBERS, {}), ("uniqueItems", frozenset({"array"}), {"minItems": 2})):
        if words.get(word):
            alone = Node(node.pointer, {word: words[word]}, -1, kind=("alone", word, str(words[word])))
            way = make(word, types, more, one={"not": alone})
            way.implied = ANYTHING  # nothing more exact can be said than that it is refused
            yield way
    for word, (types, more) in _LEFT_OPEN.items():
        if word in words or word in node.one or word in node.named:
            yield make(word, types, more)


def _objects(node: Node, make: Callable[..., Node]) -> Iterator[Node]:
    kind = frozenset({"object"})
    for name in node.required():
        yield make(("required", name), kind, named={"properties": {name: NEVER}})
    for owner, names in node.keywords.get("dependentRequired", {}).items():
        for name in names:
            absent = {"properties": {name: NEVER}}
            yield make(("dependent", owner, name), kind, {"required": [owner]}, named=absent)
    for name, each in node.properties().items():
        if not each.trivial:
            parts = {"properties": {name: refuted(each)}}
            yield make(("property", name), kind, {"required": [name]}, named=parts)
    for owner, each in node.named.get("dependentSchemas", {}).items():
        yield make(("dependent", owner), kind, {"required": [owner]}, many={"allOf": (refuted(each),)})


def _arrays(node: Node, make: Callable[..., Node]) -> Iterator[Node]:
    kind = frozenset({"array"})
    prefix = node.many.get("prefixItems", ())
    for index, each in enumerate(prefix):
        if not each.trivial:
            items = (*(ANYTHING for _ in range(index)), refuted(each))
            yield make(("item", index), kind, {"minItems": index + 1}, many={"prefixItems": items})
    if "items" in node.one and not node.one["items"].trivial:
        yield make("items", kind, {"minItems": len(prefix) + 1}, one={"contains": refuted(node.one["items"])})
    if "contains" in node.one:
        plain = node.keywords.get("minContains", 1) == 1 and "maxContains" not in node.keywords
        yield make("contains", kind, one={"items": refuted(node.one["contains"])} if plain else {})


def _in_place(node: Node, make: Callable[..., Node]) -> Iterator[Node]:
    if node.reference:
        yield refuted(node.reference)
    for each in node.many.get("allOf", ()):
        yield refuted(each)
    if "anyOf" in node.many:
        yield make("anyOf", None, many={"allOf": tuple(map(refuted, node.many["anyOf"]))})
    if "oneOf" in node.many:
        yield make("oneOf", None)
    if "not" in node.one:
        yield node.one["not"]
    if "if" in node.one:
        condition = node.one["if"]
        if "then" in node.one:
            yield make("then", None, many={"allOf": (condition, refuted(node.one["then"]))})
        if "else" in node.one:
            yield make("else", None, many={"allOf": (refuted(condition), refuted(node.one["else"]))})
