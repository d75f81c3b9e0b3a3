"""A document as a flat stream of events, whatever its syntax: values and places are made from it without recursion."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from registry.core.card import pointers
from registry.core.errors import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from registry.core.card.model import Json

# Strings that UTF-8 or PostgreSQL's jsonb can't hold.
FORBIDDEN = re.compile("[\x00\ud800-\udfff]")
# "Yes" and its like are booleans to YAML 1.1 and text to us; the builder of values doesn't care, its readers may.
_LINE_END = re.compile(r"\r\n?|\n")


class Problem(NamedTuple):
    """Why a scalar or a node is refused."""

    code: str
    message: str


class Event(NamedTuple):
    """One step through a document. In a mapping, keys and values take turns.

    ``offset`` counts characters; ``text`` is a scalar as written, for a message about a key that is no string.
    """

    kind: Literal["map", "list", "end", "scalar"]
    offset: int
    value: Json = None
    text: str = ""
    problem: Problem | None = None


class Lines:
    """From an offset in a text to line and column, both from 1."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(text))]

    def place(self, offset: int) -> tuple[int, int]:
        """Return line and column of a character."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


@dataclass(slots=True)
class _Frame:
    """An open container: the list or mapping, and the key that waits for its value."""

    container: Json
    key: str | None = None
    offset: int = 0
    lost: bool = False  # stands where no value can stand (a key that is a mapping): built, then dropped

    def token(self) -> str | int:
        return len(self.container) if isinstance(self.container, list) else self.key or ""

    def wants_key(self) -> bool:
        return isinstance(self.container, dict) and self.key is None


@dataclass(slots=True)
class Builder:
    """Builds a value from events; what is wrong is collected, and building goes on where it can."""

    lines: Lines
    max_depth: int
    max_findings: int
    findings: list[Finding] = field(default_factory=list)
    _stack: list[_Frame] = field(default_factory=list)

    def build(self, events: Iterable[Event]) -> Json:
        """Return the value that the events describe; None after a finding that ends reading."""
        root: list[Json] = []
        self._stack = [_Frame(root)]
        for event in events:
            if event.problem is not None:
                self._refuse(event, event.problem)
            if event.kind == "end":
                self._close()
            elif self._stack[-1].wants_key():
                self._key(event)
            else:
                self._value(event)
            if self._is_over(event):
                return None
        return root[0] if root else None

    def _is_over(self, event: Event) -> bool:
        if len(self._stack) - 1 > self.max_depth:
            self._stack.pop()
            self._refuse(event, Problem("too-deep", f"is deeper than {self.max_depth} levels; flatten it"))
            return True
        if len(self.findings) >= self.max_findings:
            self.findings.append(Finding("too-many-findings", "", "has more findings; the rest isn't listed"))
            return True
        return len(self._stack) == 0

    def _key(self, event: Event) -> None:
        frame = self._stack[-1]
        if event.kind != "scalar":
            self._refuse(event, Problem("key-not-a-string", "has a list or a mapping as a member's name"))
            self._stack.append(_Frame([] if event.kind == "list" else {}, offset=event.offset, lost=True))
            return
        key = event.value if isinstance(event.value, str) else event.text
        if not isinstance(event.value, str) and event.problem is None:
            message = f"has the member name `{event.text[:40]}`, which is {kind_of(event.value)}; quote it"
            self._refuse(event, Problem("key-not-a-string", message))
        frame.key = key
        if key in frame.container:
            self._refuse(event, Problem("duplicate-key", f"`{key[:80]}` stands here twice; keep one"))
        self._check_string(event, key)

    def _value(self, event: Event) -> None:
        frame = self._stack[-1]
        value: Json = event.value
        if event.kind == "scalar":
            if isinstance(value, str):
                self._check_string(event, value)
        else:
            value = [] if event.kind == "list" else {}
        inner = None if event.kind == "scalar" else _Frame(value, offset=event.offset)
        if inner is None:
            self._put(frame, value)
        else:
            # The frame keeps its key until the container is closed: pointers are read off the stack.
            self._stack.append(inner)

    def _close(self) -> None:
        frame = self._stack.pop()
        if self._stack and frame.lost:
            self._stack[-1].key = ""
        elif self._stack:
            self._put(self._stack[-1], frame.container)

    def _put(self, frame: _Frame, value: Json) -> None:
        if isinstance(frame.container, list):
            frame.container.append(value)
        else:
            frame.container[frame.key] = value
            frame.key = None

    def _check_string(self, event: Event, string: str) -> None:
        match = FORBIDDEN.search(string)
        if match is None:
            return
        if match.group() == "\x00":
            self._refuse(event, Problem("null-character", "holds U+0000, which no store keeps; remove it"))
        else:
            self._refuse(event, Problem("lone-surrogate", "holds half of a surrogate pair, which is no character"))

    def _refuse(self, event: Event, problem: Problem) -> None:
        line, column = self.lines.place(event.offset)
        # The first frame is the list that holds the document itself.
        tokens = [frame.token() for frame in self._stack[1:]]
        if self._stack and self._stack[-1].wants_key():
            tokens.pop()
        printable = FORBIDDEN.sub("\ufffd", pointers.join("", tokens))
        message = FORBIDDEN.sub("\ufffd", problem.message)
        self.findings.append(Finding(problem.code, printable, message, line=line, column=column))


def too_many_parts(limit: int) -> Finding:
    """Say that a document has more members and items than it may."""
    message = f"has over {limit:,} members and items; split it, or keep long lists out of the card"
    return Finding("too-many-parts", "", message, line=1, column=1)


def kind_of(value: Json) -> str:
    """Return what a value is, in words: "a number", "null"."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a string"
    return "a list" if isinstance(value, list) else "an object"


