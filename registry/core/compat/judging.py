"""May this version follow those? Which releases it is judged against, and what all comparisons say together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from registry.core.card.canonical import canonical, digest
from registry.core.card.contract import contract_document
from registry.core.compat import versions
from registry.core.compat.compare import ORDER
from registry.core.compat.rendering import as_json, change_as_json
from registry.core.compat.versions import LIVE, Version, free_major, line, parse_version, precedence

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from registry.core.card.model import Card, State
    from registry.core.compat.report import Change, Policy, Report

Json = Any

MAX_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Release:
    """A published version, as judging needs it. ``forced`` are the fingerprints that were let through with it."""

    version: str
    state: State
    card_digest: str
    judged_digest: str
    forced: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Baseline:
    """A release that a version is judged against.

    ``for_the_record`` ones are shown and refuse nothing: the last of the major below, and what lies across a break
    that was let through. ``free_major`` is the version that a break could be published as.
    """

    release: Release
    direction: Literal["below", "above"]
    for_the_record: bool = False
    free_major: str = ""


def baselines(history: Sequence[Release], version: str) -> tuple[Baseline, ...]:
    """Return what a version is judged against, by precedence, nearest first: all below, then all above.

    Only live releases count, prereleases never. A version that was let through by force begins a new line: what lies
    before it is for the record.
    """
    here = parse_version(version)
    known = [(parse_version(each.version), each) for each in history]
    live = [pair for pair in known if pair[1].state in LIVE and not pair[0].prerelease]
    same = sorted((pair for pair in live if line(pair[0]) == line(here)), key=lambda pair: precedence(pair[0]))
    free = free_major(here, [found for found, _ in known])
    below = [each for found, each in same if precedence(found) < precedence(here)][::-1]
    above = [each for found, each in same if precedence(found) > precedence(here)]
    result = [
        *_until_break(below, "below", free),
        *_until_break(above, "above", free),
    ]
    if not below:
        lower = [pair for pair in live if precedence(pair[0]) < precedence(here)]
        if lower:
            last = max(lower, key=lambda pair: precedence(pair[0]))[1]
            result.append(Baseline(last, "below", for_the_record=True, free_major=free))
    return tuple(result)


def _until_break(row: list[Release], direction: Literal["below", "above"], free: str) -> list[Baseline]:
    """Take releases up to a forced one: below it counts still, above it doesn't; one more is for the record."""
    result = []
    for index, each in enumerate(row):
        if direction == "above" and each.forced:
            result.append(Baseline(each, direction, for_the_record=True, free_major=free))
            break
        result.append(Baseline(each, direction, free_major=free))
        if direction == "below" and each.forced:
            result += [
                Baseline(other, direction, for_the_record=True, free_major=free) for other in row[index + 1 :][:1]
            ]
            break
    return result


@dataclass(frozen=True, slots=True)
class Judgement:
    """What all comparisons of a version say together.

    ``changes`` are the distinct ones, ``smallest_version`` what would be accepted instead (None when accepted),
    ``predecessor`` the nearest release below, ``forced`` the fingerprints that were let through.
    """

    verdict: Literal["accepted", "warned", "refused"]
    version: str
    message: str
    smallest_version: str | None
    reports: tuple[Report, ...]
    changes: tuple[Change, ...]
    predecessor: str | None
    forced: tuple[str, ...]


def decide(
    version: str, pairs: Sequence[tuple[Baseline, Report]], policy: Policy, allowed: frozenset[str] = frozenset()
) -> Judgement:
    """Judge a version from its comparisons.

    A breaking change refuses unless its fingerprint is among ``allowed`` (``*`` allows all): one more break than was
    named is still refused. Under a strict policy an addition with only a patch bump is refused as well.
    """
    decided = [(baseline, _decided(baseline, report, policy, allowed)) for baseline, report in pairs]
    blocking = [(baseline, report) for baseline, report in decided if report.verdict == "refused"]
    warned = any(report.verdict == "warned" for _, report in decided)
    predecessor = next((baseline.release.version for baseline, _ in decided if baseline.direction == "below"), None)
    forced = tuple(dict.fromkeys(each for _, report in decided for each in report.forced))
    smallest = _smallest(version, blocking, policy, allowed) if blocking else None
    word: Literal["accepted", "warned", "refused"] = "refused" if blocking else "warned" if warned else "accepted"
    return Judgement(
        verdict=word,
        version=version,
        message=_message(version, decided, blocking, allowed, smallest, policy),
        smallest_version=smallest,
        reports=tuple(report for _, report in decided),
        changes=_distinct(report for _, report in decided),
        predecessor=predecessor,
        forced=forced,
    )


