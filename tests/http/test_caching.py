import hashlib
import json
from datetime import datetime

import pytest

from tests.http.cards import a2a_1_0, contract, sent


@pytest.fixture
def published(client, agent_id):
    card = contract(agent_id)
    path = f"/v1/agents/{agent_id}/versions/1.0.0"
    assert client.put(path, content=sent(card), headers={"Content-Type": "application/json"}).status_code == 201
    return agent_id


def paths(agent_id, digest):
    here = f"/v1/agents/{agent_id}/versions"
    return [
        "/v1/agents?limit=1",
        f"/v1/agents/{agent_id}",
        here,
        f"/v1/agents/{agent_id}/diff?from=1.0.0&to=1.0.0",
        *(
            f"{here}/1.0.0{part}"
            for part in ("", "/card", "/contract", "/a2a", "/schemas/input", "/schemas/output/default")
        ),
        *(f"{here}/latest{part}" for part in ("", "/card", "/a2a?a2a_version=1.0")),
        f"{here}/{digest}/card",
        f"{here}/{digest}/contract",
        f"/agents/{agent_id}/.well-known/agent-card.json",
        f"/agents/{agent_id}/1.0.0/.well-known/agent-card.json",
        f"/agents/{agent_id}/v1/.well-known/agent.json",
        "/v1/rules",
        "/openapi.json",
        "/docs",
    ]


def test_every_read_has_an_etag_and_knows_conditions(client, reader, published):
    digest = client.get(f"/v1/agents/{published}/versions/1.0.0").json()["digests"]["card"]
    for path in paths(published, digest):
        whole = reader.get(path)
        tag = whole.headers["etag"]
        assert whole.status_code == 200, path
        table = [
            (tag, 304),
            (f"W/{tag}", 304),
            (f'"x", {tag}', 304),
            (f'"x",W/"y" , {tag}', 304),
            ("*", 304),
            ('"x"', 200),
            (tag.strip('"'), 200),
            ("", 200),
        ]
        for method in ("GET", "HEAD"):
            found = [
                (tags, reader.request(method, path, headers={"If-None-Match": tags}).status_code) for tags, _ in table
            ]
            assert found == table, (method, path)
        unchanged = reader.get(path, headers={"If-None-Match": tag})
        kept = ("etag", "cache-control", "vary", "content-location", "deprecation", "sunset")
        assert [unchanged.headers.get(name) for name in kept] == [whole.headers.get(name) for name in kept], path


def test_head_says_what_get_says_without_the_body(client, reader, published):
    digest = client.get(f"/v1/agents/{published}/versions/1.0.0").json()["digests"]["card"]
    for path in [*paths(published, digest), "/livez", "/readyz"]:
        whole, head = reader.get(path), reader.head(path)
        changing = ("request-id", "date")
        assert {name: value for name, value in head.headers.items() if name not in changing} == {
            name: value for name, value in whole.headers.items() if name not in changing
        }, path


def test_a_cards_etag_is_the_digest_of_its_bytes(reader, published):
    card = reader.get(f"/v1/agents/{published}/versions/latest/card")
    assert card.headers["etag"] == f'"sha256:{hashlib.sha256(card.content).hexdigest()}"'


def test_only_bytes_by_their_digest_are_kept_without_asking_again(reader, published):
    here = f"/v1/agents/{published}/versions"
    digest = reader.get(f"{here}/1.0.0").json()["digests"]["card"]
    found = {
        path: reader.get(path).headers["cache-control"]
        for path in (
            f"{here}/{digest}/card",
            f"{here}/{digest}/a2a",
            f"{here}/{digest}/contract",
            f"{here}/{digest}",
            f"{here}/1.0.0/card",
            f"{here}/latest/card",
        )
    }
    assert list(found.values()) == ["public, max-age=31536000, immutable"] + ["no-cache"] * 5


