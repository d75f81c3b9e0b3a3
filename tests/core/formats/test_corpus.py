import pytest
from a2a.client.card_resolver import parse_agent_card

from registry.core.card.text import parse
from registry.core.errors import InvalidCard
from registry.core.formats import FORMATS, a2a_1_0, explain_unrecognised, recognise
from tests.core.formats.cards import rows
from tests.shared import SHARED

CARDS = SHARED / "cases" / "cards"
ROWS = rows("a2a-cards.jsonl")
ACCEPTED = [row for row in ROWS if row["outcome"] == "accepted"]


def outcome(raw):
    """Return kind, outcome and the codes of the errors in their order, each once."""
    try:
        document = parse(raw)
    except InvalidCard:
        return None, "unreadable", []
    kind = recognise(document.value)
    if kind is None:
        return None, "refused", [explain_unrecognised(document.value).code]
    try:
        FORMATS[kind](document, raw)
    except InvalidCard as error:
        errors = [finding.code for finding in error.findings if finding.level == "error"]
        return kind, "refused", list(dict.fromkeys(errors))
    return kind, "accepted", []


def test_the_table_has_every_card():
    assert [row["file"] for row in ROWS] == sorted(path.name for path in CARDS.glob("*.json"))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["file"])
def test_a_real_card_is_read_or_refused_for_its_reason(row):
    kind, result, codes = outcome((CARDS / row["file"]).read_bytes())
    assert (row["kind"], row["outcome"], sorted(row["codes"])) == (kind, result, sorted(codes))


@pytest.mark.parametrize("row", ACCEPTED, ids=lambda row: row["file"])
def test_an_accepted_card_keeps_its_bytes_and_its_sdk_view(row):
    raw = (CARDS / row["file"]).read_bytes()
    document = parse(raw)
    card = FORMATS[row["kind"]](document, raw)
    assert (raw, document.value) == (card.raw, card.document)
    parsed = parse_agent_card(a2a_1_0.view(card))
    expected = [(item.binding, item.url) for item in card.contract.interfaces]
    assert expected == [(item.protocol_binding, item.url) for item in parsed.supported_interfaces]
    assert list(card.contract.operations) == [skill.id for skill in parsed.skills]
    assert document.value == card.document  # the SDK's parser changes what it is given
