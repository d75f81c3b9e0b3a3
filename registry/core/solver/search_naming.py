"""Which properties and items a schema speaks about, with all that it applies to the same value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from registry.core.solver.search_graph import Node


@dataclass(frozen=True, slots=True)
class Naming:
    """Names and patterns that are spoken about; ``all`` when every property is."""

    names: frozenset[str]
    patterns: tuple[str, ...]
    all: bool


def in_place(node: Node) -> Iterator[Node]:
    """Yield a node and what it may apply to the same value, each once: a few levels of a large schema are many."""
    seen: set[int] = set()
    stack = [node]
    while stack:
        one = stack.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        keywords = one.keywords
        for keyword in ("allOf", "anyOf", "oneOf"):
            stack.extend(keywords.get(keyword, ()))
        stack.extend(keywords.get("dependentSchemas", {}).values())
        stack.extend(keywords[keyword] for keyword in ("$ref", "if", "then", "else") if keyword in keywords)


def own_naming(node: Node) -> Naming:
    """Return what a node names itself: what its ``additionalProperties`` is not about."""
    keywords = node.keywords
    return Naming(frozenset(keywords.get("properties", ())), tuple(keywords.get("patternProperties", ())), all=False)


def naming(node: Node) -> Naming:
    """Return what a node may evaluate: what its ``unevaluatedProperties`` is not about, if all branches hold."""
    names: set[str] = set()
    patterns: dict[str, None] = {}
    every = False
    for one in in_place(node):
        own = own_naming(one)
        names |= own.names
        patterns.update(dict.fromkeys(own.patterns))
        every = every or "additionalProperties" in one.keywords
        every = every or (one is not node and "unevaluatedProperties" in one.keywords)
    return Naming(frozenset(names), tuple(patterns), every)


def items_evaluated(node: Node) -> int | None:
    """Return how many leading items a node may evaluate; None for all of them."""
    most = 0
    for one in in_place(node):
        # An item that meets ``contains`` is evaluated too, wherever it stands.
        if one.keywords.keys() & {"items", "contains"} or (one is not node and "unevaluatedItems" in one.keywords):
            return None
        most = max(most, len(one.keywords.get("prefixItems", ())))
    return most
