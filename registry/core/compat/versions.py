"""Versions: SemVer 2.0.0, which of them promise to follow one another, and the selectors that name them.

The first part that isn't zero is the *major part*: 1.4.0 and 1.9.2 are of one line, 0.2.1 and 0.2.7 too; each 0.0.z
is a line of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import semver

from registry.core.compat.ranges import Range, parse_range
from registry.core.errors import Finding, InvalidRequest, NotFound

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from registry.core.compat.judging import Release
    from registry.core.compat.report import Level

Version = semver.Version
Line = tuple[int, int, int]
Precedence = tuple[object, ...]

MAX_LENGTH = 128
LIVE = frozenset({"staging", "production", "deprecated"})
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_LINE = re.compile(r"v(?:[1-9][0-9]{0,15}|0\.[1-9][0-9]{0,15}|0\.0\.(?:0|[1-9][0-9]{0,15}))", re.ASCII)
_CHANNEL = re.compile(r"(?!v[0-9]+$)[a-z][a-z0-9-]{0,62}", re.ASCII)  # v and digits look like a major


def parse_version(text: str, pointer: str = "/version") -> Version:
    """Return one exact version. Raises InvalidRequest for ranges, words, a leading ``v`` and everything else."""
    if len(text) <= MAX_LENGTH and text.isascii() and Version.is_valid(text):
        return Version.parse(text)
    hint = ""
    if re.fullmatch(r"v\d+\.\d+\.\d+.*", text):
        hint = f"; write {text[1:60]} without the v"
    elif re.fullmatch(r"\d+(\.\d+)?", text):
        hint = f"; write {text[:40]}{'.0' * (2 - text.count('.'))}"
    message = f"`{text[:60]}` is not one exact version (SemVer 2.0.0, such as 1.4.0){hint}"
    raise InvalidRequest([Finding("not-a-version", pointer, message)])


def line(version: Version) -> Line:
    """Return the line of a version: its parts up to the first that isn't zero."""
    if version.major:
        return (version.major, 0, 0)
    return (0, version.minor, 0) if version.minor else (0, 0, version.patch)


def line_name(found: Line) -> str:
    """Return a line as selectors write it: ``v2``, ``v0.2``, ``v0.0.3``."""
    if found[0]:
        return f"v{found[0]}"
    return f"v0.{found[1]}" if found[1] else f"v0.0.{found[2]}"


def precedence(version: Version) -> Precedence:
    """Return a key that orders versions by SemVer 11; build metadata doesn't count."""
    parts = tuple(
        (0, int(part), "") if part.isdigit() else (1, 0, part) for part in (version.prerelease or "").split(".") if part
    )
    return (version.major, version.minor, version.patch, not version.prerelease, parts)


def bump(old: Version, new: Version) -> Level | None:
    """Return what the numbers promise from old to new: another line is major; None when new isn't above old."""
    if precedence(new) <= precedence(old):
        return None
    if line(old) != line(new):
        return "major"
    if not old.major:
        return "patch"
    return "minor" if new.minor != old.minor else "patch"


def next_line(found: Line) -> Line:
    """Return the line that comes next when a break is published."""
    if found[0]:
        return (found[0] + 1, 0, 0)
    return (0, found[1] + 1, 0) if found[1] else (0, 0, found[2] + 1)


def free_major(version: Version, taken: Iterable[Version], live: Iterable[Version]) -> str:
    """Return the first version that nobody has of the nearest line above in which no release is live.

    ``taken`` are all numbers that were ever given out, ``live`` those of releases that are judged against.
    """
    numbers, used = {_numbers(each) for each in taken if not each.prerelease}, {line(each) for each in live}
    found = next_line(line(version))
    while True:
        first = _first_free(found, numbers)
        if found not in used and line(Version(*first)) == found:
            return ".".join(map(str, first))
        found = next_line(found)


def free_minor(version: Version, taken: Iterable[Version], live: Iterable[Version]) -> str:
    """Return the first version that nobody has of the next minor, below what is live above it; else a free major.

    Above a release that is live there, a version would be judged against that one, which nobody has done.
    """
    numbers, rows = {_numbers(each) for each in taken if not each.prerelease}, list(live)
    first = _first_free((version.major, version.minor + 1, 0), numbers)
    above = [each.minor for each in rows if line(each) == line(version) and precedence(each) > precedence(version)]
    return (
        ".".join(map(str, first)) if first[1] < min(above, default=first[1] + 1) else free_major(version, taken, rows)
    )


