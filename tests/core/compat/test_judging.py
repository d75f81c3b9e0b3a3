from dataclasses import replace

import pytest

from registry.core.compat.compare import compare
from registry.core.compat.judging import (
    Baseline,
    Release,
    _release,
    baselines,
    compared,
    decide,
    derived,
    judged_digest,
)
from registry.core.compat.judging import judge as judge_cards
from registry.core.compat.report import Policy
from tests.core.compat.cards import card
from tests.core.compat.test_versions import release

STRING = {"type": "string"}


def takes(properties, required=()):
    """Return the members of a card whose input has these properties."""
    schema = {"type": "object", "properties": properties}
    return {"input_schema": schema | ({"required": list(required)} if required else {}), "output": "text"}


def published(members, version, state="production", forced=()):
    """Return a card and the release that it is."""
    one = card(members, version)
    return one, Release(version, state, one.digests.card, judged_digest(one), tuple(forced))


def judge(history, members, version, policy=None, allowed=frozenset()):
    """Judge a version against a history of cards and releases, as a publish does."""
    chosen = policy or Policy()
    new = card(members, version)
    pairs = []
    for baseline in baselines([each for _, each in history], version):
        other = next(one for one, each in history if each is baseline.release)
        pair = (new, other) if baseline.direction == "above" else (other, new)
        pairs.append((baseline, compare(*pair, chosen)))
    return decide(version, pairs, chosen, allowed)


def told(history, version):
    """Return what a version is judged against, in short: "1.0.0", "1.5.0 above", "1.0.0 for the record"."""
    rows = []
    for each in baselines([release(text) for text in history], version):
        words = [each.release.version, *(["above"] if each.direction == "above" else [])]
        rows.append(" ".join([*words, *(["for the record"] if each.for_the_record else [])]))
    return rows


