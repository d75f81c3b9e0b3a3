import json
from pathlib import Path

import pytest

from registry.core.solver.closing import close
from registry.core.solver.meaning import normalise
from registry.core.solver.validators import accepts

ROWS = [json.loads(line) for line in (Path(__file__).parents[2] / "cases" / "closing.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("row", ROWS, ids=[row["why"] for row in ROWS])
def test_the_closed_reading_accepts_and_refuses_as_the_rules_say(row):
    closed = close(normalise(row["schema"])).schema
    assert [True] * len(row["accepts"]) == [accepts(closed, value) for value in row["accepts"]]
    assert [False] * len(row["refuses"]) == [accepts(closed, value) for value in row["refuses"]]


def test_there_are_at_least_twenty_rows():
    assert len(ROWS) >= 20


@pytest.mark.parametrize("row", ROWS, ids=[row["why"] for row in ROWS])
def test_a_closed_reading_points_back_into_the_original(row):
    closed = close(normalise(row["schema"]))
    for origin in closed.origins.values():
        node = row["schema"]
        for step in origin.split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            node = node[int(name)] if isinstance(node, list) else node[name]
        assert isinstance(node, dict | bool)
