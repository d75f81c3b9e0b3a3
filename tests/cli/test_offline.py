"""Commands that need no server, run as a user runs them: real processes, real files, exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

DEMO = Path(__file__).parents[2] / "registry" / "demo"
TEAM, BROKEN = DEMO / "team" / "0.1.0.yaml", DEMO / "team" / "0.1.1-refused.yaml"


def cards(*arguments, cwd=None, env=None):
    command = [sys.executable, "-c", "from registry.cli import main; main()", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=env, check=False, timeout=120)


def test_a_good_card_lints_with_0():
    done = cards("lint", TEAM)
    assert (0, f"{TEAM}: good\n") == (done.returncode, done.stdout)


def test_a_bad_card_lints_with_1_and_every_finding_has_file_line_and_place(tmp_path):
    bad = tmp_path / "card.yaml"
    bad.write_text("agent_id: UPPER\nname: X\nversion: 1.2\n")
    done = cards("lint", bad)
    assert 1 == done.returncode
    assert f"{bad}:1:1: error: /agent_id: " in done.stdout
    assert f"{bad}:3:1: error: /version: " in done.stdout
    as_json = json.loads(cards("lint", bad, "--format", "json").stdout)
    assert {"/agent_id", "/version"} <= {each["pointer"] for each in as_json["results"][0]["findings"]}


def test_a_break_diffs_with_1_and_shows_what_it_is():
    done = cards("diff", TEAM, BROKEN)
    assert 1 == done.returncode
    assert "helper: input: takes JSON that matches a schema instead of text" in done.stdout
    report = json.loads(cards("diff", TEAM, BROKEN, "--format", "json").stdout)
    assert ["input-kind-changed"] == [change["rule"] for change in report["changes"]]


def test_a_card_against_itself_diffs_with_0():
    done = cards("diff", TEAM, TEAM)
    assert 0 == done.returncode


def test_what_cannot_be_judged_ends_with_2(tmp_path):
    broken = tmp_path / "broken.json"
    broken.write_text('{"agent_id": ')
    assert 2 == cards("diff", TEAM, broken).returncode
    assert 2 == cards("diff", TEAM, tmp_path / "none.yaml").returncode
    assert 2 == cards("search", "--url", "http://127.0.0.1:9").returncode
    assert 2 == cards("explain", "no-such-rule").returncode


def test_a_check_against_git_reads_the_card_and_its_schemas_as_they_were(tmp_path):
    def git(*arguments):
        subprocess.run(
            ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", *arguments],
            cwd=tmp_path,
            check=True,
            capture_output=True,
        )

    card = tmp_path / "card.yaml"
    card.write_text("agent_id: com.example.x\nname: X\nversion: 1.0.0\ninput_schema: {$ref: in.json}\noutput: text\n")
    schema = tmp_path / "in.json"
    schema.write_text('{"type": "object", "properties": {"a": {"type": "integer"}}}')
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    schema.write_text('{"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}}')
    card.write_text(card.read_text().replace("1.0.0", "1.0.1"))
    done = cards("check", "card.yaml", "--against", "git:HEAD", cwd=tmp_path)
    assert 1 == done.returncode, done.stderr
    assert "now requires `a`" in done.stdout


def test_rules_are_explained_and_a_slip_gets_a_suggestion():
    assert "input-required-added" in cards("explain").stdout
    assert "input-required-added (major" in cards("explain", "input-required-added").stdout
    assert "did you mean" in cards("explain", "input-required-aded").stderr


@pytest.mark.parametrize(
    "command", ["serve", "lint", "diff", "check", "publish", "get", "search", "history", "migrate", "explain"]
)
def test_every_command_has_help(command):
    done = cards(command, "--help")
    assert 0 == done.returncode
    assert "Usage:" in done.stdout
