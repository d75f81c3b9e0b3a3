"""Which generation of A2A a document has the shape of; and what a document that has none looks like."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from registry.core.card.pointers import child
from registry.core.errors import Finding
from registry.core.formats.checks import minor_version

if TYPE_CHECKING:
    from collections.abc import Iterator

    from registry.core.card.model import Json, Kind

# Members that only our own contract cards have at the top; they decide against A2A.
CONTRACT_MARKS = ("card_format", "deployment_url", "input_schema", "output_schema", "input", "output", "operations")
# Members that only A2A cards have at the top, in either spelling.
A2A_MARKS = (
    "protocolVersion",
    "protocol_version",
    "protocolVersions",
    "defaultInputModes",
    "default_input_modes",
    "defaultOutputModes",
    "default_output_modes",
    "preferredTransport",
    "preferred_transport",
    "additionalInterfaces",
    "additional_interfaces",
    "securityRequirements",
    "supportsAuthenticatedExtendedCard",
)
INTERFACE_MARKS = ("supportedInterfaces", "supported_interfaces")
CAPABILITY_MARKS = ("streaming", "pushNotifications", "push_notifications", "stateTransitionHistory")
ENVELOPES = ("result", "card", "agent", "agent_card", "agentCard", "card_data", "data")
MAX_DEPTH = 5
MAX_PLACES = 2000


def recognise(value: Json) -> Kind | None:
    """Return the kind of A2A card that a document has the shape of, None when it has none.

    The shape decides, not the version that the document claims (facts: cards claim 1.0 in the shape of 0.3). An
    empty object is taken for a 1.0 card, so that its error names every member that is missing.
    """
    if not isinstance(value, dict):
        return None
    if not value or any(mark in value for mark in INTERFACE_MARKS):
        return "a2a-1.0"
    if any(mark in value for mark in CONTRACT_MARKS):
        return None
    if not (any(mark in value for mark in A2A_MARKS) or _is_early(value)):
        return None
    claim = claimed_version(value)
    if claim is None:
        return "a2a-0.2" if "url" in value else "a2a-1.0"
    if not claim.startswith("0."):
        return "a2a-0.3" if "url" in value else "a2a-1.0"
    return "a2a-0.3" if int(claim[2:]) >= 3 else "a2a-0.2"


def claimed_version(value: Json) -> str | None:
    """Return the Major.Minor that a card claims at its top, in either spelling, None without one."""
    for name in ("protocolVersion", "protocol_version"):
        claim = value.get(name) if isinstance(value, dict) else None
        if isinstance(claim, str):
            return minor_version(claim)
    return None


def _is_early(value: dict[str, Json]) -> bool:
    """Return whether a document with few marks is an A2A card of 0.2 or before all the same."""
    capabilities = value.get("capabilities")
    says_streaming = isinstance(capabilities, dict) and any(mark in capabilities for mark in CAPABILITY_MARKS)
    return "url" in value and "skills" in value and ("authentication" in value or says_streaming or _has_skills(value))


def _has_skills(value: dict[str, Json]) -> bool:
    skills = value["skills"]
    return isinstance(skills, list) and any(isinstance(skill, dict) and "id" in skill for skill in skills)


def explain_unrecognised(value: Json) -> Finding:
    """Say in one finding what a document that is no card looks like, and what to send instead."""
    if not isinstance(value, dict):
        kind = "a list" if isinstance(value, list) else "not an object"
        return Finding("not-a-card", "", f"is {kind}; a card is one JSON object")
    within = list(_cards_within(value))
    if len(within) == 1:
        pointer, kind = within[0]
        return Finding("wrapped-card", pointer, f"holds the card ({_generation(kind)}); send what stands there alone")
    if within:
        message = f"holds {len(within)} cards, the first at {within[0][0]}; send each one alone"
        return Finding("several-cards", _shared_parent([pointer for pointer, _ in within]), message)
    envelope = next((name for name in ENVELOPES if isinstance(value.get(name), dict)), None)
    inside = f"; nor is what stands under /{envelope}" if envelope else ""
    return Finding(
        "not-a-card",
        "",
        f"is no agent card: it has {_names(value)}, but neither `supportedInterfaces` (A2A 1.0), nor `url` with "
        f"`skills` (A2A 0.3), nor `agent_id` with a contract{inside}",
    )


def _cards_within(value: Json) -> Iterator[tuple[str, Kind]]:
    # Breadth first and bounded: the outermost cards, and no walk through a hostile document.
    places: deque[tuple[str, Json, int]] = deque([("", value, 0)])
    for _ in range(MAX_PLACES):
        if not places:
            return
        pointer, here, depth = places.popleft()
        kind = recognise(here) if depth and isinstance(here, dict) and "name" in here else None
        if kind is not None:
            yield pointer, kind
        elif depth < MAX_DEPTH and len(places) < MAX_PLACES:
            members = here.items() if isinstance(here, dict) else enumerate(here) if isinstance(here, list) else ()
            places.extend((child(pointer, name), item, depth + 1) for name, item in members)


def _shared_parent(pointers: list[str]) -> str:
    first = pointers[0].split("/")
    shared = 0
    while shared < len(first) and all(pointer.split("/")[: shared + 1] == first[: shared + 1] for pointer in pointers):
        shared += 1
    return "/".join(first[:shared])


def _generation(kind: Kind) -> str:
    return f"A2A {kind.removeprefix('a2a-')}"


def _names(value: dict[str, Json]) -> str:
    shown = [f"`{name[:40]}`" for name in list(value)[:6]]
    return ", ".join(shown) + (f" and {len(value) - 6} more" if len(value) > 6 else "")
