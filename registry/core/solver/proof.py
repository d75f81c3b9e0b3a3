"""Proofs that a conjunction of nodes accepts only what another node accepts, or that it accepts nothing.

True is a proof, False is "not proven". Every step over-approximates the accepting side and under-approximates the
other, so that what can't be followed never helps. A goal that is met again after going down into the value is taken as
proven: values are finite, and the goal is about a smaller one (induction on the value's size).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from registry.core.solver.conjunction import flatten, in_place, weight
from registry.core.solver.emptiness import impossible
from registry.core.solver.evaluation import accepts, both
from registry.core.solver.facts import Facts, exact_name, gather, matches
from registry.core.solver.graph import TYPE_NODES, TYPES, Kind, Node
from registry.core.solver.leaves import (
    finite_values,
    most_items,
    numbers_hold,
    spelt,
    strings_hold,
    surely_applied,
)
from registry.core.solver.made_nodes import MadeNodes
from registry.core.solver.refutation import refuted
from registry.core.solver.regex_members import Work
from registry.core.solver.splitting import MAX_EXCLUDED, ways_to_split
from registry.core.solver.unevaluated import cases, is_closing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Json = Any
Goal = tuple[Any, ...]
Nodes = tuple[Node, ...]

MAX_LEVELS = 70
MAX_SPLITS = 5
MOVES_A_STEP = 10  # of automata
VALUES_A_STEP = 20  # each held against each schema in place


class OutOfBudgetError(Exception):
    """The steps are used up."""


@dataclass(slots=True)
class Prover:
    """One question's proofs, with a budget in steps and a memory of goals."""

    steps: int
    spells: bool = False  # draft 4 is about: 1 and 1.0 are told apart
    levels: int = 0
    consumed: int = 0
    open: dict[Goal, int] = field(default_factory=dict)
    leaned: set[Goal] = field(default_factory=set)
    known: dict[Goal, bool] = field(default_factory=dict)
    made: MadeNodes = field(default_factory=MadeNodes)
    work: Work = field(default_factory=Work)  # with patterns, not yet counted in steps
    _flat: dict[Nodes, Nodes] = field(default_factory=dict)
    _facts: dict[Nodes, Facts] = field(default_factory=dict)

    def contained(self, nodes: Iterable[Node], target: Node, splits: frozenset[Kind] = frozenset()) -> bool:
        """Say whether every value that all nodes accept is proven to be accepted by the target."""
        flat, target = self._flattened(nodes), target.resolved
        if target.trivial or any(node.kind == target.kind or node.false for node in flat):
            return True
        goal = ("in", frozenset(node.kind for node in flat), target.kind, splits)
        return self._pursue(goal, flat, lambda: self._contained(flat, target, splits))

    def contained_within(self, steps: int, nodes: Iterable[Node], target: Node) -> bool:
        """Ask ``contained`` with a part of the steps: one hard question leaves the rest for others."""
        kept = self.steps - steps
        self.steps = min(steps, self.steps)
        try:
            return self.contained(nodes, target)
        except OutOfBudgetError:
            self.leaned = set()
            return False
        finally:
            self.steps = max(self.steps, 0) + max(kept, 0)

    def refill(self, steps: int) -> None:
        """Go on with fresh steps, also after they were used up."""
        self.steps, self.levels, self.consumed = steps, 0, 0
        self.open, self.leaned = {}, set()

    def empty(self, nodes: Iterable[Node]) -> bool:
        """Say whether it is proven that no value is accepted by all nodes."""
        flat = self._flattened(nodes)
        goal = ("empty", frozenset(node.kind for node in flat))
        return self._pursue(goal, flat, lambda: self._empty(self.facts(flat)))

    def facts(self, nodes: Iterable[Node]) -> Facts:
        """Return what a conjunction says; gathered once."""
        flat = self._flattened(nodes)
        found = self._facts.get(flat)
        if found is None:
            found = self._facts[flat] = gather(flat, self.work)
        return found

    def _flattened(self, nodes: Iterable[Node]) -> Nodes:
        """Flatten a conjunction; the same ones are met again and again."""
        given = tuple(nodes)
        found = self._flat.get(given)
        if found is None:
            found = self._flat[given] = flatten(given)
        return found

    def _pursue(self, goal: Goal, flat: Nodes, attempt: Any) -> bool:
        if goal in self.known:
            return self.known[goal]
        if goal in self.open:
            if self.consumed > self.open[goal]:
                self.leaned.add(goal)
                return True
            return False
        walked, self.work.moves = divmod(self.work.moves, MOVES_A_STEP)
        self.steps -= 1 + weight(flat) + walked
        if self.steps < 0:
            raise OutOfBudgetError
        if self.levels >= MAX_LEVELS:
            return False
        before, self.leaned = self.leaned, set()
        self.open[goal] = self.consumed
        self.levels += 1
        try:
            proven = bool(attempt())
        finally:
            self.levels -= 1
            del self.open[goal]
        self.leaned.discard(goal)
        if not proven or not self.leaned:
            # A proof that leans on a goal still open is not kept: it stands only if that goal does.
            self.known[goal] = proven
        self.leaned = before | self.leaned if proven else before
        return proven

    def below(self, nodes: Iterable[Node], target: Node) -> bool:
        """Ask about a part of the value: a property, a name or an item."""
        self.consumed += 1
        try:
            return self.contained(nodes, target)
        finally:
            self.consumed -= 1

    def empty_below(self, nodes: Iterable[Node]) -> bool:
        """Ask whether a part of the value can't be."""
        self.consumed += 1
        try:
            return self.empty(nodes)
        finally:
            self.consumed -= 1

    def _contained(self, flat: Nodes, target: Node, splits: frozenset[Kind]) -> bool:
        if target.false:
            return self.empty(flat)
        facts = self.facts(flat)
        finite = self._finite(facts)
        if finite is not None:
            self.steps -= len(finite) * len(in_place(target)) // VALUES_A_STEP
            return all(
                both(accepts(node, value) for node in flat) is False or accepts(target, value) is True
                for value in finite
            )
        # Going through the cases loses nothing: where one way to split doesn't help, another one may only below it.
        mark, branches = next(ways_to_split(self, facts, target, splits), (None, []))
        is_last = mark is None or len(splits) >= MAX_SPLITS
        if all(self._obligations(facts, target, is_last)) or self.empty(flat):
            return True
        return not is_last and all(self.contained((*flat, *branch), target, splits | {mark}) for branch in branches)

    def _finite(self, facts: Facts) -> list[Json] | None:
        """Return all values that are left, in all spellings that matter, if there are only so many."""
        finite = finite_values(facts)
        if finite is None or len(finite) > 100_000:
            return None
        self.steps -= len(finite) * sum(len(in_place(atom)) for atom in facts.atoms) // VALUES_A_STEP
        if self.steps < 0:
            raise OutOfBudgetError
        return spelt(finite) if self.spells else finite

    def _obligations(self, facts: Facts, target: Node, is_last: bool) -> Iterator[bool]:
        """Yield, for each keyword of the target, whether it is proven to hold. Cheap ones come first.

        ``is_last``: no cases of the accepting side are left to go through.
        """
        words = target.keywords
        yield "$dynamicRef" not in words
        types = target.types()
        if types is not None:
            yield all(impossible(self, facts, name) for name in TYPES if name in facts.types - types)
        yield target.values() is None
        yield numbers_hold(facts, target)
        yield strings_hold(facts, target)
        if "array" in facts.types:
            yield from self._array(facts, target)
        if "object" in facts.types:
            yield from self._object(facts, target)
        if target.reference:
            yield self.contained(facts.atoms, target.reference)
        for each in target.many.get("allOf", ()):
            yield self.contained(facts.atoms, each)
        yield from self._alternatives(facts, target, is_last)

    def _alternatives(self, facts: Facts, target: Node, is_last: bool) -> Iterator[bool]:
        atoms = facts.atoms
        if "anyOf" in target.many:
            branches = target.many["anyOf"]
            yield any(self.contained(atoms, each) for each in branches) or (
                is_last and self._left_over(atoms, branches)
            )
        if "oneOf" in target.many:
            yield any(
                self.contained(atoms, each)
                and all(self.empty((*atoms, other)) for other in target.many["oneOf"] if other is not each)
                for each in target.many["oneOf"]
            )
        if "not" in target.one:
            yield self.empty((*atoms, target.one["not"]))
        if "if" in target.one:
            yield from self._conditional(atoms, target)
        if is_closing(target):
            yield self._closing(facts, target, is_last)

    def _closing(self, facts: Facts, target: Node, is_last: bool) -> bool:
        """Say whether what stays unevaluated is proven to be accepted: whatever holds, or in one of the cases."""
        if all(self._whatever_holds(facts, target)):
            return True
        found = cases(target)
        return any(self.contained(facts.atoms, case) for case in found) or (
            is_last and self._left_over(facts.atoms, found)
        )

    def _whatever_holds(self, facts: Facts, target: Node) -> Iterator[bool]:
        properties, items = (target.one.get(f"unevaluated{what}") for what in ("Properties", "Items"))
        if properties is not None and not properties.trivial and "object" in facts.types:
            yield self._unevaluated(facts, target, properties)
        if items is not None and not items.trivial and "array" in facts.types:
            most = facts.max_items
            yield "items" in target.one or (most is not None and most <= len(target.many.get("prefixItems", ())))

    def _left_over(self, atoms: Nodes, branches: Nodes) -> bool:
        """Say whether what all other branches refuse is proven to be accepted by one."""
        return 1 < len(branches) <= MAX_EXCLUDED and any(
            self.contained((*atoms, *(refuted(other) for other in branches if other is not each)), each)
            for each in branches
        )

    def _conditional(self, atoms: Nodes, target: Node) -> Iterator[bool]:
        condition = target.one["if"]
        if "then" in target.one:
            yield self.contained((*atoms, condition), target.one["then"])
        if "else" in target.one:
            yield self.contained(atoms, condition) or self.contained(atoms, target.one["else"])

    def _array(self, facts: Facts, target: Node) -> Iterator[bool]:
        words = target.keywords
        yield facts.min_items >= words.get("minItems", 0)
        most = most_items(facts)
        yield "maxItems" not in words or (most is not None and most <= words["maxItems"])
        yield words.get("uniqueItems") is not True or facts.unique or (most is not None and most <= 1)
        prefix = target.many.get("prefixItems", ())
        ends = [most] if most is not None else []
        for index in range(min([max(len(prefix), facts.prefix()), *ends])):
            wanted = prefix[index] if index < len(prefix) else target.one.get("items")
            yield wanted is None or self.below(facts.item(index), wanted) or self.empty_below(facts.item(index))
        if "items" in target.one and (most is None or most > max(len(prefix), facts.prefix())):
            yield self.below(facts.tail(), target.one["items"])
        if "contains" in target.one:
            yield self._contains(facts, target)

    def _contains(self, facts: Facts, target: Node) -> bool:
        wanted, words = target.one["contains"], target.keywords
        least, most = words.get("minContains", 1), words.get("maxContains")
        if most is not None and not (facts.max_items is not None and facts.max_items <= most):
            counted = [atom for atom in facts.atoms if atom.keywords.get("maxContains", most + 1) <= most]
            if not any("contains" in atom.one and self.below((wanted,), atom.one["contains"]) for atom in counted):
                return False
        if least <= 0:
            return True
        for atom in facts.atoms:
            if "contains" in atom.one and atom.keywords.get("minContains", 1) >= least:
                inner = (atom.one["contains"], *(facts.tail() if not facts.prefix() else ()))
                if self.below(inner, wanted):
                    return True
        held = sum(1 for index in range(facts.min_items) if index < 50 and self.below(facts.item(index), wanted))
        return bool(held >= least)

    def _object(self, facts: Facts, target: Node) -> Iterator[bool]:
        words = target.keywords
        yield set(target.required()) <= facts.required
        yield max(facts.min_properties, len(facts.required)) >= words.get("minProperties", 0)
        if "maxProperties" in words:
            yield self._at_most(facts, words["maxProperties"])
        for owner, names in words.get("dependentRequired", {}).items():
            yield self._dependent_required(facts, owner, set(names))
        for owner, each in target.named.get("dependentSchemas", {}).items():
            yield self._absent(facts, owner) or self.contained(self._with(facts, owner), each)
        yield from self._properties(facts, target)
        if "propertyNames" in target.one:
            yield self._names(facts, target.one["propertyNames"])

    def _absent(self, facts: Facts, name: str) -> bool:
        return name not in facts.required and self.empty_below(facts.property(name))

    def _at_most(self, facts: Facts, most: int) -> bool:
        if facts.max_properties is not None and facts.max_properties <= most:
            return True
        return len(facts.names()) <= most and self.closed(facts)

    def closed(self, facts: Facts) -> bool:
        """Say whether no property comes whose name isn't mentioned."""
        return all(self.empty_below(case.nodes) for case in facts.others())

    def _dependent_required(self, facts: Facts, owner: str, names: set[str]) -> bool:
        return (
            names <= facts.required
            or self._absent(facts, owner)
            or names <= self.facts(self._with(facts, owner)).required
        )

    def _with(self, facts: Facts, owner: str) -> Nodes:
        """Add that the value is an object with a property."""
        return (*facts.atoms, TYPE_NODES["object"], self.made.presence(owner))

    def _properties(self, facts: Facts, target: Node) -> Iterator[bool]:
        for name, wanted in target.properties().items():
            yield wanted.trivial or self.below(facts.property(name), wanted)
        rest = target.one.get("additionalProperties")
        if not target.patterns() and (rest is None or rest.trivial):
            return
        single = [name for name in map(exact_name, target.patterns()) if name is not None]
        for name in dict.fromkeys([*facts.names(), *single]):
            met = [(matches(pattern, name), node) for pattern, node in target.patterns().items()]
            yield not any(matched is None for matched, _ in met)
            for matched, node in met:
                yield not matched or self.below(facts.property(name), node)
            if rest is not None and name not in target.properties() and not any(matched for matched, _ in met):
                yield self.below(facts.property(name), rest)
        for case in facts.others():
            for pattern, node in target.patterns().items():
                yield node.trivial or case.never(pattern) or self.below(case.nodes, node)
            if rest is not None and not rest.trivial and not any(map(case.always, target.patterns())):
                yield self.below(case.nodes, rest)

    def _names(self, facts: Facts, wanted: Node) -> bool:
        text = TYPE_NODES["string"]
        named = [atom.one["propertyNames"] for atom in facts.atoms if "propertyNames" in atom.one]
        if named and self.below((*named, text), wanted):
            return True
        mentioned = all(accepts(wanted, name) is True or self._absent(facts, name) for name in facts.names())
        return mentioned and (
            self.below((text,), wanted)
            or all(self.below(self.made.names(case), wanted) or self.empty_below(case.nodes) for case in facts.others())
        )

    def _unevaluated(self, facts: Facts, target: Node, closed: Node) -> bool:
        sure = surely_applied(target)
        if any("additionalProperties" in node.one for node in sure):
            return True
        if any(node is not target and "unevaluatedProperties" in node.one for node in sure):
            return True
        patterns = dict.fromkeys(pattern for node in sure for pattern in node.patterns())
        for name in facts.names():
            named = any(name in node.properties() for node in sure) or any(matches(each, name) for each in patterns)
            if not named and not self.below(facts.property(name), closed):
                return False
        return all(any(map(case.always, patterns)) or self.below(case.nodes, closed) for case in facts.others())

    def _empty(self, facts: Facts) -> bool:
        if not facts.types:
            return True
        finite = self._finite(facts)
        if finite is not None and all(both(accepts(node, each) for node in facts.atoms) is False for each in finite):
            return True
        if all(impossible(self, facts, name) for name in TYPES if name in facts.types):
            return True
        for atom in facts.atoms:
            if "not" in atom.one and self.contained(facts.atoms, atom.one["not"]):
                return True
            # An alternative that all satisfy already leaves the question as it is.
            branches = atom.many.get("anyOf", ())
            told = any(map(facts.include, branches))
            if branches and not told and all(self.empty((*facts.atoms, each)) for each in branches):
                return True
            branches = atom.many.get("oneOf", ())
            if branches and all(self._never_alone(facts.atoms, each, branches) for each in branches):
                return True
        return False

    def _never_alone(self, atoms: Nodes, branch: Node, branches: Nodes) -> bool:
        """Say whether no value meets one of several alternatives and no other: none at all, or one more always."""
        together = (*atoms, branch)
        return self.empty(together) or any(self.contained(together, other) for other in branches if other is not branch)
