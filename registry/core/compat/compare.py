"""One card against another: every rule, one report."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from registry.core.compat.report import Policy, Report
from registry.core.compat.rules import RULES, access, guarantees, operations, permissions, shapes, texts
from registry.core.compat.versions import Version, bump, line, parse_version

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from registry.core.card.model import Card, Contract
    from registry.core.compat.report import Change, Level, Profile

    Bump = Level | Literal["none"]

ORDER: dict[str, int] = {"none": 0, "patch": 1, "minor": 2, "major": 3}


def compare(old: Card, new: Card, policy: Policy | None = None) -> Report:
    """Compare two cards, old to new, by a policy (the default one without).

    The verdict holds the changes against the cards' versions; without versions a break is refused.
    """
    chosen = policy or Policy()
    found = sorted(_levelled(_changes(old, new, chosen.profile), chosen), key=lambda change: -ORDER[change.level])
    if not found and old.digests.card != new.digests.card:
        found = [
            texts.BYTES_CHANGED.change(
                "the document changed, and nothing that a rule reads", old_pointer="", new_pointer=""
            )
        ]
    level = highest(found)
    given = _given(old.version, new.version)
    return Report(
        old_version=old.version,
        new_version=new.version,
        old_digest=old.digests.card,
        new_digest=new.digests.card,
        profile=chosen.profile,
        changes=tuple(found),
        level=level,
        verdict=verdict(level, old.version, new.version, chosen),
        needed=needed(level, old.version),
        given=given,
    )


def _changes(old: Card, new: Card, profile: Profile) -> Iterator[Change]:
    before, after = _said(old, new)
    yield from operations.changes(before, after)
    for name, operation in after.operations.items():
        was = before.operations.get(name)
        if was is not None:
            yield from shapes.changes(was, operation, profile)
            yield from operations.pause_changes(was, operation)
            yield from operations.failure_changes(was, operation)
            yield from access.operation_changes(was, operation, before, after)
    yield from guarantees.changes(before, after)
    yield from access.changes(before, after)
    yield from permissions.changes(before, after)
    yield from texts.changes(old, new)


def _said(old: Card, new: Card) -> tuple[Contract, Contract]:
    """Return both contracts without modes that only follow from inputs and outputs: those have rules of their own."""
    before, after = old.contract, new.contract
    if not (_says(old, "defaultInputModes") or _says(new, "defaultInputModes")):
        before, after = replace(before, input_modes=()), replace(after, input_modes=())
    if not (_says(old, "defaultOutputModes") or _says(new, "defaultOutputModes")):
        before, after = replace(before, output_modes=()), replace(after, output_modes=())
    return before, after


def _says(card: Card, member: str) -> bool:
    return card.kind != "contract" or bool(card.document.get("a2a", {}).get(member))


def _levelled(changes: Iterator[Change], policy: Policy) -> list[Change]:
    """Apply the levels that a policy sets for rules."""
    return [
        replace(change, level=policy.levels[change.rule]) if change.rule in policy.levels else change
        for change in changes
    ]


def highest(changes: Sequence[Change]) -> Bump:
    """Return the highest level among changes, "none" without any."""
    return max((change.level for change in changes), key=ORDER.__getitem__, default="none")


def needed(level: Bump, old: str | None) -> Bump:
    """Return the bump that a level needs after a version: below 1.0 an addition needs no minor bump."""
    if level == "minor" and old is not None and not parse_version(old).major:
        return "patch"
    return level


def verdict(level: Bump, old: str | None, new: str | None, policy: Policy) -> Literal["accepted", "warned", "refused"]:
    """Hold a level against what the version numbers say."""
    given = _given(old, new)
    wanted = needed(level, old)
    if given is None:
        return "refused" if level == "major" else "accepted"
    if ORDER[wanted] <= ORDER[given]:
        return "accepted"
    if wanted == "major":
        return "refused"
    if wanted == "minor":
        return "refused" if policy.strict else "warned"
    return "accepted"


def _given(old: str | None, new: str | None) -> Bump | None:
    if old is None or new is None:
        return None
    return bump(parse_version(old), parse_version(new))


__all__ = ["RULES", "Version", "compare", "highest", "line", "needed", "verdict"]
