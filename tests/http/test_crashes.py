"""A registry that is killed amid publishes: every version that was acknowledged is there, and none is half-written."""

import asyncio
import hashlib
import json
import os
import shutil
import signal
import tempfile
from contextlib import suppress
from pathlib import Path
from threading import Semaphore, Thread

import asyncpg
import httpx
import pytest
from semver import Version

from registry.catalog.catalog import Catalog
from registry.settings import Settings
from tests.http.cards import contract, sent
from tests.http.serving import ADMIN_TOKEN, running, serving_alone

PUBLISHERS = 6
WAITED_FOR = 24  # acknowledgements in a round before the kill
HEADERS = {"Authorization": f"Bearer {ADMIN_TOKEN}", "Content-Type": "application/json"}
AGENTS = [f"com.example.crash{number}.agent" for number in range(PUBLISHERS)]

# A version with everything that is written beside it.
TOGETHER = """
select v.version, v.raw, v.card_digest, v.contract_digest, v.judgement, v.sequence, a.latest, a.version_count,
  (select array_agg(e.number) from event e where e.agent_id = v.agent_id and e.version = v.version) as events,
  (select array_agg(u.entry) from audit u where u.namespace = a.namespace
    and u.entry like '%"' || v.agent_id || '"%' and u.entry like '%"' || v.version || '"%') as audited,
  (select array_agg(r.old_version) from report r where r.new_digest = v.card_digest) as reports,
  (select s.precedence from search s where s.agent_id = v.agent_id) as searched,
  (select max(w.precedence) from version w where w.agent_id = v.agent_id) as highest
from version v join agent a using (agent_id)
where v.agent_id = $1
"""


class Publishers:
    """Callers that publish one version after the other, each to an agent of its own, and note what they were told."""

    def __init__(self) -> None:
        self.acknowledged = {agent_id: {} for agent_id in AGENTS}
        self.unanswered = []
        self.odd = []
        self._progress = Semaphore(0)
        self._threads = []

    def start(self, url: str) -> None:
        self.unanswered = []
        self._threads = [Thread(target=self._publish, args=(url, agent_id)) for agent_id in AGENTS]
        for each in self._threads:
            each.start()

    def wait(self, acknowledgements: int) -> None:
        for _ in range(acknowledgements):
            assert self._progress.acquire(timeout=120), self.odd

    def join(self) -> None:
        for each in self._threads:
            each.join()
        assert [] == self.odd

    def _publish(self, url: str, agent_id: str) -> None:
        acknowledged = self.acknowledged[agent_id]
        with httpx.Client(base_url=url, headers=HEADERS, timeout=60) as client:
            while True:
                version = f"1.{len(acknowledged)}.0"
                path, body = path_of(agent_id, version), body_of(agent_id, version)
                try:
                    answer = client.put(path, content=body)
                except httpx.TransportError:
                    self.unanswered.append((agent_id, version))
                    return
                if answer.status_code in (200, 201):
                    acknowledged[version] = body
                    self._progress.release()
                elif answer.status_code != 503 or answer.json()["code"] != "unavailable":
                    self.odd.append((answer.status_code, answer.text))
                    return


def path_of(agent_id, version):
    return f"/v1/agents/{agent_id}/versions/{version}"


def body_of(agent_id, version):
    """Return a card that adds something to the one before it, so that there is a report of each."""
    count = int(version.split(".")[1])
    names = [f"p{number}" for number in range(count + 1)]
    schema = {"type": "object", "properties": {name: {"type": "integer"} for name in names}}
    return sent(contract(agent_id, version, input_schema=schema))


async def rows(url, agent_id):
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetch(TOGETHER, agent_id)
    finally:
        await connection.close()


async def verified_chains(url):
    settings = Settings.from_environment({"DATABASE_POOL_SIZE": "2"})
    async with Catalog.opened(settings, url) as catalog:
        return {agent_id: await catalog.audit(agent_id.rpartition(".")[0]) for agent_id in AGENTS}


def check_reads_and_retries(server, publishers):
    """Every acknowledged version comes back as it was sent; what was not answered can be sent again."""
    with server.client() as client:
        for agent_id, versions in publishers.acknowledged.items():
            for version, body in versions.items():
                assert client.get(f"{path_of(agent_id, version)}/card").content == body
        for agent_id, version in publishers.unanswered:
            body = body_of(agent_id, version)
            answer = client.put(path_of(agent_id, version), content=body, headers=HEADERS)
            assert answer.status_code in (200, 201), answer.text
            publishers.acknowledged[agent_id][version] = body
        for agent_id, versions in publishers.acknowledged.items():
            latest = client.get(path_of(agent_id, "latest")).json()
            contract_bytes = client.get(f"{path_of(agent_id, 'latest')}/contract").content
            assert f"1.{len(versions) - 1}.0" == latest["version"]
            assert latest["digests"]["contract"] == f"sha256:{hashlib.sha256(contract_bytes).hexdigest()}"


def check_nothing_is_half_written(url, publishers):
    chains = asyncio.run(verified_chains(url))
    for agent_id, acknowledged in publishers.acknowledged.items():
        found = sorted(asyncio.run(rows(url, agent_id)), key=lambda row: Version.parse(row["version"]))
        versions = [f"1.{number}.0" for number in range(len(acknowledged))]
        assert acknowledged == {row["version"]: row["raw"] for row in found}
        assert [(agent_id, version) for version in versions] == [
            (link.entry["agent_id"], link.entry["version"]) for link in chains[agent_id]
        ]
        for before, row in zip([None, *versions], found, strict=False):
            (entry,) = row["audited"]
            assert row["card_digest"] == json.loads(entry)["card_digest"]
            assert row["contract_digest"] == json.loads(entry)["contract_digest"]
            assert [row["sequence"]] == row["events"]
            assert before == json.loads(row["judgement"])["predecessor"]
            assert before is None or before in row["reports"]
            assert (versions[-1], len(versions)) == (row["latest"], row["version_count"])
            assert row["searched"] == row["highest"]


def kill(processes):
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def test_killing_the_server_amid_publishes_loses_no_acknowledged_version_and_leaves_none_half_written(database_url):
    """First the one process that started the others, which must end with it; then all of them at once."""
    publishers = Publishers()
    for victims in (lambda server: [server.process.pid], lambda server: server.processes()):
        with running(database_url, workers=2) as server:
            publishers.start(server.url)
            publishers.wait(WAITED_FOR)
            kill(victims(server))
            publishers.join()
        with running(database_url) as server:
            check_reads_and_retries(server, publishers)
    check_nothing_is_half_written(database_url, publishers)


@pytest.fixture
def folder():
    path = Path(tempfile.mkdtemp(prefix="cards-crash-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)


def test_killing_the_postgresql_that_comes_along_or_all_of_it_loses_no_acknowledged_version(folder):
    """`cards serve` alone: its database is killed under it and comes back, then everything at once."""
    publishers = Publishers()
    with serving_alone(folder, workers=2) as server:
        publishers.start(server.url)
        publishers.wait(WAITED_FOR)
        kill(each for each in server.processes() if server.name(each).startswith("postgres"))
        publishers.wait(WAITED_FOR)
        kill(server.processes())
        publishers.join()
    with serving_alone(folder) as server:
        check_reads_and_retries(server, publishers)
        check_nothing_is_half_written(server.database_url, publishers)
