"""The fuzzer itself: it asks the same whatever the processes, and it sees a wrong answer of either kind."""

import json
import random

from bench import fuzz_solver
from bench.fuzz_solver import Task
from bench.made import Maker
from registry.core.solver import Found, Nothing


def test_a_seed_and_a_number_mean_the_same_checks():
    one, again, other = (fuzz_solver.block(Task(seed, 3, 20)) for seed in (7, 7, 8))
    assert one.counts == again.counts
    assert 20 == one.counts.total() == other.counts.total()
    assert Maker(random.Random("7/3")).document() != Maker(random.Random("8/3")).document()


def test_a_proof_that_a_value_refutes_is_a_fault(monkeypatch):
    monkeypatch.setattr(fuzz_solver, "find", lambda *_: Nothing())
    found = fuzz_solver.block(Task(1, 0, 30))
    assert {"UNSOUND"} == {fault["outcome"] for fault in found.faults}
    assert found.counts["UNSOUND"] == len(found.faults) > 5


def test_a_value_that_does_not_answer_is_a_fault(monkeypatch):
    monkeypatch.setattr(fuzz_solver, "find", lambda *_: Found({"never": "asked"}))
    assert len(fuzz_solver.block(Task(1, 0, 30)).faults) > 5


def test_pairs_of_a_file_are_changed(tmp_path):
    old = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"minimum": 2}}, "required": ["a"]}
    (tmp_path / "pairs.jsonl").write_text(json.dumps({"old": old, "new": {"type": "array"}}) + "\n")
    maker = Maker(random.Random(1))
    made = [fuzz_solver.two(maker, tmp_path / "pairs.jsonl") for _ in range(60)]
    assert any(one == old and other != old and "required" in other for one, other in made)
    assert any("array" in other.values() for _, other in made)
    assert 40 == fuzz_solver.block(Task(1, 0, 40, pairs=tmp_path / "pairs.jsonl")).counts.total()


def test_odd_schemas_have_rare_names():
    maker = Maker(random.Random(1), odd=True)
    text = "".join(json.dumps(maker.document()) for _ in range(300))
    assert all(mark in text for mark in ("a~b", "(?!a)", "3.0"))


def test_an_exception_is_a_fault(monkeypatch):
    monkeypatch.setattr(fuzz_solver, "find", lambda *_: 1 / 0)
    found = fuzz_solver.block(Task(1, 0, 3))
    assert {"BUG ZeroDivisionError": 3} == found.counts


def test_the_record_grows_by_one_row_a_run_and_a_fault_makes_the_exit_code_one(monkeypatch, tmp_path, capsys):
    record = tmp_path / "results" / "fuzz.md"
    for seed in ("5", "6"):
        words = ["fuzz", "--checks", "12", "--seed", seed, "--processes", "2", "--record", str(record)]
        monkeypatch.setattr("sys.argv", words)
        assert 0 == fuzz_solver.main()
    rows = [[cell.strip() for cell in line.split("|")] for line in record.read_text().splitlines() if "| 12 |" in line]
    assert ["5", "6"] == [row[4] for row in rows]
    assert all(12 == sum(map(int, row[6:10])) and "0" == row[10] for row in rows)
    fault = fuzz_solver.Outcome(faults=[{"outcome": "UNSOUND"}])
    monkeypatch.setattr(fuzz_solver, "gathered", lambda _: fault)
    assert 1 == fuzz_solver.main()
    assert record.read_text().endswith("| 1 |\n")


def test_a_fault_is_printed_as_it_comes(capsys):
    fuzz_solver.gathered([fuzz_solver.Outcome(faults=[{"outcome": "UNSOUND", "value": 1}])])
    assert {"outcome": "UNSOUND", "value": 1} == json.loads(capsys.readouterr().out)


def test_interrupted_it_tells_of_what_was_finished(capsys):
    def interrupted():
        yield fuzz_solver.block(Task(1, 0, 4))
        raise KeyboardInterrupt

    assert 4 == fuzz_solver.gathered(interrupted()).counts.total()
    assert "interrupted" in capsys.readouterr().err
