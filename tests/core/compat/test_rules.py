"""Each rule fires in a case and stays silent in a near miss; tests/cases/rules holds a file for each."""

import json
from pathlib import Path

import pytest

from registry.core.card.model import Text
from registry.core.compat.compare import compare
from registry.core.compat.judging import judged_digest
from registry.core.compat.report import Policy
from registry.core.compat.rules import RULES
from registry.core.compat.rules.pages import index
from registry.core.solver.validators import accepts
from tests.core.compat.cards import CASES, card

FILES = {path.stem: path for path in sorted((CASES / "rules").glob("*.jsonl"))}
ROWS = {name: [json.loads(line) for line in path.read_text().splitlines()] for name, path in FILES.items()}
PAGE = Path(__file__).resolve().parents[3] / "docs" / "rules" / "index.md"


def told(report):
    """Return the changes of a report as case files write them."""
    rows = []
    for change in report.changes:
        row = {
            "rule": change.rule,
            "level": change.level,
            "operation": change.operation,
            "side": change.side,
            "old_pointer": change.old_pointer,
            "new_pointer": change.new_pointer,
            "sentence": change.sentence,
        }
        if change.said_aloud:
            row["said_aloud"] = True
        if change.certainty == "unproven":
            row["unproven"] = True
        if change.witness:
            row["witness"] = change.witness.accepted_by
        rows.append(row)
    return rows


@pytest.mark.parametrize(
    "row", [pytest.param(row, id=f"{name}: {row['why']}") for name, rows in ROWS.items() for row in rows]
)
def test_a_case_has_exactly_its_changes(row):
    report = compare(card(row["old"]), card(row["new"]), Policy(profile=row.get("profile", "declared")))
    assert row["changes"] == told(report)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, id=f"{name}: {row['why']}")
        for name, rows in ROWS.items()
        for row in rows
        if any("witness" in change for change in row["changes"])
    ],
)
def test_a_witness_is_taken_by_one_contract_and_refused_by_the_other(row):
    cards = {"old": card(row["old"]), "new": card(row["new"])}
    for change in compare(*cards.values(), Policy(profile=row.get("profile", "declared"))).changes:
        if change.witness and change.level == "major":
            other = "new" if change.witness.accepted_by == "old" else "old"
            assert takes(cards[change.witness.accepted_by], change), change
            assert not takes(cards[other], change), change


def takes(one, change):
    """Say whether a card's contract takes, or may give, a change's witness."""
    operation = one.contract.operations[change.operation]
    shapes = {"input": operation.input, "output": operation.output}
    shape = shapes.get(change.side) or next(iter(operation.pauses.values())).answer
    if isinstance(shape, Text):
        return change.witness.kind == "text"
    return change.witness.kind == "json" and accepts(shape.schema, change.witness.value)


@pytest.mark.parametrize(
    "row", [pytest.param(row, id=f"{name}: {row['why']}") for name, rows in ROWS.items() for row in rows]
)
def test_cards_with_one_judged_digest_differ_in_nothing_above_patch(row):
    same = judged_digest(card(row["old"])) == judged_digest(card(row["new"]))
    assert not (same and any(change["level"] != "patch" for change in row["changes"]))


def test_every_rule_has_a_case_file_and_every_case_file_a_rule():
    assert sorted(RULES) == sorted(FILES)


@pytest.mark.parametrize("name", sorted(RULES))
def test_a_rule_fires_in_a_case_and_is_silent_in_another(name):
    fired = {any(change["rule"] == name for change in row["changes"]) for row in ROWS[name]}
    assert {True, False} == fired


@pytest.mark.parametrize("name", sorted(RULES))
def test_a_rule_has_a_mirror_or_says_why_not(name):
    rule = RULES[name]
    assert (rule.mirror in RULES) != bool(rule.waiver)


@pytest.mark.parametrize("name", sorted(name for name in RULES if RULES[name].level == "major"))
def test_a_breaking_rule_of_inputs_has_its_mirror_in_outputs(name):
    rule = RULES[name]
    mirror = RULES[rule.mirror] if rule.mirror else None
    sides = {"input": "output", "output": "input"}
    assert sides.get(rule.side) == (mirror.side if mirror and rule.side in sides else None)
    assert rule.side not in sides or mirror.mirror == name


@pytest.mark.parametrize("name", sorted(name for name in RULES if RULES[name].level == "major"))
def test_a_breaking_rule_says_what_to_do_instead(name):
    assert RULES[name].advice


def test_the_page_of_rules_is_written_from_their_docstrings():
    assert index() == PAGE.read_text(), "write it anew: the module registry.core.compat.rules.pages says how"


SHAPES = ("input_schema", "output_schema")
MOVABLE = [
    pytest.param(row, id=f"{name}: {row['why']}")
    for name, rows in ROWS.items()
    for row in rows
    if any(member in row["old"] and member in row["new"] for member in SHAPES)
    and not any(word in json.dumps(row) for word in ("$ref", "$id", "$schema", "#/"))
]


def moved(one, wrap):
    """Return a row's card with its schemas moved to another place."""
    return card({name: wrap(value) if name in SHAPES else value for name, value in one.items()})


def as_it_is(schema):
    return schema


def behind_a_reference(schema):
    return {"$defs": {"here": schema}, "$ref": "#/$defs/here"}


def at_two_places(schema):
    return {"type": "object", "properties": {"one": schema, "two": schema}, "required": ["one", "two"]}


def breaks(report):
    return sorted((change.rule, change.side) for change in report.changes if change.level == "major")


@pytest.mark.parametrize("row", MOVABLE)
@pytest.mark.parametrize(
    ("old", "new"),
    [(behind_a_reference, as_it_is), (as_it_is, behind_a_reference), (behind_a_reference, behind_a_reference)],
)
def test_a_break_is_told_behind_a_reference_too(row, old, new):
    policy = Policy(profile=row.get("profile", "declared"))
    plain = compare(card(row["old"]), card(row["new"]), policy)
    assert breaks(plain) == breaks(compare(moved(row["old"], old), moved(row["new"], new), policy))


@pytest.mark.parametrize("row", MOVABLE)
def test_a_break_at_two_places_is_told_at_each(row):
    policy = Policy(profile=row.get("profile", "declared"))
    once = compare(card(row["old"]), card(row["new"]), policy)
    twice = compare(moved(row["old"], at_two_places), moved(row["new"], at_two_places), policy)
    assert breaks(twice) == sorted(breaks(once) + breaks(once))
    prints = [change.fingerprint for change in twice.changes if change.level == "major"]
    assert len(prints) == len(set(prints))
