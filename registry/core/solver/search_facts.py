"""What is known about a value that is looked for: types, bounds, members; each method says whether it still can be."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from registry.core.solver.search_graph import json_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from fractions import Fraction

    from registry.core.solver.search_graph import Node

Json = Any
ALL_TYPES = frozenset({"null", "boolean", "integer", "fraction", "string", "array", "object"})
NUMBERS = frozenset({"integer", "fraction"})


@dataclass(frozen=True, slots=True)
class Literal:
    """A schema that a value shall meet, or shall not."""

    node: Node
    wanted: bool

    @property
    def key(self) -> tuple[int, bool]:
        """Return what equal literals have in common."""
        return self.node.number, self.wanted


@dataclass(frozen=True, slots=True)
class NameRule:
    """A literal for each property whose name matches ``pattern`` and is neither in ``names`` nor like ``others``."""

    literal: Literal
    pattern: str | None = None
    names: frozenset[str] = frozenset()
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Span:
    """A literal for the items from ``start`` on."""

    start: int
    literal: Literal


@dataclass(frozen=True, slots=True)
class Count:
    """At least ``least`` and at most ``most`` items meet a literal's node."""

    literal: Literal
    least: int
    most: int | None


@dataclass(slots=True)
class Facts:
    """What a value shall be. Methods narrow it and return False as soon as no value is left."""

    types: frozenset[str] = ALL_TYPES
    allowed: list[Json] | None = None
    excluded: frozenset[str] = frozenset()
    low: Fraction | None = None
    high: Fraction | None = None
    low_open: bool = False
    high_open: bool = False
    multiples: tuple[Fraction, ...] = ()
    not_multiples: tuple[Fraction, ...] = ()
    lengths: tuple[int, int | None] = (0, None)
    matched: tuple[str, ...] = ()
    unmatched: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    required: dict[str, None] = field(default_factory=dict)
    forbidden: frozenset[str] = frozenset()
    members: dict[str, tuple[Literal, ...]] = field(default_factory=dict)
    name_rules: tuple[NameRule, ...] = ()
    names: tuple[Literal, ...] = ()
    some_members: tuple[NameRule, ...] = ()
    some_names: tuple[Literal, ...] = ()
    sizes: tuple[int, int | None] = (0, None)
    spans: tuple[Span, ...] = ()
    places: dict[int, tuple[Literal, ...]] = field(default_factory=dict)
    some_items: tuple[Span, ...] = ()
    counts: tuple[Count, ...] = ()
    items: tuple[int, int | None] = (0, None)
    unique: bool = False
    repeated: bool = False
    hints: tuple[Json, ...] = ()
    assumed: frozenset[tuple[int, bool]] = frozenset()

    def copy(self) -> Facts:
        """Return facts that can be narrowed on their own."""
        copied = Facts.__new__(Facts)
        for name in Facts.__slots__:
            setattr(copied, name, getattr(self, name))
        copied.required, copied.members, copied.places = dict(self.required), dict(self.members), dict(self.places)
        return copied

    def assume(self, literal: Literal) -> bool | None:
        """Note a literal: False against its opposite, None if it is known already, True if it is new."""
        number, wanted = literal.key
        if (number, not wanted) in self.assumed:
            return False
        if literal.key in self.assumed:
            return None
        self.assumed |= {literal.key}
        return True

    def keep_types(self, types: Iterable[str]) -> bool:
        """Leave only these types."""
        self.types &= frozenset(types)
        return bool(self.types)

    def drop_types(self, types: Iterable[str]) -> bool:
        """Leave only other types."""
        return self.keep_types(ALL_TYPES - frozenset(types))

    def keep_values(self, values: Sequence[Json]) -> bool:
        """Leave only these values."""
        if self.allowed is None:
            self.allowed = list(values)
        else:
            keys = {json_key(value) for value in values}
            self.allowed = [value for value in self.allowed if json_key(value) in keys]
        return bool(self.allowed) and self.keep_types({type_of(value) for value in self.allowed})

    def drop_values(self, values: Sequence[Json]) -> bool:
        """Leave only other values."""
        self.excluded |= {json_key(value) for value in values}
        return True

    def at_least(self, bound: Fraction, *, exclusive: bool) -> bool:
        """Raise the lower bound of a number."""
        if self.low is None or bound > self.low or (bound == self.low and exclusive):
            self.low, self.low_open = bound, exclusive
        return self.has_numbers()

    def at_most(self, bound: Fraction, *, exclusive: bool) -> bool:
        """Lower the upper bound of a number."""
        if self.high is None or bound < self.high or (bound == self.high and exclusive):
            self.high, self.high_open = bound, exclusive
        return self.has_numbers()

    def has_numbers(self) -> bool:
        """Drop the number types if the bounds leave none."""
        if self.low is None or self.high is None or self.low < self.high:
            return True
        if self.low == self.high and not (self.low_open or self.high_open):
            return True
        return self.drop_types(NUMBERS)

    def keep_multiples(self, factor: Fraction) -> bool:
        """Leave only multiples of a number."""
        self.multiples += (factor,)
        return True

    def drop_multiples(self, factor: Fraction) -> bool:
        """Leave only numbers that are no multiples."""
        self.not_multiples += (factor,)
        return factor not in self.multiples

    def keep_lengths(self, least: int, most: int | None) -> bool:
        """Bound a string's length."""
        self.lengths = _narrowed(self.lengths, least, most)
        return _is_span(self.lengths) or self.drop_types({"string"})

    def keep_sizes(self, least: int, most: int | None) -> bool:
        """Bound how many properties an object has."""
        self.sizes = _narrowed(self.sizes, least, most)
        return _is_span(self.sizes) or self.drop_types({"object"})

    def keep_items(self, least: int, most: int | None) -> bool:
        """Bound how many items an array has."""
        self.items = _narrowed(self.items, least, most)
        return _is_span(self.items) or self.drop_types({"array"})

    def match(self, pattern: str) -> bool:
        """Leave only strings that match."""
        self.matched += (pattern,)
        return pattern not in self.unmatched or self.drop_types({"string"})

    def mismatch(self, pattern: str) -> bool:
        """Leave only strings that don't match."""
        self.unmatched += (pattern,)
        return pattern not in self.matched or self.drop_types({"string"})

    def require(self, name: str) -> bool:
        """Leave only objects with this property."""
        self.required[name] = None
        most = self.sizes[1]
        if name not in self.forbidden and (most is None or len(self.required) <= most):
            return True
        return self.drop_types({"object"})

    def forbid(self, name: str) -> bool:
        """Leave only objects without this property."""
        self.forbidden |= {name}
        return name not in self.required or self.drop_types({"object"})

    def member(self, name: str, literal: Literal) -> bool:
        """Say what a property is, where it is there."""
        known = self.members.get(name, ())
        self.members[name] = (*known, literal)
        return not _contradicts(literal, known) or self.forbid(name)

    def place(self, index: int, literal: Literal) -> bool:
        """Say what the item at an index is, where it is there."""
        known = self.places.get(index, ())
        self.places[index] = (*known, literal)
        return not _contradicts(literal, known) or self.keep_items(0, index)


def _narrowed(span: tuple[int, int | None], least: int, most: int | None) -> tuple[int, int | None]:
    tops = [bound for bound in (span[1], most) if bound is not None]
    return max(span[0], least), min(tops) if tops else None


def _is_span(span: tuple[int, int | None]) -> bool:
    return span[1] is None or span[0] <= span[1]


def _contradicts(literal: Literal, known: Sequence[Literal]) -> bool:
    """Say whether a literal can't be met beside others, on the face of it."""
    number, wanted = literal.key
    never = wanted and "never" in literal.node.keywords
    return never or any(each.node.number == number and each.wanted is not wanted for each in known)


def type_of(value: Json) -> str:
    """Return a value's type, numbers told apart as in Facts.types."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "integer" if value.is_integer() else "fraction"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"
