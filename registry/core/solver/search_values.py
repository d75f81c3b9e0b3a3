"""From facts to values: small ones first, then variations of their parts."""

from __future__ import annotations

from itertools import islice, product
from typing import TYPE_CHECKING, Any

from registry.core.solver.search_checks import Checks, applies
from registry.core.solver.search_facts import Count, Facts, Literal, NameRule
from registry.core.solver.search_goals import Steps, leaves
from registry.core.solver.search_graph import json_key
from registry.core.solver.search_scalars import numbers, texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from registry.core.solver.search_demands import Demand

Json = Any
Path = frozenset[frozenset[tuple[int, bool]]]
MAX_ITEMS = 3_000
MAX_PARTS = 20_000
PARTS_A_STEP = 100
_NAMES = 4
_COMBINATIONS = 12
_FRESH = ("x", "y", "extra", "a", "b", "x1", "x2")


class Values:
    """Makes values for goals within steps.

    ``width`` is how many values of a part are tried, ``depth`` how far they may nest.
    """

    def __init__(self, steps: Steps, width: int, depth: int) -> None:
        self.steps = steps
        self.width = width
        self.depth = depth
        self.checks = Checks(steps)
        self._known: dict[tuple[frozenset[tuple[int, bool]], int], list[Json]] = {}

    def values(self, demands: Sequence[Demand], path: Path = frozenset()) -> Iterator[Json]:
        """Yield values that meet all demands as far as the search can tell, each once."""
        seen: set[str] = set()
        # Where nothing may nest any more, only {} and [] are left of what holds parts.
        facts = Facts() if len(path) < self.depth else Facts(sizes=(0, 0), items=(0, 0))
        for leaf in leaves(facts, demands, self.steps, self.width):
            for value in islice(self.realised(leaf, path), 2 * self.width):
                key = json_key(value)
                if key not in seen:
                    seen.add(key)
                    yield value

    def first(self, literals: Sequence[Literal], count: int, path: Path) -> list[Json]:
        """Return the first values of a part. A goal that is met again inside itself has none: values are finite."""
        goal = frozenset(literal.key for literal in literals)
        known = self._known.get((goal, count))
        if known is not None:
            return known
        if goal in path or len(path) >= self.depth:
            return []
        found = list(islice(self.values(literals, path | {goal}), count))
        if found or not path:
            self._known[goal, count] = found
        return found

    def realised(self, facts: Facts, path: Path) -> Iterator[Json]:
        """Yield values of one set of facts."""
        self.steps.take()
        if facts.allowed is not None:
            yield from (value for value in facts.allowed if self.checks.holds(value, facts))
            return
        for kind in ("null", "boolean", "integer", "string", "array", "object"):
            yield from self._of_kind(kind, facts, path)

    def _of_kind(self, kind: str, facts: Facts, path: Path) -> Iterator[Json]:
        match kind:
            case "null" if "null" in facts.types:
                yield from self._left([None], facts)
            case "boolean" if "boolean" in facts.types:
                yield from self._left([True, False], facts)
            case "integer" if facts.types & {"integer", "fraction"}:
                yield from islice(numbers(facts), 4 * self.width)
            case "string" if "string" in facts.types:
                yield from islice(texts(facts), 4 * self.width)
            case "array" if "array" in facts.types:
                yield from self._left(self._arrays(facts, path), facts)
            case "object" if "object" in facts.types:
                yield from self._left(self._objects(facts, path), facts)

    def _left(self, values: Sequence[Json] | Iterator[Json], facts: Facts) -> Iterator[Json]:
        for value in values:
            if json_key(value) not in facts.excluded:
                yield value

    def _objects(self, facts: Facts, path: Path) -> Iterator[Json]:
        pools = [list(islice(self._names_for(rule, facts), _NAMES)) for rule in facts.some_members]
        pools += [self._refused_names(literal, facts) for literal in facts.some_names]
        for names in islice(product(*pools), _COMBINATIONS):
            wanted: dict[str, tuple[Literal, ...]] = {
                name: self.checks.literals_of(name, facts) for name in facts.required
            }
            for place, name in enumerate(names):
                extra = (facts.some_members[place].literal,) if place < len(facts.some_members) else ()
                wanted[name] = (*wanted.get(name, self.checks.literals_of(name, facts)), *extra)
            yield from self._filled(wanted, facts, path)

    def _filled(self, wanted: dict[str, tuple[Literal, ...]], facts: Facts, path: Path) -> Iterator[Json]:
        if any(name in facts.forbidden or not self.checks.may_be_called(name, facts) for name in wanted):
            return
        choices: dict[str, list[Json]] = {}
        for name, literals in wanted.items():
            choices[name] = self.first(literals, self.width, path)
            if not choices[name]:
                return
        least, most = facts.sizes
        self._grow(choices, facts, path, least)
        if len(choices) < least or (most is not None and len(choices) > most):
            return
        smallest = {name: values[0] for name, values in choices.items()}
        if self._is_too_large(smallest):
            return
        yield smallest
        larger = self._larger(smallest, facts, path)
        if facts.excluded:
            yield from larger
        for name, values in choices.items():
            yield from ({**smallest, name: value} for value in values[1:])
        yield from self._pairs(smallest, choices)
        yield from larger

    def _is_too_large(self, value: Json) -> bool:
        """Count a value's parts, as work; one of very many is nobody's example, and parts multiply where they nest."""
        stack, count = [value], 0
        while stack and count <= MAX_PARTS:
            node = stack.pop()
            parts = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
            count += len(parts)
            stack.extend(parts)
        self.steps.left -= count // PARTS_A_STEP
        return count > MAX_PARTS

    def _larger(self, smallest: dict[str, Json], facts: Facts, path: Path) -> Iterator[Json]:
        """Yield the object with one more property at a time."""
        most = facts.sizes[1]
        if most is not None and len(smallest) >= most:
            return
        for name in (*list(facts.members)[:_NAMES], *self._pattern_names(facts)[:2], *_FRESH[:2]):
            if name not in smallest and name not in facts.forbidden and self.checks.may_be_called(name, facts):
                values = self.first(self.checks.literals_of(name, facts), 1, path)
                yield from ({**smallest, name: value} for value in values)

    def _pairs(self, smallest: dict[str, Json], choices: dict[str, list[Json]]) -> Iterator[Json]:
        varied = [name for name, values in choices.items() if len(values) > 1][:6]
        for place, name in enumerate(varied):
            for other in varied[place + 1 :]:
                yield {**smallest, name: choices[name][1], other: choices[other][1]}

    def _grow(self, choices: dict[str, list[Json]], facts: Facts, path: Path, least: int) -> None:
        """Add properties until there are as many as there must be, declared ones first."""
        if least > MAX_ITEMS:
            return
        numbered = (f"x{number}" for number in range(len(choices) + least + 1))
        for name in (*facts.members, *self._pattern_names(facts), *_FRESH, *numbered):
            if len(choices) >= least:
                return
            if name in choices or name in facts.forbidden or not self.checks.may_be_called(name, facts):
                continue
            values = self.first(self.checks.literals_of(name, facts), self.width, path)
            if values:
                choices[name] = values

    def _pattern_names(self, facts: Facts) -> list[str]:
        patterns = [rule.pattern for rule in facts.name_rules if rule.pattern is not None]
        names = [name for pattern in patterns for name in islice(texts(Facts(matched=(pattern,))), 3)]
        if facts.names:
            names += self.first_names(facts.names, facts.sizes[0] + 2)
        return names

    def first_names(self, literals: Sequence[Demand], count: int) -> list[str]:
        """Return the first strings that meet some literals on a property's name."""
        found = []
        for facts in leaves(Facts(types=frozenset({"string"})), literals, self.steps, self.width):
            found += [value for value in islice(self.realised(facts, frozenset()), count) if isinstance(value, str)]
        return found[:count]

    def _names_for(self, rule: NameRule, facts: Facts) -> Iterator[str]:
        """Yield names that a rule is about: those in use, declared ones, those its pattern makes, fresh ones."""
        made = list(islice(texts(Facts(matched=(rule.pattern,))), 3)) if rule.pattern is not None else []
        seen: set[str] = set()
        for name in (*facts.required, *facts.members, *made, *self._pattern_names(facts), *_FRESH):
            if name in seen or name in facts.forbidden or not applies(rule, name):
                continue
            seen.add(name)
            opposite = (rule.literal.node.number, not rule.literal.wanted)
            if all(literal.key != opposite for literal in self.checks.literals_of(name, facts)):
                yield name

    def _refused_names(self, literal: Literal, facts: Facts) -> list[str]:
        in_use = [name for name in (*facts.required, *facts.members) if self.checks.can_be(name, (literal,))]
        return [*in_use[:2], *self.first_names((literal, *facts.names), 3)]

    def _arrays(self, facts: Facts, path: Path) -> Iterator[Json]:
        least, most = facts.items
        named = max(facts.places, default=-1) + 1
        spots = [dict.fromkeys((span.start, span.start + 1, max(span.start, named))) for span in facts.some_items]
        counts = _counted(facts)
        if any(count.most is not None and count.most < count.least for count in counts):
            return
        held = sum(count.least for count in counts)
        for more in range(3):
            for indexes in islice(product(*spots), _COMBINATIONS):
                size = max([least, held, *(index + 1 for index in indexes)]) + more
                if size > MAX_ITEMS or (most is not None and size > most):
                    continue
                extra: dict[int, tuple[Literal, ...]] = {}
                for place, index in enumerate(indexes):
                    extra[index] = (*extra.get(index, ()), facts.some_items[place].literal)
                yield from islice(self._arranged(size, extra, facts, path), 3 * self.width)

    def _arranged(self, size: int, extra: dict[int, tuple[Literal, ...]], facts: Facts, path: Path) -> Iterator[Json]:
        for shift in dict.fromkeys((0, max(size - sum(count.least for count in _counted(facts)), 0))):
            literals = [(*self.checks.literals_at(index, facts), *extra.get(index, ())) for index in range(size)]
            _hold_counts(literals, facts, shift)
            if facts.repeated:
                for pair in dict.fromkeys(((0, 1), (size - 2, size - 1))):
                    yield from self._filled_array(_merged(literals, pair), facts, path, pair)
            else:
                yield from self._filled_array(literals, facts, path, None)

    def _filled_array(
        self, literals: list[tuple[Literal, ...]], facts: Facts, path: Path, pair: tuple[int, int] | None
    ) -> Iterator[Json]:
        choices = []
        count = len(literals) + self.width if facts.unique else self.width
        for part in literals:
            values = self.first(part, min(count, 40), path)
            if not values:
                return
            choices.append(values)
        smallest = _distinct(choices) if facts.unique else [values[0] for values in choices]
        if smallest is None or self._is_too_large(smallest):
            return
        yield smallest
        for index, values in enumerate(choices[:20]):
            for value in values[1:]:
                varied = [*smallest[:index], value, *smallest[index + 1 :]]
                if pair is not None and index in pair:
                    varied[pair[0]] = varied[pair[1]] = value
                yield varied


