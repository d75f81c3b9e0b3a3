"""Write a tree as a pattern that says everything out, so that another engine can't read it in another way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from registry.core.solver.regex_classes import LAST
from registry.core.solver.regex_tree import Anchor, Chars, Choice, Group, Look, Node, Opaque, Pattern, Repeat, Run

if TYPE_CHECKING:
    from registry.core.solver.regex_tree import Ranges

_ANCHORS = {"start": "^", "end": "$", "word-boundary": r"\b", "no-word-boundary": r"\B"}


def render(pattern: Pattern) -> str:
    """Return an equal pattern of ranges, (?:...), |, bounds, ^, $, word boundaries and lookarounds alone."""
    return _node(pattern.tree)


def _node(node: Node) -> str:
    match node:
        case Chars(ranges=ranges):
            return _ranges(ranges)
        case Run(items=items):
            return "".join(f"(?:{_node(item)})" if isinstance(item, Choice) else _node(item) for item in items)
        case Choice(options=options):
            return "|".join(_node(option) for option in options)
        case Repeat(item=item, least=least, most=most):
            return f"(?:{_node(item)}){{{least},{'' if most is None else most}}}"
        case Group(item=item):
            return f"(?:{_node(item)})"
        case Anchor(position=position):
            return _ANCHORS[position]
        case Look(item=item, direction=direction, wanted=wanted):
            return f"(?{'<' if direction == 'behind' else ''}{'=' if wanted else '!'}{_node(item)})"
        case Opaque(text=text):
            return text


def _ranges(ranges: Ranges) -> str:
    if not ranges:
        return f"[^{_point(0)}-{_point(LAST)}]"
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return _point(ranges[0][0])
    return f"[{''.join(_point(low) if low == high else f'{_point(low)}-{_point(high)}' for low, high in ranges)}]"


def _point(point: int) -> str:
    char = chr(point)
    return char if char.isascii() and char.isalnum() else f"\\u{{{point:x}}}"
