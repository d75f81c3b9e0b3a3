"""Judging candidates against what is published: which comparisons are wanted, which are known, which are to be made."""

from __future__ import annotations

import asyncio
import logging
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from registry.catalog.jobs import Compare, Decide, Source
from registry.catalog.namespaces import find_homes, policy_digest
from registry.catalog.precedence import precedence_key
from registry.core.compat import judging
from registry.core.compat.judging import Release
from registry.core.compat.report import POLICY_VERSION, engine_version
from registry.core.compat.versions import LIVE
from registry.core.errors import JudgingStopped, Unavailable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping
    from contextlib import AbstractAsyncContextManager

    from registry.catalog.database import Session
    from registry.catalog.jobs import Judged
    from registry.catalog.workers import Runner
    from registry.core.card.model import State
    from registry.core.compat.judging import Baseline
    from registry.core.compat.report import Policy

    Sessions = Callable[[], AbstractAsyncContextManager[Session]]

COMPARING_S = 120.0  # that all comparisons of a call may take together
_STOPS = 2  # comparisons of a card over their time or memory, after which no other is tried
_logger = logging.getLogger("registry.catalog")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A version that is to enter a state."""

    source: Source
    agent_id: str
    version: str
    precedence: str
    card_digest: str
    raw_digest: str
    judged_digest: str
    state: State
    allowed: frozenset[str]

    def release(self, judged: Judged) -> Release:
        """Return it as the release that it becomes."""
        return Release(
            version=self.version,
            state=self.state,
            card_digest=self.card_digest,
            judged_digest=self.judged_digest,
            forced=judged.forced,
            forced_side=judged.forced_side,
            forced_under=judged.forced_under,
        )


@dataclass(frozen=True, slots=True)
class View:
    """What was published at one moment, of the agents in question."""

    namespaces: Mapping[str, str]  # agent ID to namespace
    policies: Mapping[str, Policy]  # agent ID to policy
    releases: Mapping[str, Mapping[str, Release]]  # agent ID to precedence to release


@dataclass(frozen=True, slots=True)
class Question:
    """Everything that a judgement depends on: while it stays the same, so does the judgement."""

    candidate: Candidate
    namespace: str
    policy: Policy
    baselines: tuple[Baseline, ...]
    existing: Release | None


@dataclass(frozen=True, slots=True)
class StoredReport:
    """A comparison that was made, as it is stored."""

    old_digest: str
    new_digest: str
    old_version: str
    new_version: str
    policy: Policy
    engine: str
    text: str

    def row(self, now: datetime) -> tuple[object, ...]:
        """Return the arguments of ``insert_report``."""
        key = (self.old_digest, self.new_digest, self.old_version, self.new_version, policy_digest(self.policy))
        return (*key, self.policy.profile, POLICY_VERSION, self.engine, self.text, now)


@dataclass(slots=True)
class Judging:
    """The judging of one call: each comparison is a job of its own, and is kept as it comes, so that a retry goes on.

    ``keep`` stores a report; None stores nothing.
    """

    workers: Runner
    sessions: Sessions
    keep: Callable[[StoredReport], Awaitable[None]] | None = None
    _made: dict[tuple[str, str, str, str, str], str] = field(default_factory=dict)
    _until: float | None = None

    def inside(self, session: Session) -> None:
        """Go on inside a transaction."""
        self.sessions = lambda: nullcontext(session)
        self.keep = keeping(self.sessions)

    async def judge(self, question: Question, planned: Mapping[str, Candidate]) -> Judged:
        """Judge one question. ``planned`` are candidates of the same call, by precedence, that come before.

        Raises JudgingStopped when a comparison was stopped, after the others; Unavailable when all take too long.
        """
        candidate, policy = question.candidate, question.policy
        told_by = judging.compared(question.baselines, candidate.judged_digest, policy)
        digest = policy_digest(policy)
        wanted = {at: question.baselines[at] for at in sorted({at for at in told_by if at is not None})}
        keys = {at: (*_key(candidate, baseline), digest) for at, baseline in wanted.items()}
        missing = [at for at, key in keys.items() if key not in self._made]
        if missing:
            await self._look_up(candidate, [wanted[at] for at in missing], digest)
        stopped: list[JudgingStopped] = []
        for at in missing:
            if keys[at] in self._made:
                continue
            try:
                await self._compare(question, wanted[at], keys[at], planned)
            except JudgingStopped as error:
                stopped.append(error)
                if len(stopped) == _STOPS:
                    break
        if stopped:
            raise stopped[0]
        reports = {at: self._made[key] for at, key in keys.items()}
        judged: Judged = await self.workers.run(
            Decide(
                version=candidate.version,
                card_digest=candidate.card_digest,
                baselines=question.baselines,
                told_by=told_by,
                reports=reports,
                policy=policy,
                allowed=candidate.allowed,
                state=candidate.state,
            )
        )
        return judged

    async def _compare(
        self,
        question: Question,
        baseline: Baseline,
        key: tuple[str, str, str, str, str],
        planned: Mapping[str, Candidate],
    ) -> None:
        """Make one comparison and keep its report."""
        now = asyncio.get_running_loop().time()
        self._until = self._until or now + COMPARING_S
        if now > self._until:
            raise Unavailable(
                f"comparing with the versions that are there takes over {COMPARING_S:g} s; publish it again, "
                "which goes on where this has ended"
            )
        this, other = question.candidate.source, await self._source(question.candidate.agent_id, baseline, planned)
        old, new = (this, other) if baseline.direction == "above" else (other, this)
        text = await compared(self.workers, old, new, question.policy)
        self._made[key] = text
        if self.keep:
            await self.keep(StoredReport(*key[:4], question.policy, self._engine, text))

    @property
    def _engine(self) -> str:
        return engine_version(second_prover=self.workers.second_prover)

    async def _look_up(self, candidate: Candidate, baselines: Iterable[Baseline], digest: str) -> None:
        partners = [baseline.release.card_digest for baseline in baselines]
        async with self.sessions() as session:
            rows = await session.rows(
                "reports", candidate.card_digest, candidate.version, partners, digest, self._engine
            )
        for row in rows:
            key = (row["old_digest"], row["new_digest"], row["old_version"], row["new_version"], digest)
            self._made[key] = row["report"]

    async def _source(self, agent_id: str, baseline: Baseline, planned: Mapping[str, Candidate]) -> Source:
        """Return the card to compare with."""
        key = precedence_key(baseline.release.version)
        if key in planned:
            return planned[key].source
        async with self.sessions() as session:
            (row,) = await session.rows("sources", agent_id, [key])
        return Source(row["raw"], agent_id, row["version"])


async def compared(workers: Runner, old: Source, new: Source, policy: Policy) -> str:
    """Compare two cards; where a value refutes a proof, the log says so: the report counts the value."""
    text: str
    text, faults = await workers.run(Compare(old, new, policy, workers.second_prover))
    if faults:
        members = {"agent_id": old.agent_id, "versions": [old.version, new.version], "faults": faults}
        _logger.error("a checked value refutes a proof", extra={"members": members})
    return text


def keeping(sessions: Sessions) -> Callable[[StoredReport], Awaitable[None]]:
    """Return what stores each report in a session of its own: a short transaction, or the one that there is."""

    async def keep(report: StoredReport) -> None:
        async with sessions() as session:
            await session.run("insert_report", *report.row(datetime.now(UTC)))

    return keep


def ask(view: View, candidate: Candidate, planned: Mapping[str, Release]) -> Question:
    """Return what is to be judged: nothing, for a state that is not live."""
    agent_id = candidate.agent_id
    published = view.releases.get(agent_id, {})
    history = [*published.values(), *planned.values()]
    baselines = judging.baselines(history, candidate.version) if candidate.state in LIVE else ()
    existing = published.get(candidate.precedence)
    return Question(candidate, view.namespaces[agent_id], view.policies[agent_id], baselines, existing)


async def load_view(session: Session, agent_ids: Iterable[str]) -> View:
    """Read what is published of some agents, and how their namespaces judge."""
    wanted = sorted(set(agent_ids))
    homes, policies = await find_homes(session, wanted)
    releases: dict[str, dict[str, Release]] = {agent_id: {} for agent_id in wanted}
    for row in await session.rows("histories", wanted):
        releases[row["agent_id"]][row["precedence"]] = release_from(row)
    return View(homes, policies, releases)


def release_from(row: Any) -> Release:
    """Return a row's cheap columns as a release."""
    return Release(
        version=str(row["version"]),
        state=row["state"],  # the constraint version_state_is_known holds it
        card_digest=str(row["card_digest"]),
        judged_digest=str(row["judged_digest"]),
        forced=tuple(row["forced"]),
        forced_side=row["forced_side"],  # the constraint version_forced_side_is_known holds it
        forced_under=row["forced_under"],
        published_at=row["published_at"],
    )


def _key(candidate: Candidate, baseline: Baseline) -> tuple[str, str, str, str]:
    """Return old and new digest, old and new version of a comparison, which goes upwards in precedence."""
    other = baseline.release
    if baseline.direction == "above":
        return (candidate.card_digest, other.card_digest, candidate.version, other.version)
    return (other.card_digest, candidate.card_digest, other.version, candidate.version)
