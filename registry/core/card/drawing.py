"""The two keywords that say how a result is drawn: what to show first, and which two properties to compare."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from registry.core.card import pointers
from registry.core.card.near_misses import closest
from registry.core.errors import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from registry.core.card.model import Json
    from registry.core.card.references import Graph, Node

ORDER = ("x-order", "x-oz0-order")
PAIR = ("x-diff", "x-oz0-diff")
MAX_DRAWINGS = 100  # in one schema; more are not looked at
MAX_PARTS = 500  # of one object, gone through for its properties


def pair_findings(graph: Graph) -> Iterator[Finding]:
    """Yield each pair to compare that does not name two different properties."""
    for node, keyword, pair in _marked(graph, PAIR):
        at = pointers.child(node.pointer(), keyword)
        names: list[Any] = [pair.get("before"), pair.get("after")] if isinstance(pair, dict) else []
        if not names or not all(isinstance(name, str) for name in names):
            yield Finding("invalid-diff", at, "must be {before: <property>, after: <property>}")
            continue
        if names[0] == names[1]:
            yield Finding("invalid-diff", at, f"compares `{names[0][:80]}` with itself; name two different properties")
        known = _properties(node)
        for name, side in zip(names, ("before", "after"), strict=True):
            if name not in known:
                message = f"`{name[:80]}` is no property of this schema{closest(name, known)}"
                yield Finding("invalid-diff", pointers.child(at, side), message)


def order_findings(graph: Graph) -> Iterator[Finding]:
    """Yield a warning for each name to show first that is no property."""
    for node, keyword, order in _marked(graph, ORDER):
        at = pointers.child(node.pointer(), keyword)
        if not isinstance(order, list) or not all(isinstance(name, str) for name in order):
            yield Finding("invalid-order", at, "must be a list of property names; it is ignored", "warning")
            continue
        known = _properties(node)
        for place, name in enumerate(order[:MAX_DRAWINGS]):
            if name not in known:
                message = f"`{name[:80]}` is no property of this schema; it is skipped{closest(name, known)}"
                yield Finding("invalid-order", pointers.child(at, place), message, "warning")


def _marked(graph: Graph, keywords: tuple[str, ...]) -> Iterator[tuple[Node, str, Json]]:
    found = (
        (node, keyword, node.schema[keyword])
        for node in graph.nodes
        if isinstance(node.schema, dict)
        for keyword in keywords
        if keyword in node.schema
    )
    return islice(found, MAX_DRAWINGS)


def _properties(start: Node) -> dict[str, None]:
    """Return the names of an object's properties, those of schemas in place and of a list's items too."""
    names: dict[str, None] = {}
    seen: set[int] = set()
    stack = [start]
    while stack and len(seen) < MAX_PARTS:
        node = stack.pop()
        if id(node) in seen or not isinstance(node.schema, dict):
            continue
        seen.add(id(node))
        properties = node.schema.get("properties")
        if isinstance(properties, dict):
            names.update(dict.fromkeys(properties))
        stack.extend(below for _, below in node.in_place())
        # A table's columns are the properties of its rows.
        stack.extend(below for below in node.children if below.path == ("items",))
    return names
