"""Cards for the tests of this folder: a small contract card, or an A2A card, with some members changed."""

import json
from pathlib import Path

from registry.core.card.read import read_card

CASES = Path(__file__).resolve().parents[2] / "cases"

BASE = {
    "agent_id": "com.example.team",
    "name": "Team",
    "description": "Answers.",
    "version": "1.0.0",
    "owner": "team",
    "deployment_url": "https://agents.example.com/team",
}
BASE_A2A = json.loads((CASES / "a2a" / "base-1.0.json").read_text())


def card(members=None, version=None):
    """Read a contract card with these members beside the least that it needs; None takes one out."""
    return _read(BASE, members or {}, version)


def a2a_card(members=None, version=None):
    """Read an A2A 1.0 card with these members instead of those of the base card; None takes one out."""
    return _read(BASE_A2A, members or {}, version)


def _read(base, members, version):
    document = {**base, **members, **({"version": version} if version else {})}
    kept = {name: value for name, value in document.items() if value is not None}
    return read_card(json.dumps(kept).encode())
