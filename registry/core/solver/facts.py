"""What a conjunction of nodes says about a value, gathered in one place: bounds, names, positions, alternatives.

Everything here is an over-approximation of the values: a fact holds for every value that all the nodes accept.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from registry.core.solver.conjunction import flatten, in_place
from registry.core.solver.graph import ASSERTIONS, NEVER, NO_PATTERN, TYPES, Kind, Node, key
from registry.core.solver.numbers import exact
from registry.core.solver.regex_matcher import search_text
from registry.core.solver.regex_members import Work, no_string
from registry.core.solver.tightening import tighten

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Json = Any
Bound = tuple[Fraction, bool]  # the number, and whether it is excluded


def matches(pattern: str, name: str) -> bool | None:
    """Say whether a pattern matches a name; None when the pattern is not understood."""
    try:
        return search_text(pattern, name)
    except ValueError:
        return None


_EXACT = re.compile(r"\^((?:[\w -]|\\[^\w\s])+)\$")


@lru_cache(maxsize=4096)
def exact_name(pattern: str) -> str | None:
    """Return the one name that a pattern like ``^name$`` matches, None for another pattern."""
    found = _EXACT.fullmatch(pattern)
    return None if found is None else re.sub(r"\\(.)", r"\1", found[1])


@dataclass(slots=True)
class Facts:
    """The gathered facts of one flattened conjunction."""

    atoms: tuple[Node, ...]
    types: frozenset[str] = frozenset(TYPES)
    values: list[Json] | None = None
    excluded: list[Json] = field(default_factory=list)
    low: Bound | None = None
    high: Bound | None = None
    multiples: list[Fraction] = field(default_factory=list)  # together one, the least common multiple
    min_length: int = 0
    max_length: int | None = None
    patterns: list[str] = field(default_factory=list)
    no_patterns: list[str] = field(default_factory=list)
    min_items: int = 0
    max_items: int | None = None
    unique: bool = False
    required: frozenset[str] = frozenset()
    min_properties: int = 0
    max_properties: int | None = None
    work: Work = field(default_factory=Work)
    # Asked for very often, and settled once everything is gathered.
    _asked: dict[str, tuple[Node, ...]] = field(default_factory=dict)
    _kinds: frozenset[Kind] | None = None
    _names: tuple[str, ...] | None = None
    _others: tuple[Other, ...] | None = None

    def include(self, node: Node) -> bool:
        """Say whether a node is one of the conjunction's on the face of it."""
        if self._kinds is None:
            self._kinds = frozenset(atom.kind for atom in self.atoms)
        return node.resolved.kind in self._kinds or node.resolved.trivial

    @property
    def is_full(self) -> bool:
        """Whether there are as many required properties as there may be properties."""
        return self.max_properties is not None and len(self.required) >= self.max_properties

    def names(self) -> tuple[str, ...]:
        """Return every property name that is mentioned, in order."""
        if self._names is None:
            self._names = tuple(self._mentioned())
        return self._names

    def _mentioned(self) -> dict[str, None]:
        found: dict[str, None] = {}
        for atom in self.atoms:
            found.update(dict.fromkeys(atom.properties()))
            found.update((name, None) for name in map(exact_name, atom.patterns()) if name is not None)
            listed = _listed(atom.one["propertyNames"]) if "propertyNames" in atom.one else None
            found.update(dict.fromkeys(listed or ()))
            if "unevaluatedProperties" in atom.one:
                # An alternative may evaluate a name that the atom itself doesn't mention.
                found.update((name, None) for node in in_place(atom) for name in node.properties())
        found.update(dict.fromkeys(sorted(self.required)))
        return found

    def prefix(self) -> int:
        """Return how many leading positions of an array are described by themselves."""
        return max((len(atom.many.get("prefixItems", ())) for atom in self.atoms), default=0)

    def item(self, index: int) -> tuple[Node, ...]:
        """Return what the item at a position must satisfy."""
        found = []
        for atom in self.atoms:
            row = atom.many.get("prefixItems", ())
            if index < len(row):
                found.append(row[index])
            elif "items" in atom.one:
                found.append(atom.one["items"])
            elif "unevaluatedItems" in atom.one and not _evaluates_items(atom):
                found.append(atom.one["unevaluatedItems"])
        return tuple(found)

    def tail(self) -> tuple[Node, ...]:
        """Return what every item after the prefix must satisfy."""
        return self.item(self.prefix())

    def property(self, name: str) -> tuple[Node, ...]:
        """Return what the value of a property must satisfy if it is there."""
        found = self._asked.get(name)
        if found is None:
            found = self._asked[name] = tuple(self._property(name))
        return found

    def _property(self, name: str) -> Iterator[Node]:
        if self.is_full and name not in self.required:
            yield NEVER
        for atom in self.atoms:
            listed = _listed(atom.one["propertyNames"]) if "propertyNames" in atom.one else None
            if listed is not None and name not in listed:
                yield NEVER
            if atom.named or atom.one:
                yield from own_property(atom, name)
                if "unevaluatedProperties" in atom.one and not may_evaluate(atom, name):
                    yield atom.one["unevaluatedProperties"]

    def others(self) -> tuple[Other, ...]:
        """Return what holds for names that nobody mentions, case by case.

        Each atom's name matches one of its patterns (and maybe more), or none; at most 32 cases, else one without
        facts. A pattern that only one name matches mentions that name.
        """
        if self._others is None:
            self._others = tuple(self._unmentioned())
        return self._others

    def _unmentioned(self) -> list[Other]:
        if self.is_full or any(
            "propertyNames" in atom.one and _listed(atom.one["propertyNames"]) is not None for atom in self.atoms
        ):
            return []
        cases = [Other((), frozenset(), (), self.work)]
        for atom in self.atoms:
            patterns = {name: node for name, node in atom.patterns().items() if exact_name(name) is None}
            none = Other((), frozenset(atom.patterns()), _rest(atom))
            options = [none, *(Other((pattern,), frozenset(), (node,)) for pattern, node in patterns.items())]
            if len(cases) * len(options) > 32:
                return [Other((), frozenset(), (), self.work)]
            cases = [case.joined(option) for case in cases for option in options]
        return [case for case in cases if not case.is_impossible()]


