"""Every distinct way to be refused, each with the keyword that does it and a value that shows it.

Each way that the walk over the refusing schema finds (``ways``) becomes a question of its own, about its skeleton.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from registry.core.solver import algebra
from registry.core.solver.dialects import LITERAL, MANY, NAMED, ONE, named_by
from registry.core.solver.finding import BUDGET, Budget, Prepared, answer, find, prepare
from registry.core.solver.meaning import UnusableSchema
from registry.core.solver.question import Found, GaveUp, Nothing, Reason, Reasons, Side
from registry.core.solver.search import Parts, candidates_of, read_parts
from registry.core.solver.shrinking import shrunk
from registry.core.solver.validators import CannotValidate, Disagreement, Quick
from registry.core.solver.ways import Ways

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from registry.core.solver.search_graph import Node
    from registry.core.solver.way import Way

Json = Any

MAX_REASONS = 64
STEPS_EACH = 1_500
STEPS_AFTER = 300  # once the same two parts were shown to differ elsewhere, or so many ways could not be shown
MAX_UNSHOWN = 6
CANDIDATES_EACH = 60

_ONES = ONE | {"items", "unevaluatedItems"}


def reasons(accepted_by: Sequence[Side], refused_by: Sequence[Side], budget: Budget = BUDGET) -> Reasons:
    """Return the distinct ways in which a value of ``accepted_by`` is refused by the first of ``refused_by``.

    Each with the keyword's pointer and a value: that it is refused, both validators say; that this keyword does it,
    the quicker one. In the refusing schema's order, at most 64. Empty when no value answers. Where nothing more exact
    can be said, one reason stands at the root.
    """
    if not refused_by:
        return Reasons()
    try:
        prepared = prepare(accepted_by, refused_by[:1], budget)
    except (UnusableSchema, CannotValidate, RecursionError):
        whole = find(accepted_by, refused_by, budget)
        return Reasons(() if isinstance(whole, Nothing) else (Reason("", "", whole, ""),))
    prover = prepared.prover(budget)
    whole = answer(prepared, budget, prover) if len(refused_by) == 1 else find(accepted_by, refused_by, budget)
    if isinstance(whole, Nothing):
        return Reasons(second_prover=whole.proved_by != "engine")
    fallback = Reasons((Reason("", "", whole, ""),))
    if isinstance(whole, Found) and whole.against:
        return fallback  # a walk by the prover that is at fault would say nothing more
    prover.refill(budget.proof_steps)  # what it has proven it still knows
    walk = Ways(prover)
    roots = prepared.graph.roots
    try:
        ways = list(islice(walk.all(roots[: prepared.accepting], roots[prepared.accepting]), MAX_REASONS + 1))
        told = _told(prepared, ways[:MAX_REASONS], budget)
        found = list(told)
    except (CannotValidate, RecursionError):
        return fallback
    if len(ways) > MAX_REASONS or walk.is_cut:
        found.append(Reason("", "", GaveUp(f"there are more than {len(found)} ways to be refused"), ""))
    certain = [reason for reason in found if isinstance(reason.answer, Found)]
    if isinstance(whole, Found) and not certain:
        return fallback
    return Reasons(tuple(found), told.second_prover) if found else fallback


def _told(prepared: Prepared, ways: Sequence[Way], budget: Budget) -> Reasons:
    """Ask whether each way is one, in their order; those are left out that are proven to refuse nothing."""
    accepting, refusing = prepared.schemas()
    alone = [_Alone(each) for each in (*accepting, refusing[0])]
    rows = _candidates_each(accepting, refusing[0], ways)
    told: dict[int, Reason] = {}
    shown: set[tuple[str, str | None]] = set()
    unshown = 0
    second_prover = False
    # The nearest place first: where one part is used at many places, one value is worth most of the search.
    for index in sorted(range(len(ways)), key=lambda each: len(ways[each].path)):
        way = ways[index]
        parts = (way.pointer, way.accepting_pointer)
        text = str(way.skeleton)
        # What a dynamic reference names depends on all that leads to it: then the whole document comes along.
        document = alone[-1].beside_all(way.skeleton) if "$dynamicRef" in text else alone[-1].standing(way.skeleton)
        steps = STEPS_EACH if parts not in shown and unshown < MAX_UNSHOWN else STEPS_AFTER
        found = _show(prepared, candidates_of(*rows[index], steps), way, document)
        if isinstance(found, Found):
            shown.add(parts)
        elif budget.second_prover and unshown < MAX_UNSHOWN and LITERAL not in text:
            about = [alone[at].standing(schema) for at, schema in _chosen(way, len(accepting))]
            if algebra.is_contained([*accepting, *about], document):
                second_prover = True
                continue
        unshown += not isinstance(found, Found)
        pointer = way.instance_pointer(found.value if isinstance(found, Found) else None)
        told[index] = Reason(way.pointer, way.keyword, found, way.accepting_pointer, pointer, way.path, way.among)
    return Reasons(tuple(told[index] for index in sorted(told)), second_prover)


def _candidates_each(accepting: Sequence[Json], refusing: Json, ways: Sequence[Way]) -> list[tuple[list[Node], Node]]:
    """Return what is to be accepted and refused for each way: its alternatives too, and its skeleton."""
    chosen = [_chosen(way, len(accepting)) for way in ways]
    sides = [Parts({}, []) for _ in accepting]
    for at in {at for row in chosen for at, _ in row}:
        schemas = [_moved(schema) for row in chosen for each, schema in row if each == at]
        sides[at] = Parts({"whole": _moved(accepting[at])}, schemas)
    refused = Parts({"whole": _moved(refusing)}, [_moved(way.skeleton) for way in ways])
    roots, parts = read_parts(accepting, [*sides, refused])
    left = list(map(iter, parts))
    return [([*roots, *(next(left[at]) for at, _ in row)], next(left[-1])) for row in chosen]


def _chosen(way: Way, documents: int) -> list[tuple[int, Json]]:
    """Return the alternatives that a way is about, each with the position of its document; none that a proof made."""
    return [(each.branch.document, each.schema) for each in way.chosen if 0 <= each.branch.document < documents]


def _show(prepared: Prepared, values: Iterator[Json], way: Way, document: Json) -> Found | GaveUp:
    keyword: Quick | None = None
    try:
        for value in islice(values, CANDIDATES_EACH):
            try:
                if not way.is_about(value) or not prepared.fits(value):
                    continue
            except Disagreement:
                continue
            # That something refuses it, both validators have said; that it is this keyword, the quicker one says.
            keyword = keyword or Quick(document)
            if not keyword.accepts(value):
                return Found(shrunk(value, partial(_still_shows, prepared, way, keyword)))
    except (CannotValidate, RecursionError) as problem:
        return GaveUp(str(problem) or "the schemas are nested too deep to search")
    return GaveUp("neither a value nor a proof was found within the budget")


@dataclass(slots=True)
class _Alone:
    """Parts of one document as documents of their own, with only what they refer to: the document may be large."""

    root: Json
    names: dict[str, str] = field(default_factory=dict)
    _definitions: dict[str, tuple[Json, list[str]]] = field(default_factory=dict)

    def standing(self, skeleton: Json) -> Json:
        """Return a skeleton with the definitions that it needs."""
        body, left = self._renamed(skeleton)
        definitions: dict[str, Json] = {}
        while left:
            reference = left.pop()
            if self.names[reference] not in definitions:
                if reference not in self._definitions:
                    self._definitions[reference] = self._renamed(named_by(self.root, reference[1:]))
                definitions[self.names[reference]], further = self._definitions[reference]
                left += further
        return {"$defs": definitions, "allOf": [body]} if definitions else body

    def beside_all(self, skeleton: Json) -> Json:
        """Return a skeleton with the whole document as its one definition."""
        return {"$defs": {"whole": _moved(self.root)}, "allOf": [_moved(skeleton)]}

    def _renamed(self, schema: Json) -> tuple[Json, list[str]]:
        """Point references at short names; return them too."""
        met: list[str] = []

        def renamed(reference: str) -> str:
            met.append(reference)
            return "#/$defs/" + self.names.setdefault(reference, str(len(self.names)))

        return _moved(schema, renamed), met


def _still_shows(prepared: Prepared, way: Way, keyword: Quick, value: Json) -> bool:
    try:
        return way.is_about(value) and not keyword.accepts(value) and prepared.surely_fits(value)
    except CannotValidate:
        return False


def _moved(schema: Json, renamed: Callable[[str], str] = lambda reference: "#/$defs/whole" + reference[1:]) -> Json:
    """Point references at what they name in its new place; constants that look like references stay as they are."""
    if not isinstance(schema, dict):
        return schema
    result: dict[str, Json] = {}
    for keyword, value in schema.items():
        if keyword == "$ref":
            result[keyword] = renamed(value)
        elif keyword in MANY:
            result[keyword] = [_moved(each, renamed) for each in value]
        elif keyword in NAMED:
            result[keyword] = {name: _moved(each, renamed) for name, each in value.items()}
        else:
            result[keyword] = _moved(value, renamed) if keyword in _ONES else value
    return result
