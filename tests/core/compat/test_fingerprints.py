"""A break that was let through lets no other break through: fingerprints hold all that a break depends on."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from registry.core.compat.schemas import compare_schemas
from registry.core.solver import Found, Side, find

NAMES = ("a", "b", "c")
SCALARS = st.sampled_from(
    [
        True,
        {"type": "string"},
        {"type": "integer"},
        {"type": ["string", "integer"]},
        {"type": "integer", "maximum": 5},
        {"type": "integer", "maximum": 3, "minimum": 1},
        {"enum": ["x", "y"]},
        {"enum": ["x"]},
        {"type": "string", "maxLength": 3},
        {"not": {"type": "string"}},
        {"anyOf": [{"type": "string"}, {"type": "integer", "minimum": 2}]},
        {"$ref": "#/$defs/one"},
    ]
)


def objects(inner):
    return st.fixed_dictionaries(
        {"type": st.just("object"), "properties": st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)},
        optional={
            "required": st.lists(st.sampled_from(NAMES), unique=True, max_size=2),
            "additionalProperties": st.sampled_from([False, True, {"type": "string"}, {"type": "integer"}]),
            "patternProperties": st.just({"^a": {"type": "integer"}}),
            "minProperties": st.integers(0, 2),
        },
    )


SCHEMAS = st.builds(
    lambda schema, one: {**schema, "$defs": {"one": one}},
    objects(st.one_of(SCALARS, objects(SCALARS), st.builds(lambda items: {"type": "array", "items": items}, SCALARS))),
    SCALARS.filter(lambda schema: schema is True or "$ref" not in schema),
)


def breaks(old, new, side):
    """Return the fingerprints that have to be named to let all breaks through."""
    return {each.fingerprint for each in compare_schemas(old, new, side).changes if each.level == "major"}


@st.composite
def steps(draw):
    """Draw an old schema, a new one, and a third that differs from the second in a member or a property."""
    old, first, other = draw(SCHEMAS), draw(SCHEMAS), draw(SCHEMAS)
    members = sorted({*other, *first} - {"type"})
    member = draw(st.sampled_from(members))
    second = {name: value for name, value in first.items() if name != member}
    second |= {member: other[member]} if member in other else {}
    if member == "properties":
        kept = draw(st.sets(st.sampled_from(NAMES)))
        second[member] |= {name: value for name, value in first[member].items() if name in kept}
    return old, first, second


@settings(deadline=None)  # timings belong to bench/
@given(row=steps())
def test_what_let_one_input_through_refuses_another_that_takes_less(row):
    old, first, second = row
    takes_less = isinstance(find([Side(old, "absent"), Side(first)], [Side(second)]), Found)
    assert not takes_less or breaks(old, second, "input") - breaks(old, first, "input")


@settings(deadline=None)  # timings belong to bench/
@given(row=steps())
def test_what_let_an_output_through_against_one_version_refuses_it_against_a_stricter_one(row):
    new, looser, stricter = row
    gives_more = isinstance(find([Side(new, "absent"), Side(looser)], [Side(stricter)]), Found)
    assert not gives_more or breaks(stricter, new, "output") - breaks(looser, new, "output")


ONE_BREAK = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}, "required": ["a"]}


@pytest.mark.parametrize(
    ("side", "old", "first", "second"),
    [
        ("output", {"properties": {"b": False}}, {"b": {"type": "string"}}, {"b": {"type": "integer"}}),
        ("output", {"additionalProperties": False}, {"c": {"type": "string"}}, {"d": {"type": "string"}}),
        ("output", {"properties": {"b": {"type": "string"}}}, {"b": {"type": "integer"}}, {"b": {"type": "null"}}),
        ("output", {"properties": {"b": {"maxLength": 3}}}, {"b": {"type": "string"}}, {"b": {"maxLength": 9}}),
    ],
)
def test_what_may_come_now_is_part_of_the_fingerprint(side, old, first, second):
    before = {**ONE_BREAK, **old, "properties": {**ONE_BREAK["properties"], **old.get("properties", {})}}
    after = [{**before, "properties": {**ONE_BREAK["properties"], **more}} for more in (first, second)]
    prints = [breaks(before, each, side) for each in after]
    assert all(prints)
    assert not prints[0] & prints[1]
