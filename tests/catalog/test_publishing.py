"""Publishing against a real PostgreSQL: what concurrent publishers leave behind, and what a kill leaves."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
from dataclasses import replace

import asyncpg
import pytest

from registry import embedded
from registry.catalog.catalog import Catalog
from registry.catalog.migrating import migrate
from registry.catalog.records import AgentQuery, Principal, StateChange, Submission
from registry.core.compat.report import Policy
from registry.core.compat.versions import Version, line, precedence
from registry.core.errors import (
    InvalidCard,
    InvalidRequest,
    InvalidState,
    PreconditionFailed,
    Unauthenticated,
    Unavailable,
    UnknownAgent,
    UnknownVersion,
    UpdateRefused,
    VersionTaken,
)
from registry.settings import Settings

ADMIN = Principal("admin")
AGENT = "com.example.things.counter"


def settings(url: str) -> Settings:
    return replace(Settings.from_environment({}), database_url=url, judge_workers=2)


def card(version: str, *, agent_id: str = AGENT, required: tuple[str, ...] = (), **members: object) -> bytes:
    document = {
        "agent_id": agent_id,
        "name": "Counter",
        "version": version,
        "input_schema": {
            "type": "object",
            "required": list(required),
            "properties": {name: {"type": "integer"} for name in ("a", "b", *required)},
        },
        "output": "text",
        **members,
    }
    return json.dumps(document).encode()


def run(url: str, scenario) -> object:
    async def inside() -> object:
        async with Catalog.opened(settings(url), url) as catalog:
            return await scenario(catalog)

    return asyncio.run(inside())


async def publish(catalog: Catalog, data: bytes, **options: object):
    (publication,) = await catalog.publish([Submission(data, **options)], ADMIN)
    return publication


def test_the_same_card_again_is_a_success_that_changes_nothing(database_url):
    async def scenario(catalog):
        first = await publish(catalog, card("1.0.0"))
        again = await publish(catalog, card("1.0.0"))
        page = await catalog.history(AGENT)
        return first.outcome, again.outcome, first.record.etag == again.record.etag, len(page.items)

    assert ("created", "unchanged", True, 1) == run(database_url, scenario)


def test_another_card_under_a_version_is_refused_with_what_differs_and_the_way_out(database_url):
    async def scenario(catalog):
        await publish(catalog, card("1.0.0"))
        with pytest.raises(VersionTaken) as named:
            await publish(catalog, card("1.0.0", name="Other"))
        with pytest.raises(VersionTaken) as owned:
            await publish(catalog, card("1.0.0", owner="somebody-else"))
        with pytest.raises(VersionTaken, match="build metadata"):
            await publish(catalog, card("1.0.0+again"))
        return named.value.differs, owned.value.differs, "PATCH" in str(owned.value)

    assert (("name",), ("owner",), True) == run(database_url, scenario)


def test_a_break_is_refused_named_breaks_pass_and_one_more_is_still_refused(database_url):
    async def scenario(catalog):
        await publish(catalog, card("1.0.0"))
        with pytest.raises(UpdateRefused, match="now requires `x`; publish it as 2.0.0") as refusal:
            await publish(catalog, card("1.1.0", required=("x",)))
        fingerprint = refusal.value.judgement["changes"][0]["fingerprint"]
        allowed = {"allow_breaking": frozenset({fingerprint}), "reason": "no callers yet"}
        with pytest.raises(UpdateRefused):
            await publish(catalog, card("1.1.0", required=("x", "y")), **allowed)
        with pytest.raises(InvalidRequest, match="reason"):
            await publish(catalog, card("1.1.0", required=("x",)), allow_breaking=frozenset({fingerprint}))
        forced = await publish(catalog, card("1.1.0", required=("x",)), **allowed)
        latest = await catalog.version(AGENT, "latest")
        across = await catalog.version(AGENT, "^1", accept_forced=True)
        assert "1.0.0" == (await catalog.agent(AGENT)).latest
        return forced.record.forced, latest.version, latest.newer_behind_break, across.version

    forced, latest, behind, across = run(database_url, scenario)
    assert (1, "1.0.0", "1.1.0", "1.1.0") == (len(forced), latest, behind, across)


def test_a_version_below_a_published_one_is_judged_against_it_too(database_url):
    async def scenario(catalog):
        await publish(catalog, card("1.0.0"))
        await publish(catalog, card("1.2.0"))
        with pytest.raises(UpdateRefused):
            await publish(
                catalog,
                card(
                    "1.1.0",
                    input_schema={"type": "object", "properties": {"z": {"type": "array"}, "a": {"type": "string"}}},
                ),
            )
        await publish(catalog, card("2.0.0", required=("x",)))
        await publish(catalog, card("1.1.0"))
        page = await catalog.history(AGENT)
        return [record.version for record in page.items], (await catalog.version(AGENT, "latest")).version

    assert (["2.0.0", "1.2.0", "1.1.0", "1.0.0"], "2.0.0") == run(database_url, scenario)


def test_several_cards_are_published_all_or_none(database_url):
    async def scenario(catalog):
        await publish(catalog, card("1.0.0"))
        good, bad = card("1.0.0", agent_id="com.example.things.other"), card("1.0.1", required=("x",))
        with pytest.raises(UpdateRefused):
            await catalog.publish([Submission(good), Submission(bad)], ADMIN)
        with pytest.raises(UnknownAgent):
            await catalog.agent("com.example.things.other")
        done = await catalog.publish([Submission(good), Submission(card("1.0.1"))], ADMIN)
        return [each.outcome for each in done]

    assert ["created", "created"] == run(database_url, scenario)


def test_a_check_stores_nothing(database_url):
    async def scenario(catalog):
        (checked,) = await catalog.check([Submission(card("1.0.0"))])
        with pytest.raises(UnknownAgent):
            await catalog.agent(AGENT)
        return checked.outcome

    assert "would_create" == run(database_url, scenario)


def test_every_finding_of_a_bad_card_comes_back(database_url):
    async def scenario(catalog):
        with pytest.raises(InvalidCard) as refused:
            await publish(catalog, json.dumps({"agent_id": "UPPER", "name": "", "version": "1"}).encode())
        return sorted({finding.pointer for finding in refused.value.findings})

    assert {"/agent_id", "/name", "/version"} <= set(run(database_url, scenario))


def test_states_move_as_allowed_with_the_record_s_tag_and_a_draft_is_judged_when_promoted(database_url):
    async def scenario(catalog):
        await publish(catalog, card("1.0.0"))
        draft = await publish(catalog, card("1.1.0", required=("x",)), state="draft")
        tag = f'"{draft.record.etag}"'
        with pytest.raises(UpdateRefused):
            await catalog.change_state(AGENT, "1.1.0", StateChange("production"), tag, ADMIN)
        with pytest.raises(PreconditionFailed):
            await catalog.change_state(AGENT, "1.1.0", StateChange("yanked", "wrong"), '"old"', ADMIN)
        first = await catalog.version(AGENT, "1.0.0")
        moved = await catalog.change_state(AGENT, "1.0.0", StateChange("deprecated", "use 2"), f'"{first.etag}"', ADMIN)
        yanked = await catalog.change_state(AGENT, "1.0.0", StateChange("yanked", "leaks"), "*", ADMIN)
        with pytest.raises(InvalidState):
            await catalog.change_state(AGENT, "1.0.0", StateChange("production"), "*", ADMIN)
        with pytest.raises(UnknownVersion):
            await catalog.version(AGENT, "latest")
        with pytest.raises(VersionTaken):
            await publish(catalog, card("1.0.0", name="again"))
        return moved.state, yanked.state, (await catalog.agent(AGENT)).states

    assert ("deprecated", "yanked", {"yanked": 1, "draft": 1}) == run(database_url, scenario)


def test_a_namespace_s_policy_decides_and_the_audit_chain_verifies(database_url):
    async def scenario(catalog):
        await publish(catalog, card("1.0.0"))
        with pytest.raises(InvalidRequest, match="no rule"):
            await catalog.set_policy("com.example.things", Policy(levels={"nonsense": "minor"}), ADMIN)
        await catalog.set_policy("com.example.things", Policy(strict=True), ADMIN)
        with pytest.raises(UpdateRefused, match="publish it as 1.1.0"):
            await publish(
                catalog,
                card("1.0.1", input_schema={"type": "object", "properties": {n: {"type": "integer"} for n in "abc"}}),
            )
        await catalog.set_policy("com.example.things", Policy(levels={"input-required-added": "minor"}), ADMIN)
        await publish(catalog, card("1.1.0", required=("x",)))
        return [entry.entry["action"] for entry in await catalog.audit("com.example.things")]

    assert ["publish", "policy", "policy", "publish"] == run(database_url, scenario)


def test_lists_page_by_keyset_and_a_cursor_holds_for_its_query_alone(database_url):
    async def scenario(catalog):
        for number in range(5):
            await publish(
                catalog,
                card("1.0.0", agent_id=f"com.example.things.n{number}", tags=["even" if number % 2 == 0 else "odd"]),
            )
        query = AgentQuery(tags=("even",), limit=2)
        first = await catalog.agents(query)
        second = await catalog.agents(replace(query, cursor=first.next_cursor))
        with pytest.raises(InvalidRequest):
            await catalog.agents(AgentQuery(limit=2, cursor=first.next_cursor))
        none = await catalog.agents(AgentQuery(q="nothingatall"))
        return [each.agent_id[-2:] for each in (*first.items, *second.items)], second.next_cursor, none.items

    assert (["n4", "n2", "n0"], None, ()) == run(database_url, scenario)


def test_the_first_token_is_made_once_and_only_its_owner_is_known(database_url):
    async def scenario(catalog):
        token = await catalog.ensure_admin_token(None)
        again = await catalog.ensure_admin_token(None)
        principal = await catalog.authenticate(token)
        with pytest.raises(Unauthenticated):
            await catalog.authenticate(token + "x")
        return principal.name, again

    assert ("admin", None) == run(database_url, scenario)


def test_one_version_with_many_contents_at_once_has_one_winner(database_url):
    async def scenario(catalog):
        cards = [card("1.0.0", description=f"number {number}") for number in range(16)]
        outcomes = await asyncio.gather(*(publish(catalog, each) for each in cards), return_exceptions=True)
        won = [index for index, each in enumerate(outcomes) if not isinstance(each, BaseException)]
        lost = [each for each in outcomes if isinstance(each, VersionTaken)]
        stored = await catalog.version(AGENT, "1.0.0")
        return len(won), len(lost), stored.raw == cards[won[0]]

    assert (1, 15, True) == run(database_url, scenario)


def test_thirty_two_publishers_of_conflicting_versions_leave_a_history_that_the_rules_allow(database_url):
    """Half of them require `x`, half don't: no minor line may hold both, whatever came first."""

    async def scenario(catalog):
        tasks = []
        for number in range(32):
            required = ("x",) if number % 2 else ()
            tasks.append(publish(catalog, card(f"1.{number}.0", required=required)))
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        unexpected = [
            each for each in outcomes if isinstance(each, BaseException) and not isinstance(each, UpdateRefused)
        ]
        page = await catalog.history(AGENT, limit=100)
        history = [
            (
                record.version,
                bool(json.loads(record_raw(await catalog.version(AGENT, record.version)))["input_schema"]["required"]),
            )
            for record in page.items
        ]
        accepted = {f"1.{number}.0" for number, each in enumerate(outcomes) if not isinstance(each, BaseException)}
        latest = (await catalog.version(AGENT, "latest")).version
        chain = await catalog.audit("com.example.things")
        return unexpected, history, accepted, latest, len(chain)

    def record_raw(record):
        return record.raw

    unexpected, history, accepted, latest, links = run(database_url, scenario)
    assert [] == unexpected
    assert accepted == {version for version, _ in history}
    # In the order of versions nobody begins to require: only the other way is a widening.
    rows = sorted(history, key=lambda row: precedence(Version.parse(row[0])))
    requiring = [required for _, required in rows]
    assert sorted(requiring, reverse=True) == requiring
    assert len({line(Version.parse(version)) for version, _ in rows}) == 1
    assert rows[-1][0] == latest
    assert len(history) == links
    assert len(history) >= 16