@pytest.mark.parametrize(
    ("history", "version", "wanted"),
    [
        ([], "1.0.0", []),
        (["1.0.0", "1.2.0", "1.1.0"], "1.3.0", ["1.2.0", "1.1.0", "1.0.0"]),
        (["1.4.0", "1.5.0"], "1.4.1", ["1.4.0", "1.5.0 above"]),
        (["1.4.0", "1.6.0", "1.5.0"], "1.4.1", ["1.4.0", "1.5.0 above", "1.6.0 above"]),
        (["1.0.0 yanked", "1.1.0 draft", "1.2.0 retired"], "1.3.0", []),
        (["1.0.0 staging", "1.1.0 deprecated"], "1.2.0", ["1.1.0", "1.0.0"]),
        (["1.0.0", "1.4.0"], "2.0.0", ["1.4.0 for the record"]),
        (["1.0.0", "2.0.0", "3.0.0"], "2.1.0", ["2.0.0"]),
        (["1.0.0", "3.0.0"], "2.0.0", ["1.0.0 for the record"]),
        (["0.2.1", "0.3.0"], "0.2.2", ["0.2.1"]),
        (["0.0.3"], "0.0.4", ["0.0.3 for the record"]),
        (["0.9.0"], "1.0.0", ["0.9.0 for the record"]),
        (["1.0.0", "2.0.0-rc.1"], "2.0.0-rc.2", ["1.0.0 for the record"]),
        (["2.0.0", "2.1.0-rc.1"], "2.1.0-rc.2", ["2.0.0"]),
        (["2.0.0", "2.1.0-rc.1"], "2.1.0", ["2.0.0"]),
        (["2.0.0"], "2.0.0-rc.1", ["2.0.0 above"]),
        (["1.0.0", "1.1.0 forced", "1.2.0"], "1.3.0", ["1.2.0", "1.1.0", "1.0.0 for the record"]),
        (["1.0.0", "1.1.0", "1.2.0 forced"], "1.3.0", ["1.2.0", "1.1.0 for the record"]),
        (["1.0.0", "1.2.0 forced", "1.3.0"], "1.1.0", ["1.0.0", "1.2.0 above for the record"]),
        (["1.0.0", "1.1.0 forced yanked"], "1.2.0", ["1.0.0 for the record"]),
        (["1.0.0", "1.1.0 forced yanked", "1.2.0"], "1.3.0", ["1.2.0", "1.0.0 for the record"]),
        (["1.0.0", "1.1.0 forced retired", "1.2.0"], "1.3.0", ["1.2.0", "1.0.0 for the record"]),
        (["1.0.0", "1.2.0 forced yanked", "1.3.0"], "1.1.0", ["1.0.0", "1.3.0 above for the record"]),
        (["1.0.0", "1.1.0-rc.1 forced yanked", "1.2.0"], "1.3.0", ["1.2.0", "1.0.0"]),
        (["0.9.0", "1.0.0 same", "1.1.0 forced yanked", "1.2.0 same"], "1.3.0", ["1.2.0", "1.0.0"]),
        (["1.0.0", "1.0.1 same", "1.1.0 forced", "1.2.0 same"], "1.3.0", ["1.2.0", "1.1.0", "1.0.1", "1.0.0"]),
        (
            ["1.0.0 same", "1.1.0 forced", "1.2.0 forced same"],
            "1.3.0",
            ["1.2.0", "1.1.0 for the record", "1.0.0"],
        ),
        (
            ["1.0.0 same", "1.0.1", "1.1.0 forced yanked", "1.2.0 same"],
            "1.3.0",
            ["1.2.0", "1.0.1 for the record"],
        ),
        (
            ["1.0.0 same", "1.2.0 forced", "1.3.0 same"],
            "1.1.0",
            ["1.0.0", "1.2.0 above for the record", "1.3.0 above"],
        ),
        (["1.4.0", "1.4.1 forced:above/1.5.0", "1.5.0"], "1.5.1", ["1.5.0", "1.4.1 for the record", "1.4.0"]),
        (["1.4.0", "1.4.1 forced:both/1.5.0", "1.5.0"], "1.6.0", ["1.5.0", "1.4.1 for the record", "1.4.0"]),
        (["1.4.0", "1.4.1 forced:both/1.5.0", "1.5.0 yanked"], "1.6.0", ["1.4.1", "1.4.0"]),
        (["1.4.0", "1.4.1 forced:below/1.5.0", "1.5.0"], "1.5.1", ["1.5.0", "1.4.1", "1.4.0"]),
        (["1.4.0", "1.4.1 forced:above/1.5.0", "1.5.0"], "1.4.2", ["1.4.1", "1.4.0", "1.5.0 above for the record"]),
        (
            ["1.4.0", "1.4.1 forced:both/1.5.0", "1.5.0"],
            "1.4.2",
            ["1.4.1", "1.4.0 for the record", "1.5.0 above for the record"],
        ),
        (
            ["1.3.0", "1.4.1 forced:both/1.5.0", "1.5.0"],
            "1.4.0",
            ["1.3.0", "1.4.1 above for the record", "1.5.0 above"],
        ),
        (
            ["1.0.0", "1.1.0 forced", "1.2.0", "1.1.1 forced:above/1.2.0"],
            "1.3.0",
            ["1.2.0", "1.1.1 for the record", "1.1.0", "1.0.0 for the record"],
        ),
        (["1.0.0", "1.1.0"], "1.1.0", ["1.0.0"]),
    ],
)
def test_a_version_is_judged_inside_its_major_by_precedence(history, version, wanted):
    assert wanted == told(history, version)


def test_baselines_name_what_a_break_and_an_addition_could_be_published_as():
    history = [release(text) for text in ("1.4.0", "1.6.0", "2.0.0 draft")]
    assert (
        Baseline(history[0], "below", free_major="2.0.1", free_minor="1.5.0"),
        Baseline(history[1], "above", free_major="2.0.1", free_minor="1.5.0"),
    ) == baselines(history, "1.4.1")


def test_the_refusal_says_what_broke_and_what_to_publish_instead():
    helper = {"id": "helper", "name": "Helper", "description": "Helps.", "output": "text"}
    old = published({"skills": [{**helper, "input": "text"}]}, "0.1.0")
    found = judge([old], {"skills": [{**helper, "input_schema": {"type": "object"}}]}, "0.1.1")
    assert (found.verdict, found.message, found.smallest_version) == (
        "refused",
        "0.1.0 -> 0.1.1 breaks: helper: input: takes JSON that matches a schema instead of text; publish it as 0.2.0",
        "0.2.0",
    )


def test_a_chain_of_harmless_steps_does_not_hide_a_break():
    first = published(takes({"k": STRING, "a": STRING}, ["k"]), "1.0.0")
    second = published(takes({"k": STRING}, ["k"]), "1.1.0")
    assert judge([first], takes({"k": STRING}, ["k"]), "1.1.0").verdict == "accepted"
    third = takes({"k": STRING, "a": {"type": "integer"}}, ["k"])
    assert judge([second], third, "1.2.0").verdict == "accepted"
    found = judge([first, second], third, "1.2.0")
    assert (found.verdict, found.message) == (
        "refused",
        "1.0.0 -> 1.2.0 breaks: input takes only an integer for `a` now; before, a string; publish it as 2.0.0",
    )


