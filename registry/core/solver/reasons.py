"""Every distinct way to be refused: which keyword does it, and a value that shows it.

The refusing schema is walked beside what is known of the value at each place, and whatever is proven to hold is passed
by. What is left becomes a question of its own: the *skeleton* of the refusing schema that holds only the path to that
keyword. A value that the skeleton refuses, the whole refuses too.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from registry.core.solver import algebra
from registry.core.solver.conjunction import in_place
from registry.core.solver.dialects import LITERAL, token
from registry.core.solver.facts import gather, matches, may_evaluate
from registry.core.solver.finding import BUDGET, Budget, Prepared, answer, find, prepare
from registry.core.solver.graph import Kind, Node
from registry.core.solver.meaning import UnusableSchema
from registry.core.solver.proof import Prover
from registry.core.solver.question import Found, GaveUp, Nothing, Reason, Side
from registry.core.solver.search import candidates_each
from registry.core.solver.validators import CannotValidate, Disagreement, accepts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from registry.core.solver.facts import Facts

Json = Any

MAX_REASONS = 64
MAX_DEPTH = 40
MAX_VISITS = 4_000
PROOF_STEPS_EACH = 400
STEPS_EACH = 1_500
CANDIDATES_EACH = 60

_LEAVES = (
    *("type", "enum", "const", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"),
    *("maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems", "maxProperties", "minProperties"),
    *("dependentRequired", "propertyNames", "not", "anyOf", "oneOf", "unevaluatedItems"),
)
_REFERENCES = ("$ref", "$dynamicRef")
_TOGETHER = {"contains": ("contains", "minContains", "maxContains"), "if": ("if", "then", "else")}


@dataclass(frozen=True, slots=True)
class _Leaf:
    """One keyword that may refuse: where it stands, and the skeleton that holds nothing else."""

    pointer: str
    keyword: str
    skeleton: Json
    accepting_pointer: str | None
    instance_pointer: str


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the walk stands: in the value, in the accepting schema, and how to build a skeleton around it."""

    build: Callable[[Json], Json]
    instance_pointer: str
    accepting_pointer: str | None
    depth: int

    def below(self, wrap: Callable[[Json], Json], step: str, nodes: Sequence[Node]) -> _Place:
        """Go down into a part of the value."""
        build = self.build
        pointer = nodes[0].resolved.pointer if nodes else None
        return _Place(lambda inner: build(wrap(inner)), self.instance_pointer + step, pointer, self.depth + 1)


def reasons(accepted_by: Sequence[Side], refused_by: Sequence[Side], budget: Budget = BUDGET) -> tuple[Reason, ...]:
    """Return the distinct ways in which a value of ``accepted_by`` is refused by the first of ``refused_by``.

    Each with a value (checked by both validators) and the keyword's pointer, in the refusing schema's order; at most
    64. Empty when no value answers. Where nothing more exact can be said, one reason stands at the root.
    """
    if not refused_by:
        return ()
    try:
        prepared = prepare(accepted_by, refused_by[:1], budget)
    except (UnusableSchema, CannotValidate, RecursionError):
        whole = find(accepted_by, refused_by, budget)
        return () if isinstance(whole, Nothing) else (Reason("", "", whole, ""),)
    whole = answer(prepared, budget) if len(refused_by) == 1 else find(accepted_by, refused_by, budget)
    if isinstance(whole, Nothing):
        return ()
    fallback = (Reason("", "", whole, ""),)
    walk = _Walk(prepared, Prover(budget.proof_steps, prepared.graph.spells))
    try:
        leaves = list(islice(walk.leaves(), MAX_REASONS + 1))
        found = list(_told(prepared, leaves[:MAX_REASONS]))
    except (CannotValidate, RecursionError):
        return fallback
    if len(leaves) > MAX_REASONS or walk.is_cut:
        found.append(Reason("", "", GaveUp(f"there are more than {len(found)} ways to be refused"), ""))
    certain = [reason for reason in found if isinstance(reason.answer, Found)]
    if isinstance(whole, Found) and not certain:
        return fallback
    return tuple(found) or fallback


def _told(prepared: Prepared, leaves: Sequence[_Leaf]) -> Iterator[Reason]:
    """Ask the leaves' questions, in their order; those are left out whose keyword is proven to refuse nothing."""
    accepting, refusing = prepared.schemas()
    common = {"$defs": {"whole": _moved(refusing[0])}}
    skeletons = [_moved(leaf.skeleton) for leaf in leaves]
    rows = candidates_each(accepting, skeletons, STEPS_EACH, common)
    for leaf, skeleton, values in zip(leaves, skeletons, rows, strict=True):
        text = str(skeleton)
        document = {**common, "allOf": [skeleton]} if any(each in text for each in _REFERENCES) else skeleton
        shown = _show(prepared, values, document)
        if isinstance(shown, GaveUp) and LITERAL not in text and algebra.is_contained(accepting, document):
            continue
        yield Reason(leaf.pointer, leaf.keyword, shown, leaf.accepting_pointer, leaf.instance_pointer)


