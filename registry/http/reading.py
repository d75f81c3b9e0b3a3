"""What one version's parts look like when they are read: bytes as sent, and views that are made once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from litestar.enums import HttpMethod
from litestar.handlers import route

from registry.core.card.canonical import canonical
from registry.core.card.contract import contract_document
from registry.core.card.model import DEFAULT_OPERATION, JsonSchema, Text
from registry.core.errors import NoSuchView, NotFound
from registry.core.formats import a2a_0_3, a2a_1_0
from registry.http.memory import Content
from registry.http.problems import encode

if TYPE_CHECKING:
    from collections.abc import Callable

    from registry.catalog.records import VersionRecord
    from registry.core.card.model import Card, Operation, Shape
    from registry.http.context import Services

Json = Any
Name = Literal["card", "contract", "a2a", "a2a-1.0", "a2a-0.3", "a2a-legacy", "schema"]
Side = Literal["input", "output"]

JSON = "application/json"
YAML = "application/yaml"  # RFC 9512
SCHEMA = "application/schema+json"


@dataclass(frozen=True, slots=True)
class Part:
    """Which part of a version is wanted; ``side`` and ``operation`` are for schemas."""

    name: Name
    side: Side = "input"
    operation: str | None = None


def reads(path: str) -> Callable[[Any], Any]:
    """Register a handler for GET and HEAD: whatever can be got can be asked about."""
    return route(path, http_method=[HttpMethod.GET, HttpMethod.HEAD], status_code=200)


async def content_of(services: Services, record: VersionRecord, part: Part) -> Content:
    """Return a part of a version; it is kept, since a version's content never changes.

    Raises NotFound (no such operation, or its shape has no schema), NoSuchView.
    """
    raw = record.raw or b""
    if part.name == "card":
        return _as_sent(record, JSON if is_json(raw) else YAML)
    if part.name in _AS_SENT.get(record.kind, ()) and is_json(raw):
        return _as_sent(record, JSON)
    key = (record.digests.raw, record.agent_id, record.version, part)
    content = services.memory.content(key)
    if content is None:
        content = _made(await services.catalog.card(record), record, part)
        services.memory.keep(key, content)
    return content


def _as_sent(record: VersionRecord, media_type: str) -> Content:
    return Content(record.raw or b"", media_type, record.digests.raw)


# Which views of a kind of card are the card itself, byte for byte, so that its signatures verify.
_AS_SENT: dict[str, tuple[Name, ...]] = {
    "a2a-1.0": ("a2a", "a2a-1.0"),
    "a2a-0.3": ("a2a", "a2a-0.3", "a2a-legacy"),
    "a2a-0.2": ("a2a", "a2a-legacy"),
}


def is_json(raw: bytes) -> bool:
    """Tell whether a card was sent as JSON. It was read at the door: what begins as JSON and ends so is."""
    try:
        msgspec.json.decode(raw, type=msgspec.Raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return True


def _made(card: Card, record: VersionRecord, part: Part) -> Content:
    if part.name == "contract":
        return Content.derived(canonical(contract_document(card.contract)), JSON)
    if part.name == "schema":
        return Content.derived(encode(_schema(card, part.side, part.operation)), SCHEMA)
    view = _view(card, part.name)
    if view is None:
        return _as_sent(record, JSON) if is_json(card.raw) else Content.derived(encode(card.document), JSON)
    return Content.derived(encode(view), JSON)


def _view(card: Card, name: Name) -> Json:
    """Return the A2A card that has to be made, None where the card itself is the answer. Raises NoSuchView."""
    if name == "a2a-0.3":
        return a2a_0_3.view(card)
    if name == "a2a-legacy" and not card.document.get("url"):  # `url` is what a 0.3 client reads
        try:
            return a2a_0_3.view(card)
        except NoSuchView:
            return a2a_1_0.view(card) if card.kind == "contract" else None
    return a2a_1_0.view(card) if name == "a2a-1.0" or card.kind == "contract" else None


def operation_of(card: Card, name: str | None) -> Operation:
    """Return an operation: the named one, else ``default``, else the only one. Raises NotFound."""
    operations = card.contract.operations
    if name is None and DEFAULT_OPERATION not in operations and len(operations) == 1:
        return next(iter(operations.values()))
    operation = operations.get(name or DEFAULT_OPERATION)
    if operation is None:
        has = ", ".join(list(operations)[:20]) or "none"
        raise NotFound(f"the contract has no operation {(name or DEFAULT_OPERATION)[:80]!r}; it has {has}")
    return operation


def _schema(card: Card, side: Side, name: str | None) -> Json:
    operation = operation_of(card, name)
    shape: Shape = operation.input if side == "input" else operation.output
    if isinstance(shape, JsonSchema):
        return shape.schema
    what = "plain text, which has no schema" if isinstance(shape, Text) else "not declared"
    raise NotFound(f"the {side} of operation {operation.id!r} is {what}")
