import json
import re
from datetime import UTC, datetime, timedelta

import pytest
import semver
from hypothesis import given, settings
from hypothesis import strategies as st

from registry.core.compat.judging import Release
from registry.core.compat.versions import (
    Selection,
    bump,
    free_major,
    free_minor,
    line,
    line_name,
    parse_selector,
    parse_version,
    precedence,
    select,
)
from registry.core.errors import InvalidRequest, NotFound
from tests.core.compat.cards import CASES

# SemVer 2.0.0, clause 11, and its list of examples.
ASCENDING = [
    "1.0.0-0",
    "1.0.0-2",
    "1.0.0-10",
    "1.0.0--",
    "1.0.0-0foo",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0-rc.2",
    "1.0.0-rc.10",
    "1.0.0",
    "1.0.1",
    "1.2.0",
    "1.10.0",
    "2.0.0",
]
IDENTIFIER = st.one_of(
    st.integers(0, 10**12).map(str),
    st.from_regex(r"[0-9A-Za-z-]*[A-Za-z-][0-9A-Za-z-]*", fullmatch=True).filter(lambda text: len(text) < 12),
)
PRERELEASE = st.lists(IDENTIFIER, max_size=4).map(".".join)


def rows(name):
    return [json.loads(text) for text in (CASES / name).read_text().splitlines()]


def version(text):
    return parse_version(text)


@pytest.mark.parametrize("text", [*ASCENDING, "0.0.0-0foo.1", "1.0.0+a", "1.0.0-rc.1+b.2", "0.0.0", "99999.0.0"])
def test_an_exact_version_is_read(text):
    assert text == str(version(text))


@pytest.mark.parametrize(
    "text",
    [
        *("^1.2.3", "~1", ">=1", "1.x", "1 - 2", "latest", "*", "", "v1.2.3", "1.2", "2", "1.0.0-01", "01.0.0"),
        *(
            "1.0.0.0",
            "1.0.0-",
            "1.0.0+",
            "1.0.0 ",
            " 1.0.0",
            "1.0.0\n",
            "\uff11.0.0",
            "1.0.0-é",
            "1." + "9" * 200 + ".0",
        ),
    ],
)
def test_what_is_not_one_exact_version_is_refused(text):
    with pytest.raises(InvalidRequest, match="is not one exact version") as caught:
        version(text)
    assert [(each.code, each.pointer) for each in caught.value.findings] == [("not-a-version", "/version")]


@pytest.mark.parametrize(
    ("text", "hint"), [("v1.2.3", "write 1.2.3 without the v"), ("1.2", "write 1.2.0"), ("2", "write 2.0.0")]
)
def test_a_near_miss_is_told_what_to_write(text, hint):
    with pytest.raises(InvalidRequest, match=re.escape(hint)):
        version(text)


def test_versions_order_as_semver_11_says():
    assert sorted(set(ASCENDING), key=lambda text: precedence(version(text))) == ASCENDING


def test_build_metadata_does_not_order():
    assert precedence(version("1.0.0+a")) == precedence(version("1.0.0+b"))


@settings(deadline=None)
@given(PRERELEASE, PRERELEASE)
def test_versions_order_as_the_semver_package_orders(one, other):
    versions = [semver.Version(1, 2, 3, text or None) for text in (one, other)]
    order = versions[0].compare(versions[1])
    precedences = [precedence(each) for each in versions]
    assert order == (precedences[0] > precedences[1]) - (precedences[0] < precedences[1])


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("2.3.4", "v2"),
        ("0.2.7", "v0.2"),
        ("0.0.3", "v0.0.3"),
        ("0.0.0", "v0.0.0"),
        ("2.0.0-rc.1", "v2"),
        ("0.1.0-a", "v0.1"),
    ],
)
def test_the_first_part_that_is_not_zero_is_the_major_part(text, name):
    assert name == line_name(line(version(text)))


@pytest.mark.parametrize(
    ("old", "new", "given"),
    [
        ("1.4.0", "2.0.0", "major"),
        ("1.4.0", "1.5.0", "minor"),
        ("1.4.0", "1.4.1", "patch"),
        ("0.2.1", "0.3.0", "major"),
        ("0.2.1", "1.0.0", "major"),
        ("0.2.1", "0.2.2", "patch"),
        ("0.0.3", "0.0.4", "major"),
        ("1.0.0", "1.1.0-rc.1", "minor"),
        ("1.0.0", "2.0.0-rc.1", "major"),
        ("1.0.0", "1.0.0", None),
        ("1.0.0+a", "1.0.0+b", None),
        ("1.1.0", "1.0.0", None),
    ],
)
def test_a_bump_is_told_by_the_numbers(old, new, given):
    assert given == bump(version(old), version(new))


@pytest.mark.parametrize(
    ("text", "taken", "gone", "free", "why"),
    [
        ("1.4.0", [], [], "2.0.0", "nobody has it"),
        ("1.4.0", ["2.0.0", "3.1.0"], [], "4.0.0", "what is live in a major would be judged against"),
        ("1.4.0", ["2.0.0", "3.1.0-rc.1"], [], "3.0.0", "nothing is judged against a prerelease"),
        ("1.4.0", ["2.0.0-rc.1"], [], "2.0.0", "a release is another number than its prereleases"),
        ("1.4.0", [], ["2.1.0"], "2.0.0", "what is yanked is judged against no more"),
        ("1.4.0", [], ["2.0.0"], "2.0.1", "a yanked number is not given out again"),
        ("1.4.0", ["2.3.0"], ["2.0.0"], "3.0.0", "another of the major is live"),
        ("0.1.1", [], [], "0.2.0", "below 1.0 the minor part is the major part"),
        ("0.1.1", ["0.2.5"], [], "0.3.0", "it is live"),
        ("0.1.1", [], ["0.2.0", "0.2.1"], "0.2.2", "both numbers are gone"),
        ("0.0.3", ["0.0.4"], ["0.0.5"], "0.0.6", "each 0.0.z is a major with one number"),
    ],
)
def test_the_next_free_major_is_a_number_that_would_be_accepted(text, taken, gone, free, why):
    live = [version(each) for each in taken if "-" not in each]
    assert free == free_major(version(text), [version(each) for each in (*taken, *gone)], live), why