def free_patch(version: Version, taken: Iterable[Version]) -> str:
    """Return the first patch version beside a version, of its minor, that lies above all of ``taken`` of that minor."""
    patches = [each.patch for each in (version, *taken) if (each.major, each.minor) == (version.major, version.minor)]
    return f"{version.major}.{version.minor}.{max(patches) + 1}"


def _numbers(version: Version) -> tuple[int, int, int]:
    return (version.major, version.minor, version.patch)


def _first_free(start: tuple[int, int, int], taken: Collection[tuple[int, int, int]]) -> tuple[int, int, int]:
    """Return the first patch version from a start on that isn't taken."""
    major, minor, patch = start
    while (major, minor, patch) in taken:
        patch += 1
    return (major, minor, patch)


@dataclass(frozen=True, slots=True)
class Selector:
    """What names a version: ``kind`` says how ``text`` is meant; ``range`` is there for ranges and lines."""

    kind: Literal["exact", "latest", "line", "range", "digest", "channel"]
    text: str
    range: Range | None = None


def parse_selector(text: str, pointer: str = "/selector") -> Selector:
    """Read a selector: exact, ``latest``, ``v2``, ``v0.2``, an npm range, ``sha256:...``, or a channel's name.

    Raises InvalidRequest for what is none.
    """
    trimmed = text.strip()
    if len(trimmed) <= MAX_LENGTH and trimmed.isascii():
        if Version.is_valid(trimmed):
            return Selector("exact", trimmed)
        if trimmed == "latest":
            return Selector("latest", trimmed)
        if _DIGEST.fullmatch(trimmed):
            return Selector("digest", trimmed)
        if _LINE.fullmatch(trimmed):
            return Selector("line", trimmed)
        found = parse_range(trimmed)
        if found is not None:
            return Selector("range", trimmed, found)
        if _CHANNEL.fullmatch(trimmed):
            return Selector("channel", trimmed)
    message = (
        f"`{text[:60]}` selects nothing; write an exact version, `latest`, a major (`v2`, `v0.2`), a range (`^2.1`, "
        "`>=2 <3`) or a digest (`sha256:...`)"
    )
    raise InvalidRequest([Finding("not-a-selector", pointer, message)])


@dataclass(frozen=True, slots=True)
class Selection:
    """What a selector selects, None when nothing.

    ``is_prerelease`` marks a prerelease that was offered for want of a release; ``newer_behind_break`` is a higher
    version that only a forced break leads to.
    """

    release: Release | None
    is_prerelease: bool = False
    newer_behind_break: str | None = None


def select(selector: Selector, releases: Sequence[Release], *, accept_forced: bool = False) -> Selection:
    """Select among an agent's releases.

    Exact versions and digests find any state; a digest finds the version that had it first, so that it finds the same
    one for ever. The others offer the highest production release; only deprecated ones left, the highest of them;
    only prereleases, the highest of them, and a range then holds the prereleases of every release that it holds. They
    don't cross a version that was let through by force unless asked. Raises NotFound for a channel: there are none yet.
    """
    match selector.kind:
        case "channel":
            raise NotFound(f"there is no channel `{selector.text}`; write a version, `latest`, a major or a range")
        case "exact":
            wanted = precedence(Version.parse(selector.text))
            return Selection(next((each for each in releases if _key(each) == wanted), None))
        case "digest":
            same = [each for each in releases if each.card_digest == selector.text]
            return Selection(min(same, key=_published, default=None))
    public = [each for each in releases if each.state in ("production", "deprecated")]
    offered = [each for each in public if _holds(selector, each)]
    if selector.range is not None and not offered:
        offered = [each for each in public if selector.range.holds_release_of(Version.parse(each.version))]
    best = _best(offered)
    if best is None or accept_forced:
        return _offer(best)
    return _before_break(best, offered, releases)


def _before_break(best: Release, offered: Sequence[Release], releases: Sequence[Release]) -> Selection:
    """Step back to the best one of its line that is offered without crossing a break that was let through.

    A forced version counts in every state: who yanked it didn't mend the versions that followed it. A prerelease is
    not offered beside releases, so a forced one stands in the way of prereleases only. What broke with a version
    above it holds nothing back: that version was offered before.
    """
    home, beside_prereleases = line(Version.parse(best.version)), _is_prerelease(best)
    forced = [each for each in releases if each.forced and line(Version.parse(each.version)) == home]
    spurs = breaks_of(forced, prereleases=beside_prereleases)
    breaks = [replace(one, is_from_above=False) for one in spurs if one.is_from_below]
    if not breaks:
        return _offer(best)
    row = [each for each in offered if line(Version.parse(each.version)) == home]
    row = sorted((each for each in row if _is_prerelease(each) == beside_prereleases), key=_key)
    # Who selects was offered the first one first: what is published below it later takes nobody back.
    first = min(row, key=_published)
    walked = upwards(row, _key(first), first.judged_digest, breaks, spurs)
    before = _best([each for each, keeps in walked if keeps])
    if before is None or before is best:
        return _offer(best)
    return Selection(before, is_prerelease=_is_prerelease(before), newer_behind_break=best.version)


