"""Is there a JSON value that these schemas accept and those refuse? (docs/solver.md)."""

from registry.core.solver.finding import BUDGET, Budget, find
from registry.core.solver.question import Answer, Found, GaveUp, Nothing, ProvedBy, Reason, Reasons, Side
from registry.core.solver.reasons import reasons

__all__ = [
    "BUDGET",
    "Answer",
    "Budget",
    "Found",
    "GaveUp",
    "Nothing",
    "ProvedBy",
    "Reason",
    "Reasons",
    "Side",
    "find",
    "reasons",
]