@pytest.mark.parametrize(
    ("text", "live", "gone", "free", "why"),
    [
        ("1.4.1", [], [], "1.5.0", "nobody has it"),
        ("1.4.1", ["1.4.0"], ["1.5.0-rc.1", "1.6.0"], "1.5.0", "nothing is judged against what is no live release"),
        ("1.4.1", [], ["1.5.0"], "1.5.1", "a yanked number is not given out again"),
        ("1.4.1", ["1.6.0"], [], "1.5.0", "there is room below what is live above it"),
        ("1.4.1", ["1.5.0", "2.7.0"], [], "3.0.0", "above 1.5.0 it would be judged against that one"),
    ],
)
def test_the_next_free_minor_is_a_number_that_would_be_accepted(text, live, gone, free, why):
    rows = [version(each) for each in live]
    assert free == free_minor(version(text), [*rows, *(version(each) for each in gone)], rows), why


@pytest.mark.parametrize("row", rows("version-ranges.jsonl"), ids=lambda row: row["range"])
def test_a_range_holds_what_npm_holds(row):
    found = parse_selector(row["range"]).range
    texts = [*row["in"], *row["out"]]
    assert row["in"] == [text for text in texts if found.holds(version(text))], row["why"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("1.2.3", "exact"),
        ("1.0.0+b1", "exact"),
        ("latest", "latest"),
        ("v2", "line"),
        ("v0.2", "line"),
        ("v0.0.3", "line"),
        ("v0", "range"),
        ("v2.1", "range"),
        ("^2.1", "range"),
        ("x", "range"),
        ("sha256:" + "0" * 64, "digest"),
        ("stable", "channel"),
        ("v1234567890123456", "line"),
        ("v2-beta", "channel"),
        ("  ^2.1 ", "range"),
    ],
)
def test_a_selector_is_told_by_its_shape(text, kind):
    assert (kind, text.strip()) == (parse_selector(text).kind, parse_selector(text).text)


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "sha256:0", "sha256:" + "G" * 64, "Stable", ">=1,<2", "1.2.3.4", "^", ">=", "1.2.3-", "1..2", "||^"),
        *("v12345678901234567", "v01", "v0123"),
        *("^01.2.3", "^1.2.3-01", "^1.2.3-a..b", "1.0.0 - ^2", "1" * 200, "канал", "^1 | ^2", "!1", "1.2-rc"),
    ],
)
def test_what_selects_nothing_is_refused(text):
    with pytest.raises(InvalidRequest, match="selects nothing"):
        parse_selector(text)


@settings(deadline=None)
@given(st.text(alphabet="0123456789.xX*^~<>=-+|v abrc", max_size=40))
def test_any_text_is_a_selector_or_refused(text):
    try:
        found = parse_selector(text)
    except InvalidRequest:
        return
    assert found.range is None or found.range.holds(version("1.0.0")) in (True, False)


def release(text):
    """Read "1.2.0 forced yanked" as a release; "same" ones have one contract.

    "1.4.1 forced:above/1.5.0" broke with what is above it, the nearest of which was 1.5.0; "#2" was published second.
    """
    number, *words = text.split()
    place = next((word for word in words if word.startswith("#")), "#0")
    words = [word for word in words if word != place]
    force = next((word for word in words if word.startswith("forced")), "")
    state = next((word for word in words if word not in (force, "same")), "production")
    contract = "sha256:same" if "same" in words else f"sha256:{number}"
    side, _, under = force.removeprefix("forced").removeprefix(":").partition("/")
    forced = ("sha256:break",) if force else ()
    published_at = datetime(2026, 12, 1, tzinfo=UTC) + timedelta(seconds=int(place[1:]))
    return Release(number, state, f"sha256:{number}", contract, forced, side or None, under or None, published_at)


@pytest.mark.parametrize("row", rows("version-selection.jsonl"), ids=lambda row: row["why"])
def test_a_selector_selects(row):
    releases = [release(text) for text in row["releases"]]
    found = select(parse_selector(row["selector"]), releases, accept_forced=row.get("accept_forced", False))
    wanted = next((each for each in releases if each.version == row["selects"]), None)
    assert Selection(wanted, row.get("is_prerelease", False), row.get("newer")) == found


def test_a_digest_finds_the_version_that_had_the_card_first_for_ever():
    digest, now = "sha256:" + "a" * 64, datetime(2026, 12, 1, tzinfo=UTC)
    rows = [("2.0.0", "yanked", 1), ("3.0.0", "production", 2), ("1.0.0", "staging", 1), ("0.1.0", "production", 3)]
    releases = [
        Release(text, state, digest, "", published_at=now + timedelta(microseconds=after))
        for text, state, after in rows
    ]
    found = [select(parse_selector(digest), releases[:count]).release.version for count in (1, 2)]
    assert ["2.0.0", "2.0.0"] == found
    assert Selection(releases[2]) == select(parse_selector(digest), releases[::-1])  # one call published both


def test_a_channel_is_unknown_for_now():
    with pytest.raises(NotFound, match="there is no channel `canary`"):
        select(parse_selector("canary"), [release("1.0.0")])
