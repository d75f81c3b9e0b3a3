"""Small schemas that ask for much work end with an answer after a bounded part of it."""

import pytest

from registry.core.solver import Found, GaveUp, Nothing, Side, find
from registry.core.solver.finding import BUDGET, prepare


def nested(count, depth):
    schema = {"type": "integer"}
    for _ in range(depth):
        schema = {"type": "array", "minItems": count, "items": schema}
    return schema


HOSTILE = {
    "arrays of many arrays": (nested(1000, 4), {"type": "array", "maxItems": 3}),
    "many fractions": ({"allOf": [{"multipleOf": round(0.1 + i / 1000, 4)} for i in range(300)]}, {"multipleOf": 797}),
}


@pytest.mark.parametrize(("accepting", "refusing"), HOSTILE.values(), ids=HOSTILE)
def test_much_work_is_given_up(accepting, refusing):
    assert isinstance(find([Side(accepting)], [Side(refusing)]), GaveUp)


def test_listed_values_against_many_alternatives_are_counted_as_work():
    old, new = ({"oneOf": [{"const": i + first} for i in range(2000)]} for first in (0, 1))
    prepared = prepare([Side(old)], [Side(new)], BUDGET)
    prover = prepared.prover(BUDGET)
    branch = prepared.graph.roots[0].many["oneOf"][0]
    before = prover.steps
    prover.contained([branch], prepared.graph.roots[1])
    assert before - prover.steps >= 100


def test_nothing_that_accepts_is_a_question_too():
    assert isinstance(find([], [Side({"type": "string"}), Side({"pattern": "a+"})]), GaveUp | Nothing)
    assert isinstance(find([], [Side({"type": "string"})]), Found)
    assert isinstance(find([], [Side(True)]), Nothing)
