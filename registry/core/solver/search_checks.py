"""Whether a given value can be what some facts say: a quick look before the validators'."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from registry.core.solver.search_facts import Facts, Literal, NameRule, type_of
from registry.core.solver.search_goals import Steps, leaves
from registry.core.solver.search_graph import json_key
from registry.core.solver.search_scalars import holds_number, holds_string, like

if TYPE_CHECKING:
    from collections.abc import Sequence

    from registry.core.solver.search_demands import Demand

Json = Any
_TRIES = 20


class Checks:
    """Checks values against facts, within steps. What it can't tell it lets pass."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps

    def can_be(self, value: Json, demands: Sequence[Demand]) -> bool:
        """Tell whether a value may meet all demands."""
        facts = Facts()
        if not demands or not facts.keep_values([value]):
            return True
        return any(self.holds(value, one) for one in islice(leaves(facts, demands, self.steps, _TRIES), _TRIES))

    def holds(self, value: Json, facts: Facts) -> bool:
        """Tell whether a value is within its facts, its parts too."""
        kind = type_of(value)
        if kind not in facts.types or json_key(value) in facts.excluded:
            return False
        match kind:
            case "integer" | "fraction":
                return holds_number(facts, value)
            case "string":
                return holds_string(facts, value)
            case "object":
                return self._holds_object(value, facts)
            case "array":
                return self._holds_array(value, facts)
            case _:
                return True

    def literals_of(self, name: str, facts: Facts) -> tuple[Literal, ...]:
        """Return all that a property of this name shall be."""
        self.steps.take()
        return (*facts.members.get(name, ()), *(rule.literal for rule in facts.name_rules if applies(rule, name)))

    def literals_at(self, index: int, facts: Facts) -> tuple[Literal, ...]:
        """Return all that the item at an index shall be."""
        return (*facts.places.get(index, ()), *(span.literal for span in facts.spans if index >= span.start))

    def may_be_called(self, name: str, facts: Facts) -> bool:
        """Tell whether a property may have this name."""
        return not facts.names or self.can_be(name, facts.names)

    def _holds_object(self, value: dict[str, Json], facts: Facts) -> bool:
        least, most = facts.sizes
        if len(value) < least or (most is not None and len(value) > most):
            return False
        if any(name not in value for name in facts.required) or any(name in facts.forbidden for name in value):
            return False
        return all(
            self.may_be_called(name, facts) and self.can_be(member, self.literals_of(name, facts))
            for name, member in value.items()
        ) and all(
            any(applies(rule, name) and self.can_be(member, (rule.literal,)) for name, member in value.items())
            for rule in facts.some_members
        )

    def _holds_array(self, value: list[Json], facts: Facts) -> bool:
        least, most = facts.items
        if len(value) < least or (most is not None and len(value) > most):
            return False
        different = len({json_key(item) for item in value}) == len(value)
        if (facts.unique and not different) or (facts.repeated and different):
            return False
        return all(self.can_be(item, self.literals_at(index, facts)) for index, item in enumerate(value)) and all(
            any(self.can_be(item, (span.literal,)) for item in value[span.start :]) for span in facts.some_items
        )


def applies(rule: NameRule, name: str) -> bool:
    """Tell whether a rule is about a property of this name."""
    if rule.pattern is not None:
        return like(rule.pattern, name)
    return name not in rule.names and not any(like(other, name) for other in rule.others)
