"""Smaller values that show the same: a person sees at once what broke."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Json = Any
MAX_TRIES = 80
MAX_PARTS = 8_000  # that are asked about in all: a large value is tried less often, a very large one stays as it is


def shrunk(value: Json, shows: Callable[[Json], bool]) -> Json:
    """Return a value that still ``shows`` it, without members and items that it doesn't need.

    What is left is as it was: a value that a schema gives as an example stays one. ``shows`` is asked at most 80 times,
    less often about large values, and answers for all that is returned but the value given.
    """
    tries = min(MAX_TRIES, MAX_PARTS // _size(value))
    smaller = tries > 0
    while smaller:
        smaller = False
        for candidate in _without_one_part(value):
            tries -= 1
            if tries < 0:
                return value
            if shows(candidate):
                value, smaller = candidate, True
                break
    return value


def _without_one_part(value: Json) -> Iterator[Json]:
    """Yield copies of a value that lack one part each, the outermost and largest parts first."""
    level: list[tuple[str | int, ...]] = [()]
    while level:
        parts = [(*path, name) for path in level for name in _names(_at(value, path))]
        for path in sorted(parts, key=lambda each: -_size(_at(value, each))):
            yield _without(value, path)
        level = parts


def _names(value: Json) -> Sequence[str | int]:
    if isinstance(value, dict):
        return list(value)
    return list(range(len(value)))[::-1] if isinstance(value, list) else []


def _at(value: Json, path: tuple[str | int, ...]) -> Json:
    for name in path:
        value = value[name]
    return value


def _size(value: Json) -> int:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(_size, parts))


def _without(value: Json, path: tuple[str | int, ...]) -> Json:
    name, *rest = path
    copied: Json = dict(value) if isinstance(value, dict) else list(value)
    if rest:
        copied[name] = _without(value[name], tuple(rest))
    else:
        del copied[name]
    return copied
