"""The refusal that the seed shows (shared/seeds), published over HTTP: in its words, and with both of its ways out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.http.serving import running
from tests.shared import SHARED

TEAM = Path(__file__).parents[2] / "registry" / "demo" / "team"
AGENT = "com.example.team"


@pytest.fixture
def seed():
    """Return what the seed's example says: the old version, the new one, and what breaks."""
    (text,) = (path.read_text() for path in (SHARED / "seeds").glob("000_*.txt"))
    found = re.search(
        r"team (\S+) breaks the contracts of (\S+): (.+?); give it a new major version", " ".join(text.split())
    )
    return {"old": found[2], "new": found[1], "breaks": found[3]}


def test_the_seed_s_update_is_refused_in_its_words_and_passes_as_a_major_or_by_force(database_url, seed):
    assert {
        "old": "0.1.0",
        "new": "0.1.1",
        "breaks": "helper: input: takes JSON that matches a schema instead of text",
    } == seed
    first = (TEAM / f"{seed['old']}.yaml").read_bytes()
    breaking = (TEAM / f"{seed['new']}-refused.yaml").read_bytes()
    with running(database_url) as server, server.client() as client:

        def publish(version, card, **parameters):
            headers = {"Content-Type": "application/yaml"}
            return client.put(
                f"/v1/agents/{AGENT}/versions/{version}", content=card, headers=headers, params=parameters
            )

        def versions():
            return [each["version"] for each in client.get(f"/v1/agents/{AGENT}/versions").json()["items"]]

        assert 201 == publish(seed["old"], first).status_code
        refused = publish(seed["new"], breaking)
        assert (409, "update-refused") == (refused.status_code, refused.json()["code"])
        message = f"{seed['old']} -> {seed['new']} breaks: {seed['breaks']}; publish it as 0.2.0"
        assert message == refused.json()["judgement"]["message"]
        assert message in refused.json()["detail"]
        (change,) = refused.json()["judgement"]["changes"]
        assert seed["breaks"] == f"{change['operation']}: {change['sentence']}"
        assert [seed["old"]] == versions()
        assert 201 == publish("0.2.0", breaking.replace(b"version: 0.1.1", b"version: 0.2.0")).status_code
        forced = publish(seed["new"], breaking, allow_breaking=change["fingerprint"], reason="nobody calls it")
        assert (201, [change["fingerprint"]]) == (forced.status_code, forced.json()["record"]["forced"])
        assert ["0.2.0", "0.1.1", "0.1.0"] == versions()
