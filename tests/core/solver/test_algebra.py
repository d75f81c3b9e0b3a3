"""What the second prover is asked, and what it isn't."""

import pytest

from registry.core.solver.algebra import is_contained, is_empty

STRING = {"type": "string"}


def test_what_is_contained_is_proven():
    assert is_contained([{"enum": ["ab", "c"]}], STRING)
    assert is_contained([STRING, {"minLength": 3}], {"minLength": 2})
    assert is_empty([STRING, {"type": "integer"}])
    assert not is_contained([STRING], {"minLength": 1})


def test_a_whole_number_is_one_in_either_spelling():
    assert is_contained([{"const": 1.0}], {"const": 1})
    assert is_contained([{"const": 1}], {"enum": [1.0, 2.0]})
    assert not is_empty([{"const": 1.0}, {"const": 1}])
    assert not is_contained([{"const": 1}], {"not": {"const": 1.0}})


@pytest.mark.parametrize(
    "left_out",
    [
        {"const": 2**53},
        {"maximum": 1e300},
        {"maximum": float("nan")},
        {"const": "\ud800"},
        {"$dynamicRef": "#a", "$dynamicAnchor": "a"},
        {"$ref": "#/$defs/a%20b", "$defs": {"a b": True}},
        {"allOf": [{"multipleOf": n + 0.5} for n in range(9)]},
        {"const": "x" * 60_000},
    ],
)
def test_it_is_not_asked_about_what_it_may_get_wrong(left_out):
    assert not is_contained([left_out], True)
