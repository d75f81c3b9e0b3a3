"""Commands that measure: how much the solver decides, how fast, and what others answer to the same questions."""

from __future__ import annotations

import gzip
import json
import os
import random
import sys
import time
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from registry import __version__
from registry.cli import peers
from registry.cli.files import Unreadable
from registry.cli.output import FOUND, format_option, guarded, show, show_json
from registry.core.solver import BUDGET, Found, GaveUp, Nothing, Side, find
from registry.core.solver.dialects import DIALECTS
from registry.core.solver.finding import prepare, proven_by_structure, search
from registry.core.solver.meaning import UnusableSchema
from registry.core.solver.validators import CannotValidate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from registry.core.solver import Answer

Json = Any
HEADINGS = (
    "engine",
    "proven of true",
    "refuted of false",
    "unsound",
    "false alarms",
    "given up",
    "median ms",
    "p99 ms",
)
OURS, ALONE = "this engine", "this engine without jsonschema-rs to prove"
_URIS = {f"draft{number if number < 2019 else uri.split('/')[-2]}": uri for uri, number in DIALECTS.items()}


@dataclass(frozen=True, slots=True)
class Question:
    """Is ``old`` contained in ``new``? ``known`` is what the source of the pair says, None where it doesn't."""

    old: Json
    new: Json
    known: bool | None


@dataclass(slots=True)
class Tally:
    """The answers of one engine: (what holds, what it says: True, False or None), and CPU seconds."""

    answers: list[tuple[bool | None, bool | None]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def row(self, name: str) -> dict[str, Json]:
        """Return a row of the report; a share is None where there is nothing to have a share of."""
        times = sorted(self.seconds)
        return dict(
            zip(
                HEADINGS,
                (
                    name,
                    self._share(known=True, said=True),
                    self._share(known=False, said=False),
                    self.answers.count((False, True)),
                    self.answers.count((True, False)),
                    self.answers.count((True, None)) + self.answers.count((False, None)),
                    *(round(1000 * times[int(share * (len(times) - 1))], 3) for share in (0.5, 0.99)),
                ),
                strict=True,
            )
        )

    def _share(self, *, known: bool, said: bool) -> float | None:
        of = sum(holds is known for holds, _ in self.answers)
        return round(self.answers.count((known, said)) / of, 4) if of else None


@click.group()
def bench() -> None:
    """Measure the engine on pairs of schemas of yours."""


@bench.command()
@click.argument("pairs", metavar="PAIRS", type=click.Path(exists=True, dir_okay=False, readable=True))
@click.option("--sample", type=click.IntRange(1), help="Ask only about so many of the pairs, chosen by chance.")
@click.option("--seed", type=int, default=1, show_default=True, help="Which chance.")
@format_option
@guarded
def solver(pairs: str, sample: int | None, seed: int, form: str) -> None:
    """Say how much is decided of pairs with known containment, and how fast.

    PAIRS is JSON Lines, or that in gzip: `old`, `new`, `old_in_new`, `new_in_old` (true, false or null), `draft`.

    \b
    cards bench solver pairs.jsonl.gz --sample 400
    """
    report = measured(questions(Path(pairs), sample, seed))
    if form == "json":
        show_json(report)
    else:
        show(as_markdown(report))
    if any(row["unsound"] for row in report["engines"] if row["engine"] in (OURS, ALONE)):
        raise SystemExit(FOUND)


def questions(path: Path, sample: int | None, seed: int) -> list[Question]:
    """Return both directions of each pair, without pairs of one schema with itself; raises Unreadable."""
    try:
        data = path.read_bytes()
        text = gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
        rows = [json.loads(line) for line in text.decode().split("\n") if line.strip()]
        found = [
            Question(_dialected(row[old], row), _dialected(row[new], row), row.get(f"{old}_in_{new}"))
            for row in _chosen(rows, sample, seed)
            for old, new in (("old", "new"), ("new", "old"))
            if row["old"] != row["new"]
        ]
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError, AttributeError) as problem:
        raise Unreadable(f"{path} doesn't hold pairs as JSON Lines: {problem!r}"[:300]) from problem
    if not found:
        raise Unreadable(f"{path} holds no pair of two different schemas")
    return found


def _chosen(rows: list[Json], sample: int | None, seed: int) -> list[Json]:
    return rows if sample is None or sample >= len(rows) else random.Random(seed).sample(rows, sample)  # noqa: S311 - a sample, no secret