def _show(prepared: Prepared, values: Iterator[Json], document: Json) -> Found | GaveUp:
    try:
        for value in islice(values, CANDIDATES_EACH):
            try:
                if prepared.fits(value) and _refuses(document, value):
                    return Found(value)
            except Disagreement:
                continue
    except (CannotValidate, RecursionError) as problem:
        return GaveUp(str(problem) or "the schemas are nested too deep to search")
    return GaveUp("neither a value nor a proof was found within the budget")


def _inside(keyword: str, name: str) -> Callable[[Json], Json]:
    return lambda inner: {keyword: {name: inner}}


def _at_position(index: int) -> Callable[[Json], Json]:
    return lambda inner: {"prefixItems": [*([True] * index), inner]}


def _describes(node: Node, name: str) -> bool:
    """Say whether a node's ``additionalProperties`` may pass a name by."""
    return name in node.properties() or any(matches(pattern, name) is not False for pattern in node.patterns())


def _refuses(document: Json, value: Json) -> bool:
    """Say whether it is this keyword that refuses, not another one beside it."""
    return not accepts(document, value)


def _moved(schema: Json) -> Json:
    """Point references at the whole document's new place."""
    if isinstance(schema, list):
        return [_moved(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: "#/$defs/whole" + value[1:] if name == "$ref" and isinstance(value, str) else _moved(value)
        for name, value in schema.items()
    }


@dataclass(slots=True)
class _Walk:
    """One walk over the refusing schema, place by place; a pair that is met again inside of itself is passed by."""

    prepared: Prepared
    prover: Prover
    open: set[tuple[frozenset[Kind], Kind]] = field(default_factory=set)
    visits: int = 0

    @property
    def is_cut(self) -> bool:
        """Whether there were more places than are walked."""
        return self.visits > MAX_VISITS

    def leaves(self) -> Iterator[_Leaf]:
        roots = self.prepared.graph.roots
        accepting = roots[: self.prepared.accepting]
        place = _Place(lambda inner: inner, "", accepting[0].resolved.pointer if accepting else None, 0)
        yield from self.at(accepting, roots[self.prepared.accepting], place)

    def at(self, nodes: Sequence[Node], target: Node, place: _Place) -> Iterator[_Leaf]:
        target = target.resolved
        facts = gather(nodes)
        pair = (frozenset(atom.kind for atom in facts.atoms), target.kind)
        if pair in self.open or self.is_cut or self._proven(nodes, target):
            return
        self.visits += 1 if place.depth <= MAX_DEPTH else MAX_VISITS
        self.open.add(pair)
        yield from self._inside(facts, nodes, target, place)
        self.open.discard(pair)

    def _inside(self, facts: Facts, nodes: Sequence[Node], target: Node, place: _Place) -> Iterator[_Leaf]:
        if target.false:
            yield self._leaf(target, "", False, place)
            return
        if target.reference:
            yield from self.at(nodes, target.reference, place)
        for each in target.many.get("allOf", ()):
            yield from self.at(nodes, each, place)
        for name in target.required():
            if name not in facts.required:
                index = target.keywords["required"].index(name)
                yield self._leaf(target, f"/required/{index}", {"required": [name]}, place)
        for keyword in _LEAVES:
            if keyword in target.keywords:
                yield from self._checked(facts, target, keyword, {keyword: target.keywords[keyword]}, place)
        for keyword, together in _TOGETHER.items():
            if keyword in target.keywords:
                rule = {each: target.keywords[each] for each in together if each in target.keywords}
                yield from self._checked(facts, target, keyword, rule, place)
        if "object" in facts.types:
            yield from self._object(facts, target, place)
        if "array" in facts.types:
            yield from self._array(facts, target, place)

    def _proven(self, nodes: Sequence[Node], target: Node) -> bool:
        return self.prover.contained_within(PROOF_STEPS_EACH, nodes, target)

    def _checked(self, facts: Facts, target: Node, keyword: str, rule: Json, place: _Place) -> Iterator[_Leaf]:
        """Yield a keyword unless it is proven to hold by itself."""
        alone = self._alone(target, rule)
        if not self._proven(facts.atoms, alone):
            yield self._leaf(target, f"/{token(keyword)}", rule, place)

    def _alone(self, target: Node, rule: Json) -> Node:
        """Make the node that has some of a node's keywords only."""
        kept = set(rule) | ({LITERAL} if "type" in rule else set())
        return Node(
            target.pointer,
            {name: value for name, value in target.keywords.items() if name in kept},
            target.document,
            kind=self.prover.fresh(("alone", target.kind, *sorted(rule))),
            one={name: node for name, node in target.one.items() if name in rule},
            many={name: row for name, row in target.many.items() if name in rule},
        )

    def _object(self, facts: Facts, target: Node, place: _Place) -> Iterator[_Leaf]:
        for name, node in target.properties().items():
            nodes = facts.property(name)
            step = place.below(_inside("properties", name), f"/{token(name)}", nodes)
            yield from self.at(nodes, node, step)
        for pattern, node in target.patterns().items():
            rule = {"patternProperties": {pattern: target.keywords["patternProperties"][pattern]}}
            if not node.trivial:
                yield self._leaf(target, f"/patternProperties/{token(pattern)}", rule, place)
        for owner in target.named.get("dependentSchemas", {}):
            rule = {"dependentSchemas": {owner: target.keywords["dependentSchemas"][owner]}}
            yield self._leaf(target, f"/dependentSchemas/{token(owner)}", rule, place)
        rest = target.one.get("additionalProperties")
        if rest is not None and not rest.trivial:
            yield from self._each_other(facts, rest, place, lambda name: _describes(target, name))
        if rest is not None and not rest.trivial and self._others_left(facts, rest):
            named = {"properties": dict.fromkeys(target.properties(), True)}
            named |= {"patternProperties": dict.fromkeys(target.patterns(), True)} if target.patterns() else {}
            rule = {**named, "additionalProperties": target.keywords["additionalProperties"]}
            yield self._leaf(target, "/additionalProperties", rule, place)
        closed = target.one.get("unevaluatedProperties")
        if closed is not None and not closed.trivial:
            yield from self._each_other(facts, closed, place, lambda name: may_evaluate(target, name))
        if closed is not None and not closed.trivial and self._others_left(facts, closed):
            names = {name: True for node in in_place(target) for name in node.properties()}
            patterns = {pattern: True for node in in_place(target) for pattern in node.patterns()}
            rule = {"properties": names, "patternProperties": patterns}
            rule["unevaluatedProperties"] = target.keywords["unevaluatedProperties"]
            if not any("additionalProperties" in node.one for node in in_place(target)):
                yield self._leaf(target, "/unevaluatedProperties", rule, place)

    def _each_other(self, facts: Facts, rest: Node, place: _Place, is_named: Callable[[str], bool]) -> Iterator[_Leaf]:
        """Yield what is refused of each property that only the accepting side names."""
        for name in facts.names():
            if not is_named(name):
                nodes = facts.property(name)
                step = place.below(_inside("properties", name), f"/{token(name)}", nodes)
                yield from self.at(
                    nodes, rest, step if nodes else replace(step, accepting_pointer=place.accepting_pointer)
                )

    def _others_left(self, facts: Facts, rest: Node) -> bool:
        """Say whether a property that nobody names may come and isn't proven to be accepted."""
        return not all(self._proven(case.nodes, rest) for case in facts.others())

    def _array(self, facts: Facts, target: Node, place: _Place) -> Iterator[_Leaf]:
        prefix = target.many.get("prefixItems", ())
        for index, node in enumerate(prefix):
            step = place.below(_at_position(index), f"/{index}", facts.item(index))
            yield from self.at(facts.item(index), node, step)
        if "items" in target.one:
            above = [True] * len(prefix)
            wrapped = {"prefixItems": above} if above else {}
            nodes = facts.item(max(len(prefix), facts.prefix()))
            step = place.below(lambda inner: {**wrapped, "items": inner}, f"/{len(prefix)}", nodes)
            for index in range(len(prefix), facts.prefix()):
                yield from self.at(facts.item(index), target.one["items"], step)
            yield from self.at(nodes, target.one["items"], step)

    def _leaf(self, target: Node, step: str, rule: Json, place: _Place) -> _Leaf:
        keyword = step[1:].split("/", 1)[0] if step else "false"
        return _Leaf(
            self._original(target, step), keyword, place.build(rule), place.accepting_pointer, place.instance_pointer
        )

    def _original(self, target: Node, step: str) -> str:
        """Return the pointer of a keyword in the schema as it was given."""
        return target.pointer + step