@dataclass(slots=True)
class _Wanted:
    """A node of the tree of wanted pointers, and where it was found."""

    below: dict[str, _Wanted] = field(default_factory=dict)
    offset: int | None = None


def places(events: Iterator[Event], lines: Lines, wanted: Sequence[str]) -> list[tuple[int, int]]:
    """Return line and column for each pointer: of a member's name, of an item's or the document's start.

    A pointer to what isn't there gets the place of the nearest thing around it. One walk, whatever the number of
    pointers; memory is bounded by the pointers, not by the document.
    """
    root = _Wanted()
    for pointer in wanted:
        node = root
        for token in pointers.split(pointer):
            node = node.below.setdefault(token, _Wanted())
    _find(events, root)
    return [lines.place(_nearest(root, pointer)) for pointer in wanted]


def _nearest(root: _Wanted, pointer: str) -> int:
    node, offset = root, root.offset or 0
    for token in pointers.split(pointer):
        node = node.below[token]
        if node.offset is None:
            break
        offset = node.offset
    return offset


@dataclass(slots=True)
class _Open:
    """A container on the way: its node in the tree of wanted pointers, None when nothing below it is wanted."""

    node: _Wanted | None
    is_list: bool
    count: int = 0
    key: Event | None = None

    def step(self, event: Event) -> _Wanted | None:
        """Return the node of the value that starts with this event, and note where it stands."""
        token, offset = str(self.count), event.offset
        if not self.is_list and self.key is not None:
            token, offset = str(self.key.value), self.key.offset
        self.count += 1
        self.key = None
        node = self.node.below.get(token) if self.node is not None else None
        if node is not None:
            node.offset = offset
        return node


def _find(events: Iterator[Event], root: _Wanted) -> None:
    stack: list[_Open] = []
    for event in events:
        if event.kind == "end":
            stack.pop()
            continue
        if not stack:
            root.offset, node = event.offset, root
        elif not stack[-1].is_list and stack[-1].key is None:
            stack[-1].key = event
            continue
        else:
            node = stack[-1].step(event)  # type: ignore[assignment]  # None is a node that nobody wants
        if event.kind != "scalar":
            stack.append(_Open(node, event.kind == "list"))
