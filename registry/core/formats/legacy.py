"""Reading a card in the 0.x shape: one `url` at the top, OpenAPI's security schemes."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from registry.core.card.lint import secret_findings
from registry.core.errors import Finding, InvalidCard
from registry.core.formats import checks, security
from registry.core.formats.a2a_1_0 import extension_params_findings, ordered, spelling_findings
from registry.core.formats.contracts import make_card
from registry.core.formats.lifting import interfaces_with_places, lift
from registry.core.formats.recognition import claimed_version
from registry.core.formats.structure import bounded, structure_findings, without_nulls

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from registry.core.card.model import Card, Json, Kind
    from registry.core.card.text import Document

ASKS_NOTHING = ("none", "public", "anonymous", "")
# Members that stand elsewhere in 0.x, or came with 1.0.
MOVED: Mapping[str, str] = {
    "extensions": "`capabilities.extensions`",
    "streaming": "`capabilities.streaming`",
    "pushNotifications": "`capabilities.pushNotifications`",
    "interfaces": "`additionalInterfaces`",
}


def read_legacy(kind: Kind, document: Document, raw: bytes) -> Card:
    """Read a card in the 0.x shape. Raises InvalidCard with every finding, each with its place."""
    value, nulls = without_nulls(document.value, kind)
    faults = list(bounded(chain(nulls, _findings(value, kind))))
    refused = any(finding.level == "error" for finding in faults)
    located = document.located(ordered([*_claims(value, refused=refused), *faults]))
    if any(finding.level == "error" for finding in located):
        raise InvalidCard(located)
    pointers = [pointer for _, pointer in interfaces_with_places(value)]
    return make_card(kind, document, raw, lifted=lift(value), interface_pointers=pointers, findings=located)


def _claims(card: Json, *, refused: bool) -> Iterator[Finding]:
    """Yield what the card is by its shape, where that isn't what it says or is too old: this comes first."""
    claim = claimed_version(card)
    if claim is not None and not claim.startswith("0."):
        message = (
            f"says {claim}, but the card has the shape of A2A 0.3 (`url` instead of `supportedInterfaces`); "
            "read as 0.3. Say 0.3.0, or write `supportedInterfaces`"
        )
        yield Finding("claimed-version", "/protocolVersion", message, "warning")
    given = checks.member(card, "authentication")
    if given is None or "securitySchemes" in card or "security" in card:
        return
    if claim is None and (refused or not _asks_nothing(given)):
        message = (
            "is how cards before A2A 0.2 asked for credentials: this card is older than any that is read here. "
            "Publish it as A2A 1.0 (or 0.3), with `securitySchemes` and `securityRequirements` (0.3: `security`)"
        )
        yield Finding("pre-0.2-card", "/authentication", message)
    else:
        message = "is read by no client since A2A 0.2; say it as `securitySchemes` and `security`, or leave it out"
        yield Finding("old-authentication", "/authentication", message, "warning")


def _asks_nothing(authentication: Json) -> bool:
    if isinstance(authentication, dict):
        schemes = authentication.get("schemes", [])
        return authentication.get("required") is False or (
            isinstance(schemes, list)
            and all(isinstance(item, str) and item.lower() in ASKS_NOTHING for item in schemes)
        )
    return isinstance(authentication, str) and authentication.lower() in ASKS_NOTHING


def _findings(card: Json, kind: Kind) -> Iterator[Finding]:
    yield from structure_findings(card, kind)
    yield from spelling_findings(card, kind, exact="warning")
    yield from _version_findings(card)
    yield from _interface_findings(card)
    yield from _security_findings(card)
    yield from checks.text_findings(checks.member(card, "name"), "/name")
    yield from checks.mode_findings(card)
    yield from checks.skill_findings(checks.member(card, "skills"))
    yield from checks.extension_findings(checks.member(card, "capabilities"))
    yield from extension_params_findings(card)
    yield from checks.signature_findings(checks.member(card, "signatures"))
    yield from checks.link_findings(card)
    yield from secret_findings(card)
    for name, place in MOVED.items():
        if isinstance(card, dict) and name in card:
            message = f"`{name}` means nothing here in A2A 0.x; clients look at {place}"
            yield Finding("misplaced-member", f"/{name}", message, "warning")


def _version_findings(card: Json) -> Iterator[Finding]:
    version = checks.member(card, "protocolVersion")
    if isinstance(version, str) and checks.minor_version(version) is None:
        message = f"`{version[:40]}` is no protocol version; write one such as `0.3.0`"
        yield Finding("protocol-version", "/protocolVersion", message)
    if isinstance(card, dict) and "protocolVersion" not in card and claimed_version(card) is None:
        message = "`protocolVersion` is missing; read as A2A 0.2. Newer clients assume 0.3.0, so say which it is"
        yield Finding("no-protocol-version", "/protocolVersion", message, "warning")


def _interface_findings(card: Json) -> Iterator[Finding]:
    main = checks.member(card, "preferredTransport")
    yield from checks.endpoint_findings(checks.member(card, "url"), "/url", main)
    yield from checks.binding_findings(main, "/preferredTransport")
    for at, interface in checks.objects(checks.member(card, "additionalInterfaces")):
        pointer, transport = f"/additionalInterfaces/{at}", interface.get("transport")
        yield from checks.endpoint_findings(interface.get("url"), f"{pointer}/url", transport)
        yield from checks.binding_findings(transport, f"{pointer}/transport")


def _security_findings(card: Json) -> Iterator[Finding]:
    schemes = checks.member(card, "securitySchemes")
    yield from security.scheme_findings_0_x(schemes, "/securitySchemes")
    skills = checks.objects(checks.member(card, "skills"))
    holders = [("", card), *((f"/skills/{at}", skill) for at, skill in skills)]
    alternatives = 0
    for pointer, holder in holders:
        given = checks.member(holder, "security")
        fitted = alternatives <= security.MAX_ALTERNATIVES
        alternatives += security.count_alternatives(given, schemes)
        if fitted and alternatives > security.MAX_ALTERNATIVES:
            message = (
                f"needs over {security.MAX_ALTERNATIVES} alternatives in A2A 1.0, one for each OAuth flow; "
                "split the schemes"
            )
            yield Finding("too-many-alternatives", f"{pointer}/security", message)
        yield from security.requirement_findings_0_x(given, f"{pointer}/security", schemes)
        newer = checks.member(holder, "securityRequirements")
        if newer and not given and security.asks_something(newer):
            message = "is the 1.0 spelling: 0.x clients would read that no authentication is needed; write `security`"
            yield Finding("new-security", f"{pointer}/securityRequirements", message)
