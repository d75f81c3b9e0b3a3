"""What an agent's ID and a version look like: one home for both."""

from __future__ import annotations

import re

import semver

MAX_AGENT_ID = 200
MAX_VERSION = 256
_LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
# Reverse DNS in lower case. ``schemas/agent-card.schema.json`` says the same; a test holds them equal.
AGENT_ID = rf"{_LABEL}(?:\.{_LABEL})+"
_AGENT_ID = re.compile(AGENT_ID, re.ASCII)


def is_agent_id(text: str) -> bool:
    """Return whether a text is an agent's ID, as it is kept: in lower case."""
    return len(text) <= MAX_AGENT_ID and _AGENT_ID.fullmatch(text) is not None


def is_semver(text: str) -> bool:
    """Return whether a text is one SemVer 2.0.0 version."""
    return len(text) <= MAX_VERSION and text.isascii() and semver.Version.is_valid(text)
