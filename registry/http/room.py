"""How much of a process's memory callers' bodies may take: anybody may send 16 MiB, and many may at once."""

from __future__ import annotations

from typing import Any

from registry.core.errors import Unavailable

_HELD = "registry.body_bytes"


class Room:
    """Counts the bytes that requests hold, from the first that is read to the end of the request."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self._held_bytes = 0

    def take(self, scope: Any, size_bytes: int) -> None:
        """Hold more for a request. Raises Unavailable when there is no room; what it holds stays held until it ends."""
        if self._held_bytes + size_bytes > self._limit_bytes:
            raise Unavailable("more is being sent than can be held at once; try again")
        self._held_bytes += size_bytes
        scope[_HELD] = scope.get(_HELD, 0) + size_bytes

    def leave(self, scope: Any) -> None:
        """Give back everything that a request held."""
        self._held_bytes -= scope.pop(_HELD, 0)
