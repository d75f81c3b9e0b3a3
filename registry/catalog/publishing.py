"""One publish, in a straight line: read, judge, then one short transaction."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from registry.catalog import audit
from registry.catalog.conflicts import find_conflict, refuse_together
from registry.catalog.database import Meanwhile
from registry.catalog.identity import agent_id_findings, fold_agent_id, refuse, text_findings, version_findings
from registry.catalog.jobs import ReadFacts, Source
from registry.catalog.judgement import Candidate, Judging, ask, keeping, load_view
from registry.catalog.namespaces import lock_agents
from registry.catalog.pointing import point_at_latest
from registry.catalog.precedence import precedence_key
from registry.catalog.reading import load_version, record_etag
from registry.catalog.records import Publication, VersionRecord
from registry.core.errors import Finding, InvalidCard, InvalidRequest, Unavailable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from registry.catalog.database import Database, Session
    from registry.catalog.jobs import Facts, Judged
    from registry.catalog.judgement import Question, View
    from registry.catalog.records import Outcome, Principal, Submission
    from registry.catalog.workers import Runner
    from registry.core.compat.judging import Release
    from registry.core.errors import VersionTaken

ROUNDS = 3
_STARTING_STATES = ("draft", "staging", "production", "deprecated", "retired")


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A submission that was read."""

    position: int
    submission: Submission
    facts: Facts
    candidate: Candidate


@dataclass(frozen=True, slots=True)
class _Decision:
    """What is to become of a submission; ``judged`` is None when its version is there already."""

    prepared: _Prepared
    question: Question
    judged: Judged | None


async def publish(
    database: Database, workers: Runner, submissions: Sequence[Submission], principal: Principal
) -> tuple[Publication, ...]:
    """Publish cards, all or none."""
    prepared = await prepare(workers, submissions)
    agent_ids = [one.candidate.agent_id for one in prepared]
    judging = Judging(workers, database.reading, keeping(database.writing))
    for _ in range(ROUNDS):
        async with database.reading() as session:
            view = await load_view(session, agent_ids)
        decisions = await _decide(judging, view, prepared)
        try:
            async with database.writing() as session:
                locked = await _lock(session, prepared, decisions)
                _check_still_hold(locked, decisions)
                return await _write(session, locked, decisions, principal)
        except Meanwhile:
            continue  # what was locked is let go; nothing was written
    # Others came in between each time: judge while they wait.
    try:
        async with database.writing() as session:
            judging.inside(session)
            locked = await _lock(session, prepared, None)
            return await _write(session, locked, await _decide(judging, locked, prepared), principal)
    except Meanwhile as error:
        raise Unavailable("others publish the same agents at the same moment; try again") from error


async def check(database: Database, workers: Runner, submissions: Sequence[Submission]) -> tuple[Publication, ...]:
    """Judge as ``publish`` would, and store nothing."""
    prepared = await prepare(workers, submissions)
    async with database.reading() as session:
        view = await load_view(session, [one.candidate.agent_id for one in prepared])
    decisions = await _decide(Judging(workers, database.reading), view, prepared)
    async with database.reading() as session:
        publications = [
            (decision.prepared.position, await _unwritten(session, decision, view)) for decision in decisions
        ]
    return tuple(publication for _, publication in sorted(publications, key=lambda pair: pair[0]))


async def prepare(workers: Runner, submissions: Sequence[Submission]) -> tuple[_Prepared, ...]:
    """Read every card in a worker and check what the call says of it; all findings at once."""
    if not submissions:
        raise InvalidRequest([Finding("no-cards", "", "the call holds no card")])
    several = len(submissions) > 1
    findings: list[Finding] = []
    for position, submission in enumerate(submissions):
        findings += _placed(_call_findings(submission), position, several=several)
    refuse(findings)
    outcomes = await asyncio.gather(
        *(workers.run(ReadFacts(_source(submission))) for submission in submissions), return_exceptions=True
    )
    prepared = []
    for position, (submission, outcome) in enumerate(zip(submissions, outcomes, strict=True)):
        if isinstance(outcome, InvalidCard) and several:
            findings += _placed(outcome.findings, position, several=several)
        elif isinstance(outcome, BaseException):
            raise outcome
        else:
            findings += _placed(_fact_findings(outcome), position, several=several)
            prepared.append(_prepared(position, submission, outcome))
    if findings:
        raise InvalidCard(findings)
    _refuse_twins(prepared)
    return tuple(sorted(prepared, key=lambda one: (one.candidate.agent_id, one.candidate.precedence)))


def _source(submission: Submission) -> Source:
    agent_id = None if submission.agent_id is None else fold_agent_id(submission.agent_id)
    return Source(submission.raw, agent_id, submission.version)


