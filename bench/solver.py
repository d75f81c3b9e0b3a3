"""How much the solver decides, and how fast, on pairs of schemas with known containment.

    python bench/solver.py ../shared/cases/containment/pairs.jsonl.gz --sample 400

Three ways in one run: our engine alone, with the second prover behind it, and jsonschema-rs's canonical algebra alone.
Profile ``literal``, formats as annotations; CPU time of one process. A pair's label that a checked value refutes counts
as refuted, not as missed: a few come from sources that assert formats or read patterns by other rules.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from registry.core.solver import GaveUp, Nothing, Side, algebra, find, finding
from registry.core.solver.meaning import UnusableSchema, normalise

Json = Any
DIALECTS = {
    "draft4": "http://json-schema.org/draft-04/schema#",
    "draft6": "http://json-schema.org/draft-06/schema#",
    "draft7": "http://json-schema.org/draft-07/schema#",
    "draft2019-09": "https://json-schema.org/draft/2019-09/schema",
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
}


@dataclass(slots=True)
class Tally:
    """The answers of one way, and the CPU seconds that each took."""

    answers: Counter[tuple[bool | None, str]] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)

    def add(self, known: bool | None, answer: object, seconds: float) -> None:
        self.answers[known, type(answer).__name__] += 1
        self.seconds.append(seconds)
        if isinstance(answer, GaveUp) and known is not None:
            self.reasons[answer.reason.partition(": ")[2][:60] or answer.reason[:60]] += 1

    def row(self, name: str) -> str:
        held = self.answers[True, "Nothing"] + self.answers[True, "GaveUp"]
        broken = sum(count for (known, _), count in self.answers.items() if known is False)
        times = sorted(self.seconds)
        middle, high, most = (1000 * times[min(len(times) - 1, int(share * len(times)))] for share in (0.5, 0.99, 1))
        return (
            f"| {name} | {self.answers[False, 'Nothing']} | {self.answers[True, 'Nothing'] / held:.2%} | "
            f"{self.answers[False, 'Found'] / broken:.2%} | {middle:.2f} | {high:.1f} | {most:.0f} |"
        )


def questions(path: Path, sample: int | None, seed: int) -> list[tuple[bool | None, Json, Json]]:
    """Return (known, old, new) both ways, without pairs of one schema with itself."""
    with gzip.open(path) as lines:
        rows = [json.loads(line) for line in lines]
    chosen = rows if sample is None else random.Random(seed).sample(rows, sample)
    found = []
    for row in chosen:
        old, new = (
            {"$schema": DIALECTS[row["draft"]], **each} if isinstance(each, dict) else each
            for each in (row["old"], row["new"])
        )
        if old != new:
            found += [(row["old_in_new"], old, new), (row["new_in_old"], new, old)]
    return found


def by_algebra(old: Json, new: Json) -> object:
    """Ask jsonschema-rs alone; it shows no values."""
    try:
        return Nothing() if algebra.is_contained([normalise(old).schema], normalise(new).schema) else GaveUp("")
    except UnusableSchema as problem:
        return GaveUp(str(problem))


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("pairs", type=Path)
    arguments.add_argument("--sample", type=int)
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    asked = questions(given.pairs, given.sample, given.seed)
    second = finding._proven_by_algebra  # noqa: SLF001 - switched off and on again
    ways = {"our engine alone": Tally(), "with jsonschema-rs behind it": Tally(), "jsonschema-rs alone": Tally()}
    same = []
    for known, old, new in asked:
        for name, tally in ways.items():
            finding._proven_by_algebra = (lambda _: False) if name == "our engine alone" else second  # noqa: SLF001
            start = time.process_time()
            answer = by_algebra(old, new) if name == "jsonschema-rs alone" else find([Side(old)], [Side(new)])
            tally.add(known, answer, time.process_time() - start)
        start = time.process_time()
        find([Side(old)], [Side(json.loads(json.dumps(old)))])
        same.append(time.process_time() - start)
    print(f"{len(asked)} directed questions, {sys.version.split()[0]}\n")
    print("| engine | unsound | held: proven | broken: refuted by a value | median ms | p99 ms | most ms |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, tally in ways.items():
        print(tally.row(name))
    print(f"\nA schema against itself: median {1000 * sorted(same)[len(same) // 2]:.3f} ms.\n")
    print("What our engine gave up on, with jsonschema-rs behind it:\n")
    for reason, count in ways["with jsonschema-rs behind it"].reasons.most_common(8):
        print(f"- {count}: {reason}")
    return 1 if any(tally.answers[False, "Nothing"] for tally in ways.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