def test_what_a_digest_url_answers_never_changes(client, reader, agent_id):
    """Two versions of one A2A card in two byte forms share its digest; the first one stays, though it is yanked."""
    here, card = f"/v1/agents/{agent_id}/versions", a2a_1_0("2026-12")
    first, second = json.dumps(card).encode(), json.dumps(card, indent=2).encode()
    headers = {"Content-Type": "application/json"}
    digest = client.put(f"{here}/2.0.0", content=first, headers=headers).json()["record"]["digests"]["card"]
    places = [
        f"{here}/{digest}/card",
        f"{here}/{digest}/a2a",
        f"/agents/{agent_id}/{digest}/.well-known/agent-card.json",
    ]

    def answers():  # a query is never answered from memory
        return [reader.get(f"{place}{query}") for place in places for query in ("", "?accept_forced=true")]

    def immutable(found):
        return {(each.content, each.headers["etag"], each.headers["cache-control"]) for each in found}

    wanted = {(first, f'"sha256:{hashlib.sha256(first).hexdigest()}"', "public, max-age=31536000, immutable")}
    assert wanted == immutable(answers())
    for version in ("1.0.0", "3.0.0"):
        assert client.put(f"{here}/{version}", content=second, headers=headers).status_code == 201
        assert wanted == immutable(answers())
    change = {"state": "yanked", "reason": "wrong"}
    assert client.patch(f"{here}/2.0.0", json=change, headers={"If-Match": "*"}).status_code == 200
    assert wanted == immutable(answers())
    assert "2.0.0" == reader.get(f"{here}/{digest}").json()["version"]


def test_a_selector_says_which_version_it_selected(reader, published):
    here = f"/v1/agents/{published}/versions"
    assert reader.get(f"{here}/%5E1.0/card").headers["content-location"] == f"{here}/1.0.0/card"
    assert "content-location" not in reader.get(f"{here}/1.0.0/card").headers
    for name in ("agent-card.json", "agent.json"):
        answer = reader.get(f"/agents/{published}/v1/.well-known/{name}")
        assert answer.headers["content-location"] == f"/agents/{published}/1.0.0/.well-known/{name}"


def test_a_deprecated_version_says_so_at_once_wherever_its_content_is_read(client, reader, published):
    here = f"/v1/agents/{published}/versions/1.0.0"
    places = [here, f"{here}/card", f"/agents/{published}/1.0.0/.well-known/agent-card.json"]
    assert all("deprecation" not in reader.get(path).headers for path in places)
    change = {
        "state": "deprecated",
        "reason": "use the other",
        "replaced_by": "com.example.other@2.0.0",
        "sunset": "2027-06-30T00:00:00Z",
    }
    answer = client.patch(here, json=change, headers={"If-Match": "*"})
    assert answer.status_code == 200, answer.text
    since = int(datetime.fromisoformat(answer.json()["state_changed_at"]).timestamp())
    for path in places:
        headers = reader.get(path).headers
        assert (headers["deprecation"], headers["sunset"], headers["link"]) == (
            f"@{since}",
            "Wed, 30 Jun 2027 00:00:00 GMT",
            '</v1/agents/com.example.other/versions/2.0.0>; rel="successor-version"',
        ), path


def test_latest_moves_at_once_for_everybody_who_asks_this_process(client, reader, published):
    card = contract(published, "1.1.0")
    places = [f"/v1/agents/{published}/versions/latest/card", f"/agents/{published}/.well-known/agent-card.json"]
    before = [reader.get(path).json()["version"] for path in places]
    path = f"/v1/agents/{published}/versions/1.1.0"
    assert client.put(path, content=sent(card), headers={"Content-Type": "application/json"}).status_code == 201
    after = [reader.get(path).json()["version"] for path in places]
    assert (before, after) == (["1.0.0"] * 2, ["1.1.0"] * 2)


def test_a_sequence_number_sent_back_is_answered_from_the_database(client, reader, published):
    path = f"/v1/agents/{published}/versions/1.0.0/card"
    first = reader.get(path)
    again = reader.get(path, headers={"Registry-Sequence": "1"})
    assert (first.content, first.headers["etag"]) == (again.content, again.headers["etag"])
