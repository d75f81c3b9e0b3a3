"""JSON Pointers (RFC 6901) into a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def escape(token: str) -> str:
    """Return a member's name as a reference token (RFC 6901 3)."""
    return token.replace("~", "~0").replace("/", "~1")


def child(pointer: str, token: str | int) -> str:
    """Return the pointer to a member or an item of what ``pointer`` points to."""
    return f"{pointer}/{escape(token)}" if isinstance(token, str) else f"{pointer}/{token}"


def join(pointer: str, tokens: Iterable[str | int]) -> str:
    """Return the pointer to what lies ``tokens`` below ``pointer``."""
    return pointer + "".join(child("", token) for token in tokens)


def split(pointer: str) -> list[str]:
    """Return the unescaped reference tokens of a pointer."""
    # "~01" means "~1": "~1" is undone first (RFC 6901 4).
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]
