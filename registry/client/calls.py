"""Every call to a registry, described once: the sync and the async client only send them (docs/http.md)."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from registry.client.errors import Unreachable, problem_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import httpx

    from registry.client.errors import RegistryProblem

Json = Any
Parameters = list[tuple[str, str | int | float | bool | None]]


@dataclass(frozen=True, slots=True)
class Call:
    """One request. Idempotent ones may be sent again: they change nothing, or a second time nothing more."""

    method: str
    path: str
    parameters: Parameters = field(default_factory=list)
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes | None = None
    idempotent: bool = True


@dataclass(frozen=True, slots=True)
class Card:
    """A card to send: its bytes as they are, and what they don't say themselves (A2A cards name no agent)."""

    data: bytes
    agent_id: str | None = None
    version: str | None = None


def answer(response: httpx.Response) -> Json:
    """Return an answer's JSON; raises the problem that it is, and Unreachable for what no registry answers."""
    if not response.is_success:
        raise problem_of(response)
    try:
        return response.json()
    except ValueError as problem:
        raise Unreachable(f"what answers at {_place(response)} is no registry") from problem


def problem_of(response: httpx.Response) -> RegistryProblem:
    """Return the exception for an answer that is no success."""
    try:
        document = response.json()
    except ValueError:
        said = " ".join(response.text.split())[:100]
        document = {"detail": f"{_place(response)} answered {response.status_code}, and not as a registry does: {said}"}
    return problem_for(response.status_code, document)


def _place(response: httpx.Response) -> str:
    return f"{response.url.scheme}://{response.url.netloc.decode('ascii')}"


def publish(
    card: Card,
    *,
    dry_run: bool = False,
    allow_breaking: Sequence[str] = (),
    reason: str | None = None,
    commit: str | None = None,
    status: str | None = None,
) -> Call:
    """Describe ``PUT`` of one card under its ID and version, which must both be given."""
    if not card.agent_id or not card.version:
        raise ValueError("`publish` needs the card's agent_id and version; `publish_many` takes them from the card")
    parameters = _given(
        dry_run=dry_run or None, allow_breaking=allow_breaking, reason=reason, commit=commit, status=status
    )
    path = f"{_agent(card.agent_id)}/versions/{_segment(card.version)}"
    return Call("PUT", path, parameters, {"Content-Type": _type(card.data)}, card.data)


def publish_many(
    cards: Sequence[Card],
    *,
    dry_run: bool = False,
    allow_breaking: Sequence[str] = (),
    reason: str | None = None,
    commit: str | None = None,
    status: str | None = None,
) -> Call:
    """Describe ``POST`` of several cards, all or none."""
    parameters = _given(
        dry_run=dry_run or None, allow_breaking=allow_breaking, reason=reason, commit=commit, status=status
    )
    return _several("/v1/publish", cards, parameters)


def check(
    cards: Sequence[Card],
    *,
    allow_breaking: Sequence[str] = (),
    reason: str | None = None,
    commit: str | None = None,
    status: str | None = None,
) -> Call:
    """Describe the question whether cards could be published."""
    parameters = _given(allow_breaking=allow_breaking, reason=reason, commit=commit, status=status)
    return _several("/v1/check", cards, parameters)


def _several(path: str, cards: Sequence[Card], parameters: Parameters) -> Call:
    """Describe a call with cards as multipart (RFC 7578), which carries any bytes as they are; JSON would not."""
    boundary = "cards-" + hashlib.sha256(b"\0".join(card.data for card in cards)).hexdigest()[:40]
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{_part_name(card)}"\r\n'
        f"Content-Type: {_type(card.data)}\r\n\r\n".encode()
        + card.data
        + b"\r\n"
        for card in cards
    ]
    content = b"".join(parts) + f"--{boundary}--\r\n".encode()
    return Call("POST", path, parameters, {"Content-Type": f"multipart/form-data; boundary={boundary}"}, content)


def _part_name(card: Card) -> str:
    """Return ``AGENT_ID@VERSION`` as far as they are given, ``card`` without either; escaped, they end no header."""
    version = f"@{quote(card.version, safe='+')}" if card.version else ""
    return f"{_segment(card.agent_id or '')}{version}" or "card"


def record(agent_id: str, selector: str = "latest", *, accept_forced: bool = False) -> Call:
    """Describe the reading of one version's record."""
    parameters = _given(accept_forced=accept_forced or None)
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


def agents(
    filters: Mapping[str, str | bool | Sequence[str] | None], *, limit: int = 50, cursor: str | None = None
) -> Call:
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
    return Call("PATCH", path, [], headers, json.dumps(dict(change)).encode(), idempotent=False)


def _agent(agent_id: str) -> str:
    return f"/v1/agents/{_segment(agent_id)}"


def _segment(text: str) -> str:
    return quote(text, safe=":")


def _given(**parameters: str | bool | Iterable[str] | None) -> Parameters:
    """Return what was given as query parameters: nothing for None, ``true`` or ``false``, each of several."""
    found: Parameters = []
    for name, value in parameters.items():
        if isinstance(value, bool):
            found.append((name, "true" if value else "false"))
        elif isinstance(value, str):
            found.append((name, value))
        elif value is not None:
            found.extend((name, each) for each in value)
    return found


def _type(data: bytes) -> str:
    return "application/json" if data.lstrip()[:1] in (b"{", b"[") else "application/yaml"
