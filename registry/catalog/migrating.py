"""Migrations: plain SQL files, numbered, each run once, in order, under a lock.

No runner fits: see docs/decisions.md. Two processes that start at once are normal, so the lock is waited for; it is a
transaction's, so it needs no session and holds behind a transaction pooler too.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING

import asyncpg

from registry.catalog.database import AWAY
from registry.core.errors import Unavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

LOCK = 7_314_001  # any number, the same in every release
_FILE = re.compile(r"(\d{4})_(\w+)\.sql")
_LEDGER = """
create table if not exists migration (
  number bigint not null constraint migration_pk primary key,
  name text not null,
  digest text not null,
  applied_at timestamptz not null default now()
)
"""


@dataclass(frozen=True, slots=True)
class Migration:
    """One file. ``digest`` is the SHA-256 of its bytes: a landed migration never changes."""

    number: int
    name: str
    sql: str
    digest: str


class MigrationChanged(Unavailable):
    """A migration that this database has run says something else now, or is not known here."""

    code = "migration-changed"
    title = "The migrations differ"


def load_migrations() -> tuple[Migration, ...]:
    """Return the migrations in their order."""
    found = []
    for file in (resources.files("registry") / "migrations").iterdir():
        if match := _FILE.fullmatch(file.name):
            raw = file.read_bytes()
            found.append(Migration(int(match[1]), match[2], raw.decode(), hashlib.sha256(raw).hexdigest()))
    return tuple(sorted(found, key=lambda migration: migration.number))


async def migrate(url: str, migrations: Sequence[Migration] | None = None) -> tuple[Migration, ...]:
    """Run what this database has not run yet, and return it; all of it or none.

    ``url`` goes to the server itself where there is a pooler. Raises MigrationChanged; Unavailable when the server
    can't be reached, or a migration fails there.
    """
    wanted = load_migrations() if migrations is None else tuple(migrations)
    connection = await _connected(url)
    try:
        async with connection.transaction():
            return await _migrated(connection, wanted)
    except (asyncpg.PostgresError, *AWAY) as error:
        raise Unavailable(f"the database can't be migrated: {error}; nothing of it was changed") from error
    finally:
        await _closed(connection)


async def _connected(url: str) -> asyncpg.Connection:
    try:
        connection = await asyncpg.connect(url, timeout=10, statement_cache_size=0)
    except (asyncpg.PostgresError, ValueError, *AWAY) as error:  # ValueError: the URL is none
        raise Unavailable(f"the database can't be reached: {error}; look at DATABASE_URL") from error
    encoding = connection.get_settings().server_encoding
    if encoding != "UTF8":
        await _closed(connection)
        raise Unavailable(f"the database's encoding is {encoding}; make one with `encoding 'UTF8' template template0`")
    return connection


async def _closed(connection: asyncpg.Connection) -> None:
    try:
        await connection.close(timeout=5)
    except AWAY:
        connection.terminate()


async def _migrated(connection: asyncpg.Connection, wanted: Sequence[Migration]) -> tuple[Migration, ...]:
    await connection.execute("set local client_min_messages = warning")
    await connection.execute(f"select pg_advisory_xact_lock({LOCK})")
    await connection.execute(_LEDGER)
    landed = {row["number"]: row["digest"] for row in await connection.fetch("select * from migration")}
    new = _outstanding(wanted, landed)
    for migration in new:
        await connection.execute(migration.sql)
        await connection.execute(
            "insert into migration (number, name, digest) values ($1, $2, $3)",
            migration.number,
            migration.name,
            migration.digest,
        )
    return new


def _outstanding(wanted: Sequence[Migration], landed: dict[int, str]) -> tuple[Migration, ...]:
    """Return what is not landed. A database of a newer release is fine: each works under the release before it."""
    changed = [one for one in wanted if one.number in landed and landed[one.number] != one.digest]
    if changed:
        raise MigrationChanged(
            f"migration {changed[0].number:04}_{changed[0].name} is not the one that this database has run; install "
            "the release that it ran with, and report it: a landed migration never changes"
        )
    last = max(landed, default=0)
    skipped = [one for one in wanted if one.number not in landed and one.number < last]
    if skipped:
        raise MigrationChanged(f"migration {skipped[0].number:04}_{skipped[0].name} was skipped by this database")
    return tuple(one for one in wanted if one.number not in landed)
