"""JSON Pointers (RFC 6901) into a document."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from registry.core.card.model import Json


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


def without(document: Json, pointers: Iterable[str]) -> Json:
    """Return a copy of a document without what stands at some pointers; an item of a list becomes an empty object."""
    copy = deepcopy(document)
    for pointer in pointers:
        *path, last = split(pointer) or [""]
        holder = copy
        for token in path:
            holder = _member(holder, token)
        if isinstance(holder, dict):
            holder.pop(last, None)
        elif isinstance(holder, list) and _is_index(holder, last):
            holder[int(last)] = {}
    return copy


def _member(holder: Json, token: str) -> Json:
    """Return a member or an item, None where there is none."""
    if isinstance(holder, dict):
        return holder.get(token)
    return holder[int(token)] if isinstance(holder, list) and _is_index(holder, token) else None


def _is_index(items: list[Json], token: str) -> bool:
    return token.isdecimal() and len(token) < 10 and int(token) < len(items)
