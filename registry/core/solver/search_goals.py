"""From literals to facts: demands are gathered, then choices are made depth first."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from registry.core.solver.search_demands import Choose, Demand, demanded
from registry.core.solver.search_facts import ALL_TYPES, Facts, Literal
from registry.core.solver.search_refusals import refusals

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from registry.core.solver.search_graph import Node

MAX_CHOICES = 150
_OBJECT = frozenset({"object"})


class OutOfSteps(Exception):
    """A search has used up the steps it was given."""


class Steps:
    """Counts down: what is found must not depend on how fast the machine is."""

    def __init__(self, count: int) -> None:
        self.left = count

    def take(self) -> None:
        """Use one step; raises OutOfSteps."""
        self.left -= 1
        if self.left < 0:
            raise OutOfSteps


def leaves(facts: Facts, todo: Sequence[Demand], steps: Steps, breadth: int) -> Iterator[Facts]:
    """Yield facts that meet all demands, every choice made, at most ``breadth`` for each option of a choice."""
    steps.take()
    choices = _gather(facts, todo, steps)
    if choices is None or len(choices) > MAX_CHOICES:
        return
    if not choices:
        yield facts
        return
    first, *others = choices
    for option in first.options:
        yield from islice(leaves(facts.copy(), [*option, *others], steps, breadth), breadth)


def _gather(facts: Facts, todo: Sequence[Demand], steps: Steps) -> list[Choose] | None:
    """Narrow the facts by all that needs no choice; return the choices, or None against a contradiction."""
    choices: list[Choose] = []
    refused: list[Choose] = []
    left = list(reversed(todo))
    while left:
        demand = left.pop()
        if isinstance(demand, Choose):
            choices.append(demand)
        elif isinstance(demand, Literal):
            news = facts.assume(demand)
            if news is False:
                return None
            if news:
                steps.take()
                demands = _demands(facts, demand)
                if demand.wanted:
                    left.extend(reversed(demands))
                else:
                    # What shall be refused is decided last: by then most ways to be refused are ruled out.
                    refused += [one for one in demands if isinstance(one, Choose)]
                    left.extend(one for one in reversed(demands) if not isinstance(one, Choose))
        elif not demand(facts) or not facts.types:
            return None
    return [*choices, *refused]


def _demands(facts: Facts, literal: Literal) -> Sequence[Demand]:
    if literal.wanted:
        facts.hints += literal.node.hints
        if literal.node.format is not None:
            facts.formats += (literal.node.format,)
        return demanded(literal.node)
    if _is_surely_refused(facts, literal.node, 4):
        return []
    options = refusals(literal.node)
    return options[0] if len(options) == 1 else [Choose(tuple(options))]


def _is_surely_refused(facts: Facts, node: Node, depth: int) -> bool:
    """Tell whether what is known refuses a node already, so that no way to be refused need be chosen."""
    keywords = node.keywords
    if keywords.get("never") or not facts.types & keywords.get("type", ALL_TYPES):
        return True
    if "enum" in keywords and facts.allowed is not None and not any(map(node.lists, facts.allowed)):
        return True
    if facts.types == _OBJECT and _members_differ(facts, node):
        return True
    inner = [*keywords.get("allOf", ()), *([keywords["$ref"]] if "$ref" in keywords else [])]
    return depth > 0 and any(_is_surely_refused(facts, one, depth - 1) for one in inner)


def _members_differ(facts: Facts, node: Node) -> bool:
    """Tell whether a required property is missing for sure, or is a constant that the node excludes."""
    if any(name in facts.forbidden for name in node.keywords.get("required", ())):
        return True
    for name, one in node.keywords.get("properties", {}).items():
        if name in facts.required and "enum" in one.keywords:
            for literal in facts.members.get(name, ()):
                known = literal.node.keywords.get("enum") if literal.wanted else None
                if known is not None and not any(map(one.lists, known)):
                    return True
    return False
