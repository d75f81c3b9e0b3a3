"""The rules by which changes are recognised, each with one home (docs/rules/).

``OF_CARDS``, ``OF_OPERATIONS`` and ``OF_SHAPES`` say what each rule reads; ``WITHOUT_OTHERS`` are asked when no other
rule found anything; ``RULES`` holds all of them by ID.
"""

from types import MappingProxyType

from registry.core.compat.rules import (
    credentials,
    failures,
    guarantees,
    inputs,
    kinds,
    operations,
    outputs,
    permissions,
    reach,
    texts,
)
from registry.core.compat.rules.rule import Rule

OF_SHAPES = (*kinds.OF_SHAPES, *inputs.OF_SHAPES, *outputs.OF_SHAPES)
OF_OPERATIONS = (*operations.OF_OPERATIONS, *failures.OF_OPERATIONS, *texts.OF_OPERATIONS)
OF_CARDS = (*reach.OF_CARDS, *credentials.OF_CARDS, *guarantees.OF_CARDS, *permissions.OF_CARDS, *texts.OF_CARDS)
OF_SETS = operations.OF_CARDS
WITHOUT_OTHERS = texts.WITHOUT_OTHERS
RULES = MappingProxyType({rule.id: rule for rule in (*OF_SETS, *OF_SHAPES, *OF_OPERATIONS, *OF_CARDS, *WITHOUT_OTHERS)})

__all__ = ["OF_CARDS", "OF_OPERATIONS", "OF_SETS", "OF_SHAPES", "RULES", "WITHOUT_OTHERS", "Rule"]
