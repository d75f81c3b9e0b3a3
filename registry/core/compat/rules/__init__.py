"""The rules by which changes are recognised, each with one home (docs/rules/)."""

from types import MappingProxyType

from registry.core.compat.rules import access, guarantees, operations, permissions, shapes, texts
from registry.core.compat.rules.rule import Rule

RULES = MappingProxyType(
    {rule.id: rule for part in (operations, shapes, guarantees, access, permissions, texts) for rule in part.RULES}
)

__all__ = ["RULES", "Rule", "access", "guarantees", "operations", "permissions", "shapes", "texts"]
