import pytest
from a2a.client.card_resolver import parse_agent_card

from registry.core.card.contract import digests
from registry.core.card.model import (
    Card,
    Contract,
    Example,
    Extension,
    Failure,
    Guarantees,
    Interface,
    JsonSchema,
    Operation,
    Pause,
    Text,
    Tool,
    Undeclared,
)
from registry.core.errors import NoSuchView
from registry.core.formats import EXTENSION_URI, HTTP_JSON_BINDING_URI, A2aMember, a2a_0_3, a2a_1_0, a2a_member
from tests.core.formats.cards import read

URL = "https://agents.example.com/invoices/v2"
JSON_OPERATION = Operation(
    "default",
    "",
    "",
    JsonSchema({"type": "object", "title": "Invoice", "required": ["vendor"]}),
    JsonSchema({"type": "array", "items": {"$ref": "#"}}),
    {"approval": Pause("approval", "Pay?", Text())},
    {"DOWN": Failure("DOWN", "later", retryable=True), "GONE": Failure("GONE", "never")},
    examples=(Example("one", {"vendor": "a"}, None, "DOWN", frozenset({"input", "error"})),),
)
TEXT_OPERATION = Operation("ask", "Ask", "Asks.", Text(), Undeclared(), {}, {}, tags=("help",))
OPERATIONS = {"default": JSON_OPERATION, "ask": TEXT_OPERATION}
SPOKEN = {
    "supportedInterfaces": [{"url": "https://a.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "0.3"}],
    "securitySchemes": {"key": {"apiKeySecurityScheme": {"location": "header", "name": "X-Key"}}},
    "securityRequirements": [{"schemes": {"key": {}}}],
    "capabilities": {"streaming": True, "extensions": [{"uri": "urn:x", "params": {"a": 1}}]},
    "defaultInputModes": ["application/json"],
    "defaultOutputModes": ["application/json"],
    "provider": {"organization": "Example", "url": "https://example.com"},
    "iconUrl": "https://a.example/icon.png",
    "x-team": "finance",
}


def member(value, url=URL, operations=OPERATIONS):
    return a2a_member(value, "/a2a", deployment_url=url, operations=operations)


def contract_card(value, url=URL):
    """Return a contract card as its reader makes it, with this `a2a` member."""
    spoken = member(value, url)
    contract = Contract(
        operations=OPERATIONS,
        capabilities=("read_invoices",),
        tools={"erp": Tool("erp", read_only=True, document={"name": "erp", "annotations": {"readOnlyHint": True}})},
        guarantees=Guarantees(idempotent=True, p95_latency_ms=900, max_retries=3, backoff="exponential"),
        limits={"max_steps": 5},
        budget={"max_cost_usd": 1.5},
        **{name: getattr(spoken, name) for name in A2aMember.__slots__ if name != "findings"},
    )
    document = {"agent_id": "com.example.invoices", "deployment_url": url, "a2a": value}
    return Card(
        kind="contract",
        raw=b"{}",
        document=document,
        digests=digests(b"{}", document, contract),
        agent_id="com.example.invoices",
        version="2.1.0",
        version_text="2.1.0",
        name="Invoices",
        description="Pays.",
        contract=contract,
        owner="finance",
        documentation_url="https://docs.example.com",
        deployment_url=url,
    )


def test_without_a_member_the_deployment_url_is_an_interface_of_our_binding():
    expected = A2aMember(
        interfaces=(Interface(HTTP_JSON_BINDING_URI, "1.0", URL),),
        input_modes=("application/json", "text/plain"),
        output_modes=("application/json",),
    )
    assert expected == member({})


def test_a_member_is_read_as_a_1_0_card_is():
    expected = A2aMember(
        interfaces=(Interface("JSONRPC", "0.3", "https://a.example/a2a"),),
        security_schemes=SPOKEN["securitySchemes"],
        security=({"key": ()},),
        streaming=True,
        extensions=(Extension("urn:x", params={"a": 1}),),
        input_modes=("application/json",),
        output_modes=("application/json",),
    )
    found = member(SPOKEN)
    assert expected == found
    assert "/a2a/supportedInterfaces/0" == found.interfaces[0].pointer
    assert "/a2a/capabilities/extensions/0" == found.extensions[0].pointer


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param([], [("error", "wrong-type", "/a2a")], id="no object"),
        pytest.param(
            {"supportedInterfaces": [{"url": "https://a.example", "protocolBinding": "JSONRPC"}]},
            [("error", "missing-member", "/a2a/supportedInterfaces/0/protocolVersion")],
            id="an interface without a version",
        ),
        pytest.param(
            {"security": [{"k": []}]}, [("error", "old-security", "/a2a/security")], id="0.3 spelling of requirements"
        ),
        pytest.param(
            {"supported_interfaces": []},
            [("error", "misspelt-member", "/a2a/supported_interfaces")],
            id="snake_case",
        ),
        pytest.param({"iconUrl": None}, [("warning", "null-member", "/a2a/iconUrl")], id="null"),
        pytest.param({"name": 5}, [("warning", "misplaced-member", "/a2a/name")], id="the card's own member"),
        pytest.param(
            {"capabilities": {"extensions": [{"uri": EXTENSION_URI, "params": {}}]}},
            [("warning", "own-extension", "/a2a/capabilities/extensions/0/uri")],
            id="our extension is made, not written",
        ),
    ],
)
def test_faults_of_a_member_are_told_where_they_stand(value, expected):
    found = member(value).findings
    assert expected == [(finding.level, finding.code, finding.pointer) for finding in found]


