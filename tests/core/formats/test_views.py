import copy

import pytest
from a2a.client.card_resolver import parse_agent_card
from google.protobuf.json_format import MessageToDict

from registry.core.errors import NoSuchView
from registry.core.formats import a2a_0_3, a2a_1_0
from registry.core.formats.published import SCHEMAS
from tests.core.formats.cards import BASES, changed, read

TOKEN, AUTH = "https://idp.example.com/token", "https://idp.example.com/auth"
# Every member that A2A 0.3.0 knows, each with a value.
FULL_0_3 = {
    "protocolVersion": "0.3.0",
    "name": "Old",
    "description": "An old agent.",
    "url": "https://old.example.com/a2a",
    "preferredTransport": "JSONRPC",
    "additionalInterfaces": [
        {"url": "https://old.example.com/a2a", "transport": "JSONRPC"},
        {"url": "https://old.example.com/rest", "transport": "HTTP+JSON"},
    ],
    "provider": {"organization": "Example", "url": "https://example.com"},
    "iconUrl": "https://old.example.com/icon.png",
    "version": "0.9.0",
    "documentationUrl": "https://old.example.com/docs",
    "capabilities": {
        "streaming": True,
        "pushNotifications": False,
        "stateTransitionHistory": True,
        "extensions": [{"uri": "urn:x", "description": "x", "required": True, "params": {"a": 1}}],
    },
    "securitySchemes": {
        "k": {"type": "apiKey", "in": "header", "name": "X-Key", "description": "a key"},
        "h": {"type": "http", "scheme": "Bearer", "bearerFormat": "JWT"},
        "i": {"type": "openIdConnect", "openIdConnectUrl": "https://idp.example.com/.well-known/openid-configuration"},
        "m": {"type": "mutualTLS"},
        "o": {
            "type": "oauth2",
            "oauth2MetadataUrl": "https://idp.example.com/metadata",
            "flows": {
                "authorizationCode": {"authorizationUrl": AUTH, "tokenUrl": TOKEN, "scopes": {"r": "read"}},
                "clientCredentials": {"tokenUrl": TOKEN, "scopes": {"r": "read"}},
            },
        },
    },
    "security": [{"k": []}, {"h": [], "m": []}, {"o": ["r"], "i": ["openid"]}],
    "defaultInputModes": ["text/plain"],
    "defaultOutputModes": ["text/plain"],
    "skills": [
        {
            "id": "s",
            "name": "S",
            "description": "d",
            "tags": ["t"],
            "examples": ["do it"],
            "inputModes": ["text/plain"],
            "outputModes": ["text/plain"],
            "security": [{"k": []}],
        }
    ],
    "supportsAuthenticatedExtendedCard": True,
    "signatures": [{"protected": "eyJhbGciOiJFUzI1NiIsImtpZCI6ImsifQ", "signature": "AA", "header": {}}],
    "x-team": "routing",
}
# The same agent, written as A2A 1.0.
FULL_1_0 = {
    "name": "Old",
    "description": "An old agent.",
    "supportedInterfaces": [
        {"url": "https://old.example.com/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "0.3"},
        {"url": "https://old.example.com/rest", "protocolBinding": "HTTP+JSON", "protocolVersion": "0.3"},
    ],
    "provider": {"organization": "Example", "url": "https://example.com"},
    "iconUrl": "https://old.example.com/icon.png",
    "version": "0.9.0",
    "documentationUrl": "https://old.example.com/docs",
    "capabilities": {
        "streaming": True,
        "pushNotifications": False,
        "stateTransitionHistory": True,
        "extensions": [{"uri": "urn:x", "description": "x", "required": True, "params": {"a": 1}}],
        "extendedAgentCard": True,
    },
    "securitySchemes": {
        "k": {"apiKeySecurityScheme": {"location": "header", "name": "X-Key", "description": "a key"}},
        "h": {"httpAuthSecurityScheme": {"scheme": "Bearer", "bearerFormat": "JWT"}},
        "i": {
            "openIdConnectSecurityScheme": {
                "openIdConnectUrl": "https://idp.example.com/.well-known/openid-configuration"
            }
        },
        "m": {"mtlsSecurityScheme": {}},
        "o-authorizationCode": {
            "oauth2SecurityScheme": {
                "oauth2MetadataUrl": "https://idp.example.com/metadata",
                "flows": {"authorizationCode": {"authorizationUrl": AUTH, "tokenUrl": TOKEN, "scopes": {"r": "read"}}},
            }
        },
        "o-clientCredentials": {
            "oauth2SecurityScheme": {
                "oauth2MetadataUrl": "https://idp.example.com/metadata",
                "flows": {"clientCredentials": {"tokenUrl": TOKEN, "scopes": {"r": "read"}}},
            }
        },
    },
    "securityRequirements": [
        {"schemes": {"k": {}}},
        {"schemes": {"h": {}, "m": {}}},
        {"schemes": {"o-authorizationCode": {"list": ["r"]}, "i": {"list": ["openid"]}}},
        {"schemes": {"o-clientCredentials": {"list": ["r"]}, "i": {"list": ["openid"]}}},
    ],
    "defaultInputModes": ["text/plain"],
    "defaultOutputModes": ["text/plain"],
    "skills": [
        {
            "id": "s",
            "name": "S",
            "description": "d",
            "tags": ["t"],
            "examples": ["do it"],
            "inputModes": ["text/plain"],
            "outputModes": ["text/plain"],
            "securityRequirements": [{"schemes": {"k": {}}}],
        }
    ],
    "x-team": "routing",
}


def test_the_card_of_this_test_has_every_member_of_0_3():
    schema = SCHEMAS["a2a-0.3"]
    assert set(schema["properties"]) <= set(FULL_0_3)
    assert set(schema["$defs"]["AgentSkill"]["properties"]) == set(FULL_0_3["skills"][0])
    assert set(schema["$defs"]["AgentCapabilities"]["properties"]) == set(FULL_0_3["capabilities"])


def test_every_member_of_a_0_3_card_has_its_place_in_the_1_0_view():
    assert FULL_1_0 == a2a_1_0.view(read(FULL_0_3))


def test_the_sdk_reads_everything_in_the_1_0_view_of_a_0_3_card():
    view = a2a_1_0.view(read(FULL_0_3))
    parsed = MessageToDict(parse_agent_card(copy.deepcopy(view)))
    del view["x-team"]
    del view["capabilities"]["stateTransitionHistory"]  # 1.0 has no such member; it is kept for those who look
    assert view == parsed


def test_the_same_agent_in_two_generations_has_one_contract():
    old, new = read(FULL_0_3), read(FULL_1_0)
    assert new.contract == old.contract
    assert new.digests.contract == old.digests.contract


def test_a_contract_knows_no_texts_and_no_case_of_schemes():
    texts = [
        ["/securitySchemes/h/httpAuthSecurityScheme/scheme", "bearer"],
        ["/securitySchemes/k/apiKeySecurityScheme/description", "another text"],
        [
            "/securitySchemes/o-clientCredentials/oauth2SecurityScheme/flows/clientCredentials/scopes/r",
            "read everything",
        ],
    ]
    card = copy.deepcopy(FULL_1_0)
    for pointer, value in texts:
        *parents, last = pointer.split("/")[1:]
        here = card
        for token in parents:
            here = here[token]
        here[last] = value
    assert read(FULL_1_0).contract.security_schemes == read(card).contract.security_schemes


def test_pointers_of_a_0_3_contract_lead_into_its_own_document():
    contract = read(FULL_0_3).contract
    assert ["/url", "/additionalInterfaces/1"] == [interface.pointer for interface in contract.interfaces]
    assert ["/skills/0"] == [operation.pointer for operation in contract.operations.values()]
    assert ["/capabilities/extensions/0"] == [extension.pointer for extension in contract.extensions]


def test_a_1_0_view_of_a_1_0_card_is_its_document():
    assert BASES["1.0"] == a2a_1_0.view(read(BASES["1.0"]))


def test_a_changed_view_leaves_the_card_as_it_is():
    for base in ("1.0", "0.3"):
        card = read(BASES[base])
        a2a_1_0.view(card)["skills"].clear()
        assert BASES[base] == card.document


def test_a_view_has_no_null_and_no_signature():
    card = changed("0.3", [["/provider", None], ["/signatures", FULL_0_3["signatures"]]])
    view = a2a_1_0.view(read(card))
    assert {"provider", "signatures"}.isdisjoint(view)


def test_a_0_3_view_of_a_0_3_card_is_its_document():
    assert BASES["0.3"] == a2a_0_3.view(read(BASES["0.3"]))


def test_a_0_3_view_of_a_union_card_is_its_document():
    card = changed("1.0", [["/url", "https://planner.example.com/a2a"], ["/security", [{"key": []}]]])
    assert card == a2a_0_3.view(read(card))


def test_a_0_3_view_of_a_1_0_card_that_speaks_0_3_is_read_as_the_same_contract():
    card = read(FULL_1_0)
    view = a2a_0_3.view(card)
    assert "a2a-0.3" == read(view).kind
    assert card.digests.contract == read(view).digests.contract


def test_a_0_3_view_shows_only_the_interfaces_that_speak_0_3():
    interfaces = [
        {"url": "https://new.example.com", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
        {"url": "https://old.example.com", "protocolBinding": "GRPC", "protocolVersion": "0.3"},
        {"url": "https://t.example.com", "protocolBinding": "JSONRPC", "protocolVersion": "0.3", "tenant": "a"},
    ]
    view = a2a_0_3.view(read(changed("1.0", [["/supportedInterfaces", interfaces]])))
    assert ("https://old.example.com", "GRPC", "0.3.0") == (
        view["url"], view["preferredTransport"], view["protocolVersion"],
    )  # fmt: skip
    assert "additionalInterfaces" not in view


@pytest.mark.parametrize("version", ["1.0", "0.2", "1.1"])
def test_a_card_that_does_not_speak_0_3_has_no_0_3_view(version):
    card = read(changed("1.0", [["/supportedInterfaces/0/protocolVersion", version]]))
    with pytest.raises(NoSuchView, match="none of its interfaces speaks A2A 0.3"):
        a2a_0_3.view(card)


def test_split_flows_never_take_the_name_of_another_scheme():
    flows = FULL_0_3["securitySchemes"]["o"]
    other = {"type": "http", "scheme": "bearer"}
    card = {**FULL_0_3, "securitySchemes": {**FULL_0_3["securitySchemes"], "o-authorizationCode": other, "o": flows}}
    schemes = a2a_1_0.view(read(card))["securitySchemes"]
    assert {"httpAuthSecurityScheme": {"scheme": "bearer"}} == schemes["o-authorizationCode"]
    assert {"o-authorizationCode-flow", "o-clientCredentials"} <= set(schemes)


def test_an_alternative_that_needs_no_credentials_stays():
    view = a2a_1_0.view(read(changed("0.3", [["/security", [{"key": []}, {}]]])))
    assert [{"schemes": {"key": {}}}, {"schemes": {}}] == view["securityRequirements"]
    assert ({"key": ()}, {}) == read(view).contract.security
