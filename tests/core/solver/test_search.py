import gzip
import json
from itertools import islice

import pytest

from registry.core.solver.search import candidates, witness
from registry.core.solver.search_graph import graph
from tests.shared import SHARED


def closed(**properties):
    return {"type": "object", "properties": properties, "additionalProperties": False}


NOTHING = object()
STRING, INTEGER = {"type": "string"}, {"type": "integer"}
MANY = {f"p{number}": True for number in range(30)}  # each refuses nothing
TREE = {"type": "object", "required": ["next"], "properties": {"next": {"anyOf": [{"type": "null"}, {"$ref": "#"}]}}}


@pytest.mark.parametrize(
    ("accepting", "refusing", "expected"),
    [
        (STRING, INTEGER, ""),
        ({"type": "string", "maxLength": 5}, {"maxLength": 3}, "aaaa"),
        ({"type": "number"}, INTEGER, 0.5),
        ({"minimum": 1, "type": "integer"}, {"minimum": 4}, 1),
        ({"type": "integer", "multipleOf": 6}, {"multipleOf": 4}, 6),
        ({"type": "number", "multipleOf": 0.01}, {"multipleOf": 0.1}, 0.01),
        ({"enum": ["a", "b", "c"]}, {"enum": ["a", "b"]}, "c"),
        ({"pattern": "^[a-z]+$", "type": "string"}, {"pattern": "^[a-y]+$"}, "z"),
        ({"type": "object"}, {"required": ["pr"]}, {}),
        (closed(a=STRING, b=INTEGER), closed(a=STRING), {"b": 0}),
        (closed(a=STRING), closed(a=STRING, b=INTEGER), NOTHING),
        ({"type": "object"}, {"type": "object", "maxProperties": 0}, {"x": None}),
        ({"type": "object", "propertyNames": {"pattern": "^k"}}, {"minProperties": 3}, {}),
        ({"type": "object", "patternProperties": {"^k": STRING}}, {"patternProperties": {"^k": {"minLength": 1}}},
         {"k": ""}),
        ({"dependentRequired": {"a": ["b"]}, "type": "object"}, {"not": {"required": ["b"]}}, {"b": None}),
        ({"type": "array", "items": STRING}, {"items": {"minLength": 1}}, [""]),
        ({"type": "array"}, {"uniqueItems": True}, [None, None]),
        ({"type": "array", "uniqueItems": True, "items": {"type": "boolean"}}, {"maxItems": 1}, [True, False]),
        ({"type": "array", "contains": STRING, "maxContains": 2}, {"contains": STRING, "maxContains": 1},
         ["", ""]),
        ({"type": "array", "prefixItems": [STRING, STRING]}, {"items": STRING}, ["", "", None]),
        ({"oneOf": [closed(k={"const": "a"}, n=INTEGER), closed(k={"const": "b"})]}, closed(k=True),
         {"k": "a", "n": 0}),
        ({"if": {"required": ["a"]}, "then": {"required": ["b"]}, "type": "object"}, {"not": {"required": ["a"]}},
         {"a": None, "b": None}),
        ({"not": STRING, "type": ["string", "null"]}, False, None),
        ({**TREE, "required": []}, TREE, {}),
        (TREE, {**TREE, "properties": {"next": {"type": "null"}}}, {"next": {"next": None}}),
        (STRING, STRING, NOTHING),
        (closed(k={"const": "a"}, n=True), {"anyOf": [closed(k={"const": "b"}), closed(k=True, **MANY)]},
         {"n": None, "k": "a"}),
        ({"const": {}}, {"not": {"const": {}}}, {}),
        ({"type": "object"}, {"const": {}}, {"x": None}),
    ],
)  # fmt: skip
def test_the_first_witness_is_small(accepting, refusing, expected):
    assert (None if expected is NOTHING else (expected,)) == witness([accepting], [refusing])


def test_a_renamed_definition_is_the_same_meaning():
    old = {"$ref": "#/$defs/a", "$defs": {"a": {"properties": {"x": {"$ref": "#/$defs/a"}}, "title": "old"}}}
    new = {"$ref": "#/$defs/b", "$defs": {"b": {"properties": {"x": {"$ref": "#/$defs/b"}}}}}
    first, second = graph([old, new])
    assert (first.number, []) == (second.number, list(candidates([old], [new])))


def test_examples_and_defaults_come_before_made_up_values():
    schema = {"type": "object", "required": ["city"], "properties": {"city": {**STRING, "examples": ["Bern"]}}}
    assert next(candidates([schema], [])) == {"city": "Bern"}


def test_the_order_never_changes():
    schema = closed(a={"anyOf": [STRING, INTEGER]}, b={"type": "array", "items": INTEGER})
    first, second = (list(islice(candidates([schema], [closed(a=STRING)]), 50)) for _ in range(2))
    assert first == second


def test_no_candidate_comes_twice():
    texts = [json.dumps(value) for value in candidates([{"type": ["object", "string"]}], [{"maxLength": 2}])]
    assert len(set(texts)) == len(texts)


def mutual(extra):
    """Ten definitions that lead to each other in every way."""
    branches = [closed(**{f"k{number}": {"$ref": f"#/$defs/n{number}"}}) for number in range(10)]
    for number, branch in enumerate(branches):
        branch["required"] = [f"k{number}"]
    return {
        "$ref": "#/$defs/n0",
        "$defs": {f"n{number}": {"oneOf": [*branches, *extra.get(number, ())]} for number in range(10)},
    }


HOSTILE = [
    ("an enum of 50,000", {"enum": [*range(50_000), "new"]}, {"enum": [*range(50_000)]}, ("new",)),
    ("a value that is too long", {"type": "string", "minLength": 10**9}, INTEGER, None),
    ("an array that is too long", {"type": "array", "minItems": 10**9}, {"maxItems": 3}, None),
    ("numbers beyond a double", {"minimum": 10**400, "type": "number"}, {"maximum": 10**300}, None),
    ("a recursion that never ends", {"required": ["a"], "type": "object", "properties": {"a": {"$ref": "#"}}}, STRING,
     None),
    ("ten mutual unions", mutual({3: [{"type": "null"}], 5: [STRING]}), mutual({3: [{"type": "null"}]}),
     ({"k0": {"k5": ""}},)),
    ("300 branches", {"oneOf": [{"required": [f"p{number}"]} for number in range(300)]}, {"type": "object"}, None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("accepting", "refusing", "expected"), [row[1:] for row in HOSTILE], ids=[row[0] for row in HOSTILE]
)
def test_a_hostile_schema_ends_within_the_steps(accepting, refusing, expected):
    assert expected == witness([accepting], [refusing])


# What ``dialect`` turns into plain pointers before the search sees it.
UNTRANSLATED = ('"$anchor"', '"$id"', '"$dynamicRef"', '"dependencies"', '"$ref":"http')


def differing_rows():
    with gzip.open(SHARED / "cases" / "containment" / "pairs.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if row["draft"] == "draft2020-12" and not any(keyword in line for keyword in UNTRANSLATED):
                for contained, accepting, refusing in (("old_in_new", "old", "new"), ("new_in_old", "new", "old")):
                    if row[contained] is False:
                        yield row["id"], contained, row[accepting], row[refusing]


def test_a_witness_is_found_for_every_known_difference_of_the_corpus():
    rows = list(differing_rows())
    missed = [row[:2] for row in rows if witness([row[2]], [row[3]]) is None]
    assert (len(rows) > 1_500, []) == (True, missed)
