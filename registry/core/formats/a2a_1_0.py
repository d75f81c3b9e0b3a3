"""A2A 1.0 agent cards, alone or with the 0.3 members that a union card carries beside; and the 1.0 view of any card."""

from __future__ import annotations

import copy
import json
from itertools import chain
from typing import TYPE_CHECKING

from registry.core.card.lint import secret_findings
from registry.core.card.model import Text
from registry.core.card.pointers import child
from registry.core.card.uris import EXTENSION_URI
from registry.core.errors import Finding, InvalidCard, NoSuchView
from registry.core.formats import checks, extension, security
from registry.core.formats.contracts import make_card
from registry.core.formats.lifting import lift, without_card_nulls
from registry.core.formats.recognition import claimed_version
from registry.core.formats.spelling import snake_case
from registry.core.formats.structure import bounded, misspelt_members, structure_findings, without_nulls

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from registry.core.card.model import Card, Example, Interface, Json, Operation
    from registry.core.card.text import Document
    from registry.core.errors import Level

SCHEMA = "a2a-1.0"
# Members of other places or generations: 1.0 clients don't see them where they stand.
MOVED: Mapping[str, str] = {
    "extensions": "`capabilities.extensions`",
    "supportsAuthenticatedExtendedCard": "`capabilities.extendedAgentCard`",
    "supportsExtendedAgentCard": "`capabilities.extendedAgentCard`",
    "streaming": "`capabilities.streaming`",
    "pushNotifications": "`capabilities.pushNotifications`",
    "authentication": "`securitySchemes` and `securityRequirements`",
    "additionalInterfaces": "`supportedInterfaces`",
    "preferredTransport": "`supportedInterfaces`",
}
HYBRID_MEMBERS = frozenset({"supportsAuthenticatedExtendedCard", "additionalInterfaces", "preferredTransport"})


# What the view makes itself: a member of that name under `a2a` is ignored (``member`` says so).
OWNED = frozenset({"signatures", "skills", "url", "protocolVersion", "documentationUrl", "security"})


def read(document: Document, raw: bytes) -> Card:
    """Read a 1.0 card. Raises InvalidCard with every finding, each with its place."""
    value, nulls = without_nulls(document.value, SCHEMA)
    value, legacy_nulls = without_nulls(value, SCHEMA, "HybridMembers")
    findings = bounded(chain(_claims(value), nulls, legacy_nulls, _findings(value)))
    located = document.located(ordered(list(findings)))
    if any(finding.level == "error" for finding in located):
        raise InvalidCard(located)
    pointers = [child("/supportedInterfaces", at) for at in range(len(value["supportedInterfaces"]))]
    return make_card("a2a-1.0", document, raw, lifted=value, interface_pointers=pointers, findings=located)


def _findings(card: Json) -> Iterator[Finding]:
    yield from structure_findings(card, SCHEMA)
    yield from spelling_findings(card, SCHEMA, exact="error")
    yield from part_findings(card)
    yield from _old_security_findings(card)
    if isinstance(card, dict) and "url" in card:
        yield from _hybrid_findings(card)
    skills = checks.member(card, "skills")
    yield from checks.text_findings(checks.member(card, "name"), "/name")
    yield from checks.mode_findings(card)
    yield from checks.skill_findings(skills)
    schemes = checks.member(card, "securitySchemes")
    for at, skill in checks.objects(skills):
        pointer = f"/skills/{at}/securityRequirements"
        yield from security.requirement_findings_1_0(skill.get("securityRequirements"), pointer, schemes)
    yield from extension_params_findings(card)
    yield from checks.signature_findings(checks.member(card, "signatures"))
    yield from secret_findings(card)
    for name in MOVED:
        is_legacy = isinstance(card, dict) and "url" in card and name in HYBRID_MEMBERS
        if isinstance(card, dict) and name in card and not is_legacy:
            message = f"`{name}` means nothing here in A2A 1.0; clients look at {MOVED[name]}"
            yield Finding("misplaced-member", child("", name), message, "warning")