@dataclass(frozen=True, slots=True)
class Break:
    """A version that was let through by force, as what parts others of its line.

    It stands at ``at``. What follows it is a line of its own that ends below ``under``, the nearest release that was
    live above it then, or goes on for ever. ``is_from_below`` says that it broke with a version below it,
    ``is_from_above`` that the line of its own breaks with ``under``.
    """

    at: Precedence
    under: Precedence | None
    is_from_below: bool
    is_from_above: bool

    def parts(self, lower: Precedence, upper: Precedence) -> bool:
        """Say whether it lies between two versions, so that the upper one need not keep what the lower one promised."""
        if self.is_from_below and lower < self.at <= upper and (self.under is None or upper < self.under):
            return True
        return self.is_apart(lower) and self.under is not None and self.under <= upper

    def is_apart(self, version: Precedence) -> bool:
        """Say whether a version is of a line that breaks with what is above it."""
        return self.is_from_above and self.under is not None and self.at <= version < self.under


def breaks_of(releases: Iterable[Release], *, prereleases: bool = False) -> list[Break]:
    """Return the breaks that releases of one line were let through with, without those of prereleases unless asked."""
    return [
        Break(
            at=_key(each),
            under=precedence(Version.parse(each.forced_under)) if each.forced_under else None,
            is_from_below=each.forced_side != "above",
            is_from_above=each.forced_side in ("above", "both"),
        )
        for each in releases
        if each.forced and (prereleases or not _is_prerelease(each))
    ]


def upwards(
    row: Iterable[Release],
    start: Precedence,
    contract: str | None,
    breaks: Sequence[Break],
    spurs: Sequence[Break] = (),
) -> Iterator[tuple[Release, bool]]:
    """Say of each of a row, lowest first, whether it keeps what was promised at ``start``: no break lies between.

    ``contract`` is the judged digest that was promised last. Where a break is followed by the very contract from
    before it, it is mended, and what follows keeps the promise again. What is apart by one of ``spurs`` promises
    nothing to those above it.
    """
    mended: set[Break] = set()
    for each in row:
        key = _key(each)
        parting = {one for one in breaks if one.parts(start, key)} - mended
        keeps = not parting or each.judged_digest == contract
        if keeps and key > start and not any(one.is_apart(key) for one in spurs):
            contract = each.judged_digest
            mended |= parting
        yield each, keeps


def downwards(row: Iterable[Release], start: Precedence, breaks: Sequence[Break]) -> Iterator[tuple[Release, bool]]:
    """Say of each of a row, highest first, whether its promises hold at ``start``: no break lies between.

    Where the nearest version below a break is the very contract of one above it that holds, the break is mended.
    """
    contracts: set[str] = set()
    seen: set[Break] = set()
    mended: set[Break] = set()
    for each in row:
        parting = {one for one in breaks if one.parts(_key(each), start)} - mended
        if parting - seen and each.judged_digest in contracts:
            mended |= parting
            parting = set()
        seen |= parting
        if not parting:
            contracts.add(each.judged_digest)
        yield each, not parting


def _offer(release: Release | None) -> Selection:
    return Selection(release, is_prerelease=release is not None and _is_prerelease(release))


def _is_prerelease(release: Release) -> bool:
    return bool(Version.parse(release.version).prerelease)


def _best(offered: Sequence[Release]) -> Release | None:
    rows = [[each for each in offered if each.state == state] for state in ("production", "deprecated")]
    full = [[each for each in row if not _is_prerelease(each)] for row in rows]
    return next((_highest(row) for row in (*full, *rows) if row), None)


def _highest(releases: Sequence[Release]) -> Release | None:
    return max(releases, key=_key, default=None)


def _key(release: Release) -> Precedence:
    return precedence(Version.parse(release.version))


def _published(release: Release) -> tuple[float, Precedence]:
    """Return a key that orders versions as they were published; those of one call by precedence."""
    return (release.published_at.timestamp() if release.published_at else 0.0, _key(release))


def _holds(selector: Selector, release: Release) -> bool:
    version = Version.parse(release.version)
    if selector.kind == "line":
        return line_name(line(version)) == selector.text
    return selector.range is None or selector.range.holds(version)
