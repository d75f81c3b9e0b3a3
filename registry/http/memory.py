"""Answers that are kept in the process: built once, sent often, bounded in bytes."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from registry.http.etags import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

_OVERHEAD_BYTES = 600  # a key, the headers and their objects

IMMUTABLE = "public, max-age=31536000, immutable"
REVALIDATE = "no-cache"


@dataclass(frozen=True, slots=True)
class Content:
    """Bytes with what identifies them: ``tag`` is a bare strong entity tag."""

    body: bytes
    media_type: str
    tag: str

    @classmethod
    def derived(cls, body: bytes, media_type: str) -> Content:
        """Make one whose tag is the hash of its bytes."""
        return cls(body, media_type, f"sha256:{hashlib.sha256(body).hexdigest()}")


@dataclass(frozen=True, slots=True)
class Prepared:
    """A whole answer in the form that goes to the server: raw headers for 200 and for 304, and the body.

    A pinned one is named by its content's digest, and so is never out of date.
    """

    tag: str
    body: bytes
    pinned: bool
    headers: tuple[tuple[bytes, bytes], ...]
    headers_unchanged: tuple[tuple[bytes, bytes], ...]

    @classmethod
    def of(cls, content: Content, headers: Mapping[str, str]) -> Prepared:
        """Make one; RFC 9110 15.4.5 says which headers a 304 repeats."""
        kept = {"etag": quoted(content.tag), **{name.lower(): value for name, value in headers.items()}}
        sent = {"content-type": content.media_type, "content-length": str(len(content.body)), **kept}
        pinned = headers.get("Cache-Control") == IMMUTABLE
        return cls(content.tag, content.body, pinned, _raw(sent), _raw(kept))


@dataclass(frozen=True, slots=True)
class _Kept:
    value: Prepared | Content
    size_bytes: int
    until: float | None


class Memory:
    """A least-recently-used store of contents and answers. ``clock`` is monotonic, in seconds."""

    def __init__(self, clock: Callable[[], float], limit_bytes: int = 64 * 1024 * 1024) -> None:
        self._clock = clock
        self._limit_bytes = limit_bytes
        self._size_bytes = 0
        self._changes = 0
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()

    def content(self, key: Hashable) -> Content | None:
        """Return a content that was kept."""
        value = self._get(key)
        return value if isinstance(value, Content) else None

    def answer(self, path: str) -> Prepared | None:
        """Return the answer of a path."""
        value = self._get(path)
        return value if isinstance(value, Prepared) else None

    @property
    def changes(self) -> int:
        """How often something changed here: take it before reading what is kept for a time only."""
        return self._changes

    def keep(
        self, key: Hashable, value: Prepared | Content, seconds: float | None = None, changes: int | None = None
    ) -> None:
        """Keep something, for a time or for as long as there is room; not if something changed while it was read."""
        size_bytes = len(value.body) + _OVERHEAD_BYTES
        if size_bytes > self._limit_bytes // 8 or changes not in (None, self._changes):
            return
        self._drop(key)
        self._kept[key] = _Kept(value, size_bytes, None if seconds is None else self._clock() + seconds)
        self._size_bytes += size_bytes
        while self._size_bytes > self._limit_bytes:
            self._drop(next(iter(self._kept)))

    def forget_changing(self) -> None:
        """Forget everything that is kept for a time only: something changed here."""
        self._changes += 1
        for key in [key for key, kept in self._kept.items() if kept.until is not None]:
            self._drop(key)

    def _get(self, key: Hashable) -> Prepared | Content | None:
        kept = self._kept.get(key)
        if kept is None:
            return None
        if kept.until is not None and kept.until <= self._clock():
            self._drop(key)
            return None
        self._kept.move_to_end(key)
        return kept.value

    def _drop(self, key: Hashable) -> None:
        kept = self._kept.pop(key, None)
        if kept is not None:
            self._size_bytes -= kept.size_bytes


def _raw(headers: dict[str, str]) -> tuple[tuple[bytes, bytes], ...]:
    return tuple((name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items())
