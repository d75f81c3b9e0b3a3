"""`cards bench solver`: the report, its exit codes, and others beside the engine."""

from __future__ import annotations

import gzip
import json
import time

import pytest
from click.testing import CliRunner

from registry.cli import benching, main, peers
from registry.core.solver import Nothing

NARROWS = {"old": {"type": "integer"}, "new": {"type": "number"}, "old_in_new": True, "new_in_old": False}
DRAFT_4 = {
    "draft": "draft4",
    "old": {"minimum": 1, "exclusiveMinimum": True},
    "new": {"minimum": 1},
    "old_in_new": True,
    "new_in_old": None,
}
MISTAKEN = {"old": {"type": "string"}, "new": {"const": "a\u2028"}, "old_in_new": True, "new_in_old": True}
SAME = {"old": {}, "new": {}, "old_in_new": True, "new_in_old": True}


def run(path, *options):
    return CliRunner().invoke(main, ["bench", "solver", str(path), *options])


def write(path, *rows):
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


@pytest.mark.parametrize("name", ["pairs.jsonl", "pairs.jsonl.gz"])
def test_the_report_says_what_is_decided_of_what_is_known(tmp_path, name):
    done = run(write(tmp_path / name, NARROWS, DRAFT_4, MISTAKEN, SAME), "--format", "json")
    report = json.loads(done.stdout)
    assert 0 == done.exit_code
    assert {"all": 6, "true": 3, "false": 2} == report["questions"]
    assert 1 == report["labels_refuted"]  # a string need not be that one, whatever the source says
    ours, alone, algebra = report["engines"][:3]
    shares = {"proven of true": 1.0, "refuted of false": 1.0, "unsound": 0, "false alarms": 0, "given up": 0}
    assert shares.items() <= ours.items()
    assert shares.items() <= alone.items()
    assert algebra["engine"].startswith("jsonschema-rs ")
    assert all(row["median ms"] > 0 for row in report["engines"])


def test_a_sample_is_the_same_for_the_same_seed(tmp_path):
    path = write(tmp_path / "pairs.jsonl", *[{**NARROWS, "new": {"type": "number", "minimum": n}} for n in range(40)])
    chosen = [[each.new for each in benching.questions(path, 3, seed)] for seed in (1, 1, 2)]
    assert 6 == len(chosen[0])
    assert chosen[0] == chosen[1] != chosen[2]


def test_the_text_is_a_page_that_names_who_is_not_installed(tmp_path, monkeypatch):
    monkeypatch.setitem(peers._PEERS, "nobody", ("no_such_module", peers._algebra))
    text = run(write(tmp_path / "pairs.jsonl", NARROWS)).stdout
    assert "| engine | proven of true | refuted of false | unsound | " in text
    assert "| this engine | 100.00% | 100.00% | 0 | 0 | 0 | " in text
    assert "nobody" in text.partition("Not installed here: ")[2]


def test_without_a_known_answer_there_is_no_share(tmp_path):
    unknown = {**NARROWS, "old_in_new": None, "new_in_old": None}
    done = run(write(tmp_path / "pairs.jsonl", unknown))
    assert "| this engine | - | - | 0 | 0 | 0 | " in done.stdout


def test_a_proof_of_what_is_false_ends_with_1(tmp_path, monkeypatch):
    monkeypatch.setattr(benching, "find", lambda *_: Nothing())
    done = run(write(tmp_path / "pairs.jsonl", NARROWS))
    assert 1 == done.exit_code
    assert "| this engine | 100.00% | 0.00% | 1 | " in done.stdout


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}\n",
        b"[1]\n",
        b"nothing",
        b"\x1f\x8b broken",
        b"\xff\xfe",
        json.dumps({**NARROWS, "draft": "9"}).encode(),
    ],
)
def test_a_file_without_pairs_ends_with_2(tmp_path, data):
    path = tmp_path / "pairs.jsonl"
    path.write_bytes(data)
    done = run(path)
    assert 2 == done.exit_code
    assert done.stderr.startswith("Error: ")
    assert "pair" in done.stderr


@pytest.fixture
def compared(tmp_path, monkeypatch):
    """Install a package under a peer's name that answers as its text says."""

    def install(body):
        (tmp_path / "jsoncompat.py").write_text(f"def check_compat(old, new, role):\n    {body}\n")
        (tmp_path / "jsoncompat-9.1.dist-info").mkdir()
        (tmp_path / "jsoncompat-9.1.dist-info" / "METADATA").write_text("Name: jsoncompat\nVersion: 9.1\n")
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(__import__("sys").modules, "jsoncompat", raising=False)
        return next(peer for peer in peers.installed() if peer.name == "jsoncompat 9.1")

    return install


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('return role == "deserializer" and "integer" in old', True),
        ("return False", False),
        ("print('noise'); raise SystemExit", None),
        ("return 1 / 0", None),
    ],
)
def test_a_peer_that_is_installed_is_asked(compared, capsys, body, said):
    assert said is compared(body).prepared({"type": "integer"}, {"type": "number"})()
    assert "" == capsys.readouterr().out


def test_a_peer_that_never_ends_gives_no_answer(compared, monkeypatch):
    monkeypatch.setattr(peers, "LIMIT_SECONDS", 0.2)
    start = time.monotonic()
    assert compared("while True: pass").prepared({"type": "integer"}, {"type": "number"})() is None
    assert time.monotonic() - start < 60
