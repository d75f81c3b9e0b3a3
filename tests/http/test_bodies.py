import pytest

from registry.http.bodies import CARD_TYPES, check_type, media_type, parse_json
from registry.http.problems import MalformedRequest, UnsupportedMediaType

REFUSED = [
    (b"", "not-json"),
    (b"{", "not-json"),
    (b'{"a": 1, "a": 2}', "not-json"),
    (b'{"a": NaN}', "not-json"),
    (b"[1e999]", "not-json"),
    (b'"\xff"', "not-utf-8"),
    (b'"\\ud800"', "not-utf-8"),
    (b'{"\\udc00": 1}', "not-utf-8"),
    (b"[" * 200_000, "too-deep"),
    (b"[" + b"1" * 5000 + b"]", "not-json"),
    (b"\xef\xbb\xbf{}", "not-json"),
]


@pytest.mark.parametrize(("body", "code"), REFUSED)
def test_json_with_surprises_is_malformed(body, code):
    with pytest.raises(MalformedRequest) as caught:
        parse_json(body)
    assert [finding.code for finding in caught.value.findings] == [code]


def test_plain_json_is_read():
    assert parse_json(b'{"a": [1, 2.5, null, true, "\\u00e9"]}') == {"a": [1, 2.5, None, True, "é"]}


@pytest.mark.parametrize(
    ("header", "taken"),
    [
        ("", "application/json"),
        ("application/json; charset=utf-8", "application/json"),
        ("Application/YAML", "application/yaml"),
        ("application/a2a+json", "application/json"),
    ],
)
def test_a_type_is_taken_without_its_parameters(header, taken):
    assert check_type(media_type(header), CARD_TYPES) == taken


def test_another_type_is_refused_and_the_right_ones_are_named():
    with pytest.raises(UnsupportedMediaType) as caught:
        check_type("text/html", CARD_TYPES)
    assert caught.value.members() == {"accepted": list(CARD_TYPES)}