def part_findings(card: Json) -> Iterator[Finding]:
    """Yield what is wrong in the parts that a 1.0 card and the ``a2a`` member of a contract card share."""
    for at, interface in checks.objects(checks.member(card, "supportedInterfaces")):
        pointer = f"/supportedInterfaces/{at}"
        binding = interface.get("protocolBinding")
        yield from checks.endpoint_findings(interface.get("url"), f"{pointer}/url", binding)
        yield from checks.binding_findings(binding, f"{pointer}/protocolBinding")
        yield from checks.protocol_version_findings(interface.get("protocolVersion"), f"{pointer}/protocolVersion")
    schemes = checks.member(card, "securitySchemes")
    yield from security.scheme_findings_1_0(schemes, "/securitySchemes")
    requirements = checks.member(card, "securityRequirements")
    yield from security.requirement_findings_1_0(requirements, "/securityRequirements", schemes)
    yield from checks.extension_findings(checks.member(card, "capabilities"))
    yield from checks.link_findings(card)


def extension_params_findings(card: Json) -> list[Finding]:
    """Return what is wrong in the contract that our extension carries in a card of any generation."""
    place = extension.place_of(card)
    if place is None:
        return []
    return extension.params_findings(place[1], place[0], checks.member(card, "skills"))


def spelling_findings(card: Json, schema: str, definition: str | None = None, *, exact: Level) -> Iterator[Finding]:
    """Yield members whose names were probably meant otherwise.

    ``exact`` is the level of a known member in snake_case; a misspelt security member is always an error, since the
    card would read as one that asks for nothing.
    """
    for pointer, name, meant in misspelt_members(card, schema, definition):
        is_snake = name == snake_case(meant)
        hides_security = meant.lower().startswith("security")
        level: Level = "error" if hides_security else exact if is_snake else "warning"
        message = f"`{name}` is read by nobody; did you mean `{meant}`?"
        yield Finding("misspelt-member", pointer, message, level)


def ordered(findings: Sequence[Finding]) -> list[Finding]:
    """Return findings without those that a more telling one at the same place makes superfluous."""
    blunt = {"wrong-type", "missing-alternative", "missing-member", "invalid-member"}
    told = {finding.pointer for finding in findings if finding.level == "error" and finding.code not in blunt}
    kept = [finding for finding in findings if finding.code not in blunt or finding.pointer not in told]
    return list(dict.fromkeys(kept))


def _claims(card: Json) -> Iterator[Finding]:
    claim = claimed_version(card)
    if claim is not None and claim.startswith("0.") and "url" not in card:
        message = f"says {claim}, but the card has `supportedInterfaces`, the shape of A2A 1.0; read as 1.0"
        yield Finding("claimed-version", "/protocolVersion", message, "warning")


def _old_security_findings(card: Json) -> Iterator[Finding]:
    holders = [("", card), *((f"/skills/{at}", skill) for at, skill in checks.objects(checks.member(card, "skills")))]
    for pointer, holder in holders:
        if not isinstance(holder, dict) or "security" not in holder:
            continue
        if holder.get("securityRequirements"):
            continue
        asks = security.asks_something(holder["security"])
        message = "is the 0.3 spelling: 1.0 clients don't see it and would read that no authentication is needed"
        then = "; write it as `securityRequirements`" if asks else "; it asks nothing, leave it out"
        yield Finding("old-security", f"{pointer}/security", message + then, "error" if asks else "warning")


def _hybrid_findings(card: Mapping[str, Json]) -> Iterator[Finding]:
    """Yield where the 0.3 members of a union card are malformed, or say something else than the 1.0 ones."""
    yield from structure_findings(card, SCHEMA, "HybridMembers")
    url = card["url"]
    urls = [interface.get("url") for _, interface in checks.objects(card.get("supportedInterfaces"))]
    if isinstance(url, str) and url not in urls:
        yield from checks.endpoint_findings(url, "/url")
        message = "is the URL of no interface: 0.3 and 1.0 clients would call different places"
        yield Finding("hybrid-disagrees", "/url", message, "warning")
    for at, interface in checks.objects(card.get("additionalInterfaces")):
        yield from checks.endpoint_findings(interface.get("url"), f"/additionalInterfaces/{at}/url")
    if _says_otherwise(card):
        message = "asks for something else than `securityRequirements`; 1.0 clients go by those"
        yield Finding("hybrid-disagrees", "/security", message, "warning")


