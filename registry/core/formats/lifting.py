"""From a 0.2 or 0.3 card to the 1.0 form and back, without losing a member.

| 0.x | 1.0 |
| --- | --- |
| `url`, `preferredTransport`, `protocolVersion` | `supportedInterfaces[0]` |
| `additionalInterfaces` | the other `supportedInterfaces`, each once |
| `supportsAuthenticatedExtendedCard` | `capabilities.extendedAgentCard` |
| `security` (card and skills) | `securityRequirements` |
| `securitySchemes.X.type` | a wrapper; several OAuth flows: a scheme each |
| `signatures` | none: they sign the other form |

Everything else, unknown members too, stays as it is.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from registry.core.formats import security
from registry.core.formats.checks import minor_version, speaks_0_3
from registry.core.formats.structure import without_nulls

if TYPE_CHECKING:
    from collections.abc import Mapping

    from registry.core.card.model import Json, Kind

DEFAULT_TRANSPORT = "JSONRPC"
OLDEST_VERSION = "0.2"  # what a card without protocolVersion speaks: 0.2.5 made it required
EXTENDED = ("supportsAuthenticatedExtendedCard", "supportsExtendedAgentCard")  # the second: drafts between 0.3 and 1.0
CONVERTED = frozenset(
    {
        "url",
        "preferredTransport",
        "protocolVersion",
        "additionalInterfaces",
        "security",
        "securitySchemes",
        "signatures",
        *EXTENDED,
    }
)


def without_card_nulls(document: Mapping[str, Json], kind: Kind) -> dict[str, Json]:
    """Return a card's document without the optional members that are null."""
    stripped, _ = without_nulls(dict(document), kind)
    value: dict[str, Json] = stripped
    return value


def interfaces_with_places(card: Mapping[str, Json]) -> list[tuple[dict[str, Json], str]]:
    """Return a 0.x card's interfaces in the 1.0 spelling, the main one first, each with where it stands."""
    text = card.get("protocolVersion", "")
    version = minor_version(text) or text or OLDEST_VERSION
    main = (card["url"], card.get("preferredTransport", DEFAULT_TRANSPORT), "/url")
    others = [
        (item["url"], item["transport"], f"/additionalInterfaces/{at}")
        for at, item in enumerate(card.get("additionalInterfaces", []))
    ]
    found: dict[tuple[str, str], tuple[dict[str, Json], str]] = {}
    for url, binding, pointer in (main, *others):
        interface = {"url": url, "protocolBinding": binding, "protocolVersion": version}
        found.setdefault((url, binding), (interface, pointer))
    return list(found.values())


def lift(card: Mapping[str, Json]) -> dict[str, Json]:
    """Return the 1.0 form of a 0.x card without errors and nulls."""
    schemes, names = security.lift_schemes(card.get("securitySchemes", {}))
    capabilities = dict(card["capabilities"])
    for name in EXTENDED:
        if isinstance(card.get(name), bool):
            capabilities.setdefault("extendedAgentCard", card[name])
    lifted: dict[str, Json] = {name: value for name, value in card.items() if name not in CONVERTED}
    lifted["supportedInterfaces"] = [interface for interface, _ in interfaces_with_places(card)]
    lifted["capabilities"] = capabilities
    lifted["skills"] = [_lift_skill(skill, names) for skill in card["skills"]]
    if "securitySchemes" in card:
        lifted["securitySchemes"] = schemes
    if "security" in card:
        lifted["securityRequirements"] = security.lift_requirements(card["security"], names)
    return copy.deepcopy(lifted)


def _lift_skill(skill: Mapping[str, Json], names: Mapping[str, tuple[str, ...]]) -> dict[str, Json]:
    if "security" not in skill:
        return dict(skill)
    lifted = {name: value for name, value in skill.items() if name != "security"}
    return {**lifted, "securityRequirements": security.lift_requirements(skill["security"], names)}


def lower(card: Mapping[str, Json]) -> dict[str, Json] | None:
    """Return the 0.3 form of a 1.0 document, None when none of its interfaces speaks 0.3.

    An interface with a tenant is left out: a 0.3 client doesn't send the tenant back.
    """
    spoken = [
        interface
        for interface in card["supportedInterfaces"]
        if speaks_0_3(interface["protocolVersion"]) and not interface.get("tenant")
    ]
    if not spoken:
        return None
    main, *others = spoken
    moved = {"supportedInterfaces", "securityRequirements", "securitySchemes", "signatures"}
    lowered: dict[str, Json] = {name: value for name, value in card.items() if name not in moved}
    lowered["protocolVersion"] = f"{minor_version(main['protocolVersion'])}.0"
    lowered["url"], lowered["preferredTransport"] = main["url"], main["protocolBinding"]
    if others:
        lowered["additionalInterfaces"] = [
            {"url": item["url"], "transport": item["protocolBinding"]} for item in (main, *others)
        ]
    lowered["capabilities"] = {k: v for k, v in card["capabilities"].items() if k != "extendedAgentCard"}
    if "extendedAgentCard" in card["capabilities"]:
        lowered["supportsAuthenticatedExtendedCard"] = card["capabilities"]["extendedAgentCard"]
    if "securitySchemes" in card:
        schemes = card["securitySchemes"].items()
        lowered["securitySchemes"] = {name: security.lower_scheme(scheme) for name, scheme in schemes}
    if "securityRequirements" in card:
        lowered["security"] = security.lower_requirements(card["securityRequirements"])
    lowered["skills"] = [_lower_skill(skill) for skill in card["skills"]]
    return copy.deepcopy(lowered)


def _lower_skill(skill: Mapping[str, Json]) -> dict[str, Json]:
    if "securityRequirements" not in skill:
        return dict(skill)
    lowered = {name: value for name, value in skill.items() if name != "securityRequirements"}
    return {**lowered, "security": security.lower_requirements(skill["securityRequirements"])}
