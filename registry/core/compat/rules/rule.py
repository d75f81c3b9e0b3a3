"""What a rule is: one function, its docstring (which is its page under docs/rules/), its level, its mirror."""

from __future__ import annotations

import hashlib
import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from registry.core.card.canonical import canonical
from registry.core.compat.report import Change

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from registry.core.compat.report import Level, Side, Witness

Json = Any

MAJOR_ADVICE = "keep the old form beside the new one, or publish the next major version"


@dataclass(frozen=True, slots=True)
class Difference:
    """What a rule's function found: a change without what every change of that rule has in common."""

    sentence: str
    operation: str | None = None
    side: Side | None = None  # None: the rule's own
    old_pointer: str | None = None
    new_pointer: str | None = None
    old: Json = None
    new: Json = None
    basis: Json = None  # what else the change depends on, beside the fragments
    witness: Witness | None = None
    unproven: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to recognise a change.

    ``level`` is the default one, ``purpose`` the first line of ``page``. ``mirror`` is the rule of the opposite
    change (the other side, or the way back); where there is none, ``waiver`` says why.
    """

    id: str
    level: Level
    side: Side
    purpose: str
    page: str
    find: Callable[[Any], Iterable[Difference]]
    advice: str = ""
    said_aloud: bool = False
    mirror: str | None = None
    waiver: str | None = None

    def changes(self, subject: object) -> Iterator[Change]:
        """Yield the changes that this rule finds in what it reads (registry.core.compat.rules.subjects)."""
        for found in self.find(subject):
            side = found.side or self.side
            yield Change(
                rule=self.id,
                level=self.level,
                operation=found.operation,
                side=side,
                old_pointer=found.old_pointer,
                new_pointer=found.new_pointer,
                old=found.old,
                new=found.new,
                sentence=found.sentence,
                advice=self.advice,
                said_aloud=self.said_aloud,
                certainty="unproven" if found.unproven else "certain",
                witness=found.witness,
                fingerprint=fingerprint(self.id, side, found),
            )


def rule(
    *,
    level: Level,
    side: Side,
    mirror: str | None = None,
    waiver: str | None = None,
    advice: str = "",
    said_aloud: bool = False,
) -> Callable[[Callable[[Any], Iterable[Difference]]], Rule]:
    """Make a rule of a function: its name is the ID, its docstring the page."""

    def make(find: Callable[[Any], Iterable[Difference]]) -> Rule:
        page = inspect.getdoc(find) or ""
        name = find.__name__.replace("_", "-")
        return Rule(name, level, side, page.partition("\n")[0], page, find, advice, said_aloud, mirror, waiver)

    return make


def fingerprint(rule_id: str, side: str, found: Difference) -> str:
    """Return what identifies a change: never its words, its witness or the engine that found it."""
    parts = [rule_id, found.operation, side, found.old_pointer, found.new_pointer, found.old, found.new]
    parts += [found.basis] if found.basis is not None else []
    return "sha256:" + hashlib.sha256(canonical(parts)).hexdigest()
