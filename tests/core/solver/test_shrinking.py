"""A value that shows something is told without what it doesn't need."""

import sys

from hypothesis import given, settings
from hypothesis import strategies as st

from registry.core.solver import Side, find, finding, reasons
from registry.core.solver.shrinking import MAX_TRIES, shrunk

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(0, 9) | st.sampled_from(["", "a"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=12,
)
ORDER = {
    "id": "A-1",
    "customer": {"name": "Ada", "address": {"city": "Bern", "zip": "3000"}},
    "lines": [{"sku": "x", "count": 2}, {"sku": "y", "count": 1}],
}


def test_what_is_not_needed_is_left_out_and_the_rest_stays_as_it_was():
    assert {"lines": [{"count": 1}]} == shrunk(ORDER, lambda each: any(
        line.get("count") == 1 for line in each.get("lines", ())
    ))  # fmt: skip
    assert ORDER == shrunk(ORDER, lambda _: False)
    assert {} == shrunk(ORDER, lambda each: isinstance(each, dict))


@settings(max_examples=200)
@given(JSON, st.integers(0, 9))
def test_what_is_returned_shows_it_and_was_asked_about_a_bounded_number_of_times(value, number):
    asked = []

    def shows(each):
        asked.append(each)
        return str(number) in str(each)

    before = str(value)
    found = shrunk(value, shows)
    assert before == str(value)
    assert len(asked) <= MAX_TRIES
    assert found == value or shows(found)


def test_a_very_large_value_stays_as_it_is():
    def never(_):
        raise AssertionError("it would take too long")

    value = {str(number): None for number in range(20_000)}
    assert value == shrunk(value, never)


def test_witnesses_keep_only_what_shows_the_break_and_what_is_required(monkeypatch):
    """However large the first candidate is."""
    monkeypatch.setattr(finding, "candidates", lambda *_: iter([ORDER]))
    module = sys.modules["registry.core.solver.reasons"]
    monkeypatch.setattr(module, "candidates_of", lambda *_: iter([ORDER]))
    old = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["customer"]}
    new = {**old, "properties": {"id": {"type": "string", "maxLength": 2}}}
    assert {"id": "A-1", "customer": {}} == find([Side(old)], [Side(new)]).value
    (reason,) = reasons([Side(old)], [Side(new)])
    assert {"id": "A-1", "customer": {}} == reason.answer.value
