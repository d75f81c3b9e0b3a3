import asyncio
import json

import httpx
import pytest
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from google.protobuf.json_format import MessageToDict

from registry.core.formats import EXTENSION_URI, HTTP_JSON_BINDING_URI
from tests.http.cards import a2a_0_3, a2a_1_0, contract, sent
from tests.shared import SHARED


def publish(client, agent_id, version, raw):
    path = f"/v1/agents/{agent_id}/versions/{version}"
    response = client.put(path, content=raw, headers={"Content-Type": "application/json"})
    assert response.status_code == 201, response.text


def resolve(base_url, path=None, **create):
    """Resolve a card as an A2A client does, and choose a transport where one is asked for."""

    async def ask():
        async with httpx.AsyncClient() as client:
            card = await A2ACardResolver(client, base_url).get_agent_card(path)
            return card, (
                ClientFactory(ClientConfig(httpx_client=client)).create(card) if create.get("transport") else None
            )

    return asyncio.run(ask())


def test_the_sdk_resolves_a_1_0_card(server, client, agent_id):
    raw = (SHARED / "a2a" / "sample-card-1.0-spec-8.5.json").read_bytes()
    publish(client, agent_id, "1.0.0", raw)
    card, chosen = resolve(f"{server.url}/agents/{agent_id}", transport=True)
    assert card.name == json.loads(raw)["name"]
    assert chosen is not None
    assert client.get(f"/agents/{agent_id}/.well-known/agent-card.json").content == raw


def test_the_sdk_resolves_a_0_3_card(server, client, agent_id):
    publish(client, agent_id, "1.0.0", sent(a2a_0_3()))
    card, chosen = resolve(f"{server.url}/agents/{agent_id}", transport=True)
    assert [(one.url, one.protocol_binding, one.protocol_version) for one in card.supported_interfaces] == [
        ("https://agents.example.com/legacy", "JSONRPC", "0.3.0")
    ]
    assert chosen is not None
    assert client.get(f"/agents/{agent_id}/.well-known/agent-card.json").content == sent(a2a_0_3())


def test_the_sdk_resolves_a_contract_card_with_its_contract(server, client, agent_id):
    publish(client, agent_id, "1.0.0", sent(contract(agent_id)))
    card, _ = resolve(f"{server.url}/agents/{agent_id}")
    assert (card.name, card.version) == ("Doubler", "1.0.0")
    assert [(one.url, one.protocol_binding) for one in card.supported_interfaces] == [
        ("https://agents.example.com/doubler/v1", HTTP_JSON_BINDING_URI)
    ]
    extensions = MessageToDict(card.capabilities)["extensions"]
    assert [one["uri"] for one in extensions] == [EXTENSION_URI]
    assert "default" in json.dumps(extensions[0]["params"])
    assert not card.signatures


def test_a_path_names_another_version(server, client, agent_id):
    for version in ("1.0.0", "2.0.0"):
        publish(client, agent_id, version, sent(a2a_1_0(version)))
    found = [
        resolve(f"{server.url}/agents/{agent_id}{part}")[0].version
        for part in ("", "/v1", "/1.0.0", "/%5E2", "/latest")
    ]
    assert found == ["2.0.0", "1.0.0", "1.0.0", "2.0.0", "2.0.0"]


def test_the_answer_is_the_same_whatever_version_of_a2a_is_asked_for(client, agent_id):
    publish(client, agent_id, "1.0.0", sent(a2a_1_0()))
    path = f"/agents/{agent_id}/.well-known/agent-card.json"
    answers = [
        client.get(path),
        client.get(path, headers={"A2A-Version": "0.3"}),
        client.get(f"{path}?A2A-Version=1.0"),
        client.get(path, headers={"Accept": "text/html"}),
    ]
    assert {(answer.status_code, answer.content, answer.headers["content-type"]) for answer in answers} == {
        (200, sent(a2a_1_0()), "application/json")
    }


HYBRID = "sample-card-hybrid-1.0+0.3.sdk-1.3.0.json"


def test_the_legacy_path_serves_what_older_clients_can_read(client, agent_id):
    hybrid = (SHARED / "a2a" / HYBRID).read_bytes()
    both = a2a_1_0()
    both["supportedInterfaces"].append(
        {"url": "https://agents.example.com/old", "protocolBinding": "JSONRPC", "protocolVersion": "0.3"}
    )
    cards = {"old": sent(a2a_0_3()), "hybrid": hybrid, "new": sent(a2a_1_0()), "both": sent(both)}
    for name, raw in cards.items():
        publish(client, f"{agent_id}.{name}", "1.0.0", raw)
    answers = {name: client.get(f"/agents/{agent_id}.{name}/.well-known/agent.json") for name in cards}
    for name in ("old", "hybrid", "new"):
        assert answers[name].content == cards[name], name
    view = answers["both"].json()
    assert (view["url"], view["protocolVersion"][:3]) == ("https://agents.example.com/old", "0.3")
    assert {name: answer.headers["link"] for name, answer in answers.items()} == {
        name: f'</agents/{agent_id}.{name}/.well-known/agent-card.json>; rel="canonical"' for name in cards
    }


def test_a_contract_card_that_names_nothing_to_call_has_no_a2a_card(client, agent_id):
    card = contract(agent_id)
    del card["deployment_url"]
    publish(client, agent_id, "1.0.0", sent(card))
    for name in ("agent-card.json", "agent.json"):
        answer = client.get(f"/agents/{agent_id}/.well-known/{name}")
        assert (answer.status_code, answer.json()["code"]) == (404, "no-such-view")


@pytest.mark.parametrize("name", ["agent-card.json", "agent.json"])
def test_an_agent_that_is_not_there_is_404(client, name):
    assert client.get(f"/agents/com.example.nobody/.well-known/{name}").json()["code"] == "unknown-agent"
    assert client.get(f"/agents/com.example.nobody/v1/.well-known/{name}").json()["code"] == "unknown-agent"