def _says_otherwise(card: Mapping[str, Json]) -> bool:
    old, new = card.get("security"), card.get("securityRequirements")
    if not isinstance(old, list) or not isinstance(new, list) or not new:
        return False
    spelt = [
        {"schemes": {name: {"list": scopes} if scopes else {} for name, scopes in requirement.items()}}
        for _, requirement in checks.objects(old)
    ]
    try:
        return security.contract_requirements(spelt) != security.contract_requirements(new)
    except (AttributeError, TypeError):  # malformed: reported where it stands
        return False


def view(card: Card) -> dict[str, Json]:
    """Return the A2A 1.0 card of a card of any kind.

    A 1.0 card's view is its own document. What is converted has no signatures: they would not verify. Raises NoSuchView
    for a contract card that names nothing to call.
    """
    if card.kind == "a2a-1.0":
        return copy.deepcopy(dict(card.document))
    if card.kind == "contract":
        return _view_of_contract(card)
    return lift(without_card_nulls(card.document, card.kind))


def _view_of_contract(card: Card) -> dict[str, Json]:
    given = card.document.get("a2a")
    member: dict[str, Json] = without_nulls(given, SCHEMA)[0] if isinstance(given, dict) else {}
    contract = card.contract
    if not contract.interfaces:
        raise NoSuchView(
            "a2a-1.0", "it has no `deployment_url` and no interfaces under `a2a`, so there is nothing to call"
        )
    capabilities = dict(member.get("capabilities", {}))
    others = [item for item in capabilities.pop("extensions", []) if item["uri"] != EXTENSION_URI]
    ours = {
        "uri": EXTENSION_URI,
        "description": "The contract of each skill: what it takes, gives, and how it fails",
        "params": extension.write_params(card),
    }
    made: dict[str, Json] = {
        **{name: value for name, value in member.items() if name not in OWNED},
        "name": card.name,
        "description": card.description,
        "version": card.version or card.version_text or "",
        "supportedInterfaces": member.get("supportedInterfaces") or [_interface(item) for item in contract.interfaces],
        "capabilities": {**capabilities, "extensions": [*others, ours]},
        "defaultInputModes": list(contract.input_modes),
        "defaultOutputModes": list(contract.output_modes),
        "skills": [_skill(operation, card) for operation in contract.operations.values()],
    }
    if card.documentation_url:
        made["documentationUrl"] = card.documentation_url
    return copy.deepcopy(made)


def _interface(interface: Interface) -> dict[str, Json]:
    made = {
        "url": interface.url,
        "protocolBinding": interface.binding,
        "protocolVersion": interface.protocol_version,
    }
    return {**made, "tenant": interface.tenant} if interface.tenant else made


def _skill(operation: Operation, card: Card) -> dict[str, Json]:
    skill: dict[str, Json] = {
        "id": operation.id,
        "name": operation.name or card.name,
        "description": operation.description or card.description,
        "tags": list(operation.tags),
    }
    examples = [_prompt(operation, example) for example in operation.examples if "input" in example.members]
    optional = {
        "examples": examples,
        "inputModes": list(operation.input_modes or ()),
        "outputModes": list(operation.output_modes or ()),
        "securityRequirements": [
            {"schemes": {name: {"list": list(scopes)} if scopes else {} for name, scopes in alternative.items()}}
            for alternative in operation.security or ()
        ],
    }
    return {**skill, **{name: value for name, value in optional.items() if value}}


def _prompt(operation: Operation, example: Example) -> str:
    if isinstance(operation.input, Text) and isinstance(example.input, str):
        return example.input
    return json.dumps(example.input, ensure_ascii=False)
