# ruff: noqa: D401  # a rule's docstring is its page: it states the change
"""Operations and pauses that come and go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from registry.core.compat.rules.rule import MAJOR_ADVICE, Difference, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from registry.core.compat.rules.subjects import Cards, Operations


@rule(
    level="major",
    side="card",
    mirror="operation-added",
    advice="keep the operation under its ID, or publish the next major version",
)
def operation_removed(cards: Cards) -> Iterator[Difference]:
    """An operation (an A2A skill) is gone, or its ID changed.

    Callers name an operation by its ID: under another ID it is another operation.
    """
    before, after = cards.contracts
    for name, operation in before.operations.items():
        if name not in after.operations:
            yield Difference("is gone", operation=name, old_pointer=operation.pointer, old=name)


@rule(level="minor", side="card", mirror="operation-removed")
def operation_added(cards: Cards) -> Iterator[Difference]:
    """An operation (an A2A skill) is new.

    Nobody calls it yet, so nobody is broken by it.
    """
    before, after = cards.contracts
    for name, operation in after.operations.items():
        if name not in before.operations:
            yield Difference("is new", operation=name, new_pointer=operation.pointer, new=name)


@rule(level="major", side="pause", mirror="pause-removed", advice=MAJOR_ADVICE)
def pause_added(pair: Operations) -> Iterator[Difference]:
    """A step stops for a person's answer where none stopped before.

    A caller that doesn't know the pause waits in it for ever. On an operation that had no contract at all see
    `pause-declared`.
    """
    if not pair.was_without_contract:
        yield from _new_pauses(pair, "stops for a new answer, ")


@rule(level="minor", side="pause", mirror="pause-removed", said_aloud=True)
def pause_declared(pair: Operations) -> Iterator[Difference]:
    """An operation that had no contract at all declares a pause.

    Nothing was promised before, so nothing is broken; callers should hear of it.
    """
    if pair.was_without_contract:
        yield from _new_pauses(pair, "declares that it stops for an answer, ")


def _new_pauses(pair: Operations, words: str) -> Iterator[Difference]:
    for name, pause in pair.new.pauses.items():
        if name not in pair.old.pauses:
            yield Difference(f"{words}`{name}`", operation=pair.id, new_pointer=pause.pointer, new=name)


@rule(level="minor", side="pause", mirror="pause-added")
def pause_removed(pair: Operations) -> Iterator[Difference]:
    """A pause's question is withdrawn: nobody is asked any more.

    Callers that know how to answer it are simply not asked.
    """
    for name, pause in pair.old.pauses.items():
        if name not in pair.new.pauses:
            yield Difference(f"no longer stops for `{name}`", operation=pair.id, old_pointer=pause.pointer, old=name)


OF_CARDS = (operation_removed, operation_added)
OF_OPERATIONS = (pause_added, pause_declared, pause_removed)
