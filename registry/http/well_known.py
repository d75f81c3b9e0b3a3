"""Where A2A clients look for an agent's card: bare, as it was sent, without redirect or envelope."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from litestar.connection import Request
from litestar.response import Response

from registry.core.errors import NotFound
from registry.http.answers import joined, remembered, version_headers
from registry.http.context import services_of
from registry.http.parameters import path_text
from registry.http.reading import Part, content_of, reads
from registry.http.rendering import agent_card_path

if TYPE_CHECKING:
    from registry.http.reading import Name

AnyRequest = Request[Any, Any, Any]
Answer = Response[bytes]
BASE = "/agents/{agent_id:str}"


@reads(f"{BASE}/.well-known/agent-card.json")
async def read_latest_agent_card(request: AnyRequest) -> Answer:
    """Answer with the A2A card of an agent's latest version."""
    return await _agent_card(request, "a2a", None)


@reads(f"{BASE}/.well-known/agent.json")
async def read_latest_legacy_agent_card(request: AnyRequest) -> Answer:
    """Answer with the same for clients from before A2A 0.3."""
    return await _agent_card(request, "a2a-legacy", None)


@reads(f"{BASE}/{{selector:str}}/.well-known/agent-card.json")
async def read_agent_card(request: AnyRequest) -> Answer:
    """Answer with the A2A card of one version."""
    return await _agent_card(request, "a2a", path_text(request, "selector"))


@reads(f"{BASE}/{{selector:str}}/.well-known/agent.json")
async def read_legacy_agent_card(request: AnyRequest) -> Answer:
    """Answer with the same for clients from before A2A 0.3."""
    return await _agent_card(request, "a2a-legacy", path_text(request, "selector"))


@reads("/.well-known/agent-card.json")
async def read_own_agent_card(request: AnyRequest) -> Answer:
    """Say that the registry is no A2A agent."""
    return _no_own_card(request)


@reads("/.well-known/agent.json")
async def read_own_legacy_agent_card(request: AnyRequest) -> Answer:
    """Say the same to clients from before A2A 0.3."""
    return _no_own_card(request)


def _no_own_card(_: AnyRequest) -> Answer:
    raise NotFound(
        "this registry speaks no A2A itself, so it has no card of its own; "
        "an agent's card is at /agents/{agent_id}/.well-known/agent-card.json, and /v1/agents lists the agents"
    )


async def _agent_card(request: AnyRequest, name: Name, selector: str | None) -> Answer:
    # A2A clients add parameters of their own (`A2A-Version`), so this is the one place that doesn't refuse them.
    services = services_of(request)
    changes = services.memory.changes
    record = await services.catalog.version(path_text(request, "agent_id"), selector or "latest")
    content = await content_of(services, record, Part(name))
    selected = agent_card_path(record.agent_id, record.version)
    place = selected.replace("agent-card.json", request.scope["path"].rpartition("/")[2])
    headers = version_headers(record, selector or "latest", content, place)
    if name == "a2a-legacy":
        canonical = f'<{agent_card_path(record.agent_id, selector)}>; rel="canonical"'  # RFC 6596
        headers = joined(headers, {"Link": canonical})
    return remembered(request, services.memory, content, headers, changes)
