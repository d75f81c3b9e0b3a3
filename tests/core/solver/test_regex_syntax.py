import pytest

from registry.core.solver.regex_rendering import render
from registry.core.solver.regex_syntax import MAX_LENGTH, InvalidPattern, parse
from registry.core.solver.regex_tree import Anchor, Chars, Choice, Group, Look, Opaque, Repeat, Run

A, B = Chars(((97, 97),)), Chars(((98, 98),))


@pytest.mark.parametrize(
    ("pattern", "tree"),
    [
        ("", Run(())),
        ("a", A),
        ("ab", Run((A, B))),
        ("a|b", Choice((A, B))),
        ("(a)", Group(A, 1)),
        ("(?<n>a)", Group(A, 1, "n")),
        ("(?:a)", A),
        ("a*", Repeat(A, 0, None)),
        ("a+?", Repeat(A, 1, None, "lazy")),
        ("a{2}", Repeat(A, 2, 2)),
        ("a{2,}", Repeat(A, 2, None)),
        ("a{2,5}", Repeat(A, 2, 5)),
        ("^$", Run((Anchor("start"), Anchor("end")))),
        (r"\b\B", Run((Anchor("word-boundary"), Anchor("no-word-boundary")))),
        ("(?=a)", Look(A, "ahead", wanted=True)),
        ("(?<!a)", Look(A, "behind", wanted=False)),
        ("[a-c]", Chars(((97, 99),))),
        ("[^a]", Chars(((0, 96), (98, 0x10FFFF)))),
        ("[]", Chars(())),
        ("[^]", Chars(((0, 0x10FFFF),))),
        (r"\x41\u0042\u{43}\cA\0", Run(tuple(Chars(((point, point),)) for point in (65, 66, 67, 1, 0)))),
        (r"\uD83D\uDE00", Chars(((0x1F600, 0x1F600),))),
        (r"[\b]", Chars(((8, 8),))),
        (r"\p{ASCII}", Chars(((0, 127),))),
        (r"(a)\1", Run((Group(A, 1), Opaque(r"\1")))),
        (r"\p{Script=Greek}", Opaque(r"\p{Script=Greek}")),
    ],
)
def test_a_pattern_is_read_as_ecma_262_says(pattern, tree):
    assert tree == parse(pattern).tree


@pytest.mark.parametrize(
    ("pattern", "same"),
    [
        (r"a\-b", r"a\u{2d}b"),
        (r"\_", r"\u{5f}"),
        ("{", r"\u{7b}"),
        ("a{,3}", r"a\u{7b}\u{2c}3\u{7d}"),
        ("]", r"\u{5d}"),
        (r"[\w-.]", r"[\u{2d}-\u{2e}0-9A-Z\u{5f}a-z]"),
        ("(?=a)*", "(?:(?=a)){0,}"),
    ],
)
def test_what_published_schemas_hold_beyond_the_flag_u_is_taken(pattern, same):
    assert same == render(parse(pattern))


@pytest.mark.parametrize(
    ("pattern", "message", "position"),
    [
        (r"^a\Z", r"\Z has no meaning in ECMA-262; write $", 2),
        (r"\a", r"\a has no meaning in ECMA-262", 0),
        ("(?i)a", "(?i is not in ECMA-262", 0),
        ("(?P<n>a)", "(?P is not in ECMA-262; write (?<name>...)", 0),
        ("a**", "a repetition can't be repeated; put it in a group (?:...)", 2),
        ("*a", "there is nothing to repeat; escape it with \\", 0),
        ("{2}", "there is nothing to repeat; escape it as \\{", 0),
        ("^*", "an anchor can't be repeated", 0),
        ("(?<=a)*", "a lookbehind can't be repeated", 0),
        ("a{3,2}", "the bounds of a repetition are out of order", 1),
        ("(a", "this group is never closed", 0),
        ("a)", "this ) closes nothing; escape it as \\)", 1),
        ("[a", "this class is never closed; escape it as \\[", 0),
        ("[b-a]", "the range is out of order", 1),
        ("a\\", "nothing follows the last backslash", 1),
        (r"\1", "no group is called 1", 0),
        (r"\k<n>", "no group is called n", 0),
        ("(?<n>a)(?<n>b)", "two groups are called n", 7),
        (r"\x4", r"\x is followed by 2 hexadecimal digits", 0),
        (r"\u{110000}", r"\u{...} holds a code point in hexadecimal digits", 0),
        (r"\p", r"\p is followed by {Property} or {Property=Value}", 0),
        ("(" * 51, "groups are nested deeper than 50", 50),
        ("(" * 9_000, "groups are nested deeper than 50", 50),
        ("a" * (MAX_LENGTH + 1), "the pattern is longer than 10000 characters", MAX_LENGTH),
    ],
)
def test_what_is_no_pattern_is_refused_with_its_place(pattern, message, position):
    with pytest.raises(InvalidPattern) as caught:
        parse(pattern)
    assert (message, position) == (caught.value.message, caught.value.position)


def test_a_lookahead_behind_the_start_is_an_intersection_or_a_complement():
    wanted, unwanted = parse("^(?=a)(?!b)c").conjuncts()
    assert ([render(one) for one in wanted], [render(one) for one in unwanted]) == (["^c", "^a"], ["^b"])


def test_another_lookahead_stays_where_it_is():
    pattern = parse("a(?=b)")
    assert ((pattern,), ()) == pattern.conjuncts()
