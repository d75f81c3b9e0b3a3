"""What a rule is, and how it makes a change."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from registry.core.card.canonical import canonical
from registry.core.compat.report import Change

if TYPE_CHECKING:
    from registry.core.compat.report import Level, Side, Witness

Json = Any


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to recognise a change. ``mirror`` is the rule of the opposite change, or why there is none."""

    id: str
    level: Level
    side: Side
    purpose: str
    advice: str = ""
    said_aloud: bool = False
    mirror: str = ""

    def change(
        self,
        sentence: str,
        *,
        operation: str | None = None,
        old_pointer: str | None = None,
        new_pointer: str | None = None,
        old: Json = None,
        new: Json = None,
        side: Side | None = None,
        witness: Witness | None = None,
        unproven: bool = False,
        advice: str | None = None,
    ) -> Change:
        """Make the change that this rule found."""
        where = side or self.side
        return Change(
            rule=self.id,
            level=self.level,
            operation=operation,
            side=where,
            old_pointer=old_pointer,
            new_pointer=new_pointer,
            old=old,
            new=new,
            sentence=sentence,
            advice=self.advice if advice is None else advice,
            said_aloud=self.said_aloud,
            certainty="unproven" if unproven else "certain",
            witness=witness,
            fingerprint=fingerprint(self.id, operation, where, old_pointer, new_pointer, old, new),
        )


def fingerprint(
    rule: str, operation: str | None, side: str, old_pointer: str | None, new_pointer: str | None, old: Json, new: Json
) -> str:
    """Return what identifies a change: never its words, its witness or the engine that found it."""
    parts = [rule, operation, side, old_pointer, new_pointer, old, new]
    return "sha256:" + hashlib.sha256(canonical(parts)).hexdigest()


MAJOR_ADVICE = "publish it as the next major version, or keep the old form beside the new one"
