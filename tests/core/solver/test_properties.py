"""What must hold of any answer, on schemas that are made up: see bench/made.py for how."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from bench.fuzz_solver import judged, values_of
from bench.made import Maker
from registry.core.card.canonical import canonical
from registry.core.compat.schemas import compare_schemas
from registry.core.solver import Found, GaveUp, Nothing, Side, find, reasons
from registry.core.solver.meaning import normalise
from registry.core.solver.validators import CannotValidate, Disagreement, Pair
from tests.core.solver.respelling import annotated, reordered

ANY = st.randoms(use_true_random=False)
SIDES = st.sampled_from(["any", "any", "absent"])


@st.composite
def related(draw, count):
    """Draw schemas of which each is a changed copy of the one before, or now and then one of its own."""
    maker = Maker(draw(ANY))
    found = [maker.document()]
    while len(found) < count:
        found.append(maker.mutated(found[-1]) if maker.random.random() < 0.8 else maker.document())
    return found


def is_readable(schema):
    """Say whether the engine can tell whether a schema accepts anything, which needs it read."""
    told = getattr(find([Side(schema)], []), "reason", "")
    return not told or told.startswith(("neither a value nor a proof", "validators disagree"))


def is_carried(schema):
    """Say whether a comparison of contracts takes a schema: RFC 8785 has no integers beyond 2^53."""
    try:
        canonical(schema)
    except ValueError:
        return False
    return True


@settings(deadline=None, max_examples=300)
@given(related(1), ANY, SIDES)
def test_a_schema_is_contained_in_itself_however_it_is_spelt(schemas, source, mode):
    schema = schemas[0]
    other = reordered(annotated(schema, source))
    for one, two in ((schema, other), (other, schema)):
        answer = find([Side(one, mode)], [Side(two, mode)])
        assert isinstance(answer, Nothing) or not is_readable(schema), answer


@settings(deadline=None, max_examples=300)
@given(related(1), ANY, st.sampled_from(["input", "output"]), st.sampled_from(["literal", "declared"]))
def test_another_spelling_breaks_nobody(schemas, source, side, profile):
    schema = schemas[0]
    verdict = compare_schemas(schema, reordered(annotated(schema, source)), side, profile).verdict
    assert verdict == "compatible" or (verdict == "unproven" and not (is_readable(schema) and is_carried(schema)))


@settings(deadline=None, max_examples=200)
@given(related(3))
def test_containment_is_transitive(schemas):
    first, second, third = schemas
    for one, two, three in ((first, second, third), (third, second, first), (second, first, third)):
        steps = [find([Side(old)], [Side(new)]) for old, new in ((one, two), (two, three))]
        if all(isinstance(step, Nothing) for step in steps):
            assert not isinstance(find([Side(one)], [Side(three)]), Found)


@settings(deadline=None, max_examples=200)
@given(related(2))
def test_what_is_contained_in_two_is_contained_in_both_together(schemas):
    old, new = schemas
    inside, outside = find([Side(old)], [Side(new)]), find([Side(old), Side(new)], [])
    if isinstance(inside, Nothing) and isinstance(find([Side(old)], []), Found):
        assert not isinstance(outside, Nothing)
    if isinstance(inside, Nothing) and isinstance(outside, Nothing):
        assert not isinstance(find([Side(old)], []), Found)


@settings(deadline=None, max_examples=200)
@given(related(2))
def test_a_comparison_as_written_says_what_the_question_says(schemas):
    old, new = schemas
    verdict = {Nothing: "compatible", Found: "breaking", GaveUp: "unproven"}[type(find([Side(old)], [Side(new)]))]
    if is_carried(old) and is_carried(new):
        assert verdict == compare_schemas(old, new, "input", "literal").verdict


@settings(deadline=None, max_examples=200)
@given(related(3), ANY, st.integers(1, 3))
def test_an_answer_about_several_sides_holds(schemas, source, accepting):
    answer = find([Side(each) for each in schemas[:accepting]], [Side(each) for each in schemas[accepting:]])
    maker = Maker(random.Random(source.randrange(10**6)))
    if isinstance(answer, Found):
        assert fits(schemas, accepting, answer.value)
    elif isinstance(answer, Nothing) and all(map(is_readable, schemas)):
        meanings = [normalise(each).schema for each in schemas]
        assert [] == [value for value in values_of(maker, meanings[:2]) if fits(schemas, accepting, value)]


def fits(schemas, accepting, value):
    pairs = [Pair(each) for each in schemas]
    try:
        wanted = all(pair.accepts(value) for pair in pairs[:accepting])
        return wanted and not any(pair.accepts(value) for pair in pairs[accepting:])
    except (CannotValidate, Disagreement):
        return False


@settings(deadline=None, max_examples=200)
@given(related(2), st.sampled_from(["literal", "declared"]))
def test_an_answers_change_is_a_requests_change_the_other_way(schemas, profile):
    old, new = schemas
    request, answer = compare_schemas(old, new, "input", profile), compare_schemas(new, old, "output", profile)
    assert request.verdict == answer.verdict


@settings(deadline=None, max_examples=200)
@given(related(2), ANY, SIDES)
def test_no_value_made_from_either_schema_refutes_an_answer(schemas, source, mode):
    old, new = schemas
    outcome, value = judged(Maker(random.Random(source.randrange(10**6))), old, new, mode)
    assert outcome != "UNSOUND", value


@settings(deadline=None, max_examples=200)
@given(related(2))
def test_there_is_a_reason_exactly_where_there_is_no_proof(schemas):
    old, new = schemas
    answer, told = find([Side(old)], [Side(new)]), reasons([Side(old)], [Side(new)])
    assert isinstance(answer, Nothing) == (not told)
    shown = [reason.answer.value for reason in told if isinstance(reason.answer, Found)]
    assert shown or not isinstance(answer, Found)
    if shown:
        accepting, refusing = Pair(old), Pair(new)
        assert all(accepting.accepts(value) and not refusing.accepts(value) for value in shown)


@settings(deadline=None, max_examples=100)
@given(related(2))
def test_an_answer_is_the_same_every_time(schemas):
    old, new = schemas
    assert find([Side(old)], [Side(new)]) == find([Side(old)], [Side(new)])
