"""Concurrent publishers over HTTP: what they leave when they conflict, and when the server is killed in their midst."""

import asyncio
import signal
from threading import Semaphore, Thread

import asyncpg
import httpx
from semver import Version

from tests.http.cards import contract, sent
from tests.http.serving import ADMIN_TOKEN, running

PUBLISHERS = 6
ROUNDS = 3
WAITED_FOR = 24  # acknowledgements in a round before the kill
HEADERS = {"Authorization": f"Bearer {ADMIN_TOKEN}", "Content-Type": "application/json"}

# A version with what came with it, in one row.
TOGETHER = """
select v.version, v.raw, a.latest, a.version_count,
  (select count(*) from event e where e.agent_id = v.agent_id and e.version = v.version) as events,
  (select count(*) from audit u where u.namespace = a.namespace
    and u.entry like '%"' || v.agent_id || '"%' and u.entry like '%"' || v.version || '"%') as audited,
  (select s.precedence from search s where s.agent_id = v.agent_id) as searched,
  (select max(w.precedence) from version w where w.agent_id = v.agent_id) as highest
from version v join agent a using (agent_id)
where v.agent_id = $1
"""


def publisher(url, agent_id, acknowledged, unanswered, progress):
    """Publish one version after the other until the server is gone."""
    with httpx.Client(base_url=url, headers=HEADERS, timeout=30) as client:
        for number in range(len(acknowledged), 10_000):
            path = f"/v1/agents/{agent_id}/versions/1.{number}.0"
            body = sent(contract(agent_id, f"1.{number}.0"))
            try:
                answer = client.put(path, content=body)
            except httpx.TransportError:
                unanswered.append((path, body))
                return
            assert answer.status_code in (200, 201), answer.text
            acknowledged.append((path, body))
            progress.release()


def publish_until_killed(server, agents, acknowledged, unanswered):
    progress = Semaphore(0)
    threads = [
        Thread(target=publisher, args=(server.url, agent_id, acknowledged[agent_id], unanswered, progress))
        for agent_id in agents
    ]
    for each in threads:
        each.start()
    for _ in range(WAITED_FOR):
        progress.acquire(timeout=60)
    server.stop(signal.SIGKILL)
    for each in threads:
        each.join()


async def rows(url, agent_id):
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetch(TOGETHER, agent_id)
    finally:
        await connection.close()


def test_killing_the_server_amid_publishes_loses_no_acknowledged_version_and_leaves_none_half_written(database_url):
    agents = [f"com.example.crash{number}.agent" for number in range(PUBLISHERS)]
    acknowledged = {agent_id: [] for agent_id in agents}
    for _ in range(ROUNDS):
        unanswered = []
        with running(database_url, workers=2) as server:
            publish_until_killed(server, agents, acknowledged, unanswered)
        with running(database_url) as server, server.client() as client:
            for path, body in (pair for row in acknowledged.values() for pair in row):
                assert client.get(f"{path}/card").content == body
            for path, body in unanswered:  # a retry is safe, whether the first try was committed or not
                answer = client.put(path, content=body, headers=HEADERS)
                assert answer.status_code in (200, 201), answer.text
                acknowledged[path.split("/")[3]].append((path, body))
    for agent_id in agents:
        found = asyncio.run(rows(database_url, agent_id))
        bodies = dict(acknowledged[agent_id])
        versions = [f"1.{number}.0" for number in range(len(bodies))]
        assert versions == sorted((row["version"] for row in found), key=Version.parse)
        assert {path.rpartition("/")[2]: body for path, body in bodies.items()} == {
            row["version"]: row["raw"] for row in found
        }
        assert {(1, 1)} == {(row["events"], row["audited"]) for row in found}
        assert {(versions[-1], len(versions), True)} == {
            (row["latest"], row["version_count"], row["searched"] == row["highest"]) for row in found
        }


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
