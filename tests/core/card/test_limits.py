"""Each limit of a contract card: at it a card is read, one over it is refused with the limit in the message."""

from __future__ import annotations

import json

import pytest

from registry.core.card.read import read_card
from registry.core.errors import InvalidCard, TooLarge


def card(**members):
    return {"agent_id": "com.example.x", "name": "X", "version": "1.0.0", "input": "text", "output": "text", **members}


def kinds(count, start=0):
    return [{"kind": f"K{at}"} for at in range(start, start + count)]


def codes(count, start=0):
    return {f"C{at}": "x" for at in range(start, start + count)}


def nested(levels):
    value = 1
    for _ in range(levels):
        value = [value]
    return value


def identifier(length):
    return "a." * (length // 2 - 1) + "a" * (2 + length % 2)


# Each: a card for a number, the limit, the code and the place of what is over it.
LIMITS = [
    (lambda n: card(failures=kinds(n)), 32, "too-many-items", "/failures", "kinds in a list"),
    (lambda n: card(error_codes=codes(n)), 32, "too-many-members", "/error_codes", "kinds in a mapping"),
    (lambda n: card(failures=kinds(16), error_codes=codes(n - 16)), 32, "too-many-failures", "", "kinds in both"),
    (
        lambda n: card(error_codes=codes(16), skills=[{"id": "a", "failures": kinds(n - 16)}]),
        32,
        "too-many-failures",
        "/skills/0",
        "kinds of a skill and the card",
    ),
    (
        lambda n: card(skills=[{"id": "a", "failures": kinds(16), "error_codes": codes(n - 16)}]),
        32,
        "too-many-failures",
        "/skills/0",
        "kinds of a skill in both",
    ),
    (lambda n: card(error_codes={"K" * n: "x"}), 40, "invalid-member", f"/error_codes/{'K' * 41}", "a kind in a mapping"),
    (lambda n: card(failures=[{"kind": "K" * n}]), 40, "invalid-member", "/failures/0/kind", "a kind in a list"),
    (lambda n: card(error_codes={"K": "x" * n}), 200, "too-long", "/error_codes/K", "the text of a kind"),
    (
        lambda n: card(error_codes={"K": {"description": "x" * n}}),
        200,
        "too-long",
        "/error_codes/K/description",
        "the description of a kind",
    ),
    (lambda n: card(failures=[{"kind": "K", "description": "x" * n}]), 200, "too-long", "/failures/0/description", "in a list"),
    (lambda n: card(tags=[f"t{at}" for at in range(n)]), 16, "too-many-items", "/tags", "tags"),
    (lambda n: card(tags=["t" * n]), 63, "invalid-member", "/tags/0", "a tag"),
    (lambda n: card(agent_id=identifier(n)), 200, "too-long", "/agent_id", "an ID"),
    (lambda n: card(agent_id="com." + "a" * n), 63, "invalid-member", "/agent_id", "a label of an ID"),
    (lambda n: card(name="x" * n), 200, "too-long", "/name", "a name"),
    (lambda n: card(description="x" * n), 20_000, "too-long", "/description", "a description"),
    (lambda n: card(owner="x" * n), 200, "too-long", "/owner", "an owner"),
    (lambda n: card(capabilities=["x" * n]), 200, "too-long", "/capabilities/0", "a capability"),
    (lambda n: card(tools=[{"name": "x" * n}]), 200, "too-long", "/tools/0/name", "a tool's name"),
    (lambda n: card(skills=[{"id": "x" * n}]), 128, "too-long", "/skills/0/id", "a skill's ID"),
    (lambda n: card(version=f"1.0.0-{'a' * (n - 6)}"), 256, "version-not-semver", "/version", "a version"),
    (lambda n: card(note=nested(n - 1)), 64, "too-deep", "/note" + "/0" * 63, "levels"),
    (lambda n: card(note=n), 2**53 - 1, "integer-out-of-range", "/note", "an integer"),
    (lambda n: card(note=[0] * (n - 7)), 60_000, "too-many-parts", "", "members and items"),
]  # fmt: skip


@pytest.mark.parametrize(("made", "limit", "code", "pointer", "why"), LIMITS, ids=[row[4] for row in LIMITS])
def test_a_card_at_a_limit_is_read_and_one_over_it_is_refused(made, limit, code, pointer, why):
    assert read_card(json.dumps(made(limit)).encode()), why
    with pytest.raises(InvalidCard) as refused:
        read_card(json.dumps(made(limit + 1)).encode())
    found = [each for each in refused.value.findings if each.level == "error"]
    assert [(code, pointer)] == [(each.code, each.pointer) for each in found]
    if code.startswith("too-"):
        assert f"{limit:,}" in found[0].message


def test_a_card_of_a_mebibyte_is_read_and_one_byte_more_is_too_large():
    data = json.dumps(card()).encode()
    assert read_card(data + b" " * (1_048_576 - len(data)))
    with pytest.raises(TooLarge, match="1048576"):
        read_card(data + b" " * (1_048_577 - len(data)))


NAMES = [
    ({"limits": {"max_duration_ms": 1, "max_steps": 1, "max_input_tokens": 1, "max_delegations": 1}}, None, "all limits"),
    ({"budget": {"max_cost_usd": 1}}, None, "the budget"),
    ({"limits": {"max_input_token": 1}}, ("unknown-member", "/limits/max_input_token"), "a slip of the keyboard"),
    ({"limits": {"maxInputTokens": 1}}, ("unknown-limit", "/limits/maxInputTokens"), "another spelling"),
    ({"limits": {"max_files": 1}}, ("unknown-limit", "/limits/max_files"), "a limit that nobody defines"),
    ({"budget": {"tokens": 1}}, ("unknown-limit", "/budget/tokens"), "a budget that nobody defines"),
]  # fmt: skip


@pytest.mark.parametrize(("members", "finding", "why"), NAMES, ids=[row[2] for row in NAMES])
def test_a_limit_with_a_name_of_no_limit_is_warned_about(members, finding, why):
    read = read_card(json.dumps(card(**members)).encode())
    assert ([finding] if finding else []) == [(each.code, each.pointer) for each in read.findings], why
    assert all("max_" in each.message for each in read.findings)
