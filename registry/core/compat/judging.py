"""May this version follow those? Which releases it is judged against, and what all comparisons say together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from registry.core.card.canonical import canonical, digest
from registry.core.card.contract import contract_document
from registry.core.compat.compare import compare, highest, needed, ordered, verdict
from registry.core.compat.rendering import judgement_as_json, judgement_as_text, place_and_sentence
from registry.core.compat.report import Report
from registry.core.compat.rules import RULES
from registry.core.compat.versions import (
    LIVE,
    Version,
    breaks_of,
    bump,
    downwards,
    free_major,
    free_minor,
    free_patch,
    line,
    line_name,
    parse_version,
    precedence,
    upwards,
)
from registry.core.solver import BUDGET

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from registry.core.card.model import Card, State
    from registry.core.compat.report import Change, Policy
    from registry.core.compat.versions import Break
    from registry.core.solver import Budget

    Pairs = Sequence[tuple["Baseline", Report]]

Json = Any
ForcedSide = Literal["below", "above", "both"]

MAX_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Release:
    """A published version, as judging needs it. ``forced`` are the fingerprints that were let through with it.

    ``forced_side`` says where the versions lie with which it broke; None is below, too. ``forced_under`` is the nearest
    release that was live above it when that was let through. ``published_at`` orders an agent's versions: no later one
    has an earlier time.
    """

    version: str
    state: State
    card_digest: str
    judged_digest: str
    forced: tuple[str, ...] = ()
    forced_side: ForcedSide | None = None
    forced_under: str | None = None
    published_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Baseline:
    """A release that a version is judged against.

    ``for_the_record`` ones are shown and refuse nothing: the last of the major below, and what lies across a break
    that was let through. ``free_major`` is the version that a break, ``free_minor`` the one that an addition could be
    published as.
    """

    release: Release
    direction: Literal["below", "above"]
    for_the_record: bool = False
    free_major: str = ""
    free_minor: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What all comparisons of a version say together.

    ``changes`` are the distinct ones, ``smallest_version`` what would be accepted instead (None unless refused),
    ``predecessor`` the nearest release below, ``forced`` the fingerprints that were let through; ``forced_side`` and
    ``forced_under`` as a release has them.
    """

    verdict: Literal["accepted", "warned", "refused"]
    version: str
    message: str
    smallest_version: str | None
    reports: tuple[Report, ...]
    changes: tuple[Change, ...]
    predecessor: str | None
    forced: tuple[str, ...]
    forced_side: ForcedSide | None = None
    forced_under: str | None = None


def baselines(history: Sequence[Release], version: str) -> tuple[Baseline, ...]:
    """Return what a version is judged against, by precedence: all of its major below, nearest first, then all above.

    Only live releases count; prereleases never do, so a prerelease isn't held against its siblings. Of what lies
    across a break that was let through, the nearest one is for the record; the break stands though its version was
    yanked since. So is the last of the major below, for the first of a major.
    """
    here = parse_version(version)
    known = [(parse_version(each.version), each) for each in history]
    live = sorted(
        ((found, each) for found, each in known if each.state in LIVE and not found.prerelease),
        key=lambda pair: precedence(pair[0]),
    )
    below = [pair for pair in live if precedence(pair[0]) < precedence(here)][::-1]
    above = [each for found, each in live if precedence(found) > precedence(here) and line(found) == line(here)]
    same = [each for found, each in below if line(found) == line(here)]
    breaks = breaks_of(each for found, each in known if line(found) == line(here))
    rows = [
        *_for_the_record("below", downwards(same, precedence(here), [_standing(one, same) for one in breaks])),
        *_for_the_record("above", upwards(above, precedence(here), same[0].judged_digest if same else None, breaks)),
    ]
    if below and not same:
        rows.append(Baseline(below[0][1], "below", for_the_record=True))
    taken, standing = [found for found, _ in known], [found for found, _ in live]
    major, minor = free_major(here, taken, standing), free_minor(here, taken, standing)
    return tuple(replace(each, free_major=major, free_minor=minor) for each in rows)


def _standing(one: Break, below: Sequence[Release]) -> Break:
    """Let a line stand apart from what is above it while something is live there: else it is all that callers have."""
    keys = [precedence(parse_version(each.version)) for each in below]
    return one if one.under is None or any(key >= one.under for key in keys) else replace(one, is_from_above=False)


def _for_the_record(direction: Literal["below", "above"], row: Iterable[tuple[Release, bool]]) -> Iterator[Baseline]:
    """Yield baselines of a row, nearest first: of those that don't hold, the first that follows one that does."""
    held = True
    for release, holds in row:
        if holds or held:
            yield Baseline(release, direction, for_the_record=not holds)
        held = holds


