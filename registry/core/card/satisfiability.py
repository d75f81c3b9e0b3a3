"""Whether a schema accepts any value at all, proven within what a card may cost to read.

The proof alone is asked for: no value is searched for, and nothing is handed to what can't be stopped. What isn't
proven within the limits passes here; comparing two versions has its own, larger budget.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from registry.core.card.flaws import finding_of, flaw_findings
from registry.core.errors import Finding
from registry.core.solver import BUDGET, Side
from registry.core.solver.finding import prepare
from registry.core.solver.meaning import UnusableSchema
from registry.core.solver.proof import OutOfBudgetError, Prover
from registry.core.solver.unsatisfiable import flaws
from registry.core.solver.validators import CannotValidate

if TYPE_CHECKING:
    from registry.core.card.model import Json
    from registry.core.card.references import Graph, Node
    from registry.core.solver.unsatisfiable import Flaw

MAX_SUBSCHEMAS = 700  # of one schema
UNEVALUATED = frozenset({"unevaluatedItems", "unevaluatedProperties"})
UNEVALUATED_FACTOR = 3  # what is unevaluated is found case by case
MAX_PAIRS = 10_000  # of a pattern and a name: a proof holds each name against each pattern


@dataclass(slots=True)
class Allowance:
    """What proofs about the schemas of one card may take together."""

    subschemas: int = 1_500
    steps: int = 1_500
    flaw_steps: int = 4_500  # for what is unsatisfiable inside; where they end, nothing more is told

    def findings(self, graph: Graph) -> list[Finding]:
        """Say that a schema without faults accepts nothing, or can't be compared, and which parts of it accept nothing.

        Nothing where it takes too much.
        """
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
        prover.steps = self.flaw_steps
        found = flaws(question.graph, prover)
        self.flaw_steps = max(prover.steps, 0)
        return _findings(graph.root.schema, found, is_empty=is_empty)


def _findings(schema: Json, found: list[Flaw], *, is_empty: bool) -> list[Finding]:
    """Return the error of an empty schema and the warnings of its parts; the root's own flaw is the error's reason."""
    own = [flaw for flaw in found if flaw.node.pointer == "" and flaw.kind in {"nothing", "endless"} and not flaw.type]
    if not is_empty and not own:
        return flaw_findings(schema, found)
    why = f": {finding_of(own[0]).message}" if own else "; its parts' warnings say why" if found else "; loosen it"
    message = f"accepts no value at all, so nobody could ever call this{why}"
    return [Finding("unsatisfiable", "", message), *flaw_findings(schema, [each for each in found if each not in own])]


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
            if isinstance(given, list | dict):
                names += _parts(given) if keyword == "enum" else len(given)
        patterned = node.schema.get("patternProperties")
        patterns += len(patterned) if isinstance(patterned, dict) else 0
        patterns += "pattern" in node.schema
    return names * patterns


def _parts(value: Json) -> int:
    """Return of how many values one is made."""
    found, waiting = 0, [value]
    while waiting:
        here = waiting.pop()
        found += 1
        if isinstance(here, dict | list):
            waiting.extend(here.values() if isinstance(here, dict) else here)
    return found
