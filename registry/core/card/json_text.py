"""JSON text: the fast way through the standard library, the slow one (with places) only when something is wrong."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from registry.core.card import numbers
from registry.core.card.events import Builder, Event, Lines, Problem
from registry.core.errors import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from registry.core.card.model import Json
    from registry.core.card.text import Limits

# Possessive throughout: linear on any input.
_TOKEN = re.compile(r'[ \t\n\r]*+(?:([\[\]{}])|[,:]|("(?:[^"\\]++|\\.)*+"?)|([^ \t\n\r\[\]{},:"]++))', re.DOTALL)
_BRACKET = re.compile(r'"(?:[^"\\]++|\\.)*+"?|([\[{])|([\]}])', re.DOTALL)
_ODD_ESCAPE = re.compile(r"\\u(?:0000|d[89a-f])", re.IGNORECASE)
_WORDS = {"true": True, "false": False, "null": None}


def load(text: str, limits: Limits) -> tuple[Json, list[Finding]]:
    """Return the value of a JSON text, or what is wrong with it."""
    deep = _too_deep_at(text, limits.depth)
    if deep is not None:
        return None, [_too_deep(text, deep, limits)]
    suspicions: list[object] = []
    try:
        value = _load(text, suspicions)
    except json.JSONDecodeError as error:
        message = f"is not JSON: {error.msg[:1].lower()}{error.msg[1:]}"
        return None, [Finding("not-json", "", message, line=error.lineno, column=error.colno)]
    if not suspicions and not _ODD_ESCAPE.search(text):
        return value, []
    builder = Builder(Lines(text), limits.depth, limits.findings)
    built = builder.build(events(text))
    return built, builder.findings


def _load(text: str, suspicions: list[object]) -> Json:
    def pairs(members: list[tuple[str, Any]]) -> dict[str, Any]:
        built = dict(members)
        if len(built) != len(members):
            suspicions.append("a duplicate")
        return built

    def integer(digits: str) -> int:
        value, problem = numbers.integer(digits)
        if problem is not None:
            suspicions.append(problem)
        return value

    def real(digits: str) -> float:
        value, problem = numbers.real(digits)
        if problem is not None:
            suspicions.append(problem)
        return value

    return json.loads(
        text, object_pairs_hook=pairs, parse_int=integer, parse_float=real, parse_constant=suspicions.append
    )


def _too_deep_at(text: str, depth: int) -> int | None:
    """Return where a text goes deeper than ``depth``, before any parser that recurses sees it."""
    if text.count("[") + text.count("{") <= depth:
        return None
    level = 0
    for match in _BRACKET.finditer(text):
        if match.group(1):
            level += 1
            if level > depth:
                return match.start()
        elif match.group(2):
            level -= 1
    return None


def _too_deep(text: str, offset: int, limits: Limits) -> Finding:
    lines = Lines(text)
    builder = Builder(lines, limits.depth, limits.findings)
    builder.build(events(text))
    line, column = lines.place(offset)
    # Text that is no JSON either has no pointer to speak of.
    found = [finding for finding in builder.findings if finding.code == "too-deep" and finding.line == line]
    message = f"is deeper than {limits.depth} levels; flatten it"
    return found[0] if found else Finding("too-deep", "", message, line=line, column=column)


def events(text: str) -> Iterator[Event]:
    """Yield the events of a text that ``json.loads`` reads (of any other, something that ends)."""
    for match in _TOKEN.finditer(text):
        bracket, string, word = match.groups()
        if bracket is not None:
            kind = {"[": "list", "{": "map"}.get(bracket, "end")
            yield Event(kind, match.start(1))  # type: ignore[arg-type]  # one of the four kinds
        elif string is not None:
            yield Event("scalar", match.start(2), _string(string), string)
        elif word is not None:
            value, problem = _word(word)
            yield Event("scalar", match.start(3), value, word, problem)


def _string(source: str) -> str:
    try:
        value: str = json.loads(source)
    except json.JSONDecodeError:
        return source
    return value


def _word(word: str) -> tuple[Json, Problem | None]:
    if word in _WORDS:
        return _WORDS[word], None
    if word in {"NaN", "Infinity", "-Infinity"}:
        return None, Problem("not-a-number", f"is {word}, which JSON has no number for; leave it out, or use null")
    try:
        return numbers.integer(word) if word.lstrip("-").isdigit() else numbers.real(word)
    except ValueError:
        return None, Problem("not-json", f"is not JSON: `{word[:40]}`")
