"""From bytes to values: what is refused beyond bad syntax, and where; and canonical bytes for what comes out."""

from __future__ import annotations

import math
import tracemalloc

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from registry.core.card.canonical import canonical
from registry.core.card.lint import secret_findings
from registry.core.card.text import Limits, parse
from registry.core.errors import InvalidCard


def told(data, limits=None):
    with pytest.raises(InvalidCard) as refused:
        parse(data, limits or Limits())
    return [(each.code, each.pointer, each.line, each.column) for each in refused.value.findings]


PLACED = [
    (b"a: 1\n<<: {b: 2}\n", ("yaml-merge", "", 2, 1), "a merge key of YAML 1.1"),
    (b"%YAML 1.1\n---\na: yes\n", ("yaml-version", "", 1, 1), "another version, where `yes` is true"),
    (b"a: 1\n---\nb: 2\n", ("several-documents", "", 2, 1), "a second document"),
    ("ä: ö\nb: \x01\n".encode(), ("not-yaml", "", 2, 4), "a character that YAML can't hold"),
]


@pytest.mark.parametrize(("data", "finding", "why"), PLACED, ids=[row[2] for row in PLACED])
def test_what_yaml_must_not_hold_is_told_where_it_stands(data, finding, why):
    assert [finding] == told(data), why


def test_a_quoted_merge_key_and_yaml_1_2_are_taken():
    assert {"<<": 1} == parse(b'%YAML 1.2\n---\n"<<": 1\n').value


@pytest.mark.parametrize("data", [b'{"a": [1, 2], "b": 3}', b"a: [1, 2]\nb: 3\n"], ids=["json", "yaml"])
def test_members_items_and_the_root_count_as_parts(data):
    assert {"a": [1, 2], "b": 3} == parse(data, Limits(parts=5)).value
    assert [("too-many-parts", "", 1, 1)] == told(data, Limits(parts=4))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
)  # fmt: skip


@given(VALUES)
def test_canonical_bytes_are_those_of_the_reference(value):
    assert rfc8785.dumps(value) == canonical(value)


@pytest.mark.parametrize(
    "value", [{"\U0001f600": 1, "\ufb33": 2}, {"a": 1.0}, [1e21], {"é\x7f": "\x7f\u2028"}, [True, 1]]
)
def test_canonical_bytes_of_what_json_writes_otherwise(value):
    assert rfc8785.dumps(value) == canonical(value)


@pytest.mark.parametrize("value", ["\ud800", {"\ud800": 1}, [2**53], [math.nan], [{1: 2}]])
def test_what_rfc_8785_can_t_carry_has_no_canonical_bytes(value):
    with pytest.raises(ValueError):
        canonical(value)


def test_a_secret_far_below_has_its_pointer():
    value = {"a/b": [0, {"c~": "key AKIAIOSFODNN7EXAMPLE"}], "d": "ghp_" + "a" * 36}
    assert ["/a~1b/1/c~0", "/d"] == [finding.pointer for finding in secret_findings(value)]


def test_many_texts_below_one_long_name_take_no_pointer_each():
    value = {"k" * 500_000: {str(at): "x" for at in range(1_000)}}
    tracemalloc.start()
    try:
        assert [] == list(secret_findings(value))
        assert tracemalloc.get_traced_memory()[1] < 10_000_000  # their pointers are 500 MB
    finally:
        tracemalloc.stop()
