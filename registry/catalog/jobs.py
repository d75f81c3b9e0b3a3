"""What judging workers do: each job is a value, ``run`` in another process, its result a value."""

from __future__ import annotations

import json
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from registry.catalog.facets import facets_of, words_of
from registry.core.card.canonical import canonical
from registry.core.card.model import JsonSchema, Text
from registry.core.card.read import read_card
from registry.core.card.uris import EXTENSION_URI
from registry.core.compat import judging
from registry.core.compat.compare import compare
from registry.core.compat.rendering import as_json, report_from_json
from registry.core.errors import Finding, InvalidCard, InvalidRequest, NotFound
from registry.core.solver import BUDGET
from registry.core.solver.validators import CannotValidate, Disagreement, instance_findings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from registry.core.card.model import Card, Digests, Json, Kind, Operation, Shape, State
    from registry.core.compat.judging import Baseline, ForcedSide, Judgement
    from registry.core.compat.report import Policy


class Job(Protocol):
    """Anything that a worker can run."""

    def run(self, cards: Cards) -> Any:
        """Do it and return the result."""


class JobFailed(Exception):
    """A job ended in an exception that is no condition: a bug of ours. Its text is the worker's traceback."""


@dataclass(frozen=True, slots=True)
class Source:
    """A card by its bytes, with the names that the call's path gave."""

    raw: bytes
    agent_id: str | None
    version: str | None


class Cards:
    """Cards that a worker has read lately: an agent's history is read again at each of its publishes."""

    def __init__(self, limit_bytes: int = 8 * 1024 * 1024) -> None:
        self._limit_bytes = limit_bytes
        self._size_bytes = 0
        self._cards: OrderedDict[Source, Card] = OrderedDict()

    def read(self, source: Source) -> Card:
        """Return the card. Raises InvalidCard, TooLarge."""
        card = self._cards.get(source)
        if card is None:
            card = read_card(source.raw, agent_id=source.agent_id, version=source.version)
            self._cards[source] = card
            self._size_bytes += len(source.raw)
        self._cards.move_to_end(source)
        while self._size_bytes > self._limit_bytes and len(self._cards) > 1:
            dropped, _ = self._cards.popitem(last=False)
            self._size_bytes -= len(dropped.raw)
        return card


@dataclass(frozen=True, slots=True)
class Facts:
    """What the catalog stores of a card beside its bytes."""

    agent_id: str
    version: str
    kind: Kind
    name: str
    description: str
    status: State
    owner: str | None
    tags: tuple[str, ...]
    digests: Digests
    judged_digest: str
    facets: tuple[str, ...]
    words: str
    findings: tuple[Mapping[str, Json], ...]


@dataclass(frozen=True, slots=True)
class ReadFacts:
    """Read a card that is to be published; InvalidCard when it has no ID or version and the path gave none."""

    source: Source

    def run(self, cards: Cards) -> Facts:
        card = cards.read(self.source)
        agent_id = (self.source.agent_id or card.agent_id or "").lower()
        version = self.source.version or card.version or ""
        missing = []
        if not agent_id:
            message = "the card names no agent; give its ID (`--id`, or the path of the call)"
            missing.append(Finding("agent-id-missing", "", message))
        if not version:
            stands = f" ({card.version_text!r} is none)" if card.version_text else ""
            message = f"the card has no SemVer version{stands}; give one (`--version`, or the path of the call)"
            missing.append(Finding("version-missing", "", message))
        if missing:
            raise InvalidCard(missing)
        return Facts(
            agent_id=agent_id,
            version=version,
            kind=card.kind,
            name=card.name,
            description=card.description,
            status=card.status,
            owner=card.owner,
            tags=card.tags,
            digests=card.digests,
            judged_digest=judging.judged_digest(card),
            facets=facets_of(card),
            words=words_of(agent_id, card),
            findings=tuple(finding.as_json() for finding in card.findings),
        )


@dataclass(frozen=True, slots=True)
class ReadCard:
    """Read a stored card."""

    source: Source

    def run(self, cards: Cards) -> Card:
        return cards.read(self.source)


@dataclass(frozen=True, slots=True)
class Judged:
    """What a judgement says: whole when it refuses, else as it is stored."""

    accepted: bool
    message: str
    judgement: Mapping[str, Json]
    forced: tuple[str, ...]
    forced_side: ForcedSide | None
    forced_under: str | None


