"""A report as JSON (an exact round trip) and as text that a person acts on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from registry.core.compat.report import Change, Report, Witness

if TYPE_CHECKING:
    from collections.abc import Mapping

Json = Any

MAX_VALUE = 300
_MARKS = {"major": "✗", "minor": "+", "patch": "·"}


def change_as_json(change: Change) -> dict[str, Json]:
    """Return one change."""
    witness = change.witness
    return {
        "rule": change.rule,
        "level": change.level,
        "operation": change.operation,
        "side": change.side,
        "old_pointer": change.old_pointer,
        "new_pointer": change.new_pointer,
        "old": change.old,
        "new": change.new,
        "sentence": change.sentence,
        "advice": change.advice,
        "said_aloud": change.said_aloud,
        "certainty": change.certainty,
        "witness": witness and {"kind": witness.kind, "value": witness.value, "accepted_by": witness.accepted_by},
        "fingerprint": change.fingerprint,
    }


def as_json(report: Report) -> dict[str, Json]:
    """Return a report; ``report_from_json`` gives the same report back."""
    return {
        "old_version": report.old_version,
        "new_version": report.new_version,
        "old_digest": report.old_digest,
        "new_digest": report.new_digest,
        "profile": report.profile,
        "changes": [change_as_json(change) for change in report.changes],
        "level": report.level,
        "verdict": report.verdict,
        "needed": report.needed,
        "given": report.given,
        "forced": list(report.forced),
        "policy_version": report.policy_version,
        "engine_version": report.engine_version,
    }


def report_from_json(document: Mapping[str, Json]) -> Report:
    """Return the report that ``as_json`` wrote."""
    changes = tuple(
        Change(**{**each, "witness": Witness(**each["witness"]) if each["witness"] else None})
        for each in document["changes"]
    )
    return Report(**{**document, "changes": changes, "forced": tuple(document["forced"])})


def as_text(report: Report) -> str:
    """Return a report for a terminal: each change with its place, its witness and what to do, then the verdict."""
    blocks = ["\n".join(_change(change_as_json(change))) for change in report.changes]
    names = f"{report.old_version or 'old'} -> {report.new_version or 'new'}"
    return "\n".join([*blocks, *([""] if blocks else []), _verdict(names, report)])


def judgement_as_text(judgement: Mapping[str, Json]) -> str:
    """Return a judgement (as JSON) for a terminal: the message, each change, and what would be accepted."""
    blocks = ["\n".join(_change(change)) for change in judgement["changes"] if change["level"] != "patch"]
    return "\n".join([judgement["message"], *([""] if blocks else []), *blocks])


def _change(change: Mapping[str, Json]) -> list[str]:
    place = change["new_pointer"] if change["new_pointer"] is not None else change["old_pointer"]
    where = [part for part in (change["operation"], change["side"]) if part]
    loud = "  (said aloud)" if change["said_aloud"] else ""
    lines = [f"{_MARKS[change['level']]} {change['level']:5}  {': '.join(where)}: {change['sentence']}{loud}"]
    lines.append(f"         rule {change['rule']}" + (f", at {place}" if place else ""))
    witness = change["witness"]
    if witness:
        lines.append(f"         {_shown_by(change, witness)}: {_value(witness)}")
    if change["certainty"] == "unproven":
        lines.append("         this could not be proven, and counts as its worst case")
    if change["advice"] and change["level"] == "major":
        lines.append(f"         to do: {change['advice']}")
    return lines


def _shown_by(change: Mapping[str, Json], witness: Mapping[str, Json]) -> str:
    gives = change["side"] == "output"
    if witness["accepted_by"] == "old":
        return "no longer comes" if gives else "worked yesterday, is refused now"
    return "from now on it may answer" if gives else "is taken from now on"


def _value(witness: Mapping[str, Json]) -> str:
    text = json.dumps(witness["value"], ensure_ascii=False)
    shown = text if len(text) <= MAX_VALUE else text[: MAX_VALUE - 3] + "..."
    return f"the text {shown}" if witness["kind"] == "text" else shown


def _verdict(names: str, report: Report) -> str:
    if report.level == "none":
        return f"{names}: nothing changed"
    given = "" if report.given is None else f", and the version gives {report.given}"
    return f"{names}: {report.verdict}; the changes need {report.needed}{given}"
