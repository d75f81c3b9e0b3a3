"""``unevaluatedProperties`` and ``unevaluatedItems``, case by case.

Which names count as evaluated depends on which alternatives in place hold. A case fixes some that hold; what it
doesn't fix may hold too, and evaluates more, which only asks less. So a node accepts a value exactly when one of its
cases does, beside all that the node says otherwise; in a case the keyword is an ordinary ``additionalProperties`` or
``items``.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from registry.core.solver.graph import ANYTHING, Node

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

MAX_CASES = 32
MAX_BRANCHES = 5
MAX_DEPTH = 24


class _TooMany(Exception):
    """There are more cases than are worth going through, or one that depends on where a reference came from."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """What is evaluated when ``conditions`` hold: names, patterns, leading items, items that match, or everything."""

    conditions: tuple[Node, ...] = ()
    names: frozenset[str] = frozenset()
    patterns: frozenset[str] = frozenset()
    prefix: int = 0
    matching: tuple[Node, ...] = ()
    all_properties: bool = False
    all_items: bool = False

    def mark(self) -> Hashable:
        """Return what is equal for equal ones."""
        conditions, matching = (tuple(each.kind for each in row) for row in (self.conditions, self.matching))
        evaluated = (self.names, self.patterns, self.prefix, self.all_properties, self.all_items)
        return conditions, matching, *evaluated

    def joined(self, other: _Seen) -> _Seen:
        """Return what is evaluated when both hold."""
        return _Seen(
            self.conditions + other.conditions,
            self.names | other.names,
            self.patterns | other.patterns,
            max(self.prefix, other.prefix),
            self.matching + other.matching,
            self.all_properties or other.all_properties,
            self.all_items or other.all_items,
        )


def cases(node: Node) -> tuple[Node, ...]:
    """Return the cases of a node that has either keyword, each as a node; empty where they are too many."""
    if node.cases is None:
        try:
            found = _inside(node, 0)
            node.cases = tuple(_case(node, seen) for seen in found)
        except _TooMany:
            node.cases = ()
    return node.cases


def is_closing(node: Node) -> bool:
    """Say whether a node has one of the keywords, and it asks something."""
    return any(
        word in node.one and not node.one[word].trivial for word in ("unevaluatedProperties", "unevaluatedItems")
    )


def _case(node: Node, seen: _Seen) -> Node:
    # By what it says, never by its number: nodes of one kind may list their alternatives in another order.
    case = Node(node.pointer, {}, -1, kind=("case", node.kind, seen.mark()))
    conditions = seen.conditions
    if "unevaluatedProperties" in node.one and not seen.all_properties:
        case.named["properties"] = dict.fromkeys(sorted(seen.names), ANYTHING)
        case.named["patternProperties"] = dict.fromkeys(sorted(seen.patterns), ANYTHING)
        case.one["additionalProperties"] = node.one["unevaluatedProperties"]
    if "unevaluatedItems" in node.one and not seen.all_items:
        rest = node.one["unevaluatedItems"]
        if seen.matching:
            kind = ("matching", rest.kind, *(each.kind for each in seen.matching))
            rest = Node(node.pointer, {}, -1, kind=kind, many={"anyOf": (rest, *seen.matching)})
        case.many["prefixItems"] = (ANYTHING,) * seen.prefix
        case.one["items"] = rest
    if conditions:
        case.many["allOf"] = conditions
    return case


def _inside(node: Node, depth: int) -> list[_Seen]:
    """Return what a node evaluates without its own two keywords, case by case."""
    if depth > MAX_DEPTH or "$dynamicRef" in node.keywords:
        raise _TooMany
    found = [_own(node)]
    for each in (*((node.reference,) if node.reference else ()), *node.many.get("allOf", ())):
        found = _product(found, _whole(each, depth))
    if "anyOf" in node.many:
        found = _product(found, _any_of(node.many["anyOf"], depth))
    if "oneOf" in node.many:
        found = _product(found, [seen for each in node.many["oneOf"] for seen in _held(each, depth)])
    if "if" in node.one:
        found = _product(found, _conditional(node, depth))
    for owner, each in node.named.get("dependentSchemas", {}).items():
        present = _Seen((Node("", {"required": [owner]}, -1, kind=("present", owner)),))
        found = _product(found, [_Seen(), *_product([present], _whole(each, depth))])
    return found


def _own(node: Node) -> _Seen:
    return _Seen(
        names=frozenset(node.properties()),
        patterns=frozenset(node.patterns()),
        prefix=len(node.many.get("prefixItems", ())),
        matching=(node.one["contains"],) if "contains" in node.one else (),
        all_properties="additionalProperties" in node.one,
        all_items="items" in node.one,
    )


def _whole(node: Node, depth: int) -> list[_Seen]:
    """Return what a node in place evaluates, with its own keywords: they leave nothing unevaluated."""
    everything = _Seen(all_properties="unevaluatedProperties" in node.one, all_items="unevaluatedItems" in node.one)
    return [seen.joined(everything) for seen in _inside(node, depth + 1)]


def _held(node: Node, depth: int) -> list[_Seen]:
    return [_Seen((node,)).joined(seen) for seen in _whole(node, depth)]


def _any_of(branches: Sequence[Node], depth: int) -> list[_Seen]:
    if len(branches) > MAX_BRANCHES:
        raise _TooMany
    found: list[_Seen] = []
    for count in range(1, len(branches) + 1):
        for chosen in combinations(branches, count):
            together = [_Seen()]
            for each in chosen:
                together = _product(together, _held(each, depth))
            found += together
    return found


def _conditional(node: Node, depth: int) -> list[_Seen]:
    condition = node.one["if"]
    holds = _held(condition, depth)
    if "then" in node.one:
        holds = _product(holds, _whole(node.one["then"], depth))
    fails = [_Seen((Node("", {}, -1, kind=("fails", condition.kind), one={"not": condition}),))]
    if "else" in node.one:
        fails = _product(fails, _whole(node.one["else"], depth))
    return holds + fails


def _product(rows: Iterable[_Seen], others: Sequence[_Seen]) -> list[_Seen]:
    found = [row.joined(other) for row in rows for other in others]
    if len(found) > MAX_CASES:
        raise _TooMany
    return found
