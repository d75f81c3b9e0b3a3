"""One self-contained document from a card and the schema files beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def bundle(name: str, load: Callable[[str], bytes]) -> bytes:
    """Return the card ``name`` as self-contained JSON; ``load`` gets paths relative to the card's folder."""
    raise NotImplementedError
