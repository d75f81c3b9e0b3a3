"""A2A 0.3 agent cards, and the 0.3 view of cards that speak it."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from registry.core.errors import NoSuchView
from registry.core.formats import a2a_1_0
from registry.core.formats.legacy import read_legacy
from registry.core.formats.lifting import lower
from registry.core.formats.structure import without_nulls

if TYPE_CHECKING:
    from registry.core.card.model import Card, Json
    from registry.core.card.text import Document


def read(document: Document, raw: bytes) -> Card:
    """Read a 0.3 card. Raises InvalidCard with every finding, each with its place."""
    return read_legacy("a2a-0.3", document, raw)


def view(card: Card) -> dict[str, Json]:
    """Return the A2A 0.3 card of a card that speaks 0.3.

    A 0.3 card's view is its own document, and so is a union card's. Raises NoSuchView when no interface of the card
    has a protocol version in [0.3, 1.0): a 0.3 client would call something that doesn't understand it.
    """
    if card.kind == "a2a-0.3" or (card.kind == "a2a-1.0" and card.document.get("url")):
        return copy.deepcopy(dict(card.document))
    newest, _ = without_nulls(a2a_1_0.view(card), a2a_1_0.SCHEMA)
    lowered = lower(newest)
    if lowered is None:
        raise NoSuchView("a2a-0.3", "none of its interfaces speaks A2A 0.3 (protocolVersion from 0.3 to below 1.0)")
    return lowered
