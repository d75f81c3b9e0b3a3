import pytest

from tests.core.formats.cards import BASES, changed, findings_of, read, rows, told


@pytest.mark.parametrize("row", rows("a2a-findings.jsonl"), ids=lambda row: row["name"])
def test_a_change_to_a_good_card_has_the_findings_of_the_table(row):
    expected = sorted(row["expect"], key=str)
    assert expected == sorted(told(changed(row["base"], row["changes"])), key=str)


def test_an_empty_object_lacks_all_eight_required_members_at_once():
    expected = {
        "/name", "/description", "/supportedInterfaces", "/version", "/capabilities", "/defaultInputModes",
        "/defaultOutputModes", "/skills",
    }  # fmt: skip
    findings = findings_of({})
    assert expected == {finding.pointer for finding in findings}
    assert {"missing-member"} == {finding.code for finding in findings}


def test_a_missing_member_that_is_there_in_snake_case_is_named():
    card = changed("1.0", [["/defaultInputModes"], ["/default_input_modes", ["text/plain"]]])
    [finding] = findings_of(card)
    assert "/defaultInputModes" == finding.pointer
    assert "`defaultInputModes` is missing (`default_input_modes` stands there; did you mean `defaultInputModes`?)" == (
        finding.message
    )


def test_an_openapi_scheme_is_shown_as_1_0_writes_it():
    [finding] = findings_of(changed("1.0", [["/securitySchemes/key", {"type": "http", "scheme": "bearer"}]]))
    assert (
        'is written as in A2A 0.3; in 1.0 it is wrapped: write {"httpAuthSecurityScheme": {"scheme": "bearer"}}'
        == finding.message
    )


def test_a_requirement_without_wrapper_is_shown_as_1_0_writes_it():
    [finding] = findings_of(changed("1.0", [["/securityRequirements", [{"key": ["profile"]}]]]))
    assert finding.message.endswith('write {"schemes": {"key": {"list": ["profile"]}}}')


def test_a_finding_stands_at_its_line_and_a_missing_member_at_its_parent():
    from registry.core.card.text import parse
    from registry.core.errors import InvalidCard
    from registry.core.formats import FORMATS

    raw = b'{\n "url": "https://a.example",\n "protocolVersion": "0.3.0",\n "skills": [\n  {"id": 5}\n ]\n}'
    with pytest.raises(InvalidCard) as caught:
        FORMATS["a2a-0.3"](parse(raw), raw)
    lines = {finding.pointer: finding.line for finding in caught.value.findings}
    assert {"/skills/0/id": 5, "/skills/0/name": 5, "/name": 1}.items() <= lines.items()


def test_what_claims_another_generation_comes_first():
    card = changed("0.3", [["/protocolVersion", "1.0"], ["/skills"], ["/name", 5]])
    assert "claimed-version" == findings_of(card)[0].code


def test_a_flood_of_faults_is_cut_off():
    findings = findings_of(changed("1.0", [["/skills", [5] * 5000]]))
    assert 501 == len(findings)
    assert "too-many-findings" == findings[-1].code


def test_a_card_without_semver_has_its_version_as_text_only():
    card = read({**BASES["1.0"], "version": "v2"})
    assert (None, "v2") == (card.version, card.version_text)


def test_a_read_card_holds_what_stands_in_it():
    card = read(BASES["1.0"])
    assert ("a2a-1.0", None, "1.2.0", "1.2.0", "Planner", "Plans routes.", ("maps",), "production") == (
        card.kind, card.agent_id, card.version, card.version_text, card.name, card.description, card.tags, card.status,
    )  # fmt: skip
    assert BASES["1.0"] == card.document