def compared(found: Sequence[Baseline], contract: str, policy: Policy) -> tuple[int | None, ...]:
    """Return for each baseline the position of the one whose report tells what its own would, None for nothing.

    ``contract`` is the judged digest of the version in question. Contracts with one judged digest are compared once,
    and what has the version's own not at all, but for the nearest one, whose report shows what else changed. Under a
    policy by which a rule that reads more counts for more than patch, each is compared.
    """
    if any(level != "patch" and RULES[rule].level == "patch" for rule, level in policy.levels.items()):
        return tuple(range(len(found)))
    first: dict[tuple[str, str], int] = {}
    return tuple(
        None
        if at and one.release.judged_digest == contract
        else first.setdefault((one.direction, one.release.judged_digest), at)
        for at, one in enumerate(found)
    )


def derived(baseline: Baseline, version: str, card_digest: str, changes: Iterable[Change], policy: Policy) -> Report:
    """Return the report on a baseline that has the contract of another one, from the changes of that one's report."""
    kept = tuple(change for change in changes if change.level != "patch")
    ends = [(baseline.release.version, baseline.release.card_digest), (version, card_digest)]
    (old, old_digest), (new, new_digest) = ends if baseline.direction == "below" else ends[::-1]
    level = highest(kept)
    return Report(
        old_version=old,
        new_version=new,
        old_digest=old_digest,
        new_digest=new_digest,
        profile=policy.profile,
        changes=kept,
        level=level,
        verdict=verdict(level, old, new, policy),
        needed=needed(level, old),
        given=bump(parse_version(old), parse_version(new)),
    )


def judge(history: Sequence[Card], card: Card, policy: Policy, budget: Budget = BUDGET) -> Judgement:
    """Judge a card as publishing it would be, after cards that are all in production; all have versions.

    Of a version that one of the others has too, the judgement says what it would be accepted as.
    """
    releases = {each.version or "": _release(each) for each in history}
    cards = {each.version or "": each for each in history}
    version = card.version or ""
    here = precedence(parse_version(version))
    same = next((each for each in history if precedence(parse_version(each.version or "")) == here), None)
    if same is not None:
        return _taken(same, card, history, policy, budget)
    pairs = []
    for baseline in baselines(list(releases.values()), version) if card.status in LIVE else ():
        other = cards[baseline.release.version]
        old, new = (card, other) if baseline.direction == "above" else (other, card)
        pairs.append((baseline, compare(old, new, policy, budget)))
    return decide(version, pairs, policy, state=card.status)


def _release(card: Card) -> Release:
    return Release(card.version or "", "production", card.digests.card, judged_digest(card))


def _taken(old: Card, new: Card, history: Sequence[Card], policy: Policy, budget: Budget) -> Judgement:
    """Judge a card whose version is another one's: a published version never changes."""
    report = compare(old, new, policy, budget)
    version, here = new.version or "", parse_version(new.version or "")
    if old.digests.card == new.digests.card:
        message = f"{version} is unchanged"
        return Judgement("accepted", version, message, None, (report,), report.changes, None, ())
    taken = [parse_version(each.version or "") for each in history]
    live = [each for each in taken if not each.prerelease]
    free = {
        "major": free_major(here, taken, live),
        "minor": free_minor(here, taken, live),
    }.get(needed(report.level, old.version), free_patch(here, taken))
    # What a neighbour in the history says to that version is only known once it is asked.
    free = judge(history, replace(new, version=free), policy).smallest_version or free
    breaks = _breaks(report, frozenset())
    told = f"breaks: {_shown(breaks)}" if breaks else "differs, and a published version never changes"
    message = f"{version} {told}; publish it as {free}"
    refused = replace(report, verdict="refused")
    return Judgement("refused", version, message, free, (refused,), report.changes, None, ())


def decide(
    version: str, pairs: Pairs, policy: Policy, allowed: frozenset[str] = frozenset(), state: State = "production"
) -> Judgement:
    """Judge a version from its comparisons; in a state that isn't live there are none.

    A breaking change refuses unless its fingerprint is among ``allowed`` (``*`` allows all): one more break than was
    named is still refused. Under a strict policy an addition with only a patch bump is refused as well.
    """
    decided = [(baseline, _decided(baseline, report, allowed)) for baseline, report in pairs]
    refusing = [pair for pair in decided if pair[1].verdict == "refused"]
    warned = any(report.verdict == "warned" for _, report in decided)
    reports = tuple(report for _, report in decided)
    smallest = _smallest(refusing, allowed) if refusing else None
    return Judgement(
        verdict="refused" if refusing else "warned" if warned else "accepted",
        version=version,
        message=_message(version, decided, allowed, smallest, policy)
        if state in LIVE
        else f"{version} is {state}: it is judged when it goes live",
        smallest_version=smallest,
        reports=reports,
        changes=ordered(change for report in reports for change in report.changes),
        predecessor=next((one.release.version for one, _ in decided if one.direction == "below"), None),
        forced=tuple(dict.fromkeys(each for report in reports for each in report.forced)),
        forced_side=_forced_side(decided),
        forced_under=_forced_under(decided),
    )


