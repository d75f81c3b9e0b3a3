"""What keeps a card out: its version stands for another one, or it is refused; with the way out.

All cards of a call are told together.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from registry.catalog.jobs import Differences, Source
from registry.catalog.lifecycle import MOVES, REASONED
from registry.core.errors import UpdateRefused, VersionTaken

if TYPE_CHECKING:
    from collections.abc import Sequence

    from registry.catalog.jobs import Judged
    from registry.catalog.judgement import Candidate, Judging
    from registry.core.compat.judging import Release


async def find_conflict(
    judging: Judging, candidate: Candidate, owner: str | None, existing: Release
) -> VersionTaken | None:
    """Return what is wrong, None when the version stands for the same card, signatures included."""
    async with judging.sessions() as session:
        (row,) = await session.rows("sources", candidate.agent_id, [candidate.precedence])
    same_card = existing.version == candidate.version and existing.card_digest == candidate.card_digest
    if same_card and f"sha256:{hashlib.sha256(row['raw']).hexdigest()}" == candidate.raw_digest:
        return None
    stored = Source(row["raw"], candidate.agent_id, existing.version)
    differs = await judging.workers.run(Differences(stored, candidate.source))
    if same_card and not differs:
        return None  # other white space, or the same as YAML
    return VersionTaken(
        candidate.agent_id,
        existing.version,
        stored_digest=existing.card_digest,
        sent_digest=candidate.card_digest,
        differs=differs,
        advice=_advice(candidate, existing, frozenset(differs), owner, row["owner"]),
    )


def refuse_together(
    refused: Sequence[tuple[Candidate, Judged]], taken: Sequence[VersionTaken], *, several: bool
) -> None:
    """Raise UpdateRefused or VersionTaken, if there is anything to refuse: whoever sent several cards learns all of it.

    In a call with ``several`` cards each judgement says whose it is; the others stand in ``also_refused``.
    """
    if refused:
        named = [{**judged.judgement, **({"agent_id": one.agent_id} if several else {})} for one, judged in refused]
        messages = [f"{one.agent_id}: {judged.message}" if several else judged.message for one, judged in refused]
        also = {"also_refused": named[1:]} if len(named) > 1 else {}
        raise UpdateRefused("; ".join([*messages, *map(str, taken)]), {**named[0], **also}, taken)
    if taken:
        taken[0].others = tuple(taken[1:])
        raise taken[0]


def _advice(
    candidate: Candidate, existing: Release, differs: frozenset[str], owner: str | None, stored_owner: str | None
) -> str:
    if existing.version != candidate.version:
        return f"build metadata can't tell two versions apart ({candidate.version}); raise the version itself"
    if differs and differs <= {"status", "owner"}:
        return _change_advice(candidate, existing, differs, owner, stored_owner)
    what = ", ".join(sorted(differs)) or "its bytes"
    return f"it differs in {what}; publish this one under a new version"


def _change_advice(
    candidate: Candidate, existing: Release, differs: frozenset[str], owner: str | None, stored_owner: str | None
) -> str:
    """Name the call that gives the version the state and the owner that the card names, which need no new version."""
    only = f"only {' and '.join(sorted(differs))} changed"
    wanted: dict[str, str] = {}
    if "status" in differs and candidate.state != existing.state:
        if candidate.state not in MOVES[existing.state]:
            return (
                f"{only}, and what is {existing.state} can't become {candidate.state}; publish it under a new version"
            )
        wanted["state"] = candidate.state
        if candidate.state in REASONED:
            wanted["reason"] = "..."
    if "owner" in differs and owner != stored_owner:
        wanted["owner"] = owner or ""
    if not wanted:
        owned = f" and its owner {stored_owner!r}" if "owner" in differs else ""
        return f"{only}, and the version is {existing.state}{owned} already, so there is nothing to do"
    path = f"/v1/agents/{candidate.agent_id}/versions/{existing.version}"
    return f"{only}, and that needs no new version: PATCH {path} with {json.dumps(wanted, ensure_ascii=False)}"
