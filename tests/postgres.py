"""A real PostgreSQL for tests: TEST_DATABASE_URL, the one that comes along, a local one, or a container's."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

import asyncpg

from registry import embedded
from registry.core.errors import Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def server_url() -> Iterator[str]:
    """Give the URL of a server that databases may be made in."""
    given = os.environ.get("TEST_DATABASE_URL")
    if given:
        yield given
        return
    # Straight under the temporary folder: pytest's own folders may not be entered by the database's user.
    folder = Path(tempfile.mkdtemp(prefix="cards-test-"))
    folder.chmod(0o755)
    try:
        with embedded.start(folder) as server:
            asyncio.run(_without_waiting_for_the_disk(server.url))
            yield server.url
            return
    except Unavailable as reason:
        if "no PostgreSQL" not in str(reason):
            raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    from testcontainers.postgres import PostgresContainer

    with PostgresContainer("postgres:18", driver=None) as container:
        yield container.get_connection_url()


async def _without_waiting_for_the_disk(url: str) -> None:
    """Turn fsync off: a database a test is some 300 files, and the last checkpoint would wait for all of them."""
    connection = await asyncpg.connect(url)
    try:
        await connection.execute("alter system set fsync = off")
        await connection.execute("select pg_reload_conf()")
    finally:
        await connection.close()


def with_database(url: str, name: str) -> str:
    """Return a server's URL with another database in it."""
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))
