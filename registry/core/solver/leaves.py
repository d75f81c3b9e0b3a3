"""What facts say about one keyword of a target. True is a proof, False is "not proven"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from registry.core.solver.evaluation import has_type, type_of
from registry.core.solver.graph import NUMBERS, Node
from registry.core.solver.numbers import exact

if TYPE_CHECKING:
    from registry.core.solver.facts import Facts

Json = Any


def finite_values(facts: Facts) -> list[Json] | None:
    """Return all values that are left when there are only so many; None when there may be others."""
    if facts.values is not None:
        return [value for value in facts.values if has_type(type_of(value), facts.types) is not False]
    if facts.types <= {"null", "boolean"}:
        return [value for value in (None, True, False) if type_of(value) in facts.types]
    return None


def surely_applied(node: Node) -> list[Node]:
    """Return a node and what a value that satisfies it satisfies for sure, in place."""
    found: dict[int, Node] = {}
    stack = [node]
    while stack:
        each = stack.pop()
        if id(each) not in found:
            found[id(each)] = each
            stack.extend(each.many.get("allOf", ()))
            stack.extend([each.reference] if each.reference else [])
    return list(found.values())


def numbers_hold(facts: Facts, target: Node) -> bool:
    """Say whether the numeric keywords of a target are proven to hold."""
    words = target.keywords
    if not facts.types & NUMBERS:
        return True
    low, high = facts.low, facts.high
    if "minimum" in words and not (low and low[0] >= exact(words["minimum"])):
        return False
    if "exclusiveMinimum" in words:
        edge = exact(words["exclusiveMinimum"])
        if not (low and (low[0] > edge or (low[0] == edge and low[1]))):
            return False
    if "maximum" in words and not (high and high[0] <= exact(words["maximum"])):
        return False
    if "exclusiveMaximum" in words:
        edge = exact(words["exclusiveMaximum"])
        if not (high and (high[0] < edge or (high[0] == edge and high[1]))):
            return False
    if "multipleOf" in words:
        step = exact(words["multipleOf"])
        whole = [] if "number" in facts.types else [exact(1)]
        return any((multiple / step).denominator == 1 for multiple in [*facts.multiples, *whole])
    return True


def strings_hold(facts: Facts, target: Node) -> bool:
    """Say whether the string keywords of a target are proven to hold."""
    words = target.keywords
    if "string" not in facts.types:
        return True
    if facts.min_length < words.get("minLength", 0):
        return False
    if "maxLength" in words and not (facts.max_length is not None and facts.max_length <= words["maxLength"]):
        return False
    return "pattern" not in words or words["pattern"] in facts.patterns


def no_multiple(facts: Facts) -> bool:
    """Say whether no multiple lies between the bounds."""
    if not (facts.low and facts.high and facts.multiples):
        return False
    for step in facts.multiples:
        first = -((-facts.low[0]) // step) * step
        if facts.low[1] and first == facts.low[0]:
            first += step
        if first > facts.high[0] or (first == facts.high[0] and facts.high[1]):
            return True
    return False


def prefix(pattern: str) -> str:
    """Return the literal text that a pattern like ``^x-`` starts with, "" when it isn't as simple."""
    text = pattern[1:] if pattern.startswith("^") else ""
    literal = ""
    for index, char in enumerate(text):
        if not (char.isalnum() or char in "-_/") or text[index + 1 : index + 2] in ("*", "?", "{", "+"):
            break
        literal += char
    return "" if "|" in text else literal
