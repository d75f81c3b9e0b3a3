"""Opaque cursors for keyset pages, bound to the query that they continue."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from typing import TYPE_CHECKING, Any

from registry.core.errors import Finding, InvalidRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

_FORMAT = 1
_LIMIT = 2000  # characters; the longest key is an agent ID and a time


def encode_cursor(query: Any, last: Sequence[str]) -> str:
    """Return a cursor that continues ``query`` (any JSON) after the row whose key is ``last``."""
    text = json.dumps([_FORMAT, _binding(query, last), *last], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode_cursor(cursor: str, query: Any, parts: int) -> tuple[str, ...]:
    """Return the key of the last row. Raises InvalidRequest for a text that is no cursor of this query."""
    try:
        padded = cursor[:_LIMIT].encode("ascii") + b"=" * (-len(cursor[:_LIMIT]) % 4)
        value = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (UnicodeEncodeError, binascii.Error, ValueError, RecursionError):
        value = None
    if (
        isinstance(value, list)
        and len(value) == parts + 2
        and value[:2] == [_FORMAT, _binding(query, value[2:])]
        and all(isinstance(part, str) and part.isprintable() for part in value[2:])
    ):
        return tuple(value[2:])
    raise invalid_cursor()


def invalid_cursor() -> InvalidRequest:
    """Return what a text is told that continues nothing."""
    message = "the cursor is none of this query; take `next_cursor` of the page before, with the same filters"
    return InvalidRequest([Finding("invalid-cursor", "/cursor", message)])


def _binding(query: Any, last: Sequence[Any]) -> str:
    """Return what ties a cursor to its query and its row. It grants nothing, so there is no secret in it."""
    text = json.dumps([query, *last], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
