import json
import re
import socket

import httpx
import pytest

from registry.core import errors
from registry.http import problems
from registry.http.reference import load_description
from registry.http.routes import all_routes

# The members that RFC 9457 and we give every problem, whatever made it.
MEMBERS = {"type", "title", "status", "detail", "code", "instance", "request_id"}
ROUTES = sorted({path for handler in all_routes() for path in handler.paths})
METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "X"]


def classes(kind):
    yield kind
    for child in kind.__subclasses__():
        yield from classes(child)


def test_every_condition_of_the_core_has_a_status_of_its_own_or_of_its_parent():
    without = [
        kind.__name__
        for kind in classes(errors.RegistryError)
        if kind.__module__ == errors.__name__ and not set(kind.__mro__) & set(problems.STATUSES)
    ]
    assert without == ["RegistryError"]


def test_a_text_that_json_cannot_hold_makes_no_second_error():
    made = problems.problem_from(errors.NotFound("no \ud800"), "/x\ud800", "1")
    assert json.loads(made.body)["detail"] == "no ?"


def filled(path: str, value: str | None = None) -> str:
    plain = {"selector": "1.0.0"}
    return re.sub(r"\{(\w+):str\}", lambda match: value or plain.get(match[1], "com.example.a"), path)


def assert_problem(response: httpx.Response) -> None:
    assert response.headers["content-type"] == "application/problem+json"
    if response.request.method == "HEAD":
        return
    problem = response.json()
    assert problem.keys() >= MEMBERS
    assert problem["status"] == response.status_code
    assert problem["type"] == problems.TYPE_PREFIX + problem["code"]
    assert problem["request_id"] == response.headers["request-id"]
    assert "Traceback" not in response.text


@pytest.mark.parametrize("path", ROUTES)
def test_every_route_answers_a_method_that_it_does_not_know_with_405_and_those_that_it_does(client, path):
    described = load_description()["paths"][re.sub(r":str\}", "}", path)]
    takes = {method.upper() for method in described if method != "parameters"} | {"OPTIONS"}
    takes |= {"HEAD"} if "GET" in takes else set()
    for method in METHODS:
        if method in takes:
            continue
        response = client.request(method, filled(path))
        assert (response.status_code, response.headers["allow"]) == (405, ", ".join(sorted(takes)))
        assert_problem(response)
    options = client.request("OPTIONS", filled(path))
    assert (options.status_code, options.headers["allow"], options.content) == (204, ", ".join(sorted(takes)), b"")


# Content type, body: none of them is what any route wants.
HOSTILE_BODIES = [
    ("application/json", b""),
    ("application/json", b"{"),
    ("application/json", b"null"),
    ("application/json", b"[]"),
    ("application/json", b'{"a": 1, "a": 2}'),
    ("application/json", b"[" * 100_000),
    ("application/json", b'{"cards": [{"text": "\\ud800"}]}'),
    ("application/json", b"\xff\xfe"),
    ("application/json", b'{"a": NaN}'),
    ("text/html", b"<p>"),
    ("multipart/form-data", b""),
    ("multipart/form-data; boundary=x", b"--x\r\n"),
    ("multipart/form-data; boundary=x", b'--x\r\nContent-Disposition: form-data; name="card"\r\n\r\n{\r\n--x--'),
    ("not a type", b"x"),
]
WRITING = [
    (next(iter(handler.paths)), method)
    for handler in all_routes()
    for method in sorted(handler.http_methods)
    if method in ("POST", "PUT", "PATCH")
]


@pytest.mark.parametrize(("path", "method"), WRITING)
def test_every_route_that_takes_a_body_answers_a_hostile_one_with_a_problem(client, path, method):
    for content_type, body in HOSTILE_BODIES:
        headers = {"Content-Type": content_type, "If-Match": "*"}
        response = client.request(method, filled(path, "com.example.hostile"), content=body, headers=headers)
        assert 400 <= response.status_code < 500, (content_type, body[:40], response.text)
        assert_problem(response)


