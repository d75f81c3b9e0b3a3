"""Entity tags and conditions, as RFC 9110 8.8.3 and 13 say."""

from __future__ import annotations

import re

# An opaque tag holds no quote and no control character; obs-text is let through.
_TAG = re.compile(r'(W/)?"([\x21\x23-\x7e\x80-\xff]*)"')
_SEPARATOR = re.compile(r"[ \t]*(?:,[ \t]*)+")


def quoted(tag: str) -> str:
    """Return a bare tag as a strong entity tag."""
    return f'"{tag}"'


def none_match(header: str, tag: str) -> bool:
    """Tell whether ``If-None-Match`` lets an answer through that has a (bare) tag; False is a 304.

    The comparison is weak (13.1.2). What is no list of tags matches nothing, so the whole answer is sent.
    """
    if header.strip(" \t") == "*":
        return False
    tags = _tags(header)
    return tags is None or all(opaque != tag for _, opaque in tags)


def strong_tags(header: str) -> tuple[str, ...] | None:
    """Return the bare strong tags of ``If-Match``, None for something that is no list of tags.

    Weak tags are left out: the comparison is strong (13.1.1), so they match nothing.
    """
    tags = _tags(header)
    return None if tags is None else tuple(opaque for weak, opaque in tags if not weak)


def _tags(header: str) -> list[tuple[bool, str]] | None:
    """Return (weak, opaque tag) of each; empty elements are allowed (5.6.1). None when it is no list of tags."""
    tags: list[tuple[bool, str]] = []
    text = header.strip(" \t,")
    position = 0
    while position < len(text):
        match = _TAG.match(text, position)
        if match is None:
            return None
        tags.append((match[1] is not None, match[2]))
        position = match.end()
        if position < len(text):
            separator = _SEPARATOR.match(text, position)
            if separator is None:
                return None
            position = separator.end()
    return tags or None
