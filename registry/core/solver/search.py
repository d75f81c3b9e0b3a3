"""Look for a value that some schemas accept and others refuse: guesses that are good, none that is proven.

The search goes from what a schema demands and from each way in which another can be refused, so that only the places
where they differ are walked. It is given steps, not time, and its order never changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from registry.core.solver.search_demands import Option, wanted
from registry.core.solver.search_facts import Literal
from registry.core.solver.search_goals import OutOfSteps, Steps
from registry.core.solver.search_graph import graph, json_key
from registry.core.solver.search_refusals import refusals
from registry.core.solver.search_values import Values
from registry.core.solver.validators import CannotValidate, Disagreement, Pair

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from registry.core.solver.search_graph import Node

__all__ = ["Parts", "candidates", "candidates_of", "read_parts", "witness"]

Json = Any
STEPS = 40_000
# Steps for each way to be refused, values of a part that are tried, levels that they may nest. Shallow values come
# first, and a recursive schema is not followed far while a small value may do.
_ROUNDS = ((600, 2, 1), (1_000, 2, 2), (2_500, 4, 4), (8_000, 8, 8), (40_000, 16, 14))
_MAX_WAYS = 400


def candidates(accepting: Sequence[Json], refusing: Sequence[Json], steps: int = STEPS) -> Iterator[Json]:
    """Yield different values, likely accepted by all of ``accepting`` and refused by at least one of ``refusing``.

    The schemas are self-contained 2020-12 documents. Small values and near differences come first. Lazy: at most
    ``steps`` steps are taken, and each value must still be checked.
    """
    roots = graph([*accepting, *refusing])
    return _candidates(roots[: len(accepting)], roots[len(accepting) :], steps)


@dataclass(frozen=True, slots=True)
class Parts:
    """Parts of one document, beside what they refer to under ``$defs``."""

    definitions: Json
    schemas: Sequence[Json]


def read_parts(accepting: Sequence[Json], parts: Sequence[Parts]) -> tuple[list[Node], list[list[Node]]]:
    """Read whole schemas and parts of others, for ``candidates_of``: what means the same is known to."""
    documents = [{"$defs": each.definitions, "prefixItems": list(each.schemas)} for each in parts]
    roots = graph([*accepting, *documents])
    return roots[: len(accepting)], [root.keywords["prefixItems"] for root in roots[len(accepting) :]]


def candidates_of(accepting: Sequence[Node], refusing: Node, steps: int) -> Iterator[Json]:
    """Yield the candidates for one part to be refused."""
    return _candidates(accepting, [refusing], steps)


def _candidates(accepting: Sequence[Node], refusing: Sequence[Node], steps: int) -> Iterator[Json]:
    accepted = [wanted(root) for root in accepting]
    numbers = {root.number for root in accepting}
    differing = [root for root in refusing if root.number not in numbers]
    ways = [way for root in differing for way in _ways(root)][:_MAX_WAYS] if refusing else [()]
    seen: set[str] = set()
    for value in _in_turn(accepted, ways, steps):
        key = json_key(value)
        if key not in seen:
            seen.add(key)
            yield value


def witness(accepting: Sequence[Json], refusing: Sequence[Json], steps: int = STEPS) -> Json:
    """Return ``(value,)`` for a value that both validators see accepted and refused so, or None.

    Raises CannotValidate for a schema that no validator takes.
    """
    accept = [Pair(schema) for schema in accepting]
    refuse = [Pair(schema) for schema in refusing]
    for value in candidates(accepting, refusing, steps):
        try:
            if _is_witness(value, accept, refuse):
                return (value,)
        except (CannotValidate, Disagreement):
            continue
    return None


def _is_witness(value: Json, accept: Sequence[Pair], refuse: Sequence[Pair]) -> bool:
    if not all(pair.probably_accepts(value) for pair in accept):
        return False
    if all(pair.probably_accepts(value) for pair in refuse):
        return False
    return all(pair.accepts(value) for pair in accept) and not all(pair.accepts(value) for pair in refuse)


def _in_turn(accepted: Sequence[Literal], ways: Sequence[Option], steps: int) -> Iterator[Json]:
    """Give every way a few steps, then all of them more: none starves behind one that is large."""
    left = steps
    for part, width, depth in _ROUNDS:
        for way in ways:
            taken = Steps(min(part, left))
            try:
                yield from Values(taken, width, depth).values([*way, *accepted])
            except OutOfSteps:
                pass
            except RecursionError:
                # More choices at one place than Python's stack holds; another way may have fewer.
                left -= part
            left -= min(part, left) - max(taken.left, 0) + 1
            if left <= 0:
                return


def _ways(node: Node) -> Iterator[Option]:
    """Yield each way to be refused, through references and conjunctions."""
    seen: set[int] = set()
    stack = [node]
    while stack:
        one = stack.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        inner = []
        for option in refusals(one):
            only = option[0] if len(option) == 1 else None
            if isinstance(only, Literal) and not only.wanted:
                inner.append(only.node)
            else:
                yield option
        stack.extend(reversed(inner))
