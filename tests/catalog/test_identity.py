"""Names in calls are what names in cards are."""

import pytest

from registry.catalog.identity import agent_id_findings, version_findings
from registry.core.card.names import is_agent_id, is_semver


@pytest.mark.parametrize(
    "agent_id",
    [
        "com.example.a",
        "a.b",
        "a",
        "a..b",
        "A.b",
        "a_b.c",
        "-a.b",
        "a-.b",
        f"{'a' * 63}.b",
        f"{'a' * 64}.b",
        "a.b\n",
        "",
    ],
)
def test_an_agents_id_in_a_call_is_one_in_a_card(agent_id):
    assert is_agent_id(agent_id) is not bool(agent_id_findings(agent_id, ""))


@pytest.mark.parametrize(
    "version", ["1.2.3", "1.2", "v1.2.3", "1.2.3-a.1+b", "01.2.3", "1.2.3-01", "1.2.3\n", "\u0661.2.3"]
)
def test_a_version_in_a_call_is_one_in_a_card(version):
    assert is_semver(version) is not bool(version_findings(version, ""))
