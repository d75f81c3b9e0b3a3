"""From an A2A 1.0 document without errors to the card and contract that it stands for.

Cards of older generations are lifted to the 1.0 form first, so that the same agent written in any generation has
the same contract.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from registry.core.card.contract import digests
from registry.core.card.model import Card, Contract, Extension, Interface, Operation, Undeclared
from registry.core.card.names import is_semver
from registry.core.card.pointers import child
from registry.core.card.uris import EXTENSION_URI
from registry.core.errors import Finding, InvalidCard
from registry.core.formats import extension
from registry.core.formats.checks import minor_version
from registry.core.formats.security import contract_requirements, contract_schemes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from registry.core.card.model import Json, Kind
    from registry.core.card.text import Document


def make_card(
    kind: Kind,
    document: Document,
    raw: bytes,
    *,
    lifted: Mapping[str, Json],
    interface_pointers: Sequence[str],
    findings: Sequence[Finding],
) -> Card:
    """Return the card that a document stands for.

    ``lifted`` is its 1.0 form without nulls, ``interface_pointers`` where each of its interfaces stands in the
    document, ``findings`` its warnings. Raises InvalidCard when the digest in our extension is another contract's.
    """
    place = extension.place_of(lifted)
    carried = extension.read_params(place[1], place[0]) if place and place[1] is not None else extension.Carried()
    contract = contract_of(lifted, carried, interface_pointers)
    made = digests(raw, document.value, contract)
    if carried.contract_digest is not None and carried.contract_digest != made.contract:
        pointer = f"{carried.pointer}/contract_digest"
        message = (
            f"is {carried.contract_digest[:80]}, but the contract in this card is {made.contract}; write the card anew"
        )
        raise InvalidCard([*document.located([Finding("contract-digest", pointer, message)]), *findings])
    text = lifted["version"]
    version = next((found for found in (text, carried.version) if found is not None and is_semver(found)), None)
    odd = document.located(_version_findings(text, version))
    return Card(
        kind=kind,
        raw=raw,
        document=document.value,
        digests=made,
        agent_id=carried.agent_id,
        version=version,
        version_text=text,
        name=lifted["name"],
        description=lifted["description"],
        contract=contract,
        owner=carried.owner,
        tags=_distinct(tag for skill in lifted["skills"] for tag in skill["tags"]),
        documentation_url=lifted.get("documentationUrl") or None,
        findings=(*findings, *odd),
    )


def contract_of(lifted: Mapping[str, Json], carried: extension.Carried, interface_pointers: Sequence[str]) -> Contract:
    """Return the contract of a 1.0 document without errors and nulls, with what our extension says in it."""
    capabilities = lifted["capabilities"]
    operations = (
        _operation(skill, carried.operations.get(skill["id"]), child("/skills", at))
        for at, skill in enumerate(lifted["skills"])
    )
    return Contract(
        operations={operation.id: operation for operation in operations},
        capabilities=carried.capabilities,
        tools=carried.tools,
        guarantees=carried.guarantees,
        limits=carried.limits,
        budget=carried.budget,
        interfaces=interfaces_of(lifted["supportedInterfaces"], interface_pointers),
        security_schemes=contract_schemes(lifted.get("securitySchemes", {})),
        security=contract_requirements(lifted.get("securityRequirements")),
        streaming=capabilities.get("streaming"),
        push_notifications=capabilities.get("pushNotifications"),
        extended_card=capabilities.get("extendedAgentCard"),
        extensions=extensions_of(capabilities.get("extensions", [])),
        input_modes=_distinct(lifted["defaultInputModes"]),
        output_modes=_distinct(lifted["defaultOutputModes"]),
    )


def interfaces_of(interfaces: Sequence[Mapping[str, Json]], pointers: Sequence[str]) -> tuple[Interface, ...]:
    """Return the interfaces of a 1.0 document; one that is listed twice counts once."""
    found: dict[Interface, None] = {}
    for interface, pointer in zip(interfaces, pointers, strict=True):
        version = interface["protocolVersion"]
        made = Interface(
            binding=interface["protocolBinding"],
            protocol_version=minor_version(version) or version,
            url=interface["url"],
            tenant=interface.get("tenant", ""),
            pointer=pointer,
        )
        found.setdefault(made)
    return tuple(found)


def extensions_of(extensions: Sequence[Mapping[str, Json]]) -> tuple[Extension, ...]:
    """Return the extensions that a 1.0 document declares, without ours."""
    return tuple(
        Extension(
            uri=item["uri"],
            required=item.get("required", False),
            description=item.get("description", ""),
            params=item.get("params"),
            pointer=f"/capabilities/extensions/{at}",
        )
        for at, item in enumerate(extensions)
        if item["uri"] != EXTENSION_URI
    )


def _operation(skill: Mapping[str, Json], carried: Operation | None, pointer: str) -> Operation:
    contract = carried or Operation(skill["id"], "", "", Undeclared(pointer), Undeclared(pointer), {}, {})
    return replace(
        contract,
        name=skill["name"],
        description=skill["description"],
        tags=_distinct(skill["tags"]),
        # ProtoJSON: an empty list is an absent one, so the card's defaults hold.
        input_modes=_distinct(skill.get("inputModes", ())) or None,
        output_modes=_distinct(skill.get("outputModes", ())) or None,
        security=contract_requirements(skill.get("securityRequirements")),
        pointer=pointer,
    )


def _version_findings(text: str, version: str | None) -> list[Finding]:
    if is_semver(text):
        return []
    then = f"the extension's `{version}` counts" if version else "give one when you publish"
    message = f"`{text[:40]}` is no SemVer version; {then}"
    return [Finding("version-not-semver", "/version", message, "warning")]


def _distinct(items: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(items))
