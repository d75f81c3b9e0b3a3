"""A version's states: which may follow which, and how a version is moved; and whose it is."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeGuard

from registry.catalog import audit
from registry.catalog.facets import facet
from registry.catalog.identity import agent_id_findings, fold_agent_id, refuse, text_findings
from registry.catalog.jobs import Source
from registry.catalog.judgement import Candidate, Judging, ask, keeping, load_view
from registry.catalog.namespaces import lock_agents
from registry.catalog.pointing import point_at_latest
from registry.catalog.precedence import precedence_key
from registry.catalog.reading import load_version
from registry.core.compat.versions import LIVE, parse_selector, parse_version
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
    from registry.catalog.judgement import Question, View
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
REASONED: frozenset[State] = frozenset({"deprecated", "yanked", "retired"})  # callers read why
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
    """Move a version to another state or owner under the agent's lock; a move into the live states is judged there."""
    refuse(_findings(change))
    move = _Move(fold_agent_id(agent_id), precedence_key(str(parse_version(version))), change, _required(if_match))
    judging = Judging(workers, database.reading, keeping(database.writing))
    async with database.reading() as session:
        view = await load_view(session, [move.agent_id])
        _existing(view, move, version)
        record = await load_version(session, move.agent_id, move.precedence)
    _check_match(move.if_match, record)
    state = _wanted_state(record, change)
    if _enters_life(state, record):
        # So that under the lock hardly anything is left to compare. What is judged there is what is committed.
        await judging.judge(_question(view, move, record, state), {})
    async with database.writing() as session:
        judging.inside(session)
        await lock_agents(session, [move.agent_id], datetime.now(UTC))
        return await _move(session, judging, move, version, principal)


async def _move(session: Session, judging: Judging, move: _Move, version: str, principal: Principal) -> VersionRecord:
    view = await load_view(session, [move.agent_id])
    release = _existing(view, move, version)
    record = await load_version(session, move.agent_id, move.precedence)
    _check_match(move.if_match, record)
    change = move.change
    state = _wanted_state(record, change)
    is_other_owner = change.owner is not None and (change.owner or None) != record.owner
    if state is None and not is_other_owner:
        return record
    judged = None
    if _enters_life(state, record):
        judged = await judging.judge(_question(view, move, record, state), {})
        if not judged.accepted:
            raise UpdateRefused(judged.message, judged.judgement)
    now = datetime.now(UTC)
    members = {
        "before": record.state if state else None,
        "state": state,
        "reason": change.reason,
        "replaced_by": change.replaced_by,
        "forced": list(judged.forced) or None if judged else None,
        "forced_side": judged.forced_side if judged else None,
        "owner": change.owner if is_other_owner else None,
    }
    action = "state" if state else "owner"
    event = json.dumps({name: value for name, value in members.items() if value is not None})
    row = await session.row("insert_event", action, move.agent_id, record.version, now, event)
    sequence = row["number"] if row else 0
    if state:
        await _update_state(session, move, state, judged, now, sequence)
    if is_other_owner:
        owner = change.owner or None
        listed = [facet("o", owner)] if owner else []
        await session.run("update_owner", move.agent_id, move.precedence, owner, listed, sequence)
    moved_to = replace(release, state=state or release.state)
    if judged:
        moved_to = replace(
            moved_to, forced=judged.forced, forced_side=judged.forced_side, forced_under=judged.forced_under
        )
    await point_at_latest(session, move.agent_id, {**view.releases[move.agent_id], move.precedence: moved_to}, now)
    moved = await load_version(session, move.agent_id, move.precedence)
    told = {"agent_id": move.agent_id, "version": record.version, **members}
    text = audit.audit_text(action, principal, now, told)
    await audit.append(session, [(view.namespaces[move.agent_id], text)])
    return moved


def _wanted_state(record: VersionRecord, change: StateChange) -> State | None:
    """Return the state to go to, None where it stays as it is. Raises InvalidState.

    What is deprecated can be deprecated again, for another reason or in favour of another agent.
    """
    if change.state is None or (change.state == record.state != "deprecated"):
        return None
    if change.state not in MOVES[record.state] and change.state != record.state:
        raise InvalidState(_refusal(record, change.state))
    return change.state


async def _update_state(
    session: Session, move: _Move, state: State, judged: Judged | None, now: datetime, sequence: int
) -> None:
    change = move.change
    await session.run(
        "update_state",
        move.agent_id,
        move.precedence,
        state,
        now,
        change.reason,
        change.replaced_by,
        change.sunset,
        sequence,
        json.dumps(judged.judgement) if judged else None,
        list(judged.forced) if judged else [],
        change.reason if judged and judged.forced else None,
        judged.forced_side if judged else None,
        judged.forced_under if judged else None,
    )


def _enters_life(state: State | None, record: VersionRecord) -> TypeGuard[State]:
    """Say whether a move needs judging."""
    return state in LIVE and record.state not in LIVE


def _question(view: View, move: _Move, record: VersionRecord, state: State) -> Question:
    """Ask about a version that enters the live states as if it were published now."""
    candidate = Candidate(
        source=Source(record.raw or b"", move.agent_id, record.version),
        agent_id=move.agent_id,
        version=record.version,
        precedence=move.precedence,
        card_digest=record.digests.card,
        raw_digest=record.digests.raw,
        judged_digest=view.releases[move.agent_id][move.precedence].judged_digest,
        state=state,
        allowed=move.change.allow_breaking,
    )
    return ask(view, candidate, {})


def _existing(view: View, move: _Move, version: str) -> Any:
    releases = view.releases[move.agent_id]
    if not releases:
        raise UnknownAgent(move.agent_id)
    if move.precedence not in releases:
        raise UnknownVersion(move.agent_id, version)
    return releases[move.precedence]


def _findings(change: StateChange) -> list[Finding]:
    findings = text_findings(change.reason, "reason", 2000) + _successor_findings(change.replaced_by)
    findings += text_findings(change.owner, "owner", 2000)
    if change.state is None and change.owner is None:
        findings.append(Finding("nothing-to-change", "", "name what is to change: `state`, `owner`, or both"))
    reason = (change.reason or "").strip()
    if change.state in REASONED and not reason:
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
