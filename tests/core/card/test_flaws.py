"""What no value satisfies inside of a schema: told where it is written, and only where it is proven."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from registry.core.card.references import Graph
from registry.core.card.satisfiability import Allowance
from registry.core.card.schemas import schema_findings
from registry.core.solver.unsatisfiable import MAX_FLAWS
from tests.shared import SHARED

CASES = Path(__file__).parents[2] / "cases" / "lint-unsatisfiable.jsonl"
CODES = ("unsatisfiable", "impossible-", "swallowed-", "condition-", "endless-")
ROWS = [json.loads(line) for line in CASES.read_text().splitlines()]


def findings(schema):
    return [each for each in schema_findings([("/s", schema)]) if each.code != "root-not-an-object"]


@pytest.mark.parametrize("row", ROWS, ids=[row["why"] for row in ROWS])
def test_what_no_value_satisfies_is_told_where_it_is_written(row):
    found = findings(row["schema"])
    assert [(code, f"/s{pointer}") for code, pointer in row["told"]] == [(each.code, each.pointer) for each in found]
    assert {"error" if each.code == "unsatisfiable" else "warning" for each in found} == {each.level for each in found}


# What the released schemas of others say that no value satisfies: each was looked at, and is true.
RELEASED = {
    "agntcy-acp-ResumePayloadSchema-c823e9368e-bce2eed163/new.json": [("swallowed-branch", "/s/oneOf/2")],
    "schemastore-expo-38.0.0-39.0.0/old.json": [
        ("impossible-type", f"/s/properties/expo/properties/{path}/type")
        for path in (
            "orientation",
            "notification/properties/androidMode",
            "loading/properties/exponentIconColor",
            "updates/properties/checkAutomatically",
            "splash/properties/resizeMode",
            "ios/properties/splash/properties/resizeMode",
            "android/properties/splash/properties/resizeMode",
            "web/properties/splash/properties/resizeMode",
        )
    ],
    **{
        f"schemastore-github-workflow-5d8605e-c1e4575/{side}.json": [("swallowed-branch", "/s/definitions/env/oneOf/2")]
        for side in ("old", "new")
    },
}


def test_released_schemas_have_the_flaws_that_they_have():
    folder = SHARED / "cases" / "schema-pairs"
    found = {
        str(path.relative_to(folder)): sorted(
            (each.code, each.pointer) for each in findings(json.loads(path.read_bytes())) if each.code.startswith(CODES)
        )
        for path in sorted(folder.glob("*/*.json"))
        if path.name != "meta.json"
    }
    assert {name: sorted(told) for name, told in RELEASED.items()} == {
        name: told for name, told in found.items() if told
    }


def test_as_many_flaws_are_told_as_a_reader_can_use():
    bad = {"type": "string", "minLength": 5, "maxLength": 3}
    found = findings({"type": "object", "properties": {f"p{at}": bad for at in range(50)}})
    assert [("unsatisfiable-bounds", "/s/properties/p")] * MAX_FLAWS == [
        (each.code, each.pointer.rstrip("0123456789")) for each in found
    ]


def test_where_the_steps_end_nothing_more_is_told():
    schema = {"type": "object", "properties": {"a": {"minimum": 5, "maximum": 3}}}
    graph = Graph(schema)
    assert ["unsatisfiable-bounds"] == [each.code for each in Allowance().findings(graph)]
    assert [] == Allowance(flaw_steps=0).findings(graph)


SENTENCES = [
    ({"type": "integer", "maximum": 3, "minimum": 5}, "no integer is at least 5 and at most 3; correct one of them"),
    ({"minLength": 5, "maxLength": 3}, "no text has at least 5 and at most 3 characters; correct one of them"),
    ({"type": "integer", "enum": ["1"]}, "has no value that `type` allows; correct what it lists"),
    (
        {"type": ["string", "null"], "enum": ["a"]},
        "lists `null`, and `enum` accepts none; add one there, or take it out of `type`",
    ),
    (
        {"type": "object", "properties": {}, "required": ["b"], "additionalProperties": False},
        "requires `b`, which `additionalProperties` never allows; allow it, or don't require it",
    ),
    (
        {"oneOf": [{"type": "integer"}, {"type": "number"}]},
        (
            "accepts nothing that `oneOf/1` doesn't accept too, so its values fit two and are refused; write `anyOf`, or"
            " make the two differ"
        ),
    ),
    (
        {"allOf": [{"properties": {"x": {}}, "additionalProperties": False}, {"properties": {"y": {}}}]},
        (
            "refuses `y`, which another part of the schema describes; name them beside this `additionalProperties`, or"
            " close the whole with `unevaluatedProperties` instead"
        ),
    ),
]


@pytest.mark.parametrize(("schema", "sentence"), SENTENCES, ids=[row[1] for row in SENTENCES])
def test_a_flaw_is_told_in_plain_words(schema, sentence):
    assert [sentence] == [each.message for each in findings({"type": "object", "properties": {"a": schema}})]
