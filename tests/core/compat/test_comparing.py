import json

import pytest

from registry.core.card.read import read_card
from registry.core.compat.compare import compare
from registry.core.compat.report import Policy
from registry.core.formats import a2a_1_0
from tests.core.compat.cards import BASE_A2A, CASES, a2a_card, card

BASE_0_3 = json.loads((CASES / "a2a" / "base-0.3.json").read_text())
STRING = {"type": "string"}
OPEN = {"type": "object", "properties": {"k": STRING}}
WIDER = {"type": "object", "properties": {"k": STRING, "a": STRING}}


def above_patch(report):
    return [(change.rule, change.sentence) for change in report.changes if change.level != "patch"]


def test_a_card_has_no_changes_against_itself():
    one = a2a_card()
    report = compare(one, one)
    assert (report.changes, report.level, report.verdict, report.needed) == ((), "none", "accepted", "none")


def test_the_same_agent_in_another_generation_of_the_card_is_no_change():
    old = read_card(json.dumps(BASE_0_3).encode())
    new = read_card(json.dumps(a2a_1_0.view(old)).encode())
    assert (old.kind, new.kind, above_patch(compare(old, new))) == ("a2a-0.3", "a2a-1.0", [])


def test_other_bytes_alone_are_a_patch():
    old, new = read_card(json.dumps(BASE_A2A).encode()), read_card(json.dumps(BASE_A2A, indent=1).encode())
    assert compare(old, new).changes == ()
    assert [change.rule for change in compare(old, a2a_card({"iconUrl": "https://x.example/i"})).changes] == [
        "bytes-changed"
    ]


@pytest.mark.parametrize(
    ("old", "new", "policy", "wanted"),
    [
        ("1.0.0", "1.0.1", Policy(), ("minor", "warned", "minor", "patch")),
        ("1.0.0", "1.0.1", Policy(strict=True), ("minor", "refused", "minor", "patch")),
        ("1.0.0", "1.1.0", Policy(), ("minor", "accepted", "minor", "minor")),
        ("1.0.0", "2.0.0", Policy(), ("minor", "accepted", "minor", "major")),
        ("0.1.0", "0.1.1", Policy(), ("minor", "accepted", "patch", "patch")),
        ("1.1.0", "1.0.0", Policy(), ("minor", "accepted", "minor", None)),
        ("1.0.0", "1.0.1", Policy(levels={"input-property-named": "patch"}), ("patch", "accepted", "patch", "patch")),
        ("1.0.0", "1.1.0", Policy(levels={"input-property-named": "major"}), ("major", "refused", "major", "minor")),
        ("1.0.0", "1.1.0", Policy(profile="literal"), ("major", "refused", "major", "minor")),
    ],
)
def test_the_verdict_holds_changes_against_the_versions_by_the_policy(old, new, policy, wanted):
    report = compare(card({"input_schema": OPEN}, old), card({"input_schema": WIDER}, new), policy)
    assert wanted == (report.level, report.verdict, report.needed, report.given)


def test_changes_come_highest_level_first():
    old = card({"input_schema": OPEN, "capabilities": ["read"], "description": "x"})
    new = card({"input_schema": WIDER, "capabilities": [], "description": "y"})
    assert [change.level for change in compare(old, new).changes] == ["major", "minor", "patch"]


def test_pointers_lead_to_the_fragments_in_the_documents():
    old = card({"skills": [{"id": "a", "name": "A", "description": "A.", "input_schema": WIDER, "output": "text"}]})
    closed = {**OPEN, "properties": {"k": {"enum": ["x"]}}}
    new = card({"skills": [{"id": "a", "name": "A", "description": "A.", "input_schema": closed, "output": "text"}]})
    for change in compare(old, new).changes:
        for one, pointer, fragment in ((old, change.old_pointer, change.old), (new, change.new_pointer, change.new)):
            if pointer is not None and fragment is not None:
                assert fragment == at(one.document, pointer), change


def at(document, pointer):
    """Return what a pointer without escapes names."""
    node = document
    for step in pointer.split("/")[1:]:
        node = node[int(step)] if isinstance(node, list) else node[step]
    return node


def test_an_operation_with_requirements_of_its_own_is_judged_by_them():
    def skills(*names):
        alternatives = [{"schemes": {name: {"list": []}}} for name in names]
        return {"skills": [{**BASE_A2A["skills"][0], "securityRequirements": alternatives}]}

    scheme = {"apiKeySecurityScheme": {"location": "header", "name": "X-Key"}}
    schemes = {"securitySchemes": {"a": scheme, "b": scheme}, "securityRequirements": None}
    old, new = a2a_card({**schemes, **skills("a", "b")}), a2a_card({**schemes, **skills("b")})
    name = BASE_A2A["skills"][0]["id"]
    assert [("credentials-narrowed", name, "`a` no longer suffices; `b` is needed")] == [
        (change.rule, change.operation, change.sentence) for change in compare(old, new).changes
    ]


def test_an_operation_with_modes_of_its_own_is_judged_by_them():
    def skills(*modes):
        return {"skills": [{**BASE_A2A["skills"][0], "inputModes": list(modes)}], "defaultInputModes": ["text/plain"]}

    name = BASE_A2A["skills"][0]["id"]
    changes = compare(a2a_card(skills("text/plain", "image/png")), a2a_card(skills("text/plain", "image/gif"))).changes
    assert [
        ("mode-removed", name, "no longer takes image/png"),
        ("mode-added", name, "takes image/gif now"),
    ] == [(change.rule, change.operation, change.sentence) for change in changes]