def _call_findings(submission: Submission) -> list[Finding]:
    findings = text_findings(submission.reason, "reason", 2000) + text_findings(submission.commit, "commit", 200)
    if submission.agent_id is not None:
        findings += agent_id_findings(fold_agent_id(submission.agent_id), "/agent_id")
    if submission.version is not None:
        findings += version_findings(submission.version, "/version")
    if submission.allow_breaking and not (submission.reason or "").strip():
        message = "letting breaking changes through needs a reason; it is kept for ever (`reason`)"
        findings.append(Finding("reason-missing", "/reason", message))
    if submission.state is not None and submission.state not in _STARTING_STATES:
        message = f"a version starts as one of {', '.join(_STARTING_STATES)}"
        findings.append(Finding("invalid-state", "/state", message))
    return findings


def _fact_findings(facts: Facts) -> list[Finding]:
    return agent_id_findings(facts.agent_id, "/agent_id") + version_findings(facts.version, "/version")


def _placed(findings: Sequence[Finding], position: int, *, several: bool) -> list[Finding]:
    """Say which card a finding is of, where there are several."""
    if not several:
        return list(findings)
    return [replace(finding, pointer=f"/cards/{position}{finding.pointer}") for finding in findings]


def _prepared(position: int, submission: Submission, facts: Facts) -> _Prepared:
    candidate = Candidate(
        source=Source(submission.raw, facts.agent_id, facts.version),
        agent_id=facts.agent_id,
        version=facts.version,
        precedence=precedence_key(facts.version),
        card_digest=facts.digests.card,
        raw_digest=facts.digests.raw,
        judged_digest=facts.judged_digest,
        state=submission.state or facts.status,
        allowed=submission.allow_breaking,
    )
    return _Prepared(position, submission, facts, candidate)


def _refuse_twins(prepared: Sequence[_Prepared]) -> None:
    seen: dict[tuple[str, str], int] = {}
    findings = []
    for one in prepared:
        first = seen.setdefault((one.candidate.agent_id, one.candidate.precedence), one.position)
        if first != one.position:
            message = f"{one.candidate.agent_id} {one.candidate.version} is card {first} of this call too; send it once"
            findings.append(Finding("version-twice", f"/cards/{one.position}", message))
    refuse(findings)


async def _decide(judging: Judging, view: View, prepared: Sequence[_Prepared]) -> list[_Decision]:
    """Decide each submission in the order of versions, so that later ones of one call are judged by earlier ones too.

    Raises UpdateRefused or VersionTaken, with all that are refused or taken.
    """
    decisions: list[_Decision] = []
    refused: list[tuple[Candidate, Judged]] = []
    taken: list[VersionTaken] = []
    planned = _Planned()
    for one in prepared:
        question = ask(view, one.candidate, planned.releases(one.candidate.agent_id))
        if question.existing:
            conflict = await find_conflict(judging, one.candidate, one.facts.owner, question.existing)
            taken += [conflict] if conflict else []
            decisions.append(_Decision(one, question, None))
            continue
        judged = await judging.judge(question, planned.candidates(one.candidate.agent_id))
        if judged.accepted:
            decisions.append(_Decision(one, question, judged))
            planned.add(one.candidate, judged)
        else:
            refused.append((one.candidate, judged))
    refuse_together(refused, taken, several=len(prepared) > 1)
    return decisions


class _Planned:
    """Versions of this call that are accepted so far, by agent and precedence."""

    def __init__(self) -> None:
        self._candidates: dict[str, dict[str, Candidate]] = {}
        self._releases: dict[str, dict[str, Release]] = {}

    def add(self, candidate: Candidate, judged: Judged) -> None:
        self._candidates.setdefault(candidate.agent_id, {})[candidate.precedence] = candidate
        self._releases.setdefault(candidate.agent_id, {})[candidate.precedence] = candidate.release(judged)

    def candidates(self, agent_id: str) -> Mapping[str, Candidate]:
        return self._candidates.get(agent_id, {})

    def releases(self, agent_id: str) -> Mapping[str, Release]:
        return self._releases.get(agent_id, {})


async def _lock(session: Session, prepared: Sequence[_Prepared], decisions: Sequence[_Decision] | None) -> View:
    """Make or lock what will be written."""
    wanted = [one.prepared for one in decisions if one.judged] if decisions is not None else prepared
    await lock_agents(session, {one.candidate.agent_id for one in wanted}, datetime.now(UTC))
    return await load_view(session, [one.candidate.agent_id for one in prepared])


def _check_still_hold(view: View, decisions: Sequence[_Decision]) -> None:
    """Raise Meanwhile unless every question is still the one that was answered."""
    planned = _Planned()
    for decision in decisions:
        candidate = decision.prepared.candidate
        if ask(view, candidate, planned.releases(candidate.agent_id)) != decision.question:
            raise Meanwhile
        if decision.judged:
            planned.add(candidate, decision.judged)


