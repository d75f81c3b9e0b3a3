"""What is sent again, what never is, and what is said in the end: against a server that misbehaves."""

from __future__ import annotations

import asyncio
import time
from email.utils import formatdate

import httpx
import pytest

from registry.client import AsyncRegistry, Card, Registry, RegistryProblem, Unreachable
from registry.client.calls import Call
from registry.client.retrying import ATTEMPTS, RETRY_AFTER_CAP_S, WAIT_S, pause_before_next
from tests.client.misbehaving import CLOSED, GOOD, HALF, misbehaving, reply

CARD = Card(b"agent_id: com.example.x\n", "com.example.x", "1.0.0")
NOW = "Retry-After: 0"
STOPPED = reply(503, b'{"code": "judging-stopped", "detail": "over its time"}', NOW)
LONG = b'{"code": "unavailable"}'


def agents(registry):
    return registry.send(Call("GET", "/v1/agents"))


def put(registry):
    return registry.publish(CARD)


def publish(registry):
    return registry.publish_many([CARD])


def move(registry):
    return registry.set_state("com.example.x", "1.0.0", "*", {"state": "yanked", "reason": "r"})


# What is called, what is answered in turn, how many requests come, and what the caller gets.
CASES = [
    (agents, [CLOSED, GOOD], 2, 200, "the connection was closed without an answer"),
    (agents, [HALF, GOOD], 2, 200, "half an answer"),
    (agents, [reply(503, LONG, NOW), GOOD], 2, 200, "not available for the moment"),
    (agents, [reply(429, b"{}", NOW), reply(502, b"<html>"), GOOD], 3, 200, "too many, then a proxy's 502"),
    (agents, [reply(504, b""), GOOD], 2, 200, "a proxy waited too long"),
    (agents, [CLOSED] * 4, ATTEMPTS, Unreachable, "it never answers"),
    (agents, [reply(503, LONG, NOW)] * 4, ATTEMPTS, 503, "it never is available"),
    (put, [CLOSED, GOOD], 2, dict, "the same card again changes nothing"),
    (publish, [HALF, GOOD], 2, dict, "the same cards again change nothing"),
    (publish, [reply(503, LONG, NOW), GOOD], 2, dict, "the same cards again change nothing"),
    (move, [CLOSED, GOOD], 1, Unreachable, "a move may have happened"),
    (move, [reply(503, LONG, NOW), GOOD], 1, RegistryProblem, "a move may have happened"),
    (put, [reply(409), GOOD], 1, RegistryProblem, "refused stays refused"),
    (put, [reply(422), GOOD], 1, RegistryProblem, "invalid stays invalid"),
    (put, [reply(500), GOOD], 1, RegistryProblem, "a mistake of the registry's own"),
    (put, [STOPPED, GOOD], 1, RegistryProblem, "judging would be stopped again"),
]
IDS = [f"{call.__name__}: {why} ({count})" for call, _, count, _, why in CASES]


@pytest.mark.parametrize(("call", "answers", "count", "wanted", "why"), CASES, ids=IDS)
def test_a_call_is_sent_again_only_where_that_can_help(call, answers, count, wanted, why):
    with misbehaving(*answers) as server:
        with Registry(server.url) as registry:
            found = outcome(lambda: call(registry))
        requests = list(server.requests)
    assert (count, wanted) == (len(requests), found), why
    assert 1 == len(set(requests))


@pytest.mark.parametrize(("call", "answers", "count", "wanted", "why"), CASES, ids=IDS)
def test_the_async_client_sends_again_likewise(call, answers, count, wanted, why):
    async def run():
        async with AsyncRegistry(server.url) as registry:
            return await call(registry)

    with misbehaving(*answers) as server:
        found = outcome(lambda: asyncio.run(run()))
        requests = list(server.requests)
    assert (count, wanted) == (len(requests), found), why


def outcome(run):
    """Return a response's status, an answer's type, or the kind of what was raised."""
    try:
        answer = run()
    except Unreachable:
        return Unreachable
    except RegistryProblem:
        return RegistryProblem
    return answer.status_code if isinstance(answer, httpx.Response) else type(answer)


def test_a_retry_waits_as_long_as_it_is_told():
    with misbehaving(reply(503, LONG, "Retry-After: 1"), GOOD) as server, Registry(server.url) as registry:
        began = time.monotonic()
        agents(registry)
        assert time.monotonic() - began >= 1


@pytest.mark.parametrize(
    ("header", "wanted_s", "why"),
    [
        ("0", 0.0, "at once"),
        ("2", 2.0, "seconds"),
        ("86400", RETRY_AFTER_CAP_S, "nobody waits a day"),
        ("9" * 400, RETRY_AFTER_CAP_S, "a number of any length"),
        (formatdate(1_000_004, usegmt=True), 4.0, "a date"),
        (formatdate(0, usegmt=True), 0.0, "a date that is over"),
        ("soon", WAIT_S, "neither: as without it"),
        ("-1", WAIT_S, "neither: as without it"),
        (None, WAIT_S, "without it"),
    ],
)
def test_the_wait_is_what_the_server_asks_for_up_to_a_cap(header, wanted_s, why):
    response = httpx.Response(503, headers={} if header is None else {"Retry-After": header}, json={})
    assert wanted_s == pause_before_next(Call("GET", "/"), 1, response, 1_000_000.0), why


@pytest.mark.parametrize(
    ("answer", "kind", "said"),
    [
        (reply(200, b"<html>hello"), Unreachable, "what answers at http://127.0.0.1:[0-9]+ is no registry"),
        (reply(404, b"<p>\n lost"), RegistryProblem, "[0-9] answered 404, and not as a registry does: <p> lost"),
    ],
)
def test_what_answers_and_is_no_registry_is_said_so(answer, kind, said):
    with misbehaving(answer) as server, Registry(server.url) as registry, pytest.raises(kind, match=said):
        registry.agent("com.example.x")


@pytest.mark.parametrize("url", ["cards.example.com", "http://127.0.0.1:port", "ftp://cards.example.com", ""])
def test_what_is_no_address_is_said_so(url):
    with Registry(url) as registry, pytest.raises(Unreachable, match="is no registry's address"):
        registry.agent("com.example.x")
