"""What follows from several facts together: bounds moved inwards, types ruled out, values left out."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from math import gcd, lcm
from typing import TYPE_CHECKING, Any

from registry.core.solver.graph import NUMBERS, key
from registry.core.solver.numbers import exact

if TYPE_CHECKING:
    from registry.core.solver.facts import Bound, Facts

Json = Any


def tighten(facts: Facts) -> None:
    """Narrow gathered facts: still each holds for every value that all atoms accept."""
    if facts.types & NUMBERS:
        _numbers(facts)
    _arrays(facts)
    _objects(facts)
    if facts.excluded:
        _without(facts)
    if facts.max_length is not None and facts.max_length < facts.min_length:
        facts.types -= {"string"}
    if facts.max_items is not None and facts.max_items < facts.min_items:
        facts.types -= {"array"}
    if facts.max_properties is not None and facts.max_properties < max(facts.min_properties, len(facts.required)):
        facts.types -= {"object"}


def _numbers(facts: Facts) -> None:
    """Move the bounds to the next multiple; whole multiples are integers, and integers are multiples of 1."""
    if facts.multiples:
        facts.multiples = [reduce(_common, facts.multiples)]
        if facts.multiples[0].denominator == 1:
            facts.types -= {"number"}
    if "number" not in facts.types:
        facts.multiples = [reduce(_common, facts.multiples, Fraction(1))]
    if facts.multiples:
        step = facts.multiples[0]
        facts.low, facts.high = _stepped(facts.low, step, 1), _stepped(facts.high, step, -1)
        out = {exact(value) for value in facts.excluded if type(value) in (int, float)}
        while facts.low is not None and facts.low[0] in out:
            facts.low = (facts.low[0] + step, False)
        while facts.high is not None and facts.high[0] in out:
            facts.high = (facts.high[0] - step, False)
    if facts.low and facts.high and _is_empty(facts.low, facts.high):
        facts.types -= NUMBERS


def _common(one: Fraction, other: Fraction) -> Fraction:
    """Return the least common multiple of two positive numbers."""
    return Fraction(lcm(one.numerator, other.numerator), gcd(one.denominator, other.denominator))


def _stepped(bound: Bound | None, step: Fraction, direction: int) -> Bound | None:
    """Move a bound inward to the next multiple, included."""
    if bound is None:
        return None
    value, excluded = bound
    below = value // step * step
    if below == value:
        return (value + direction * step if excluded else value, False)
    return (below + step if direction > 0 else below, False)


def _is_empty(low: Bound, high: Bound) -> bool:
    return low[0] > high[0] or (low[0] == high[0] and (low[1] or high[1]))


def _arrays(facts: Facts) -> None:
    """End an array before the first item that nothing can be, or where everything counts as contained."""
    if "array" not in facts.types:
        return
    for index in range(facts.prefix() + 1):
        if any(node.resolved.false for node in facts.item(index)):
            facts.max_items = index if facts.max_items is None else min(facts.max_items, index)
            break
    for atom in facts.atoms:
        most = atom.keywords.get("maxContains")
        if most is not None and "contains" in atom.one and atom.one["contains"].resolved.trivial:
            facts.max_items = int(most) if facts.max_items is None else min(facts.max_items, int(most))


def _objects(facts: Facts) -> None:
    for atom in facts.atoms:
        names = atom.one["propertyNames"].resolved if "propertyNames" in atom.one else None
        if names is not None and (names.false or names.values() == []):
            facts.max_properties = 0


def _without(facts: Facts) -> None:
    """Leave out what a ``not`` lists: types of few values, and what is empty."""
    out = set(map(key, facts.excluded))
    if key(None) in out:
        facts.types -= {"null"}
    if {key(True), key(False)} <= out:
        facts.types -= {"boolean"}
    if key("") in out:
        facts.min_length = max(facts.min_length, 1)
    if key([]) in out:
        facts.min_items = max(facts.min_items, 1)
    if key({}) in out:
        facts.min_properties = max(facts.min_properties, 1)
