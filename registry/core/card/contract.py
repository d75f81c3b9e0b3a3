"""The normalised contract: what callers rely on, without texts, URLs, owner or state; and a card's digests."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from registry.core.card.canonical import canonical, digest
from registry.core.card.keywords import without_annotations
from registry.core.card.model import Digests, JsonSchema, Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from registry.core.card.model import Contract, Failure, Json, Operation, Shape, Tool

# What the normalised contract can hold; it says so itself, so that a reader of one knows what a digest covers.
FIELDS = (
    "operations", "capabilities", "tools", "guarantees", "limits", "budget", "interfaces", "security_schemes",
    "security", "streaming", "push_notifications", "extended_card", "extensions", "input_modes", "output_modes",
)  # fmt: skip
FAILURE_FLAGS = ("retryable", "partial", "person", "safe_to_ignore", "retry_after_s")
TOOL_FLAGS = ("read_only", "destructive", "idempotent", "open_world")


def contract_document(contract: Contract) -> dict[str, Json]:
    """Return the normalised contract: equal for every kind of card that says the same.

    Syntax alone is normalised: what is not said is left out, lists without an order are sorted, an operation's modes
    and security stand only where they differ from the card's, annotations of schemas that promise nothing are gone.
    Held are the members that ``fields`` names; never URLs, tenants, texts, tags, examples, owner and state.
    """
    shared: dict[str, Json] = {
        "security": _security(contract.security),
        "input_modes": sorted(set(contract.input_modes)),
        "output_modes": sorted(set(contract.output_modes)),
    }
    members: dict[str, Json] = {
        "operations": {name: _operation(item, shared) for name, item in sorted(contract.operations.items())},
        "capabilities": sorted(set(contract.capabilities)),
        "tools": {name: _tool(tool) for name, tool in sorted(contract.tools.items())},
        "guarantees": {
            item.name: getattr(contract.guarantees, item.name)
            for item in fields(contract.guarantees)
            if getattr(contract.guarantees, item.name) is not None
        },
        "limits": dict(sorted(contract.limits.items())),
        "budget": dict(sorted(contract.budget.items())),
        "interfaces": [
            {"binding": binding, "protocol_version": version}
            for binding, version in sorted({(item.binding, item.protocol_version) for item in contract.interfaces})
        ],
        "security_schemes": {name: _scheme(body) for name, body in sorted(contract.security_schemes.items())},
        # A2A reads an absent flag as false.
        "streaming": contract.streaming or None,
        "push_notifications": contract.push_notifications or None,
        "extended_card": contract.extended_card or None,
        "extensions": sorted(
            (
                {"uri": item.uri, "required": item.required}
                | ({} if item.params in (None, {}) else {"params": item.params})
                for item in contract.extensions
            ),
            key=canonical,
        ),
        **shared,
    }
    said = {name: members[name] for name in FIELDS if members[name] not in (None, [], {})}
    return {"contract_format": 0, "fields": list(FIELDS), **said}


def contract_digest(contract: Contract) -> str:
    """Return the digest of the normalised contract: it tells whether anything changed for callers."""
    return digest(canonical(contract_document(contract)))


def card_digest(document: Mapping[str, Json]) -> str:
    """Return the digest of a card without its signatures: it tells whether this is the same card."""
    return digest(canonical({name: member for name, member in document.items() if name != "signatures"}))


def digests(raw: bytes, document: Mapping[str, Json], contract: Contract) -> Digests:
    """Return a card's three digests. Readers call this once, when they make a Card."""
    return Digests(raw=digest(raw), card=card_digest(document), contract=contract_digest(contract))


def _operation(operation: Operation, shared: Mapping[str, Json]) -> dict[str, Json]:
    """Return one operation; ``shared`` is what holds for all of them unless they say otherwise."""
    failures = {kind: _failure(failure) for kind, failure in sorted(operation.failures.items())}
    pauses = {name: _given({"answer": shape_document(item.answer)}) for name, item in sorted(operation.pauses.items())}
    members = {
        "input": shape_document(operation.input),
        "output": shape_document(operation.output),
        "pauses": pauses or None,
        "failures": failures or None,
        "input_modes": None if operation.input_modes is None else sorted(set(operation.input_modes)),
        "output_modes": None if operation.output_modes is None else sorted(set(operation.output_modes)),
        "security": _security(operation.security) or None,
    }
    return _given({name: None if member == shared.get(name) else member for name, member in members.items()})


def shape_document(shape: Shape) -> dict[str, Json] | None:
    """Return an input, output or answer as the normalised contract holds it; None when it is undeclared."""
    if isinstance(shape, Text):
        return {"kind": "text"}
    if isinstance(shape, JsonSchema):
        return {"kind": "json", "schema": without_annotations(shape.schema)}
    return None


def _failure(failure: Failure) -> dict[str, Json]:
    return _given({name: getattr(failure, name) for name in FAILURE_FLAGS})


def _tool(tool: Tool) -> dict[str, Json]:
    return _given({name: getattr(tool, name) for name in TOOL_FLAGS})


def _security(alternatives: Iterable[Mapping[str, Iterable[str]]] | None) -> list[Json]:
    spelt = ({name: sorted(set(scopes)) for name, scopes in item.items()} for item in alternatives or ())
    # An OR of ANDs has no order; canonical bytes give it one.
    distinct = {canonical(item): item for item in spelt}
    return [distinct[key] for key in sorted(distinct)]


def _scheme(wrapped: Json) -> Json:
    """Return a security scheme in the A2A 1.0 spelling without its texts; a flow's scopes keep their names."""
    if not isinstance(wrapped, dict):
        return wrapped
    return {wrapper: _scheme_body(body) for wrapper, body in wrapped.items()}


def _scheme_body(body: Json) -> Json:
    if not isinstance(body, dict):
        return body
    kept = {name: member for name, member in body.items() if name != "description"}
    if isinstance(kept.get("flows"), dict):
        kept["flows"] = {name: _flow(flow) for name, flow in kept["flows"].items()}
    return kept


def _flow(flow: Json) -> Json:
    if not isinstance(flow, dict) or not isinstance(flow.get("scopes"), dict):
        return flow
    return {**flow, "scopes": sorted(flow["scopes"])}


def _given(members: Mapping[str, Json]) -> dict[str, Json]:
    return {name: member for name, member in members.items() if member is not None}
