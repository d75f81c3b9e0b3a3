"""Bundling: what a bundle's schemas accept is what the files say, whatever URIs and dialects they use."""

from __future__ import annotations

import json

import pytest

from registry.core.card.bundling import bundle
from registry.core.card.read import read_card
from registry.core.errors import Finding, InvalidCard
from registry.core.formats import EXTENSION_URI
from registry.core.solver.validators import accepts
from tests.core.formats.cards import BASES

SEVEN = "http://json-schema.org/draft-07/schema#"
FOUR = "http://json-schema.org/draft-04/schema#"
WORD = {"type": "string"}


def loader(contents):
    def load(name):
        if name not in contents:
            raise InvalidCard([Finding("file-missing", "", f"{name} is not there")])
        return json.dumps(contents[name]).encode()

    return load


def bundled(schema, **contents):
    card = {"agent_id": "com.example.x", "name": "X", "version": "1.0.0", "output": "text", "input_schema": schema}
    return bundle("card.json", loader({**contents, "card.json": card}))


def a(schema):
    return {"type": "object", "properties": {"a": schema}}


A_IS_B = a({"$ref": "b.json"})
# Each: the input schema, its files, one value that it takes and one that it doesn't.
MEANINGS = [
    ({"$ref": "a.json"}, {"a.json": A_IS_B, "b.json": WORD}, "two files in a row"),
    ({"$ref": "a.json"}, {"a.json": {"$id": "https://ex.com/s/a.json", **A_IS_B}, "b.json": WORD}, "a file's own URI"),
    (
        {"$ref": "a.json"},
        {
            "a.json": {"$id": "https://ex.com/s/a.json", **A_IS_B},
            "b.json": {"$id": "https://ex.com/s/b.json", **WORD},
        },
        "each with its own URI",
    ),
    (
        {"$ref": "a.json"},
        {
            "a.json": {
                "$id": "https://ex.com/a",
                "type": "object",
                "properties": {"a": {"$ref": "https://ex.com/b"}, "c": {"$ref": "b.json"}},
            },
            "b.json": {"$id": "https://ex.com/b", **WORD},
        },
        "a reference by the URI of a file that a path leads to later",
    ),
    (
        {"$ref": "a.json"},
        {"a.json": {"$id": "https://ex.com/a", "$defs": {"w": WORD}, **a({"$ref": "https://ex.com/a#/$defs/w"})}},
        "a reference by its own URI",
    ),
    ({"$ref": "a.json"}, {"a.json": {"$defs": {"w": WORD}, **a({"$ref": "a.json#/$defs/w"})}}, "by its own path"),
    ({"$ref": "a.json"}, {"a.json": {"$id": "sub/a.json", **A_IS_B}, "sub/b.json": WORD}, "a relative URI of its own"),
    (
        a({"$ref": "a.json"}),
        {"a.json": {"$ref": "item", "$defs": {"i": {"$id": "item", **WORD}}}},
        "a part with a URI",
    ),
    (a({"$ref": "a b.json"}), {"a b.json": WORD}, "a space in a file's name"),
    (a({"$ref": "a%20b.json"}), {"a b.json": WORD}, "an encoded space"),
    (
        a({"$ref": "a.json#/parts/w"}),
        {"a.json": {"parts": {"w": {"$ref": "b.json"}}}, "b.json": WORD},
        "a place that no keyword makes a schema",
    ),
    ({"type": "object", "properties": {"a": {"properties": {"default": {"$ref": "b.json"}}}}},
     {"b.json": WORD}, "a property named default"),
    (a({"$ref": "a.json#w"}), {"a.json": {"$defs": {"w": {"$anchor": "w", **WORD}}}}, "an anchor in a file"),
    ({"$schema": SEVEN, **a({"$ref": "a.json"})}, {"a.json": {"$schema": SEVEN, **WORD}}, "draft 7"),
    (
        {"$ref": "a.json"},
        {"a.json": {"$schema": SEVEN, **a({"$ref": "b.json"})}, "b.json": {"$schema": SEVEN, **WORD}},
        "two files of draft 7",
    ),
    (
        a({"$ref": "a.json"}) | {"$schema": SEVEN},
        {"a.json": {"$schema": SEVEN, "$ref": "#/definitions/w", "definitions": {"w": WORD}}},
        "a file of draft 7 that is a reference",
    ),
    ({"$schema": FOUR, **a({"$ref": "a.json"})}, {"a.json": {"$schema": FOUR, **WORD}}, "draft 4"),
    (
        {"$defs": {"a.json": {"type": "integer"}}, **a({"$ref": "a.json"})},
        {"a.json": WORD},
        "a definition with the file's name",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "contents", "why"), MEANINGS, ids=[row[2] for row in MEANINGS])
