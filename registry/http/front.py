"""The layer before routing: request IDs, the log, answers from memory, and the last word on errors.

Answers that never or hardly change are sent from here, since the framework's own routing costs more than the answer.
"""

from __future__ import annotations

import secrets
import time
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

from litestar.enums import ScopeType

from registry.http.etags import none_match
from registry.http.problems import MEDIA_TYPE, REQUEST_ID, log_unexpected, problem_from, unexpected

if TYPE_CHECKING:
    from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send

    from registry.http.logs import AccessLog
    from registry.http.memory import Memory, Prepared
    from registry.http.room import Room


class Front:
    """An ASGI application around another one."""

    def __init__(self, inner: ASGIApp, memory: Memory, room: Room, access_log: AccessLog | None) -> None:
        self._inner = inner
        self._memory = memory
        self._room = room
        self._access_log = access_log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await self._inner(scope, receive, send)
            return
        scope["path"] = _routed_path(scope)
        started = time.perf_counter()
        exchange = _Exchange(scope, send)
        prepared = self._remembered(scope)
        try:
            if prepared is not None:
                await _send_prepared(scope, prepared, exchange.send)
            else:
                await self._inner(scope, receive, exchange.send)
        except Exception as error:  # noqa: BLE001 - the last word: nothing may leave in another shape
            await exchange.fail(error)
        finally:
            self._room.leave(scope)
            if self._access_log is not None:
                seconds = time.perf_counter() - started
                self._access_log.add(exchange.request_id, scope["method"], scope["path"], exchange.status, seconds)

    def _remembered(self, scope: HTTPScope) -> Prepared | None:
        if scope["method"] not in ("GET", "HEAD") or scope["query_string"]:
            return None
        prepared = self._memory.answer(scope["path"])
        if prepared is None or prepared.pinned:
            return prepared
        # Who sends a sequence number back wants nothing older than that write, whichever process made it.
        return None if any(name == b"registry-sequence" for name, _ in scope["headers"]) else prepared


def _routed_path(scope: HTTPScope) -> str:
    """Return the decoded path, but for ``%2F`` and ``%25``: an encoded slash separates nothing (RFC 3986 2.2).

    So a name with a slash in it, as A2A's skills may have, is one segment; ``path_text`` decodes the rest.
    """
    path, raw = scope["path"], scope.get("raw_path") or b""
    if "%" not in path and b"%2f" not in raw.lower():
        return path
    segments = (unquote_to_bytes(segment).decode("utf-8", "replace") for segment in raw.split(b"/"))
    return "/".join(segment.replace("%", "%25").replace("/", "%2F") for segment in segments)


class _Exchange:
    """One request and what was answered so far."""

    def __init__(self, scope: HTTPScope, send: Send) -> None:
        self.request_id = secrets.token_hex(8)
        self.status = 0
        self._scope = scope
        self._send = send
        scope[REQUEST_ID] = self.request_id  # type: ignore[literal-required]  # ASGI allows keys of one's own

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = [*message.get("headers", ()), (b"request-id", self.request_id.encode())]
            message = {"type": "http.response.start", "status": self.status, "headers": headers}
        await self._send(message)

    async def fail(self, error: Exception) -> None:
        """Answer an error that nothing inside has answered; after a begun answer there is only the log."""
        log_unexpected(error, self._scope)
        if self.status:
            return
        problem = problem_from(unexpected(), self._scope["path"], self.request_id)
        headers = {"content-type": MEDIA_TYPE, "content-length": str(len(problem.body)), **problem.headers}
        raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        await self.send({"type": "http.response.start", "status": problem.status, "headers": raw})
        await self.send({"type": "http.response.body", "body": problem.body, "more_body": False})


async def _send_prepared(scope: HTTPScope, prepared: Prepared, send: Send) -> None:
    condition = b", ".join(value for name, value in scope["headers"] if name == b"if-none-match")
    unchanged = bool(condition) and not none_match(condition.decode("latin-1"), prepared.tag)
    headers = prepared.headers_unchanged if unchanged else prepared.headers
    body = b"" if unchanged or scope["method"] == "HEAD" else prepared.body
    await send({"type": "http.response.start", "status": 304 if unchanged else 200, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})
