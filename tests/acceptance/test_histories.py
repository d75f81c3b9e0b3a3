"""Real cards through time, replayed as publishes: each step is taken or refused as a reader of the files would."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from registry.catalog.catalog import Catalog
from registry.catalog.records import Principal, Submission
from registry.core.errors import InvalidCard, UpdateRefused
from registry.settings import Settings
from tests.shared import SHARED

ROWS = [json.loads(line) for line in (Path(__file__).parents[1] / "cases" / "histories.jsonl").read_text().splitlines()]


async def replay(url: str, folder: Path) -> dict[str, str]:
    settings = replace(Settings.from_environment({}), database_url=url)
    outcomes = {}
    async with Catalog.opened(settings, url) as catalog:
        for number in range(1, len(list(folder.glob("[0-9]*.json"))) + 1):
            raw = (folder / f"{number}.json").read_bytes()
            submission = Submission(raw, agent_id="com.example.history.agent", version=f"1.0.{number}")
            try:
                (publication,) = await catalog.publish([submission], Principal("ci"))
                stored = await catalog.version("com.example.history.agent", f"1.0.{number}")
                assert raw == stored.raw
                outcomes[str(number)] = publication.outcome
            except InvalidCard as refused:
                errors = [finding for finding in refused.findings if finding.level == "error"]
                outcomes[str(number)] = f"invalid {errors[0].code}"
            except UpdateRefused as refused:
                outcomes[str(number)] = f"refused {refused.judgement['changes'][0]['rule']}"
    return outcomes


@pytest.mark.parametrize("row", ROWS, ids=[row["history"] for row in ROWS])
def test_a_real_history_is_taken_and_refused_as_a_reader_would(row, database_url):
    folder = SHARED / "cases" / "histories" / row["history"]
    assert row["steps"] == asyncio.run(replay(database_url, folder)), row["why"]


def test_every_history_has_its_row():
    assert {row["history"] for row in ROWS} == {each.name for each in (SHARED / "cases" / "histories").iterdir()}
