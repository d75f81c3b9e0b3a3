"""Operations that come and go, and the failures and pauses that belong to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from registry.core.compat.rules.rule import MAJOR_ADVICE, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from registry.core.card.model import Contract, Failure, Operation
    from registry.core.compat.report import Change

OPERATION_REMOVED = Rule(
    "operation-removed",
    "major",
    "card",
    "An operation (an A2A skill) is gone, or its ID changed: callers name it by that ID.",
    "keep the operation under its ID, or publish the next major version",
    mirror="operation-added",
)
OPERATION_ADDED = Rule(
    "operation-added", "minor", "card", "A new operation: nobody calls it yet.", mirror="operation-removed"
)
PAUSE_ADDED = Rule(
    "pause-added",
    "major",
    "pause",
    "A step now stops for a person's answer: callers that don't know the pause hang in it.",
    MAJOR_ADVICE,
    mirror="pause-removed",
)
PAUSE_REMOVED = Rule(
    "pause-removed",
    "minor",
    "pause",
    "A pause's question is withdrawn: nobody is asked any more.",
    mirror="pause-added",
)
FAILURE_ADDED = Rule(
    "failure-added",
    "major",
    "failure",
    "A new kind of failure: callers branch on kinds, and don't know this one.",
    "answer with a kind that callers know, or publish the next major version",
    mirror="failure-removed",
)
FAILURE_REMOVED = Rule(
    "failure-removed", "minor", "failure", "A kind of failure doesn't come any more.", mirror="failure-added"
)
FAILURE_RENAMED = Rule(
    "failure-renamed",
    "major",
    "failure",
    "A kind of failure has another code and the same text: callers branch on the code.",
    "keep the old code",
    mirror="none: a renaming back is a renaming",
)
FAILURE_WORSENED = Rule(
    "failure-worsened",
    "major",
    "failure",
    "A kind of failure asks more of callers: it can't be retried any more, may leave a half-done state, or needs a "
    "person. What is not said counts as the worst.",
    MAJOR_ADVICE,
    mirror="failure-eased",
)
FAILURE_EASED = Rule(
    "failure-eased",
    "minor",
    "failure",
    "A kind of failure asks less of callers, or says what it left open.",
    mirror="failure-worsened",
)
FAILURE_DESCRIBED = Rule(
    "failure-described",
    "patch",
    "failure",
    "The description of a failure changed.",
    mirror="none: texts promise nothing",
)

RULES = (
    OPERATION_REMOVED,
    OPERATION_ADDED,
    PAUSE_ADDED,
    PAUSE_REMOVED,
    FAILURE_ADDED,
    FAILURE_REMOVED,
    FAILURE_RENAMED,
    FAILURE_WORSENED,
    FAILURE_EASED,
    FAILURE_DESCRIBED,
)

# For each flag: how bad each value is for a caller. What isn't said may be anything, and counts as the worst.
_BADNESS: Mapping[str, Mapping[bool | None, int]] = {
    "retryable": {True: 0, False: 1, None: 2},
    "partial": {False: 0, True: 1, None: 2},
    "person": {False: 0, True: 1, None: 2},
    "safe_to_ignore": {True: 0, False: 1, None: 2},
}
_WORDS = {
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


def changes(old: Contract, new: Contract) -> Iterator[Change]:
    """Yield what changed in the set of operations."""
    for name, operation in old.operations.items():
        if name not in new.operations:
            yield OPERATION_REMOVED.change(
                "is gone", operation=name, old_pointer=operation.pointer, old=operation.name or name
            )
    for name, operation in new.operations.items():
        if name not in old.operations:
            yield OPERATION_ADDED.change(
                "is new", operation=name, new_pointer=operation.pointer, new=operation.name or name
            )


def pause_changes(old: Operation, new: Operation) -> Iterator[Change]:
    """Yield pauses that came or went."""
    for name, pause in new.pauses.items():
        if name not in old.pauses:
            yield PAUSE_ADDED.change(
                f"stops for a new answer, `{name}`", operation=new.id, new_pointer=pause.pointer, new=name
            )
    for name, pause in old.pauses.items():
        if name not in new.pauses:
            yield PAUSE_REMOVED.change(
                f"no longer stops for `{name}`", operation=old.id, old_pointer=pause.pointer, old=name
            )


def failure_changes(old: Operation, new: Operation) -> Iterator[Change]:
    """Yield failures that came, went, were renamed, or ask more or less."""
    gone = {kind: each for kind, each in old.failures.items() if kind not in new.failures}
    come = {kind: each for kind, each in new.failures.items() if kind not in old.failures}
    for kind, renamed in _renamed(gone, come).items():
        before, after = gone.pop(kind), come.pop(renamed)
        yield FAILURE_RENAMED.change(
            f"`{kind}` is called `{renamed}` now",
            operation=new.id,
            old_pointer=before.pointer,
            new_pointer=after.pointer,
            old=kind,
            new=renamed,
        )
        yield from _flags(before, after, new.id)
    for kind, each in come.items():
        yield FAILURE_ADDED.change(
            f"may fail with a new kind, `{kind}`", operation=new.id, new_pointer=each.pointer, new=kind
        )
    for kind, each in gone.items():
        yield FAILURE_REMOVED.change(
            f"no longer fails with `{kind}`", operation=old.id, old_pointer=each.pointer, old=kind
        )
    for kind, each in old.failures.items():
        if kind in new.failures:
            yield from _flags(each, new.failures[kind], new.id)


def _renamed(gone: Mapping[str, Failure], come: Mapping[str, Failure]) -> dict[str, str]:
    """Pair failures that went and came with the same, unique text."""
    pairs = {}
    for kind, each in gone.items():
        same = [other for other, failure in come.items() if failure.description == each.description]
        back = [other for other, failure in gone.items() if failure.description == each.description]
        if each.description and len(same) == 1 and len(back) == 1:
            pairs[kind] = same[0]
    return pairs


def _flags(old: Failure, new: Failure, operation: str) -> Iterator[Change]:
    for flag, badness in _BADNESS.items():
        before, after = getattr(old, flag), getattr(new, flag)
        if before == after:
            continue
        rule = FAILURE_WORSENED if badness[after] > badness[before] else FAILURE_EASED
        yield rule.change(
            f"`{new.kind}` {_WORDS[flag][after]} (before: {_WORDS[flag][before]})",
            operation=operation,
            old_pointer=old.pointer,
            new_pointer=new.pointer,
            old={flag: before},
            new={flag: after},
        )
    if old.retry_after_s != new.retry_after_s:
        longer = new.retry_after_s is not None and (old.retry_after_s is None or new.retry_after_s > old.retry_after_s)
        yield FAILURE_EASED.change(
            f"`{new.kind}` asks for a wait of {new.retry_after_s:g} s"
            if longer
            else f"`{new.kind}` asks for less wait",
            operation=operation,
            old_pointer=old.pointer,
            new_pointer=new.pointer,
            old={"retry_after_s": old.retry_after_s},
            new={"retry_after_s": new.retry_after_s},
        )
    if old.description != new.description:
        yield FAILURE_DESCRIBED.change(
            f"`{new.kind}` has another description",
            operation=operation,
            old_pointer=old.pointer,
            new_pointer=new.pointer,
            old=old.description,
            new=new.description,
        )
