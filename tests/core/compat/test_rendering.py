import json
import re

from registry.core.compat.compare import compare
from registry.core.compat.judging import decide
from registry.core.compat.rendering import as_json, as_text, judgement_as_json, judgement_as_text, report_from_json
from registry.core.compat.report import Policy
from tests.core.compat.cards import card
from tests.core.compat.test_judging import judge, published, takes

BOOLEAN = {"type": "boolean"}
OLD = {**takes({"pr": BOOLEAN, "x": BOOLEAN}), "failures": [{"kind": "A", "description": "a."}]}
NEW = {**takes({"pr": {"const": True}}), "failures": [{"kind": "B", "description": "a."}], "description": "Other."}


def test_a_report_goes_through_json_unharmed():
    report = compare(card(OLD, "1.0.0"), card(NEW, "1.0.1"), Policy(profile="literal"))
    assert report == report_from_json(json.loads(json.dumps(as_json(report))))
    assert {"major", "patch"} <= {change.level for change in report.changes}


def test_a_report_is_read_in_a_terminal():
    report = compare(card(OLD, "1.0.0"), card(NEW, "1.0.1"))
    first, second = (change.fingerprint for change in report.changes[:2])
    assert f"""\
major  input takes only true for `pr` now; before, also false
       rule input-value-removed; old /input_schema/properties/pr, new /input_schema/properties/pr/const
       worked until now: {{"pr": false}}
       to do: keep the old form beside the new one, or publish the next major version
       to let it through: allow_breaking={first}
major  the failure `A` is called `B` now
       rule failure-renamed; old /failures/0, new /failures/0
       to do: keep the old code, or publish the next major version
       to let it through: allow_breaking={second}
minor  input no longer names `x`: what callers send there is ignored from now on  (said aloud)
       rule input-property-unnamed; old /input_schema/properties/x, new /input_schema
patch  another description
       rule text-changed; old /description, new /description

1.0.0 -> 1.0.1: 4 changes, refused: needs a major bump, and the version gives a patch one""" == as_text(report)


def test_cards_without_changes_say_so():
    assert as_text(compare(card(OLD, "1.0.0"), card(OLD, "1.0.0"))) == "1.0.0 -> 1.0.0: nothing changed"


def test_a_judgement_is_read_in_a_terminal():
    history = [published(takes({"k": BOOLEAN}), "1.0.0")]
    found = judge(history, takes({"k": BOOLEAN}, ["k"]), "1.0.1")
    document = json.loads(json.dumps(judgement_as_json(found)))
    assert f"""\
1.0.0 -> 1.0.1 breaks: input now requires `k`; publish it as 2.0.0

1.0.0 -> 1.0.1: 1 change, refused: needs a major bump, and the version gives a patch one
major  input now requires `k`
       rule input-required-added; old /input_schema, new /input_schema/required/0
       worked until now: {{}}
       to do: make the property optional, or publish the next major version
       to let it through: allow_breaking={found.changes[0].fingerprint}""" == judgement_as_text(document)


def test_of_further_comparisons_a_judgement_tells_only_what_is_new_and_breaks():
    one, two, three = ({**takes({"k": BOOLEAN, **more})} for more in ({"j": BOOLEAN}, {}, {"l": BOOLEAN}))
    history = [published(three, "1.0.0"), published(one, "1.1.0"), published(two, "1.2.0")]
    found = judge(history, takes({"k": BOOLEAN, "j": {"type": "string"}}, ["k"]), "1.2.1")
    text = judgement_as_text(json.loads(json.dumps(judgement_as_json(found))))
    heads = [line for line in text.splitlines() if line.startswith(("1.", "major", "minor"))]
    assert [
        "1.2.0 -> 1.2.1 breaks: input now requires `k`; publish it as 2.0.0",
        "1.2.0 -> 1.2.1: 2 changes, refused: needs a major bump, and the version gives a patch one",
        "major  input now requires `k`",
        "minor  input takes `j` now",
        "1.1.0 -> 1.2.1: 3 changes, refused: needs a major bump, and the version gives a minor one",
        "major  input takes only a string for `j` now; before, a boolean",
        "1.0.0 -> 1.2.1: refused too, for what is told above",
    ] == heads
    prints = {change.fingerprint for report in found.reports for change in report.changes if change.level == "major"}
    assert prints == set(re.findall("allow_breaking=(.*)", text))


def test_a_judgement_as_json_holds_every_report_and_each_change_once():
    history = [published(takes({"k": BOOLEAN}), version) for version in ("1.0.0", "1.1.0")]
    found = judge(history, takes({"k": BOOLEAN}, ["k"]), "1.2.0")
    document = judgement_as_json(found)
    assert {
        "verdict": "refused",
        "version": "1.2.0",
        "message": "1.1.0 -> 1.2.0 breaks: input now requires `k`; publish it as 2.0.0",
        "smallest_version": "2.0.0",
        "predecessor": "1.1.0",
        "forced": [],
        "changes": document["reports"][0]["changes"],
        "reports": [as_json(report) for report in found.reports],
    } == document


def test_long_values_are_cut_short_in_text():
    long = "x" * 1000
    old, new = takes({"k": {"enum": [long, "a"]}}), takes({"k": {"enum": ["a"]}})
    lines = as_text(compare(card(old), card(new))).splitlines()
    assert max(map(len, lines)) < 400


def test_the_first_version_of_an_agent_has_nothing_to_tell_but_itself():
    found = decide("1.0.0", [], Policy())
    assert judgement_as_text(judgement_as_json(found)) == "1.0.0 is the first version of v1"
