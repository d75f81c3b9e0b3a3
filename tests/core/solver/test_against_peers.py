"""The engine alone against the canonical algebra of jsonschema-rs: where they differ, two validators say who is wrong."""

import random
from collections import Counter

import pytest

from bench.against_peers import compared, made
from bench.made import Maker
from registry.cli import peers
from registry.cli.benching import alone, questions
from registry.core.solver import Found, GaveUp, Nothing
from tests.shared import SHARED

PAIRS = SHARED / "cases" / "containment" / "pairs.jsonl.gz"
(ALGEBRA,) = (peer for peer in peers.installed() if peer.name.startswith("jsonschema-rs "))
INTEGER, NUMBER = {"type": "integer"}, {"type": "number"}


def outcomes(asked, maker):
    counts, odd = Counter(), []
    for old, new in asked:
        outcome = compared(alone(old, new), ALGEBRA.prepared(old, new)(), old, new, maker)
        counts[outcome] += 1
        if outcome in ("WE ARE WRONG", "open"):
            odd.append((outcome, old, new))
    return counts, odd


@pytest.mark.parametrize("seed", range(4))
def test_the_algebra_never_shows_us_wrong_on_schemas_that_are_made_up(seed):
    maker = Maker(random.Random(seed))
    counts, odd = outcomes(made(maker, 250), maker)
    assert [] == odd
    assert counts["agree"] > 150


@pytest.mark.parametrize("seed", range(4))
def test_the_algebra_never_shows_us_wrong_on_pairs_of_others(seed):
    asked = ((each.old, each.new) for each in questions(PAIRS, 130, seed))
    counts, odd = outcomes(asked, Maker(random.Random(seed)))
    assert [] == odd
    assert counts["agree"] > 150


@pytest.mark.parametrize(
    ("ours", "said", "old", "new", "outcome"),
    [
        (Nothing(), True, INTEGER, NUMBER, "agree"),
        (Found(0.5), False, NUMBER, INTEGER, "agree"),
        (GaveUp("steps"), True, INTEGER, NUMBER, "no answer"),
        (Nothing(), None, INTEGER, NUMBER, "no answer"),
        (Found(0.5), True, NUMBER, INTEGER, "peer wrong"),
        (Found(1), True, INTEGER, NUMBER, "WE ARE WRONG"),
        (Nothing(), False, NUMBER, INTEGER, "WE ARE WRONG"),
        (Nothing(), False, INTEGER, NUMBER, "open"),
    ],
)
def test_two_validators_say_who_is_wrong(ours, said, old, new, outcome):
    assert outcome == compared(ours, said, old, new, Maker(random.Random(1)))
