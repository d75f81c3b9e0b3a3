"""Concurrent publishers over HTTP: what they leave when they conflict."""

from threading import Thread

import httpx
from semver import Version

from tests.http.cards import contract, sent
from tests.http.serving import ADMIN_TOKEN, running

HEADERS = {"Authorization": f"Bearer {ADMIN_TOKEN}", "Content-Type": "application/json"}


def test_thirty_two_publishers_of_conflicting_versions_over_http_leave_a_history_that_the_rules_allow(database_url):
    """Eight versions, each in four contents; every other content requires `m`. Each version has one winner at most."""
    agent_id = "com.example.conflicts.agent"
    answers = []

    def publish(url, number, flavour):
        requiring = {"type": "object", "properties": {"m": {"type": "integer"}}, "required": ["m"] * (flavour % 2)}
        card = contract(agent_id, f"1.{number}.0", input_schema=requiring, description=f"Flavour {flavour}.")
        with httpx.Client(base_url=url, headers=HEADERS, timeout=60) as client:
            answer = client.put(f"/v1/agents/{agent_id}/versions/1.{number}.0", content=sent(card))
        answers.append((number, flavour, answer.status_code, answer.json().get("code")))

    with running(database_url, workers=2) as server, server.client() as client:
        threads = [Thread(target=publish, args=(server.url, index // 4, index % 4)) for index in range(32)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        items = client.get(f"/v1/agents/{agent_id}/versions").json()["items"]
        cards = {
            item["version"]: client.get(f"/v1/agents/{agent_id}/versions/{item['version']}/card").json()
            for item in items
        }
        latest = client.get(f"/v1/agents/{agent_id}").json()["latest"]

    assert 32 == len(answers)
    assert {(201, None), (409, "version-taken"), (409, "update-refused")} >= {row[2:] for row in answers}
    won = {f"1.{number}.0": f"Flavour {flavour}." for number, flavour, status, _ in answers if status == 201}
    assert won == {version: card["description"] for version, card in cards.items()}
    assert len(won) == sum(status == 201 for _, _, status, _ in answers)
    # Upwards nobody begins to require `m`: callers of a lower version would break.
    upwards = [bool(cards[version]["input_schema"]["required"]) for version in sorted(cards, key=Version.parse)]
    assert sorted(upwards, reverse=True) == upwards
    assert max(cards, key=Version.parse) == latest