def _listed(names: Node) -> list[str] | None:
    """Return the names that ``propertyNames`` lists, None where it doesn't."""
    values = names.resolved.values()
    return None if values is None else [value for value in values if isinstance(value, str)]


@dataclass(frozen=True, slots=True)
class Other:
    """One case of an unmentioned name: patterns that it matches, patterns that it doesn't, what its value satisfies."""

    matched: tuple[str, ...]
    unmatched: frozenset[str]
    nodes: tuple[Node, ...]
    work: Work = field(default_factory=Work, compare=False)

    def is_impossible(self) -> bool:
        """Say whether no name is of this case."""
        if self.unmatched & set(self.matched):
            return True
        return bool(self.matched) and no_string(self.matched, tuple(sorted(self.unmatched)), (0, None), self.work)

    def always(self, pattern: str) -> bool:
        """Say whether every name of this case is proven to match a pattern."""
        if pattern in self.matched:
            return True
        return no_string(self.matched, (*sorted(self.unmatched), pattern), (0, None), self.work)

    def never(self, pattern: str) -> bool:
        """Say whether no name of this case is proven to match a pattern.

        Of a pattern that a single name matches that is said too: look at that name by itself.
        """
        if pattern in self.unmatched or exact_name(pattern) is not None:
            return True
        return no_string((*self.matched, pattern), tuple(sorted(self.unmatched)), (0, None), self.work)

    def joined(self, other: Other) -> Other:
        """Return the case where both hold."""
        return Other(
            self.matched + other.matched, self.unmatched | other.unmatched, self.nodes + other.nodes, self.work
        )


def own_property(atom: Node, name: str) -> list[Node]:
    """Return the nodes that one atom's own keywords ask of a property."""
    found = []
    if name in atom.properties():
        found.append(atom.properties()[name])
    uncertain = False
    for pattern, node in atom.patterns().items():
        matched = matches(pattern, name)
        uncertain = uncertain or matched is None
        if matched:
            found.append(node)
    if not found and not uncertain and "additionalProperties" in atom.one:
        found.append(atom.one["additionalProperties"])
    return found


def _rest(atom: Node) -> tuple[Node, ...]:
    """Return what one atom asks of a property whose name nobody mentions and that matches no pattern of the atom's."""
    if "additionalProperties" in atom.one:
        return (atom.one["additionalProperties"],)
    closed = atom.one.get("unevaluatedProperties")
    if closed is None:
        return ()
    evaluating = ("additionalProperties", "unevaluatedProperties")
    may_be_seen = any(
        "$dynamicRef" in node.keywords
        or (node is not atom and (node.patterns() or any(name in node.one for name in evaluating)))
        for node in in_place(atom)
    )
    return () if may_be_seen else (closed,)


def may_evaluate(atom: Node, name: str) -> bool:
    """Say whether anything applied in place might evaluate a property, so that ``unevaluated...`` may not see it."""
    for node in in_place(atom):
        if name in node.properties() or "additionalProperties" in node.one or "$dynamicRef" in node.keywords:
            return True
        if node is not atom and "unevaluatedProperties" in node.one:
            return True
        if any(matches(pattern, name) is not False for pattern in node.patterns()):
            return True
    return False