def _decided(baseline: Baseline, report: Report, policy: Policy, allowed: frozenset[str]) -> Report:
    """Hold one report against what is allowed; what is for the record refuses nothing."""
    if baseline.for_the_record:
        return replace(report, verdict="accepted", forced=())
    if report.verdict == "accepted" or (report.verdict == "warned" and not policy.strict):
        return replace(report, forced=())
    breaks = [change for change in report.changes if change.level == "major"]
    let_through = tuple(change.fingerprint for change in breaks if _allowed(change, allowed))
    if breaks and len(let_through) == len(breaks):
        return replace(report, verdict="accepted", forced=let_through)
    return replace(report, forced=())


def _allowed(change: Change, allowed: frozenset[str]) -> bool:
    return "*" in allowed or change.fingerprint in allowed


def _distinct(reports: Iterable[Report]) -> tuple[Change, ...]:
    found: dict[str, Change] = {}
    for report in reports:
        for change in report.changes:
            found.setdefault(change.fingerprint, change)
    return tuple(sorted(found.values(), key=lambda change: -ORDER[change.level]))


def _smallest(
    version: str, blocking: Sequence[tuple[Baseline, Report]], policy: Policy, allowed: frozenset[str]
) -> str | None:
    breaks = [pair for pair in blocking if any(_blocks(change, allowed) for change in pair[1].changes)]
    if breaks:
        return breaks[0][0].free_major
    here = parse_version(version)
    above = [parse_version(baseline.release.version) for baseline, _ in blocking if baseline.direction == "above"]
    highest = max([here, *above], key=precedence)
    return str(Version(highest.major, highest.minor + 1, 0)) if policy.strict else None


def _blocks(change: Change, allowed: frozenset[str]) -> bool:
    return change.level == "major" and not _allowed(change, allowed)


def _message(
    version: str,
    decided: Sequence[tuple[Baseline, Report]],
    blocking: Sequence[tuple[Baseline, Report]],
    allowed: frozenset[str],
    smallest: str | None,
    policy: Policy,
) -> str:
    if not blocking:
        counted = [report for baseline, report in decided if not baseline.for_the_record]
        if not counted:
            return f"{version} is the first version of {versions.line_name(line(parse_version(version)))}"
        if any(report.verdict == "warned" for report in counted):
            return f"{version} adds to {counted[0].old_version}; a minor version would say so"
        if any(report.forced for report in counted):
            return f"{version} breaks callers and was let through"
        return f"{version} keeps what was promised"
    baseline, report = blocking[0]
    breaks = [change for change in report.changes if _blocks(change, allowed)]
    additions = [change for change in report.changes if change.level == "minor"] if policy.strict else []
    shown = breaks or additions
    said = "; ".join(place_and_sentence(change) for change in shown[:MAX_SHOWN])
    more = f"; and {len(shown) - MAX_SHOWN} more" if len(shown) > MAX_SHOWN else ""
    verb = "breaks" if breaks else "adds with a patch version only"
    there = " (published already)" if baseline.direction == "above" else ""
    advice = f"; publish it as {smallest}" if smallest else ""
    return f"{report.old_version} -> {report.new_version}{there} {verb}: {said}{more}{advice}"


def place_and_sentence(change: Change) -> str:
    """Return a change as messages show it: operation, side, sentence."""
    parts = [change.operation] if change.operation and change.operation != "default" else []
    if change.side not in ("card", "guarantee", "permission", "interface", "security", "limit", "failure"):
        parts.append(change.side)
    return ": ".join([*parts, change.sentence])


def judged_digest(card: Card) -> str:
    """Return a digest over everything that a rule above patch reads: equal ones need no comparison."""
    contract = card.contract
    parts = {
        "contract": contract_document(contract),
        "interfaces": [[each.binding, each.protocol_version, each.url, each.tenant] for each in contract.interfaces],
        "tools": {name: tool.pointer for name, tool in contract.tools.items()},
    }
    return digest(canonical(parts))


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
