"""One question, answered: a proof first, then a search for a value, then the second prover."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from registry.core.solver import algebra
from registry.core.solver.closing import close
from registry.core.solver.facts import gather
from registry.core.solver.graph import Graph, build
from registry.core.solver.leaves import finite_values
from registry.core.solver.meaning import Meaning, UnusableSchema, normalise
from registry.core.solver.proof import OutOfBudgetError, Prover
from registry.core.solver.question import Answer, Found, GaveUp, Nothing, Side
from registry.core.solver.search import candidates
from registry.core.solver.shrinking import shrunk
from registry.core.solver.validators import CannotValidate, Disagreement, Pair

if TYPE_CHECKING:
    from collections.abc import Sequence

Json = Any


@dataclass(frozen=True, slots=True)
class Budget:
    """How much work an answer may take, in steps: the same on every machine.

    ``second_prover``: whether ``jsonschema-rs`` may prove what this engine gave up on. ``check_steps`` is how long a
    value against a proof of ours is looked for all the same: a checked value outweighs every proof.
    """

    proof_steps: int = 10_000
    search_steps: int = 6_000
    max_nodes: int = 20_000
    max_paths: int = 100_000
    max_candidates: int = 400
    check_steps: int = 60
    second_prover: bool = True


BUDGET = Budget()
MAX_LISTED = 64


@dataclass(frozen=True, slots=True)
class Prepared:
    """A question whose schemas are read: what they mean (closed where asked), and the validators that check values."""

    meanings: tuple[Meaning, ...]
    checks: tuple[Pair, ...]
    accepting: int
    graph: Graph

    def schemas(self) -> tuple[list[Json], list[Json]]:
        """Return the accepting and the refusing documents."""
        found = [meaning.schema for meaning in self.meanings]
        return found[: self.accepting], found[self.accepting :]

    def prover(self, budget: Budget) -> Prover:
        """Return a prover of this question, with all steps of a budget."""
        return Prover(budget.proof_steps, self.graph.spells)

    def fits(self, value: Json) -> bool:
        """Say whether both validators see a value accepted by all and refused by all.

        Raises Disagreement, CannotValidate.
        """
        accept, refuse = self.checks[: self.accepting], self.checks[self.accepting :]
        # The quick one sorts out most guesses; what it lets through, both must say.
        if not all(pair.probably_accepts(value) for pair in accept):
            return False
        if any(pair.probably_accepts(value) for pair in refuse):
            return False
        return all(pair.accepts(value) for pair in accept) and not any(pair.accepts(value) for pair in refuse)

    def surely_fits(self, value: Json) -> bool:
        """Say whether a value fits; one that the validators can't agree about doesn't."""
        try:
            return self.fits(value)
        except (CannotValidate, Disagreement):
            return False


def prepare(accepted_by: Sequence[Side], refused_by: Sequence[Side], budget: Budget) -> Prepared:
    """Read all schemas of a question.

    Raises UnusableSchema, CannotValidate.
    """
    sides = (*accepted_by, *refused_by)
    read = [normalise(side.schema) for side in sides]  # first: it names the reference that can't be followed
    written = [Pair(side.schema) for side in sides]  # these say whether it is a schema at all
    meanings = [
        close(meaning) if side.undeclared == "absent" else meaning for side, meaning in zip(sides, read, strict=True)
    ]
    checks = [
        Pair(meaning.schema) if side.undeclared == "absent" else pair
        for side, meaning, pair in zip(sides, meanings, written, strict=True)
    ]
    graph = build(meanings)
    if graph.size > budget.max_nodes:
        raise UnusableSchema(f"the schemas have over {budget.max_nodes} parts", "")
    if graph.paths() > budget.max_paths:
        # One validator goes down every path: references that fan out again and again would keep it busy for ever.
        raise UnusableSchema(f"over {budget.max_paths} paths lead through references at one place", "")
    return Prepared(tuple(meanings), tuple(checks), len(accepted_by), graph)


def find(accepted_by: Sequence[Side], refused_by: Sequence[Side], budget: Budget = BUDGET) -> Answer:
    """Find a value that all of ``accepted_by`` accept and all of ``refused_by`` refuse.

    Returns Found (checked by two validators), Nothing (proven), or GaveUp with the reason. Deterministic; never
    raises for a schema, however hostile.
    """
    if _any_shared(accepted_by, refused_by):
        return Nothing()
    try:
        prepared = prepare(accepted_by, refused_by, budget)
    except (UnusableSchema, CannotValidate) as problem:
        return Nothing() if _decided_by_one(accepted_by, refused_by, budget) else GaveUp(str(problem))
    except RecursionError:
        return GaveUp("the schemas are nested too deep")
    return answer(prepared, budget, prepared.prover(budget))


def answer(prepared: Prepared, budget: Budget, prover: Prover) -> Answer:
    """Answer a question that is read: prove, or else search, or else ask the algebra."""
    if proven_by_structure(prepared, prover):
        refuted = search(prepared, replace(budget, search_steps=budget.check_steps))
        return Found(refuted.value, against="engine") if isinstance(refuted, Found) else Nothing()
    found = search(prepared, budget)
    if isinstance(found, Found) or not budget.second_prover:
        return found
    return Nothing("jsonschema-rs") if _proven_by_algebra(prepared) else found


def _decided_by_one(accepted_by: Sequence[Side], refused_by: Sequence[Side], budget: Budget) -> bool:
    """Say whether one schema alone settles it, where another can't be read: it accepts nothing, or refuses nothing."""
    if any(side.schema is True or side.schema == {} for side in refused_by):
        return True
    several = len(accepted_by) + len(refused_by) > 1
    return several and any(isinstance(find([side], [], budget), Nothing) for side in accepted_by)


