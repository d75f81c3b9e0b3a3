"""Documents of others that are cards: A2A 1.0, 0.3 and 0.2, a reader each, and the table of them."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from registry.core.card.uris import EXTENSION_URI, HTTP_JSON_BINDING_URI, HTTP_JSON_VERSION
from registry.core.formats import a2a_0_2, a2a_0_3, a2a_1_0
from registry.core.formats.member import A2aMember, a2a_member
from registry.core.formats.recognition import explain_unrecognised, recognise

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from registry.core.card.model import Card, Kind
    from registry.core.card.text import Document

    Reader = Callable[[Document, bytes], Card]

# Each reader raises InvalidCard with all findings, each with its line and column.
FORMATS: Mapping[Kind, Reader] = MappingProxyType(
    {"a2a-1.0": a2a_1_0.read, "a2a-0.3": a2a_0_3.read, "a2a-0.2": a2a_0_2.read}
)

__all__ = [
    "EXTENSION_URI",
    "FORMATS",
    "HTTP_JSON_BINDING_URI",
    "HTTP_JSON_VERSION",
    "A2aMember",
    "a2a_member",
    "explain_unrecognised",
    "recognise",
]