def _forced_side(decided: Pairs) -> ForcedSide | None:
    sides = {baseline.direction for baseline, report in decided if report.forced}
    return "both" if len(sides) == 2 else next(iter(sides), None)


def _forced_under(decided: Pairs) -> str | None:
    """Return the nearest release above, where something was let through."""
    above = [baseline.release.version for baseline, _ in decided if baseline.direction == "above"]
    return above[0] if above and any(report.forced for _, report in decided) else None


def _decided(baseline: Baseline, report: Report, allowed: frozenset[str]) -> Report:
    """Hold one report against what is allowed; what is for the record refuses nothing."""
    if baseline.for_the_record:
        return replace(report, verdict="accepted", forced=())
    breaks = _breaks(report, frozenset())
    if report.verdict == "refused" and breaks and not _breaks(report, allowed):
        return replace(report, verdict="accepted", forced=tuple(change.fingerprint for change in breaks))
    return replace(report, forced=())


def _breaks(report: Report, allowed: frozenset[str]) -> list[Change]:
    """Return the breaking changes that aren't allowed."""
    breaks = [change for change in report.changes if change.level == "major"]
    return [] if "*" in allowed else [change for change in breaks if change.fingerprint not in allowed]


def _smallest(refusing: Pairs, allowed: frozenset[str]) -> str:
    """Return a version that would be accepted: of the next free major for a break, the next minor for an addition."""
    first = refusing[0][0]
    return first.free_major if any(_breaks(report, allowed) for _, report in refusing) else first.free_minor


def _message(version: str, decided: Pairs, allowed: frozenset[str], smallest: str | None, policy: Policy) -> str:
    """Say in one line what was decided, by the comparison that decided it."""
    counted = [pair for pair in decided if not pair[0].for_the_record]
    refusing = [pair for pair in counted if pair[1].verdict == "refused"]
    if refusing:
        broken = [pair for pair in refusing if _breaks(pair[1], allowed)]
        baseline, report = (broken or refusing)[0]
        shown = _breaks(report, allowed) or _additions(report)
        verb = "breaks" if broken else "adds, with a patch version only"
        return f"{_names(baseline, report)} {verb}: {_shown(shown)}; publish it as {smallest}"
    for _, report in counted:
        if report.forced:
            return f"{report.old_version} -> {report.new_version} breaks, and was let through: " + _shown(
                [change for change in report.changes if change.fingerprint in report.forced]
            )
    for baseline, report in counted:
        if report.verdict == "warned":
            more = _shown(_additions(report))
            said = f"; {baseline.free_minor} would say so" if baseline.direction == "below" else ""
            return f"{_names(baseline, report)} adds, with a patch version only: {more}{said}"
    if not counted:
        return _first(version, decided)
    report = counted[0][1]
    level = f"the {policy.profile} profile" if report.changes else "no change"
    return f"{report.old_version} -> {report.new_version} breaks nobody ({level})"


def _first(version: str, decided: Pairs) -> str:
    name = line_name(line(parse_version(version)))
    if not decided:
        return f"{version} is the first version of {name}"
    baseline, report = decided[0]
    breaks = _breaks(report, frozenset())
    if line(parse_version(baseline.release.version)) == line(parse_version(version)):
        if baseline.direction == "above":
            return f"{version} lies before a break that was let through"
        across = f"; against {report.old_version}: {_shown(breaks)}" if breaks else ""
        return f"{version} follows a break that was let through{across}"
    if not breaks:
        return f"{version} is the first version of {name}, and breaks nobody who calls {report.old_version}"
    return f"{version} is the first version of {name}; against {report.old_version}: {_shown(breaks)}"


def _names(baseline: Baseline, report: Report) -> str:
    there = " (already published)" if baseline.direction == "above" else ""
    return f"{report.old_version} -> {report.new_version}{there}"


def _additions(report: Report) -> list[Change]:
    return [change for change in report.changes if change.level == "minor"]


def _shown(changes: Sequence[Change]) -> str:
    more = f"; and {len(changes) - MAX_SHOWN} more" if len(changes) > MAX_SHOWN else ""
    return "; ".join(place_and_sentence(change) for change in changes[:MAX_SHOWN]) + more


def judged_digest(card: Card) -> str:
    """Return a digest over everything that a rule above patch reads: equal ones need no comparison."""
    contract = card.contract
    places = sorted([each.binding, each.protocol_version, each.url, each.tenant] for each in contract.interfaces)
    return digest(canonical({"contract": contract_document(contract), "interfaces": places}))


__all__ = [
    "Baseline",
    "Judgement",
    "Release",
    "Version",
    "baselines",
    "decide",
    "judge",
    "judged_digest",
    "judgement_as_json",
    "judgement_as_text",
]
