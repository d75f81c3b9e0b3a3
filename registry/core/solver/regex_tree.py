"""A parsed ECMA-262 pattern: frozen nodes over code points, not UTF-16 units."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Ranges: TypeAlias = tuple[tuple[int, int], ...]
"""Sorted, disjoint, inclusive ranges of code points that don't touch."""

Position = Literal["start", "end", "word-boundary", "no-word-boundary"]


@dataclass(frozen=True, slots=True)
class Chars:
    """One character out of ``ranges``; without ranges it matches nothing."""

    ranges: Ranges


@dataclass(frozen=True, slots=True)
class Run:
    """One node after the other; empty, it matches the empty string."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One node out of several."""

    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """``item`` from ``least`` to ``most`` times (None: without end); ``mode`` can't change what matches."""

    item: Node
    least: int
    most: int | None
    mode: Literal["greedy", "lazy"] = "greedy"


@dataclass(frozen=True, slots=True)
class Group:
    """A group that captures, counted from 1, with its name if it has one."""

    item: Node
    number: int
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Anchor:
    """A place that consumes nothing."""

    position: Position


@dataclass(frozen=True, slots=True)
class Look:
    """A lookahead or lookbehind; ``wanted`` False is the negative one."""

    item: Node
    direction: Literal["ahead", "behind"]
    wanted: bool


@dataclass(frozen=True, slots=True)
class Opaque:
    """Something valid that is parsed but not interpreted: a backreference, a property without data here."""

    text: str


Node: TypeAlias = Chars | Run | Choice | Repeat | Group | Anchor | Look | Opaque


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern and its tree. Two patterns are equal when their text is."""

    source: str
    tree: Node = field(compare=False, repr=False)
    opaque: tuple[str, ...] = field(default=(), compare=False)

    def conjuncts(self) -> tuple[tuple[Pattern, ...], tuple[Pattern, ...]]:
        """Return (patterns that must match, patterns that must not) which together mean this one.

        A lookahead right behind a leading ``^`` is an intersection, or with a complement: ``^(?!X)Y`` is ``^Y``
        and not ``^X``. Any other lookaround stays where it is.
        """
        items = self.tree.items if isinstance(self.tree, Run) else (self.tree,)
        if not items or items[0] != Anchor("start"):
            return (self,), ()
        count = 1
        while count < len(items) and _is_lookahead(items[count]):
            count += 1
        looks = [item for item in items[1:count] if isinstance(item, Look)]
        if not looks:
            return (self,), ()
        rest = _anchored(self, Run(items[count:]), "rest")
        wanted = [_anchored(self, look.item, str(place)) for place, look in enumerate(looks) if look.wanted]
        unwanted = [_anchored(self, look.item, str(place)) for place, look in enumerate(looks) if not look.wanted]
        return (rest, *wanted), tuple(unwanted)


def _is_lookahead(node: Node) -> bool:
    return isinstance(node, Look) and node.direction == "ahead"


def _anchored(whole: Pattern, item: Node, place: str) -> Pattern:
    # The part has no text of its own; NUL keeps its name apart from every pattern that somebody wrote.
    return Pattern(f"{whole.source}\0{place}", Run((Anchor("start"), item)), whole.opaque)


def children(node: Node) -> tuple[Node, ...]:
    """Return the nodes right below ``node``."""
    match node:
        case Run(items=nodes) | Choice(options=nodes):
            return nodes
        case Repeat(item=item) | Group(item=item) | Look(item=item):
            return (item,)
        case _:
            return ()
