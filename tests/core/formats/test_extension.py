import pytest

from registry.core.card.model import (
    Example,
    Failure,
    Guarantees,
    JsonSchema,
    Operation,
    Pause,
    Text,
    Tool,
    Undeclared,
)
from registry.core.errors import InvalidCard
from registry.core.formats import EXTENSION_URI
from tests.core.formats.cards import changed, findings_of, read, told

PARAMS = "/capabilities/extensions/0/params"
ROUTE = {"type": "object", "properties": {"from": {"type": "string"}}, "required": ["from"]}
FULL = {
    "agent_id": "com.example.planner",
    "owner": "routing",
    "operations": {
        "plan": {
            "input_schema": ROUTE,
            "output": "text",
            "pauses": {"approval": {"description": "May I?", "answer_schema": {"type": "boolean"}}},
            "failures": [{"kind": "NO_ROUTE", "description": "none found", "retryable": False, "retry_after_s": 2}],
            "examples": [{"name": "home", "input": {"from": "here"}, "output": "left"}],
        }
    },
    "capabilities": ["read_maps"],
    "tools": [{"name": "maps", "annotations": {"readOnlyHint": True}, "x": 1}],
    "guarantees": {"idempotent": True, "p95_latency_ms": 900, "max_retries": 3},
    "limits": {"max_steps": 5},
    "budget": {"max_cost_usd": 0.5},
}


def with_params(params, **extension):
    return changed("1.0", [["/capabilities/extensions", [{"uri": EXTENSION_URI, "params": params, **extension}]]])


def sound(params):
    """Return a card with these params and the digest that they need."""
    digest = read(with_params(params)).digests.contract
    return with_params({**params, "contract_digest": digest})


def test_the_contract_is_read_from_the_extension():
    card = read(sound(FULL))
    assert ("com.example.planner", "routing", ()) == (card.agent_id, card.owner, card.findings)
    contract = card.contract
    assert {
        "plan": Operation(
            id="plan",
            name="Plan",
            description="Plan a route.",
            input=JsonSchema(ROUTE),
            output=Text(),
            pauses={"approval": Pause("approval", "May I?", JsonSchema({"type": "boolean"}))},
            failures={"NO_ROUTE": Failure("NO_ROUTE", "none found", retryable=False, retry_after_s=2)},
            examples=(Example("home", {"from": "here"}, "left", None, frozenset({"input", "output"})),),
            tags=("maps",),
        )
    } == contract.operations
    assert ("read_maps",) == contract.capabilities
    assert {"maps": Tool("maps", read_only=True, document=FULL["tools"][0])} == contract.tools
    assert Guarantees(idempotent=True, p95_latency_ms=900, max_retries=3) == contract.guarantees
    assert ({"max_steps": 5}, {"max_cost_usd": 0.5}, ()) == (contract.limits, contract.budget, contract.extensions)


def test_pointers_of_a_carried_contract_lead_into_the_card():
    operation = read(sound(FULL)).contract.operations["plan"]
    assert "/skills/0" == operation.pointer
    assert f"{PARAMS}/operations/plan/input_schema" == operation.input.pointer
    assert f"{PARAMS}/operations/plan/pauses/approval/answer_schema" == operation.pauses["approval"].answer.pointer
    assert f"{PARAMS}/operations/plan/failures/0" == operation.failures["NO_ROUTE"].pointer


def test_a_skill_that_the_extension_does_not_name_is_undeclared():
    operation = read(with_params({})).contract.operations["plan"]
    assert (Undeclared(), Undeclared()) == (operation.input, operation.output)


def test_a_digest_of_another_contract_is_refused():
    card = with_params({**FULL, "contract_digest": "sha256:00"})
    with pytest.raises(InvalidCard) as caught:
        read(card)
    [finding] = caught.value.findings
    assert ("error", "contract-digest", f"{PARAMS}/contract_digest") == (finding.level, finding.code, finding.pointer)
    assert "sha256:00" in finding.message


def test_a_digest_survives_numbers_that_an_sdk_made_doubles():
    card = sound(FULL)
    params = card["capabilities"]["extensions"][0]["params"]
    params["guarantees"]["max_retries"] = 3.0
    params["limits"]["max_steps"] = 5.0
    assert () == read(card).findings


def test_the_extensions_version_counts_where_the_cards_is_not_semver():
    card = {**with_params({"version": "2.0.1"}), "version": "v2"}
    read_card = read(card)
    assert ("2.0.1", "v2") == (read_card.version, read_card.version_text)


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        pytest.param({}, [["warning", "no-contract-digest", ""]], id="no digest"),
        pytest.param(
            {"contract_digest": "", "operations": {"plam": {}}},
            [["error", "unknown-skill", "/operations/plam"]],
            id="an operation that is no skill",
        ),
        pytest.param(
            {"contract_digest": "", "operations": {"plan": {"input": "text", "input_schema": {}}}},
            [
                ["error", "text-and-schema", "/operations/plan/input_schema"],
                ["warning", "root-not-an-object", "/operations/plan/input_schema"],
            ],
            id="text and schema at once",
        ),
        pytest.param(
            {"contract_digest": "", "operations": {"plan": {"input": "json"}}},
            [["error", "wrong-value", "/operations/plan/input"]],
            id="another word than text",
        ),
        pytest.param(
            {"contract_digest": "", "operations": {"plan": {"failures": [{"kind": "A"}, {"kind": "A"}, {}]}}},
            [
                ["error", "duplicate-failure", "/operations/plan/failures/1/kind"],
                ["error", "missing-member", "/operations/plan/failures/2/kind"],
            ],
            id="failures twice and without a kind",
        ),
        pytest.param(
            {"contract_digest": "", "operations": {"plan": {"input": "text", "examples": [{"name": "a", "input": 5}]}}},
            [["error", "example-mismatch", "/operations/plan/examples/0/input"]],
            id="an example that doesn't match",
        ),
        pytest.param(
            {"contract_digest": "", "failures": "x", "operations": {"plan": {"tools": "x", "failures": [{}]}}},
            [["error", "missing-member", "/operations/plan/failures/0/kind"]],
            id="members that mean nothing beside a fault",
        ),
        pytest.param(
            {"contract_digest": "", "tools": [{"name": "a"}, {"name": "a"}]},
            [["error", "duplicate-tool", "/tools/1/name"]],
            id="a tool twice",
        ),
        pytest.param(
            {"contract_digest": "", "agent_id": "Com.Example", "guarantees": {"idempotent": "yes"}},
            [["error", "agent-id", "/agent_id"], ["error", "wrong-type", "/guarantees/idempotent"]],
            id="wrong scalars",
        ),
    ],
)
def test_faults_in_the_extension_are_told_where_they_stand(params, expected):
    assert [[level, code, PARAMS + pointer] for level, code, pointer in expected] == sorted(told(with_params(params)))


def test_a_schema_that_is_none_is_refused_where_it_stands():
    findings = findings_of(with_params({"contract_digest": "", "operations": {"plan": {"input_schema": 5}}}))
    assert {f"{PARAMS}/operations/plan/input_schema"} == {finding.pointer for finding in findings}
    assert "error" in {finding.level for finding in findings}


def test_our_extension_should_not_be_required():
    card = sound(FULL)
    card["capabilities"]["extensions"][0]["required"] = True
    assert [["warning", "required-data-extension", "/capabilities/extensions/0/required"]] == told(card)


def test_our_extension_twice_is_refused():
    card = sound(FULL)
    card["capabilities"]["extensions"].append(card["capabilities"]["extensions"][0])
    assert ["error", "duplicate-extension", "/capabilities/extensions/1/uri"] in told(card)
