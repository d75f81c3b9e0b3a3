"""Every route there is, in one list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from litestar.enums import HttpMethod
from litestar.handlers import HTTPRouteHandler, route
from litestar.response import Response

from registry.http import (
    explaining,
    lookup,
    operations,
    policies,
    publishing,
    reference,
    validating,
    versions,
    well_known,
)

if TYPE_CHECKING:
    from collections.abc import Iterable


def options_of(handlers: Iterable[HTTPRouteHandler]) -> list[HTTPRouteHandler]:
    """Return a handler for OPTIONS of each path; the framework's own knows the first handler's methods only."""
    methods: dict[str, set[str]] = {}
    for handler in handlers:
        for path in handler.paths:
            methods.setdefault(path, {"OPTIONS"}).update(str(one) for one in handler.http_methods)
    return [_options(path, ", ".join(sorted(allowed))) for path, allowed in methods.items()]


def _options(path: str, allowed: str) -> HTTPRouteHandler:
    async def options() -> Response[None]:
        return Response(None, status_code=204, headers={"Allow": allowed})

    return route(path, http_method=HttpMethod.OPTIONS, status_code=204)(options)


def all_routes() -> list[HTTPRouteHandler]:
    """Return the routes."""
    return [
        lookup.list_agents,
        lookup.read_agent,
        lookup.read_history,
        lookup.read_diff,
        versions.read_record,
        versions.read_card,
        versions.read_contract,
        versions.read_a2a,
        versions.read_input_schema,
        versions.read_output_schema,
        versions.read_operation_input_schema,
        versions.read_operation_output_schema,
        versions.change_state,
        validating.validate,
        publishing.publish_version,
        publishing.publish_several,
        publishing.check,
        policies.read_policy,
        policies.set_policy,
        explaining.list_rules,
        explaining.read_rule,
        well_known.read_latest_agent_card,
        well_known.read_latest_legacy_agent_card,
        well_known.read_agent_card,
        well_known.read_legacy_agent_card,
        well_known.read_own_agent_card,
        well_known.read_own_legacy_agent_card,
        operations.live,
        operations.ready,
        reference.read_description,
        reference.read_reference,
        reference.read_start,
    ]
