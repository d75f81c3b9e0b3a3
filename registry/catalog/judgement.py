"""Judging candidates against what is published: which comparisons are wanted, which are known, which are to be made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from registry.catalog.jobs import Judge, Pair, Source
from registry.catalog.namespaces import find_homes, policy_digest
from registry.catalog.precedence import precedence_key
from registry.core.compat import judging
from registry.core.compat.judging import Release
from registry.core.compat.report import ENGINE_VERSION, POLICY_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager
    from datetime import datetime

    from registry.catalog.database import Session
    from registry.catalog.jobs import Judged
    from registry.catalog.workers import Runner
    from registry.core.card.model import State
    from registry.core.compat.judging import Baseline
    from registry.core.compat.report import Policy

    Sessions = Callable[[], AbstractAsyncContextManager[Session]]

LIVE: frozenset[State] = frozenset({"staging", "production", "deprecated"})


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
    text: str

    def row(self, now: datetime) -> tuple[object, ...]:
        """Return the arguments of ``insert_report``."""
        key = (self.old_digest, self.new_digest, self.old_version, self.new_version, policy_digest(self.policy))
        return (*key, self.policy.profile, POLICY_VERSION, ENGINE_VERSION, self.text, now)


@dataclass(slots=True)
class Judging:
    """The judging of one call: comparisons that it made are kept over its rounds."""

    workers: Runner
    sessions: Sessions
    _made: dict[tuple[str, str, str, str, str], str] = field(default_factory=dict)

    async def judge(self, question: Question, planned: Mapping[str, Candidate]) -> tuple[Judged, list[StoredReport]]:
        """Judge one question. ``planned`` are candidates of the same call, by precedence, that come before."""
        candidate, policy = question.candidate, question.policy
        digest = policy_digest(policy)
        keys = [(*_key(candidate, baseline), digest) for baseline in question.baselines]
        missing = [baseline for baseline, key in zip(question.baselines, keys, strict=True) if key not in self._made]
        if missing:
            await self._look_up(candidate, missing, digest)
            missing = [one for one, key in zip(question.baselines, keys, strict=True) if key not in self._made]
        sources = await self._sources(candidate.agent_id, missing, planned)
        pairs = tuple(
            Pair(baseline, sources.get(baseline.release.version, candidate.source), self._made.get(key))
            for baseline, key in zip(question.baselines, keys, strict=True)
        )
        judged: Judged = await self.workers.run(
            Judge(candidate.source, candidate.version, pairs, policy, candidate.allowed)
        )
        self._made.update(zip(keys, judged.reports, strict=True))
        reports = [StoredReport(*key[:4], policy, text) for key, text in zip(keys, judged.reports, strict=True)]
        return judged, reports

    async def _look_up(self, candidate: Candidate, baselines: Iterable[Baseline], digest: str) -> None:
        partners = [baseline.release.card_digest for baseline in baselines]
        async with self.sessions() as session:
            rows = await session.rows(
                "reports", candidate.card_digest, candidate.version, partners, digest, ENGINE_VERSION
            )
        for row in rows:
            key = (row["old_digest"], row["new_digest"], row["old_version"], row["new_version"], digest)
            self._made[key] = row["report"]

    async def _sources(
        self, agent_id: str, baselines: Sequence[Baseline], planned: Mapping[str, Candidate]
    ) -> dict[str, Source]:
        """Return the cards to compare with, by version."""
        keys = {precedence_key(baseline.release.version): baseline.release.version for baseline in baselines}
        sources = {version: planned[key].source for key, version in keys.items() if key in planned}
        stored = [key for key in keys if key not in planned]
        if stored:
            async with self.sessions() as session:
                rows = await session.rows("sources", agent_id, stored)
            sources |= {row["version"]: Source(row["raw"], agent_id, row["version"]) for row in rows}
        return sources


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
