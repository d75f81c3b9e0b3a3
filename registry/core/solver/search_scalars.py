"""Numbers and strings that some facts leave, telling ones first."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache, reduce
from math import floor, gcd
from typing import TYPE_CHECKING, Any

from registry.core.solver.numbers import exact
from registry.core.solver.regex_matcher import search_text
from registry.core.solver.regex_members import strings
from registry.core.solver.regex_program import Unsupported
from registry.core.solver.regex_syntax import InvalidPattern, parse
from registry.core.solver.search_graph import json_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from registry.core.solver.regex_tree import Pattern
    from registry.core.solver.search_facts import Facts

Json = Any
MAX_STRING = 100_000
_SAMPLES = 8
_LARGEST = Fraction(10) ** 300
_FORMATS = {
    "date": "2020-01-01",
    "date-time": "2020-01-01T00:00:00Z",
    "duration": "P1D",
    "email": "a@example.com",
    "hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "time": "00:00:00Z",
    "uri": "https://example.com/",
    "uri-reference": "/a",
    "uuid": "00000000-0000-4000-8000-000000000000",
}


def like(pattern: str, text: str) -> bool:
    """Tell whether a pattern matches; one that can't be read matches nothing, since this is only a search."""
    try:
        return search_text(pattern, text)
    except (InvalidPattern, Unsupported):
        return False


def holds_number(facts: Facts, value: float) -> bool:
    """Tell whether a number is within its facts."""
    number = exact(value)
    if facts.low is not None and (number < facts.low or (facts.low_open and number == facts.low)):
        return False
    if facts.high is not None and (number > facts.high or (facts.high_open and number == facts.high)):
        return False
    if any((number / factor).denominator != 1 for factor in facts.multiples if factor):
        return False
    return all((number / factor).denominator != 1 for factor in facts.not_multiples if factor)


def holds_string(facts: Facts, text: str) -> bool:
    """Tell whether a string is within its facts."""
    least, most = facts.lengths
    if len(text) < least or (most is not None and len(text) > most):
        return False
    return all(like(one, text) for one in facts.matched) and not any(like(one, text) for one in facts.unmatched)


def numbers(facts: Facts) -> Iterator[Json]:
    """Yield numbers that the facts leave: those shown, then small ones, whole ones first."""
    kinds, step = facts.types, _step(facts)
    shown = [hint for hint in facts.hints if isinstance(hint, int | float) and not isinstance(hint, bool)]
    points = sorted(set(_points(facts)), key=lambda one: _rank(one, step))
    seen: set[str] = set()
    for value in (*shown, *(_written(point) for point in points if _survives(point))):
        kind = "integer" if exact(value).denominator == 1 else "fraction"
        key = json_key(value)
        if kind in kinds and key not in seen and key not in facts.excluded and holds_number(facts, value):
            seen.add(key)
            yield value


def _rank(number: Fraction, step: Fraction | None) -> tuple[int, Fraction, bool]:
    """Whole numbers come first, then halves, then tenths; among multiples of a step, the small ones."""
    return (number.denominator if step is None else int(number.denominator != 1)), abs(number), number < 0


def _points(facts: Facts) -> Iterator[Fraction]:
    step = _step(facts)
    unit = step or Fraction(1)
    bounds = [bound for bound in (facts.low, facts.high) if bound is not None]
    for anchor in (Fraction(0), *bounds):
        whole = floor(anchor / unit)
        yield from (unit * (whole + offset) for offset in range(-6, 7))
        if step is None:
            yield anchor
            yield from (Fraction(floor(anchor)) + Fraction(part, 10) for part in (-5, -1, 1, 5, 15))
            yield anchor + Fraction(1, 1000)
            yield anchor - Fraction(1, 1000)
    if facts.low is not None and facts.high is not None:
        yield (facts.low + facts.high) / 2
    yield from (unit * Fraction(power) for power in (10, 100, 1000, 10**6, -(10**6)))
    for factor in facts.not_multiples:
        yield from (factor * part for part in (Fraction(1, 2), Fraction(3, 2)))
        yield from (factor + offset for offset in (unit, unit / 2, -unit))


def _step(facts: Facts) -> Fraction | None:
    """Return what every number left is a multiple of."""
    factors = [factor for factor in facts.multiples if factor]
    if "fraction" not in facts.types:
        factors.append(Fraction(1))
    return reduce(_common_multiple, factors) if factors else None


def _common_multiple(one: Fraction, other: Fraction) -> Fraction:
    below = gcd(one.denominator, other.denominator)
    above = one.numerator * other.numerator // gcd(one.numerator, other.numerator)
    return Fraction(above, below)


def _written(number: Fraction) -> float:
    return int(number) if number.denominator == 1 else float(number)


def _survives(number: Fraction) -> bool:
    """Tell whether a number survives being written as a double: no 1/3, nothing beyond 10^300."""
    if abs(number) > _LARGEST:
        return False
    return float(number) == number if number.denominator == 1 else exact(float(number)) == number


def texts(facts: Facts) -> Iterator[str]:
    """Yield strings that the facts leave: those shown, then short ones."""
    seen: set[str] = set()
    for text in _candidates(facts):
        if text not in seen and json_key(text) not in facts.excluded and holds_string(facts, text):
            seen.add(text)
            yield text


def _candidates(facts: Facts) -> Iterator[str]:
    least, most = facts.lengths
    yield from (hint for hint in facts.hints if isinstance(hint, str))
    yield from (_FORMATS[name] for name in facts.formats if name in _FORMATS)
    if least > MAX_STRING:
        return
    if not facts.matched and not facts.unmatched:
        longest = [] if most is None or most > MAX_STRING else ["a" * most]
        yield from ("", "a", "b", "aa", "0", *("a" * (least + more) for more in range(_SAMPLES)))
        yield from ("b" * least, "ab" + "a" * max(least - 2, 0), *longest)
    else:
        yield from _made(facts.matched, facts.unmatched, facts.lengths)


# A memo of a pure function: the same patterns come back at every place of a large schema.
@lru_cache(maxsize=512)
def _made(matched: tuple[str, ...], unmatched: tuple[str, ...], lengths: tuple[int, int | None]) -> tuple[str, ...]:
    return tuple(strings(_parsed(matched), _parsed(unmatched), _SAMPLES, lengths))


def _parsed(patterns: Iterable[str]) -> list[Pattern]:
    parsed = []
    for pattern in dict.fromkeys(patterns):
        try:
            parsed.append(parse(pattern))
        except InvalidPattern:
            continue
    return parsed
