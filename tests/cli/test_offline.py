"""Commands that need no server, run as a user runs them: real processes, real files, exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from registry.cli.output import printable

DEMO = Path(__file__).parents[2] / "registry" / "demo"
TEAM, BROKEN = DEMO / "team" / "0.1.0.yaml", DEMO / "team" / "0.1.1-refused.yaml"


REPORT = {
    *("old_version", "new_version", "old_digest", "new_digest", "profile", "changes", "level", "verdict", "needed"),
    *("given", "forced", "policy_version", "engine_version", "second_prover", "faults"),
}


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


def test_a_fault_in_a_schema_beside_the_card_names_that_file(tmp_path):
    card = tmp_path / "card.yaml"
    card.write_text(
        "agent_id: com.example.x\nname: X\nversion: 1.0.0\ninput_schema: {$ref: sub/in.json}\noutput: text\n"
    )
    schema = tmp_path / "sub" / "in.json"
    schema.parent.mkdir()
    schema.write_text('{"type": "object",\n "properties": {"a": {"type": "odd"}}}')
    done = cards("lint", "card.yaml", cwd=tmp_path)
    assert (1, "sub/in.json:2:") == (done.returncode, done.stdout[:14])
    (found,) = json.loads(cards("lint", "card.yaml", "--format", "json", cwd=tmp_path).stdout)["results"][0]["findings"]
    assert ("sub/in.json", 2, "/properties/a/type") == (found["file"], found["line"], found["pointer"])


def test_faults_of_all_cards_and_files_are_told_at_once_before_anything_is_sent(tmp_path):
    for name, schema in (("a", "none.json"), ("b", "broken.json")):
        (tmp_path / f"{name}.yaml").write_text(
            f"agent_id: com.example.{name}\nname: X\ninput_schema: {{$ref: {schema}}}\n"
        )
    (tmp_path / "broken.json").write_text('{"a":\n }')
    nowhere = ("--url", "http://127.0.0.1:9")
    for command in ("publish", "check"):
        done = cards(command, "a.yaml", "b.yaml", *nowhere, cwd=tmp_path)
        assert 1 == done.returncode
        assert "a.yaml:3:" in done.stderr
        assert "none.json: No such file or directory" in done.stderr
        assert "broken.json:2:" in done.stderr
        problem = json.loads(cards(command, "a.yaml", "b.yaml", *nowhere, "--format", "json", cwd=tmp_path).stdout)
        assert ("invalid-card", {"a.yaml", "broken.json"}) == (
            problem["code"],
            {finding["file"] for finding in problem["findings"]},
        )


def commit(folder, **files):
    """Commit files in a new repository."""
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    author = ["-c", "user.name=t", "-c", "user.email=t@example.com"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run(["git", *author, *arguments], cwd=folder, check=True, capture_output=True)


def counter(version, *required, status="production", more=""):
    names = ", ".join(required)
    return (
        f"agent_id: com.example.x\nname: X\nversion: {version}\nstatus: {status}\noutput: text\n"
        "input_schema: {type: object, required: [" + names + "], properties: {a: {type: integer}" + more + "}}\n"
    )


# What the card was, what it is, the exit code, and how the answer begins.
CHECKS = [
    (counter("1.0.0"), counter("1.0.0"), 0, "1.0.0 is unchanged"),
    (
        counter("1.0.0"),
        counter("1.0.1", "a"),
        1,
        "Refused: 1.0.0 -> 1.0.1 breaks: input now requires `a`; publish it as 2.0.0",
    ),
    (counter("1.0.0"), counter("1.0.0", "a"), 1, "Refused: 1.0.0 breaks: input now requires `a`; publish it as 2.0.0"),
    (
        counter("1.0.0"),
        counter("1.0.0", more=", b: {type: string}"),
        1,
        "Refused: 1.0.0 differs, and a published version never changes; publish it as 1.1.0",
    ),
    (
        counter("1.0.0"),
        counter("1.0.0") + "owner: o\n",
        1,
        "Refused: 1.0.0 differs, and a published version never changes; publish it as 1.0.1",
    ),
    (
        counter("0.2.1"),
        counter("0.2.1", more=", b: {type: string}"),
        1,
        "Refused: 0.2.1 differs, and a published version never changes; publish it as 0.2.2",
    ),
    (
        counter("0.2.1"),
        counter("0.2.2", "a"),
        1,
        "Refused: 0.2.1 -> 0.2.2 breaks: input now requires `a`; publish it as 0.3.0",
    ),
    (
        counter("0.2.1"),
        counter("0.3.0", "a"),
        0,
        "0.3.0 is the first version of v0.3; against 0.2.1: input now requires `a`",
    ),
    (
        counter("1.0.0"),
        counter("2.0.0-rc.1", "a"),
        0,
        "2.0.0-rc.1 is the first version of v2; against 1.0.0: input now requires `a`",
    ),
    (
        counter("1.0.0"),
        counter("1.1.0-rc.1", "a"),
        1,
        "Refused: 1.0.0 -> 1.1.0-rc.1 breaks: input now requires `a`; publish it as 2.0.0",
    ),
    (
        counter("1.4.0", "a"),
        counter("1.3.0"),
        1,
        "Refused: 1.3.0 -> 1.4.0 (already published) breaks: input now requires `a`; publish it as 2.0.0",
    ),
    (counter("1.0.0"), counter("1.0.1", "a", status="draft"), 0, "1.0.1 is draft: it is judged when it goes live"),
    (
        counter("1.0.0", "a"),
        counter("1.0.1"),
        0,
        "1.0.0 -> 1.0.1 adds, with a patch version only: input takes more than before",
    ),
]


@pytest.mark.parametrize(("old", "new", "code", "answer"), CHECKS, ids=[row[3] for row in CHECKS])
def test_a_check_against_a_file_judges_as_publishing_would(tmp_path, old, new, code, answer):
    before, after = tmp_path / "old.yaml", tmp_path / "new.yaml"
    before.write_text(old)
    after.write_text(new)
    done = cards("check", after, "--against", before)
    assert (code, answer) == (done.returncode, done.stdout[: len(answer)])
    (judgement,) = json.loads(cards("check", after, "--against", before, "--format", "json").stdout)["judgements"]
    assert str(after) == judgement["file"]
    assert ("refused" == judgement["verdict"]) == (code == 1)


def test_a_check_against_git_reads_the_card_and_its_schemas_as_they_were(tmp_path):
    card = "agent_id: com.example.x\nname: X\nversion: 1.0.0\ninput_schema: {$ref: in.json}\noutput: text\n"
    commit(tmp_path, card_yaml=card, in_json='{"type": "object", "properties": {"a": {"type": "integer"}}}')
    (tmp_path / "in.json").write_text('{"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}}')
    (tmp_path / "card.yaml").write_text(card.replace("1.0.0", "1.0.1"))
    done = cards("check", "card.yaml", "--against", "git:HEAD", cwd=tmp_path)
    assert 1 == done.returncode, done.stderr
    assert "1.0.0 -> 1.0.1 breaks: input now requires `a`; publish it as 2.0.0" in done.stdout
    gone = cards("check", "card.yaml", "--against", "git:no-such-branch", cwd=tmp_path)
    assert 2 == gone.returncode
    assert "card.yaml at no-such-branch" in gone.stderr


def test_what_a_terminal_would_obey_is_never_written_to_it(tmp_path):
    card = tmp_path / "card.json"
    document = {"agent_id": "com.example.x", "name": "X", "version": "1.0.0", "input": "text", "output": "text"}
    document["tags"] = ["\x1b[31mred\x07", "\u202ereversed"]
    card.write_text(json.dumps(document))
    for arguments in (("lint", card), ("diff", card, card), ("lint", card, "--format", "json")):
        done = cards(*arguments)
        assert all(each.isprintable() or each == "\n" for each in done.stdout + done.stderr)
    assert [r"\x1b[31mred\x07", r"\u202ereversed\ud800", "a\nb"] == [
        printable(text) for text in ("\x1b[31mred\x07", "\u202ereversed\ud800", "a\nb")
    ]


def test_in_json_every_answer_is_one_document_on_standard_output(tmp_path):
    broken = tmp_path / "broken.json"
    broken.write_text('{"agent_id": ')
    nowhere = ("--url", "http://127.0.0.1:9")
    for code, keys, arguments in [
        (0, {"results"}, ("lint", TEAM)),
        (1, {"results"}, ("lint", broken)),
        (0, REPORT, ("diff", TEAM, TEAM)),
        (1, REPORT, ("diff", TEAM, BROKEN)),
        (2, {"code", "title", "detail"}, ("diff", TEAM, broken)),
        (1, {"judgements"}, ("check", BROKEN, "--against", TEAM)),
        (2, {"code", "title", "detail"}, ("check", TEAM, *nowhere)),
        (1, {"code", "title", "detail", "findings"}, ("publish", broken, *nowhere)),
        (2, {"code", "title", "detail"}, ("publish", TEAM, *nowhere)),
        (2, {"code", "title", "detail"}, ("get", "com.example.x", *nowhere)),
        (2, {"code", "title", "detail"}, ("search", *nowhere)),
        (2, {"code", "title", "detail"}, ("history", "com.example.x", *nowhere)),
        (0, {"items"}, ("explain",)),
        (0, {"id", "level", "side", "said_aloud", "purpose", "page", "advice", "mirror"}, ("explain", "pause-added")),
        (1, {"code", "title", "detail"}, ("explain", "pause-aded")),
    ]:
        done = cards(*arguments, "--format", "json")
        assert (code, keys) == (done.returncode, set(json.loads(done.stdout))), arguments


def test_rules_are_explained_and_a_slip_gets_a_suggestion():
    assert "input-required-added" in cards("explain").stdout
    page = cards("explain", "input-required-added").stdout
    assert page.startswith(
        "input-required-added (major, input)\n\nA property is required that callers needed not to send."
    )
    assert "validators fill nothing in" in page
    assert "did you mean" in cards("explain", "input-required-aded").stderr


@pytest.mark.parametrize(
    "command", ["serve", "lint", "diff", "check", "publish", "get", "search", "history", "migrate", "explain"]
)
def test_every_command_has_help(command):
    done = cards(command, "--help")
    assert 0 == done.returncode
    assert "Usage:" in done.stdout


@pytest.mark.parametrize("how", ["flag", "environment"])
def test_the_second_prover_can_be_left_out_of_a_comparison(how):
    flag, env = (
        (("--second-prover", "off"), None) if how == "flag" else ((), {**os.environ, "CARDS_SECOND_PROVER": "off"})
    )
    done = cards("diff", TEAM, BROKEN, "--format", "json", *flag, env=env)
    assert json.loads(done.stdout)["engine_version"].endswith("-alone")
    done = cards("check", BROKEN, "--against", TEAM, "--format", "json", *flag, env=env)
    (judgement,) = json.loads(done.stdout)["judgements"]
    assert judgement["reports"][0]["engine_version"].endswith("-alone")
