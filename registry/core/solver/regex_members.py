"""Short strings that some patterns match and others don't: a walk over the product of their automata."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from registry.core.solver.regex_matcher import Automaton, State, compiled
from registry.core.solver.regex_program import Alphabet, Unsupported, compile_tree
from registry.core.solver.regex_syntax import InvalidPattern, parse
from registry.core.solver.regex_tree import Choice, Group, Look, Node, Pattern, Repeat, Run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_WALK = 4_000
MAX_PRODUCT = 3_000
MAX_MOVES = 20_000  # of one product; the slowest take 25 microseconds each
_THREADS_A_MOVE = 8
_VISITS = 3
_SAMPLES = 2


def strings(
    matched: Sequence[Pattern], unmatched: Sequence[Pattern], limit: int, lengths: tuple[int, int | None] = (0, None)
) -> Iterator[str]:
    """Yield up to ``limit`` strings that all of ``matched`` and none of ``unmatched`` match, short ones first.

    ``lengths`` bounds their length in characters, both ends included. Each is checked with the matcher. That fewer
    come is no proof that there are no more: the walk ends after MAX_WALK strings that lead nowhere.
    """
    wanted = [part for pattern in matched for part in pattern.conjuncts()[0]]
    unwanted = [part for pattern in matched for part in pattern.conjuncts()[1]]
    seen: set[str] = set()
    try:
        for text in _walks(wanted, [*unwanted, *unmatched], lengths):
            if len(seen) >= limit:
                return
            if text in seen:
                continue
            if all(compiled(one).search(text) for one in matched) and not any(
                compiled(one).search(text) for one in unmatched
            ):
                seen.add(text)
                yield text
    except Unsupported:
        return


class _Walker:
    """One automaton of the product, and whether it arrived before."""

    def __init__(self, pattern: Pattern, alphabet: Alphabet) -> None:
        program, _ = compile_tree(_without_looks(pattern.tree), alphabet)
        self.automaton = Automaton(program, alphabet)
        self.exact = not _has_looks(pattern.tree)

    def step(self, state: State | None, symbol: int) -> State | None:
        """Follow a symbol; None means that the pattern has matched, whatever comes."""
        if state is None:
            return None
        move = state.moves.get(symbol)
        if move is None:
            move, _ = self.automaton.move(state, symbol)
        return None if move[0] else move[1]


def _walks(wanted: Sequence[Pattern], unwanted: Sequence[Pattern], lengths: tuple[int, int | None]) -> Iterator[str]:
    # The first walk goes to each state once, which is far; the second comes back to it, which gives variety.
    for visits in (1, _VISITS):
        yield from _walk(wanted, unwanted, lengths, visits)


def _walk(
    wanted: Sequence[Pattern], unwanted: Sequence[Pattern], lengths: tuple[int, int | None], most_visits: int
) -> Iterator[str]:
    alphabet = Alphabet([_without_looks(pattern.tree) for pattern in (*wanted, *unwanted)])
    walkers = [_Walker(pattern, alphabet) for pattern in (*wanted, *unwanted)]
    need = len(wanted)
    samples = [alphabet.samples(symbol, _SAMPLES) for symbol in range(alphabet.end)]
    edges = sorted(
        ((place, char, symbol) for symbol, chars in enumerate(samples) for place, char in enumerate(chars)),
        key=lambda edge: (edge[0], _rank(edge[1])),
    )
    least, most = lengths
    queue: deque[tuple[str, tuple[State | None, ...]]] = deque([("", tuple(one.automaton.first for one in walkers))])
    visits: dict[tuple[object, ...], int] = {}
    barren = 0
    while queue and barren < MAX_WALK:
        text, states = queue.popleft()
        barren += 1
        if len(text) >= least:
            ends = [walker.step(state, alphabet.end) for walker, state in zip(walkers, states, strict=True)]
            if _fits(walkers, ends, need):
                barren = 0
                yield text
        if most is not None and len(text) >= most:
            continue
        for _, char, symbol in edges:
            after = tuple(walker.step(state, symbol) for walker, state in zip(walkers, states, strict=True))
            if _is_lost(walkers, after, need):
                continue
            # A state is worth a few visits for variety; below the least length each length has its own.
            key = (*map(id, after), min(len(text) + 1, least))
            visits[key] = visits.get(key, 0) + 1
            if visits[key] <= most_visits:
                queue.append((text + char, after))


def _fits(walkers: Sequence[_Walker], ends: Sequence[State | None], need: int) -> bool:
    for place, (walker, end) in enumerate(zip(walkers, ends, strict=True)):
        if place < need and end is not None:
            return False
        if place >= need and end is None and walker.exact:
            return False
    return True


def _is_lost(walkers: Sequence[_Walker], after: Sequence[State | None], need: int) -> bool:
    """Tell whether no longer text can do: a pattern to avoid has matched, or an anchored one can't any more."""
    for place, (walker, state) in enumerate(zip(walkers, after, strict=True)):
        if place >= need and state is None and walker.exact:
            return True
        if place < need and state is not None and not state.threads and walker.automaton.starts_only_at_the_edge:
            return True
    return False


