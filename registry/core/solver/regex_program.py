"""From a pattern's tree to a program of steps over symbols, the classes of characters that it tells apart."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from registry.core.solver.regex_classes import LAST, WORD
from registry.core.solver.regex_tree import (
    Anchor,
    Chars,
    Choice,
    Group,
    Look,
    Node,
    Opaque,
    Position,
    Ranges,
    Repeat,
    Run,
    children,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MAX_STEPS = 100_000
_SURROGATES = (0xD800, 0xDFFF)
# Samples are taken in this order: people read them.
_NICE = "a0A-_.b1B x:/@,é"


class Unsupported(ValueError):
    """A valid pattern that can't be matched here in linear time: a backreference, a huge repetition."""


class Alphabet:
    """The symbols of some trees: characters that no class in them tells apart are one symbol.

    ``symbols[char]`` is its number. ``end`` is the number that stands for the edge of the text.
    """

    def __init__(self, trees: Iterable[Node]) -> None:
        classes = dict.fromkeys(ranges for tree in trees for ranges in _classes_of(tree))
        self.classes: tuple[Ranges, ...] = (WORD, *(ranges for ranges in classes if ranges != WORD))
        self._starts, self._owners, self.members = _partition(self.classes)
        self.end = len(self.members)
        self.symbols = _Symbols(self._starts, self._owners)

    def is_word(self, symbol: int) -> bool:
        """Tell whether a symbol's characters are word characters, as a word boundary asks."""
        return symbol < self.end and WORD in self.members[symbol]

    def samples(self, symbol: int, count: int) -> list[str]:
        """Return up to ``count`` characters of a symbol, readable ones first, never a lone surrogate."""
        chars = [char for char in _NICE if self.symbols[char] == symbol]
        for start, stop in self._spans(symbol):
            low = max(start, 0x21) if start < 0x7F else start
            for point in (*range(low, min(stop, low + count)), start):
                if len(chars) >= count:
                    return chars[:count]
                if not _SURROGATES[0] <= point <= _SURROGATES[1] and chr(point) not in chars:
                    chars.append(chr(point))
        return chars[:count]

    def _spans(self, symbol: int) -> Iterator[tuple[int, int]]:
        stops = (*self._starts[1:], LAST + 1)
        for start, stop, owner in zip(self._starts, stops, self._owners, strict=True):
            if owner == symbol:
                yield start, stop


class _Symbols(dict[str, int]):
    """Character to symbol, filled as characters are met; bounded, since texts are strangers'."""

    def __init__(self, starts: Sequence[int], owners: Sequence[int]) -> None:
        super().__init__()
        self._starts = starts
        self._owners = owners

    def __missing__(self, char: str) -> int:
        symbol = self._owners[bisect_right(self._starts, ord(char)) - 1]
        if len(self) < 5_000:
            self[char] = symbol
        return symbol


def _classes_of(tree: Node) -> Iterator[Ranges]:
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, Chars):
            yield node.ranges
        stack.extend(children(node))


def _partition(classes: Sequence[Ranges]) -> tuple[list[int], list[int], list[frozenset[Ranges]]]:
    """Cut all code points into spans by a sweep over the classes' bounds; spans in the same classes share a symbol."""
    opened: dict[int, list[int]] = {}
    for number, ranges in enumerate(classes):
        for low, high in ranges:
            opened.setdefault(low, []).append(number)
            opened.setdefault(high + 1, []).append(number)
    starts, owners = [], []
    symbols: dict[frozenset[int], int] = {}
    inside: set[int] = set()
    for point in sorted({0, *opened}):
        inside.symmetric_difference_update(opened.get(point, ()))
        if point <= LAST:
            starts.append(point)
            owners.append(symbols.setdefault(frozenset(inside), len(symbols)))
    return starts, owners, [frozenset(classes[number] for number in numbers) for numbers in symbols]


@dataclass(frozen=True, slots=True)
class Consume:
    """Go on at ``then`` with one character out of ``symbols``."""

    symbols: frozenset[int]
    then: int


