"""From bytes to a card, whatever kind it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from registry.core.card.model import Card


def read_card(data: bytes, *, agent_id: str | None = None, version: str | None = None) -> Card:
    """Read a card of any kind. Raises InvalidCard with every finding, TooLarge over 1 MiB."""
    raise NotImplementedError
