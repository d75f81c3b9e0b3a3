"""Callers who send what no client library sends: slowly, by halves, in other codings."""

import json
import socket
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from tests.http.cards import contract
from tests.http.serving import ADMIN_TOKEN, running

VERSION = "/v1/agents/com.example.hostile/versions/1.0.0"
HEAD = f"PUT {VERSION} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {ADMIN_TOKEN}\r\n"


@pytest.fixture(scope="module")
def impatient(make_database):
    """Serve a registry that waits for a second only."""
    with running(make_database(), settings={"CARDS_REQUEST_TIMEOUT_S": "1"}) as server:
        yield server


def said(server, sent: bytes) -> bytes:
    """Return everything that a server says to a connection until it closes it."""
    address = (httpx.URL(server.url).host, httpx.URL(server.url).port)
    with socket.create_connection(address, 60) as connection:
        connection.sendall(sent)
        return b"".join(iter(lambda: connection.recv(65536), b""))


def test_bodies_over_what_a_process_may_hold_are_503_until_others_are_gone(make_database):
    head = b"POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    size = 15 * 2**20
    with running(make_database(), settings={"CARDS_BODY_MEMORY_MB": "16"}) as server:
        url = f"{server.url}/v1/check"
        address = (httpx.URL(server.url).host, httpx.URL(server.url).port)
        two = b" " * 2 * 2**20
        with socket.create_connection(address, 60) as large:
            large.sendall(head % (size + 1) + b" " * size)
            while (full := httpx.post(url, content=two)).status_code == 400:
                pass  # until the server has read what was sent
            assert (503, "unavailable") == (full.status_code, full.json()["code"])
            assert full.headers["retry-after"]
        while httpx.post(url, content=two).status_code == 503:
            pass  # until the server has seen that the caller is gone
        assert 400 == httpx.post(url, content=two).status_code


SLOW = [
    (f"{HEAD}Content-Length: 100\r\n\r\n{{", "a body of which the rest never comes"),
    (f"{HEAD}Transfer-Encoding: chunked\r\n\r\n2\r\n{{}}\r\n", "chunks that never end"),
    (f"{HEAD}Content-Length: 100\r\n\r\n", "a body that never begins"),
    ("POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{", "without a token too"),
    (f"POST {VERSION}/validate HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{{", "where a value is checked"),
]


def test_a_body_that_comes_too_slowly_is_408_and_its_connection_is_closed(impatient):
    with ThreadPoolExecutor(len(SLOW)) as pool:
        answers = list(pool.map(lambda row: said(impatient, row[0].encode()), SLOW))
    for (_, why), answer in zip(SLOW, answers, strict=True):
        head, _, body = answer.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 408 "), (why, answer)
        assert b"connection: close" in head.lower(), why
        assert "request-timeout" == json.loads(body)["code"], why


@pytest.mark.parametrize(
    ("sent", "why"),
    [(b"", "nothing"), (b"G", "a byte"), (b"GET / HTTP/1.1\r\nHost: x", "half of a head"), (b"PRI * HTTP/2", "HTTP/2")],
)
def test_a_connection_that_sends_no_request_is_closed(impatient, sent, why):
    assert b"200" not in said(impatient, sent)[:20], why


def test_many_slow_connections_end_and_the_next_caller_is_answered(impatient):
    address = (httpx.URL(impatient.url).host, httpx.URL(impatient.url).port)
    slow = [socket.create_connection(address, 60) for _ in range(1200)]  # more than the server takes at once
    for each in slow:
        each.sendall(f"{HEAD}Content-Length: 100\r\n\r\n{{".encode())
    assert 200 == httpx.get(f"{impatient.url}/livez", timeout=120).status_code
    for each in slow:
        each.close()


def test_a_compressed_body_is_415_and_the_coding_that_is_taken_is_named(client, agent_id):
    path = f"/v1/agents/{agent_id}/versions/1.0.0"
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    for method, place in (("PUT", path), ("POST", "/v1/publish"), ("POST", "/v1/check"), ("PATCH", path)):
        answer = client.request(method, place, content=b"\x1f\x8b", headers={**headers, "If-Match": "*"})
        assert (415, "identity") == (answer.status_code, answer.headers["accept-encoding"]), (method, place)
        assert "Content-Encoding" in answer.json()["detail"]


def put(client, card, version="1.0.0"):
    path = f"/v1/agents/{card['agent_id']}/versions/{version}"
    answer = client.put(path, json=card)
    assert 201 == answer.status_code, answer.text
    return path


def nested(levels: int) -> object:
    value: object = {}
    for _ in range(levels):
        value = {"next": value}
    return value


def test_a_value_may_be_deep_but_not_too_deep_to_be_checked(client, agent_id):
    tree = {"type": "object", "properties": {"next": {"$ref": "#"}}, "additionalProperties": False}
    path = put(client, contract(agent_id, input_schema=tree))
    found = {}
    for levels in (10, 98, 99, 500, 900):
        answer = client.post(f"{path}/validate", json={"instance": nested(levels)})
        found[levels] = (answer.status_code, answer.json().get("code", answer.json().get("valid")))
    too_deep = (400, "malformed-request")
    assert {10: (200, True), 98: (200, True), 99: too_deep, 500: too_deep, 900: too_deep} == found


def test_a_value_that_cannot_be_judged_is_told_as_such(client, agent_id):
    """At each of its levels the schema makes the validator go ten deeper."""
    schema = {"$ref": "#"}
    for _ in range(10):
        schema = {"allOf": [schema]}
    path = put(client, contract(agent_id, input_schema={"type": "object", "properties": {"next": schema}}))
    answer = client.post(f"{path}/validate", json={"instance": nested(90)})
    assert (422, "undecided") == (answer.status_code, answer.json()["findings"][0]["code"])


def test_an_encoded_slash_separates_nothing(client, reader, agent_id):
    skills = [{"id": "a/b %é", "name": "N", "description": "D.", "input_schema": {"type": "integer"}, "output": "text"}]
    path = put(client, contract(agent_id, skills=skills))
    schema = reader.get(f"{path}/schemas/input/a%2Fb%20%25%C3%A9")
    assert (200, {"type": "integer"}) == (schema.status_code, schema.json())
    latest = reader.get(f"/v1/agents/{agent_id}/versions/latest/schemas/input/a%2fb%20%25%c3%a9")
    assert f"{path}/schemas/input/a%2Fb%20%25%C3%A9" == latest.headers["content-location"]
    for elsewhere in (f"/v1/agents/{agent_id}%2Fversions", "/v1%2Fagents", f"{path}/card%2F"):
        answer = reader.get(elsewhere)
        assert (404, elsewhere) == (answer.status_code, answer.json()["instance"])


@pytest.mark.parametrize("replaced_by", ["é", "no spaces", "a@b", "com.example.a@", "com.example.a@>>1", "@1.0.0"])
def test_what_replaces_a_version_is_an_agent_or_one_of_its_versions(client, agent_id, replaced_by):
    path = put(client, contract(agent_id))
    change = {"state": "deprecated", "reason": "x", "replaced_by": replaced_by}
    answer = client.patch(path, json=change, headers={"If-Match": "*"})
    assert (422, "/replaced_by") == (answer.status_code, answer.json()["findings"][0]["pointer"])
