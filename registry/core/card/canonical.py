"""The canonical form of a JSON value (RFC 8785) and SHA-256 digests."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import rfc8785

if TYPE_CHECKING:
    from registry.core.card.model import Json


def canonical(value: Json) -> bytes:
    """Return the RFC 8785 form of a value.

    Values come from ``text.parse``, which refuses what this form can't carry (large integers, NaN, lone surrogates).
    Raises ValueError for any other value that it can't carry.
    """
    return rfc8785.dumps(value)


def digest(data: bytes) -> str:
    """Return ``sha256:`` and the hexadecimal SHA-256 of some bytes."""
    return f"sha256:{sha256(data).hexdigest()}"
