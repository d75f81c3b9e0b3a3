"""Nodes that proofs make beside those of the schemas: the same mark gives the same node, and so the same goals."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from registry.core.solver.graph import NO_PATTERN, TYPE_NODES, Node

if TYPE_CHECKING:
    from collections.abc import Hashable

    from registry.core.solver.facts import Other
    from registry.core.solver.graph import Kind

Json = Any


@dataclass(slots=True)
class MadeNodes:
    """The nodes that were made for one question."""

    nodes: dict[Hashable, Node] = field(default_factory=dict)

    def constant(self, name: str, value: Json) -> Node:
        """Make a node that fixes a property."""
        inner = Node("", {"const": value}, -1, kind=self.fresh(("const", name, repr(value))))
        outer = Node("", {}, -1, kind=self.fresh(("fixed", name, repr(value))), named={"properties": {name: inner}})
        return self.nodes.setdefault(("node", name, repr(value)), outer)

    def presence(self, name: str) -> Node:
        """Make a node that requires a property."""
        made = Node("", {"required": [name]}, -1, kind=self.fresh(("presence", name)))
        return self.nodes.setdefault(("present", name), made)

    def names(self, case: Other) -> tuple[Node, ...]:
        """Make the nodes that the names of a case satisfy."""
        rows = [("pattern", each) for each in case.matched] + [(NO_PATTERN, each) for each in sorted(case.unmatched)]
        return (TYPE_NODES["string"], *(self._text(keyword, pattern) for keyword, pattern in rows))

    def _text(self, keyword: str, pattern: str) -> Node:
        made = Node("", {keyword: pattern}, -1, kind=self.fresh(("text", keyword, pattern)))
        return self.nodes.setdefault(("text", keyword, pattern), made)

    def fresh(self, mark: tuple[Hashable, ...]) -> Kind:
        """Return the kind of a made node: the same for the same mark."""
        return self.nodes.setdefault(("kind", *mark), Node("", {}, -1, kind=-1000 - len(self.nodes))).kind

    def negation(self, node: Node) -> Node:
        """Make a node of the values that a node refuses."""
        mark = ("not", node.resolved.kind)
        made = Node(node.pointer, {}, -1, kind=self.fresh(("negation", mark)), one={"not": node.resolved})
        return self.nodes.setdefault(mark, made)
