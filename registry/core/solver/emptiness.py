"""Whether no value of one type is left: what several facts rule out together. True is a proof."""

from __future__ import annotations

from typing import TYPE_CHECKING

from registry.core.solver.evaluation import accepts
from registry.core.solver.graph import key
from registry.core.solver.leaves import finite_values, most_items, no_multiple, no_text

if TYPE_CHECKING:
    from registry.core.solver.facts import Facts
    from registry.core.solver.graph import Node
    from registry.core.solver.proof import Prover

MAX_ITEMS = 50


def impossible(prover: Prover, facts: Facts, name: str) -> bool:
    """Say whether it is proven that no value of a type (one of TYPES) is left."""
    match name:
        case "object":
            return _no_object(prover, facts)
        case "array":
            return _no_array(prover, facts)
        case "literal" | "integer" | "number":
            return no_multiple(facts)
        case "string":
            return no_text(facts)
        case _:
            return False


def _no_object(prover: Prover, facts: Facts) -> bool:
    required = sorted(facts.required)
    namings = [atom.one["propertyNames"] for atom in facts.atoms if "propertyNames" in atom.one]
    if any(accepts(naming, name) is False for naming in namings for name in required):
        return True
    if any(prover.empty_below(facts.property(name)) for name in required):
        return True
    return facts.min_properties > len(facts.names()) and prover.closed(facts)


def _no_array(prover: Prover, facts: Facts) -> bool:
    if any(prover.empty_below(facts.item(index)) for index in range(min(facts.min_items, MAX_ITEMS))):
        return True
    if any(_contains_nothing(prover, facts, atom) for atom in facts.atoms if "contains" in atom.one):
        return True
    most = most_items(facts)
    return most is not None and most < facts.min_items


def _contains_nothing(prover: Prover, facts: Facts, atom: Node) -> bool:
    """Say whether no item is what ``contains`` asks for, or fewer may be than must."""
    least, most = atom.keywords.get("minContains", 1), atom.keywords.get("maxContains")
    if least <= 0:
        return False
    if most is not None and most < least:
        return True
    wanted, prefix = atom.one["contains"], facts.prefix()
    if prefix >= MAX_ITEMS:
        return False
    places = [facts.item(index) for index in range(prefix)]
    fitting = sum(not prover.empty_below((*place, wanted)) for place in places)
    if (facts.max_items is None or facts.max_items > prefix) and not prover.empty_below((*facts.tail(), wanted)):
        rest = None if facts.max_items is None else facts.max_items - prefix
        values = finite_values(prover.facts((*facts.tail(), wanted))) if facts.unique else None
        if values is not None:
            different = len(set(map(key, values)))
            rest = different if rest is None else min(rest, different)
        return rest is not None and fitting + rest < least
    return bool(fitting < least)