@dataclass(frozen=True, slots=True)
class Decide:
    """Judge a version from the reports of its comparisons.

    ``told_by`` has a position among the reports for each baseline, None where there is nothing to tell.
    """

    version: str
    card_digest: str
    baselines: tuple[Baseline, ...]
    told_by: tuple[int | None, ...]
    reports: Mapping[int, str]
    policy: Policy
    allowed: frozenset[str]
    state: State

    def run(self, _cards: Cards) -> Judged:
        found = {at: report_from_json(json.loads(text)) for at, text in self.reports.items()}
        pairs = []
        for at, (baseline, told) in enumerate(zip(self.baselines, self.told_by, strict=True)):
            changes = () if told is None else found[told].changes
            other = judging.derived(baseline, self.version, self.card_digest, changes, self.policy)
            pairs.append((baseline, found[at] if told == at else other))
        judgement = judging.decide(self.version, pairs, self.policy, self.allowed, self.state)
        accepted = judgement.verdict != "refused"
        return Judged(
            accepted=accepted,
            message=judgement.message,
            judgement=_stored(judgement) if accepted else judging.judgement_as_json(judgement),
            forced=judgement.forced,
            forced_side=judgement.forced_side,
            forced_under=judgement.forced_under,
        )


def _stored(judgement: Judgement) -> dict[str, Json]:
    """Return a judgement with the nearest report and its changes, what was let through elsewhere, and every pair's key.

    The other reports stand in a table of their own, by their pairs.
    """
    nearest = judgement.reports[:1]
    changes = [change for report in nearest for change in report.changes]
    told = {change.fingerprint for change in changes}
    forced = [one for one in judgement.changes if one.fingerprint in judgement.forced and one.fingerprint not in told]
    pairs = [
        {"old_version": one.old_version, "new_version": one.new_version, "verdict": one.verdict}
        for one in judgement.reports
    ]
    short = replace(judgement, reports=nearest, changes=(*changes, *forced))
    return {**judging.judgement_as_json(short), "pairs": pairs}


@dataclass(frozen=True, slots=True)
class Compare:
    """Compare two stored cards; returns the report as it is stored, and where a value refutes a proof."""

    old: Source
    new: Source
    policy: Policy
    second_prover: bool = True

    def run(self, cards: Cards) -> tuple[str, tuple[str, ...]]:
        budget = replace(BUDGET, second_prover=self.second_prover)
        report = compare(cards.read(self.old), cards.read(self.new), self.policy, budget)
        return json.dumps(as_json(report)), report.faults


@dataclass(frozen=True, slots=True)
class Differences:
    """Tell which top-level members of two documents differ; an owner in our extension of an A2A card counts as one."""

    old: Source
    new: Source

    def run(self, cards: Cards) -> tuple[str, ...]:
        old, new = cards.read(self.old).document, cards.read(self.new).document
        differs = self._members(old, new)
        if differs == ("capabilities",) and not self._members(_without_owner(old), _without_owner(new)):
            return ("owner",)
        return differs

    def _members(self, old: Mapping[str, Json], new: Mapping[str, Json]) -> tuple[str, ...]:
        absent = object()
        names = {*old, *new}
        # As canonical bytes: in Python 1 equals 1.0 and True.
        return tuple(
            sorted(
                name
                for name in names
                if old.get(name, absent) is absent
                or new.get(name, absent) is absent
                or canonical(old[name]) != canonical(new[name])
            )
        )


def _without_owner(document: Mapping[str, Json]) -> dict[str, Json]:
    """Return a document without the owner that our extension names, where an A2A card says it."""
    capabilities = document.get("capabilities")
    extensions = capabilities.get("extensions") if isinstance(capabilities, dict) else None
    if not isinstance(capabilities, dict) or not isinstance(extensions, list):
        return dict(document)
    kept = [
        {**one, "params": {name: value for name, value in one["params"].items() if name != "owner"}}
        if isinstance(one, dict) and one.get("uri") == EXTENSION_URI and isinstance(one.get("params"), dict)
        else one
        for one in extensions
    ]
    return {**document, "capabilities": {**capabilities, "extensions": kept}}


@dataclass(frozen=True, slots=True)
class Validate:
    """Say whether a value suits a part of an operation (``input``, ``output``, ``pauses/<name>``)."""

    source: Source
    operation: str
    part: str
    instance: Json

    def run(self, cards: Cards) -> tuple[Finding, ...]:
        shape = self._shape(cards.read(self.source).contract.operations.get(self.operation))
        if isinstance(shape, Text):
            wrong = not isinstance(self.instance, str)
            message = "the contract takes plain text here, and this is JSON that is no string"
            return (Finding("not-text", "", message),) if wrong else ()
        if not isinstance(shape, JsonSchema):
            return ()
        try:
            return tuple(instance_findings(shape.schema, self.instance))
        except (CannotValidate, Disagreement) as error:
            message = f"whether the contract takes this value can't be told: {error}"
            raise InvalidRequest([Finding("undecided", "/instance", message)]) from error

    def _shape(self, operation: Operation | None) -> Shape:
        if operation is None:
            raise NotFound(f"the contract has no operation {self.operation!r}")
        section, _, name = self.part.partition("/")
        if self.part == "input":
            return operation.input
        if self.part == "output":
            return operation.output
        if section == "pauses" and name in operation.pauses:
            return operation.pauses[name].answer
        raise NotFound(f"operation {self.operation!r} has no part {self.part!r}: input, output or pauses/<name>")
