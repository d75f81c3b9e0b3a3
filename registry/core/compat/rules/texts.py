# ruff: noqa: D401  # a rule's docstring is its page: it states the change
"""What promises nothing: names, descriptions, links, owners, tags, examples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from registry.core.card.canonical import canonical
from registry.core.compat.rules.rule import Difference, rule

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from registry.core.card.model import Json, Operation
    from registry.core.compat.rules.subjects import Cards, Operations

_TEXTS = (
    ("name", "/name"),
    ("description", "/description"),
    ("owner", "/owner"),
    ("documentation_url", "/documentation_url"),
)


@rule(level="patch", side="card", waiver="texts promise nothing in either direction")
def text_changed(cards: Cards) -> Iterator[Difference]:
    """The card's name, description, owner, link to its documentation, or tags changed.

    Texts for people: no caller's call depends on them.
    """
    for name, pointer in _TEXTS:
        old, new = getattr(cards.old, name), getattr(cards.new, name)
        if old != new:
            said = f"another {name.replace('_url', '').replace('_', ' ')}"
            yield Difference(said, old_pointer=pointer, new_pointer=pointer, old=old, new=new)
    old, new = sorted(cards.old.tags), sorted(cards.new.tags)
    if old != new:
        yield Difference("other tags", old_pointer="/tags", new_pointer="/tags", old=old, new=new)


@rule(level="patch", side="card", waiver="texts promise nothing in either direction")
def operation_described(pair: Operations) -> Iterator[Difference]:
    """The name, description, tags, examples or questions of an operation changed.

    Texts for people: no caller's call depends on them.
    """
    asked = pair.old.pauses.keys() & pair.new.pauses.keys()
    before, after = _texts(pair.old, asked), _texts(pair.new, asked)
    for words, old in before.items():
        new = after.get(words, old)
        if canonical(old) != canonical(new):
            yield Difference(
                f"its {words} changed",
                operation=pair.id,
                old_pointer=pair.old.pointer,
                new_pointer=pair.new.pointer,
                old={words: old},
                new={words: new},
            )


def _texts(operation: Operation, asked: Collection[str]) -> dict[str, Json]:
    """Return the texts of an operation; one that is the card's own top-level contract has the card's name."""
    examples = [[each.name, each.input, each.output, each.error, sorted(each.members)] for each in operation.examples]
    questions = {name: pause.description for name, pause in operation.pauses.items() if name in asked}
    found: dict[str, Json] = {"examples": examples, "questions": questions}
    if operation.pointer:
        found |= {"name": operation.name, "description": operation.description, "tags": sorted(operation.tags)}
    return found


@rule(level="patch", side="card", waiver="whatever it is, no rule reads it in either direction")
def bytes_changed(cards: Cards) -> Iterator[Difference]:
    """The document changed, and no other rule found anything.

    An icon, a provider, a member that nobody knows, another way to write the same schema.
    """
    if cards.old.digests.card != cards.new.digests.card:
        yield Difference("other bytes, and nothing that a rule reads", old_pointer="", new_pointer="")


OF_CARDS = (text_changed,)
OF_OPERATIONS = (operation_described,)
WITHOUT_OTHERS = (bytes_changed,)
