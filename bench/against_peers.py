"""Ask the engine and others the same questions; where they differ, two validators say who is wrong.

    python -m bench.against_peers --checks 5000 --seed 1 [--pairs ../shared/cases/containment/pairs.jsonl.gz]

The questions are made up (bench/made.py), or with ``--pairs`` a sample of a file. Asked is our engine alone, without
the algebra of jsonschema-rs behind it. A peer that says yes where we show a value is wrong if both validators bear the
value out, else we are. A peer that says no where we have a proof shows no value: values made from both schemas are
tried, and if none refutes the proof the question stays open. Prints how often, and each difference as a line of JSON;
exits with 1 if ours is ever wrong.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.fuzz_solver import values_of
from bench.made import Maker
from registry.cli import benching, peers
from registry.core.solver import Found, GaveUp, Nothing
from registry.core.solver.meaning import normalise
from registry.core.solver.validators import CannotValidate, Disagreement, Pair

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from registry.core.solver import Answer

Json = Any


def compared(ours: Answer, said: bool | None, old: Json, new: Json, maker: Maker) -> str:
    """Return "no answer" (of one of them), "agree", "peer wrong", "WE ARE WRONG", or "open"."""
    if said is None or isinstance(ours, GaveUp):
        return "no answer"
    if said is isinstance(ours, Nothing):
        return "agree"
    if isinstance(ours, Found):
        return "peer wrong" if shows(old, new, [ours.value]) else "WE ARE WRONG"
    meanings = [normalise(each).schema for each in (old, new)]
    return "WE ARE WRONG" if shows(old, new, values_of(maker, meanings)) else "open"


def shows(old: Json, new: Json, values: Iterable[Json]) -> bool:
    """Say whether one of the values is accepted by ``old`` and refused by ``new``, by both validators."""
    accepting, refusing = Pair(old), Pair(new)
    for value in values:
        try:
            if accepting.accepts(value) and not refusing.accepts(value):
                return True
        except (CannotValidate, Disagreement):
            continue
    return False


def made(maker: Maker, checks: int) -> Iterator[tuple[Json, Json]]:
    """Yield as many questions, both ways in turn, most of them about a schema and a changed copy."""
    for number in range(checks):
        if number % 2 == 0:
            old = maker.document()
            new = maker.mutated(old) if maker.random.random() < 0.8 else maker.document()
            yield old, new
        else:
            yield new, old


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--checks", type=int, default=5_000)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--pairs", type=Path)
    given = arguments.parse_args()
    maker = Maker(random.Random(given.seed))
    asked = made(maker, given.checks)
    if given.pairs:
        asked = ((each.old, each.new) for each in benching.questions(given.pairs, given.checks, given.seed))
    counts: Counter[tuple[str, str]] = Counter()
    for old, new in asked:
        ours = benching.alone(old, new)
        for peer in peers.installed():
            outcome = compared(ours, peer.prepared(old, new)(), old, new, maker)
            counts[peer.name, outcome] += 1
            if outcome not in ("agree", "no answer"):
                value = ours.value if isinstance(ours, Found) else None
                print(json.dumps({"peer": peer.name, "outcome": outcome, "old": old, "new": new, "value": value}))
    for (name, outcome), count in sorted(counts.items()):
        print(f"{name}: {outcome} {count}", file=sys.stderr)
    return 1 if any(outcome == "WE ARE WRONG" for _, outcome in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
