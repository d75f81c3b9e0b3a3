"""Fuzz the solver: composed and mutated schemas, with values that both validators judge.

    python -m bench.fuzz_solver --checks 20000 --seed 1 --processes 2 --record bench/results/fuzz.md

Each check is one directed question. ``Nothing`` is held against values from the search for either schema and against
changed ones: one that the first schema accepts and the second refuses, by both validators, is unsound. ``Found`` must
hold by both. The checks come in blocks with a seed of their own, so a seed and a number mean the same checks however
many processes there are. Prints what was asked and answered, and every fault as a line of JSON; exits with 1 if there
is one. Interrupted (SIGINT or SIGTERM), it tells of the blocks that were finished. ``--odd`` makes schemas with rare
names, numbers and patterns too; ``--pairs FILE`` takes pairs of a file (docs/solver.md) and changes them.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import signal
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.engine import engine, name_of
from bench.made import Maker
from registry.cli.benching import questions
from registry.core.solver import Found, Nothing, Side, find
from registry.core.solver.closing import close
from registry.core.solver.meaning import UnusableSchema, normalise
from registry.core.solver.search import candidates
from registry.core.solver.validators import CannotValidate, Disagreement, Pair

if TYPE_CHECKING:
    from collections.abc import Iterable

Json = Any
BLOCK = 500
HEAD = """# What the fuzzer has asked

`python -m bench.fuzz_solver --record` appends a row; a fault is an answer that two validators do not bear out.
The engine is told by its release and git's name for its folder (`git rev-parse HEAD:registry/core/solver`).

What was asked is told by git's name for `bench/made.py`, which makes or changes the schemas.

| date | engine | questions | seed | checks | nothing | found | gave up | not judged | faults |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""


