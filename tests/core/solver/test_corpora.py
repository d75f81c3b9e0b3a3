"""The solver against what others know: pairs with known containment, and released versions of real schemas."""

import gzip
import json

import pytest

from registry.core.compat.schemas import compare_schemas
from registry.core.solver import Found, Nothing, Side, find
from tests.shared import SHARED

DRAFTS = {
    "draft4": "http://json-schema.org/draft-04/schema#",
    "draft6": "http://json-schema.org/draft-06/schema#",
    "draft7": "http://json-schema.org/draft-07/schema#",
    "draft2019-09": "https://json-schema.org/draft/2019-09/schema",
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
}
PARTS = 8
# One row calls a schema no part of itself; the value that it names is accepted by both sides.
SAME_ON_BOTH_SIDES = (
    "is-json-schema-subset/from-the-wild:Empirical problem cases > should handle partial allOf/anyOf combinations"
)


def pairs(part):
    with gzip.open(SHARED / "cases" / "containment" / "pairs.jsonl.gz") as lines:
        for index, text in enumerate(lines):
            if index % PARTS == part:
                row = json.loads(text)
                for name in ("old", "new"):
                    if isinstance(row[name], dict):
                        row[name].setdefault("$schema", DRAFTS[row["draft"]])
                yield row


@pytest.mark.parametrize("part", range(PARTS))
def test_no_containment_that_is_known_to_be_false_is_called_proven(part):
    wrong, proven, shown = [], 0, 0
    for row in pairs(part):
        for known, accepting, refusing in ((row["old_in_new"], "old", "new"), (row["new_in_old"], "new", "old")):
            answer = find([Side(row[accepting])], [Side(row[refusing])])
            proven += known is True and isinstance(answer, Nothing)
            shown += known is False and isinstance(answer, Found)
            if known is False and isinstance(answer, Nothing) and row["old"] != row["new"]:
                wrong.append((row["id"], accepting))
    assert [] == wrong
    # Each part holds 494 pairs; that most are decided keeps the engine from being sound by silence.
    assert proven > 350
    assert shown > 250


def test_the_one_row_that_is_passed_by_is_a_schema_against_itself():
    rows = [row for part in range(PARTS) for row in pairs(part) if row["id"] == SAME_ON_BOTH_SIDES]
    assert any(row["old"] == row["new"] and row["new_in_old"] is False for row in rows)


@pytest.mark.parametrize("side", ["input", "output"])
def test_real_schemas_compare_without_a_crash_and_mostly_decided(side):
    verdicts = {}
    for folder in sorted((SHARED / "cases" / "schema-pairs").iterdir()):
        old, new = (json.loads((folder / f"{name}.json").read_text()) for name in ("old", "new"))
        verdicts[folder.name] = compare_schemas(old, new, side).verdict
    assert 85 == len(verdicts)
    unproven = [name for name, verdict in verdicts.items() if verdict == "unproven"]
    assert len(unproven) <= 0.30 * 85, unproven


def test_a_place_too_hard_to_prove_leaves_the_other_changes_named():
    folder = SHARED / "cases" / "schema-pairs" / "asyncapi-2.0.0-2.1.0"
    old, new = (json.loads((folder / f"{name}.json").read_text()) for name in ("old", "new"))
    sentences = [change.sentence for change in compare_schemas(old, new, "input", "literal").changes]
    assert 'input no longer takes "2.0.0" for `asyncapi`' in sentences
