"""Matching in linear time: sets of steps are followed through the text, and each set met is kept as a state.

No backtracking, so no pattern can hang it. The states are made as texts need them (a lazy DFA) and are thrown away
when they grow too large.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from registry.core.solver.regex_program import (
    Accept,
    Alphabet,
    Ask,
    Consume,
    Program,
    Require,
    Split,
    Unsupported,
    compile_tree,
)
from registry.core.solver.regex_syntax import parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from registry.core.solver.regex_tree import Pattern, Position

__all__ = ["Matcher", "Unsupported", "compiled", "search", "search_text"]

MAX_KEPT = 200_000
MAX_WORK = 1_000_000
Left = Literal["edge", "word", "other", "any"]


def search(pattern: Pattern, text: str) -> bool:
    """Tell whether ``pattern`` matches somewhere in ``text``, in time linear in the text.

    Raises Unsupported for backreferences, properties without data, and repetitions that write out too long.
    """
    return compiled(pattern).search(text)


def search_text(pattern: str, text: str) -> bool:
    """Parse and search; raises InvalidPattern too."""
    return compiled(_parsed(pattern)).search(text)


# A memo of pure functions: the same pattern is met for every value that is validated.
@lru_cache(maxsize=1024)
def _parsed(pattern: str) -> Pattern:
    return parse(pattern)


@lru_cache(maxsize=256)
def compiled(pattern: Pattern) -> Matcher:
    """Return the matcher of a pattern, kept for the next call."""
    return Matcher(pattern)


class Matcher:
    """A compiled pattern. It learns states as it goes; what it answers never depends on that."""

    def __init__(self, pattern: Pattern) -> None:
        self.alphabet = Alphabet([pattern.tree])
        main, looks = compile_tree(pattern.tree, self.alphabet)
        self._automaton = Automaton(main, self.alphabet)
        self._looks = tuple(Automaton(look, self.alphabet) for look in looks)

    def search(self, text: str) -> bool:
        """Tell whether the pattern matches somewhere in ``text``."""
        symbols = self.alphabet.symbols
        keys = [symbols[char] for char in text]
        if self._looks:
            return self._search_looking(keys)
        keys.append(self.alphabet.end)
        return self._automaton.accepts_within(keys)

    def _search_looking(self, keys: list[int]) -> bool:
        size = len(keys) + 1
        answers = [0] * size
        stride = self.alphabet.end + 1
        for number, automaton in enumerate(self._looks):
            flags = automaton.flags(_with_answers(keys, answers, stride, backwards=automaton.program.backwards))
            ordered = reversed(flags) if automaton.program.backwards else flags
            bit = 1 << number
            answers = [mask | bit if flag else mask for mask, flag in zip(answers, ordered, strict=True)]
        return self._automaton.accepts_within(_with_answers(keys, answers, stride, backwards=False))


def _with_answers(keys: Sequence[int], answers: Sequence[int], stride: int, *, backwards: bool) -> list[int]:
    """Return one key a place: the symbol that is read next, and what the lookarounds answer there."""
    end = stride - 1
    if backwards:
        return [symbol + stride * mask for symbol, mask in zip([*reversed(keys), end], reversed(answers), strict=True)]
    return [symbol + stride * mask for symbol, mask in zip([*keys, end], answers, strict=True)]


class State:
    """A set of steps that are waiting, and what was read last."""

    __slots__ = ("left", "moves", "threads")

    def __init__(self, threads: frozenset[int], left: Left) -> None:
        self.threads = threads
        self.left = left
        self.moves: dict[int, tuple[bool, State]] = {}


class Automaton:
    """One program, run as an automaton whose states are made when they are first needed."""

    def __init__(self, program: Program, alphabet: Alphabet) -> None:
        self.program = program
        self.alphabet = alphabet
        self._stride = alphabet.end + 1
        self._states: dict[tuple[frozenset[int], Left], State] = {}
        self._kept = 0
        self.first = self._state(frozenset(), "edge" if program.places else "any")
        opening = program.steps[program.start]
        self.starts_only_at_the_edge = isinstance(opening, Require) and opening.position == "start"

    def accepts_within(self, keys: Sequence[int]) -> bool:
        """Tell whether the program arrives at any place of the keys."""
        state = self.first
        work = 0
        for key in keys:
            move = state.moves.get(key)
            if move is None:
                move, spent = self.move(state, key)
                work = _checked(work + spent)
            if move[0]:
                return True
            state = move[1]
        return False

    def flags(self, keys: Sequence[int]) -> list[bool]:
        """Tell for each place whether the program arrives there."""
        state = self.first
        work = 0
        flags = []
        for key in keys:
            move = state.moves.get(key)
            if move is None:
                move, spent = self.move(state, key)
                work = _checked(work + spent)
            flags.append(move[0])
            state = move[1]
        return flags

    def move(self, state: State, key: int) -> tuple[tuple[bool, State], int]:
        """Follow one key: (arrived before it, the state behind it), and the steps that were looked at."""
        mask, symbol = divmod(key, self._stride)
        waiting, arrived, work = self._close(state, symbol, mask)
        after = frozenset(step.then for step in waiting if symbol in step.symbols)
        move = (arrived, self._state(after, self._left_of(symbol)))
        state.moves[key] = move
        return move, work

    def _close(self, state: State, symbol: int, mask: int) -> tuple[list[Consume], bool, int]:
        """Follow every step that consumes nothing; a search may begin at every place."""
        steps = self.program.steps
        stack = [*state.threads, self.program.start]
        seen = set(stack)
        waiting: list[Consume] = []
        arrived = False
        while stack:
            step = steps[stack.pop()]
            match step:
                case Consume():
                    waiting.append(step)
                    continue
                case Accept():
                    arrived = True
                    continue
                case Split(then=following):
                    pass
                case Require(position=position, then=one):
                    following = (one,) if self._holds(position, state.left, symbol) else ()
                case Ask(look=look, wanted=wanted, then=one):
                    following = (one,) if bool(mask >> look & 1) is wanted else ()
            for number in following:
                if number not in seen:
                    seen.add(number)
                    stack.append(number)
        return waiting, arrived, len(seen)

    def _holds(self, position: Position, read: Left, symbol: int) -> bool:
        coming: Left = "edge" if symbol == self.alphabet.end else self._kind(symbol)
        match position:
            case "start":
                return (coming if self.program.backwards else read) == "edge"
            case "end":
                return (read if self.program.backwards else coming) == "edge"
            case "word-boundary":
                return (read == "word") is not (coming == "word")
            case "no-word-boundary":
                return (read == "word") is (coming == "word")

    def _left_of(self, symbol: int) -> Left:
        return self._kind(symbol) if self.program.places else "any"

    def _kind(self, symbol: int) -> Left:
        return "word" if self.alphabet.is_word(symbol) else "other"

    def _state(self, threads: frozenset[int], left: Left) -> State:
        state = self._states.get((threads, left))
        if state is None:
            self._kept += len(threads) + 1
            if self._kept > MAX_KEPT:
                # States that a search still holds live on with it; only the index is emptied.
                self._states.clear()
                self._kept = len(threads) + 1
            state = State(threads, left)
            self._states[threads, left] = state
        return state


def _checked(work: int) -> int:
    if work > MAX_WORK:
        raise Unsupported(f"matching takes over {MAX_WORK} steps; use a shorter repetition")
    return work