@pytest.mark.parametrize(
    ("old", "new", "policy", "verdict", "smallest"),
    [
        ("1.0.0", "1.0.1", Policy(), "warned", None),
        ("1.0.0", "1.1.0", Policy(), "accepted", None),
        ("1.0.0", "2.0.0", Policy(), "accepted", None),
        ("1.0.0", "1.0.1", Policy(strict=True), "refused", "1.1.0"),
        ("1.0.0", "1.1.0", Policy(strict=True), "accepted", None),
        ("0.1.0", "0.1.1", Policy(strict=True), "accepted", None),
        ("1.0.0", "1.0.1", Policy(levels={"input-property-named": "patch"}, strict=True), "accepted", None),
        ("1.0.0", "1.1.0", Policy(levels={"input-property-named": "major"}), "refused", "2.0.0"),
    ],
)
def test_an_addition_needs_a_minor_version(old, new, policy, verdict, smallest):
    history = [published(takes({"k": STRING}), old)]
    found = judge(history, takes({"k": STRING, "a": STRING}), new, policy)
    assert (verdict, smallest) == (found.verdict, found.smallest_version)


@pytest.mark.parametrize(
    ("old", "new", "verdict", "smallest"),
    [
        ("1.4.0", "1.5.0", "refused", "2.0.0"),
        ("1.4.0", "2.0.0", "accepted", None),
        ("0.2.1", "0.2.2", "refused", "0.3.0"),
        ("0.2.1", "0.3.0", "accepted", None),
        ("0.2.1", "1.0.0", "accepted", None),
        ("0.0.3", "0.0.4", "accepted", None),
        ("1.4.0", "2.0.0-rc.1", "accepted", None),
        ("1.4.0", "1.5.0-rc.1", "refused", "2.0.0"),
    ],
)
def test_a_break_needs_a_new_major(old, new, verdict, smallest):
    history = [published(takes({"k": STRING}), old)]
    found = judge(history, takes({"k": STRING}, ["k"]), new)
    assert (verdict, smallest) == (found.verdict, found.smallest_version)


def test_prereleases_may_break_their_siblings():
    history = [published(takes({"k": STRING}), "1.0.0-rc.1")]
    assert judge(history, takes({"k": STRING}, ["k"]), "1.0.0-rc.2").verdict == "accepted"


def test_a_version_below_a_published_one_must_not_be_broken_by_it():
    history = [published(takes({"k": STRING}), "1.4.0"), published(takes({"k": STRING, "a": STRING}), "1.5.0")]
    found = judge(history, takes({"k": STRING, "a": {"type": "integer"}}), "1.4.1")
    assert (found.verdict, found.message, found.smallest_version, found.predecessor) == (
        "refused",
        (
            "1.4.1 -> 1.5.0 (already published) breaks: input takes only a string for `a` now; before, an integer; "
            "publish it as 2.0.0"
        ),
        "2.0.0",
        "1.4.0",
    )


def test_the_first_of_a_major_is_compared_for_the_record_only():
    history = [published(takes({"k": STRING}), "1.4.0")]
    found = judge(history, takes({"k": STRING}, ["k"]), "2.0.0")
    assert (found.verdict, found.message, [change.rule for change in found.changes]) == (
        "accepted",
        "2.0.0 is the first version of v2; against 1.4.0: input now requires `k`",
        ["input-required-added"],
    )


@pytest.mark.parametrize(
    ("history", "members", "version", "message"),
    [
        ([], takes({}), "1.0.0", "1.0.0 is the first version of v1"),
        (
            [published(takes({"k": STRING}), "1.4.0")],
            takes({"k": STRING}),
            "2.0.0",
            "2.0.0 is the first version of v2, and breaks nobody who calls 1.4.0",
        ),
        (
            [published(takes({"k": STRING}), "1.4.0")],
            takes({"k": STRING, "a": STRING}),
            "1.4.1",
            "1.4.0 -> 1.4.1 adds, with a patch version only: input takes `a` now; 1.5.0 would say so",
        ),
        (
            [published(takes({"k": STRING}), "1.4.0")],
            takes({"k": STRING, "a": STRING}),
            "1.5.0",
            "1.4.0 -> 1.5.0 breaks nobody (the declared profile)",
        ),
    ],
)
def test_an_accepted_version_is_told_why(history, members, version, message):
    assert message == judge(history, members, version).message