def _dialected(schema: Json, row: Json) -> Json:
    """Write the row's draft into a schema that doesn't say its own; raises KeyError for a draft that isn't known."""
    return {"$schema": _URIS[row["draft"]], **schema} if isinstance(schema, dict) and "draft" in row else schema


def measured(asked: list[Question]) -> dict[str, Json]:
    """Ask every engine every question, in one process; return the report."""
    load = _load()
    others = peers.installed()
    tallies = {name: Tally() for name in (OURS, ALONE, *(peer.name for peer in others))}
    reasons: dict[str, int] = {}
    same: list[float] = []
    corrected = 0
    for question in asked:
        # The thread's clock: the process's is only as fine as the scheduler's tick once a peer was given a timer.
        start = time.thread_time()
        answer = find([Side(question.old)], [Side(question.new)])
        tallies[OURS].seconds.append(time.thread_time() - start)
        # A value that two validators have checked outweighs what a pair's source says.
        holds = False if isinstance(answer, Found) and question.known else question.known
        corrected += holds is not question.known
        tallies[OURS].answers.append((holds, _said(answer)))
        if isinstance(answer, GaveUp) and holds is not None:
            reason = answer.reason.partition(": ")[2][:60] or answer.reason[:60]
            reasons[reason] = reasons.get(reason, 0) + 1
        for name, seconds, said in _asked_of_others(question, others):
            tallies[name].answers.append((holds, said))
            tallies[name].seconds.append(seconds)
        copy = json.loads(json.dumps(question.old))
        start = time.thread_time()
        find([Side(question.old)], [Side(copy)])
        same.append(time.thread_time() - start)
    known = [holds for holds, _ in tallies[OURS].answers]
    return {
        "questions": {"all": len(asked), "true": known.count(True), "false": known.count(False)},
        "labels_refuted": corrected,
        "engines": [tally.row(name) for name, tally in tallies.items()],
        "not_installed": peers.missing(),
        "same_schema_median_ms": round(1000 * sorted(same)[len(same) // 2], 3),
        "given_up": dict(sorted(reasons.items(), key=lambda item: -item[1])[:8]),
        "release": __version__,
        "python": sys.version.split()[0],
        "load": [load, _load()],
    }


def _asked_of_others(question: Question, others: Iterable[peers.Peer]) -> Iterable[tuple[str, float, bool | None]]:
    """Yield (name, CPU seconds, what it says) of everybody but the whole engine."""
    start = time.thread_time()
    said = _said(alone(question.old, question.new))
    yield ALONE, time.thread_time() - start, said
    for peer in others:
        ask = peer.prepared(question.old, question.new)
        start = time.thread_time()
        said = ask()
        yield peer.name, time.thread_time() - start, said


def alone(old: Json, new: Json) -> Answer:
    """Ask this engine without the second prover behind it."""
    try:
        prepared = prepare([Side(old)], [Side(new)], BUDGET)
    except (UnusableSchema, CannotValidate, RecursionError) as problem:
        return GaveUp(str(problem))
    return Nothing() if proven_by_structure(prepared, prepared.prover(BUDGET)) else search(prepared, BUDGET)


def _said(answer: object) -> bool | None:
    return True if isinstance(answer, Nothing) else False if isinstance(answer, Found) else None


def _load() -> float | None:
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def as_markdown(report: dict[str, Json]) -> str:
    """Return the report as a page in Markdown."""
    asked = report["questions"]
    lines = [
        (
            f"{asked['all']} directed questions: {asked['true']} known to hold, {asked['false']} known not to. "
            f"Release {report['release']}, Python {report['python']}; load at start and end {report['load']}."
        ),
        "",
        f"| {' | '.join(HEADINGS)} |",
        f"|{' --- |' * len(HEADINGS)}",
    ]
    for row in report["engines"]:
        shares = ["-" if row[name] is None else f"{row[name]:.2%}" for name in HEADINGS[1:3]]
        lines.append(f"| {' | '.join(map(str, (row['engine'], *shares, *(row[name] for name in HEADINGS[3:]))))} |")
    lines += [
        "",
        "Unsound is a yes to what is false, a false alarm a no to what is true; times are CPU time of one process.",
        (
            f"{report['labels_refuted']} questions count as false although the pair's source says true: "
            "a value that two validators checked refutes it."
        ),
        f"A schema against itself: median {report['same_schema_median_ms']} ms.",
    ]
    if report["not_installed"]:
        lines.append(f"Not installed here: {', '.join(report['not_installed'])}.")
    if report["given_up"]:
        lines += ["", "What this engine gave up on:", ""]
        lines += [f"- {count}: {reason}" for reason, count in report["given_up"].items()]
    return "\n".join(lines)
