"""What a card's form costs to check: little for what is right, also beside what is wrong."""

from __future__ import annotations

import sys

from registry.core.formats.structure import structure_findings


def calls(value):
    made = 0

    def count(_frame, event, _argument):
        nonlocal made
        made += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        found = list(structure_findings(value, "agent-card.schema"))
    finally:
        sys.setprofile(before)
    return made, [(each.code, each.pointer) for each in found]


def card(count, **members):
    skills = [{"id": f"s{at}", "name": "x", "tags": ["a"], "error_codes": {"A": "b"}} for at in range(count)]
    return {"agent_id": "com.example.x", "name": "X", "version": "1.0.0", "skills": skills, **members}


def test_what_is_right_costs_nothing_more_for_being_many():
    calls(card(1))  # validators are made once
    assert (calls(card(1))[0], []) == calls(card(1000))


def test_each_part_that_is_right_costs_little_beside_a_fault():
    calls(card(1, status="odd"))
    made, found = calls(card(1000, status="odd"))
    assert [("wrong-value", "/status")] == found
    assert made < 30 * 1000
