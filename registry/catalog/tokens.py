"""Tokens: 256 random bits, shown once; the registry keeps their SHA-256."""

from __future__ import annotations

import hashlib
import secrets
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from registry.catalog.records import Principal
from registry.core.errors import Finding, InvalidRequest, Unauthenticated

if TYPE_CHECKING:
    from registry.catalog.database import Database

LOCK = 7_314_002  # any number but the migrations'
MIN_LENGTH = 20
FIRST, GIVEN = "admin", "admin-from-environment"


async def authenticate(database: Database, token: str) -> Principal:
    """Tell whose token it is. Raises Unauthenticated."""
    async with database.reading() as session:
        row = await session.row("token_by_hash", _hash(token))
    if row is None:
        raise Unauthenticated(
            "nobody knows this token; the first start of `cards serve` shows one, CARDS_ADMIN_TOKEN sets one"
        )
    return Principal(row["name"].removesuffix("-from-environment"), row["role"])


async def ensure_admin_token(database: Database, given: str | None) -> str | None:
    """Make sure that an admin token exists: the given one, or else a new one, which is returned this once."""
    if given is not None and len(given) < MIN_LENGTH:
        message = f"CARDS_ADMIN_TOKEN is shorter than {MIN_LENGTH} characters; `openssl rand -hex 32` makes a good one"
        raise InvalidRequest([Finding("token-too-short", "/admin_token", message)])
    now = datetime.now(UTC)
    async with database.writing() as session:
        await session.run("lock_tokens", LOCK)
        if given is not None:
            await session.run("delete_other_tokens", GIVEN, _hash(given))
            await session.run("insert_token", _hash(given), GIVEN, "admin", now)
            return None
        row = await session.row("count_admin_tokens")
        if row is not None and row["admin_tokens"]:
            return None
        made = "cards_" + secrets.token_urlsafe(32)
        await session.run("insert_token", _hash(made), FIRST, "admin", now)
    return made


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()
