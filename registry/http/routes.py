"""Every route there is, in one list."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    from litestar.types import ControllerRouterHandler


def all_routes() -> list[ControllerRouterHandler]:
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
