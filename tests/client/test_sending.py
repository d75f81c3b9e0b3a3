"""What the client sends: bytes as they are, and flags in one way."""

from __future__ import annotations

import pytest

from registry.client import Card, Invalid, Registry, RegistryProblem, calls
from tests.client.misbehaving import misbehaving, reply
from tests.http.serving import ADMIN_TOKEN, running

LATIN_1 = "agent_id: com.example.latin\nname: Grüße\nversion: 1.0.0\ninput: text\noutput: text\n".encode("latin-1")


def contract(name, version="1.0.0"):
    return (
        f"# kept\r\nagent_id: com.example.{name}\nname: Grüße\nversion: {version}\ninput: text\noutput: text".encode()
    )


@pytest.mark.parametrize("call", [calls.publish_many, calls.check, lambda cards: calls.publish(*cards)])
def test_a_card_s_bytes_are_sent_as_they_are(call):
    odd = LATIN_1 + bytes(range(256)) + b"\r\n--\r\n"
    with misbehaving(reply(422)) as server, Registry(server.url) as registry:
        registry.send(call([Card(odd, "com.example.latin", "1.0.0")]))
    assert odd in server.requests[0]


def test_cards_are_published_and_come_back_byte_for_byte_and_a_wrong_encoding_is_told_with_its_place(database_url):
    with running(database_url) as server, Registry(server.url, ADMIN_TOKEN) as registry:
        a2a = b'{"protocolVersion": "0.3.0", "name": "N", "description": "D", "url": "https://a.example.com", "version": "3", "capabilities": {}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"], "skills": []}'
        cards = [
            Card(contract("plain")),
            Card(contract("named"), "com.example.named"),
            Card(contract("whole", "1.0.0-rc.1+build.7"), "com.example.whole", "1.0.0-rc.1+build.7"),
            Card(contract("dated"), version="1.0.0"),
            Card(a2a, "com.example.a2a", "3.0.0"),
        ]
        assert ["would_create"] * 5 == outcomes(registry.check(cards))
        assert ["would_create"] * 5 == outcomes(registry.publish_many(cards, dry_run=True))
        assert ["created"] * 5 == outcomes(registry.publish_many(cards, commit="4f2c", dry_run=False))
        assert ["unchanged"] * 5 == outcomes(registry.publish_many(cards))
        for card, name in zip(cards, ("plain", "named", "whole", "dated", "a2a"), strict=True):
            assert card.data == registry.card_bytes(f"com.example.{name}"), name
        for send in (registry.check, registry.publish_many, lambda cards: registry.publish(*cards)):
            with pytest.raises(Invalid) as raised:
                send([Card(LATIN_1, "com.example.latin", "1.0.0")])
            (finding,) = raised.value.problem["findings"]
            assert ("invalid-card", "not-utf-8", 2) == (raised.value.code, finding["code"], finding["line"])
        with pytest.raises(RegistryProblem):
            registry.check([Card(contract("odd"), 'a"; name="card\r\n\r\n@')])
        assert [] == list(registry.agents(has_contract=True, q="nothing-of-that-kind"))
        assert ["com.example.a2a"] == [item["agent_id"] for item in registry.agents(has_contract=False)]
        assert "1.0.0" == registry.record("com.example.plain", "v1", accept_forced=True)["version"]


def outcomes(answer):
    return [publication["outcome"] for publication in answer["publications"]]


@pytest.mark.parametrize("card", [Card(LATIN_1), Card(LATIN_1, "com.example.x"), Card(LATIN_1, None, "1.0.0")])
def test_one_card_is_published_under_a_name_that_must_be_given(card):
    with pytest.raises(ValueError, match="publish_many"):
        calls.publish(card)


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        (calls.publish(Card(b"", "a", "1"), dry_run=True, allow_breaking=["x", "y"], reason="r"),
         [("dry_run", "true"), ("allow_breaking", "x"), ("allow_breaking", "y"), ("reason", "r")]),
        (calls.publish(Card(b"", "a", "1"), dry_run=False), []),
        (calls.publish_many([], dry_run=True, status="draft"), [("dry_run", "true"), ("status", "draft")]),
        (calls.record("a", accept_forced=True), [("accept_forced", "true")]),
        (calls.record("a"), []),
        (calls.agents({"has_contract": False, "tag": ["x", "y"], "q": None}),
         [("has_contract", "false"), ("tag", "x"), ("tag", "y"), ("limit", "50")]),
    ],
)  # fmt: skip
def test_flags_and_lists_are_written_in_one_way(call, wanted):
    assert wanted == call.parameters
