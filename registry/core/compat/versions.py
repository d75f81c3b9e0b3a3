"""Versions: SemVer 2.0.0, which of them promise to follow one another, and the selectors that name them.

The first part that isn't zero is the *major part*: 1.4.0 and 1.9.2 are of one line, 0.2.1 and 0.2.7 too; each 0.0.z
is a line of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import semver

from registry.core.compat.ranges import Range, parse_range
from registry.core.errors import Finding, InvalidRequest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from registry.core.compat.judging import Release
    from registry.core.compat.report import Level

Version = semver.Version
Line = tuple[int, int, int]

MAX_LENGTH = 128
LIVE = frozenset({"staging", "production", "deprecated"})
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_MAJOR = re.compile(r"v(?:[1-9][0-9]{0,8}|0(?:\.(?:[1-9][0-9]{0,8}|0(?:\.[0-9]{1,9})?))?)", re.ASCII)
_CHANNEL = re.compile(r"[a-z][a-z0-9-]{0,62}", re.ASCII)


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


def precedence(version: Version) -> tuple[object, ...]:
    """Return a key that orders versions by SemVer 11; build metadata doesn't count."""
    parts = [
        (0, int(part), "") if part.isdigit() else (1, 0, part) for part in (version.prerelease or "").split(".") if part
    ]
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


def free_major(version: Version, taken: Iterable[Version]) -> str:
    """Return the first version of the next line above that no version is of."""
    used = {line(each) for each in taken}
    found = next_line(line(version))
    while found in used:
        found = next_line(found)
    return ".".join(map(str, found))


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
        if _MAJOR.fullmatch(trimmed):
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
    """What a selector selects; ``newer_behind_break`` is a higher version that only a forced break leads to."""

    release: Release | None
    newer_behind_break: str | None = None


def select(selector: Selector, releases: Sequence[Release], *, accept_forced: bool = False) -> Selection:
    """Select among an agent's releases.

    Exact versions and digests find any state. The others offer the highest production release; only deprecated ones
    left, the highest of them; only prereleases, the highest of them. They don't cross a version that was let through
    by force unless asked.
    """
    if selector.kind == "exact":
        wanted = precedence(Version.parse(selector.text))
        found = next((each for each in releases if precedence(Version.parse(each.version)) == wanted), None)
        return Selection(found)
    if selector.kind == "digest":
        return Selection(_highest([each for each in releases if each.card_digest == selector.text]))
    if selector.kind == "channel":
        return Selection(None)
    offered = [each for each in releases if each.state in ("production", "deprecated") and _holds(selector, each)]
    best = _best(offered)
    if accept_forced or best is None:
        return Selection(best)
    return _before_break(best, offered)


def _before_break(best: Release, offered: Sequence[Release]) -> Selection:
    """Step back below the lowest forced version in the line of the best one."""
    home = line(Version.parse(best.version))
    row = sorted((each for each in offered if line(Version.parse(each.version)) == home), key=_key)
    breaks = [index for index, each in enumerate(row) if each.forced and index > 0]
    if not breaks:
        return Selection(best)
    before = _best(row[: breaks[0]])
    return Selection(before or best, best.version if before else None)


def _best(offered: Sequence[Release]) -> Release | None:
    for state in ("production", "deprecated"):
        found = [each for each in offered if each.state == state and not Version.parse(each.version).prerelease]
        if found:
            return _highest(found)
    return _highest([each for each in offered if each.state == "production"]) or _highest(offered)


def _highest(releases: Sequence[Release]) -> Release | None:
    return max(releases, key=_key, default=None)


def _key(release: Release) -> tuple[object, ...]:
    return precedence(Version.parse(release.version))


def _holds(selector: Selector, release: Release) -> bool:
    version = Version.parse(release.version)
    if selector.kind == "line":
        parts = tuple(int(part) for part in selector.text[1:].split("."))
        found = (version.major, version.minor, version.patch)[: len(parts)]
        return found == parts
    return selector.range is None or selector.range.holds(version)
