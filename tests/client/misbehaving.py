"""A server on a real socket that answers each request as it is told, however badly."""

from __future__ import annotations

import re
import socket
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)


def reply(status: int, body: bytes = b"{}", *headers: str) -> bytes:
    """Return an answer that ends its connection."""
    lines = [f"HTTP/1.1 {status} Said", f"Content-Length: {len(body)}", "Connection: close", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


CLOSED = b""
HALF = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + b'{"items": ['
GOOD = reply(200, b'{"items": [], "next_cursor": null}')


@dataclass
class Misbehaving:
    """Its address, and every request that it got, whole."""

    url: str
    requests: list[bytes] = field(default_factory=list)


@contextmanager
def misbehaving(*answers: bytes) -> Iterator[Misbehaving]:
    """Answer one request after the other with these bytes, then close; more requests find nobody."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = Misbehaving(f"http://127.0.0.1:{listening.getsockname()[1]}")
        thread = threading.Thread(target=_answer, args=(listening, server, answers))
        thread.start()
        try:
            yield server
        finally:
            while thread.is_alive():  # who was not asked often enough is asked the rest
                try:
                    socket.create_connection(listening.getsockname(), timeout=5).close()
                except OSError:
                    pass
                thread.join(0.05)


def _answer(listening: socket.socket, server: Misbehaving, answers: tuple[bytes, ...]) -> None:
    for answer in answers:
        connection, _ = listening.accept()
        with connection:
            request = _read(connection)
            if request:
                server.requests.append(request)
                connection.sendall(answer)
    listening.close()


def _read(connection: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65536)
        if not more:
            return data
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    length = LENGTH.search(head)
    while length and len(body) < int(length[1]):
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body
