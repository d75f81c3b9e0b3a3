"""Schemas in a card: each fault of one, and where it stands."""

from __future__ import annotations

import pytest

from registry.core.card.schemas import schema_findings
from registry.core.card.uri_references import encoded, is_uri_reference


def told(schema):
    return [(each.level, each.code, each.pointer) for each in schema_findings([("/s", schema)])]


def wide(count):
    return {"type": "object", "properties": {f"p{at}": {} for at in range(count)}}


def chain(count):
    links = {f"d{at}": {"$ref": f"#/$defs/d{at + 1}"} for at in range(count)}
    return {"$ref": "#/$defs/d0", "$defs": {**links, f"d{count}": {"type": "object"}}}


FAULTS = [
    ({"$defs": {"a": {"$anchor": "x"}, "b": {"$anchor": "x"}}}, "duplicate-anchor", "/$defs/a/$anchor", "one anchor twice"),
    ({"$defs": {"a": {"$id": "a b"}}}, "invalid-id", "/$defs/a/$id", "a space in a URI"),
    ({"$defs": {"a": {"$id": "http://[::1"}}}, "invalid-id", "/$defs/a/$id", "an open bracket"),
    (
        {"$defs": {"a": {"$id": "http://json-schema.org/draft-07/schema"}}},
        "duplicate-id",
        "/$defs/a/$id",
        "the ID of a dialect",
    ),
    ({"$ref": "#/$defs/a b", "$defs": {"a b": {}}}, "reference-invalid", "/$ref", "a space in a reference"),
    ({"$ref": "#/$defs/L[I]", "$defs": {"L[I]": {}}}, "reference-invalid", "/$ref", "brackets in a fragment"),
    ({"$ref": "#/$defs/ö", "$defs": {"ö": {}}}, "reference-invalid", "/$ref", "a letter beyond ASCII"),
    ({"$ref": "1a:b"}, "reference-invalid", "/$ref", "a colon in the first step"),
    (chain(200), "reference-chain", "/$defs/d50", "more references than validators recurse"),
    ({"type": "string", "allOf": [{"type": "object"}]}, "unsatisfiable", "", "two types at once"),
    ({"type": "object", "required": ["a"], "properties": {"a": {"enum": []}}}, "unsatisfiable", "", "no value for a name"),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "code", "pointer", "why"), FAULTS, ids=[row[3] for row in FAULTS])
def test_a_fault_of_a_schema_is_told_where_it_stands(schema, code, pointer, why):
    assert ("error", code, f"/s{pointer}") in told({"type": "object", **schema}), why


FINE = [
    ({"$ref": "#/$defs/a%20b", "$defs": {"a b": {}}}, "an encoded space"),
    ({"$defs": {"a": {"$anchor": "x"}, "b": {"$id": "other", "$anchor": "x"}}}, "one anchor in two resources"),
    (chain(100), "a chain that validators follow"),
    ({"properties": {"$ref": {"type": "string"}, "$id": {"type": "string"}}}, "properties with keywords' names"),
]


@pytest.mark.parametrize(("schema", "why"), FINE, ids=[row[1] for row in FINE])
def test_a_near_miss_of_a_fault_is_none(schema, why):
    assert [] == told({"type": "object", **schema}), why


def test_the_subschemas_of_all_schemas_count_together():
    some, more = wide(14_000), wide(998)
    assert [] == list(schema_findings([("/a", some), ("/b", more)]))
    found = list(schema_findings([("/a", some), ("/b", more), ("/c", {"type": "object"})]))
    assert [("too-many-subschemas", "/c")] == [(each.code, each.pointer) for each in found]


def test_a_schema_that_no_validator_can_take_is_warned_about():
    mixed = {"properties": {"a": {"$schema": "http://json-schema.org/draft-07/schema#", "$id": "x"}}}
    assert [("warning", "undecidable-schema", "/s")] == told({"type": "object", **mixed})


def test_what_is_encoded_is_a_uri_reference():
    for text in ("a b#c d", "#/$defs/L[I]", "ö#ö", 'a"b', "%zz"):
        assert not is_uri_reference(text)
        assert is_uri_reference(encoded(text))
