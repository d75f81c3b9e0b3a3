"""Contract cards: the seeds as they stand, what is refused, and that every fault is told at once with its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from registry.core.card.bundling import bundle
from registry.core.card.model import JsonSchema, Text
from registry.core.card.read import read_card
from registry.core.errors import Finding, InvalidCard, TooLarge

SEEDS = Path(__file__).parents[2] / "cases" / "seeds"
DEMO = Path(__file__).parents[3] / "registry" / "demo"


def bundled(path):
    return bundle(path.name, lambda name: (path.parent / name).read_bytes()).data


def minimal(**members):
    return {
        "agent_id": "com.example.greeter",
        "name": "Greeter",
        "version": "1.0.0",
        "input": "text",
        "output": "text",
        **members,
    }


def without_shapes():
    return {name: member for name, member in minimal().items() if name not in ("input", "output")}


def told(document):
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    try:
        return [(each.level, each.code, each.pointer) for each in read_card(data).findings]
    except InvalidCard as refused:
        return [(each.level, each.code, each.pointer) for each in refused.findings]


def test_the_seed_s_invoice_processor_reads_as_it_stands():
    card = read_card(bundled(SEEDS / "invoice-processor" / "card.yaml"))
    operation = card.contract.operations["default"]
    assert ("com.yourcompany.finance.invoice-processor", "2.1.0", "production") == (
        card.agent_id,
        card.version,
        card.status,
    )
    assert isinstance(operation.input, JsonSchema)
    assert ["INVALID_INVOICE_FORMAT", "ERP_UNAVAILABLE", "DUPLICATE_INVOICE", "APPROVAL_QUEUE_FULL"] == list(
        operation.failures
    )
    assert operation.failures["ERP_UNAVAILABLE"].retryable is None
    assert (True, 4000, 10000, 99.5, 3) == (
        card.contract.guarantees.idempotent,
        card.contract.guarantees.p95_latency_ms,
        card.contract.guarantees.max_latency_ms,
        card.contract.guarantees.availability,
        card.contract.guarantees.max_retries,
    )
    # A *property* named description is no annotation: another digest without it.
    assert "description" in operation.input.schema["$defs"]["InvoiceItem"]["properties"]


def test_the_seed_s_greeter_and_reviewer_are_operations_of_one_card():
    card = read_card((DEMO / "team" / "0.1.0.yaml").read_bytes())
    assert ["helper", "acme-reviewer"] == list(card.contract.operations)
    assert isinstance(card.contract.operations["helper"].input, Text)
    assert ["no_such_pr"] == list(card.contract.operations["acme-reviewer"].failures)


def test_yaml_and_json_of_one_card_have_the_same_card_digest():
    data = bundled(DEMO / "weather" / "1.0.0.yaml")
    card = read_card(data)
    again = read_card(json.dumps(dict(reversed(card.document.items()))).encode())
    assert (card.digests.card, card.digests.contract) == (again.digests.card, again.digests.contract)
    assert card.digests.raw != again.digests.raw


def test_the_contract_digest_ignores_texts_and_sees_promises():
    base = read_card(
        json.dumps(minimal(input_schema={"type": "object", "description": "x"}) | {"input": None})
        .encode()
        .replace(b'"input": null, ', b"")
    )
    texts = read_card(
        json.dumps(
            minimal(name="Other", description="y", input_schema={"type": "object", "title": "z"}) | {"input": None}
        )
        .encode()
        .replace(b'"input": null, ', b"")
    )
    promise = read_card(json.dumps(minimal(idempotent=True)).encode())
    assert base.digests.contract == texts.digests.contract
    assert base.digests.contract != promise.digests.contract


TABLE = [
    (minimal(agent_id="UPPER"), ("error", "invalid-member", "/agent_id"), "an ID is lower-case reverse DNS"),
    (minimal(version="1.2"), ("error", "version-not-semver", "/version"), "a version has three parts"),
    (minimal(version="v1.2.0"), ("error", "version-not-semver", "/version"), "without a v"),
    (minimal(version="^1.2.3"), ("error", "version-not-semver", "/version"), "no range"),
    (minimal(version=2.1), ("error", "version-not-text", "/version"), "quote it"),
    (minimal(input_schema={}), ("error", "text-and-schema", "/input_schema"), "text or a schema, not both"),
    (
        minimal(output_schema={"type": "objekt"}),
        ("error", "text-and-schema", "/output_schema"),
        "one of the two, and the schema is looked at too",
    ),
    (
        minimal(error_codes={"timeout": "x"}),
        ("error", "reserved-failure", "/error_codes/timeout"),
        "the platform's own kind",
    ),
    (
        minimal(failures=[{"kind": "A"}, {"kind": "A"}]),
        ("error", "duplicate-failure", "/failures/1/kind"),
        "a kind twice",
    ),
    (
        minimal(deployment_url="http://[::]:8080/x"),
        ("error", "unspecified-address", "/deployment_url"),
        "where a server listens",
    ),
    (
        minimal(deployment_url="http://10.0.0.3/"),
        ("warning", "private-url", "/deployment_url"),
        "callers elsewhere can't reach it",
    ),
    (
        minimal(deployment_url="https://a.example.com/v3"),
        ("warning", "url-major-differs", "/deployment_url"),
        "the URL's major is another",
    ),
    (
        minimal(examples=[{"name": "x", "input": 5}]),
        ("error", "example-mismatch", "/examples/0/input"),
        "text is no number",
    ),
    (
        minimal(examples=[{"name": "x", "error": "NOPE"}]),
        ("error", "example-mismatch", "/examples/0/error"),
        "no such kind",
    ),
    (minimal(description="key AKIAIOSFODNN7EXAMPLE"), ("warning", "secret", "/description"), "looks like a key"),
    (
        minimal(depolyment_url="https://x.example.com"),
        ("warning", "unknown-member", "/depolyment_url"),
        "a slip of the keyboard",
    ),
    (minimal(skills=[{"id": "a"}, {"id": "a"}]), ("error", "duplicate-skill", "/skills/1/id"), "an ID twice"),
    (
        minimal(skills=[{"id": "a"}, {"id": "default"}]),
        ("error", "duplicate-skill", "/skills/1/id"),
        "a skill beside the card's own operation of that ID",
    ),
    (
        minimal(skills=[{"id": "a"}, {"id": "default"}]),
        ("error", "duplicate-skill", "/input"),
        "the card's own operation beside a skill of that ID",
    ),
    (
        {**without_shapes(), "skills": [{"id": "a", "input": "text"}], "examples": [{"name": "x", "input": "y"}]},
        ("warning", "unused-examples", "/examples"),
        "examples of a card that has skills alone",
    ),
]


@pytest.mark.parametrize(("document", "finding", "why"), TABLE, ids=[row[2] for row in TABLE])
def test_a_fault_is_told_at_its_place(document, finding, why):
    assert finding in told(document), why


def test_every_fault_is_told_at_once_with_its_line():
    data = b"agent_id: UPPER\nname: ''\nversion: 2.10\nidempotent: maybe\n"
    with pytest.raises(InvalidCard) as refused:
        read_card(data)
    assert {("/agent_id", 1), ("/name", 2), ("/version", 3), ("/idempotent", 4)} <= {
        (each.pointer, each.line) for each in refused.value.findings
    }


def test_a_skill_may_be_called_default_where_the_card_has_no_contract_of_its_own():
    card = read_card(json.dumps({**without_shapes(), "skills": [{"id": "default", "input": "text"}]}).encode())
    assert "/skills/0" == card.contract.operations["default"].pointer


SCHEMAS = [
    ({"type": "object", "properties": {"a": {"$ref": "https://example.com/x.json"}}}, "leaves"),
    ({"$ref": "#/$defs/none"}, "nothing"),
    ({"$ref": "#"}, "itself"),
    ({"type": "string", "pattern": "(?i)a"}, "pattern"),
    ({"$schema": "https://example.com/mine"}, "dialect"),
    ({"type": "object", "required": ["a"], "properties": {"a": False}}, "value"),
    ({"type": "objekt"}, "type"),
]


BROKEN = {"type": "object", "properties": {"a": {"pattern": "("}}}
BESIDE = [
    ({"name": 5, "input_schema": BROKEN}, "/input_schema/properties/a/pattern", "a wrong member beside"),
    ({"version": 2.1, "input_schema": BROKEN}, "/input_schema/properties/a/pattern", "a version that is a number"),
    ({"skills": [{"input_schema": BROKEN}]}, "/skills/0/input_schema/properties/a/pattern", "a skill without an ID"),
    ({"skills": [5, {"id": "b", "output_schema": BROKEN}]}, "/skills/1/output_schema/properties/a/pattern", "no skill"),
    ({"skills": [None, {"id": "b", "output_schema": BROKEN}]}, "/skills/1/output_schema/properties/a/pattern", "null"),
    (
        {"name": 5, "skills": [{"id": "a", "tools": "x", "input_schema": BROKEN}]},
        "/skills/0/input_schema/properties/a/pattern",
        "a member that nobody knows",
    ),
    ({"failures": [{}, {"kind": "timeout"}]}, "/failures/1/kind", "a failure without a kind"),
    ({"failures": 5, "documentation_url": "x"}, "/documentation_url", "no list of failures"),
    ({"tools": [{}, {"name": "t", "output_schema": BROKEN}]}, "/tools/1/output_schema/properties/a/pattern", "no tool"),
    (
        {"status": "odd", "input_schema": {"type": "object"}, "examples": [{"name": "e", "input": 5}]},
        "/examples/0/input",
        "an example that doesn't match",
    ),
]


@pytest.mark.parametrize(("members", "pointer", "why"), BESIDE, ids=[row[2] for row in BESIDE])
def test_a_fault_of_structure_hides_no_fault_elsewhere(members, pointer, why):
    document = minimal(**members)
    document = {name: member for name, member in document.items() if f"{name}_schema" not in document}
    found = told(document)
    assert pointer in {place for level, _, place in found if level == "error"}, why
    assert any(code in ("wrong-type", "missing-member", "version-not-text", "wrong-value") for _, code, _ in found)


def test_what_only_follows_from_a_fault_is_not_told_beside_it():
    examples = [{"name": "e", "input": "x", "error": "GONE"}]
    found = told(minimal(error_codes={"GONE": 5}, examples=examples))
    assert [("error", "invalid-member", "/error_codes/GONE")] == found


@pytest.mark.parametrize(("schema", "word"), SCHEMAS, ids=[row[1] for row in SCHEMAS])
def test_a_schema_that_cannot_be_judged_is_refused(schema, word):
    document = minimal(input_schema=schema)
    del document["input"]
    with pytest.raises(InvalidCard) as refused:
        read_card(json.dumps(document).encode())
    assert any(each.pointer.startswith("/input_schema") and each.level == "error" for each in refused.value.findings), (
        word
    )


BYTES = {
    "no UTF-8": b"\xff\xfe",
    "no JSON": b'{"agent_id": ',
    "no YAML": b"a: b: c",
    "a name twice": b'{"agent_id": "a", "agent_id": "b"}',
    "NaN": b'{"a": NaN}',
    "a huge number": b'{"a": 1e999}',
    "a long integer": b'{"a": 12345678901234567890}',
    "half a pair": b'{"a": "\\ud800"}',
    "U+0000": b'{"a": "\\u0000"}',
    "deep brackets": b"[" * 100_000,
    "deep YAML": b"- " * 50_000,
    "an alias": b"a: &x [1]\nb: *x\n",
    "a bomb": b"a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n",
    "a tag": b"a: !!python/object:os.system x\n",
    "two documents": b"a: 1\n---\nb: 2\n",
    "nothing": b"",
    "a list": b"[]",
    "a word": b"hello",
}


@pytest.mark.parametrize("name", BYTES)
def test_hostile_bytes_are_refused_with_findings(name):
    with pytest.raises(InvalidCard) as refused:
        read_card(BYTES[name])
    assert refused.value.findings


def test_a_card_over_its_limit_is_too_large():
    with pytest.raises(TooLarge):
        read_card(b" " * (1024 * 1024 + 1))


def test_a_call_under_another_name_is_refused_for_contract_cards():
    data = json.dumps(minimal()).encode()
    with pytest.raises(InvalidCard) as refused:
        read_card(data, agent_id="com.example.other", version="1.0.1")
    assert {"id-mismatch", "version-mismatch"} == {
        each.code for each in refused.value.findings if each.level == "error"
    }
    assert "com.example.greeter" == read_card(data, agent_id="com.example.greeter", version="1.0.0").agent_id


def test_another_name_is_told_beside_everything_else():
    with pytest.raises(InvalidCard) as refused:
        read_card(json.dumps(minimal(status="odd")).encode(), agent_id="com.example.other", version="1.0.1")
    assert ["id-mismatch", "version-mismatch", "wrong-value"] == [each.code for each in refused.value.findings]


def files(**contents):
    def load(name):
        if name not in contents:
            raise InvalidCard([Finding("file-missing", "", f"{name} is not there")])
        value = contents[name]
        return value if isinstance(value, bytes) else json.dumps(value).encode()

    return load


def test_bundling_is_deterministic_and_self_contained():
    schema = {"type": "object", "properties": {"self": {"$ref": "#"}, "b": {"$ref": "sub/b.json#/$defs/x"}}}
    other = {"$defs": {"x": {"type": "object", "properties": {"back": {"$ref": "../a.json"}}}}}
    document = minimal(input_schema={"$ref": "a.json"})
    del document["input"]
    load = files(**{"card.json": document, "a.json": schema, "sub/b.json": other})
    first, second = (bundle("card.json", load).data for _ in range(2))
    assert first == second
    card = read_card(first)
    assert not [each for each in card.findings if each.level == "error"]
    assert b"sub/b.json" in first


def test_a_card_without_files_is_bundled_byte_for_byte():
    data = b'{ "agent_id":"com.example.x",  "name":"X","version":"1.0.0" }'
    assert data == bundle("card.json", files(**{"card.json": data})).data


@pytest.mark.parametrize(
    "reference",
    [
        "../secret.json",
        "/etc/passwd",
        "https://example.com/x.json",
        "file:///etc/passwd",
        "missing.json",
        "a/../../x.json",
    ],
)
def test_a_reference_out_of_the_folder_or_to_nothing_is_a_finding(reference):
    document = minimal(input_schema={"$ref": reference})
    with pytest.raises(InvalidCard) as refused:
        bundle("card.json", files(**{"card.json": document}))
    assert ["/input_schema/$ref"] == [each.pointer for each in refused.value.findings]


def test_findings_about_a_bundle_name_the_file_and_line_where_they_stand():
    contents = {
        "card.yaml": b"agent_id: com.example.x\nname: X\nversion: 1.0.0\nowner: 5\n"
        b"input_schema: {$ref: in.json}\noutput_schema:\n  properties:\n    b: {$ref: sub/b.yaml}\n    c: {type: odd}\n",
        "in.json": b'{"type": "object",\n "properties": {"a": {"pattern": "("}, "d": {"$ref": "sub/b.yaml"}}}',
        "sub/b.yaml": b"type: object\nminimum: five\n",
    }
    made = bundle("card.yaml", files(**contents))
    with pytest.raises(InvalidCard) as refused:
        read_card(made.data)
    found = made.located(each for each in refused.value.findings if each.level == "error")
    assert {
        ("card.yaml", "/owner", 4),
        ("in.json", "/properties/a/pattern", 2),
        ("sub/b.yaml", "/minimum", 2),
        ("card.yaml", "/output_schema/properties/c/type", 9),
    } == {(each.file, each.pointer, each.line) for each in found}


def test_faults_of_several_files_are_told_at_once_each_in_its_file():
    contents = {
        "card.yaml": b"input_schema: {$ref: a.json}\noutput_schema: {$ref: b.json}\nname: X\n",
        "a.json": b'{"type": "object",\n "x": }',
        "b.json": b'{"properties": {"c": {"$ref": "../c.json"},\n "d": {"$ref": "none.json"}}}',
    }
    with pytest.raises(InvalidCard) as refused:
        bundle("card.yaml", files(**contents))
    assert [("a.json", 2), ("b.json", 1), ("b.json", 2)] == [(each.file, each.line) for each in refused.value.findings]
