"""An agent's ID and a version have one form each, wherever they stand."""

from __future__ import annotations

import re

import pytest

from registry.core.card import names
from registry.core.formats.published import SCHEMAS

AGENT_IDS = [
    ("com.example", True),
    ("com.example-2.x", True),
    ("a.b", True),
    ("a" * 63 + ".b", True),
    ("a" * 64 + ".b", False),
    ("com", False),
    ("com.", False),
    (".com", False),
    ("com..example", False),
    ("com.Example", False),
    ("com.-x", False),
    ("com.x-", False),
    ("com.x\n", False),
    ("com.éx", False),
    ("a." * 99 + "bb", True),
    ("a." * 99 + "bbb", False),
]


@pytest.mark.parametrize(("text", "is_one"), AGENT_IDS)
def test_an_agent_id_is_reverse_dns_in_lower_case(text, is_one):
    said = SCHEMAS["agent-card.schema"]["properties"]["agent_id"]
    assert is_one == names.is_agent_id(text)
    assert is_one == bool(len(text) <= said["maxLength"] and re.fullmatch(said["pattern"].strip("^$"), text))


def test_the_card_s_schema_has_the_pattern_and_the_limit_of_the_core():
    said = SCHEMAS["agent-card.schema"]["properties"]["agent_id"]
    assert (f"^{names.AGENT_ID}$", names.MAX_AGENT_ID) == (said["pattern"], said["maxLength"])


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("1.0.0", True),
        ("1.0.0-rc.1+b", True),
        ("1.0", False),
        ("v1.0.0", False),
        ("1.0.0\n", False),
        ("1.0.0-" + "a" * 251, False),
    ],
)
def test_a_version_is_semver_of_bounded_length(text, is_one):
    assert is_one == names.is_semver(text)
