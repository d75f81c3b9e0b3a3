"""The solver against the official JSON-Schema-Test-Suite: every test is a containment that is known.

A value ``v`` as a schema of its own is contained in a schema exactly when the suite calls ``v`` valid, and has a value
in common with it exactly then. cases/json-schema-test-suite/update.py says what is left out.
"""

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from registry.core.solver import Found, GaveUp, Nothing, Side, find, reasons
from registry.core.solver.validators import CannotValidate, Disagreement, Pair

SUITE = Path(__file__).parents[2] / "cases" / "json-schema-test-suite"
ROWS = [json.loads(line) for line in (SUITE / "suite.jsonl").read_text().splitlines()]
DRAFTS = ("draft4", "draft6", "draft7", "draft2019-09", "draft2020-12")
# Optional behaviour that is not claimed: what a string's content is, a keyword that went with draft 7, and that draft 4
# tells 1.0 from 1, which RFC 8785 writes alike.
NOT_CLAIMED = (
    "optional/content.json",
    "optional/dependencies-compatibility.json",
    "optional/zeroTerminatedFloats.json",
)
# The one kind of containment that is given up: in draft 4 the number 1 may be written 1.0, which is no integer.
UNDECIDED = {"draft4": 39}


def rows_of(draft):
    return [row for row in ROWS if row["draft"] == draft and row["file"] not in NOT_CLAIMED]


def only(value, schema):
    """Return a schema of the same dialect that accepts one value."""
    return {"$schema": schema["$schema"], "enum": [value]} if isinstance(schema, dict) else {"enum": [value]}


def each_test(draft):
    for row in rows_of(draft):
        for why, value, valid in row["tests"]:
            yield f"{row['file']}: {row['why']}: {why}", row["schema"], value, valid


@pytest.mark.parametrize("draft", DRAFTS)
def test_a_value_is_contained_in_a_schema_exactly_when_the_suite_calls_it_valid(draft):
    wrong, kinds = [], Counter()
    for name, schema, value, valid in each_test(draft):
        answer = find([Side(only(value, schema))], [Side(schema)])
        kinds[type(answer)] += 1
        if isinstance(answer, Nothing if not valid else Found):
            wrong.append(name)
    assert [] == wrong
    assert kinds[GaveUp] <= UNDECIDED.get(draft, 0), kinds
    assert min(kinds[Found], kinds[Nothing]) > 290


@pytest.mark.parametrize("draft", DRAFTS)
def test_a_value_and_a_schema_have_a_value_in_common_exactly_when_the_suite_calls_it_valid(draft):
    wrong = []
    for name, schema, value, valid in each_test(draft):
        answer = find([Side(only(value, schema)), Side(schema)], [])
        if type(answer) is not (Found if valid else Nothing):
            wrong.append((name, answer))
    assert [] == wrong


@pytest.mark.parametrize("draft", DRAFTS)
def test_a_value_has_a_reason_to_be_refused_exactly_when_the_suite_calls_it_invalid(draft):
    wrong, given_up = [], 0
    for name, schema, value, valid in each_test(draft):
        told = reasons([Side(only(value, schema))], [Side(schema)])
        given_up += valid and bool(told)
        if any(isinstance(each.answer, Found) for each in told) if valid else not told:
            wrong.append(name)
    assert [] == wrong
    assert given_up <= UNDECIDED.get(draft, 0)


@pytest.mark.parametrize("draft", DRAFTS)
def test_no_schema_is_called_empty_or_full_against_the_suite(draft):
    wrong, kinds = [], Counter()
    for row in rows_of(draft):
        verdicts = {valid for _, _, valid in row["tests"]}
        for accepting, refusing, shown in (([Side(row["schema"])], [], True), ([], [Side(row["schema"])], False)):
            answer = find(accepting, refusing)
            kinds[type(answer)] += 1
            if isinstance(answer, Nothing) and shown in verdicts:
                wrong.append((row["file"], row["why"], shown))
    assert [] == wrong
    assert kinds[GaveUp] <= 0.1 * kinds.total(), kinds


@pytest.mark.parametrize("draft", DRAFTS)
def test_no_proof_between_neighbours_in_a_file_is_refuted_by_the_files_values(draft):
    refuted, proven = [], 0
    for one, other in pairwise(rows_of(draft)):
        if one["file"] != other["file"]:
            continue
        for old, new in ((one, other), (other, one)):
            if isinstance(find([Side(old["schema"])], [Side(new["schema"])]), Nothing):
                proven += 1
                values = [value for row in (old, new) for _, value, _ in row["tests"]]
                refuted += [(old["why"], new["why"], value) for value in values if shows(old, new, value)]
    assert [] == refuted
    assert proven > 30


def shows(old, new, value):
    try:
        return Pair(old["schema"]).accepts(value) and not Pair(new["schema"]).accepts(value)
    except (CannotValidate, Disagreement):
        return False


def test_the_whole_suite_is_there():
    counts = Counter(row["draft"] for row in ROWS)
    assert {"draft4": 183, "draft6": 254, "draft7": 280, "draft2019-09": 388, "draft2020-12": 391} == counts
    assert 5_314 == sum(len(row["tests"]) for row in ROWS)