def test_a_break_that_is_named_is_let_through_and_one_more_is_not():
    history = [published(takes({"k": STRING, "a": STRING}), "1.0.0")]
    one = takes({"k": STRING, "a": STRING}, ["k"])
    refused = judge(history, one, "1.1.0")
    (fingerprint,) = [change.fingerprint for change in refused.changes if change.level == "major"]
    through = judge(history, one, "1.1.0", allowed=frozenset({fingerprint}))
    assert ("accepted", (fingerprint,), "1.0.0 -> 1.1.0 breaks, and was let through: input now requires `k`") == (
        through.verdict,
        through.forced,
        through.message,
    )
    two = takes({"k": STRING, "a": STRING}, ["k", "a"])
    found = judge(history, two, "1.1.0", allowed=frozenset({fingerprint}))
    assert (
        found.verdict,
        found.forced,
        found.message,
    ) == ("refused", (), "1.0.0 -> 1.1.0 breaks: input now requires `a`; publish it as 2.0.0")


def test_a_break_is_kept_with_the_side_on_which_it_lies():
    one, other = takes({"k": STRING}), takes({"k": STRING, "a": STRING})
    above = published(other, "1.5.0")
    star = frozenset({"*"})
    number = takes({"k": STRING, "a": {"type": "integer"}})
    found = [
        judge([published(one, "1.4.0")], takes({"k": STRING}, ["k"]), "1.4.1", allowed=star),
        judge([published(one, "1.4.0"), above], number, "1.4.1", allowed=star),
        judge([published(one, "1.4.0"), above], takes({"k": {"type": "integer"}}), "1.4.1", allowed=star),
        judge([published(one, "1.4.0"), above], other, "1.4.1", allowed=star),
    ]
    assert [("below", None), ("above", "1.5.0"), ("both", "1.5.0"), (None, None)] == [
        (each.forced_side, each.forced_under) for each in found
    ]


def test_a_star_lets_every_break_through_and_names_each():
    history = [published(takes({"k": STRING, "a": STRING}), "1.0.0")]
    found = judge(history, takes({"k": STRING, "a": STRING}, ["k", "a"]), "1.1.0", allowed=frozenset({"*"}))
    breaks = tuple(change.fingerprint for change in found.changes if change.level == "major")
    assert ("accepted", 2, breaks) == (found.verdict, len(breaks), found.forced)


def test_nothing_is_forced_that_needs_no_force():
    history = [published(takes({"k": STRING}), "1.0.0")]
    assert judge(history, takes({"k": STRING}, ["k"]), "2.0.0", allowed=frozenset({"*"})).forced == ()


def test_later_versions_are_judged_back_to_a_forced_one_and_show_what_lies_before():
    history = [
        published(takes({"k": STRING}), "1.0.0"),
        published(takes({"k": STRING}, ["k"]), "1.1.0", forced=["sha256:x"]),
    ]
    found = judge(history, takes({"k": STRING}, ["k"]), "1.2.0")
    assert (
        found.verdict,
        [change.rule for change in found.changes if change.level == "major"],
        found.forced,
        found.predecessor,
    ) == ("accepted", ["input-required-added"], (), "1.1.0")


def test_what_follows_a_break_is_told_so_when_the_version_that_broke_was_yanked():
    history = [
        published(takes({"k": STRING}), "1.0.0"),
        published(takes({"k": STRING}, ["k"]), "1.1.0", "yanked", forced=["sha256:x"]),
    ]
    found = [judge(history, takes({"k": STRING}, required), "1.2.0") for required in ((), ["k"])]
    assert [
        ("accepted", "1.2.0 follows a break that was let through"),
        ("accepted", "1.2.0 follows a break that was let through; against 1.0.0: input now requires `k`"),
    ] == [(each.verdict, each.message) for each in found]


def test_a_change_is_told_once_though_several_versions_show_it():
    history = [published(takes({"k": STRING}), "1.0.0"), published(takes({"k": STRING}), "1.1.0")]
    found = judge(history, takes({"k": STRING}, ["k"]), "1.2.0")
    assert (
        len(found.reports),
        [change.rule for change in found.changes if change.level == "major"],
    ) == (2, ["input-required-added"])


