"""What the catalog takes and gives: frozen values, without SQL, HTTP or a driver in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from registry.core.card.model import Digests, Kind, State
    from registry.core.compat.judging import ForcedSide
    from registry.core.compat.report import Policy

Json = Any
Item = TypeVar("Item")
Outcome = Literal["created", "unchanged", "would_create"]
Role = Literal["admin"]


@dataclass(frozen=True, slots=True)
class Principal:
    """Who calls: the name that stands in records and in the audit log, and what it may do."""

    name: str
    role: Role = "admin"


@dataclass(frozen=True, slots=True)
class Submission:
    """One card to publish or to check.

    ``agent_id`` and ``version`` are those of the call's path, None where the document says them itself. ``state`` is
    the one to start in, None for the card's own ``status``. ``allow_breaking`` holds fingerprints, or ``*`` for all;
    it needs a ``reason``. ``commit`` names the source revision that the card was built from.
    """

    raw: bytes
    agent_id: str | None = None
    version: str | None = None
    allow_breaking: frozenset[str] = frozenset()
    reason: str | None = None
    commit: str | None = None
    state: State | None = None


@dataclass(frozen=True, slots=True)
class VersionRecord:
    """One published version: what the registry knows beside the card, and the card's bytes as sent.

    ``raw`` is None in lists (``history``) and for what a check would make. ``judgement`` is what was said when it was
    published, as JSON; ``findings`` the warnings, as JSON. ``etag`` is a bare strong tag without quotes: it changes
    with the state, and is what ``change_state`` wants as ``If-Match``. ``sequence`` is the number of the last event of
    this version. ``newer_behind_break`` is set on an answer to a selector: a newer version that the selector did not
    offer because a forced break lies between. ``forced_side`` and ``forced_under`` say what ``forced`` broke with, as a
    ``Release`` does.
    """

    agent_id: str
    version: str
    state: State
    kind: Kind
    namespace: str
    name: str
    description: str
    owner: str | None
    tags: tuple[str, ...]
    digests: Digests
    size_bytes: int
    published_at: datetime
    published_by: str
    commit: str | None
    forced: tuple[str, ...]
    forced_reason: str | None
    prerelease: bool
    findings: tuple[Mapping[str, Json], ...]
    judgement: Mapping[str, Json]
    etag: str
    sequence: int
    state_changed_at: datetime
    state_reason: str | None = None
    replaced_by: str | None = None
    sunset: datetime | None = None
    newer_behind_break: str | None = None
    raw: bytes | None = None
    forced_side: ForcedSide | None = None
    forced_under: str | None = None


@dataclass(frozen=True, slots=True)
class Publication:
    """What became of one submission. A refusal is no publication: it is raised (``UpdateRefused``)."""

    outcome: Outcome
    record: VersionRecord
    judgement: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class StateChange:
    """Where a version is to go, and why, or whose it is from now on; None changes nothing.

    ``deprecated`` needs a ``reason``; ``replaced_by`` names the agent or ``agent@version`` to use instead; ``sunset``
    is when it stops. A move into the live states is judged: ``allow_breaking`` (with a ``reason``) lets changes
    through. An ``owner`` of "" is none.
    """

    state: State | None = None
    reason: str | None = None
    replaced_by: str | None = None
    sunset: datetime | None = None
    allow_breaking: frozenset[str] = frozenset()
    owner: str | None = None


@dataclass(frozen=True, slots=True)
class AgentQuery:
    """Which agents to list. None and () filter nothing; several tags must all be there.

    Filters look at the version that represents the agent: ``latest``, or the highest one where none is live. ``q`` is
    words, each of which must begin a word of the ID, name, description, tags or operations. Order: last changed first.
    """

    q: str | None = None
    tags: tuple[str, ...] = ()
    capability: str | None = None
    skill: str | None = None
    namespace: str | None = None
    owner: str | None = None
    status: State | None = None
    protocol: str | None = None
    a2a_version: str | None = None
    input_mode: str | None = None
    output_mode: str | None = None
    has_contract: bool | None = None
    updated_since: datetime | None = None
    limit: int = 50
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class AgentSummary:
    """An agent as lists and its own page show it.

    ``latest`` is what the selector ``latest`` gives, None while nothing is live; texts, ``kind``, ``state`` and
    ``version`` are those of ``latest``, or of the highest version while there is none. ``majors`` maps a major's name
    (``v2``, ``v0.2``) to the version that it selects, ``states`` a state to how many versions are in it; both are
    empty in lists, and filled by ``Catalog.agent``.
    """

    agent_id: str
    namespace: str
    name: str
    description: str
    owner: str | None
    tags: tuple[str, ...]
    kind: Kind
    version: str
    state: State
    latest: str | None
    version_count: int
    created_at: datetime
    updated_at: datetime
    majors: Mapping[str, str] = field(default_factory=dict)
    states: Mapping[State, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """One page; ``next_cursor`` continues the same query and no other, None on the last page."""

    items: tuple[Item, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class Namespace:
    """A registered namespace: the labels that its agents' IDs begin with, and how it judges.

    ``revision`` counts its policies, ``sequence`` is the number of its last event. ``etag`` is a bare strong tag.
    """

    name: str
    policy: Policy
    revision: int
    created_at: datetime
    sequence: int

    @property
    def etag(self) -> str:
        """Return a tag that changes with the policy."""
        return f"{self.name}.{self.revision}"


@dataclass(frozen=True, slots=True)
class PolicyCondition:
    """When a policy may be set: on a namespace that ``is_new``, on one with one of ``tags`` (``*``: any), or always."""

    is_new: bool = False
    tags: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One link of a namespace's audit chain: ``hash`` is SHA-256 over the hash before it and the entry's bytes."""

    namespace: str
    number: int
    entry: Mapping[str, Json]
    hash: str
