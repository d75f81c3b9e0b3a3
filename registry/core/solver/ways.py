"""Every way in which a schema may refuse what others accept: one keyword at one place of the value.

The refusing schema is walked beside what is known of the value at each place, and whatever is proven to hold is passed
by. Each way holds the *skeleton* of the refusing schema: the path to that keyword and nothing else. A value that the
skeleton refuses, the whole refuses too.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from registry.core.solver.conjunction import in_place
from registry.core.solver.dialects import LITERAL, token
from registry.core.solver.facts import exact_name, matches, may_evaluate
from registry.core.solver.graph import NEVER, NUMBERS, TYPE_NODES, Kind, Node
from registry.core.solver.leaves import finite_values
from registry.core.solver.way import Place, Step, Way

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from registry.core.solver.facts import Facts
    from registry.core.solver.proof import Prover

Json = Any

MAX_DEPTH = 40
MAX_VISITS = 4_000
PROOF_STEPS_EACH = 400
EMPTY_STEPS_EACH = 40
MAX_CASES = 4  # of the accepting side that are gone through one by one

_LEAVES = (
    *("type", "enum", "const", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"),
    *("maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems", "maxProperties", "minProperties"),
    *("dependentRequired", "propertyNames", "not", "unevaluatedItems"),
)
_TOGETHER = {"contains": ("contains", "minContains", "maxContains"), "if": ("if", "then", "else")}


@dataclass(frozen=True, slots=True)
class _Case:
    """What is accepted, narrowed to one type and one alternative."""

    nodes: tuple[Node, ...]
    type: Node
    branch: Node | None


@dataclass(slots=True)
class Ways:
    """One walk, place by place. A pair of nodes that is met again inside of itself is passed by."""

    prover: Prover
    open: set[tuple[frozenset[Kind], Kind]] = field(default_factory=set)
    asked: dict[tuple[frozenset[Kind], Kind], bool] = field(default_factory=dict)
    visits: int = 0

    @property
    def is_cut(self) -> bool:
        """Whether there were more places than are walked."""
        return self.visits > MAX_VISITS

    def all(self, accepting: Sequence[Node], target: Node) -> Iterator[Way]:
        """Yield the ways in which the target may refuse what all of ``accepting`` accept, each once."""
        told: set[tuple[str, str | None, tuple[str, ...]]] = set()
        place = Place(lambda inner: inner, (), accepting[0].resolved.pointer if accepting else None)
        for way in self._at(accepting, target, place):
            key = (way.pointer, way.accepting_pointer, way.path)
            if key not in told:
                told.add(key)
                yield way

    def _at(self, nodes: Sequence[Node], target: Node, place: Place) -> Iterator[Way]:
        target = target.resolved
        facts = self.prover.facts(nodes)
        pair = (frozenset(atom.kind for atom in facts.atoms), target.kind)
        if pair in self.open or self.is_cut or self._proven(nodes, target):
            return
        self.visits += 1 if len(place.steps) <= MAX_DEPTH else MAX_VISITS
        self.open.add(pair)
        cases = (
            [] if target.many.keys() & {"anyOf", "oneOf"} else list(islice(self._narrowed(tuple(nodes)), MAX_CASES + 1))
        )
        if len(cases) <= MAX_CASES and any(branch is not None for _, branch in cases):
            for narrowed, branch in cases:
                yield from self._at(narrowed, target, place.of_case(branch))
        else:
            yield from self._inside(facts, nodes, target, place)
        self.open.discard(pair)

    def _inside(self, facts: Facts, nodes: Sequence[Node], target: Node, place: Place) -> Iterator[Way]:
        if target.false:
            yield place.way(target, "", False)
            return
        if target.reference:
            yield from self._at(nodes, target.reference, place)
        for each in target.many.get("allOf", ()):
            yield from self._at(nodes, each, place)
        for name in target.required():
            if name not in facts.required:
                index = target.keywords["required"].index(name)
                yield place.way(target, f"/required/{index}", {"required": [name]})
        for keyword in _LEAVES:
            if keyword in target.keywords:
                rule = {keyword: target.keywords[keyword]}
                if not self._proven(facts.atoms, self._alone(target, rule)):
                    yield place.way(target, f"/{keyword}", rule)
        for keyword in ("anyOf", "oneOf"):
            if keyword in target.many:
                yield from self._alternatives(facts, target, keyword, place)
        for keyword, together in _TOGETHER.items():
            if keyword in target.keywords:
                rule = {each: target.keywords[each] for each in together if each in target.keywords}
                if not self._proven(facts.atoms, self._alone(target, rule)):
                    yield place.way(target, f"/{keyword}", rule)
        if "object" in facts.types:
            yield from self._object(facts, target, place)
        if "array" in facts.types:
            yield from self._array(facts, target, place)

    def _proven(self, nodes: Iterable[Node], target: Node) -> bool:
        """Ask once: a proof that ran out of steps runs out of them again at the next place with the same parts."""
        facts = self.prover.facts(nodes)
        pair = (frozenset(atom.kind for atom in facts.atoms), target.resolved.kind)
        if pair not in self.asked:
            self.asked[pair] = self.prover.contained_within(PROOF_STEPS_EACH, facts.atoms, target)
        return self.asked[pair]

    def _empty(self, nodes: Iterable[Node]) -> bool:
        return self.prover.contained_within(EMPTY_STEPS_EACH, nodes, NEVER)

    def _alone(self, target: Node, rule: Json) -> Node:
        """Make the node that has some of a node's keywords only."""
        kept = set(rule) | ({LITERAL} if "type" in rule else set())
        return Node(
            target.pointer,
            {name: value for name, value in target.keywords.items() if name in kept},
            target.document,
            kind=self.prover.made.fresh(("alone", target.kind, *sorted(rule))),
            one={name: node for name, node in target.one.items() if name in rule},
            many={name: row for name, row in target.many.items() if name in rule},
        )

    def _alternatives(self, facts: Facts, target: Node, row: str, place: Place) -> Iterator[Way]:
        """Go on inside the only alternative that a case leaves; where several are left, tell of the keyword itself."""
        rule = {row: target.keywords[row]}
        alone = self._alone(target, rule)
        if self._proven(facts.atoms, alone):
            return
        branches, written = target.many[row], target.keywords[row]
        undecided = False
        for case in self._cases(facts):
            if self._proven(case.nodes, alone):
                continue
            left = self._fitting(case, branches)
            if len(left) != 1:
                undecided = True
                continue
            # Refused by every alternative is refused, also where exactly one is wanted.
            others = [each for index, each in enumerate(written) if index != left[0]]
            inside = place.around(lambda inner, others=others: {"anyOf": [*others, inner]})  # type: ignore[misc]
            yield from self._at(case.nodes, branches[left[0]], inside.of_case(case.branch))
        if undecided:
            yield place.way(target, f"/{row}", rule)

    def _cases(self, facts: Facts) -> Iterator[_Case]:
        """Yield the accepting side by type and by the alternatives of its own."""
        for name, node in TYPE_NODES.items():
            if name not in facts.types and not (name == "number" and facts.types & NUMBERS):
                continue
            for nodes, branch in self._narrowed((*facts.atoms, node)):
                yield _Case(nodes, node, branch)

    def _narrowed(self, nodes: tuple[Node, ...]) -> Iterator[tuple[tuple[Node, ...], Node | None]]:
        """Yield a conjunction alternative by alternative, each with the last one that was taken.

        Those that can't be are left out; where only one can, it is taken, and that may decide the next.
        """
        taken: Node | None = None
        while True:
            facts = self.prover.facts(nodes)
            rows = [atom.many[row] for atom in facts.atoms for row in ("anyOf", "oneOf") if row in atom.many]
            open_rows = [row for row in rows if not any(map(facts.include, row))]
            left = [[each for each in row if not self._empty((*nodes, each))] for row in open_rows]
            single = next((row[0] for row in left if len(row) == 1), None)
            if single is None:
                break
            nodes, taken = (*nodes, single), single
        if not all(left):
            return
        if not left:
            yield nodes, taken
        else:
            yield from (((*nodes, branch), branch) for branch in left[0])

    def _fitting(self, case: _Case, branches: Sequence[Node]) -> list[int]:
        """Return the positions of the alternatives for a case: by its type, then by what it fixes properties to."""
        left = [index for index, branch in enumerate(branches) if not self._empty((case.type, branch))]
        if len(left) < 2:
            return left
        facts = self.prover.facts(case.nodes)
        fixed = []
        for name in sorted(facts.required):
            values = finite_values(self.prover.facts(facts.property(name)))
            if values is not None and len(values) == 1:
                fixed.append(self.prover.made.constant(name, values[0]))
        return [index for index in left if not fixed or not self._empty((case.type, *fixed, branches[index]))]

    def _object(self, facts: Facts, target: Node, place: Place) -> Iterator[Way]:
        for name, node in target.properties().items():
            yield from self._property(facts, name, node, place)
        for pattern, node in target.patterns().items():
            yield from self._pattern(facts, pattern, node, target, place)
        for owner, node in target.named.get("dependentSchemas", {}).items():
            if not self._proven(facts.atoms, node):
                rule = {"dependentSchemas": {owner: target.keywords["dependentSchemas"][owner]}}
                yield place.way(target, f"/dependentSchemas/{token(owner)}", rule)
        yield from self._additional(facts, target, place)
        yield from self._unevaluated(facts, target, place)

    def _property(self, facts: Facts, name: str, node: Node, place: Place) -> Iterator[Way]:
        nodes = facts.property(name)
        step = place.below(lambda inner: {"properties": {name: inner}}, Step(f".{name}", name), nodes)
        if not nodes and node.resolved.false:
            step = replace(step, accepting_pointer=place.accepting_pointer)
        yield from self._at(nodes, node, step)

    def _pattern(self, facts: Facts, pattern: str, node: Node, target: Node, place: Place) -> Iterator[Way]:
        if node.trivial:
            return
        rule = {"patternProperties": {pattern: target.keywords["patternProperties"][pattern]}}
        single = exact_name(pattern)
        for name in dict.fromkeys([*facts.names(), *([] if single is None else [single])]):
            if matches(pattern, name) is None:
                yield place.way(target, f"/patternProperties/{token(pattern)}", rule)
                return
            if matches(pattern, name):
                yield from self._property(facts, name, node, place)
        step = Step("{}", names=lambda name: matches(pattern, name) is True)
        for case in facts.others():
            if not case.never(pattern):
                inside = place.below(lambda inner: {"patternProperties": {pattern: inner}}, step, case.nodes)
                yield from self._at(case.nodes, node, inside)

    def _additional(self, facts: Facts, target: Node, place: Place) -> Iterator[Way]:
        rest = target.one.get("additionalProperties")
        if rest is None or rest.trivial:
            return
        yield from self._each_other(facts, rest, place, lambda name: not _describes(target, name))
        patterns = target.patterns()
        named = {"properties": dict.fromkeys(target.properties(), True)}
        named |= {"patternProperties": dict.fromkeys(patterns, True)} if patterns else {}
        cases = [case for case in facts.others() if not any(map(case.always, patterns))]
        if rest.resolved.false:
            if not all(self._proven(case.nodes, rest) for case in cases):
                yield place.way(target, "/additionalProperties", {**named, "additionalProperties": False})
            return
        step = Step("{}", names=lambda name: not _describes(target, name))
        for case in cases:
            inside = place.below(lambda inner: {**named, "additionalProperties": inner}, step, case.nodes)
            yield from self._at(case.nodes, rest, inside)

    def _unevaluated(self, facts: Facts, target: Node, place: Place) -> Iterator[Way]:
        rest = target.one.get("unevaluatedProperties")
        if rest is None or rest.trivial:
            return
        yield from self._each_other(facts, rest, place, lambda name: not may_evaluate(target, name))
        together = in_place(target)
        if any("additionalProperties" in node.one for node in together):
            return
        patterns = {pattern: True for node in together for pattern in node.patterns()}
        if all(any(map(case.always, patterns)) or self._proven(case.nodes, rest) for case in facts.others()):
            return
        names = {name: True for node in together for name in node.properties()}
        rule = {"properties": names, "patternProperties": patterns}
        rule["unevaluatedProperties"] = target.keywords["unevaluatedProperties"]
        yield place.way(target, "/unevaluatedProperties", rule)

    def _each_other(self, facts: Facts, rest: Node, place: Place, is_meant: Callable[[str], bool]) -> Iterator[Way]:
        """Yield what is refused of each property that only the accepting side names."""
        for name in facts.names():
            if is_meant(name):
                yield from self._property(facts, name, rest, place)

    def _array(self, facts: Facts, target: Node, place: Place) -> Iterator[Way]:
        prefix = target.many.get("prefixItems", ())
        for index, node in enumerate(prefix):
            inside = place.below(_at_position(index), Step(f"[{index}]", str(index)), facts.item(index))
            yield from self._at(facts.item(index), node, inside)
        if "items" in target.one:
            above = {"prefixItems": [True] * len(prefix)} if prefix else {}
            nodes = facts.item(max(len(prefix), facts.prefix()))
            inside = place.below(lambda inner: {**above, "items": inner}, Step("[]", str(len(prefix))), nodes)
            for index in range(len(prefix), facts.prefix()):
                yield from self._at(facts.item(index), target.one["items"], inside)
            yield from self._at(nodes, target.one["items"], inside)


def _at_position(index: int) -> Callable[[Json], Json]:
    return lambda inner: {"prefixItems": [*([True] * index), inner]}


def _describes(node: Node, name: str) -> bool:
    """Say whether a node's ``additionalProperties`` may pass a name by."""
    return name in node.properties() or any(matches(pattern, name) is not False for pattern in node.patterns())
