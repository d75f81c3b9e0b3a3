"""The audit log: a hash chain for each namespace."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from registry.catalog.records import AuditEntry
from registry.core.card.canonical import canonical
from registry.core.errors import NotFound, RegistryError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from registry.catalog.database import Session
    from registry.catalog.records import Principal

GENESIS = hashlib.sha256(b"").digest()


class BrokenChain(RegistryError):
    """An audit entry was changed, or is gone."""

    code = "broken-audit-chain"
    title = "The audit log was tampered with"


def audit_text(action: str, principal: Principal, now: datetime, members: Mapping[str, Any]) -> str:
    """Return an entry as it is hashed and stored (RFC 8785), without members that are None."""
    entry = {"action": action, "by": principal.name, "at": now.isoformat(), **members}
    return canonical({name: value for name, value in entry.items() if value is not None}).decode()


async def append(session: Session, entries: Sequence[tuple[str, str]]) -> None:
    """Add entries (namespace, text). The chains' locks are a transaction's last, in the order of names."""
    for namespace, text in sorted(entries, key=lambda entry: entry[0]):
        await session.run("append_audit", namespace, text)


async def verified_chain(session: Session, name: str) -> tuple[AuditEntry, ...]:
    """Return a chain, each link verified against the one before it and the last against the head."""
    namespace = name.lower()
    # The head first: entries that come in meanwhile are beyond it, and are left for the next call.
    head = await session.row("audit_head", namespace)
    if head is None:
        raise NotFound(f"no namespace {name!r} has an audit log")
    entries: list[AuditEntry] = []
    before = GENESIS
    rows = await session.rows("audit_of", namespace)
    for number, row in enumerate(rows[: head["audit_number"]], start=1):
        before = hashlib.sha256(before + row["entry"].encode()).digest()
        if row["number"] != number or row["hash"] != before:
            raise BrokenChain(f"entry {number} of {namespace}'s audit log is not what was written")
        entries.append(AuditEntry(namespace, number, json.loads(row["entry"]), f"sha256:{before.hex()}"))
    if len(entries) != head["audit_number"] or before != head["audit_hash"]:
        raise BrokenChain(f"{namespace}'s audit log ends before its head")
    return tuple(entries)
