"""Checks that every kind of card shares: URLs, and what looks like a secret."""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from registry.core.card.pointers import join
from registry.core.errors import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from registry.core.card.model import Json

    _Place = tuple["_Place", str | int] | None

# Shapes of tokens that their issuers document; a match is worth a loud warning, whatever the member's name.
SECRETS = (
    ("an AWS access key", re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b")),
    ("a GitHub token", re.compile(r"\b(?:gh[pousr]_[0-9A-Za-z]{36}|github_pat_[0-9A-Za-z_]{40,})\b")),
    ("a GitLab token", re.compile(r"\bglpat-[0-9A-Za-z_-]{20,}\b")),
    ("a Slack token", re.compile(r"\bxox[abprs]-[0-9A-Za-z-]{10,}\b")),
    ("an API key", re.compile(r"\bsk-(?:[a-z]+-)?[0-9A-Za-z_-]{20,}\b")),
    ("a Google API key", re.compile(r"\bAIza[0-9A-Za-z_-]{35}\b")),
    ("a private key", re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")),
    ("a JSON Web Token", re.compile(r"\beyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}")),
    ("a password in a URL", re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{1,100}:[^\s/@]{3,100}@")),
)
MAX_TEXT = 20_000


def url_findings(url: str, pointer: str) -> list[Finding]:
    """Return what is wrong with a URL that callers are sent to.

    An unspecified address (0.0.0.0, ::) or something that is no URL is an error; loopback, link-local and private
    addresses are warnings, which a namespace's policy may refuse.
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return [Finding("not-a-url", pointer, f"`{url[:100]}` is no URL; check its brackets and port")]
    if not parts.scheme or not host:
        return [Finding("not-a-url", pointer, f"`{url[:100]}` is no absolute URL; write `https://host/path`")]
    address = _address(host)
    if address is not None and address.is_unspecified:
        message = f"`{host}` is where a server listens, not where it is reached; write its public host name"
        return [Finding("unspecified-address", pointer, message)]
    reach = _reach(host, address)
    if reach:
        message = f"`{host}` is {reach}; callers elsewhere can't reach it"
        return [Finding("private-url", pointer, message, "warning")]
    return []


def _address(host: str) -> IPv4Address | IPv6Address | None:
    try:
        found = ip_address(host.split("%", 1)[0])
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return mapped or found


def _reach(host: str, address: IPv4Address | IPv6Address | None) -> str:
    if host == "localhost" or host.endswith(".localhost") or (address is not None and address.is_loopback):
        return "this machine alone (loopback)"
    if address is not None and address.is_link_local:
        return "a link-local address"
    if address is not None and address.is_private:
        return "a private address"
    return ""


def secret_findings(value: Json) -> Iterator[Finding]:
    """Yield a warning for every text that looks like a key or a token. Linear; long texts are cut."""
    # Places are chains of steps: as pointers, those of many texts below one long name would fill the memory.
    stack: list[tuple[Json, _Place]] = [(value, None)]
    while stack:
        node, place = stack.pop()
        if isinstance(node, dict):
            stack.extend((item, (place, name)) for name, item in reversed(node.items()))
        elif isinstance(node, list):
            stack.extend((item, (place, index)) for index, item in reversed(list(enumerate(node))))
        elif isinstance(node, str) and len(node) >= 16:
            for what, pattern in SECRETS:
                if pattern.search(node[:MAX_TEXT]):
                    message = f"looks like {what}; cards are public to their readers: take it out and revoke it"
                    yield Finding("secret", _pointer(place), message, "warning")
                    break


def _pointer(place: _Place) -> str:
    steps: list[str | int] = []
    while place is not None:
        place, step = place
        steps.append(step)
    return join("", reversed(steps))