@dataclass(frozen=True, slots=True)
class Split:
    """Go on at each of ``then`` with nothing consumed."""

    then: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Require:
    """Go on at ``then`` if the place is of this kind."""

    position: Position
    then: int


@dataclass(frozen=True, slots=True)
class Ask:
    """Go on at ``then`` if lookaround number ``look`` answers as wanted."""

    look: int
    wanted: bool
    then: int


@dataclass(frozen=True, slots=True)
class Accept:
    """The pattern is matched."""


Step: TypeAlias = Consume | Split | Require | Ask | Accept


@dataclass(frozen=True, slots=True)
class Program:
    """Steps to run from ``start``; ``backwards`` ones read the text from its end."""

    steps: tuple[Step, ...]
    start: int
    backwards: bool
    places: bool
    """Whether a step asks what stands left and right of it."""


def compile_tree(tree: Node, alphabet: Alphabet) -> tuple[Program, tuple[Program, ...]]:
    """Compile a tree: the program to search with, and one for each lookaround, inner ones first.

    A lookahead holds at a place if its mirror image, read from the text's end, arrives there. So each lookaround is
    one more linear pass over the text, and its answers are an input to the passes that ask it.
    Raises Unsupported for what is opaque, and for repetitions that write out to over MAX_STEPS steps.
    """
    looks: list[Program] = []
    budget = _Budget()
    return _Compiler(alphabet, looks, budget, backwards=False).program(tree), tuple(looks)


class _Budget:
    """Counts steps over all programs of one pattern."""

    def __init__(self) -> None:
        self.left = MAX_STEPS

    def spend(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise Unsupported(f"the pattern's repetitions write out to over {MAX_STEPS} steps; use maxLength instead")


class _Compiler:
    """Writes one program, from its end to its start: each node is told where to go on."""

    def __init__(self, alphabet: Alphabet, looks: list[Program], budget: _Budget, *, backwards: bool) -> None:
        self.alphabet = alphabet
        self.looks = looks
        self.budget = budget
        self.backwards = backwards
        self.steps: list[Step] = []
        self.places = False

    def program(self, tree: Node) -> Program:
        start = self.build(tree, self.add(Accept()))
        return Program(tuple(self.steps), start, self.backwards, self.places)

    def add(self, step: Step) -> int:
        self.steps.append(step)
        return len(self.steps) - 1

    def build(self, node: Node, then: int) -> int:
        self.budget.spend()
        match node:
            case Chars(ranges=ranges):
                return self.add(Consume(self.symbols_of(ranges), then))
            case Run(items=items):
                for item in items if self.backwards else reversed(items):
                    then = self.build(item, then)
                return then
            case Choice(options=options):
                return self.add(Split(tuple(self.build(option, then) for option in options)))
            case Repeat():
                return self.repeat(node, then)
            case Group(item=item):
                return self.build(item, then)
            case Anchor(position=position):
                self.places = True
                return self.add(Require(position, then))
            case Look():
                return self.add(Ask(self.look(node), node.wanted, then))
            case Opaque(text=text):
                raise Unsupported(f"{text} can't be matched in linear time here; write it without")

    def symbols_of(self, ranges: Ranges) -> frozenset[int]:
        return frozenset(number for number, classes in enumerate(self.alphabet.members) if ranges in classes)

    def repeat(self, node: Repeat, then: int) -> int:
        if node.most is None:
            loop = self.add(Split(()))
            self.steps[loop] = Split((self.build(node.item, loop), then))
            then = loop
        else:
            after = then
            for _ in range(node.most - node.least):
                then = self.add(Split((self.build(node.item, then), after)))
        for _ in range(node.least):
            then = self.build(node.item, then)
        return then

    def look(self, node: Look) -> int:
        compiler = _Compiler(self.alphabet, self.looks, self.budget, backwards=node.direction == "ahead")
        program = compiler.program(node.item)
        self.looks.append(program)
        return len(self.looks) - 1
