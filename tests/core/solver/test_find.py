"""Small questions with known answers, and hostile ones that must end."""

import pytest

from registry.core.solver import Found, GaveUp, Nothing, Side, find, reasons
from registry.core.solver.validators import accepts

TREE = {
    "$ref": "#/$defs/t",
    "$defs": {"t": {"properties": {"v": {"type": "integer"}, "kids": {"items": {"$ref": "#/$defs/t"}}}}},
}
LIST = {"type": "object", "properties": {"next": {"$ref": "#"}}, "required": ["next"]}

ROWS = [
    ({"type": "integer"}, {"type": "number"}, Nothing, "an integer is a number"),
    ({"type": "number"}, {"type": "integer"}, Found, "a number need not be whole"),
    ({"type": "string", "enum": ["a"]}, {"type": "string"}, Nothing, "an enum narrows"),
    ({"type": "string"}, {"type": "string", "enum": ["a"]}, Found, "an enum narrows"),
    ({"type": "object"}, {"type": "object", "properties": {"bar": True}}, Nothing, "true asks nothing"),
    ({"minimum": 3, "type": "integer"}, {"exclusiveMinimum": 2}, Nothing, "whole numbers above 2 begin at 3"),
    ({"type": "number", "multipleOf": 0.01}, {"multipleOf": 0.001}, Nothing, "decimals are exact"),
    ({"type": "number", "multipleOf": 0.5}, {"multipleOf": 0.3}, Found, "0.5 is no multiple of 0.3"),
    (
        TREE,
        {
            "$ref": "#/definitions/x",
            "definitions": {
                "x": {"properties": {"v": {"type": "integer"}, "kids": {"items": {"$ref": "#/definitions/x"}}}}
            },
        },
        Nothing,
        "a renamed definition",
    ),
    ({"oneOf": [{"type": "string"}, {"type": "null"}]}, {"type": ["string", "null"]}, Nothing, "alternatives by type"),
    (
        {"type": ["string", "null"]},
        {"oneOf": [{"type": "string"}, {"type": "null"}]},
        Nothing,
        "types split into alternatives",
    ),
    (
        {"properties": {"k": {"const": 1}}, "required": ["k"], "type": "object"},
        {"not": {"properties": {"k": {"const": 2}}, "required": ["k"]}},
        Nothing,
        "disjoint by a constant",
    ),
    (
        {"type": "array", "items": {"type": "integer"}, "minItems": 1},
        {"contains": {"type": "number"}},
        Nothing,
        "every item is one",
    ),
    ({"type": "array"}, {"uniqueItems": True}, Found, "two equal items"),
    (
        {"anyOf": [{"properties": {"a": {"type": "string"}}}, {"type": "null"}], "unevaluatedProperties": False},
        {"properties": {"a": False}},
        Found,
        "an alternative evaluates a name that is mentioned nowhere else",
    ),
    ({"type": "string", "pattern": "^a+$"}, {"minLength": 1}, Nothing, "a pattern that needs a letter"),
]


@pytest.mark.parametrize(("accepting", "refusing", "kind", "why"), ROWS, ids=[row[3] for row in ROWS])
def test_small_questions_have_their_known_answers(accepting, refusing, kind, why):
    answer = find([Side(accepting)], [Side(refusing)])
    assert kind is type(answer), why
    if isinstance(answer, Found):
        assert accepts(accepting, answer.value)
        assert not accepts(refusing, answer.value)


def test_a_recursive_schema_may_learn_a_property():
    old = {"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#"}}}}
    new = {"type": "object", "properties": {"label": {"type": "string"}, **old["properties"]}}
    assert Nothing() == find([Side(old, "absent")], [Side(new)])
    assert isinstance(find([Side(new, "absent")], [Side(old, "absent")]), Found)


def test_enum_and_const_hold_together():
    assert not isinstance(find([Side({"const": "b"})], [Side({"enum": ["ab"], "const": "b"})]), Nothing)
    assert Nothing() == find([Side({"enum": ["ab"], "const": "b"})], [Side(False)])


def test_a_list_without_an_end_holds_no_value():
    assert Nothing() == find([Side(LIST)], [])


def test_a_question_without_refusing_schemas_is_whether_there_is_a_value():
    answer = find([Side({"type": "string", "minLength": 3})], [])
    assert isinstance(answer, Found)
    assert accepts({"type": "string", "minLength": 3}, answer.value)


def test_several_refusing_schemas_must_all_refuse():
    answer = find([Side({"type": "integer"})], [Side({"minimum": 0}), Side({"multipleOf": 2})])
    assert isinstance(answer, Found)
    assert answer.value < 0
    assert answer.value % 2


def deep(levels):
    schema = {"type": "string"}
    for _ in range(levels):
        schema = {"properties": {"a": schema}}
    return schema


HOSTILE = {
    "500 levels": deep(500),
    "a reference to itself": {"$ref": "#"},
    "a cycle through allOf": {"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"anyOf": [{"$ref": "#"}]}}},
    "mutual oneOf": {
        "$ref": "#/$defs/0",
        "$defs": {
            str(n): {
                "oneOf": [{"properties": {"x": {"$ref": f"#/$defs/{m}"}}, "required": [f"k{m}"]} for m in range(10)]
            }
            for n in range(10)
        },
    },
    "50,000 members": {"enum": list(range(50_000))},
    "a huge number": {"minimum": 10**400},
    "an evil pattern": {"type": "string", "pattern": "^(a+)+$"},
    "a remote reference": {"$ref": "https://example.com/x.json"},
    "no schema": {"type": 7},
    "required of the wrong type": {"required": True},
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_schemas_end_with_an_answer(name):
    other = {"type": "object", "properties": {"x": {"type": "integer"}}}
    for sides in (
        ([Side(HOSTILE[name])], [Side(other)]),
        ([Side(other)], [Side(HOSTILE[name])]),
        ([Side(HOSTILE[name], "absent")], []),
    ):
        assert isinstance(find(*sides), Found | Nothing | GaveUp)
        reasons(*sides)


def test_reasons_name_each_keyword_that_refuses_with_a_value_of_its_own():
    old = {
        "type": "object",
        "required": ["repo"],
        "properties": {"repo": {"type": "string"}, "pr": {"type": "integer"}},
    }
    new = {
        "type": "object",
        "required": ["repo", "pr"],
        "properties": {"repo": {"type": "string", "maxLength": 3}, "pr": {"type": "integer", "minimum": 1}},
    }
    found = reasons([Side(old, "absent")], [Side(new)])
    assert ["/required/1", "/properties/repo/maxLength", "/properties/pr/minimum"] == [each.pointer for each in found]
    for each in found:
        assert accepts(old, each.answer.value)
        assert not accepts(new, each.answer.value)


def test_the_first_reference_that_leaves_the_document_is_named_whatever_the_validators_meet_first():
    schema = {"properties": {name: {"$ref": f"{name}.json"} for name in ("c", "a", "b", "d")}}
    reason = "/properties/c/$ref: the reference 'c.json' leaves the document"
    assert GaveUp(reason) == find([Side(schema)], [Side({"type": "string"})])