def _evaluates_items(atom: Node) -> bool:
    """Say whether anything in place might evaluate items (conservatively: any array keyword does)."""
    own = {"items", "contains", "unevaluatedItems"}
    return any(
        "$dynamicRef" in node.keywords
        or (own & node.one.keys() - ({"unevaluatedItems"} if node is atom else set()))
        or "prefixItems" in node.many
        for node in in_place(atom)
    )


def gather(nodes: Iterable[Node], work: Work | None = None) -> Facts:
    """Gather the facts of a conjunction; what comparing its patterns takes is added to ``work``."""
    flat = flatten(nodes)
    required = _required(flat)
    while _are_objects(flat):
        # What depends on a required property applies as well, and may require more.
        more = [
            each
            for atom in flat
            for owner, each in atom.named.get("dependentSchemas", {}).items()
            if owner in required and not each.trivial
        ]
        wider = flatten((*flat, *more))
        if len(wider) == len(flat):
            break
        flat, required = wider, _required(wider)
    facts = Facts(flat, work=work or Work(), required=required)
    for atom in flat:
        _types_and_values(facts, atom)
        _numbers(facts, atom)
        _sizes(facts, atom)
    tighten(facts)
    return facts


def _are_objects(atoms: Sequence[Node]) -> bool:
    """Say whether only objects are left: to other values, names mean nothing."""
    allowed = [types for types in (atom.types() for atom in atoms) if types is not None]
    return bool(allowed) and frozenset.intersection(*allowed) == {"object"}


def _required(atoms: Sequence[Node]) -> frozenset[str]:
    """Return the required names, with those that they require."""
    found = {name for atom in atoms for name in atom.required()}
    while True:
        more = {
            name
            for atom in atoms
            for owner, names in atom.keywords.get("dependentRequired", {}).items()
            if owner in found
            for name in names
        }
        if more <= found:
            return frozenset(found)
        found |= more


def _types_and_values(facts: Facts, atom: Node) -> None:
    if atom.false:
        facts.types = frozenset()
    types = atom.types()
    if types is not None:
        facts.types &= types
    facts.excluded += _excluded(atom)
    values = atom.values()
    if values is not None:
        kept = {key(value) for value in values}
        found = values if facts.values is None else [value for value in facts.values if key(value) in kept]
        facts.values = found


def _excluded(atom: Node) -> list[Json]:
    """Return the values that a ``not`` lists, where it says nothing else."""
    refused = atom.one["not"].resolved if "not" in atom.one else None
    if refused is None or refused.one or refused.many or refused.named or refused.reference or refused.false:
        return []
    if any(word in ASSERTIONS for word in refused.keywords if word not in ("enum", "const")):
        return []
    return refused.values() or []


def _numbers(facts: Facts, atom: Node) -> None:
    words = atom.keywords
    for keyword, excluded in (("minimum", False), ("exclusiveMinimum", True)):
        if keyword in words:
            bound = (exact(words[keyword]), excluded)
            facts.low = bound if facts.low is None else max(facts.low, bound)
    for keyword, excluded in (("maximum", False), ("exclusiveMaximum", True)):
        if keyword in words:
            bound = (exact(words[keyword]), excluded)
            facts.high = bound if facts.high is None else min(facts.high, bound, key=lambda b: (b[0], not b[1]))
    if "multipleOf" in words:
        facts.multiples.append(exact(words["multipleOf"]))


_SIZES = frozenset(
    {
        *("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "uniqueItems"),
        *("pattern", NO_PATTERN),
    }
)


def _sizes(facts: Facts, atom: Node) -> None:
    words = atom.keywords
    if words.keys().isdisjoint(_SIZES) and "contains" not in atom.one:
        return
    facts.min_length = max(facts.min_length, int(words.get("minLength", 0)))
    facts.min_items = max(facts.min_items, int(words.get("minItems", 0)))
    facts.min_properties = max(facts.min_properties, int(words.get("minProperties", 0)))
    facts.max_length = _least(facts.max_length, words.get("maxLength"))
    facts.max_items = _least(facts.max_items, words.get("maxItems"))
    facts.max_properties = _least(facts.max_properties, words.get("maxProperties"))
    facts.unique = facts.unique or words.get("uniqueItems") is True
    if "pattern" in words:
        facts.patterns.append(words["pattern"])
    if NO_PATTERN in words:
        facts.no_patterns.append(words[NO_PATTERN])
    if "contains" in atom.one and words.get("minContains", 1) > 0:
        facts.min_items = max(facts.min_items, int(words.get("minContains", 1)))


def _least(found: int | None, given: float | None) -> int | None:
    if given is None:
        return found
    return int(given) if found is None else min(found, int(given))
