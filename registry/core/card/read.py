"""From bytes to a card, whatever kind it is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from registry.core.card import text
from registry.core.errors import Finding, InvalidCard
from registry.core.formats import FORMATS, contract_card, explain_unrecognised, recognise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from registry.core.card.model import Card, Json
    from registry.core.card.text import Document

# Members that only a contract card has.
CONTRACT_MARKS = ("input_schema", "output_schema", "error_codes", "deployment_url", "card_format", "retry_policy")


def read_card(data: bytes, *, agent_id: str | None = None, version: str | None = None) -> Card:
    """Read a card of any kind; the kind is told by its shape.

    ``agent_id`` and ``version`` are those of the call's path: for an A2A card they win (another version there is a
    warning), a contract card must say the same. Raises InvalidCard with every finding, TooLarge over 1 MiB.
    """
    document = text.parse(data)
    value = document.value
    kind = recognise(value)
    if kind is not None and kind in FORMATS and not _is_contract_card(value, kind):
        return _named(FORMATS[kind](document, data), document, agent_id, version)
    if isinstance(value, dict) and ("agent_id" in value or any(mark in value for mark in CONTRACT_MARKS)):
        return _contract_card(document, data, list(_names(value, agent_id, version)))
    finding = explain_unrecognised(value)
    line, column = document.place(finding.pointer)
    raise InvalidCard([replace(finding, line=line, column=column)])


def _is_contract_card(value: Json, kind: str) -> bool:
    """Say whether a document is a contract card although some A2A members stand in it."""
    if not isinstance(value, dict) or not value:
        return False
    return kind != "a2a-1.0" and "agent_id" in value and any(mark in value for mark in CONTRACT_MARKS)


def _named(card: Card, document: Document, agent_id: str | None, version: str | None) -> Card:
    """Give an A2A card the names of the call's path."""
    odd = []
    if version is not None and card.version is not None and card.version != version:
        message = f"`{card.version}` stands there, and it is published as {version}; the latter counts"
        odd.append(Finding("version-differs", "/version", message, "warning"))
    if agent_id is not None and card.agent_id is not None and card.agent_id != agent_id.lower():
        message = f"the card calls itself {card.agent_id}, and it is published as {agent_id}; the latter counts"
        odd.append(Finding("id-differs", "", message, "warning"))
    return replace(
        card,
        agent_id=agent_id.lower() if agent_id else card.agent_id,
        version=version or card.version,
        findings=(*card.findings, *document.located(odd)),
    )


def _contract_card(document: Document, data: bytes, differing: list[Finding]) -> Card:
    """Read a contract card, and refuse it under another name than its own: with all findings at once."""
    told = document.located(differing)
    try:
        card = contract_card.read(document, data)
    except InvalidCard as refused:
        raise InvalidCard([*told, *refused.findings]) from refused
    if told:
        raise InvalidCard([*told, *card.findings])
    return card


def _names(value: Json, agent_id: str | None, version: str | None) -> Iterator[Finding]:
    own_id, own_version = value.get("agent_id"), value.get("version")
    if agent_id is not None and isinstance(own_id, str) and own_id != agent_id.lower():
        message = f"is {own_id[:200]}, and the call says {agent_id}; make them the same"
        yield Finding("id-mismatch", "/agent_id", message)
    if version is not None and isinstance(own_version, str) and own_version != version:
        message = f"is {own_version[:200]}, and the call says {version}; make them the same"
        yield Finding("version-mismatch", "/version", message)
