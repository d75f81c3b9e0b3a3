"""Ways to go through the accepting side of a proof case by case; nothing is lost by any of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from registry.core.solver.conjunction import in_place
from registry.core.solver.graph import NUMBERS, TYPE_NODES, Kind, Node
from registry.core.solver.leaves import finite_values
from registry.core.solver.unevaluated import cases, is_closing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from registry.core.solver.facts import Facts
    from registry.core.solver.proof import Prover

Nodes = tuple[Node, ...]
Split = tuple[Kind, list[Nodes]]  # a mark, and the nodes that each case adds

MAX_DISCRIMINATED = 40
MAX_EXCLUDED = 4
BY_TYPE = -100
BY_PROPERTY = -200  # and further down, one mark for each property


def ways_to_split(prover: Prover, facts: Facts, target: Node, done: frozenset[Kind]) -> Iterator[Split]:
    """Yield the ways that are not done yet, the alternatives that are written first."""
    for atom in facts.atoms:
        if "anyOf" in atom.many and atom.kind not in done and not any(map(facts.include, atom.many["anyOf"])):
            yield atom.kind, [(branch,) for branch in atom.many["anyOf"]]
        if "oneOf" in atom.many and atom.kind not in done:
            yield atom.kind, _exactly_one(prover, atom.many["oneOf"])
        if is_closing(atom) and ("cases", atom.kind) not in done and len(cases(atom)) > 1:
            yield ("cases", atom.kind), [(case,) for case in cases(atom)]
        if "if" in atom.one and atom.kind not in done:
            then, otherwise = atom.one.get("then"), atom.one.get("else")
            fails = prover.made.negation(atom.one["if"])
            yield (
                atom.kind,
                [(atom.one["if"], *((then,) if then else ())), (fails, *((otherwise,) if otherwise else ()))],
            )
    if any(node.many.keys() & {"anyOf", "oneOf"} or "if" in node.one for node in in_place(target)):
        yield from _by_discriminators(prover, facts, done)


def _by_discriminators(prover: Prover, facts: Facts, done: frozenset[Kind]) -> Iterator[Split]:
    """Yield what may tell which of the target's alternatives is met: types, and properties of few values."""
    groups = [name for name in TYPE_NODES if name in facts.types or (name == "number" and facts.types & NUMBERS)]
    if len(groups) > 1 and BY_TYPE not in done:
        yield BY_TYPE, [(TYPE_NODES[name],) for name in groups]
    for index, name in enumerate(sorted(facts.required)):
        values = finite_values(prover.facts(facts.property(name)))
        mark = BY_PROPERTY - index
        if values is not None and 1 < len(values) <= MAX_DISCRIMINATED and mark not in done:
            yield mark, [(prover.made.constant(name, value),) for value in values]


def _exactly_one(prover: Prover, branches: Nodes) -> list[Nodes]:
    """Return the cases of a ``oneOf``: one holds, and, unless they are many, no other does."""
    if len(branches) > MAX_EXCLUDED:
        return [(each,) for each in branches]
    return [(each, *(prover.made.negation(other) for other in branches if other is not each)) for each in branches]