def _any_shared(accepted_by: Sequence[Side], refused_by: Sequence[Side]) -> bool:
    """Say whether one schema, written alike and read alike, is to accept and to refuse the value."""
    try:
        wanted, unwanted = (
            {(side.undeclared, json.dumps(side.schema, sort_keys=True)) for side in sides}
            for sides in (accepted_by, refused_by)
        )
    except (RecursionError, TypeError, ValueError):  # too deep, or no JSON: what comes next says so
        return False
    return not wanted.isdisjoint(unwanted)


def proven_by_structure(prepared: Prepared, prover: Prover) -> bool:
    """Say whether there is a structural proof that no value answers."""
    roots = prepared.graph.roots
    accepting, refusing = roots[: prepared.accepting], roots[prepared.accepting :]
    try:
        if any(prover.contained(accepting, target) for target in refusing):
            return True
        return prover.empty(accepting)
    except (OutOfBudgetError, RecursionError):
        return False


def search(prepared: Prepared, budget: Budget) -> Found | GaveUp:
    """Look for a value that answers; say why none was found."""
    accepting, refusing = prepared.schemas()
    disagreement = ""
    tried = 0
    try:
        for value in chain(_listed(prepared), candidates(accepting or [True], refusing, budget.search_steps)):
            tried += 1
            if tried > budget.max_candidates:
                break
            try:
                if prepared.fits(value):
                    return Found(shrunk(value, prepared.surely_fits))
            except Disagreement as problem:
                disagreement = str(problem)
            except CannotValidate as problem:
                return GaveUp(str(problem))
    except (CannotValidate, RecursionError) as problem:
        return GaveUp(str(problem) or "the schemas are nested too deep to search")
    return GaveUp(disagreement or "neither a value nor a proof was found within the budget")


def _listed(prepared: Prepared) -> list[Json]:
    """Return a few of the values that are all there are, where the accepting schemas list them: nothing is nearer."""
    facts = gather(prepared.graph.roots[: prepared.accepting])
    return (finite_values(facts) or [])[:MAX_LISTED]


def _proven_by_algebra(prepared: Prepared) -> bool:
    accepting, refusing = prepared.schemas()
    if any("$draft4Integer" in str(schema) for schema in refusing):
        return False
    return (
        any(algebra.is_contained(accepting or [True], target) for target in refusing)
        if refusing
        else algebra.is_empty(accepting)
    )
