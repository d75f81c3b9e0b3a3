"""A version's states: which may follow which, and how a version is moved."""

from __future__ import annotations

import json
import re
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from registry.catalog import audit
from registry.catalog.identity import agent_id_findings, fold_agent_id, refuse, text_findings
from registry.catalog.jobs import Source
from registry.catalog.judgement import LIVE, Candidate, Judging, ask, load_view
from registry.catalog.namespaces import lock_agents
from registry.catalog.pointing import point_at_latest
from registry.catalog.precedence import precedence_key
from registry.catalog.reading import load_version
from registry.core.compat.versions import parse_selector, parse_version
from registry.core.errors import (
    Finding,
    InvalidRequest,
    InvalidState,
    PreconditionFailed,
    PreconditionRequired,
    UnknownAgent,
    UnknownVersion,
    UpdateRefused,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from registry.catalog.database import Database, Session
    from registry.catalog.jobs import Judged
    from registry.catalog.judgement import View
    from registry.catalog.records import Principal, StateChange, VersionRecord
    from registry.catalog.workers import Runner
    from registry.core.card.model import State

# There is no way back from yanked, and none into a draft: others may have seen it.
MOVES: Mapping[State, frozenset[State]] = {
    "draft": frozenset({"staging", "production", "retired", "yanked"}),
    "staging": frozenset({"production", "deprecated", "retired", "yanked"}),
    "production": frozenset({"deprecated", "retired", "yanked"}),
    "deprecated": frozenset({"production", "retired", "yanked"}),
    "retired": frozenset({"yanked"}),
    "yanked": frozenset(),
}
_TAG = re.compile(r'(W/)?"([^"]*)"')


@dataclass(frozen=True, slots=True)
class _Move:
    """One move that was asked for."""

    agent_id: str
    precedence: str
    change: StateChange
    if_match: str


async def change_state(
    database: Database,
    workers: Runner,
    agent_id: str,
    version: str,
    change: StateChange,
    if_match: str | None,
    principal: Principal,
) -> VersionRecord:
    """Move a version to another state, under the agent's lock; a move into the live states is judged there."""
    refuse(_findings(change))
    move = _Move(fold_agent_id(agent_id), precedence_key(str(parse_version(version))), change, _required(if_match))
    async with database.reading() as session:
        view = await load_view(session, [move.agent_id])
    _existing(view, move, version)
    async with database.writing() as session:
        # Judged while the lock is held: moves are rare, and what is judged is what is committed.
        await lock_agents(session, [move.agent_id], datetime.now(UTC))
        return await _move(session, workers, move, version, principal)


async def _move(session: Session, workers: Runner, move: _Move, version: str, principal: Principal) -> VersionRecord:
    view = await load_view(session, [move.agent_id])
    release = _existing(view, move, version)
    record = await load_version(session, move.agent_id, move.precedence)
    _check_match(move.if_match, record)
    change = move.change
    if change.state == record.state:
        if change.state != "deprecated":
            return record
    elif change.state not in MOVES[record.state]:
        raise InvalidState(_refusal(record, change.state))
    judged = None
    if record.state not in LIVE and change.state in LIVE:
        judged = await _judge(session, workers, view, move, record)
    now = datetime.now(UTC)
    forced = judged.forced if judged else ()
    event = {"state": change.state, "before": record.state, "forced": list(forced)}
    row = await session.row("insert_event", "state", move.agent_id, record.version, now, json.dumps(event))
    await session.run(
        "update_state",
        move.agent_id,
        move.precedence,
        change.state,
        now,
        change.reason,
        change.replaced_by,
        change.sunset,
        row["number"] if row else 0,
        json.dumps(judged.judgement) if judged else None,
        list(forced),
        change.reason if forced else None,
        judged.forced_side if judged else None,
        judged.forced_under if judged else None,
    )
    moved_to = replace(release, state=change.state)
    if judged:
        moved_to = replace(moved_to, forced=forced, forced_side=judged.forced_side, forced_under=judged.forced_under)
    releases = {**view.releases[move.agent_id], move.precedence: moved_to}
    await point_at_latest(session, move.agent_id, releases, now)
    members = {
        "agent_id": move.agent_id,
        "version": record.version,
        "state": change.state,
        "before": record.state,
        "reason": change.reason,
        "replaced_by": change.replaced_by,
        "forced": list(forced) or None,
        "forced_side": judged.forced_side if judged else None,
    }
    text = audit.audit_text("state", principal, now, members)
    moved = await load_version(session, move.agent_id, move.precedence)
    await audit.append(session, [(view.namespaces[move.agent_id], text)])
    return moved


async def _judge(session: Session, workers: Runner, view: View, move: _Move, record: VersionRecord) -> Judged:
    """Judge a version that enters the live states as if it were published now. Raises UpdateRefused."""
    judging = Judging(workers, lambda: nullcontext(session))
    candidate = Candidate(
        source=Source(record.raw or b"", move.agent_id, record.version),
        agent_id=move.agent_id,
        version=record.version,
        precedence=move.precedence,
        card_digest=record.digests.card,
        raw_digest=record.digests.raw,
        judged_digest=view.releases[move.agent_id][move.precedence].judged_digest,
        state=move.change.state,
        allowed=move.change.allow_breaking,
    )
    judged, reports = await judging.judge(ask(view, candidate, {}), {})
    if not judged.accepted:
        raise UpdateRefused(judged.message, judged.judgement)
    now = datetime.now(UTC)
    await session.run_many("insert_report", [report.row(now) for report in reports])
    return judged


def _existing(view: View, move: _Move, version: str) -> Any:
    releases = view.releases[move.agent_id]
    if not releases:
        raise UnknownAgent(move.agent_id)
    if move.precedence not in releases:
        raise UnknownVersion(move.agent_id, version)
    return releases[move.precedence]


def _findings(change: StateChange) -> list[Finding]:
    findings = text_findings(change.reason, "reason", 2000) + _successor_findings(change.replaced_by)
    reason = (change.reason or "").strip()
    if change.state in ("deprecated", "yanked", "retired") and not reason:
        message = f"say why it is {change.state}; callers read it (`reason`)"
        findings.append(Finding("reason-missing", "/reason", message))
    elif change.allow_breaking and not reason:
        message = "letting breaking changes through needs a reason; it is kept for ever (`reason`)"
        findings.append(Finding("reason-missing", "/reason", message))
    if change.state != "deprecated" and (change.replaced_by or change.sunset):
        message = "`replaced_by` and `sunset` belong to the state `deprecated`"
        findings.append(Finding("not-deprecated", "/state", message))
    if change.sunset is not None and change.sunset.tzinfo is None:
        findings.append(Finding("not-a-time", "/sunset", "`sunset` needs its time zone, as in 2027-06-30T00:00:00Z"))
    return findings


def _successor_findings(replaced_by: str | None) -> list[Finding]:
    """Say what is wrong with ``agent`` or ``agent@selector``: callers are sent there."""
    if not replaced_by:
        return []
    agent_id, at, selector = replaced_by.partition("@")
    findings = agent_id_findings(fold_agent_id(agent_id), "/replaced_by")
    try:
        parse_selector(selector if at else "latest", "/replaced_by")
    except InvalidRequest as error:
        findings += error.findings
    return findings


def _required(if_match: str | None) -> str:
    if if_match is None or not if_match.strip():
        raise PreconditionRequired("send If-Match with the record's ETag, so that nobody's change is lost")
    return if_match


def _check_match(if_match: str, record: VersionRecord) -> None:
    """Compare strongly (RFC 9110 13.1.1): a weak tag never matches."""
    if if_match.strip() == "*":
        return
    tags = {match[2] for match in _TAG.finditer(if_match) if not match[1]}
    if record.etag not in tags:
        message = f"{record.agent_id} {record.version} changed meanwhile (it is {record.state}); read it again"
        raise PreconditionFailed(message)


def _refusal(record: VersionRecord, wanted: State) -> str:
    moves = ", ".join(sorted(MOVES[record.state]))
    can = f"it can go to: {moves}" if moves else "that is final; publish a new version"
    return f"{record.agent_id} {record.version} is {record.state} and can't become {wanted}; {can}"
