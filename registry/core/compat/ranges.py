"""npm's range grammar (node-semver's README): ``^2.1``, ``~2.1.3``, ``>=2 <3``, ``2.x``, ``1 - 2``, ``||``."""

from __future__ import annotations

import re
from dataclasses import dataclass

import semver

Version = semver.Version

_PART = r"[xX*]|0|[1-9][0-9]{0,15}"
_PARTIAL = (
    rf"v?(?P<major>{_PART})(?:\.(?P<minor>{_PART})(?:\.(?P<patch>{_PART})"
    r"(?:-(?P<pre>[0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?)?)?"
)
_SIMPLE = re.compile(rf"(?P<operator>\^|~>?|>=|<=|>|<|=)?\s*{_PARTIAL}", re.ASCII)
_HYPHEN = re.compile(r"(?P<low>\S+)\s+-\s+(?P<high>\S+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Comparator:
    """One bound: ``operator`` is one of ``<``, ``<=``, ``>``, ``>=``, ``=``."""

    operator: str
    version: Version

    def holds(self, version: Version) -> bool:
        """Say whether a version is on the right side."""
        order = version.compare(self.version)
        return {"<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0, "=": order == 0}[self.operator]


@dataclass(frozen=True, slots=True)
class Range:
    """An OR of ANDs of comparators."""

    text: str
    alternatives: tuple[tuple[Comparator, ...], ...]

    def holds(self, version: Version) -> bool:
        """Say whether a version is in the range.

        A prerelease only is when a comparator names a prerelease of the same major, minor and patch.
        """
        return any(_all_hold(comparators, version) for comparators in self.alternatives)

    def holds_release_of(self, version: Version) -> bool:
        """Say whether the release that a prerelease belongs to is in the range, where no comparator says more."""
        bare = version.replace(prerelease=None)
        return any(
            _all_hold(comparators, bare) and not _names_prerelease_of(comparators, version)
            for comparators in self.alternatives
        )


def _all_hold(comparators: tuple[Comparator, ...], version: Version) -> bool:
    if not all(comparator.holds(version) for comparator in comparators):
        return False
    if not version.prerelease:
        return True
    return _names_prerelease_of(comparators, version)


def _names_prerelease_of(comparators: tuple[Comparator, ...], version: Version) -> bool:
    named = [each.version for each in comparators if each.version.prerelease]
    return any((each.major, each.minor, each.patch) == (version.major, version.minor, version.patch) for each in named)


def parse_range(text: str) -> Range | None:
    """Read a range; None for what is none."""
    alternatives = []
    for part in text.split("||"):
        comparators = _comparators(part.strip())
        if comparators is None:
            return None
        alternatives.append(tuple(comparators))
    return Range(text, tuple(alternatives)) if text.strip() else None


def _comparators(text: str) -> list[Comparator] | None:
    try:
        return _hyphen(text) or _row(text)
    except ValueError:  # a prerelease that SemVer doesn't know
        return None


def _hyphen(text: str) -> list[Comparator] | None:
    hyphen = _HYPHEN.fullmatch(text)
    if hyphen is None:
        return None
    low, high = _SIMPLE.fullmatch(hyphen["low"]), _SIMPLE.fullmatch(hyphen["high"])
    if not low or not high or low["operator"] or high["operator"]:
        return None
    return [*_expand(">=", low), *_expand("<=", high)]


def _row(text: str) -> list[Comparator] | None:
    found: list[Comparator] = []
    position = 0
    while position < len(text):
        match = _SIMPLE.match(text, position)
        if match is None or (match.end() < len(text) and not text[match.end()].isspace()):
            return None
        found += _expand(match["operator"] or "", match)
        position = match.end()
        while position < len(text) and text[position].isspace():
            position += 1
    return found


def _expand(operator: str, match: re.Match[str]) -> list[Comparator]:
    """Write an operator on a partial version out as plain bounds."""
    parts = [None if match[name] in (None, "x", "X", "*") else int(match[name]) for name in ("major", "minor", "patch")]
    if None in parts:
        cut = parts.index(None)
        parts = [*parts[:cut], *([None] * (3 - cut))]
    major, minor, patch = (part or 0 for part in parts)
    low = Version.parse(f"{major}.{minor}.{patch}" + (f"-{match['pre']}" if match["pre"] and None not in parts else ""))
    if parts[0] is None:
        return [Comparator("<", Version(0, 0, 0, "0"))] if operator in ("<", ">") else []
    above = _above(parts)
    exact = above is None
    match operator:
        case "^":
            return [Comparator(">=", low), Comparator("<", _caret(parts))]
        case "~" | "~>":
            ceiling = (
                Version(low.major + 1, 0, 0, "0") if parts[1] is None else Version(low.major, low.minor + 1, 0, "0")
            )
            return [Comparator(">=", low), Comparator("<", ceiling)]
        case ">":
            return [Comparator(">", low)] if exact or above is None else [Comparator(">=", _bare(above))]
        case ">=" | "<":
            return [Comparator(operator, low if operator == ">=" or exact else _first(low))]
        case "<=":
            return [Comparator("<=", low)] if exact or above is None else [Comparator("<", above)]
        case _:
            return [Comparator("=", low)] if exact or above is None else [Comparator(">=", low), Comparator("<", above)]


def _above(parts: list[int | None]) -> Version | None:
    """Return the first version above a partial one; None for a whole version."""
    major, minor, patch = parts
    if major is None or (minor is not None and patch is not None):
        return None
    return Version(major + 1, 0, 0, "0") if minor is None else Version(major, minor + 1, 0, "0")


def _bare(version: Version) -> Version:
    return version.replace(prerelease=None)


def _first(version: Version) -> Version:
    return version.replace(prerelease="0")


def _caret(parts: list[int | None]) -> Version:
    """Return the ceiling of a caret: the leftmost part that isn't zero may not change."""
    major, minor, patch = (parts[0] or 0, parts[1], parts[2])
    if major or minor is None:
        return Version(major + 1, 0, 0, "0")
    if minor or patch is None:
        return Version(0, minor + 1, 0, "0")
    return Version(0, 0, patch + 1, "0")
