"""The pool, transactions, and what a database's errors mean. The one place where they are recognised."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import asyncpg

from registry.catalog.sql import load_queries
from registry.core.errors import Finding, InvalidRequest, Unavailable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

LOCK_TIMEOUT_MS = 30_000
ACQUIRE_TIMEOUT_S = 30.0
STATEMENT_TIMEOUT_S = 40.0  # over the wait for a lock: who says nothing for so long is gone
# Two that publish the same thing at once and the like: look again, and decide on what is there now.
MEANWHILE = frozenset({"version_pk", "namespace_pk", "agent_pk", "report_pk"})
AWAY = (
    OSError,
    TimeoutError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # a connection that was lost in the middle of a statement
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
    asyncpg.LockNotAvailableError,
    asyncpg.ReadOnlySQLTransactionError,
)


class Meanwhile(Exception):
    """Another transaction came first; nothing of ours was written, and the decision is to be made again."""


class Session:
    """One connection: statements by their names."""

    def __init__(self, connection: Any, queries: Mapping[str, str]) -> None:
        self._connection = connection
        self._queries = queries

    async def rows(self, query: str, *arguments: Any) -> list[asyncpg.Record]:
        """Return every row."""
        found: list[asyncpg.Record] = await self._connection.fetch(self._queries[query], *arguments)
        return found

    async def row(self, query: str, *arguments: Any) -> asyncpg.Record | None:
        """Return the first row, None without one."""
        found: asyncpg.Record | None = await self._connection.fetchrow(self._queries[query], *arguments)
        return found

    async def run(self, query: str, *arguments: Any) -> None:
        """Run a statement for its effect."""
        await self._connection.execute(self._queries[query], *arguments)

    async def run_many(self, query: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run a statement for each row of arguments, in one round trip."""
        await self._connection.executemany(self._queries[query], rows)


class Database:
    """A pool of connections. Half of them at most write, so that readers never queue behind publishers."""

    def __init__(self, pool: asyncpg.Pool, size: int) -> None:
        self._pool = pool
        self._queries = load_queries()
        self._writers = asyncio.Semaphore(max(1, size // 2))

    @classmethod
    async def open(cls, url: str, size: int, *, direct_url: str | None) -> Database:
        """Open the pool. A direct URL beside it tells of a transaction pooler: then no statement is kept prepared."""
        cache_size = 0 if direct_url and direct_url != url else 100
        settings = {"application_name": "agent-card-registry"}
        async with _meaning():
            pool = await asyncpg.create_pool(
                url,
                min_size=1,
                max_size=size,
                statement_cache_size=cache_size,
                server_settings=settings,
                timeout=10,
                command_timeout=STATEMENT_TIMEOUT_S,
            )
        return cls(pool, size)

    async def close(self) -> None:
        """Close every connection, without waiting for a server that is gone."""
        try:
            await asyncio.wait_for(self._pool.close(), 5)
        except (TimeoutError, *AWAY):
            self._pool.terminate()

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[Session]:
        """Give a connection for statements that are each their own transaction."""
        async with _meaning(), self._pool.acquire(timeout=ACQUIRE_TIMEOUT_S) as connection:
            yield Session(connection, self._queries)

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[Session]:
        """Give a transaction: committed at the end of the block, rolled back by any exception."""
        async with (
            self._writers,
            _meaning(),
            self._pool.acquire(timeout=ACQUIRE_TIMEOUT_S) as connection,
            connection.transaction(),
        ):
            # A statement of its own, so that it holds behind a transaction pooler too.
            await connection.execute(f"set local lock_timeout = {LOCK_TIMEOUT_MS}")
            yield Session(connection, self._queries)


@asynccontextmanager
async def _meaning() -> AsyncIterator[None]:
    """Turn the driver's errors into conditions."""
    try:
        yield
    except (asyncpg.UniqueViolationError, asyncpg.DeadlockDetectedError, asyncpg.SerializationError) as error:
        if isinstance(error, asyncpg.UniqueViolationError) and error.constraint_name not in MEANWHILE:
            raise
        raise Meanwhile from error
    except asyncpg.CharacterNotInRepertoireError as error:
        raise InvalidRequest([Finding("invalid-text", "", "a text holds U+0000, which nothing here may")]) from error
    except AWAY as error:
        if isinstance(error, ValueError):  # the driver's own complaint about an argument: a bug of ours
            raise
        raise Unavailable(
            f"the database can't be reached for the moment ({type(error).__name__}); try again"
        ) from error
