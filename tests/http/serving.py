"""A registry in another process, on a port of its own, as `cards serve` runs it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

import httpx

from tests.http.described import Described

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ADMIN_TOKEN = "a-token-for-tests-only-0123456789"
_PROGRAM = """
import sys
from registry.app import serve
from registry.settings import Settings
def started(one):
    print(one.url, one.admin_token, flush=True)
serve(Settings.from_environment(), workers=int(sys.argv[1]), started=started)
"""


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Server:
    """A running server: its address, the token that it made, its process."""

    def __init__(self, process: subprocess.Popen[str], url: str, made_token: str) -> None:
        self.process = process
        self.url = url
        self.made_token = made_token

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(30)

    def client(self, token: str | None = ADMIN_TOKEN) -> httpx.Client:
        """Return a client each of whose answers is held against /openapi.json."""
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        described = Described(httpx.get(f"{self.url}/openapi.json").json())
        return httpx.Client(base_url=self.url, headers=headers, event_hooks={"response": [described.check]}, timeout=60)


@contextmanager
def running(
    database_url: str,
    *,
    workers: int = 1,
    token: str | None = ADMIN_TOKEN,
    settings: Mapping[str, str] | None = None,
    log: TextIO | None = None,
) -> Iterator[Server]:
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("CARDS_", "DATABASE_"))},
        "DATABASE_URL": database_url,
        "CARDS_PORT": str(free_port()),
        **({} if token is None else {"CARDS_ADMIN_TOKEN": token}),
        **(settings or {}),
    }
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, str(workers)], env=environment, stdout=subprocess.PIPE, stderr=log, text=True
    )
    try:
        url, made = process.stdout.readline().split()  # the port is open once this line is there
        yield Server(process, url, made)
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(30)
        process.stdout.close()
