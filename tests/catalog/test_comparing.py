"""How versions are compared at a publish: pair by pair, each contract once, and nothing that was found is lost."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import replace

import asyncpg
import pytest

from registry.catalog import judgement
from registry.catalog.catalog import Catalog
from registry.catalog.jobs import Source
from registry.catalog.records import StateChange, Submission
from registry.core.compat.report import Policy
from registry.core.errors import JudgingStopped, Unavailable, UpdateRefused
from tests.catalog.test_publishing import ADMIN, AGENT, card, publish, run, settings

# Every worker runs this first: comparing with a card of that name takes for ever.
_SLOW = """
from registry.catalog import jobs
compare = jobs.Compare.run
def run(job, cards):
    while cards.read(job.old).name == "Slow":
        pass
    return compare(job, cards)
jobs.Compare.run = run
"""


def like(version: str, number: int = 0, **members: object) -> bytes:
    """Return a card whose contract is told by a number: another default is a minor change."""
    schema = {"type": "object", "properties": {"a": {"type": "integer", "default": number}}}
    return card(version, input_schema=schema, **members)


async def ask(url: str, statement: str) -> list[tuple[object, ...]]:
    connection = await asyncpg.connect(url)
    try:
        return [tuple(row) for row in await connection.fetch(statement)]
    finally:
        await connection.close()


async def publish_unjudged(catalog: Catalog, url: str, cards: list[bytes]) -> None:
    """Put versions into production that nobody has compared."""
    await catalog.publish([Submission(each, state="draft") for each in cards], ADMIN)
    await ask(url, "update version set state = 'production'")


async def pairs(url: str) -> list[str]:
    rows = await ask(url, "select old_version || ' ' || new_version from report order by 1")
    return [str(row[0]) for row in rows]


@pytest.mark.parametrize(("contracts", "reports"), [(1, 1), (4, 4), (200, 200)])
def test_one_more_beside_two_hundred_live_versions_takes_seconds_and_a_small_record(database_url, contracts, reports):
    """The time is for a machine that has much else to do; it takes a fraction of it."""

    async def scenario(catalog):
        cards = [like(f"1.{number}.0", number % contracts, description=f"{number}") for number in range(200)]
        await publish_unjudged(catalog, database_url, cards)
        started = time.monotonic()
        record = (await publish(catalog, like("1.200.0", 200))).record
        seconds = time.monotonic() - started
        ((size_bytes,),) = await ask(database_url, "select length(judgement) from version where version = '1.200.0'")
        return record.judgement, seconds, size_bytes, await pairs(database_url)

    found, seconds, size_bytes, stored = run(database_url, scenario)
    assert reports == len(stored)
    assert (["1.199.0"], "1.199.0") == ([each["old_version"] for each in found["reports"]], found["predecessor"])
    assert [(f"1.{number}.0", "1.200.0", "accepted") for number in range(199, -1, -1)] == [
        (each["old_version"], each["new_version"], each["verdict"]) for each in found["pairs"]
    ]
    assert found["changes"] == found["reports"][0]["changes"]
    assert seconds < 60
    assert size_bytes < 20_000


def test_versions_with_the_contract_of_the_new_one_are_not_compared_but_for_the_nearest(database_url):
    async def scenario(catalog):
        for number in range(4):
            record = (await publish(catalog, like(f"1.{number}.0", description=f"{number}"))).record
        return await pairs(database_url), [each["rule"] for each in record.judgement["changes"]]

    assert (["1.0.0 1.1.0", "1.1.0 1.2.0", "1.2.0 1.3.0"], ["text-changed"]) == run(database_url, scenario)


def test_a_comparison_that_is_stopped_loses_no_other_and_a_retry_makes_it_alone(database_url, tmp_path, monkeypatch):
    async def stopped():
        async with Catalog.opened(replace(settings(database_url), judge_timeout_s=8.0), database_url) as catalog:
            names = ["Counter", "Slow", "Counter", "Counter"]
            cards = [like(f"1.{number}.0", number, name=name) for number, name in enumerate(names)]
            await publish_unjudged(catalog, database_url, cards)
            with pytest.raises(JudgingStopped):
                await publish(catalog, like("1.4.0", 4))
        return await ask(database_url, "select old_version, created_at from report order by 1")

    async def again(catalog):
        created = await publish(catalog, like("1.4.0", 4))
        return created.outcome, await ask(database_url, "select old_version, created_at from report order by 1")

    with monkeypatch.context() as patch:
        (tmp_path / "sitecustomize.py").write_text(_SLOW)
        patch.setenv("PYTHONPATH", str(tmp_path))
        before = asyncio.run(stopped())
    outcome, after = run(database_url, again)
    assert ["1.0.0", "1.2.0", "1.3.0"] == [version for version, _ in before]
    assert ("created", ["1.0.0", "1.1.0", "1.2.0", "1.3.0"]) == (outcome, [version for version, _ in after])
    assert before == [row for row in after if row[0] != "1.1.0"]


def test_what_a_refused_publish_or_move_compared_is_kept_and_what_a_check_compared_is_not(database_url):
    async def scenario(catalog):
        await publish(catalog, like("1.0.0"))
        broken = card("1.1.0", required=("x",))
        found = []
        for call in (
            lambda: catalog.check([Submission(broken)]),
            lambda: catalog.publish([Submission(broken)], ADMIN),
        ):
            with pytest.raises(UpdateRefused):
                await call()
            found.append(await pairs(database_url))
        await publish(catalog, card("1.2.0", required=("x",)), state="draft")
        with pytest.raises(UpdateRefused):
            await catalog.change_state(AGENT, "1.2.0", StateChange("production"), "*", ADMIN)
        return [*found, await pairs(database_url)]

    assert [[], ["1.0.0 1.1.0"], ["1.0.0 1.1.0", "1.0.0 1.2.0"]] == run(database_url, scenario)


def test_a_refusal_tells_of_every_version_that_it_breaks_with_though_one_comparison_told_all(database_url):
    async def scenario(catalog):
        for number in range(3):
            await publish(catalog, like(f"1.{number}.0"))
        with pytest.raises(UpdateRefused) as refusal:
            await publish(catalog, card("1.3.0", required=("x",)))
        reports = refusal.value.judgement["reports"]
        return [(each["old_version"], each["verdict"], each["changes"][0]["fingerprint"]) for each in reports]

    found = run(database_url, scenario)
    assert [("1.2.0", "refused"), ("1.1.0", "refused"), ("1.0.0", "refused")] == [row[:2] for row in found]
    assert 1 == len({row[2] for row in found})


def test_what_was_let_through_stands_in_the_record_whichever_version_it_breaks(database_url):
    """1.2.0 asks for what 1.1.0 asks for too, and 1.0.0 did not."""

    async def scenario(catalog):
        await publish_unjudged(catalog, database_url, [like("1.0.0"), card("1.1.0", required=("x",))])
        forced = {"allow_breaking": frozenset({"*"}), "reason": "nobody calls it"}
        return (await publish(catalog, card("1.2.0", required=("x",)), **forced)).record

    record = run(database_url, scenario)
    (fingerprint,) = record.forced
    assert ["input-required-added"] == [
        each["rule"] for each in record.judgement["changes"] if each["fingerprint"] == fingerprint
    ]
    assert ["1.1.0"] == [each["old_version"] for each in record.judgement["reports"]]
    assert len(json.dumps(record.judgement)) < 5000


def test_all_comparisons_together_take_a_bounded_time_and_the_next_try_goes_on(database_url, monkeypatch):
    async def scenario(catalog):
        await publish_unjudged(catalog, database_url, [like(f"1.{number}.0", number) for number in range(3)])
        monkeypatch.setattr(judgement, "COMPARING_S", 0.0)
        found = []
        for _ in range(3):
            try:
                found.append((await publish(catalog, like("1.3.0", 3))).outcome)
            except Unavailable as error:
                found.append("goes on" in str(error))
            found.append(len(await pairs(database_url)))
        return found

    assert [True, 1, True, 2, "created", 3] == run(database_url, scenario)


class _Refuted:
    """Runs no job: says of each comparison that a value refutes its proof."""

    second_prover = True

    async def run(self, _job):
        return "{}", ("default input: engine",)


def test_a_refuted_proof_is_a_line_in_the_log(caplog):
    old, new = (Source(b"", AGENT, version) for version in ("1.0.0", "1.0.1"))
    asyncio.run(judgement.compared(_Refuted(), old, new, Policy()))
    (record,) = caplog.records
    assert ("ERROR", "a checked value refutes a proof") == (record.levelname, record.getMessage())
    assert {"agent_id": AGENT, "versions": ["1.0.0", "1.0.1"], "faults": ("default input: engine",)} == record.members


def test_what_the_engine_proves_alone_is_compared_again_by_both(database_url):
    """A server without the second prover keeps reports of its own."""

    async def scenario(url):
        for second_prover in (False, True):
            async with Catalog.opened(replace(settings(url), second_prover=second_prover), url) as catalog:
                await catalog.publish([Submission(like("1.0.0"))], ADMIN)
                await catalog.publish([Submission(like("1.1.0", 1))], ADMIN)
                report = await catalog.diff(AGENT, "1.0.0", "1.1.0")
                assert second_prover is not report.engine_version.endswith("-alone")

    asyncio.run(scenario(database_url))
