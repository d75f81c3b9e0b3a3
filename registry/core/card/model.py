"""What a card and its contract are, as values that cannot be wrong.

A reader (``core.card.reading`` for contract cards, ``core.formats`` for the others) makes these once; everything
inside trusts them. Every ``pointer`` is an RFC 6901 JSON Pointer into ``Card.document``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from registry.core.errors import Finding

Json = Any  # None | bool | int | float | str | list[Json] | dict[str, Json]; mypy has no useful recursive spelling
Kind = Literal["contract", "a2a-1.0", "a2a-0.3", "a2a-0.2"]
State = Literal["draft", "staging", "production", "deprecated", "retired", "yanked"]

DEFAULT_OPERATION = "default"


@dataclass(frozen=True, slots=True)
class Undeclared:
    """The contract says nothing about this input or output."""

    pointer: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Text:
    """Plain text: another kind than JSON, never contained in ``{"type": "string"}``."""

    pointer: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class JsonSchema:
    """JSON that matches a schema. ``schema`` is self-contained: ``#/...`` in it means its own root."""

    schema: Json
    pointer: str = field(default="", compare=False)


Shape = Undeclared | Text | JsonSchema


@dataclass(frozen=True, slots=True)
class Pause:
    """A step where a person answers: what they are asked, and what an answer looks like."""

    name: str
    description: str
    answer: Shape
    pointer: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Failure:
    """One typed way to fail. None is "not said", and counts as the worst that it could be."""

    kind: str
    description: str = ""
    retryable: bool | None = None
    partial: bool | None = None
    person: bool | None = None
    safe_to_ignore: bool | None = None
    retry_after_s: float | None = None
    pointer: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Example:
    """One example call: an input with its output, or with the kind of failure that it ends in."""

    name: str
    input: Json
    output: Json
    error: str | None
    members: frozenset[str]  # which of "input", "output", "error" are given: null is a value
    pointer: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that an agent does for callers (an A2A skill; ``default`` for a top-level contract)."""

    id: str
    name: str
    description: str
    input: Shape
    output: Shape
    pauses: Mapping[str, Pause]
    failures: Mapping[str, Failure]
    examples: tuple[Example, ...] = ()
    tags: tuple[str, ...] = ()
    input_modes: tuple[str, ...] | None = None  # None: the card's defaults hold
    output_modes: tuple[str, ...] | None = None
    security: tuple[Mapping[str, tuple[str, ...]], ...] | None = None  # None: the card's requirements hold
    pointer: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that the agent uses, with MCP's annotations (None: not said)."""

    name: str
    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None
    document: Mapping[str, Json] = field(default_factory=dict)
    pointer: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Interface:
    """One way to reach the agent. ``protocol_version`` is Major.Minor ("1.0", "0.3")."""

    binding: str
    protocol_version: str
    url: str
    tenant: str = ""
    pointer: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Extension:
    """An A2A extension that the agent declares (ours is not among them: it is read as contract)."""

    uri: str
    required: bool = False
    description: str = ""
    params: Json = None
    pointer: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Guarantees:
    """What the agent promises about calls. None is the worst: it promises nothing."""

    idempotent: bool | None = None
    partial_state: bool | None = None
    p50_latency_ms: float | None = None
    p95_latency_ms: float | None = None
    max_latency_ms: float | None = None
    availability: float | None = None
    max_retries: int | None = None
    backoff: str | None = None


@dataclass(frozen=True, slots=True)
class Contract:
    """Everything that callers rely on, whatever kind of document carried it.

    ``security`` is an OR of ANDs: each mapping is one set of credentials (scheme name to scopes, sorted) that
    suffices; an empty mapping needs none; None and () both mean that nothing is asked. ``security_schemes`` are in
    the A2A 1.0 spelling (one wrapper key each), whatever generation the card is of.
    """

    operations: Mapping[str, Operation]
    capabilities: tuple[str, ...] = ()
    tools: Mapping[str, Tool] = field(default_factory=dict)
    guarantees: Guarantees = field(default_factory=Guarantees)
    limits: Mapping[str, float] = field(default_factory=dict)
    budget: Mapping[str, float] = field(default_factory=dict)
    interfaces: tuple[Interface, ...] = ()
    security_schemes: Mapping[str, Json] = field(default_factory=dict)
    security: tuple[Mapping[str, tuple[str, ...]], ...] | None = None
    streaming: bool | None = None
    push_notifications: bool | None = None
    extended_card: bool | None = None
    extensions: tuple[Extension, ...] = ()
    input_modes: tuple[str, ...] = ()
    output_modes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Digests:
    """Three SHA-256 digests, each ``sha256:`` and hex: the bytes, the card, the contract (docs/cards.md)."""

    raw: str
    card: str
    contract: str


@dataclass(frozen=True, slots=True)
class Card:
    """A card as it was read: its document, what identifies it, and its contract.

    ``agent_id`` and ``version`` are None where the document has none (an A2A card has no ID, and a version that need
    not be SemVer: then ``version`` is None and ``version_text`` holds what stands there). ``findings`` holds warnings
    only: a card with errors is never made.
    """

    kind: Kind
    raw: bytes
    document: Mapping[str, Json]
    digests: Digests
    agent_id: str | None
    version: str | None
    version_text: str | None
    name: str
    description: str
    contract: Contract
    status: State = "production"
    owner: str | None = None
    tags: tuple[str, ...] = ()
    documentation_url: str | None = None
    deployment_url: str | None = None
    findings: tuple[Finding, ...] = ()
