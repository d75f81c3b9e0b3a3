from datetime import UTC, datetime

import pytest

from registry.core.errors import InvalidRequest
from registry.http.parameters import Query
from registry.http.problems import MalformedRequest


def test_values_are_decoded_once():
    query = Query(b"q=a%20b+c&tag=x%2By&tag=z&limit=500&has_contract=false", ("q", "tag", "limit", "has_contract"))
    read = (query.text("q"), query.texts("tag"), query.whole("limit", 50, 1, 200), query.boolean("has_contract"))
    query.done()
    assert read == ("a b c", ("x+y", "z"), 200, False)


def test_what_is_missing_takes_its_default():
    query = Query(b"q=", ("q",))
    read = (query.text("q"), query.texts("tag"), query.whole("limit", 50, 1, 20), query.boolean("b"), query.moment("m"))
    query.done()
    assert read == (None, (), 20, None, None)


def test_a_time_is_turned_into_utc():
    query = Query(b"m=2026-12-01T03:40:00%2B01:00", ("m",))
    assert query.moment("m") == datetime(2026, 12, 1, 2, 40, tzinfo=UTC)


def test_everything_wrong_is_said_at_once():
    sent = b"a/b=1&limit=-1&flag=yes&since=2026-12-01&state=gone&q=1&q=2&control=a%00b&long=" + b"x" * 2001
    query = Query(sent, ("limit", "flag", "since", "state", "q", "control", "long", "from"))
    query.whole("limit", 50, 1, 200)
    query.boolean("flag")
    query.moment("since")
    query.choice("state", ("draft",))
    query.text("q")
    query.text("control")
    query.text("long")
    query.needed("from")
    with pytest.raises(InvalidRequest) as caught:
        query.done()
    assert [(finding.code, finding.pointer) for finding in caught.value.findings] == [
        ("unknown-parameter", "/a~1b"),
        ("not-a-number", "/limit"),
        ("not-a-boolean", "/flag"),
        ("not-a-time", "/since"),
        ("unknown-value", "/state"),
        ("repeated-parameter", "/q"),
        ("invalid-text", "/control"),
        ("text-too-long", "/long"),
        ("missing-parameter", "/from"),
    ]


@pytest.mark.parametrize("sent", [b"dry_run", b"dry_run=", b"dry_run=&dry_run=true", b"dry_run=1", b"dry_run=True"])
def test_a_boolean_is_one_of_two_words_and_never_guessed(sent):
    query = Query(sent, ("dry_run",))
    assert query.boolean("dry_run") is None
    with pytest.raises(InvalidRequest, match="`true` or `false`|`dry_run=true` or `dry_run=false`") as caught:
        query.done()
    assert [("not-a-boolean", "/dry_run")] == [(found.code, found.pointer) for found in caught.value.findings]


def test_a_query_that_is_no_utf_8_is_malformed():
    with pytest.raises(MalformedRequest):
        Query(b"q=%ff", ("q",))


def test_a_query_has_a_bounded_number_of_parameters():
    with pytest.raises(InvalidRequest):
        Query(b"q=1&" * 201, ("q",))


def test_the_other_parameters_lead_to_the_next_page():
    query = Query(b"tag=a&cursor=x&tag=b", ("tag", "cursor"))
    assert query.others("cursor") == [("tag", "a"), ("tag", "b")]
