"""URI references (RFC 3986 4.1), as strictly as validators take them: they stop at any other text."""

from __future__ import annotations

import re
from urllib.parse import quote

_ESCAPE = "%[0-9A-Fa-f]{2}"
_PLAIN = r"A-Za-z0-9\-._~!$&'()*+,;="
_URI_REFERENCE = re.compile(
    # A scheme, or no colon before the first slash (RFC 3986 4.2).
    r"(?:[A-Za-z][A-Za-z0-9+.-]*+:|(?![^:/?#]*+:))"
    rf"(?://(?:(?:[{_PLAIN}:]|{_ESCAPE})*@)?(?:\[[0-9A-Fa-f:.]*+\]|(?:[{_PLAIN}]|{_ESCAPE})*+)(?::[0-9]*+)?(?=[/?#]|$))?"
    rf"(?:[{_PLAIN}:@/]|{_ESCAPE})*+"
    rf"(?:\?(?:[{_PLAIN}:@/?]|{_ESCAPE})*+)?"
    rf"(?:#(?:[{_PLAIN}:@/?]|{_ESCAPE})*+)?",
    re.ASCII,
)
_ALLOWED = "!$&'()*+,;=:@/?"


def is_uri_reference(text: str) -> bool:
    """Return whether a text is a URI reference."""
    return _URI_REFERENCE.fullmatch(text) is not None


def encoded(text: str) -> str:
    """Return a text with everything percent-encoded that a URI reference can't hold as it is."""
    before, mark, fragment = text.partition("#")
    return quote(before, safe=_ALLOWED) + mark + quote(fragment, safe=_ALLOWED)
