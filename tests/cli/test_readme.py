"""What the README shows is what a reader sees: each of its commands is run and its answer compared."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.test_offline import cards

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")


def shown():
    """Return every command that the README shows after a `$`, with what it answers."""
    plain = [block for language, block in BLOCKS if not language]
    answered = [part for block in plain for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [tuple(part.partition("\n")[::2]) for part in answered]


def test_commands_are_shown():
    assert ["publish", "search", "history", "get"] == [line.split()[1] for line, _ in shown()]


@pytest.mark.parametrize(("line", "answer"), shown(), ids=[line for line, _ in shown()])
def test_a_command_answers_what_is_shown(demo, monkeypatch, line, answer):
    environment, _, _ = demo
    program, *arguments = line.split()
    assert ".venv/bin/cards" == program
    done = cards(*arguments, env=environment, cwd=ROOT)
    assert TIME.sub("TIME", answer) == TIME.sub("TIME", done.stdout) + done.stderr


def test_the_example_in_python_prints_what_it_says(demo):
    environment, _, _ = demo
    (program,) = [block for language, block in BLOCKS if language == "python"]
    wanted = re.search(r"print\(.*\)  # (.*)", program)[1]
    program = program.replace("http://127.0.0.1:8080", environment["CARDS_URL"])
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (0, f"{wanted}\n") == (done.returncode, done.stdout), done.stderr
