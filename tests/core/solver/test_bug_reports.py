"""Pairs from public bug reports of others who compare schemas, each with what is right and why."""

import gzip
import json
from pathlib import Path

import pytest

from registry.core.compat.schemas import compare_schemas
from registry.core.solver import Found, GaveUp, Nothing, Side, find
from registry.core.solver.validators import Pair
from tests.shared import SHARED

ROWS = [
    json.loads(line) for line in (Path(__file__).parents[2] / "cases" / "bug-reports.jsonl").read_text().splitlines()
]
KINDS = {True: Nothing, False: Found, None: GaveUp}


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['report']}: {row['why']}" for row in ROWS])
def test_a_reported_pair_is_judged_right(row):
    old, new = row["old"], row["new"]
    for (one, other), known in zip(((old, new), (new, old)), row["contained"], strict=True):
        assert KINDS[known] is type(find([Side(one)], [Side(other)])), (one, other)
    for question, verdict in row["verdicts"].items():
        side, profile = question.split()
        report = compare_schemas(old, new, side, profile)
        assert (question, verdict) == (question, report.verdict)
        if verdict == "breaking":
            accepting, refusing = (old, new) if side == "input" else (new, old)
            assert Pair(accepting).accepts(report.witness.value)
            assert not Pair(refusing).accepts(report.witness.value)


def corpus():
    with gzip.open(SHARED / "cases" / "containment" / "pairs.jsonl.gz") as lines:
        return [row for row in map(json.loads, lines) if row["id"].startswith("bug-reports/")]


DRAFTS = {
    "draft4": "http://json-schema.org/draft-04/schema#",
    "draft7": "http://json-schema.org/draft-07/schema#",
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
}


@pytest.mark.parametrize("row", corpus(), ids=lambda row: row["id"])
def test_every_reported_pair_of_the_corpus_is_decided(row):
    old, new = ({"$schema": DRAFTS[row["draft"]], **row[name]} for name in ("old", "new"))
    for one, other, known in ((old, new, row["old_in_new"]), (new, old, row["new_in_old"])):
        if known is not None:
            assert KINDS[known] is type(find([Side(one)], [Side(other)]))
