"""From bytes to plain values: JSON or YAML, with everything that is wrong said at once."""

from __future__ import annotations

import codecs
import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from registry.core.card import events, json_text, yaml_text
from registry.core.errors import Finding, InvalidCard, TooLarge

if TYPE_CHECKING:
    from collections.abc import Iterable

    from registry.core.card.model import Json

Syntax = Literal["json", "yaml"]

_OTHER_ENCODINGS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}


@dataclass(frozen=True, slots=True)
class Limits:
    """How large, deep and wrong a document may be."""

    size_bytes: int = 1_048_576
    depth: int = 64
    parts: int = 60_000  # members, items and the root; real cards and schemas have under 50 in a KiB
    findings: int = 500


LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Document:
    """A document as it was read: its value, its syntax, and where things stand in its text."""

    value: Json
    syntax: Syntax
    text: str = field(repr=False)

    def place(self, pointer: str) -> tuple[int, int]:
        """Return line and column, from 1, of what a pointer points to, or of the nearest thing around it.

        Walks the whole text: for many pointers use ``located``.
        """
        return self._places([pointer])[0]

    def located(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """Return the findings with their lines and columns, in the order given."""
        given = tuple(findings)
        places = self._places([finding.pointer for finding in given])
        return tuple(
            finding if finding.line is not None else replace(finding, line=line, column=column)
            for finding, (line, column) in zip(given, places, strict=True)
        )

    def _places(self, pointers: list[str]) -> list[tuple[int, int]]:
        if not pointers:
            return []
        stream = json_text.events(self.text) if self.syntax == "json" else yaml_text.events(self.text)
        return events.places(stream, events.Lines(self.text), pointers)


def parse(data: bytes, limits: Limits = LIMITS) -> Document:
    """Read JSON or YAML 1.2 (core schema) into plain values.

    A text that starts with ``{`` or ``[`` is JSON, a quoted one is tried as JSON first, anything else is YAML.
    Refused: what is not UTF-8 or has a byte order mark, duplicate names, names that are no strings, NaN and infinity,
    numbers that RFC 8785 can't carry, lone surrogates, U+0000, more than ``limits.depth`` levels or ``limits.parts``
    values, YAML aliases, tags, merge keys, other versions and several documents. No recursion, linear time.

    Raises TooLarge over ``limits.size_bytes``, else InvalidCard with every finding and its line.
    """
    if len(data) > limits.size_bytes:
        raise TooLarge(limits.size_bytes)
    text, findings = _decode(data)
    syntax = _syntax(text)
    value, found = json_text.load(text, limits) if syntax == "json" else yaml_text.load(text, limits)
    if not found and _has_over(value, limits.parts):
        found = [events.too_many_parts(limits.parts)]
    if findings or found:
        raise InvalidCard([*findings, *found])
    return Document(value, syntax, text)


def _has_over(value: Json, limit: int) -> bool:
    parts, waiting = 1, [value]
    while waiting and parts <= limit:
        here = waiting.pop()
        if isinstance(here, dict | list):
            parts += len(here)
            waiting.extend(here.values() if isinstance(here, dict) else here)
    return parts > limit


def _syntax(text: str) -> Syntax:
    start = text.lstrip(" \t\r\n")[:1]
    if start in {"{", "["}:
        return "json"
    if start == '"':
        try:
            json.loads(text)
        except json.JSONDecodeError:
            return "yaml"
        return "json"
    return "yaml"


def _decode(data: bytes) -> tuple[str, list[Finding]]:
    findings: list[Finding] = []
    for mark, encoding in _OTHER_ENCODINGS.items():
        if data.startswith(mark):
            raise InvalidCard([Finding("not-utf-8", "", f"is {encoding}; save it as UTF-8", line=1, column=1)])
    if data.startswith(codecs.BOM_UTF8):
        message = "starts with a byte order mark; save it as UTF-8 without one"
        findings.append(Finding("byte-order-mark", "", message, line=1, column=1))
        data = data[len(codecs.BOM_UTF8) :]
    try:
        return data.decode("utf-8"), findings
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = len(data[data.rfind(b"\n", 0, error.start) + 1 : error.start].decode("utf-8", "replace")) + 1
        message = f"is not UTF-8: byte {error.start} can't be read ({error.reason})"
        findings.append(Finding("not-utf-8", "", message, line=line, column=column))
        raise InvalidCard(findings) from error
