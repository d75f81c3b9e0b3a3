"""The use cases over PostgreSQL, as one object: what HTTP, the command line and tests call."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from registry.catalog import audit, lifecycle, publishing, reading, tokens
from registry.catalog.database import Database, Meanwhile
from registry.catalog.jobs import ReadCard, Source, Validate
from registry.catalog.judgement import compared, load_view
from registry.catalog.migrating import migrate
from registry.catalog.namespaces import check_policy, find_namespace, policy_digest, set_policy
from registry.catalog.records import PolicyCondition
from registry.catalog.workers import Workers
from registry.core.compat.rendering import report_from_json
from registry.core.compat.report import engine_version
from registry.core.errors import Unavailable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from registry.catalog.records import (
        AgentQuery,
        AgentSummary,
        AuditEntry,
        Namespace,
        Page,
        Principal,
        Publication,
        StateChange,
        Submission,
        VersionRecord,
    )
    from registry.core.card.model import Card, Json
    from registry.core.compat.report import Policy, Report
    from registry.core.errors import Finding
    from registry.settings import Settings


class Catalog:
    """The registry's versions, and everything that may be done with them.

    Make one with ``Catalog.open`` (it migrates, opens the pool, starts the judging workers) and ``close`` it; or use
    ``async with Catalog.opened(settings, database_url) as catalog``.
    """

    def __init__(self, settings: Settings, database: Database, workers: Workers) -> None:
        self._settings = settings
        self._database = database
        self._workers = workers

    @classmethod
    async def open(cls, settings: Settings, database_url: str) -> Catalog:
        """Migrate the database, open the pool, start the workers. Raises Unavailable when it can't be reached."""
        direct = settings.database_direct_url
        await migrate(direct or database_url)
        database = await Database.open(database_url, settings.pool_size, direct_url=direct)
        memory = settings.judge_memory_mb * 2**20
        workers = Workers(
            settings.judge_workers, settings.judge_timeout_s, memory, second_prover=settings.second_prover
        )
        return cls(settings, database, workers)

    @classmethod
    @asynccontextmanager
    async def opened(cls, settings: Settings, database_url: str) -> AsyncIterator[Catalog]:
        """Open the catalog for an ``async with`` block."""
        catalog = await cls.open(settings, database_url)
        try:
            yield catalog
        finally:
            await catalog.close()

    async def close(self) -> None:
        """Stop the workers and close the pool."""
        await self._workers.close()
        await self._database.close()

    async def ready(self) -> None:
        """Ask the database for a sign of life; raises Unavailable."""
        async with self._database.reading() as session:
            await session.row("sign_of_life")

    async def publish(self, submissions: Sequence[Submission], principal: Principal) -> tuple[Publication, ...]:
        """Publish cards, all or none; publications in the order of the submissions.

        Raises InvalidCard, InvalidRequest, UpdateRefused, VersionTaken, JudgingStopped, Unavailable.
        """
        return await publishing.publish(self._database, self._workers, submissions, principal)

    async def check(self, submissions: Sequence[Submission]) -> tuple[Publication, ...]:
        """Judge as ``publish`` would, and store nothing: the outcome is ``would_create`` or ``unchanged``."""
        return await publishing.check(self._database, self._workers.open_to_all, submissions)

    async def agents(self, query: AgentQuery) -> Page[AgentSummary]:
        """List agents, last changed first. Raises InvalidRequest for a cursor of another query."""
        async with self._database.reading() as session:
            return await reading.find_agents(session, replace(query, limit=self._limit(query.limit)))

    async def agent(self, agent_id: str) -> AgentSummary:
        """Return one agent with its majors and states. Raises UnknownAgent."""
        async with self._database.reading() as session:
            return await reading.find_agent(session, agent_id)

    async def history(self, agent_id: str, limit: int = 50, cursor: str | None = None) -> Page[VersionRecord]:
        """Return an agent's versions, highest precedence first, without bytes. Raises UnknownAgent, InvalidRequest."""
        async with self._database.reading() as session:
            return await reading.find_history(session, agent_id, self._limit(limit), cursor)

    async def version(self, agent_id: str, selector: str, *, accept_forced: bool = False) -> VersionRecord:
        """Return the version that a selector selects, with its bytes.

        Raises UnknownAgent, UnknownVersion, InvalidRequest (the selector is none).
        """
        async with self._database.reading() as session:
            return await reading.find_version(session, agent_id, selector, accept_forced=accept_forced)

    async def card(self, record: VersionRecord) -> Card:
        """Read a record's bytes into a Card, in a worker."""
        card: Card = await self._workers.open_to_all.run(ReadCard(_source(record)))
        return card

    async def validate(
        self, record: VersionRecord, instance: Json, *, operation: str = "default", part: str = "input"
    ) -> tuple[Finding, ...]:
        """Say whether a value suits a part of an operation: ``input``, ``output`` or ``pauses/<name>`` (its answer).

        Raises NotFound for an operation or pause that the contract has not.
        """
        found: tuple[Finding, ...] = await self._workers.open_to_all.run(
            Validate(_source(record), operation, part, instance)
        )
        return found

    async def diff(self, agent_id: str, from_selector: str, to_selector: str) -> Report:
        """Compare two versions of an agent under its namespace's policy; a stored report is reused.

        Raises UnknownAgent, UnknownVersion, InvalidRequest, JudgingStopped.
        """
        async with self._database.reading() as session:
            old = await reading.find_version(session, agent_id, from_selector, accept_forced=True)
            new = await reading.find_version(session, agent_id, to_selector, accept_forced=True)
            policy = (await load_view(session, [old.agent_id])).policies[old.agent_id]
            digest = policy_digest(policy)
            partners = [new.digests.card]
            engine = engine_version(second_prover=self._workers.second_prover)
            rows = await session.rows("reports", old.digests.card, old.version, partners, digest, engine)
        for row in rows:
            if (row["old_version"], row["new_version"]) == (old.version, new.version):
                return report_from_json(json.loads(row["report"]))
        text = await compared(self._workers.open_to_all, _source(old), _source(new), policy)
        return report_from_json(json.loads(text))

    async def change_state(
        self, agent_id: str, version: str, change: StateChange, if_match: str | None, principal: Principal
    ) -> VersionRecord:
        """Move a version to another state; ``if_match`` is the header's value (strong tags, or ``*``).

        Raises UnknownVersion, PreconditionRequired, PreconditionFailed, InvalidState, InvalidRequest, UpdateRefused.
        """
        try:
            return await lifecycle.change_state(
                self._database, self._workers, agent_id, version, change, if_match, principal
            )
        except Meanwhile as error:
            raise Unavailable("others change the same agent at the same moment; try again") from error

    async def namespace(self, name: str) -> Namespace:
        """Return a namespace with its policy. Raises NotFound."""
        async with self._database.reading() as session:
            return await find_namespace(session, name)

    async def set_policy(
        self, name: str, policy: Policy, principal: Principal, condition: PolicyCondition | None = None
    ) -> tuple[Namespace, bool]:
        """Register a namespace, or change how it judges from now on; say whether it is new. What is published stays.

        Raises InvalidRequest, PreconditionFailed, Unavailable.
        """
        folded = name.lower()
        check_policy(folded, policy)
        now = datetime.now(UTC)
        members = {"profile": policy.profile, "levels": dict(policy.levels), "strict": policy.strict}
        try:
            async with self._database.writing() as session:
                found = await set_policy(session, folded, policy, condition or PolicyCondition(), now)
                await audit.append(session, [(folded, audit.audit_text("policy", principal, now, members))])
        except Meanwhile as error:
            raise Unavailable("others change the same namespace at the same moment; try again") from error
        return found

    async def audit(self, namespace: str) -> tuple[AuditEntry, ...]:
        """Return a namespace's audit chain after verifying every link. Raises NotFound, BrokenChain."""
        async with self._database.reading() as session:
            return await audit.verified_chain(session, namespace)

    async def authenticate(self, token: str) -> Principal:
        """Tell whose token it is. Raises Unauthenticated."""
        return await tokens.authenticate(self._database, token)

    async def ensure_admin_token(self, given: str | None) -> str | None:
        """Make sure that an admin token exists: ``given``, or else a new one, which is returned this once."""
        return await tokens.ensure_admin_token(self._database, given)

    def _limit(self, wanted: int) -> int:
        """Clamp a page's size before any arithmetic."""
        return max(1, min(wanted, self._settings.page_limit))


def _source(record: VersionRecord) -> Source:
    return Source(record.raw or b"", record.agent_id, record.version)
