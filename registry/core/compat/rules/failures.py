# ruff: noqa: D401  # a rule's docstring is its page: it states the change
"""The typed ways in which an operation fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from registry.core.compat.rules.rule import MAJOR_ADVICE, Difference, rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from registry.core.card.model import Failure
    from registry.core.compat.rules.subjects import Operations

# For each flag: how bad each value is for a caller. What isn't said may be anything, and counts as the worst.
_BADNESS: Mapping[str, Mapping[bool | None, int]] = {
    "retryable": {True: 0, False: 1, None: 2},
    "partial": {False: 0, True: 1, None: 2},
    "person": {False: 0, True: 1, None: 2},
    "safe_to_ignore": {True: 0, False: 1, None: 2},
}
_WORDS: Mapping[str, Mapping[bool | None, str]] = {
    "retryable": {True: "can be retried", False: "can't be retried", None: "doesn't say whether it can be retried"},
    "partial": {
        False: "leaves no half-done state",
        True: "may leave a half-done state",
        None: "doesn't say whether it leaves a half-done state",
    },
    "person": {False: "needs no person", True: "needs a person", None: "doesn't say whether it needs a person"},
    "safe_to_ignore": {
        True: "may be ignored",
        False: "may not be ignored",
        None: "doesn't say whether it may be ignored",
    },
}


@rule(
    level="major",
    side="failure",
    mirror="failure-removed",
    advice="answer with a kind that callers know, or publish the next major version",
)
def failure_added(pair: Operations) -> Iterator[Difference]:
    """An operation may fail with a kind that it didn't declare before.

    Callers branch on kinds, and no branch knows this one. A namespace whose callers all have a branch for anything
    else can set this rule to minor. On an operation that had no contract at all see `failure-declared`.
    """
    if not pair.was_without_contract:
        yield from _new(pair, "may fail with a new kind, ")


@rule(level="minor", side="failure", mirror="failure-removed", said_aloud=True)
def failure_declared(pair: Operations) -> Iterator[Difference]:
    """An operation that had no contract at all declares a kind of failure.

    Nothing was promised before, so nothing is broken; callers should hear of it.
    """
    if pair.was_without_contract:
        yield from _new(pair, "declares that it may fail with ")


def _new(pair: Operations, words: str) -> Iterator[Difference]:
    renamed = set(_renamed(pair).values())
    for kind, failure in pair.new.failures.items():
        if kind not in pair.old.failures and kind not in renamed:
            yield Difference(f"{words}`{kind}`", operation=pair.id, new_pointer=failure.pointer, new=kind)


@rule(level="minor", side="failure", mirror="failure-added")
def failure_removed(pair: Operations) -> Iterator[Difference]:
    """A kind of failure doesn't come any more.

    The branch that callers have for it is never taken.
    """
    renamed = _renamed(pair)
    for kind, failure in pair.old.failures.items():
        if kind not in pair.new.failures and kind not in renamed:
            yield Difference(f"no longer fails with `{kind}`", operation=pair.id, old_pointer=failure.pointer, old=kind)


@rule(
    level="major",
    side="failure",
    waiver="a renaming back is a renaming",
    advice="keep the old code, or publish the next major version",
)
def failure_renamed(pair: Operations) -> Iterator[Difference]:
    """A kind of failure has another code and the same text.

    Callers branch on the code. Told as one renaming when the description is the same and no other kind that came or
    went has it; otherwise it is a removal and an addition.
    """
    for kind, name in _renamed(pair).items():
        before, after = pair.old.failures[kind], pair.new.failures[name]
        yield Difference(
            f"the failure `{kind}` is called `{name}` now",
            operation=pair.id,
            old_pointer=before.pointer,
            new_pointer=after.pointer,
            old=kind,
            new=name,
        )


@rule(level="major", side="failure", mirror="failure-eased", advice=MAJOR_ADVICE)
def failure_worsened(pair: Operations) -> Iterator[Difference]:
    """A kind of failure asks more of callers than before.

    It can't be retried any more, may leave a half-done state, needs a person, or may not be ignored. What a contract
    doesn't say counts as the worst that it could be, so withdrawing a statement is worsening it.
    """
    for flag, badness in _BADNESS.items():
        yield from (found for found, step in _flagged(pair, flag, badness) if step > 0)


@rule(level="minor", side="failure", mirror="failure-worsened")
def failure_eased(pair: Operations) -> Iterator[Difference]:
    """A kind of failure asks less of callers, or says what it left open.

    It can be retried now, leaves nothing half done, needs no person, may be ignored, or asks for a shorter wait.
    """
    for flag, badness in _BADNESS.items():
        yield from (found for found, step in _flagged(pair, flag, badness) if step < 0)
    for before, after in _kept(pair):
        if before.retry_after_s is not None and (after.retry_after_s or 0) < before.retry_after_s:
            yield _waits(pair, before, after)


@rule(level="minor", side="failure", mirror="failure-eased", said_aloud=True)
def failure_delayed(pair: Operations) -> Iterator[Difference]:
    """A kind of failure asks callers to wait longer before they try again.

    Nothing breaks, but work takes longer: callers should hear of it.
    """
    for before, after in _kept(pair):
        if after.retry_after_s is not None and after.retry_after_s > (before.retry_after_s or 0):
            yield _waits(pair, before, after)


@rule(level="patch", side="failure", waiver="texts promise nothing in either direction")
def failure_described(pair: Operations) -> Iterator[Difference]:
    """The description of a failure changed.

    A text for people: no caller branches on it.
    """
    for before, after in _kept(pair):
        if before.description != after.description:
            yield Difference(
                f"the failure `{after.kind}` has another description",
                operation=pair.id,
                old_pointer=before.pointer,
                new_pointer=after.pointer,
                old=before.description,
                new=after.description,
            )


def _renamed(pair: Operations) -> dict[str, str]:
    """Pair the kinds that went and came with the same text, which no other of them has."""
    gone = [each for kind, each in pair.old.failures.items() if kind not in pair.new.failures]
    come = [each for kind, each in pair.new.failures.items() if kind not in pair.old.failures]
    found = {}
    for each in gone:
        same = [other.kind for other in come if other.description == each.description]
        rivals = [other for other in gone if other.description == each.description]
        if each.description and len(same) == 1 and len(rivals) == 1:
            found[each.kind] = same[0]
    return found


def _kept(pair: Operations) -> Iterator[tuple[Failure, Failure]]:
    """Yield the failures that both contracts have, renamed ones too."""
    renamed = _renamed(pair)
    for kind, before in pair.old.failures.items():
        after = pair.new.failures.get(renamed.get(kind, kind))
        if after is not None:
            yield before, after


def _flagged(pair: Operations, flag: str, badness: Mapping[bool | None, int]) -> Iterator[tuple[Difference, int]]:
    """Yield each change of a flag, and whether it is for the worse (above 0) or for the better."""
    for before, after in _kept(pair):
        old, new = getattr(before, flag), getattr(after, flag)
        if old != new:
            found = Difference(
                f"the failure `{after.kind}` {_WORDS[flag][new]} now (before: {_WORDS[flag][old]})",
                operation=pair.id,
                old_pointer=before.pointer,
                new_pointer=after.pointer,
                old={flag: old},
                new={flag: new},
            )
            yield found, badness[new] - badness[old]


def _waits(pair: Operations, before: Failure, after: Failure) -> Difference:
    old, new = ("no wait" if each is None else f"{each:g} s" for each in (before.retry_after_s, after.retry_after_s))
    return Difference(
        f"the failure `{after.kind}` asks for {new} before another try instead of {old}",
        operation=pair.id,
        old_pointer=before.pointer,
        new_pointer=after.pointer,
        old={"retry_after_s": before.retry_after_s},
        new={"retry_after_s": after.retry_after_s},
    )


OF_OPERATIONS = (
    failure_added,
    failure_declared,
    failure_removed,
    failure_renamed,
    failure_worsened,
    failure_eased,
    failure_delayed,
    failure_described,
)
