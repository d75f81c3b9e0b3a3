"""The ``a2a:`` member of a contract card: what only A2A needs, in A2A 1.0's own spelling.

```yaml
a2a:
  supportedInterfaces: [{url: https://..., protocolBinding: JSONRPC, protocolVersion: "1.0"}]
  securitySchemes: {key: {apiKeySecurityScheme: {location: header, name: X-Key}}}
  securityRequirements: [{schemes: {key: {list: []}}}]
  capabilities: {streaming: true, extensions: [...]}
  defaultInputModes: [application/json]
  defaultOutputModes: [application/json]
  provider: {organization: ..., url: https://...}
  iconUrl: https://...
```
Every member is optional. Members of a 1.0 card that the contract card has itself (name, version, skills, ...) do not
belong here.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING

from registry.core.card.model import Interface, JsonSchema, Text
from registry.core.card.pointers import child
from registry.core.card.uris import EXTENSION_URI, HTTP_JSON_BINDING_URI, HTTP_JSON_VERSION
from registry.core.errors import Finding
from registry.core.formats import checks, security
from registry.core.formats.a2a_1_0 import MOVED, SCHEMA, ordered, part_findings, spelling_findings
from registry.core.formats.contracts import extensions_of, interfaces_of
from registry.core.formats.structure import bounded, structure_findings, without_nulls

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from registry.core.card.model import Extension, Json, Operation, Shape

PARTS = "ContractCardMember"
# Members of a 1.0 card that a contract card has in places of its own.
OF_THE_CARD: Mapping[str, str] = {
    "name": "`name`",
    "description": "`description`",
    "version": "`version`",
    "skills": "`skills`, or the card's own input and output",
    "documentationUrl": "`documentation_url`",
    "signatures": "nothing: signatures are added to a published version",
    "protocolVersion": "`supportedInterfaces[].protocolVersion`",
    "url": "`supportedInterfaces[].url`",
}


@dataclass(frozen=True, slots=True)
class A2aMember:
    """What an ``a2a:`` member adds to a contract; the members are named as ``Contract``'s.

    After errors (see ``findings``) the other members hold what could be read.
    """

    interfaces: tuple[Interface, ...] = ()
    security_schemes: Mapping[str, Json] = field(default_factory=dict)
    security: tuple[Mapping[str, tuple[str, ...]], ...] | None = None
    streaming: bool | None = None
    push_notifications: bool | None = None
    extended_card: bool | None = None
    extensions: tuple[Extension, ...] = ()
    input_modes: tuple[str, ...] = ()
    output_modes: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()


def a2a_member(
    value: Json, pointer: str, *, deployment_url: str | None, operations: Mapping[str, Operation]
) -> A2aMember:
    """Read a contract card's ``a2a`` member and fill in what follows from the rest of the card.

    ``value`` is the member (an empty object when the card has none), ``pointer`` where it stands ("/a2a").
    Without interfaces, ``deployment_url`` becomes one interface of our HTTP JSON binding; without modes, they
    follow from the operations' inputs and outputs (JSON: ``application/json``, text: ``text/plain``). So a contract
    card and its own A2A view hold the same contract. ``findings`` hold everything that is wrong in the member,
    without lines.
    """
    member, nulls = without_nulls(value, SCHEMA, PARTS)
    found = ordered(list(bounded(chain(nulls, _findings(member)))))
    findings = tuple(replace(finding, pointer=pointer + finding.pointer) for finding in found)
    if any(finding.level == "error" for finding in found):
        return A2aMember(findings=findings)
    capabilities = member.get("capabilities", {})
    interfaces = member.get("supportedInterfaces", [])
    places = [child(f"{pointer}/supportedInterfaces", at) for at in range(len(interfaces))]
    extensions = extensions_of(capabilities.get("extensions", []))
    return A2aMember(
        interfaces=interfaces_of(interfaces, places) or default_interfaces(deployment_url),
        security_schemes=security.contract_schemes(member.get("securitySchemes", {})),
        security=security.contract_requirements(member.get("securityRequirements")),
        streaming=capabilities.get("streaming"),
        push_notifications=capabilities.get("pushNotifications"),
        extended_card=capabilities.get("extendedAgentCard"),
        extensions=tuple(replace(extension, pointer=pointer + extension.pointer) for extension in extensions),
        input_modes=_modes(member.get("defaultInputModes", ()), [item.input for item in operations.values()]),
        output_modes=_modes(member.get("defaultOutputModes", ()), [item.output for item in operations.values()]),
        findings=findings,
    )


def default_interfaces(deployment_url: str | None) -> tuple[Interface, ...]:
    """Return the interface of an agent that is called with plain HTTP JSON at its deployment URL."""
    if not deployment_url:
        return ()
    return (Interface(HTTP_JSON_BINDING_URI, HTTP_JSON_VERSION, deployment_url, pointer="/deployment_url"),)


def _modes(given: Sequence[str], shapes: Sequence[Shape]) -> tuple[str, ...]:
    if given:
        return tuple(dict.fromkeys(given))
    is_json = any(isinstance(shape, JsonSchema) for shape in shapes)
    is_text = any(isinstance(shape, Text) for shape in shapes)
    return (*(("application/json",) if is_json else ()), *(("text/plain",) if is_text else ()))


def _findings(member: Json) -> Iterator[Finding]:
    if not isinstance(member, dict):
        yield Finding("wrong-type", "", "must be an object with members of an A2A 1.0 card")
        return
    own = {name: value for name, value in member.items() if name not in OF_THE_CARD}
    yield from structure_findings(own, SCHEMA, PARTS)
    yield from spelling_findings(own, SCHEMA, PARTS, exact="error")
    yield from part_findings(own)
    if security.asks_something(own.get("security")):
        message = "is the 0.3 spelling, which nobody reads here; write `securityRequirements`"
        yield Finding("old-security", "/security", message)
    for name in MOVED:
        if name in own:
            message = f"`{name}` means nothing here; write {MOVED[name]}"
            yield Finding("misplaced-member", child("", name), message, "warning")
    for name, place in OF_THE_CARD.items():
        if name in member:
            message = f"`{name}` belongs to the card itself, which has {place}; it is ignored here"
            yield Finding("misplaced-member", f"/{name}", message, "warning")
    for at, extension in checks.objects(checks.member(own.get("capabilities"), "extensions")):
        if extension.get("uri") == EXTENSION_URI:
            message = "is the extension that carries contracts; the A2A view gets it from this card's own contract"
            yield Finding("own-extension", f"/capabilities/extensions/{at}/uri", message, "warning")
