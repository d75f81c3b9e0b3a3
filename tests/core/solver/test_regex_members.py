import pytest

from registry.core.solver.regex_members import Work, no_string, strings
from registry.core.solver.regex_syntax import parse


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("^a$", ["a"]),
        ("^[ab]$", ["a", "b"]),
        ("foo|bar", ["bar", "bara"]),
        ("[]", []),
        (r"^\d{4}-\d{2}$", ["0000-00", "0000-01"]),
        (r"^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$", ["0", "1"]),
        ("^x(?!y)", ["x", "xa"]),
        (r"^(?=.*[A-Z])(?=.*\d).{8}$", ["AAAAAAA0", "AAAAAA0A"]),
        ("^b{1000}$", ["b" * 1000]),
        (r"(a)\1", []),
    ],
)
def test_members_are_short_strings_that_match(pattern, expected):
    assert expected == list(strings([parse(pattern)], [], 2))


@pytest.mark.parametrize(("pattern", "expected"), [("^a$", ["", "0"]), ("", []), ("^[^]+$", [""]), ("^.$", ["", "\n"])])
def test_what_is_no_member_is_found_short_strings_that_do_not_match(pattern, expected):
    assert expected == list(strings([], [parse(pattern)], 2))


@pytest.mark.parametrize(
    ("matched", "unmatched", "lengths", "expected"),
    [
        (["^[a-z]+$"], ["^[a-y]+$"], (0, None), ["z"]),
        (["^[a-z]{2,5}$"], ["^[a-z]{2,4}$"], (0, None), ["aaaaa"]),
        (["^[a-z]*$", "b"], [], (3, 3), ["aab"]),
        (["^a+$"], ["^a+$"], (0, None), []),
        ([], [], (5, 5), ["aaaaa"]),
    ],
)
def test_strings_are_found_where_patterns_differ(matched, unmatched, lengths, expected):
    assert expected == list(strings(list(map(parse, matched)), list(map(parse, unmatched)), 1, lengths))


def test_a_known_answer_counts_as_much_work_as_a_new_one():
    first, again = Work(), Work()
    for work in (first, again):
        assert not no_string(("^(a|b)*a(a|b){6}c$",), (), (0, None), work)
    assert first == again
    assert first.moves > 100
