"""Pieces of sentences about values."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from registry.core.compat.differences import SchemaDifference

Json = Any

MAX_SHORT = 80
MAX_LISTED = 3
_ARTICLES = {
    "array": "an array",
    "boolean": "a boolean",
    "integer": "an integer",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}


def short(value: Json) -> str:
    """Return a value as one short piece of JSON."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MAX_SHORT else text[: MAX_SHORT - 3] + "..."


def types(value: Json) -> str:
    """Return a ``type`` keyword's value as words: ``a string or null``."""
    names = value if isinstance(value, list) else [value]
    return " or ".join(_ARTICLES.get(str(name), str(name)) for name in names)


def listed(values: list[Json]) -> str:
    """Return a few values, and how many more there are."""
    more = f" and {len(values) - MAX_LISTED} more" if len(values) > MAX_LISTED else ""
    return ", ".join(short(value) for value in values[:MAX_LISTED]) + more


def below(found: SchemaDifference, name: Json) -> str:
    """Return the place of a property at a difference's place."""
    return f"`{found.place}.{name}`" if found.place else f"`{name}`"


def at(found: SchemaDifference, preposition: str = "for") -> str:
    """Return where a difference is, as the end of a clause; nothing for the whole value."""
    return f" {preposition} `{found.place}`" if found.place else ""


def such_as(found: SchemaDifference) -> str:
    """Return the part of the witness at a difference's place, as an example."""
    return f", such as {short(found.part)}" if found.shown else ""
