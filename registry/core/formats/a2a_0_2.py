"""A2A 0.2 agent cards, and what came before: those are refused with the reason first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from registry.core.formats.legacy import read_legacy

if TYPE_CHECKING:
    from registry.core.card.model import Card
    from registry.core.card.text import Document


def read(document: Document, raw: bytes) -> Card:
    """Read a 0.2 card. Raises InvalidCard with every finding, each with its place."""
    return read_legacy("a2a-0.2", document, raw)
