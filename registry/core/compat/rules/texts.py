"""What promises nothing: texts, tags, owner, examples, links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from registry.core.card.canonical import canonical
from registry.core.compat.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from registry.core.card.model import Card
    from registry.core.compat.report import Change

TEXT_CHANGED = Rule(
    "text-changed",
    "patch",
    "card",
    "A name, a description, a link, an owner, tags or examples changed: nothing that callers rely on.",
    mirror="none: changing back is a change",
)
BYTES_CHANGED = Rule(
    "bytes-changed",
    "patch",
    "card",
    "The document changed in a way that no rule reads.",
    mirror="none: changing back is a change",
)

RULES = (TEXT_CHANGED, BYTES_CHANGED)

_TEXTS = ("name", "description", "owner", "documentation_url")


def changes(old: Card, new: Card) -> Iterator[Change]:
    """Yield what changed in the texts of a card and its operations."""
    for name in _TEXTS:
        before, after = getattr(old, name), getattr(new, name)
        if before != after:
            yield TEXT_CHANGED.change(
                f"the {name.replace('_', ' ')} changed",
                old_pointer=f"/{name}",
                new_pointer=f"/{name}",
                old=before,
                new=after,
            )
    if sorted(old.tags) != sorted(new.tags):
        yield TEXT_CHANGED.change(
            "the tags changed", old_pointer="/tags", new_pointer="/tags", old=sorted(old.tags), new=sorted(new.tags)
        )
    for name, operation in new.contract.operations.items():
        was = old.contract.operations.get(name)
        if was is None:
            continue
        before, after = (
            [each.name, each.description, sorted(each.tags), [_example(example) for example in each.examples]]
            for each in (was, operation)
        )
        if canonical(before) != canonical(after):
            yield TEXT_CHANGED.change(
                "its name, description, tags or examples changed",
                operation=name,
                old_pointer=was.pointer,
                new_pointer=operation.pointer,
                old=before,
                new=after,
            )


def _example(example: object) -> list[object]:
    return [example.name, example.input, example.output, example.error]  # type: ignore[attr-defined]
