"""What applies to the same value as a node does: what all must hold, and what may apply in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from registry.core.solver.refutation import implied
from registry.core.solver.unevaluated import cases, is_closing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from registry.core.solver.graph import Kind, Node

IN_PLACE_ROWS = ("allOf", "anyOf", "oneOf")
IN_PLACE_ONES = ("if", "then", "else")
ATOMS_A_STEP = 8
NAMES_A_STEP = 50  # each held against each pattern of names


def flatten(nodes: Iterable[Node]) -> tuple[Node, ...]:
    """Return the nodes with what they refer to and what they all must satisfy, each class once, in order."""
    found: dict[Kind, Node] = {}
    stack = list(nodes)[::-1]
    while stack:
        # A bare reference is of its target's class: without going on to the target, what that says would be lost.
        node = stack.pop().resolved
        if node.kind in found or node.trivial:
            continue
        found[node.kind] = node
        stack.extend(_beside(node) if node.beside is None else node.beside)
    return tuple(found.values())


def _beside(node: Node) -> tuple[Node, ...]:
    """Return what a node's values must satisfy too, last first; kept unless the node is still being made."""
    found = list(node.many.get("allOf", ())[::-1])
    negation = implied(node)
    if negation is not None:
        found.append(negation)
    if is_closing(node):
        found_cases = cases(node)
        found.extend(found_cases if len(found_cases) == 1 else ())
    if node.reference:
        found.append(node.reference)
    if not node.unfinished:
        node.beside = tuple(found)
    return tuple(found)


def weight(flat: Sequence[Node]) -> int:
    """Return how many more steps a large conjunction takes than a small one."""
    names = sum(
        len(atom.properties()) + len(atom.keywords.get("required", ())) + len(atom.keywords.get("enum", ()))
        for atom in flat
    )
    patterns = sum(len(atom.patterns()) for atom in flat)
    return len(flat) // ATOMS_A_STEP + names * (1 + patterns) // NAMES_A_STEP


def in_place(node: Node) -> list[Node]:
    """Return a node and everything that may be applied to the same value, however deep."""
    if node.applied is None or node.unfinished:
        node.applied = _in_place(node)
    return node.applied


def _in_place(node: Node) -> list[Node]:
    found: dict[int, Node] = {}
    stack = [node]
    while stack:
        each = stack.pop()
        if id(each) in found:
            continue
        found[id(each)] = each
        for row in IN_PLACE_ROWS:
            stack.extend(each.many.get(row, ()))
        stack.extend(each.one[name] for name in IN_PLACE_ONES if name in each.one)
        stack.extend(each.named.get("dependentSchemas", {}).values())
        if each.reference:
            stack.append(each.reference)
    return list(found.values())
