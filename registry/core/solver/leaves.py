"""What facts say about one keyword of a target. True is a proof, False is "not proven"."""

from __future__ import annotations

from itertools import islice, product
from math import prod
from typing import TYPE_CHECKING, Any

from registry.core.solver.evaluation import type_of
from registry.core.solver.facts import gather
from registry.core.solver.graph import NUMBERS, Node, key
from registry.core.solver.numbers import exact
from registry.core.solver.regex_members import no_string

if TYPE_CHECKING:
    from registry.core.solver.facts import Facts

Json = Any

MAX_RANGE = 64
MAX_SPELLINGS = 256
MAX_NESTED = 3
MAX_ITEMS = 4
MAX_STRUCTURES = 64


def finite_values(facts: Facts, depth: int = 0) -> list[Json] | None:
    """Return all values that are left when there are only so many; None when there may be others.

    1 stands for 1.0 too, which is another value to draft 4's integer: see ``spelt``.
    """
    if facts.values is not None:
        return [value for value in facts.values if any(type_of(each) in facts.types for each in (value, _other(value)))]
    if facts.types <= {"null", "boolean"}:
        return [value for value in (None, True, False) if type_of(value) in facts.types]
    if facts.types <= NUMBERS and facts.low and facts.low == facts.high and not facts.low[1]:
        only = facts.low[0]
        return [only.numerator] if only.denominator == 1 else [float(only)] if exact(float(only)) == only else None
    if facts.types <= {"literal", "integer"} and facts.low and facts.high:
        first, last = facts.low[0].__ceil__(), facts.high[0].__floor__()
        return list(range(first, last + 1)) if last - first < MAX_RANGE else None
    if facts.types == {"string"} and facts.max_length == 0:
        return [""]
    if facts.types == {"object"} and facts.max_properties == 0:
        return [{}]
    if depth < MAX_NESTED and facts.types == {"array"}:
        return _finite_arrays(facts, depth + 1)
    if depth < MAX_NESTED and facts.types == {"object"}:
        return _finite_objects(facts, depth + 1)
    return None


def _finite_arrays(facts: Facts, depth: int) -> list[Json] | None:
    """Return the arrays that are left, where they are short and of few values."""
    if facts.max_items is None or facts.max_items > MAX_ITEMS:
        return None
    rows = [finite_values(gather(facts.item(index)), depth) for index in range(facts.max_items)]
    found: list[Json] = []
    for size in range(facts.min_items, facts.max_items + 1):
        given = [row for row in rows[:size] if row is not None]
        if len(given) < size or prod(map(len, given)) > MAX_STRUCTURES:
            return None
        found += [list(each) for each in product(*given)]
    return found


def _finite_objects(facts: Facts, depth: int) -> list[Json] | None:
    """Return the objects that are left, where no name goes unmentioned and each has few values."""
    names = facts.names()
    if len(names) > MAX_ITEMS or not all(any(node.false for node in case.nodes) for case in facts.others()):
        return None
    found: list[dict[str, Json]] = [{}]
    for name in names:
        values = finite_values(gather(facts.property(name)), depth)
        if values is None or len(found) * (len(values) + 1) > MAX_STRUCTURES:
            return None
        without = [] if name in facts.required else found
        found = [*without, *({**each, name: value} for each in found for value in values)]
    return list(found)


def most_items(facts: Facts) -> int | None:
    """Return how many items an array may have: of items that all differ, no more than there are values."""
    if not facts.unique:
        return facts.max_items
    rows = [finite_values(gather(facts.item(index))) for index in range(facts.prefix() + 1)]
    if rows[-1] is None:
        return facts.max_items
    different = len({key(value) for row in rows for value in row or ()}) + rows.count(None)
    return different if facts.max_items is None else min(facts.max_items, different)


def _other(value: Json) -> Json:
    """Return the other spelling of a whole number, and every other value as it is."""
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) >= 2**53 or value != int(value):
        return value
    return float(value) if isinstance(value, int) else int(value)


def spelt(values: list[Json]) -> list[Json] | None:
    """Return values in every spelling of the whole numbers in them, 1 and 1.0; None when these are too many."""
    found: list[Json] = []
    for value in values:
        found += _spellings(value)
        if len(found) > MAX_SPELLINGS:
            return None
    return found


def _spellings(value: Json) -> list[Json]:
    if isinstance(value, list):
        return [list(each) for each in islice(product(*map(_spellings, value)), MAX_SPELLINGS + 1)]
    if isinstance(value, dict):
        rows = islice(product(*map(_spellings, value.values())), MAX_SPELLINGS + 1)
        return [dict(zip(value, row, strict=True)) for row in rows]
    other = _other(value)
    return [value] if type(other) is type(value) else [value, other]


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
    least, most = words.get("minLength", 0), words.get("maxLength")
    if facts.min_length < least and not _no_string(facts, 0, int(least) - 1):
        return False
    longest = facts.max_length
    if (
        most is not None
        and not (longest is not None and longest <= most)
        and not _no_string(facts, int(most) + 1, None)
    ):
        return False
    pattern = words.get("pattern")
    return pattern is None or pattern in facts.patterns or _no_string(facts, 0, None, pattern)


def no_text(facts: Facts) -> bool:
    """Say whether no text is left."""
    return bool(facts.patterns or facts.no_patterns) and _no_string(facts, 0, None)


def _no_string(facts: Facts, least: int, most: int | None, *unmatched: str) -> bool:
    """Say whether no text that suits the facts is of these lengths and matches none of some more patterns."""
    if not (facts.patterns or facts.no_patterns or unmatched):
        return False
    ends = [end for end in (most, facts.max_length) if end is not None]
    lengths = (max(least, facts.min_length), min(ends, default=None))
    return no_string(tuple(facts.patterns), (*facts.no_patterns, *unmatched), lengths, facts.work)


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
