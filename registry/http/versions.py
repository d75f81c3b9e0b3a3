"""Routes of one version: its record, its parts, whether a value suits it, its state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from litestar.connection import Request
from litestar.handlers import patch
from litestar.response import Response

from registry.catalog.records import StateChange
from registry.core.compat.versions import parse_selector
from registry.core.errors import Finding, InvalidRequest
from registry.http.answers import (
    conditional,
    if_match,
    joined,
    json_answer,
    json_content,
    lifecycle_headers,
    remembered,
    version_headers,
)
from registry.http.bodies import read_members
from registry.http.context import authenticated, services_of
from registry.http.etags import quoted
from registry.http.memory import Content
from registry.http.parameters import Query, parse_moment, path_text
from registry.http.reading import Part, content_of, is_json, reads
from registry.http.rendering import record_json, segment, version_path

if TYPE_CHECKING:
    from registry.catalog.records import VersionRecord
    from registry.http.reading import Side

AnyRequest = Request[Any, Any, Any]
Answer = Response[bytes]
PATH = "/v1/agents/{agent_id:str}/versions/{selector:str}"
STATES = ("draft", "staging", "production", "deprecated", "retired", "yanked")


async def selected(request: AnyRequest, query: Query) -> VersionRecord:
    """Return the version that the path selects, after the query's last word was said."""
    accept_forced = query.boolean("accept_forced") is True
    query.done()
    catalog = services_of(request).catalog
    return await catalog.version(
        path_text(request, "agent_id"), path_text(request, "selector"), accept_forced=accept_forced
    )


@reads(PATH)
async def read_record(request: AnyRequest) -> Answer:
    """Answer with a record and its card."""
    record = await selected(request, Query.of(request, "accept_forced"))
    raw = record.raw or b""
    card: Any = msgspec.Raw(raw) if is_json(raw) else dict((await services_of(request).catalog.card(record)).document)
    content = json_content({**record_json(record), "card": card})
    headers = {**lifecycle_headers(record), "Registry-Sequence": str(record.sequence)}
    selector = path_text(request, "selector")
    if parse_selector(selector).kind == "exact":
        content = Content(content.body, content.media_type, record.etag)  # what If-Match wants
    if selector != record.version:
        headers["Content-Location"] = version_path(record.agent_id, record.version)
    return conditional(request, content, headers)


async def _part(request: AnyRequest, query: Query, part: Part, below: str) -> Answer:
    """Answer with a part of a version; ``below`` is its path below the version's."""
    services = services_of(request)
    changes = services.memory.changes
    record = await selected(request, query)
    selector = path_text(request, "selector")
    content = await content_of(services, record, part)
    headers = version_headers(record, selector, content, version_path(record.agent_id, record.version) + below)
    return remembered(request, services.memory, content, headers, changes)


@reads(f"{PATH}/card")
async def read_card(request: AnyRequest) -> Answer:
    """Answer with the bytes as sent."""
    return await _part(request, Query.of(request, "accept_forced"), Part("card"), "/card")


@reads(f"{PATH}/contract")
async def read_contract(request: AnyRequest) -> Answer:
    """Answer with the normalised contract."""
    return await _part(request, Query.of(request, "accept_forced"), Part("contract"), "/contract")


@reads(f"{PATH}/a2a")
async def read_a2a(request: AnyRequest) -> Answer:
    """Answer with the A2A card, as sent or as a view."""
    query = Query.of(request, "accept_forced", "a2a_version")
    wanted = query.choice("a2a_version", ("1.0", "0.3"))
    part = Part("a2a-1.0") if wanted == "1.0" else Part("a2a-0.3") if wanted == "0.3" else Part("a2a")
    return await _part(request, query, part, f"/a2a?a2a_version={wanted}" if wanted else "/a2a")


async def _schema(request: AnyRequest, side: Side, operation: str | None) -> Answer:
    below = f"/schemas/{side}" + (f"/{segment(operation)}" if operation else "")
    return await _part(request, Query.of(request, "accept_forced"), Part("schema", side, operation), below)


@reads(f"{PATH}/schemas/input")
async def read_input_schema(request: AnyRequest) -> Answer:
    """Answer with the schema of what the agent takes."""
    return await _schema(request, "input", None)


@reads(f"{PATH}/schemas/output")
async def read_output_schema(request: AnyRequest) -> Answer:
    """Answer with the schema of what the agent gives."""
    return await _schema(request, "output", None)


@reads(f"{PATH}/schemas/input/{{operation:str}}")
async def read_operation_input_schema(request: AnyRequest) -> Answer:
    """Answer with the schema of what one operation takes."""
    return await _schema(request, "input", path_text(request, "operation"))


@reads(f"{PATH}/schemas/output/{{operation:str}}")
async def read_operation_output_schema(request: AnyRequest) -> Answer:
    """Answer with the schema of what one operation gives."""
    return await _schema(request, "output", path_text(request, "operation"))


@patch(PATH, status_code=200)
async def change_state(request: AnyRequest) -> Answer:
    """Move a version to another state, or give it another owner."""
    principal = await authenticated(request)
    query = Query.of(request)
    query.done()
    change = _state_change(await read_members(request, StateChange.__slots__))
    services, match = services_of(request), if_match(request)
    record = await services.catalog.change_state(
        path_text(request, "agent_id"),
        path_text(request, "selector"),
        change,
        None if match is None else ", ".join(tag if tag == "*" else quoted(tag) for tag in match),
        principal,
    )
    services.memory.forget_changing()
    headers = {"ETag": quoted(record.etag), "Registry-Sequence": str(record.sequence)}
    return json_answer(record_json(record), headers=joined(headers, lifecycle_headers(record)))


def _state_change(members: Any) -> StateChange:
    findings: list[Finding] = []
    state = members.get("state")
    if state not in (None, *STATES):
        findings.append(Finding("unknown-state", "/state", f"`state` is one of {', '.join(STATES)}"))
    findings += [
        Finding("not-text", f"/{name}", f"`{name}` is a text")
        for name in ("reason", "replaced_by", "sunset", "owner")
        if not isinstance(members.get(name), (str, type(None)))
    ]
    sunset = members.get("sunset")
    moment = parse_moment(sunset) if isinstance(sunset, str) else None
    if isinstance(sunset, str) and moment is None:
        message = "`sunset` is a time with its zone, as in 2027-06-30T00:00:00Z"
        findings.append(Finding("not-a-time", "/sunset", message))
    allowed = members.get("allow_breaking", [])
    if not isinstance(allowed, list) or not all(isinstance(one, str) for one in allowed):
        findings.append(Finding("not-texts", "/allow_breaking", "`allow_breaking` is a list of fingerprints"))
    if findings:
        raise InvalidRequest(findings)
    return StateChange(
        state=state,
        reason=members.get("reason"),
        replaced_by=members.get("replaced_by"),
        sunset=moment,
        allow_breaking=frozenset(allowed),
        owner=members.get("owner"),
    )
