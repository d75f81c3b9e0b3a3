"""What an agent's row and search row point at: recomputed at every change, under the agent's lock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from registry.core.compat.versions import parse_selector, select

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from registry.catalog.database import Session
    from registry.core.compat.judging import Release

LATEST = parse_selector("latest")


async def point_at_latest(session: Session, agent_id: str, releases: Mapping[str, Release], now: datetime) -> None:
    """Point an agent at what ``latest`` selects, and its search row at that or else the highest version.

    ``releases`` are all of the agent's, by precedence key. Call it under the agent's lock, after the version's row
    was written.
    """
    latest = select(LATEST, list(releases.values())).release
    represents = max(releases) if latest is None else next(key for key, each in releases.items() if each is latest)
    await session.run("update_agent", agent_id, latest.version if latest else None, len(releases), now)
    await session.run("upsert_search", agent_id, represents, now)
