"""One card against another: every rule, one report."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from registry.core.compat.report import Policy, Report, engine_version
from registry.core.compat.rules import OF_CARDS, OF_OPERATIONS, OF_SETS, OF_SHAPES, WITHOUT_OTHERS
from registry.core.compat.rules.subjects import Cards, Operations, shapes_of
from registry.core.compat.versions import bump, parse_version
from registry.core.solver import BUDGET

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from registry.core.card.model import Card
    from registry.core.compat.report import Change, Level
    from registry.core.compat.rules import Rule
    from registry.core.compat.rules.subjects import Shapes
    from registry.core.solver import Budget

    Bump = Level | Literal["none"]

ORDER: dict[str, int] = {"none": 0, "patch": 1, "minor": 2, "major": 3}


def compare(old: Card, new: Card, policy: Policy | None = None, budget: Budget = BUDGET) -> Report:
    """Compare two cards, old to new, by a policy (the default one without).

    Changes come highest level first. The verdict holds them against the cards' versions; without versions, or when
    the new one isn't above the old one, a break is refused and all else accepted.
    """
    chosen = policy or Policy()
    cards = Cards(old, new)
    solved = [(pair, list(shapes_of(pair, chosen.profile, budget))) for pair in _in_both(cards)]
    found = list(_changes(cards, solved)) or list(_found(WITHOUT_OTHERS, cards))
    changes = ordered(_levelled(found, chosen))
    level = highest(changes)
    shapes = [(f"{pair.id} {one.pause or one.side}", one.solved) for pair, row in solved for one in row]
    return Report(
        old_version=old.version,
        new_version=new.version,
        old_digest=old.digests.card,
        new_digest=new.digests.card,
        profile=chosen.profile,
        changes=changes,
        level=level,
        verdict=verdict(level, old.version, new.version, chosen),
        needed=needed(level, old.version),
        given=_given(old.version, new.version),
        engine_version=engine_version(second_prover=budget.second_prover),
        second_prover=tuple(name for name, each in shapes if each.second_prover),
        faults=tuple(f"{name}: {each.fault}" for name, each in shapes if each.fault),
    )


def _in_both(cards: Cards) -> Iterator[Operations]:
    before, after = cards.contracts
    for name, operation in after.operations.items():
        if name in before.operations:
            yield Operations(name, before.operations[name], operation, before, after)


def _changes(cards: Cards, solved: Iterable[tuple[Operations, Iterable[Shapes]]]) -> Iterator[Change]:
    yield from _found(OF_SETS, cards)
    for pair, shapes in solved:
        for each in shapes:
            yield from _found(OF_SHAPES, each)
        yield from _found(OF_OPERATIONS, pair)
    yield from _found(OF_CARDS, cards)


def _found(rules: Sequence[Rule], subject: object) -> Iterator[Change]:
    for rule in rules:
        yield from rule.changes(subject)


def _levelled(changes: Iterable[Change], policy: Policy) -> Iterator[Change]:
    """Apply the levels that a policy sets for rules."""
    for change in changes:
        yield replace(change, level=policy.levels[change.rule]) if change.rule in policy.levels else change


def ordered(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Return the distinct changes, highest level first; a definition that is used twice changes once.

    Of equal ones that is kept which is certain, and then the first.
    """
    distinct: dict[str, Change] = {}
    for change in changes:
        known = distinct.setdefault(change.fingerprint, change)
        if known.certainty == "unproven" and change.certainty == "certain":
            distinct[change.fingerprint] = change
    return tuple(sorted(distinct.values(), key=lambda change: -ORDER[change.level]))


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
    given, wanted = _given(old, new), needed(level, old)
    if given is None:
        return "refused" if level == "major" else "accepted"
    if ORDER[wanted] <= ORDER[given]:
        return "accepted"
    if wanted == "major" or policy.strict:
        return "refused"
    return "warned"


def _given(old: str | None, new: str | None) -> Level | None:
    if old is None or new is None:
        return None
    return bump(parse_version(old), parse_version(new))
