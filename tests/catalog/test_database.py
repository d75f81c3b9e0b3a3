"""A database that is there and says nothing: nobody waits for it for ever."""

import asyncio
import os
import shutil
import signal
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from registry import embedded
from registry.catalog import database
from registry.core.errors import Unavailable


@pytest.fixture
def postgres():
    """Give a server of the test's own, since it will be stopped in the middle of its work."""
    folder = Path(tempfile.mkdtemp(prefix="cards-hang-"))
    folder.chmod(0o755)
    with embedded.start(folder) as server:
        yield server
    shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def hanging(server):
    """Stop every process of the server, and let them go on."""
    children = Path(f"/proc/{server.process_id}/task/{server.process_id}/children").read_text().split()
    processes = [server.process_id, *map(int, children)]
    for process in processes:
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in processes:
            os.kill(process, signal.SIGCONT)


def test_a_database_that_hangs_is_unavailable_and_used_again_when_it_goes_on(postgres, monkeypatch):
    monkeypatch.setattr(database, "STATEMENT_TIMEOUT_S", 0.5)
    monkeypatch.setattr(database, "ACQUIRE_TIMEOUT_S", 0.5)

    async def read(one):
        async with one.reading() as session:
            return (await session.row("sign_of_life"))["alive"]

    async def write_amid_a_hang(one):
        async with one.writing() as session:
            await session.row("sign_of_life")
            with hanging(postgres):
                await session.row("sign_of_life")

    async def scenario():
        one = await database.Database.open(postgres.url, 2, direct_url=None)
        try:
            alive = [await read(one)]
            with hanging(postgres), pytest.raises(Unavailable):
                await read(one)
            alive.append(await read(one))
            with pytest.raises(Unavailable):
                await write_amid_a_hang(one)
            alive.append(await read(one))
            return alive
        finally:
            await one.close()

    assert [1, 1, 1] == asyncio.run(scenario())
