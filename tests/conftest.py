from __future__ import annotations

import asyncio
import itertools
import os
from typing import TYPE_CHECKING

import asyncpg
import pytest

from registry.catalog.migrating import migrate
from tests.postgres import server_url, with_database

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_numbers = itertools.count()


def _run(url: str, *statements: str) -> None:
    async def run() -> None:
        connection = await asyncpg.connect(url)
        try:
            for statement in statements:
                await connection.execute(statement)
        finally:
            await connection.close()

    asyncio.run(run())


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """Give a server, one for each process that runs tests."""
    with server_url() as url:
        yield url


@pytest.fixture(scope="session")
def make_database(postgres_url: str) -> Callable[[], str]:
    """Return a function that makes a migrated database and returns its URL; copying a template is quick."""
    prefix = f"test_{os.getpid()}"
    template = f"{prefix}_template"
    _run(postgres_url, f"create database {template}")
    asyncio.run(migrate(with_database(postgres_url, template)))

    def make() -> str:
        name = f"{prefix}_{next(_numbers)}"
        _run(postgres_url, f"create database {name} template {template}")
        return with_database(postgres_url, name)

    return make


@pytest.fixture
def database_url(make_database: Callable[[], str]) -> str:
    """Return a migrated database of the test's own."""
    return make_database()


@pytest.fixture(scope="session")
def session_database_url(make_database: Callable[[], str]) -> str:
    """Return a migrated database that several tests share."""
    return make_database()
