import base64
import json

import pytest

from registry.catalog.cursors import decode_cursor, encode_cursor
from registry.catalog.reading import find_agents
from registry.catalog.records import AgentQuery
from registry.core.errors import InvalidRequest

QUERY = {"tags": ["a"]}
ROW = ("2026-12-01T00:00:00+00:00", "com.example.a")
CURSOR = encode_cursor(QUERY, ROW)


def made_of(*parts) -> str:
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode().rstrip("=")


def test_a_cursor_gives_its_row_back_to_its_query():
    assert ROW == decode_cursor(CURSOR, QUERY, 2)


VALUE = json.loads(base64.urlsafe_b64decode(CURSOR + "=="))
TAMPERED = [
    ("", "nothing"),
    ("x", "no base64"),
    ("\u00e9", "no ASCII"),
    (CURSOR[:-4], "cut off"),
    ("A" * 100_000, "far too long"),
    (made_of(), "no parts"),
    (made_of(VALUE), "a list in a list"),
    (made_of(2, *VALUE[1:]), "of another format"),
    (made_of(*VALUE[:3], "com.example.b"), "another row"),
    (made_of(*VALUE[:2], "2026-12-02T00:00:00+00:00", VALUE[3]), "another time"),
    (made_of(*VALUE, "more"), "a part too many"),
    (made_of(*VALUE[:3]), "a part too few"),
    (made_of(*VALUE[:3], None), "a part that is no text"),
    (encode_cursor({"tags": ["b"]}, ROW), "another query's"),
    (encode_cursor(QUERY, (ROW[0], "\x00")), "a character that no key holds"),
    (encode_cursor(QUERY, (ROW[0], "\ud800")), "half a character"),
]


@pytest.mark.parametrize(("cursor", "why"), TAMPERED)
def test_any_other_text_is_no_cursor_of_the_query(cursor, why):
    with pytest.raises(InvalidRequest) as refused:
        decode_cursor(cursor, QUERY, 2)
    assert ["invalid-cursor"] == [finding.code for finding in refused.value.findings], why


@pytest.mark.parametrize("moment", ["no time", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"])
def test_a_time_that_somebody_made_up_is_no_cursor_either(moment):
    forged = encode_cursor({}, (moment, "com.example.a"))
    with pytest.raises(InvalidRequest) as refused:
        # The cursor is looked at before the database is.
        find_agents(None, AgentQuery(cursor=forged)).send(None)
    assert ["invalid-cursor"] == [finding.code for finding in refused.value.findings]
