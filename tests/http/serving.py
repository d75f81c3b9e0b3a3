"""A registry in another process, on a port of its own, as `cards serve` runs it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import httpx

from registry import embedded
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

    def __init__(self, process: subprocess.Popen[str], url: str, made_token: str, database_url: str) -> None:
        self.process = process
        self.url = url
        self.made_token = made_token
        self.database_url = database_url

    def processes(self) -> list[int]:
        """Return the server's processes and all that they started, the outermost first."""
        parents = {}
        for status in Path("/proc").glob("[0-9]*/stat"):
            with suppress(FileNotFoundError, ProcessLookupError):
                parents[int(status.parent.name)] = int(status.read_text().rpartition(")")[2].split()[1])
        found = [self.process.pid]
        for one in found:  # grows while it is walked
            found += [process for process, parent in parents.items() if parent == one]
        return found

    def name(self, process: int) -> str:
        return Path(f"/proc/{process}/comm").read_text()

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
    environment = _environment(token) | {"DATABASE_URL": database_url} | dict(settings or {})
    with _started([sys.executable, "-c", _PROGRAM, str(workers)], environment, log) as process:
        url, made = process.stdout.readline().split()  # the port is open once this line is there
        yield Server(process, url, made, database_url)


@contextmanager
def serving_alone(folder: Path, *, workers: int = 1) -> Iterator[Server]:
    """Run `cards serve` with the PostgreSQL that comes along, its files in a folder."""
    environment = _environment(ADMIN_TOKEN) | {"CARDS_DATA_DIR": str(folder)}
    command = [sys.executable, "-c", "from registry.cli import main; main()", "serve", "--workers", str(workers)]
    with _started(command, environment, None) as process:
        url = process.stdout.readline().split()[-1]
        database_url = f"postgresql://{embedded.USER}@/postgres?host={folder}/postgresql/socket&port={embedded.PORT}"
        yield Server(process, url, "", database_url)


def _environment(token: str | None) -> dict[str, str]:
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith(("CARDS_", "DATABASE_"))},
        "CARDS_PORT": str(free_port()),
        **({} if token is None else {"CARDS_ADMIN_TOKEN": token}),
    }


@contextmanager
def _started(command: list[str], environment: Mapping[str, str], log: TextIO | None) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(30)
        process.stdout.close()
