import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from registry.core.compat.compare import compare
from registry.core.compat.report import Policy
from registry.core.compat.rules import RULES
from registry.core.compat.rules.rule import Difference, fingerprint
from registry.core.compat.schemas import SchemaReport, compare_schemas
from registry.core.solver.validators import accepts
from tests.core.compat.cards import CASES, card
from tests.shared import SHARED

ROWS = [json.loads(text) for text in (CASES / "schema-changes.jsonl").read_text().splitlines()]
NAMES = st.sampled_from(["a", "b", "c"])
LEAVES = st.sampled_from(
    [
        {"type": "string"},
        {"type": "integer"},
        {"type": ["string", "null"]},
        {"enum": ["x", "y"]},
        {"enum": ["x"]},
        {"type": "integer", "minimum": 0},
        {"type": "string", "maxLength": 3},
        {"type": "string", "format": "date", "default": "x"},
        {},
    ]
)
OBJECTS = st.builds(
    lambda properties, required, closed: {
        "type": "object",
        "properties": properties,
        "required": sorted(required & properties.keys()),
        **({"additionalProperties": False} if closed else {}),
    },
    st.dictionaries(NAMES, LEAVES, min_size=1),
    st.sets(NAMES),
    st.booleans(),
)
SCHEMAS = st.one_of(LEAVES, OBJECTS, OBJECTS.map(lambda inner: {"type": "array", "items": inner}))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["why"])
def test_schemas_are_compared_by_side_and_profile(row):
    for question, wanted in row["verdicts"].items():
        side, profile = question.split()
        report = compare_schemas(row["old"], row["new"], side, profile)
        assert (question, wanted) == (question, [report.verdict, *sorted({each.rule for each in report.changes})])


@pytest.mark.parametrize("side", ["input", "output"])
def test_a_verdict_of_breaking_comes_with_a_value(side):
    old, new = {"enum": ["a", "b"]}, {"enum": ["b", "c"]}
    report = compare_schemas(old, new, side)
    accepting, refusing = (old, new) if side == "input" else (new, old)
    assert report.verdict == "breaking"
    assert (accepts(accepting, report.witness.value), accepts(refusing, report.witness.value)) == (True, False)


def test_equal_schemas_have_no_changes_though_their_texts_differ():
    old = {"type": "object", "properties": {"title": {"type": "string", "description": "A"}}}
    new = {"type": "object", "title": "T", "properties": {"title": {"type": "string", "description": "B"}}}
    assert SchemaReport("compatible", None, ()) == compare_schemas(old, new)


def test_a_property_called_title_is_no_text():
    old = {"type": "object", "properties": {"title": {"type": "string"}}}
    new = {"type": "object", "properties": {"title": {"type": "integer"}}}
    assert compare_schemas(old, new).verdict == "breaking"


def test_a_definition_that_is_used_twice_changes_once():
    def schema(name):
        used = {"$ref": "#/$defs/x"}
        return {
            "type": "object",
            "properties": {"a": used, "b": used},
            "$defs": {"x": {"type": "object", "properties": {"k": {"type": "string", "default": name}}}},
        }

    report = compare_schemas(schema("x"), schema("y"))
    assert [(change.rule, change.new_pointer) for change in report.changes] == [
        ("default-changed", "/$defs/x/properties/k/default")
    ]


def test_what_cannot_be_decided_counts_as_a_break_and_says_so():
    # Whether a text repeats itself is more than a regular expression can say.
    old, new = {"type": "string", "pattern": r"^(a+)\1$"}, {"type": "string", "pattern": r"^(a+)\1\1$"}
    report = compare_schemas(old, new)
    assert ("unproven", None, {"major"}, {"unproven"}) == (
        report.verdict,
        report.witness,
        {change.level for change in report.changes},
        {change.certainty for change in report.changes},
    )


