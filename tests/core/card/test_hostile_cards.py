"""Cards that are made to keep a reader busy: each is read or refused within seconds of work."""

from __future__ import annotations

import json
import time

import pytest

from registry.core.card.read import read_card
from registry.core.errors import InvalidCard
from tests.core.formats.cards import BASES

LIMIT_S = 4.0  # of the processor; each takes under 2, and took from 5 to over 500 before it had its bound
SKILL = {"name": "S", "description": "d", "tags": ["t"]}


def card(schema=None, **members):
    shape = {"input": "text"} if schema is None else {"input_schema": schema}
    return {"agent_id": "com.example.x", "name": "X", "version": "1.0.0", "output": "text", **shape, **members}


def chain(count, link, end):
    """Return a schema of definitions, each made of the next one's reference."""
    links = {f"d{at}": link({"$ref": f"#/$defs/d{at + 1}"}) for at in range(count)}
    return {"$defs": {**links, f"d{count}": end}, "$ref": "#/$defs/d0"}


def nested(levels):
    return json.loads('{"a":' * levels + "1" + "}" * levels)


def levels(count):
    """Return a schema of levels within one another, each with names of its own for the same value."""
    schema = {}
    for level in range(count):
        names = {f"q{level}_{at}": {"type": "string"} for at in range(8)}
        schema = {"allOf": [schema], "properties": names, "required": [f"r{level}_{at}" for at in range(80)]}
    return {"type": "object", **schema}


NODE = {"properties": {"a": {"$ref": "#/$defs/n"}}}
THREE_WAYS = {**NODE, "$defs": {"n": {"anyOf": [{**NODE, "required": ["b"]}, {**NODE, "required": ["c"]}, NODE]}}}
ARRAY = {"type": "array", "minItems": 1000}
CARDS = [
    ("read", "tuples of tuples of tuples", card(
        {"required": ["a"], "type": "object", "properties": {"a": {**ARRAY, "items": {**ARRAY, "items": ARRAY}}}}
    )),
    ("read", "many alternatives", card(
        {"oneOf": [{"required": ["k"], "properties": {"k": {"const": at}}} for at in range(2000)], "type": "object"}
    )),
    ("read", "many patterns", card(
        {"type": "object", "patternProperties": {f"^p{at}[a-z]+$": {"type": "string"} for at in range(14_000)}}
    )),
    ("read", "names against patterns", card(
        {
            "type": "object",
            "required": [f"p{at}a" for at in range(300)],
            "patternProperties": {f"^p{at}[a-z]+$": {"type": "string"} for at in range(300)},
        }
    )),
    ("read", "patterns with large automata", card(
        {
            "type": "object",
            "required": [f"p{at}" for at in range(20)],
            "properties": {
                f"p{at}": {
                    "type": "string",
                    "allOf": [{"pattern": f"^(a|b)*a(a|b){{{size}}}c{at}$"} for size in (11, 12)],
                }
                for at in range(20)
            },
        }
    )),
    ("read", "levels of all of", card(levels(24))),
    ("read", "values of alternatives", card(
        {"enum": [f"p{at}" for at in range(1900)], "oneOf": [{"maxLength": 900 + at} for at in range(30)]}
    )),
    ("read", "names of alternatives", card(
        {
            "type": "object",
            "required": [f"p{at}" for at in range(9000)],
            "oneOf": [{"maxProperties": 9000 + at} for at in range(600)],
        }
    )),
    ("read", "many multiples", card(
        {"type": "object", "properties": {"a": {"allOf": [{"multipleOf": at / 7} for at in range(1, 300)]}}}
    )),
    ("read", "dynamic references", card(
        {
            "$dynamicAnchor": "n",
            "type": "object",
            "properties": {f"p{at}": {"$dynamicRef": "#n"} for at in range(5000)},
        }
    )),
    ("read", "many small schemas", card(
        skills=[
            {"id": f"s{at}", "output": "text", "input_schema": {"type": "object", "properties": {"a": {"type": "string"}}}}
            for at in range(5000)
        ]
    )),
    ("read", "many skills that ask for many credentials", {
        **BASES["0.3"],
                "security": [],
        "securitySchemes": {f"k{at}": {"type": "mutualTLS"} for at in range(50)},
        "skills": [{**SKILL, "id": f"s{at}", "security": [{f"k{each}": []} for each in range(6)]} for at in range(1500)],
    }),
    ("schema-too-large", "a long name around many", card(
        {"type": "object", "properties": {"k" * 400_000: {"properties": {f"p{at}": {} for at in range(14_000)}}}}
    )),
    ("too-many-subschemas", "too many schemas", card(pauses={f"p{at}": {"answer_schema": {}} for at in range(16_000)})),
    ("too-many-parts", "too many items", card(tags=["a"] * 200_000)),
    ("too-many-failures", "failures of each for all", card(
        error_codes={f"E{at}": "x" for at in range(32)},
        skills=[{"id": f"s{at}", "error_codes": {f"F{at}": "x"}} for at in range(1500)],
    )),
    ("too-many-findings", "a fault in each of many skills", card(skills=[{} for _ in range(50_000)])),
    ("too-many-findings", "a wrong failure in each of many skills", card(
        skills=[{"id": f"s{at}", "error_codes": {"A": 5}} for at in range(14_000)]
    )),
    ("reference-chain", "a chain of references", card(chain(5000, lambda link: link, {"type": "object"}))),
    ("reference-tangle", "two ways at each step", card(
        chain(40, lambda link: {"allOf": [link, link]}, {"type": "object"})
    )),
    ("examples-too-large", "an example in three ways at each level", card(
        THREE_WAYS, examples=[{"name": "x", "input": nested(50)}]
    )),
    ("examples-too-large", "many examples of many alternatives", card(
        {"properties": {"a": {"anyOf": [{"const": at} for at in range(3000)]}}},
        examples=[{"name": f"e{at}", "input": {"a": at}} for at in range(3000)],
    )),
    ("unknown-scheme", "many names of no scheme", {
        **BASES["1.0"],
        "securitySchemes": {f"scheme-number-{at}": {"mtlsSecurityScheme": {}} for at in range(3000)},
        "securityRequirements": [{"schemes": {f"scheme-numbre-{at}": {} for at in range(3000)}}],
    }),
]  # fmt: skip
BYTES = [
    ("too-many-parts", "YAML of dashes", b"-\n" * 500_000),
    ("key-not-a-string", "YAML of question marks", b"? " * 500_000),
    ("too-deep", "YAML of levels", "".join(" " * at + "a:\n" for at in range(1400)).encode()),
    ("not-yaml", "YAML of brackets", b"a: " + b"[" * 500_000),
    ("integer-out-of-range", "a number of a million digits", b'{"a":' + b"9" * 1_000_000 + b"}"),
    ("duplicate-key", "one name many times", b"{" + b",".join([b'"a":1'] * 170_000) + b"}"),
]
ROWS = [*((code, why, json.dumps(document).encode()) for code, why, document in CARDS), *BYTES]


@pytest.mark.timeout(120)
@pytest.mark.parametrize(("code", "why", "data"), ROWS, ids=[row[1] for row in ROWS])
def test_a_hostile_card_is_read_or_refused_within_its_time(code, why, data):
    assert len(data) <= 1_048_576
    before = time.process_time()
    try:
        read_card(data)
        told = {"read"}
    except InvalidCard as refused:
        told = {each.code for each in refused.findings if each.level == "error"}
    assert code in told, why
    assert time.process_time() - before < LIMIT_S, why
