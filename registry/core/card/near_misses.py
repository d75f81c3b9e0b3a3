"""What somebody meant: the known name that is closest to an unknown one."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_NAME = 80  # longer ones are not compared: comparing takes time, and nobody mistypes those
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def nearest(name: str, known: Iterable[str], cutoff: float = 0.8) -> str | None:
    """Return the known name that is the same in another spelling, or else the closest; None without one."""
    if len(name) > MAX_NAME:
        return None
    spelt = {_plain(other): other for other in known}
    plain = _plain(name)
    if plain in spelt:
        return spelt[plain]
    close = get_close_matches(plain, list(spelt), n=1, cutoff=cutoff)
    return spelt[close[0]] if close else None


def closest(name: str, known: Iterable[str]) -> str:
    """Return "; did you mean ...?", or nothing where no known name is close."""
    found = nearest(name, known)
    return f"; did you mean `{found}`?" if found is not None and found != name else ""


def _plain(name: str) -> str:
    """Return a name without its style: inputSchema, input-schema and input_schema are one."""
    return _HUMP.sub("_", name).replace("-", "_").lower()
