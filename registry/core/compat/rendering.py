"""A report or a judgement as JSON (an exact round trip) and as text that a person acts on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from registry.core.compat.report import Change, Report, Witness

if TYPE_CHECKING:
    from collections.abc import Mapping

    from registry.core.compat.judging import Judgement

Json = Any

MAX_VALUE = 300
MAX_PRINTS = 20
_INDENT = " " * 7


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
        "second_prover": list(report.second_prover),
        "faults": list(report.faults),
    }


def report_from_json(document: Mapping[str, Json]) -> Report:
    """Return the report that ``as_json`` wrote."""
    changes = tuple(
        Change(**{**each, "witness": Witness(**each["witness"]) if each["witness"] else None})
        for each in document["changes"]
    )
    rows = {name: tuple(document.get(name, ())) for name in ("forced", "second_prover", "faults")}
    return Report(**{**document, "changes": changes, **rows})


def judgement_as_json(judgement: Judgement) -> dict[str, Json]:
    """Return a judgement as answers and stored records show it."""
    return {
        "verdict": judgement.verdict,
        "version": judgement.version,
        "message": judgement.message,
        "smallest_version": judgement.smallest_version,
        "predecessor": judgement.predecessor,
        "forced": list(judgement.forced),
        "changes": [change_as_json(change) for change in judgement.changes],
        "reports": [as_json(report) for report in judgement.reports],
    }


def as_text(report: Report) -> str:
    """Return a report for a terminal: each change with its place, its witness and what to do, then the verdict."""
    return _report_text(as_json(report))


def _report_text(report: Mapping[str, Json]) -> str:
    blocks = [_change_text(change) for change in report["changes"]]
    return "\n".join([*blocks, *([""] if blocks else []), _comparison(report)])


def _verdict(report: Mapping[str, Json]) -> str:
    leaning = ", ".join(report.get("second_prover", ()))
    proven = f"; that nothing else breaks in {leaning} is proven by jsonschema-rs" if leaning else ""
    if report["level"] == "none":
        return f"nothing changed{proven}"
    count = len(report["changes"])
    changes = f"{count} change{'' if count == 1 else 's'}"
    given = "" if report["given"] is None else f", and the version gives a {report['given']} one"
    forced = f"; {len(report['forced'])} let through" if report["forced"] else ""
    return f"{changes}, {report['verdict']}: needs a {report['needed']} bump{given}{forced}{proven}"


def judgement_as_text(judgement: Mapping[str, Json]) -> str:
    """Return a judgement (as JSON) for a terminal.

    First the message; then the nearest comparison: its changes above patch with their places, witnesses and what to
    do, and its verdict. Of the others only what the ones before them didn't tell: breaks, and a refusal.
    """
    nearest, *others = judgement["reports"] or [None]
    blocks = [judgement["message"]]
    shown = [each for each in nearest["changes"] if each["level"] != "patch"] if nearest else []
    if shown:
        blocks += ["", _comparison(nearest), *map(_change_text, shown)]
    told = {_key(change) for change in shown}
    named = {change["fingerprint"] for change in shown}
    alike, further = [], []
    for report in others:
        breaks = [change for change in report["changes"] if change["level"] == "major"]
        news = [change for change in breaks if _key(change) not in told]
        further += [] if report["verdict"] != "refused" else [each for each in breaks if each not in news]
        told |= {_key(change) for change in news}
        named |= {change["fingerprint"] for change in news}
        if news:
            blocks += ["", _comparison(report), *map(_change_text, news)]
        elif report["verdict"] == "refused":
            alike.append(_versions(report))
    if alike:
        blocks += ["", f"{', '.join(alike)}: refused too, for what is told above"]
    prints = list(dict.fromkeys(change["fingerprint"] for change in further if change["fingerprint"] not in named))
    if prints:
        blocks += ["", "what is told above, against the other versions; to let it through there too:"]
        blocks += [f"{_INDENT}allow_breaking={each}" for each in prints[:MAX_PRINTS]]
        blocks += [f"{_INDENT}and {len(prints) - MAX_PRINTS} more"] if len(prints) > MAX_PRINTS else []
    return "\n".join(blocks)


def _key(change: Mapping[str, Json]) -> tuple[Json, ...]:
    """Return what tells two changes apart for a reader; the same one may have another fingerprint elsewhere."""
    return change["rule"], change["operation"], change["sentence"]


def _comparison(report: Mapping[str, Json]) -> str:
    return f"{_versions(report)}: {_verdict(report)}"


def _versions(report: Mapping[str, Json]) -> str:
    return f"{report['old_version'] or 'old'} -> {report['new_version'] or 'new'}"


def place_and_sentence(change: Change) -> str:
    """Return a change as messages show it: the operation (but for the default one), and the sentence."""
    return _sentence(change_as_json(change))


def _sentence(change: Mapping[str, Json]) -> str:
    operation = change["operation"]
    named = operation is not None and (operation != "default" or change["sentence"].startswith("is "))
    return f"{operation}: {change['sentence']}" if named else str(change["sentence"])


def _change_text(change: Mapping[str, Json]) -> str:
    loud = "  (said aloud)" if change["said_aloud"] else ""
    lines = [f"{change['level']:5}  {_sentence(change)}{loud}"]
    places = [f"{name} {change[f'{name}_pointer'] or '/'}" for name in ("old", "new") if change[f"{name}_pointer"]]
    lines.append(f"{_INDENT}rule {change['rule']}" + (f"; {', '.join(places)}" if places else ""))
    witness = change["witness"]
    if witness:
        lines.append(f"{_INDENT}{_shown_by(change, witness)}: {_value(witness)}")
    if change["certainty"] == "unproven":
        lines.append(f"{_INDENT}this is not proven, and counts as its worst case")
    if change["level"] == "major":
        lines += [f"{_INDENT}to do: {change['advice']}"] if change["advice"] else []
        lines.append(f"{_INDENT}to let it through: allow_breaking={change['fingerprint']}")
    return "\n".join(lines)


def _shown_by(change: Mapping[str, Json], witness: Mapping[str, Json]) -> str:
    gives = change["side"] == "output"
    if witness["accepted_by"] == "old":
        return "could come, comes no longer" if gives else "worked until now"
    return "from now on it may answer" if gives else "works from now on"


def _value(witness: Mapping[str, Json]) -> str:
    text = json.dumps(witness["value"], ensure_ascii=False)
    shown = text if len(text) <= MAX_VALUE else text[: MAX_VALUE - 3] + "..."
    return f"the text {shown}" if witness["kind"] == "text" else shown