def test_a_bundle_means_what_its_files_say(schema, contents, why):
    made = bundled(schema, **contents)
    card = read_card(made.data)
    assert not {"error", "undecidable-schema"} & {word for each in card.findings for word in (each.level, each.code)}
    found = card.contract.operations["default"].input.schema
    good, bad = ({"a": {"default": "x"}}, {"a": {"default": 5}}) if "default" in why else ({"a": "x"}, {"a": 5})
    assert (True, False) == (accepts(found, good), accepts(found, bad))
    assert made.data == bundled(schema, **contents).data


DATA = {"$ref": "none.json", "input_schema": {"$ref": "none.json"}}
IN_CARD = {
    "examples": [{"name": "x", "input": {"input_schema": {"$ref": "none.json"}}}],
    "x-note": {"output_schema": {"$ref": "none.json"}},
}


@pytest.mark.parametrize("keyword", ["const", "default", "x-unknown"])
def test_data_in_a_schema_is_no_reference(keyword):
    assert b"none.json" in bundled({"type": "object", keyword: DATA, "properties": {"e": {"enum": [DATA]}}}).data


def test_data_in_a_card_is_no_reference():
    card = {"agent_id": "com.example.x", "name": "X", "version": "1.0.0", "input_schema": {"type": "object"}, **IN_CARD}
    data = bundle("card.json", loader({"card.json": card})).data
    assert json.loads(data) == card


def test_the_schemas_of_skills_pauses_tools_and_of_an_extension_are_bundled():
    reference = {"$ref": "a.json"}
    shapes = {"input_schema": reference, "pauses": {"p": {"answer_schema": reference}}}
    tools = [{"name": "t", "output_schema": reference}]
    card = {"agent_id": "com.example.x", **shapes, "skills": [{"id": "s", **shapes}], "tools": tools}
    assert b"$ref" not in bundle("card.json", loader({"card.json": card, "a.json": WORD})).data
    params = {"operations": {"plan": shapes}, "tools": tools}
    carrier = {**BASES["1.0"], "capabilities": {"extensions": [{"uri": EXTENSION_URI, "params": params}]}}
    assert b"$ref" not in bundle("card.json", loader({"card.json": carrier, "a.json": WORD})).data


def test_two_files_of_one_uri_are_told():
    contents = {
        "a.json": {"$id": "https://ex.com/a", **a({"$ref": "b.json"})},
        "b.json": {"$id": "https://ex.com/a", "type": "string"},
    }
    with pytest.raises(InvalidCard) as refused:
        bundled({"$ref": "a.json"}, **contents)
    assert [("duplicate-id", "b.json", "/$id")] == [
        (each.code, each.file, each.pointer) for each in refused.value.findings
    ]


def test_a_uri_that_no_file_has_is_told():
    with pytest.raises(InvalidCard) as refused:
        bundled({"$ref": "a.json"}, **{"a.json": a({"$ref": "https://ex.com/none"})})
    assert [("remote-reference", "a.json", "/properties/a/$ref")] == [
        (each.code, each.file, each.pointer) for each in refused.value.findings
    ]
