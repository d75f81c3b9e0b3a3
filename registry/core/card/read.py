"""From bytes to a card, whatever kind it is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from registry.core.card import contract_card, text
from registry.core.card.lint import secret_findings
from registry.core.errors import Finding, InvalidCard

if TYPE_CHECKING:
    from registry.core.card.model import Card, Json
    from registry.core.card.text import Document

# Members that only a contract card has.
CONTRACT_MARKS = ("input_schema", "output_schema", "error_codes", "deployment_url", "card_format", "retry_policy")


def read_card(data: bytes, *, agent_id: str | None = None, version: str | None = None) -> Card:
    """Read a card of any kind; the kind is told by its shape.

    ``agent_id`` and ``version`` are those of the call's path: for an A2A card they win (another version there is a
    warning), a contract card must say the same. Raises InvalidCard with every finding, TooLarge over 1 MiB.
    """
    from registry.core.formats import FORMATS, explain_unrecognised, recognise  # noqa: PLC0415 - formats use this package

    document = text.parse(data)
    value = document.value
    kind = recognise(value)
    if kind is not None and kind in FORMATS and not _is_contract_card(value, kind):
        return _named(FORMATS[kind](document, data), document, agent_id, version)
    if isinstance(value, dict) and ("agent_id" in value or any(mark in value for mark in CONTRACT_MARKS)):
        card = contract_card.read(document, data)
        _check_names(card, document, agent_id, version)
        return card
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
    findings = [*card.findings, *document.placed(secret_findings(card.document))]
    if version is not None and card.version is not None and card.version != version:
        message = f"`{card.version}` stands there, and it is published as {version}; the latter counts"
        findings += document.placed([Finding("version-differs", "/version", message, "warning")])
    if agent_id is not None and card.agent_id is not None and card.agent_id != agent_id.lower():
        message = f"the card calls itself {card.agent_id}, and it is published as {agent_id}; the latter counts"
        findings.append(Finding("id-differs", "", message, "warning"))
    return replace(
        card,
        agent_id=agent_id.lower() if agent_id else card.agent_id,
        version=version or card.version,
        findings=tuple(findings),
    )


def _check_names(card: Card, document: Document, agent_id: str | None, version: str | None) -> None:
    """Refuse a contract card under another name than its own."""
    found = []
    if agent_id is not None and card.agent_id != agent_id.lower():
        message = f"is {card.agent_id}, and the call says {agent_id}; make them the same"
        found.append(Finding("id-mismatch", "/agent_id", message))
    if version is not None and card.version != version:
        message = f"is {card.version}, and the call says {version}; make them the same"
        found.append(Finding("version-mismatch", "/version", message))
    if found:
        raise InvalidCard([*document.placed(found), *card.findings])