def _hold_counts(literals: list[tuple[Literal, ...]], facts: Facts, shift: int) -> None:
    """Let as many items as must meet each ``contains``, and the others not where their number is bounded."""
    start = shift
    for count in _counted(facts):
        held = range(start, start + count.least)
        for index in range(len(literals)):
            if index in held:
                literals[index] = (*literals[index], count.literal)
            elif count.most is not None:
                literals[index] = (*literals[index], Literal(count.literal.node, not count.literal.wanted))
        start += count.least


def _counted(facts: Facts) -> list[Count]:
    """Return the counts, those of one schema made one."""
    merged: dict[tuple[int, bool], Count] = {}
    for count in facts.counts:
        known = merged.get(count.literal.key, count)
        tops = [most for most in (count.most, known.most) if most is not None]
        most = min(tops) if tops else None
        merged[count.literal.key] = Count(count.literal, max(count.least, known.least), most)
    return list(merged.values())


def _merged(literals: list[tuple[Literal, ...]], pair: tuple[int, int]) -> list[tuple[Literal, ...]]:
    both = (*literals[pair[0]], *literals[pair[1]])
    return [both if index in pair else part for index, part in enumerate(literals)]


def _distinct(choices: list[list[Json]]) -> list[Json] | None:
    """Pick different values, the place with the fewest first."""
    picked: dict[int, Json] = {}
    taken: set[str] = set()
    for index in sorted(range(len(choices)), key=lambda place: len(choices[place])):
        value = next((one for one in choices[index] if json_key(one) not in taken), _NOTHING)
        if value is _NOTHING:
            return None
        taken.add(json_key(value))
        picked[index] = value
    return [picked[index] for index in range(len(choices))]


_NOTHING = object()
