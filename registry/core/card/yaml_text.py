"""YAML text, read by YAML 1.2's core schema from the parser's events: nothing is expanded, tagged or constructed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import yaml

from registry.core.card import numbers
from registry.core.card.events import Builder, Event, Lines, Problem, too_many_parts
from registry.core.errors import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from registry.core.card.model import Json
    from registry.core.card.text import Limits

# YAML 1.2.2, 10.3.2: the core schema's tag resolution. "yes", "no", "on" and "off" are strings there.
_NULLS = frozenset({"", "null", "Null", "NULL", "~"})
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?[0-9]++")
_OCTAL = re.compile(r"0o[0-7]++")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]++")
_REAL = re.compile(r"[-+]?(?:\.[0-9]++|[0-9]++(?:\.[0-9]*+)?)(?:[eE][-+]?[0-9]++)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")

_ALIAS = Problem("yaml-alias", "is a YAML alias, which is refused; write the value out")
_TAG = Problem("yaml-tag", "has a YAML tag, which is refused; quote a text, and leave the tag out")
_MERGE = Problem(
    "yaml-merge", "is YAML 1.1's merge key, which means nothing in 1.2; write the members out, or quote it"
)
# libyaml's parser where the wheel has it (every common platform): 12 times as fast as the one in Python.
_PARSER: Any = yaml.CBaseLoader if yaml.__with_libyaml__ else yaml.BaseLoader


def load(text: str, limits: Limits) -> tuple[Json, list[Finding]]:
    """Return the value of a YAML text, or what is wrong with it."""
    lines = Lines(text)
    builder = Builder(lines, limits.depth, limits.findings)
    starts: list[Any] = []
    room = 2 * limits.parts  # a member is two events, its name and its value

    def first() -> Iterator[Event]:
        nonlocal room
        for event in _parser_events(text):
            if isinstance(event, yaml.DocumentStartEvent):
                starts.append(event)
                if len(starts) > 1:
                    return
            elif (translated := _translate(event)) is not None:
                room -= translated.kind != "end"
                if room < 0:
                    return
                yield translated

    try:
        value = builder.build(first())
    except yaml.YAMLError as error:
        return None, [*builder.findings, _syntax(error, text, lines)]
    if room < 0:
        return None, [*builder.findings, too_many_parts(limits.parts)]
    if not starts:
        return None, [Finding("empty-document", "", "is empty; send a card", line=1, column=1)]
    return value, [*builder.findings, *_document_findings(starts, lines)]


def _document_findings(starts: Sequence[Any], lines: Lines) -> Iterator[Finding]:
    version = starts[0].version
    if version not in (None, (1, 2)):
        message = (
            f"says YAML {version[0]}.{version[1]}, where `yes` is true and more; cards are YAML 1.2: drop the line"
        )
        yield Finding("yaml-version", "", message, line=1, column=1)
    if len(starts) > 1:
        line, column = lines.place(starts[1].start_mark.index)
        message = "holds several YAML documents; send one at a time"
        yield Finding("several-documents", "", message, line=line, column=column)


def events(text: str) -> Iterator[Event]:
    """Yield the events of a text that ``load`` found good."""
    for event in _parser_events(text):
        translated = _translate(event)
        if translated is not None:
            yield translated


def _parser_events(text: str) -> Iterator[Any]:
    parser = _PARSER(text)
    try:
        while parser.check_event():
            yield parser.get_event()
    finally:
        parser.dispose()


def _translate(event: Any) -> Event | None:
    mark: Any = event.start_mark
    offset: int = mark.index
    if isinstance(event, yaml.CollectionEndEvent):
        return Event("end", offset)
    if not isinstance(event, yaml.NodeEvent):
        return None
    if isinstance(event, yaml.AliasEvent):
        return Event("scalar", offset, f"*{event.anchor}", problem=_ALIAS)
    problem = _TAG if event.tag is not None else None  # type: ignore[attr-defined]  # every node but an alias has it
    if isinstance(event, yaml.ScalarEvent):
        if event.style:
            return Event("scalar", offset, event.value, event.value, problem)
        value, refused = resolve(event.value)
        refused = _MERGE if event.value == "<<" else refused
        return Event("scalar", offset, value, event.value, problem or refused)
    return Event("map" if isinstance(event, yaml.MappingStartEvent) else "list", offset, problem=problem)


def resolve(plain: str) -> tuple[Json, Problem | None]:
    """Return what an unquoted scalar means by the core schema, and why it is refused."""
    if plain in _NULLS:
        return None, None
    if plain in _BOOLEANS:
        return _BOOLEANS[plain], None
    if plain[0] not in "+-.0123456789":
        return plain, None
    if _INTEGER.fullmatch(plain):
        return numbers.integer(plain)
    if _OCTAL.fullmatch(plain):
        return numbers.integer(plain[2:], 8)
    if _HEXADECIMAL.fullmatch(plain):
        return numbers.integer(plain[2:], 16)
    if _REAL.fullmatch(plain):
        return numbers.real(plain)
    if _NOT_FINITE.fullmatch(plain):
        return None, Problem("not-a-number", f"is {plain}, which JSON has no number for; leave it out, or use null")
    return plain, None


def _syntax(error: yaml.YAMLError, text: str, lines: Lines) -> Finding:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        line, column = lines.place(error.problem_mark.index)
        return Finding("not-yaml", "", f"is not YAML: {error.problem}", line=line, column=column)
    if isinstance(error, yaml.reader.ReaderError):
        # libyaml counts bytes here.
        line, column = lines.place(len(text.encode()[: error.position].decode(errors="ignore")))
        return Finding("not-yaml", "", f"is not YAML: {error.reason}", line=line, column=column)
    return Finding("not-yaml", "", "is not YAML")