@pytest.mark.parametrize("value", [{}, SPOKEN], ids=["plain HTTP", "A2A"])
def test_the_view_of_a_contract_card_is_read_as_the_same_contract(value):
    card = contract_card(value)
    again = read(a2a_1_0.view(card))
    assert card.digests.contract == again.digests.contract
    assert (card.agent_id, card.version, card.owner) == (again.agent_id, again.version, again.owner)
    assert {"empty-text", "root-not-an-object"} >= {finding.code for finding in again.findings}


@pytest.mark.parametrize("value", [{}, SPOKEN], ids=["plain HTTP", "A2A"])
def test_the_sdk_reads_the_view_of_a_contract_card(value):
    parsed = parse_agent_card(a2a_1_0.view(contract_card(value)))
    assert ["default", "ask"] == [skill.id for skill in parsed.skills]
    assert ["Invoices", "Ask"] == [skill.name for skill in parsed.skills]
    assert EXTENSION_URI == parsed.capabilities.extensions[-1].uri
    params = parsed.capabilities.extensions[-1].params
    assert contract_card(value).digests.contract == params["contract_digest"]


def test_a_view_never_names_a_binding_that_the_agent_does_not_speak():
    view = a2a_1_0.view(contract_card({}))
    expected = [{"url": URL, "protocolBinding": HTTP_JSON_BINDING_URI, "protocolVersion": "1.0"}]
    assert expected == view["supportedInterfaces"]


def test_a_view_keeps_what_only_a2a_needs():
    view = a2a_1_0.view(contract_card(SPOKEN))
    kept = {name: value for name, value in SPOKEN.items() if name != "capabilities"}
    assert kept.items() <= view.items()
    assert SPOKEN["capabilities"]["extensions"] == view["capabilities"]["extensions"][:-1]
    assert "https://docs.example.com" == view["documentationUrl"]


def test_examples_of_an_operation_are_prompts_of_its_skill():
    skills = a2a_1_0.view(contract_card({}))["skills"]
    assert ['{"vendor": "a"}'] == skills[0]["examples"]


def test_a_contract_card_that_names_nothing_to_call_has_no_view():
    with pytest.raises(NoSuchView, match="nothing to call"):
        a2a_1_0.view(contract_card({}, url=None))


def test_a_contract_card_has_a_0_3_view_only_when_it_speaks_0_3():
    view = a2a_0_3.view(contract_card(SPOKEN))
    assert ("https://a.example/a2a", "0.3.0", [{"key": []}]) == (view["url"], view["protocolVersion"], view["security"])
    with pytest.raises(NoSuchView):
        a2a_0_3.view(contract_card({}))
