"""Each way to be refused is told, at its own keyword and place."""

import json

from registry.core.solver import Found, Side, algebra, reasons
from tests.shared import SHARED


def told(old, new, undeclared="any"):
    found = reasons([Side(old, undeclared)], [Side(new)])
    assert all(isinstance(each.answer, Found) for each in found)
    return [(each.pointer, each.path) for each in found]


def test_a_constant_that_looks_like_a_reference_stays_one():
    old = {"properties": {"a": {"anyOf": [{"const": {"$ref": "#/components/x"}}, {"type": "string"}]}}}
    new = {"properties": {"a": {"anyOf": [{"const": {"$ref": "#/components/x"}}, {"type": "string", "maxLength": 3}]}}}
    (found,) = reasons([Side(old)], [Side(new)])
    assert ("/properties/a/anyOf/1/maxLength", "aaaa") == (found.pointer, found.answer.value["a"])


def test_what_a_pattern_asks_of_a_property_that_is_named_too_is_told_beside_other_breaks():
    old = {"type": "object", "properties": {"a": {"type": "string"}, "z": {"type": "string"}}}
    new = {**old, "properties": {"a": True, "z": {"type": "integer"}}, "patternProperties": {"^a": {"type": "integer"}}}
    assert [("/properties/z/type", (".z",)), ("/patternProperties/^a/type", (".a",))] == told(old, new, "absent")


def test_the_only_alternative_that_a_value_can_be_of_is_followed(monkeypatch):
    monkeypatch.setattr(algebra, "is_contained", lambda *_: False)
    text = {
        "type": "object",
        "required": ["type"],
        "properties": {"type": {"const": "text"}, "size": {"type": "integer"}},
        "additionalProperties": False,
    }
    inline = {"anyOf": [{"type": "string"}, text]}
    narrower = {**text, "properties": {**text["properties"], "size": {"type": "integer", "minimum": 1}}}
    old = {"type": "array", "items": {"anyOf": [{"allOf": [inline]}]}}
    new = {"type": "array", "items": {"anyOf": [{"allOf": [{"anyOf": [{"type": "string"}, narrower]}]}]}}
    pointer = "/items/anyOf/0/allOf/0/anyOf/1/properties/size/minimum"
    assert [(pointer, ("[]", ".size"))] == told(old, new)


def test_what_may_be_of_two_kinds_is_told_kind_by_kind():
    server = {"type": "object", "required": ["url"], "properties": {"url": {"type": "string"}, "port": True}}
    reference = {"type": "object", "required": ["$ref"], "properties": {"$ref": {"type": "string"}}}
    old = {"additionalProperties": {"oneOf": [reference, server]}}
    found = reasons([Side(old, "absent")], [Side({"additionalProperties": {**server, "additionalProperties": False}})])
    assert [
        ("/additionalProperties/required/0", "/additionalProperties/oneOf/0", ("{}",)),
        (
            "/additionalProperties/additionalProperties",
            "/additionalProperties/oneOf/0/properties/$ref",
            ("{}", ".$ref"),
        ),
    ] == [(each.pointer, each.accepting_pointer, each.path) for each in found]


def test_where_one_part_is_used_at_many_places_the_nearest_ones_are_shown():
    """Adaptive cards 1.4 requires ``targetElements`` of an action that many elements hold, at any depth."""
    folder = SHARED / "cases" / "schema-pairs" / "adaptive-card-1.3.0-1.4.0"
    old, new = (json.loads((folder / f"{name}.json").read_text()) for name in ("old", "new"))
    found = reasons([Side(old, "absent")], [Side(new)])
    assert {"/definitions/Action.ToggleVisibility/required/0"} == {each.pointer for each in found}
    shown = {each.path: each.answer.value for each in found if isinstance(each.answer, Found)}
    assert {"selectAction": {"type": "Action.ToggleVisibility"}} == shown[".selectAction",]
    assert {"actions": [{"type": "Action.ToggleVisibility"}]} == shown[".actions", "[]"]


def test_one_part_that_is_hard_to_prove_leaves_the_parts_after_it_decided():
    """AsyncAPI's ``message`` is used at five places; asked about at each, it left no steps for what came after."""
    folder = SHARED / "cases" / "schema-pairs" / "asyncapi-2.5.0-2.6.0"
    old, new = (json.loads((folder / f"{name}.json").read_text()) for name in ("old", "new"))
    found = reasons([Side(old, "absent"), Side(old)], [Side(new)])
    undecided = {each.pointer for each in found if not isinstance(each.answer, Found)}
    assert undecided <= {"/definitions/message/oneOf"}


def kind(name, **members):
    return {"type": "object", "properties": {"k": {"const": name}, **members}, "required": ["k"]}


def test_the_value_for_an_alternative_is_one_of_that_alternative():
    old = {"anyOf": [kind("a", v={"type": "string"}), kind("b", v={"type": "integer"})]}
    new = {"type": "object", "properties": {"v": {"type": "string", "minLength": 1}}, "required": ["k", "v"]}
    found = {(each.pointer, each.accepting_pointer): each.answer.value for each in reasons([Side(old)], [Side(new)])}
    assert {
        ("/required/1", "/anyOf/0"): {"k": "a"},
        ("/required/1", "/anyOf/1"): {"k": "b"},
        ("/properties/v/minLength", "/anyOf/0/properties/v"): {"k": "a", "v": ""},
        ("/properties/v/type", "/anyOf/1/properties/v"): {"k": "b", "v": 0},
    } == found


def test_an_alternative_that_breaks_nothing_is_not_told_with_anothers_value():
    """Of two names in all, ``k`` and ``v``, two must come: the second kind always has ``v``."""
    full = {**kind("b"), "minProperties": 2, "propertyNames": {"enum": ["k", "v"]}}
    (found,) = reasons([Side({"anyOf": [kind("a"), full]})], [Side({"required": ["v"]})])
    assert ("/required/0", "/anyOf/0", {"k": "a"}) == (found.pointer, found.accepting_pointer, found.answer.value)


def test_a_pattern_of_one_name_that_only_the_refusing_schema_mentions_is_told():
    new = {"required": ["b"], "patternProperties": {"^a$": {"type": "string"}}}
    assert [("/required/0", ()), ("/patternProperties/^a$/type", (".a",))] == told({"type": "object"}, new)
    old = {"type": "object", "patternProperties": {"^b$": {"type": "string"}}}
    new = {"patternProperties": {"^a$": False}, "properties": {"c": False}}
    assert [("/properties/c", (".c",)), ("/patternProperties/^a$", (".a",))] == told(old, new)
