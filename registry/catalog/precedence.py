"""SemVer 2.0.0 precedence as a text that sorts bytewise, for keys and keysets in SQL."""

from __future__ import annotations

LIMIT = 128  # characters of a version; three digits of length are enough for its numbers


def precedence_key(version: str) -> str:
    """Return a key whose byte order is SemVer's (clause 11): ``rc.2`` before ``rc.10``, build metadata left out.

    A number is its count of digits and its digits, so that texts order as numbers do. A release ends in ``~``, above
    any prerelease; a prerelease's identifiers begin with ``1`` (numbers) or ``2`` (texts) and end in a space, which is
    below every character that may follow, so that fewer identifiers come first.
    """
    plain = version.partition("+")[0]
    core, hyphen, prerelease = plain.partition("-")
    numbers = "".join(_number(part) for part in core.split("."))
    return numbers + ("".join(_identifier(part) for part in prerelease.split(".")) if hyphen else "~")


def _identifier(text: str) -> str:
    return f"1{_number(text)} " if text.isdigit() else f"2{text} "


def _number(digits: str) -> str:
    return f"{len(digits):03}{digits}"
