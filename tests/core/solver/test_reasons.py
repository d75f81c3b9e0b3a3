"""Each way to be refused is told, at its own keyword and place."""

from registry.core.solver import Found, Side, reasons


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