HOSTILE_NAMES = [
    "a",
    "a@b",
    "%00",
    "%FF",
    "%F0%9F%98%80",
    "..%2f..",
    "%27%3B--",
    "A" * 3000,
    "%20",
    "%C2%85",
    "*",
    "a%0Ab",
]


@pytest.mark.parametrize("path", [path for path in ROUTES if "{" in path])
def test_every_route_answers_odd_names_with_a_problem(client, path):
    for name in HOSTILE_NAMES:
        response = client.get(filled(path, name))
        assert 400 <= response.status_code < 500, (name, response.text)
        assert_problem(response)


@pytest.mark.parametrize("path", ROUTES)
def test_every_route_that_reads_a_query_refuses_what_it_does_not_know(client, path):
    response = client.get(filled(path), params={"no-such-parameter": "1"})
    ignores = ".well-known" in path or path in ("/livez", "/readyz")
    assert (response.status_code, ignores) in [(422, False), (405, False), (404, True), (200, True)]


NOT_THERE = [
    "/nope",
    "/v1",
    "/v1/",
    "/v2/agents",
    "/v1/agents/a/versions/1.0.0/nope",
    "/openapi.yaml",
    "/agents/a",
    "/%00",
]


@pytest.mark.parametrize("path", NOT_THERE)
def test_a_path_that_is_not_there_is_404_with_a_token_or_without(client, reader, path):
    for caller in (client, reader):
        for method in ("GET", "PUT", "POST"):
            response = caller.request(method, path)
            assert response.status_code == 404
            assert response.json()["code"] == "unknown-route"
            assert_problem(response)


@pytest.mark.parametrize(("path", "method"), [pair for pair in WRITING if not pair[0].endswith(("check", "validate"))])
def test_every_route_that_writes_needs_a_token(client, reader, path, method):
    for header in (
        None,
        "Bearer",
        "Bearer nobody-knows-it",
        "Basic YTpi",
        "Bearer é",
        "Bearer " + "x" * 2000,
    ):
        headers = {} if header is None else {"Authorization": header.encode("latin-1")}
        response = reader.request(method, filled(path), headers=headers, content=b"{}")
        assert response.status_code == 401
        assert response.headers["www-authenticate"] == 'Bearer realm="agent-card-registry"'
        assert_problem(response)


@pytest.mark.parametrize(
    ("path", "limit_bytes"),
    [("/v1/publish", 16 * 2**20), ("/v1/check", 16 * 2**20), ("/v1/agents/com.example.large/versions/1.0.0", 2**20)],
)
def test_a_body_over_its_limit_is_refused_without_being_read(client, path, limit_bytes):
    method = "PUT" if "versions" in path else "POST"
    read = []

    def endless():
        for _ in range(64):
            read.append(1)
            yield b" " * 2**20

    response = client.request(method, path, headers={"Content-Type": "application/json"}, content=endless())
    assert (response.status_code, response.json()["limit_bytes"]) == (413, limit_bytes)
    assert_problem(response)
    assert len(read) < 64


def test_a_body_that_announces_too_much_is_refused_before_a_byte_of_it(client, server):
    head = (
        f"PUT /v1/agents/com.example.large/versions/1.0.0 HTTP/1.1\r\nHost: x\r\nContent-Length: {2**40}\r\n"
        f"Authorization: {client.headers['authorization']}\r\n\r\n"
    )
    with socket.create_connection((httpx.URL(server.url).host, httpx.URL(server.url).port), 10) as connection:
        connection.sendall(head.encode())
        assert connection.recv(12) == b"HTTP/1.1 413"


def test_the_registry_says_that_it_has_no_card_of_its_own(client):
    for name in ("agent-card.json", "agent.json"):
        response = client.get(f"/.well-known/{name}")
        assert response.status_code == 404
        assert "/agents/{agent_id}/.well-known/agent-card.json" in response.json()["detail"]
