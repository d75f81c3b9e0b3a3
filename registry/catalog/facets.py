"""What an agent can be listed by: one array of short texts, each a kind and a value, behind one index."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from registry.core.card.model import Undeclared

if TYPE_CHECKING:
    from registry.catalog.records import AgentQuery
    from registry.core.card.model import Card

_LONGEST_BYTES = 200  # a GIN key holds 2,700 at most, and A2A texts know no limit
_WORDS_LIMIT = 65536  # characters; a tsvector holds 1 MiB
_WORD = re.compile(r"\w+")


def facet(kind: str, value: str) -> str:
    """Return ``kind:value``, folded; a long value by its digest."""
    folded = value.lower()
    encoded = folded.encode()
    return f"{kind}:{folded if len(encoded) <= _LONGEST_BYTES else hashlib.sha256(encoded).hexdigest()}"


def facets_of(card: Card) -> tuple[str, ...]:
    """Return everything that a card is found by, but for its state and namespace, which are the registry's."""
    contract = card.contract
    operations = contract.operations.values()
    capabilities = [*contract.capabilities]
    flags = (
        ("streaming", contract.streaming),
        ("push_notifications", contract.push_notifications),
        ("extended_card", contract.extended_card),
    )
    capabilities += [name for name, given in flags if given]
    found = {facet("t", tag) for tag in (*card.tags, *(tag for one in operations for tag in one.tags))}
    found |= {facet("c", capability) for capability in capabilities}
    found |= {facet("k", operation.id) for operation in operations}
    found |= {facet("p", interface.binding) for interface in contract.interfaces}
    found |= {facet("a", interface.protocol_version) for interface in contract.interfaces}
    found |= {facet("i", mode) for one in operations for mode in one.input_modes or contract.input_modes}
    found |= {facet("u", mode) for one in operations for mode in one.output_modes or contract.output_modes}
    found.add(facet("h", "true" if _has_contract(card) else "false"))
    if card.owner:
        found.add(facet("o", card.owner))
    return tuple(sorted(found))


def _has_contract(card: Card) -> bool:
    """Say whether any operation declares what it takes or gives."""
    return any(
        not isinstance(shape, Undeclared)
        for operation in card.contract.operations.values()
        for shape in (operation.input, operation.output)
    )


def words_of(agent_id: str, card: Card) -> str:
    """Return the text that ``q`` looks in."""
    operations = card.contract.operations.values()
    parts = [agent_id, agent_id.replace(".", " ").replace("-", " "), card.name, card.description, *card.tags]
    parts += [part for one in operations for part in (one.id, one.name, one.description, *one.tags)]
    return _fold(" ".join(parts))[:_WORDS_LIMIT]


def wanted_facets(query: AgentQuery) -> list[str]:
    """Return what a query asks for as facets, all of which an agent must have."""
    single = {
        "c": query.capability,
        "k": query.skill,
        "n": query.namespace,
        "o": query.owner,
        "s": query.status,
        "p": query.protocol,
        "a": query.a2a_version,
        "i": query.input_mode,
        "u": query.output_mode,
        "h": None if query.has_contract is None else str(query.has_contract),
    }
    return [*(facet("t", tag) for tag in query.tags), *(facet(kind, value) for kind, value in single.items() if value)]


def wanted_words(q: str | None) -> str | None:
    """Return a text query: every word must begin one. None for no words asked; "" when ``q`` holds no word."""
    if q is None or not q.strip():
        return None
    return " & ".join(f"'{word}':*" for word in _WORD.findall(_fold(q)))


def _fold(text: str) -> str:
    """Lower case here, not in the database, whose idea of letters differs before PostgreSQL 17."""
    return text.lower().replace("_", " ")