def test_many_breaks_are_counted_in_the_message():
    names = [f"p{at}" for at in range(5)]
    history = [published(takes(dict.fromkeys(names, STRING)), "1.0.0")]
    found = judge(history, takes(dict.fromkeys(names, STRING), names), "1.1.0")
    assert found.message == (
        "1.0.0 -> 1.1.0 breaks: input now requires `p0`; input now requires `p1`; input now requires `p2`; and 2 more; "
        "publish it as 2.0.0"
    )


@pytest.mark.parametrize(
    ("old", "new", "equal"),
    [
        ({}, {"description": "Another.", "owner": "other", "tags": ["x"]}, True),
        (takes({"k": STRING}), takes({"k": {**STRING, "title": "K"}}), True),
        (takes({"k": STRING}), takes({"k": {**STRING, "default": "x"}}), False),
        ({}, {"deployment_url": "https://agents.example.com/elsewhere"}, False),
        ({}, {"a2a": {"capabilities": {"streaming": True}}}, False),
        ({}, {"idempotent": True}, False),
        ({}, {"a2a": {"defaultInputModes": ["image/png"]}}, False),
    ],
)
def test_a_judged_digest_holds_what_rules_above_patch_read(old, new, equal):
    one, other = (
        card({"input": "text", **members} if "input_schema" not in members else members) for members in (old, new)
    )
    assert equal == (judged_digest(one) == judged_digest(other))


def test_a_version_that_is_taken_is_told_one_that_its_neighbours_accept():
    """Beside 1.4.0 there is 1.5.0, which lacks what is added: only the next major keeps everybody's promise."""
    old, new = card(takes({"k": STRING}), "1.4.0"), card(takes({"k": STRING, "a": STRING}), "1.4.0")
    history = [old, card(takes({"k": STRING}), "1.5.0")]
    found = judge_cards(history, new, Policy())
    assert ("refused", "2.0.0") == (found.verdict, found.smallest_version)
    assert "accepted" == judge_cards(history, replace(new, version="2.0.0"), Policy()).verdict


@pytest.mark.parametrize(
    ("history", "contract", "policy", "wanted", "why"),
    [
        ("abc", "d", Policy(), (0, 1, 2), "each is another contract"),
        ("abab", "c", Policy(), (0, 1, 0, 1), "a contract is compared once"),
        ("aaaa", "a", Policy(), (0, None, None, None), "the nearest shows what else changed"),
        ("abba", "b", Policy(), (0, None, None, 0), "the version's own contract changes nothing"),
        (
            "aab",
            "a",
            Policy(levels={"text-changed": "minor"}),
            (0, 1, 2),
            "texts count, and no judged digest holds them",
        ),
        (
            "aab",
            "c",
            Policy(levels={"input-narrowed": "patch"}),
            (0, 0, 2),
            "other rules read what a judged digest holds",
        ),
    ],
)
def test_a_contract_is_compared_once(history, contract, policy, wanted, why):
    rows = [
        Baseline(Release(f"1.{at}.0", "production", f"sha256:{at}", name), "below") for at, name in enumerate(history)
    ]
    assert wanted == compared(rows, contract, policy), why


def test_versions_above_and_below_are_compared_apart():
    rows = [Baseline(Release("1.0.0", "production", "", "a"), side) for side in ("below", "above", "above")]
    assert (0, 1, 1) == compared(rows, "b", Policy())


@pytest.mark.parametrize("version", ["1.4.1", "1.4.0-rc.1", "1.9.0", "2.0.0", "0.9.0"])
@pytest.mark.parametrize("policy", [Policy(), Policy(strict=True), Policy("literal")])
def test_a_report_on_the_same_contract_is_derived_as_it_would_be_made(version, policy):
    """All but what is patch, which the text of the other card decides."""
    new = card(takes({"k": STRING, "a": {"type": "integer"}}), version)
    one, other = (
        card({**takes({"k": STRING, "a": STRING}), "description": text}, at)
        for text, at in (("One.", "1.3.0"), ("Other.", "1.4.0"))
    )
    baseline = Baseline(_release(other), "below" if version in ("1.4.1", "1.9.0", "2.0.0") else "above")
    is_below = baseline.direction == "below"
    changes = compare(one, new, policy).changes if is_below else compare(new, one, policy).changes
    real = compare(other, new, policy) if is_below else compare(new, other, policy)
    kept = tuple(change for change in real.changes if change.level != "patch")
    assert len(kept) < len(real.changes)
    assert replace(real, changes=kept) == derived(baseline, version, new.digests.card, changes, policy)