@dataclass(slots=True)
class Outcome:
    """What some checks came to: how often each answer was given, every fault, the longest check in CPU seconds."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[Json] = field(default_factory=list)
    slowest: float = 0.0

    def add(self, other: Outcome) -> None:
        self.counts += other.counts
        self.faults += other.faults
        self.slowest = max(self.slowest, other.slowest)

    def row(self, *told_before: str | int) -> str:
        told = [self.counts[name] for name in ("nothing", "found", "gave up", "not judged")]
        cells = (f"{datetime.now(UTC):%Y-%m-%d}", *told_before, self.counts.total(), *told, len(self.faults))
        return f"| {' | '.join(map(str, cells))} |\n"


def values_of(maker: Maker, schemas: list[Json]) -> list[Json]:
    """Return values that may tell two schemas apart."""
    found: list[Json] = [maker.value() for _ in range(12)] + list(maker.scalars)
    for one, other in (schemas, schemas[::-1]):
        for refusing in ([other], []):
            found += islice(candidates([one], refusing, 1_500), 25)
    for value in list(found[12:]):
        if isinstance(value, dict) and value:
            found.append(dict(list(value.items())[1:]))
            found.append({**value, maker.random.choice(maker.names): maker.value(1)})
        elif isinstance(value, list):
            found += [value[1:], [*value, maker.value(1)]]
    return found


def judged(maker: Maker, old: Json, new: Json, mode: str) -> tuple[str, Json]:
    """Ask one question and hold its answer against the validators; return the outcome, and a value that faults it."""
    answer = find([Side(old, mode)], [Side(new)])  # type: ignore[arg-type]
    if not isinstance(answer, Found | Nothing):
        return "gave up", None
    try:
        meanings = [normalise(old), normalise(new)]
        meanings[0] = close(meanings[0]) if mode == "absent" else meanings[0]
        checks = [Pair(meanings[0].schema) if mode == "absent" else Pair(old), Pair(new)]
        tried = [answer.value] if isinstance(answer, Found) else values_of(maker, [each.schema for each in meanings])
    except (UnusableSchema, CannotValidate, RecursionError):
        return "not judged", None
    for value in tried:
        try:
            shows = checks[0].accepts(value) and not checks[1].accepts(value)
        except (Disagreement, CannotValidate):
            continue
        if shows == isinstance(answer, Nothing):
            return "UNSOUND", value
    return type(answer).__name__.lower(), None


@dataclass(frozen=True, slots=True)
class Task:
    """One block: its seed and number, how many checks, and where the schemas come from."""

    seed: int
    number: int
    checks: int
    odd: bool = False
    pairs: Path | None = None


@lru_cache
def _pairs(path: Path) -> list[tuple[Json, Json]]:
    return [(each.old, each.new) for each in questions(path, None, 0)]


def two(maker: Maker, pairs: Path | None) -> tuple[Json, Json]:
    """Make two schemas, most often one and a changed copy of it."""
    if pairs is None:
        old = maker.document()
        return old, maker.mutated(old) if maker.random.random() < 0.7 else maker.document()
    old, new = maker.random.choice(_pairs(pairs))
    chosen = old if maker.random.random() < 0.5 else new
    return maker.mutated(old) if maker.random.random() < 0.3 else old, maker.mutated(chosen)


def block(task: Task) -> Outcome:
    """Make the checks of one block."""
    maker, found = Maker(random.Random(f"{task.seed}/{task.number}"), odd=task.odd), Outcome()
    while True:
        old, new = two(maker, task.pairs)
        for one, other in ((old, new), (new, old)):
            if found.counts.total() == task.checks:
                return found
            mode = maker.random.choice(("any", "any", "absent"))
            start = time.process_time()
            try:
                outcome, value = judged(maker, one, other, mode)
            except Exception as problem:  # noqa: BLE001 - that is what is looked for
                outcome, value = f"BUG {type(problem).__name__}", str(problem)[:200]
            found.slowest = max(found.slowest, time.process_time() - start)
            found.counts[outcome] += 1
            if outcome.startswith(("UNSOUND", "BUG")):
                found.faults.append({"outcome": outcome, "mode": mode, "old": one, "new": other, "value": value})


def gathered(outcomes: Iterable[Outcome]) -> Outcome:
    """Add up blocks as they come, and print their faults, until all are there or an interrupt."""
    total = Outcome()
    try:
        for each in outcomes:
            total.add(each)
            for fault in each.faults:
                print(json.dumps(fault), flush=True)
    except KeyboardInterrupt:
        print("interrupted; these are the blocks that were finished", file=sys.stderr)
    return total


def _interrupted(*_: object) -> None:
    raise KeyboardInterrupt


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--checks", type=int, default=20_000)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--processes", type=int, default=1)
    arguments.add_argument("--odd", action="store_true", help="rare names, numbers and patterns too")
    arguments.add_argument("--pairs", type=Path, help="change the pairs of this file")
    arguments.add_argument("--record", type=Path, help="append a row to this file")
    given = arguments.parse_args()
    tasks = [
        Task(given.seed, start // BLOCK, min(BLOCK, given.checks - start), given.odd, given.pairs)
        for start in range(0, given.checks, BLOCK)
    ]
    source = f"{given.pairs.name} changed" if given.pairs else "made up"
    asked = (engine(), f"{source}{', odd' if given.odd else ''} {name_of('bench/made.py')}", given.seed)
    signal.signal(signal.SIGTERM, _interrupted)
    with multiprocessing.Pool(given.processes, _leave_interrupts_to_the_parent) as pool:
        total = gathered(pool.imap_unordered(block, tasks))
    print(f"seed {given.seed}: {dict(total.counts)}; slowest check with its judging {total.slowest:.2f} s")
    if given.record:
        given.record.parent.mkdir(exist_ok=True)
        if not given.record.exists():
            given.record.write_text(HEAD)
        with given.record.open("a") as rows:  # two runs may end together
            rows.write(total.row(*asked))
    return 1 if total.faults else 0


if __name__ == "__main__":
    sys.exit(main())
