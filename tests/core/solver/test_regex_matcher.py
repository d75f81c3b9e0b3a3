import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from registry.core.solver.regex_matcher import Unsupported, search, search_text
from registry.core.solver.regex_rendering import render
from registry.core.solver.regex_syntax import parse

DECIMAL = r"^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$"


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("", "", True),
        ("b", "abc", True),
        ("^b", "abc", False),
        ("^a$", "a\n", False),
        ("^a$", "b\na", False),
        (r"^\d$", "٣", False),
        (r"^\w$", "é", False),
        (r"^\s$", "\ufeff", True),
        (r"^\s$", "\u2003", True),
        (r"^\s$", "\x85", False),
        ("^.$", "\u2028", False),
        ("^.$", "\r", False),
        ("^.$", "💩", True),
        ("[^]", "\n", True),
        ("[]", "a", False),
        (r"^\p{Lu}\P{Lu}$", "Éa", True),
        (r"^\p{General_Category=Decimal_Number}$", "٣", True),
        (r"\bfoo\b", "a foo-b", True),
        (r"\bfoo\b", "afoo", False),
        (r"^\B$", "", True),
        ("a(?=b)", "ab", True),
        ("a(?=b)", "ac", False),
        ("^(?!.*--)[a-z-]+$", "a-b", True),
        ("^(?!.*--)[a-z-]+$", "a--b", False),
        ("(?<=a)b", "ab", True),
        ("(?<!a)b", "ab", False),
        ("(?<=a(?=b))b", "ab", True),
        ("(?:^a|b$)", "ab", True),
        ("(a*)*b", "aaa", False),
        (DECIMAL, "-12.50", True),
        (DECIMAL, "+.", False),
        (DECIMAL, "1e5", False),
        (r"^\w{1,1000}$", "a" * 1000, True),
        (r"^\w{1,1000}$", "a" * 1001, False),
        (r"^.{0,65535}$", "a" * 70_000, False),
    ],
)
def test_a_search_answers_as_ecma_262_does(pattern, text, expected):
    assert expected is search_text(pattern, text)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("^(a+)+$", "a" * 20_000 + "!"),
        ("(a|a)*b", "a" * 20_000),
        ("(?=(?=(?=a*b)a*b)a*b)" * 100, "a" * 3_000 + "c"),
    ],
)
def test_no_pattern_makes_the_search_hang(pattern, text):
    assert search_text(pattern, text) is False


@pytest.mark.parametrize(
    ("pattern", "text", "message"),
    [
        (r"(a)\1", "aa", r"\1 can't be matched in linear time here; write it without"),
        (r"[\p{Script=Greek}a]", "a", r"[\p{Script=Greek}a] can't be matched in linear time here; write it without"),
        (
            "((a{1,1000}){1,1000}){1,1000}",
            "a",
            "the pattern's repetitions write out to over 100000 steps; use maxLength instead",
        ),
        ("((){1000}){1000}", "", "the pattern's repetitions write out to over 100000 steps; use maxLength instead"),
        (
            "(a|aa|a{1,50}){1,1000}b",
            "a" * 5_000,
            "matching takes over 1000000 steps; use a shorter repetition",
        ),
    ],
)
def test_what_cannot_be_matched_in_linear_time_is_said_so(pattern, text, message):
    with pytest.raises(Unsupported) as caught:
        search_text(pattern, text)
    assert message == str(caught.value)


ATOMS = st.sampled_from(["a", "b", "c", ".", "[ab]", "[^a]", r"\w", r"\b", r"\B", "^", "$", "(?<=a)", "(?<!b)"])
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda pair: f"(?:{pair[0]}|{pair[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{1,2}", "{2}", "*?"])).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        ),
        inner.map(lambda one: f"(?={one})"),
        inner.map(lambda one: f"(?!{one})"),
    ),
    max_leaves=8,
)


def in_python(pattern):
    """Say for ``re`` what ECMA-262 means: $ is the end alone, and no boundary is one in an empty text too."""
    nowhere = r"(?:(?<=\\w)(?=\\w)|(?<!\\w)(?!\\w))"
    return re.compile(re.sub(r"\\B", nowhere, pattern).replace("$", r"\Z"), re.ASCII)


@settings(max_examples=300, deadline=None)
@given(PATTERNS, st.text("abc-", max_size=6))
def test_the_search_agrees_with_a_backtracking_engine(pattern, text):
    expected = in_python(pattern).search(text) is not None
    parsed = parse(pattern)
    wanted, unwanted = parsed.conjuncts()
    by_parts = all(search(one, text) for one in wanted) and not any(search(one, text) for one in unwanted)
    assert (expected, expected, expected) == (search(parsed, text), by_parts, search_text(render(parsed), text))