_PUBLISHER = """
import asyncio, json, sys
from dataclasses import replace
from registry.catalog.catalog import Catalog
from registry.catalog.records import Principal, Submission
from registry.settings import Settings
from registry.core.errors import Unavailable
async def main(url, name):
    settings = replace(Settings.from_environment({}), database_url=url, judge_workers=1)
    async with Catalog.opened(settings, url) as catalog:
        for number in range(1000):
            card = {"agent_id": "com.example.kill." + name, "name": "K", "version": f"1.{number}.0", "input": "text", "output": "text"}
            while True:
                try:
                    await catalog.publish([Submission(json.dumps(card).encode())], Principal("p"))
                    break
                except Unavailable:
                    await asyncio.sleep(0.05)
            print(number, flush=True)
asyncio.run(main(*sys.argv[1:3]))
"""


def _publisher(url: str, name: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", _PUBLISHER, url, name], stdout=subprocess.PIPE, text=True)


def _acknowledged(process: subprocess.Popen[str], least: int) -> int:
    """Read what was acknowledged until it is so many."""
    last = -1
    while last < least:
        last = int(process.stdout.readline())
    return last


async def _stored(url: str, name: str) -> tuple[list[int], int, int]:
    connection = await asyncpg.connect(url)
    try:
        rows = await connection.fetch(
            "select version, judgement, raw from version where agent_id = $1", f"com.example.kill.{name}"
        )
        for row in rows:
            assert json.loads(row["raw"])["version"] == row["version"]
            json.loads(row["judgement"])
        row = await connection.fetchrow(
            "select version_count, latest from agent where agent_id = $1", f"com.example.kill.{name}"
        )
        audited = await connection.fetchval(
            "select count(*) from audit where entry like $1", f'%com.example.kill.{name}"%'
        )
        numbers = sorted(int(each["version"].split(".")[1]) for each in rows)
        assert row["version_count"] == len(numbers)
        assert row["latest"] == f"1.{numbers[-1]}.0"
        return numbers, audited, len(numbers)
    finally:
        await connection.close()


def test_killing_the_publishing_process_loses_no_acknowledged_version_and_leaves_none_half_written(database_url):
    for round_number in range(3):
        name = f"round{round_number}"
        process = _publisher(database_url, name)
        last = _acknowledged(process, 5 + round_number)
        process.send_signal(signal.SIGKILL)
        rest = process.stdout.read().split()
        process.wait()
        process.stdout.close()
        last = int(rest[-1]) if rest else last
        numbers, audited, count = asyncio.run(_stored(database_url, name))
        assert list(range(len(numbers))) == numbers
        assert numbers[-1] in (last, last + 1)  # committed, but not yet acknowledged, is allowed
        assert audited == count


def test_killing_postgresql_loses_no_acknowledged_version(tmp_path_factory):
    import shutil
    import tempfile
    from pathlib import Path

    folder = Path(tempfile.mkdtemp(prefix="cards-kill-"))
    folder.chmod(0o755)
    try:
        with embedded.start(folder) as server:
            asyncio.run(migrate(server.url))
            process = _publisher(server.url, "server")
            last = -1
            for least in (5, 12, 20):
                last = _acknowledged(process, least)
                with contextlib.suppress(ProcessLookupError):
                    os.kill(server.process_id or 0, signal.SIGKILL)
            last = _acknowledged(process, last + 3)
            process.send_signal(signal.SIGKILL)
            rest = process.stdout.read().split()
            process.wait()
            process.stdout.close()
            last = int(rest[-1]) if rest else last
            numbers, audited, count = asyncio.run(_stored(server.url, "server"))
            assert list(range(len(numbers))) == numbers
            assert numbers[-1] in (last, last + 1)
            assert audited == count
            with pytest.raises(Unavailable, match="process"):
                embedded.start(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize(
    ("history", "refused", "smallest"),
    [
        (["1.0.0", "2.0.0-rc.1"], "1.1.0", "2.0.0"),
        (["1.0.0", "2.1.0 yanked"], "1.1.0", "2.0.0"),
        (["1.0.0", "2.0.0 yanked"], "1.1.0", "2.0.1"),
        (["1.0.0", "2.0.0 draft", "3.0.0"], "1.1.0", "2.0.1"),
        (["1.0.0", "2.4.0", "3.0.0 yanked", "3.0.1 retired"], "1.1.0", "3.0.2"),
        (["0.1.0", "0.2.0 yanked", "0.2.0-rc.1"], "0.1.1", "0.2.1"),
    ],
)
def test_the_version_that_a_refusal_names_is_accepted(database_url, history, refused, smallest):
    async def scenario(catalog):
        for text in history:
            version, _, state = text.partition(" ")
            await publish(catalog, card(version), state="production" if state == "yanked" else state or None)
            if state == "yanked":
                await catalog.change_state(AGENT, version, StateChange("yanked", "wrong"), "*", ADMIN)
        with pytest.raises(UpdateRefused) as refusal:
            await publish(catalog, card(refused, required=("x",)))
        named = refusal.value.judgement["smallest_version"]
        return named, (await publish(catalog, card(named, required=("x",)))).outcome

    assert (smallest, "created") == run(database_url, scenario)
