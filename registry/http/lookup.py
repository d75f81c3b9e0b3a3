"""Routes over agents: the list, one agent, its history, and what two versions differ in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from litestar.connection import Request
from litestar.response import Response

from registry.catalog.records import AgentQuery
from registry.core.compat import rendering as reports
from registry.http.accepting import prefers
from registry.http.answers import conditional, json_content
from registry.http.context import services_of
from registry.http.memory import Content
from registry.http.parameters import Query, path_text
from registry.http.reading import reads
from registry.http.rendering import agent_json, agent_path, listed_json, summary_json
from registry.http.submitting import STATES

if TYPE_CHECKING:
    from collections.abc import Callable

    from registry.catalog.records import Page

AnyRequest = Request[Any, Any, Any]
Answer = Response[bytes]
_FILTERS = (
    "q", "tag", "capability", "skill", "namespace", "owner", "status", "protocol", "a2a_version", "input_mode",
    "output_mode", "has_contract", "updated_since",
)  # fmt: skip
_PAGE = ("limit", "cursor")
_DEFAULT_LIMIT = 50
TEXT = "text/plain"  # the framework adds the charset to texts


@reads("/v1/agents")
async def list_agents(request: AnyRequest) -> Answer:
    """List and search agents."""
    services = services_of(request)
    query = Query.of(request, *_FILTERS, *_PAGE)
    status: Any = query.choice("status", STATES)
    wanted = AgentQuery(
        q=query.text("q"),
        tags=query.texts("tag"),
        capability=query.text("capability"),
        skill=query.text("skill"),
        namespace=query.text("namespace"),
        owner=query.text("owner"),
        status=status,
        protocol=query.text("protocol"),
        a2a_version=query.text("a2a_version"),
        input_mode=query.text("input_mode"),
        output_mode=query.text("output_mode"),
        has_contract=query.boolean("has_contract"),
        updated_since=query.moment("updated_since"),
        limit=_limit(query, services.settings.page_limit),
        cursor=query.text("cursor"),
    )
    query.done()
    return _page(request, "/v1/agents", query, await services.catalog.agents(wanted), summary_json)


@reads("/v1/agents/{agent_id:str}")
async def read_agent(request: AnyRequest) -> Answer:
    """Answer with one agent."""
    Query.of(request).done()
    agent = await services_of(request).catalog.agent(path_text(request, "agent_id"))
    return conditional(request, json_content(agent_json(agent)))


@reads("/v1/agents/{agent_id:str}/versions")
async def read_history(request: AnyRequest) -> Answer:
    """List an agent's versions."""
    services = services_of(request)
    query = Query.of(request, *_PAGE)
    limit, cursor = _limit(query, services.settings.page_limit), query.text("cursor")
    query.done()
    agent_id = path_text(request, "agent_id")
    page = await services.catalog.history(agent_id, limit, cursor)
    return _page(request, f"{agent_path(agent_id)}/versions", query, page, listed_json)


@reads("/v1/agents/{agent_id:str}/diff")
async def read_diff(request: AnyRequest) -> Answer:
    """Compare two versions."""
    query = Query.of(request, "from", "to")
    old, new = query.needed("from"), query.needed("to")
    query.done()
    report = await services_of(request).catalog.diff(path_text(request, "agent_id"), old, new)
    if prefers(request.headers.get("accept", ""), "application/json", "text/plain") == "text/plain":
        content = Content.derived(reports.as_text(report).encode(), TEXT)
    else:
        content = json_content(reports.as_json(report))
    return conditional(request, content, {"Vary": "Accept"})


def _limit(query: Query, most: int) -> int:
    return query.whole("limit", _DEFAULT_LIMIT, 1, most)


def _page(request: AnyRequest, path: str, query: Query, page: Page[Any], render: Callable[[Any], Any]) -> Answer:
    content = json_content({"items": [render(item) for item in page.items], "next_cursor": page.next_cursor})
    if page.next_cursor is None:
        return conditional(request, content)
    following = urlencode([*query.others("cursor"), ("cursor", page.next_cursor)])
    return conditional(request, content, {"Link": f'<{path}?{following}>; rel="next"'})
