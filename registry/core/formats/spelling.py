"""Names that were meant: snake_case for camelCase, another generation's word, a slip of the keyboard."""

from __future__ import annotations

from difflib import get_close_matches
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from registry.core.card.model import Json

MAX_MEMBERS_TO_GUESS = 64  # spelling is compared for so many unknown members of an object, not for a flood
MAX_NAME_TO_GUESS = 64

# What others call a member; spelling alone doesn't lead from one to the other.
OTHER_NAMES: Mapping[str, tuple[str, ...]] = {
    "protocolBinding": ("transport", "preferredTransport", "transportProtocol", "protocol", "binding", "type"),
    "protocolVersion": ("version", "protocolVersions", "a2aVersion"),
    "transport": ("protocolBinding", "protocol", "type"),
    "supportedInterfaces": ("interfaces", "additionalInterfaces", "endpoints", "url"),
    "url": ("endpoint", "uri", "serviceUrl", "baseUrl"),
    "organization": ("name", "organisation"),
    "id": ("skill_id", "skillId"),
    "in": ("location",),
    "location": ("in",),
}


def near_miss(name: str, value: Mapping[str, Json], known: Mapping[str, Json]) -> str | None:
    """Return the unknown member of an object that probably stands for ``name``, None without one."""
    unknown = unknown_members(value, known)
    if (snake := snake_case(name)) != name and snake in value:
        return snake
    for other in OTHER_NAMES.get(name, ()):
        if other in value and other not in known:
            return other
    close = get_close_matches(name, unknown, n=1, cutoff=0.8)
    return close[0] if close else None


def spelt_otherwise(name: str, value: Mapping[str, Json], known: Mapping[str, Json]) -> str | None:
    """Return the absent known member that an unknown member is in snake_case or lower case, None without one."""
    return next((other for other in known if other not in value and name in (snake_case(other), other.lower())), None)


def close_to(name: str, value: Mapping[str, Json], known: Mapping[str, Json]) -> str | None:
    """Return the absent known member whose spelling is closest to an unknown member's, None without one."""
    close = get_close_matches(name, [other for other in known if other not in value], n=1, cutoff=0.87)
    return close[0] if close else None


def unknown_members(value: Mapping[str, Json], known: Mapping[str, Json]) -> list[str]:
    """Return the names of an object's unknown members, so far as comparing their spelling is worth it."""
    names: list[str] = []
    for name in value:
        if name not in known and len(name) <= MAX_NAME_TO_GUESS:
            names.append(name)
        if len(names) >= MAX_MEMBERS_TO_GUESS:
            break
    return names


def did_you_mean(given: Json, allowed: Iterable[str]) -> str:
    """Return "; did you mean ...?" when a string is close to an allowed one, else nothing."""
    if not isinstance(given, str) or len(given) > MAX_NAME_TO_GUESS:
        return ""
    some = islice(allowed, MAX_MEMBERS_TO_GUESS)
    folded = {name.lower(): name for name in some if len(name) <= MAX_NAME_TO_GUESS}
    close = get_close_matches(given.lower(), list(folded), n=1, cutoff=0.7)
    return f"; did you mean `{folded[close[0]]}`?" if close else ""


def snake_case(name: str) -> str:
    """Return a camelCase name in snake_case."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
