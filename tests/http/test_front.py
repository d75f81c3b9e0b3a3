import asyncio
import json

from registry.http.front import Front
from registry.http.memory import IMMUTABLE, Content, Memory, Prepared
from registry.http.room import Room

CONTENT = Content(b"body", "text/plain", "t")
PINNED = Prepared.of(CONTENT, {"Cache-Control": IMMUTABLE})
CHANGING = Prepared.of(CONTENT, {"Cache-Control": "no-cache"})


def ask(front: Front, path: str = "/a", method: str = "GET", headers=(), query: bytes = b""):
    """Return the status, the headers by name and the body of what a front answers."""
    messages = []

    async def send(message):
        messages.append(message)

    scope = {"type": "http", "method": method, "path": path, "query_string": query, "headers": list(headers)}
    asyncio.run(front(scope, None, send))
    start, body = messages
    return start["status"], {name.decode(): value.decode() for name, value in start["headers"]}, body["body"]


async def inner(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": [(b"from", b"inside")]})
    await send({"type": "http.response.body", "body": b"inside", "more_body": False})


def front(**kept: Prepared) -> Front:
    memory = Memory(lambda: 0.0)
    for name, prepared in kept.items():
        memory.keep(f"/{name}", prepared, None if prepared.pinned else 1.0)
    return Front(inner, memory, Room(0), None)


def test_what_is_remembered_is_answered_without_going_inside():
    status, headers, body = ask(front(a=PINNED))
    assert (status, body, headers["etag"], headers["cache-control"]) == (200, b"body", '"t"', IMMUTABLE)
    assert len(headers["request-id"]) == 16


def test_conditions_and_head_hold_for_what_is_remembered():
    one = front(a=PINNED)
    table = {'"t"': 304, 'W/"t"': 304, "*": 304, '"x"': 200}
    found = {tags: ask(one, headers=[(b"if-none-match", tags.encode())])[0] for tags in table}
    status, headers, body = ask(one, method="HEAD")
    assert found == table
    assert (status, headers["content-length"], body) == (200, "4", b"")


def test_everything_else_goes_inside():
    one = front(a=PINNED, b=CHANGING)
    asked = [
        ask(one, "/c"),
        ask(one, "/a", "POST"),
        ask(one, "/a", query=b"x=1"),
        ask(one, "/b", headers=[(b"registry-sequence", b"7")]),
    ]
    assert [body for _, _, body in asked] == [b"inside"] * 4
    assert ask(one, "/b")[2] == ask(one, "/a", headers=[(b"registry-sequence", b"7")])[2] == b"body"


def test_an_error_that_nobody_answered_is_a_problem_that_says_nothing():
    async def broken(scope, receive, send):
        raise RuntimeError("a secret")

    status, headers, body = ask(Front(broken, Memory(lambda: 0.0), Room(0), None))
    assert (status, headers["content-type"]) == (500, "application/problem+json")
    assert json.loads(body)["request_id"] == headers["request-id"]
    assert b"secret" not in body