@pytest.mark.parametrize(
    "hostile",
    [
        {"$ref": "#"},
        {"$ref": "#/nowhere"},
        {"$schema": "https://example.com/unknown"},
        {"pattern": "("},
        {"type": "nothing"},
        {"enum": list(range(5000))},
        {"properties": {"a": {"$ref": "#"}}, "required": ["a"]},
        {"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"items": {"$ref": "#/$defs/a"}}}},
    ],
    ids=lambda schema: str(schema)[:40],
)
@pytest.mark.timeout(60)
@pytest.mark.parametrize("side", ["input", "output"])
def test_hostile_schemas_end_with_an_answer(hostile, side):
    for old, new in ((hostile, {"type": "string"}), ({"type": "string"}, hostile)):
        assert compare_schemas(old, new, side).verdict in ("compatible", "breaking", "unproven")


def nested(depth):
    """Return a schema whose values nest that deep."""
    schema = {"type": "string"}
    for _ in range(depth):
        schema = {"properties": {"a": schema}}
    return schema


@pytest.mark.parametrize("odd", [nested(500), nested(100_000), {"maximum": 10**400}, {"const": "\ud800"}], ids=range(4))
def test_what_no_card_may_hold_is_unproven_at_once(odd):
    for old, new in ((odd, {"type": "string"}), ({"type": "string"}, odd)):
        report = compare_schemas(old, new)
        assert (report.verdict, [change.rule for change in report.changes]) == ("unproven", ["input-narrowed"])


@settings(max_examples=60, deadline=None)
@given(SCHEMAS, SCHEMAS, st.sampled_from(["input", "output"]))
def test_witnesses_under_the_literal_profile_show_the_break(old, new, side):
    report = compare_schemas(old, new, side, "literal")
    accepting, refusing = (old, new) if side == "input" else (new, old)
    if report.witness is not None:
        assert (accepts(accepting, report.witness.value), accepts(refusing, report.witness.value)) == (True, False)


@settings(max_examples=60, deadline=None)
@given(SCHEMAS, SCHEMAS)
def test_what_breaks_nobody_who_writes_only_named_properties_breaks_fewer_than_literally(old, new):
    if compare_schemas(old, new, "input", "literal").verdict == "compatible":
        assert compare_schemas(old, new, "input", "declared").verdict == "compatible"


@settings(max_examples=30, deadline=None)
@given(SCHEMAS, SCHEMAS)
def test_a_card_has_no_changes_against_itself_and_distinct_ones_against_another(old, new):
    cards = [card({"input_schema": old, "output_schema": old}), card({"input_schema": new, "output_schema": new})]
    assert compare(cards[0], cards[0]).changes == ()
    changes = compare(*cards).changes
    assert len(changes) == len({change.fingerprint for change in changes})


def test_the_profile_is_told_by_the_report():
    one = card({"input": "text"})
    assert compare(one, one, Policy(profile="literal")).profile == "literal"


@settings(deadline=None)
@given(st.text(), st.sampled_from(sorted(RULES)))
def test_a_fingerprint_does_not_hang_on_words_or_witness(words, rule):
    found = {"operation": "a", "old_pointer": "/a", "new_pointer": None, "old": 1, "new": {"b": [None]}}
    assert fingerprint(rule, "input", Difference("x", **found)) == fingerprint(
        rule, "input", Difference(words, unproven=True, **found)
    )


@pytest.mark.parametrize(
    "other",
    [
        {"operation": "b"},
        {"old_pointer": None},
        {"new_pointer": ""},
        {"old": True},
        {"new": {"b": []}},
    ],
    ids=str,
)
def test_a_fingerprint_hangs_on_everything_else(other):
    found = {"operation": "a", "old_pointer": "/a", "new_pointer": None, "old": 1, "new": {"b": [None]}}
    prints = {
        fingerprint("default-changed", "input", Difference("x", **{**found, **other})),
        fingerprint("default-changed", "input", Difference("x", **found)),
        fingerprint("default-changed", "output", Difference("x", **found)),
        fingerprint("format-changed", "input", Difference("x", **found)),
    }
    assert len(prints) == 4


ONE_OF = {
    "type": "object",
    "oneOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"b": {"type": "string"}}}],
}
REST = {"type": "object", "required": ["x"], "unevaluatedProperties": {"type": "string"}}


@pytest.mark.parametrize("side", ["input", "output"])
@pytest.mark.parametrize(
    ("one", "other"),
    [
        (ONE_OF, {"type": "object", "properties": {"a": {"type": "integer"}}}),
        (ONE_OF, {"type": "object", "properties": {"b": {"type": "string"}}}),
        (REST, {"type": "object", "properties": {"x": {"type": "string"}}}),
        ({"properties": {"v": REST}}, {"properties": {"v": {"properties": {"x": {"type": "string"}}}}}),
    ],
)
def test_a_witness_is_of_the_schema_as_it_stands_too(one, other, side):
    for old, new in ((one, other), (other, one)):
        changes = compare_schemas(old, new, side).changes
        assert changes
        for change in changes:
            if change.witness:
                kept = {"old": old, "new": new}[change.witness.accepted_by]
                assert accepts(kept, change.witness.value)


def test_a_part_that_is_used_at_many_places_is_certain_where_one_of_them_shows_it():
    """Of 15 places where Adaptive Cards 1.4 newly requires a property, the deep ones get no value of their own."""
    folder = SHARED / "cases" / "schema-pairs" / "adaptive-card-1.3.0-1.4.0"
    old, new = (json.loads((folder / f"{name}.json").read_text()) for name in ("old", "new"))
    breaks = [change for change in compare_schemas(old, new).changes if change.level == "major"]
    assert ["certain", "certain"] == [change.certainty for change in breaks]
    assert {"/definitions/Action.ToggleVisibility/required/0"} == {change.new_pointer for change in breaks}
