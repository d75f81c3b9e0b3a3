import pytest

from registry.http.etags import none_match, quoted, strong_tags

TAG = "sha256:9ab0"

# If-None-Match, whether the whole answer is sent, why
NONE_MATCH = [
    ('"sha256:9ab0"', False, "the same tag"),
    ('W/"sha256:9ab0"', False, "the comparison is weak"),
    ('"other"', True, "another tag"),
    ('"other", "sha256:9ab0"', False, "one of a list"),
    ('"other",W/"sha256:9ab0"', False, "a list without spaces"),
    (', ,"other" ,, "sha256:9ab0",', False, "empty elements count for nothing"),
    ("*", False, "anything that exists"),
    ("  *  ", False, "white space around"),
    ('"a,b", "sha256:9ab0"', False, "a comma may stand in a tag"),
    ('"SHA256:9AB0"', True, "tags are told apart by case"),
    ("sha256:9ab0", True, "a tag without quotes is none"),
    ('"sha256:9ab0', True, "a quote that isn't closed"),
    ('w/"sha256:9ab0"', True, "the W is a capital"),
    ('"x" "sha256:9ab0"', True, "no comma between"),
    ("", True, "nothing"),
    ('"*"', True, "a star in quotes is a tag"),
    ('*, "sha256:9ab0"', True, "a star is no member of a list"),
]


@pytest.mark.parametrize(("header", "sent", "why"), NONE_MATCH)
def test_if_none_match_is_read_as_a_weak_list(header, sent, why):
    assert none_match(header, TAG) is sent, why


IF_MATCH = [
    ('"a"', ("a",), "one"),
    ('"a", "b"', ("a", "b"), "a list"),
    ('W/"a", "b"', ("b",), "a weak tag matches nothing strongly"),
    ('W/"a"', (), "only a weak tag"),
    ("a", None, "no tag at all"),
    ("", None, "nothing"),
]


@pytest.mark.parametrize(("header", "tags", "why"), IF_MATCH)
def test_if_match_knows_strong_tags_only(header, tags, why):
    assert strong_tags(header) == tags, why


def test_a_bare_tag_is_quoted():
    assert quoted("a") == '"a"'


def test_a_long_list_is_read_in_linear_time():
    header = ", ".join(f'"{number}"' for number in range(20_000)) + "," * 100_000
    assert none_match(header, TAG)