def _rank(char: str) -> int:
    """Letters before digits before the rest: the first sample of a kind is the one that people see."""
    if char.isascii() and char.isalpha():
        return 0
    return 1 if char.isascii() and char.isdecimal() else 2


def _has_looks(tree: Node) -> bool:
    return _without_looks(tree) != tree


def _without_looks(node: Node) -> Node:
    """Drop lookarounds: what is left matches at least as much as far as they only forbid."""
    match node:
        case Look():
            return Run(())
        case Run(items=items):
            return Run(tuple(_without_looks(item) for item in items))
        case Choice(options=options):
            return Choice(tuple(_without_looks(option) for option in options))
        case Repeat(item=item, least=least, most=most):
            return Repeat(_without_looks(item), least, most)
        case Group(item=item, number=number, name=name):
            return Group(_without_looks(item), number, name)
        case _:
            return node


@dataclass(slots=True)
class Work:
    """How many moves of automata some questions took, known answers counted again: the same on every machine."""

    moves: int = 0


def no_string(
    matched: tuple[str, ...], unmatched: tuple[str, ...], lengths: tuple[int, int | None], work: Work | None = None
) -> bool:
    """Say whether it is proven that no string of these lengths is matched by all of some patterns and none of others.

    False is "not proven": there is one, a pattern isn't understood, or the automata's product is too large. What it
    takes is added to ``work``.
    """
    proven, moves = _no_string(matched, unmatched, lengths)
    if work is not None:
        work.moves += moves
    return proven


@lru_cache(maxsize=4096)
def _no_string(
    matched: tuple[str, ...], unmatched: tuple[str, ...], lengths: tuple[int, int | None]
) -> tuple[bool, int]:
    """Return the answer, and the moves that it took."""
    try:
        parts = [parse(pattern).conjuncts() for pattern in matched]
        wanted = [part for taken, _ in parts for part in taken]
        unwanted = [part for _, left in parts for part in left] + [parse(pattern) for pattern in unmatched]
        if any(pattern.opaque or _has_looks(pattern.tree) for pattern in (*wanted, *unwanted)):
            return False, 0
        return _is_barren(wanted, unwanted, lengths)
    except (Unsupported, InvalidPattern):
        return False, 0


def _is_barren(
    wanted: Sequence[Pattern], unwanted: Sequence[Pattern], lengths: tuple[int, int | None]
) -> tuple[bool, int]:
    """Go to every state of the product, lengths told apart as far as they matter."""
    alphabet = Alphabet([pattern.tree for pattern in (*wanted, *unwanted)])
    walkers = [_Walker(pattern, alphabet) for pattern in (*wanted, *unwanted)]
    least, most = lengths
    longest = least if most is None else max(least, most + 1)
    queue: deque[tuple[int, tuple[State | None, ...]]] = deque([(0, tuple(one.automaton.first for one in walkers))])
    kept = {(queue[0][0], queue[0][1])}
    moves = 0
    while queue:
        length, states = queue.popleft()
        threads = sum(len(state.threads) for state in states if state is not None)
        moves += (alphabet.end + 1) * (1 + threads // _THREADS_A_MOVE)
        if moves > MAX_MOVES:
            return False, moves
        if most is not None and length > most:
            continue
        ends = [walker.step(state, alphabet.end) for walker, state in zip(walkers, states, strict=True)]
        if length >= least and _fits(walkers, ends, len(wanted)):
            return False, moves
        for symbol in range(alphabet.end):
            after = tuple(walker.step(state, symbol) for walker, state in zip(walkers, states, strict=True))
            following = (min(length + 1, longest), after)
            if following not in kept and not _is_lost(walkers, after, len(wanted)):
                if len(kept) >= MAX_PRODUCT:
                    return False, moves
                kept.add(following)
                queue.append(following)
    return True, moves