async def _write(
    session: Session, view: View, decisions: Sequence[_Decision], principal: Principal
) -> tuple[Publication, ...]:
    now = _after_all(view, datetime.now(UTC))
    created = [(decision, decision.judged) for decision in decisions if decision.judged]
    releases = {agent_id: dict(found) for agent_id, found in view.releases.items()}
    entries = []
    for decision, judged in created:
        candidate = decision.prepared.candidate
        await _insert(session, decision, judged, principal, now)
        releases[candidate.agent_id][candidate.precedence] = replace(candidate.release(judged), published_at=now)
        entries.append((decision.question.namespace, _audit_text(decision, judged, principal, now)))
    for agent_id in sorted({decision.prepared.candidate.agent_id for decision, _ in created}):
        await point_at_latest(session, agent_id, releases[agent_id], now)
    publications = {}
    for decision in decisions:
        candidate = decision.prepared.candidate
        record = await load_version(session, candidate.agent_id, candidate.precedence)
        outcome: Outcome = "created" if decision.judged else "unchanged"
        publications[decision.prepared.position] = Publication(outcome, record, record.judgement)
    await audit.append(session, entries)
    return tuple(publications[position] for position in sorted(publications))


def _after_all(view: View, now: datetime) -> datetime:
    """Return a time after that of every version there: clocks differ, and by a digest the first version is found."""
    times = [each.published_at for found in view.releases.values() for each in found.values() if each.published_at]
    return max([now, *(each + timedelta(microseconds=1) for each in times)])


async def _insert(session: Session, decision: _Decision, judged: Judged, principal: Principal, now: datetime) -> None:
    candidate, facts = decision.prepared.candidate, decision.prepared.facts
    event = {"state": candidate.state, "card_digest": candidate.card_digest, "forced": list(judged.forced)}
    row = await session.row("insert_event", "published", candidate.agent_id, candidate.version, now, json.dumps(event))
    await session.run(
        "insert_version",
        candidate.agent_id,
        candidate.precedence,
        candidate.version,
        candidate.state,
        now,
        row["number"] if row else 0,
        facts.kind,
        facts.name,
        facts.description,
        facts.owner,
        list(facts.tags),
        candidate.source.raw,
        candidate.raw_digest,
        candidate.card_digest,
        facts.digests.contract,
        candidate.judged_digest,
        list(facts.facets),
        facts.words,
        json.dumps(facts.findings),
        json.dumps(judged.judgement),
        list(judged.forced),
        judged.forced_side,
        judged.forced_under,
        decision.prepared.submission.reason if judged.forced else None,
        decision.prepared.submission.commit,
        principal.name,
    )


def _audit_text(decision: _Decision, judged: Judged, principal: Principal, now: datetime) -> str:
    candidate = decision.prepared.candidate
    members: dict[str, Any] = {
        "agent_id": candidate.agent_id,
        "version": candidate.version,
        "state": candidate.state,
        "raw_digest": candidate.raw_digest,
        "card_digest": candidate.card_digest,
        "contract_digest": decision.prepared.facts.digests.contract,
        "commit": decision.prepared.submission.commit,
        "forced": list(judged.forced) or None,
        "forced_side": judged.forced_side,
        "reason": decision.prepared.submission.reason if judged.forced else None,
    }
    return audit.audit_text("publish", principal, now, members)


async def _unwritten(session: Session, decision: _Decision, view: View) -> Publication:
    """Return what a publish would answer."""
    candidate, facts = decision.prepared.candidate, decision.prepared.facts
    if decision.judged is None:
        record = await load_version(session, candidate.agent_id, candidate.precedence)
        return Publication("unchanged", record, record.judgement)
    now = datetime.now(UTC)
    record = VersionRecord(
        agent_id=candidate.agent_id,
        version=candidate.version,
        state=candidate.state,
        kind=facts.kind,
        namespace=view.namespaces[candidate.agent_id],
        name=facts.name,
        description=facts.description,
        owner=facts.owner,
        tags=facts.tags,
        digests=facts.digests,
        size_bytes=len(candidate.source.raw),
        published_at=now,
        published_by="",
        commit=decision.prepared.submission.commit,
        forced=decision.judged.forced,
        forced_reason=decision.prepared.submission.reason if decision.judged.forced else None,
        prerelease="-" in candidate.version.partition("+")[0],
        findings=facts.findings,
        judgement=decision.judged.judgement,
        etag=record_etag(candidate.card_digest, 1),
        sequence=0,
        state_changed_at=now,
        forced_side=decision.judged.forced_side,
        forced_under=decision.judged.forced_under,
    )
    return Publication("would_create", record, decision.judged.judgement)
