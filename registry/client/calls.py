"""Every call to a registry, described once: the sync and the async client only send them (docs/http.md)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from registry.client.errors import problem_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import httpx

Json = Any
Parameters = list[tuple[str, str | int | float | bool | None]]


@dataclass(frozen=True, slots=True)
class Call:
    """One request. ``safe`` ones may be sent again when no answer came: they change nothing, or the same thing."""

    method: str
    path: str
    parameters: Parameters = field(default_factory=list)
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes | None = None
    safe: bool = True


@dataclass(frozen=True, slots=True)
class Card:
    """A card to send: its bytes as they are, and what they don't say themselves (A2A cards name no agent)."""

    data: bytes
    agent_id: str | None = None
    version: str | None = None


def answer(response: httpx.Response) -> Json:
    """Return an answer's JSON; raises the problem that it is."""
    if response.is_success:
        return response.json()
    raise problem_of(response)


def problem_of(response: httpx.Response) -> Exception:
    """Return the exception for an answer that is no success."""
    try:
        document = response.json()
    except ValueError:
        document = {"title": f"the server answered {response.status_code}", "detail": response.text[:300] or None}
    return problem_for(response.status_code, document)


def publish(
    card: Card,
    *,
    dry_run: str = "false",
    allow_breaking: Sequence[str] = (),
    reason: str | None = None,
    commit: str | None = None,
    status: str | None = None,
) -> Call:
    """Describe ``PUT`` of one card under its ID and version."""
    parameters: Parameters = [("dry_run", "true")] if dry_run == "true" else []
    parameters += _given(allow_breaking=allow_breaking, reason=reason, commit=commit, status=status)
    path = f"{_agent(card.agent_id or '')}/versions/{_segment(card.version or '')}"
    return Call("PUT", path, parameters, {"Content-Type": _type(card.data)}, card.data)


def publish_many(
    cards: Sequence[Card],
    *,
    check: str = "false",
    dry_run: str = "false",
    allow_breaking: Sequence[str] = (),
    reason: str | None = None,
    commit: str | None = None,
    status: str | None = None,
) -> Call:
    """Describe ``POST`` of several cards, all or none, or the check of them."""
    body: dict[str, Json] = {"cards": [_entry(card) for card in cards]}
    options = {"allow_breaking": list(allow_breaking) or None, "reason": reason, "commit": commit, "status": status}
    body |= {name: value for name, value in options.items() if value is not None}
    if dry_run == "true" and check != "true":
        body["dry_run"] = True
    path = "/v1/check" if check == "true" else "/v1/publish"
    return Call("POST", path, [], {"Content-Type": "application/json"}, json.dumps(body).encode())


def _entry(card: Card) -> dict[str, Json]:
    named = {"agent_id": card.agent_id, "version": card.version}
    return {**{name: value for name, value in named.items() if value}, "text": card.data.decode("utf-8", "replace")}


def record(agent_id: str, selector: str = "latest", *, accept_forced: str = "false") -> Call:
    """Describe the reading of one version's record."""
    parameters: Parameters = [("accept_forced", "true")] if accept_forced == "true" else []
    return Call("GET", f"{_agent(agent_id)}/versions/{_segment(selector)}", parameters)


def part(agent_id: str, selector: str, name: str, **parameters: str | None) -> Call:
    """Describe the reading of a part of a record: ``card``, ``contract``, ``a2a``, ``schemas/input``."""
    return Call("GET", f"{_agent(agent_id)}/versions/{_segment(selector)}/{name}", _given(**parameters))


def agent(agent_id: str) -> Call:
    """Describe the reading of an agent's summary."""
    return Call("GET", _agent(agent_id))


def history(agent_id: str, *, limit: int = 50, cursor: str | None = None) -> Call:
    """Describe a page of an agent's versions."""
    return Call("GET", f"{_agent(agent_id)}/versions", _given(limit=str(limit), cursor=cursor))


def agents(filters: Mapping[str, str | Sequence[str] | None], *, limit: int = 50, cursor: str | None = None) -> Call:
    """Describe a page of agents."""
    return Call("GET", "/v1/agents", _given(**filters, limit=str(limit), cursor=cursor))


def diff(agent_id: str, old: str, new: str) -> Call:
    """Describe the report of two versions."""
    return Call("GET", f"{_agent(agent_id)}/diff", [("from", old), ("to", new)])


def validate(
    agent_id: str,
    selector: str,
    instance: Json,
    *,
    operation: str = "default",
    side: str = "input",
    pause: str | None = None,
) -> Call:
    """Describe the question whether a value suits a contract."""
    body = {"side": side, "operation": operation, "instance": instance, **({"pause": pause} if pause else {})}
    path = f"{_agent(agent_id)}/versions/{_segment(selector)}/validate"
    return Call("POST", path, [], {"Content-Type": "application/json"}, json.dumps(body).encode())


def set_state(agent_id: str, version: str, etag: str, change: Mapping[str, Json]) -> Call:
    """Describe a version's move to another state; ``etag`` is the record's."""
    headers = {"Content-Type": "application/json", "If-Match": etag if etag == "*" else f'"{etag}"'}
    path = f"{_agent(agent_id)}/versions/{_segment(version)}"
    return Call("PATCH", path, [], headers, json.dumps(dict(change)).encode(), safe=False)


def _agent(agent_id: str) -> str:
    return f"/v1/agents/{_segment(agent_id)}"


def _segment(text: str) -> str:
    return quote(text, safe=":")


def _given(**parameters: str | Iterable[str] | None) -> Parameters:
    found: Parameters = []
    for name, value in parameters.items():
        if isinstance(value, str):
            found.append((name, value))
        elif value is not None:
            found.extend((name, each) for each in value)
    return found


def _type(data: bytes) -> str:
    return "application/json" if data.lstrip()[:1] in (b"{", b"[") else "application/yaml"
