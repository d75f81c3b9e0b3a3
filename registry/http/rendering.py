"""Records and summaries as the JSON that docs/http.md shows."""

from __future__ import annotations

from collections import Counter
from datetime import UTC
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from registry.catalog.records import AgentSummary, Namespace, Publication, VersionRecord

Json = Any
_SUMMARY = ("verdict", "message", "predecessor", "smallest_version", "forced")


def moment(value: datetime | None) -> str | None:
    """Return a time in UTC as RFC 3339."""
    return None if value is None else value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def agent_path(agent_id: str) -> str:
    """Return the path of an agent."""
    return f"/v1/agents/{segment(agent_id)}"


def version_path(agent_id: str, selector: str) -> str:
    """Return the path of a version's record; ``+`` is encoded, since some clients take it for a space."""
    return f"{agent_path(agent_id)}/versions/{segment(selector)}"


def agent_card_path(agent_id: str, selector: str | None = None) -> str:
    """Return the path where an A2A client finds an agent's card."""
    middle = f"/{segment(selector)}" if selector else ""
    return f"/agents/{segment(agent_id)}{middle}/.well-known/agent-card.json"


def segment(text: str) -> str:
    """Return a text as one segment of a path."""
    return quote(text, safe=":")


def record_json(record: VersionRecord) -> dict[str, Json]:
    """Return a record with its whole judgement."""
    here = version_path(record.agent_id, record.version)
    return {
        "agent_id": record.agent_id,
        "version": record.version,
        "state": record.state,
        "kind": record.kind,
        "namespace": record.namespace,
        "name": record.name,
        "description": record.description,
        "owner": record.owner,
        "tags": record.tags,
        "digests": {
            "raw": record.digests.raw,
            "card": record.digests.card,
            "contract": record.digests.contract,
        },
        "size_bytes": record.size_bytes,
        "published_at": moment(record.published_at),
        "published_by": record.published_by,
        "commit": record.commit,
        "forced": record.forced,
        "forced_reason": record.forced_reason,
        "forced_side": record.forced_side,
        "forced_under": record.forced_under,
        "prerelease": record.prerelease,
        "state_changed_at": moment(record.state_changed_at),
        "state_reason": record.state_reason,
        "replaced_by": record.replaced_by,
        "sunset": moment(record.sunset),
        "newer_behind_break": record.newer_behind_break,
        "sequence": record.sequence,
        "etag": record.etag,
        "findings": record.findings,
        "judgement": record.judgement,
        "links": {
            "self": here,
            "agent": agent_path(record.agent_id),
            "card": f"{here}/card",
            "contract": f"{here}/contract",
            "a2a": f"{here}/a2a",
            "pinned": f"{version_path(record.agent_id, record.digests.card)}/card",
            "agent_card": agent_card_path(record.agent_id, record.version),
        },
    }


def listed_json(record: VersionRecord) -> dict[str, Json]:
    """Return a record as a history lists it: with a summary of its judgement."""
    return {**record_json(record), "judgement": _summary(record.judgement)}


def _summary(judgement: Mapping[str, Json]) -> dict[str, Json]:
    """Return what a judgement says in short; changes are counted against the predecessor alone."""
    told = [each for each in judgement["reports"] if each["old_version"] == judgement["predecessor"]]
    counts = Counter(change["level"] for change in (told[0]["changes"] if told else ()))
    return {
        **{name: judgement.get(name) for name in _SUMMARY},
        "counts": {level: counts[level] for level in ("major", "minor", "patch")},
    }


def publication_json(publication: Publication) -> dict[str, Json]:
    """Return what became of one card."""
    return {
        "outcome": publication.outcome,
        "record": record_json(publication.record),
        "judgement": publication.judgement,
    }


def summary_json(agent: AgentSummary) -> dict[str, Json]:
    """Return an agent as lists show it."""
    here = agent_path(agent.agent_id)
    return {
        "agent_id": agent.agent_id,
        "namespace": agent.namespace,
        "name": agent.name,
        "description": agent.description,
        "owner": agent.owner,
        "tags": agent.tags,
        "kind": agent.kind,
        "version": agent.version,
        "state": agent.state,
        "latest": agent.latest,
        "version_count": agent.version_count,
        "created_at": moment(agent.created_at),
        "updated_at": moment(agent.updated_at),
        "links": {
            "self": here,
            "versions": f"{here}/versions",
            "latest": f"{here}/versions/latest",
            "agent_card": agent_card_path(agent.agent_id),
        },
    }


def agent_json(agent: AgentSummary) -> dict[str, Json]:
    """Return an agent as its own path shows it."""
    return {**summary_json(agent), "majors": dict(agent.majors), "states": dict(agent.states)}


def namespace_json(namespace: Namespace) -> dict[str, Json]:
    """Return a namespace's policy."""
    policy = namespace.policy
    return {
        "namespace": namespace.name,
        "revision": namespace.revision,
        "created_at": moment(namespace.created_at),
        "policy": {"profile": policy.profile, "levels": dict(policy.levels), "strict": policy.strict},
    }
