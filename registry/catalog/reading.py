"""Looking up: versions by selectors, histories, agents and lists."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from registry.catalog.cursors import decode_cursor, encode_cursor, invalid_cursor
from registry.catalog.facets import wanted_facets, wanted_words
from registry.catalog.identity import fold_agent_id
from registry.catalog.judgement import load_view
from registry.catalog.precedence import precedence_key
from registry.catalog.records import AgentSummary, Page, VersionRecord
from registry.core.card.model import Digests
from registry.core.compat.versions import Version, line, line_name, parse_selector, select
from registry.core.errors import UnknownAgent, UnknownVersion

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from registry.catalog.database import Session
    from registry.catalog.records import AgentQuery
    from registry.core.compat.judging import Release

MAX_NAMED = 5


def record_etag(card_digest: str, revision: int) -> str:
    """Return a record's tag: over what it holds that never changes, and how often its state did."""
    return hashlib.sha256(f"{card_digest} {revision}".encode()).hexdigest()[:32]


def record_from(row: Any, newer_behind_break: str | None = None) -> VersionRecord:
    """Return a row of ``one_version`` or ``history`` as a record."""
    return VersionRecord(
        agent_id=row["agent_id"],
        version=row["version"],
        state=row["state"],
        kind=row["kind"],
        namespace=row["namespace"],
        name=row["name"],
        description=row["description"],
        owner=row["owner"],
        tags=tuple(row["tags"]),
        digests=Digests(row["raw_digest"], row["card_digest"], row["contract_digest"]),
        size_bytes=row["size_bytes"],
        published_at=row["published_at"],
        published_by=row["published_by"],
        commit=row["source_commit"],
        forced=tuple(row["forced"]),
        forced_reason=row["forced_reason"],
        prerelease="-" in row["version"].partition("+")[0],
        findings=tuple(json.loads(row["findings"])),
        judgement=json.loads(row["judgement"]),
        etag=record_etag(row["card_digest"], row["state_revision"]),
        sequence=row["sequence"],
        state_changed_at=row["state_changed_at"],
        state_reason=row["state_reason"],
        replaced_by=row["replaced_by"],
        sunset=row["sunset"],
        newer_behind_break=newer_behind_break,
        raw=row["raw"],
        forced_side=row["forced_side"],
        forced_under=row["forced_under"],
    )


async def load_version(session: Session, agent_id: str, precedence: str) -> VersionRecord:
    """Return a version that is known to be there."""
    row = await session.row("one_version", agent_id, precedence)
    if row is None:
        raise UnknownVersion(agent_id, precedence)
    return record_from(row)


async def releases_of(session: Session, agent_id: str) -> Mapping[str, Release]:
    """Return an agent's releases by precedence key. Raises UnknownAgent."""
    view = await load_view(session, [agent_id])
    releases = view.releases[agent_id]
    if not releases:
        raise UnknownAgent(agent_id)
    return releases


async def find_version(session: Session, agent_id: str, selector: str, *, accept_forced: bool = False) -> VersionRecord:
    """Return what a selector selects. Raises InvalidRequest, UnknownAgent, UnknownVersion."""
    wanted = parse_selector(selector)
    folded = fold_agent_id(agent_id)
    releases = await releases_of(session, folded)
    selection = select(wanted, list(releases.values()), accept_forced=accept_forced)
    if selection.release is None:
        raise UnknownVersion(folded, selector, _hint(wanted.kind, releases))
    row = await session.row("one_version", folded, precedence_key(selection.release.version))
    if row is None:
        raise UnknownVersion(folded, selector)
    return record_from(row, selection.newer_behind_break)


def _hint(kind: str, releases: Mapping[str, Release]) -> str:
    if kind == "channel":
        return "it names no version, and this registry has no channels"
    highest = [releases[key].version for key in sorted(releases, reverse=True)[:MAX_NAMED]]
    more = ", ..." if len(releases) > MAX_NAMED else ""
    return f"it has {', '.join(highest)}{more}"


async def find_history(session: Session, agent_id: str, limit: int, cursor: str | None) -> Page[VersionRecord]:
    """Return a page of an agent's versions, highest first. Raises UnknownAgent, InvalidRequest."""
    folded = fold_agent_id(agent_id)
    binding = {"history": folded}
    after = decode_cursor(cursor, binding, 1)[0] if cursor else None
    rows = await session.rows("history", folded, after, limit + 1)
    if not rows and await session.row("one_agent", folded) is None:
        raise UnknownAgent(folded)
    items = tuple(record_from(row) for row in rows[:limit])
    following = encode_cursor(binding, [rows[limit - 1]["precedence"]]) if len(rows) > limit else None
    return Page(items, following)


async def find_agents(session: Session, query: AgentQuery) -> Page[AgentSummary]:
    """Return a page of agents, last changed first. Raises InvalidRequest."""
    binding = _binding(query)
    updated_at, agent_id = _after(query.cursor, binding)
    words = wanted_words(query.q)
    if words == "":
        return Page((), None)
    rows = await session.rows(
        "list_agents", wanted_facets(query), words, query.updated_since, updated_at, agent_id, query.limit + 1
    )
    items = tuple(_summary(row) for row in rows[: query.limit])
    last = rows[query.limit - 1] if len(rows) > query.limit else None
    following = encode_cursor(binding, [last["updated_at"].isoformat(), last["agent_id"]]) if last else None
    return Page(items, following)


def _binding(query: AgentQuery) -> dict[str, Any]:
    names = [name for name in query.__slots__ if name not in ("cursor", "limit")]
    return {name: str(value) for name in names if (value := getattr(query, name)) not in (None, ())}


def _after(cursor: str | None, binding: Mapping[str, Any]) -> tuple[datetime | None, str | None]:
    if not cursor:
        return None, None
    moment, agent_id = decode_cursor(cursor, binding, 2)
    try:
        return datetime.fromisoformat(moment).astimezone(UTC), agent_id
    except (ValueError, OverflowError):  # made up: we wrote a time
        raise invalid_cursor() from None


async def find_agent(session: Session, agent_id: str) -> AgentSummary:
    """Return one agent with its majors and states. Raises UnknownAgent."""
    folded = fold_agent_id(agent_id)
    row = await session.row("one_agent", folded)
    if row is None:
        raise UnknownAgent(folded)
    releases = list((await releases_of(session, folded)).values())
    states: dict[Any, int] = {}
    for release in releases:
        states[release.state] = states.get(release.state, 0) + 1
    return _summary(row, majors=_majors(releases), states=states)


def _majors(releases: Sequence[Release]) -> dict[str, str]:
    """Return what each major selects, highest first."""
    names = {line_name(found): found for found in {line(Version.parse(each.version)) for each in releases}}
    found = {}
    for name in sorted(names, key=names.__getitem__, reverse=True):
        selected = select(parse_selector(name), releases).release
        if selected is not None:
            found[name] = selected.version
    return found


def _summary(
    row: Any, majors: Mapping[str, str] | None = None, states: Mapping[Any, int] | None = None
) -> AgentSummary:
    return AgentSummary(
        agent_id=row["agent_id"],
        namespace=row["namespace"],
        name=row["name"],
        description=row["description"],
        owner=row["owner"],
        tags=tuple(row["tags"]),
        kind=row["kind"],
        version=row["version"],
        state=row["state"],
        latest=row["latest"],
        version_count=row["version_count"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        majors=majors or {},
        states=states or {},
    )
