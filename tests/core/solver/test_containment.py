"""What the engine proves and refutes by itself, kind by kind: ``contained`` is true, false, or null where it gives up."""

import json
from pathlib import Path

import pytest

from registry.core.solver import Found, GaveUp, Nothing, Side, find, finding

ROWS = [
    json.loads(line) for line in (Path(__file__).parents[2] / "cases" / "containment.jsonl").read_text().splitlines()
]


@pytest.mark.parametrize("row", ROWS, ids=[row["why"] for row in ROWS])
def test_a_containment_is_decided_without_the_second_prover(row, monkeypatch):
    monkeypatch.setattr(finding, "_proven_by_algebra", lambda _: False)
    kinds = {True: Nothing, False: Found, None: GaveUp}
    answer = find([Side(row["old"])], [Side(row["new"])])
    assert kinds[row["contained"]] is type(answer), answer
