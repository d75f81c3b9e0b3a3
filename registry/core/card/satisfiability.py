"""Whether a schema accepts any value at all, proven within what a card may cost to read.

The proof alone is asked for: no value is searched for, and nothing is handed to what can't be stopped. What isn't
proven within the limits passes here; comparing two versions has its own, larger budget.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from registry.core.errors import Finding
from registry.core.solver import BUDGET, Side
from registry.core.solver.finding import prepare
from registry.core.solver.meaning import UnusableSchema
from registry.core.solver.proof import OutOfBudgetError, Prover
from registry.core.solver.validators import CannotValidate

if TYPE_CHECKING:
    from registry.core.card.references import Graph, Node

MAX_SUBSCHEMAS = 400  # of one schema
UNEVALUATED = frozenset({"unevaluatedItems", "unevaluatedProperties"})
UNEVALUATED_FACTOR = 3  # what is unevaluated is found case by case
MAX_PAIRS = 2_000  # of a pattern and a name: a proof holds each name against each pattern


@dataclass(slots=True)
class Allowance:
    """What proofs about the schemas of one card may take together."""

    subschemas: int = 1_200
    steps: int = 1_000

    def findings(self, graph: Graph) -> list[Finding]:
        """Say that a schema without faults accepts nothing, or can't be compared; nothing where it takes too much."""
        size = len(graph.nodes)
        cost = size * (UNEVALUATED_FACTOR if any(_has_unevaluated(node) for node in graph.nodes) else 1)
        if size > MAX_SUBSCHEMAS or cost > self.subschemas or _pairs(graph.nodes) > MAX_PAIRS:
            return []
        self.subschemas -= cost
        try:
            question = prepare([Side(graph.root.schema)], [], BUDGET)
        except (CannotValidate, UnusableSchema, RecursionError) as problem:
            message = f"can't be compared with another version, nor examples with it: {problem}"
            return [Finding("undecidable-schema", "", message, "warning")]
        prover = Prover(self.steps, question.graph.spells)
        try:
            is_empty = prover.empty(question.graph.roots)
        except (OutOfBudgetError, RecursionError):
            is_empty = False
        self.steps = max(prover.steps, 0)
        message = "accepts no value at all, so nobody could ever call this; loosen it"
        return [Finding("unsatisfiable", "", message)] if is_empty else []


def _has_unevaluated(node: Node) -> bool:
    return isinstance(node.schema, dict) and not UNEVALUATED.isdisjoint(node.schema)


def _pairs(nodes: list[Node]) -> int:
    """Return how many names, values and lengths of text a proof may hold against how many patterns."""
    names = patterns = 1
    for node in nodes:
        if not isinstance(node.schema, dict):
            continue
        for keyword in ("enum", "required", "properties"):
            given = node.schema.get(keyword)
            names += len(given) if isinstance(given, list | dict) else 0
        patterned = node.schema.get("patternProperties")
        patterns += len(patterned) if isinstance(patterned, dict) else 0
        patterns += "pattern" in node.schema
    return names * patterns
