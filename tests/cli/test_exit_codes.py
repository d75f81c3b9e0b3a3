"""0 good, 1 something was found or refused, 2 it could not be judged: every command, each way it can end."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from registry.cli import main
from tests.cli.test_offline import BROKEN, DEMO, TEAM
from tests.client.misbehaving import misbehaving, reply

if TYPE_CHECKING:
    from pathlib import Path

WEATHER, REFUSED = DEMO / "weather" / "1.0.0.yaml", DEMO / "invoice-processor" / "2.2.1-refused.yaml"
NOWHERE = ("--url", "http://127.0.0.1:9")

FILES = {
    "nameless.json": '{"protocolVersion": "0.3.0", "name": "N", "description": "D", "url": "https://a.example.com",'
    ' "version": "1.0.0", "capabilities": {}, "defaultInputModes": ["text/plain"],'
    ' "defaultOutputModes": ["text/plain"], "skills": []}',
    "broken.json": '{"agent_id": ',
    "undated.yaml": "agent_id: com.example.team\nname: T\nversion: '1'\ninput: text\noutput: text\n",
    "other.yaml": WEATHER.read_text() + "documentation_url: https://docs.example.com\n",
}

# Without a server.
OFFLINE = [
    (0, ("lint", TEAM), "a good card"),
    (1, ("lint", TEAM, "broken.json"), "a card that is not valid"),
    (2, ("lint", "none.yaml"), "no such file"),
    (2, ("lint",), "no file is named"),
    (2, ("bench", "solver", "none.jsonl"), "no such file to measure with"),
    (0, ("diff", TEAM, TEAM), "no change"),
    (1, ("diff", TEAM, BROKEN), "a break"),
    (2, ("diff", TEAM, "broken.json"), "one of them is no card: there is nothing to compare with"),
    (2, ("diff", TEAM, "none.yaml"), "no such file"),
    (0, ("check", TEAM, "--against", TEAM), "no change"),
    (1, ("check", BROKEN, "--against", TEAM), "a break"),
    (1, ("check", "broken.json", "--against", TEAM), "the card to be judged is not valid"),
    (1, ("check", "broken.json", *NOWHERE), "told before a registry is asked"),
    (2, ("check", TEAM, "--against", "none.yaml"), "no such file"),
    (2, ("check", TEAM, "--against", "git:no-such-branch"), "no such revision"),
    (2, ("check", "nameless.json", "--against", "nameless.json", "--version", "x"), "no version to judge"),
    (2, ("check", TEAM, "--profile", "literal"), "a registry chooses the profile"),
    (2, ("check", TEAM, *NOWHERE), "server away"),
    (1, ("publish", "broken.json", *NOWHERE), "told before a registry is asked"),
    (2, ("publish", TEAM, *NOWHERE), "server away"),
    (2, ("publish", "none.yaml"), "no such file"),
    (2, ("publish", TEAM, "--status", "retird"), "no such state"),
    (2, ("get", "com.example.team", *NOWHERE), "server away"),
    (2, ("get", "com.example.team", "--url", "nowhere"), "no address"),
    (2, ("get", "com.example.team", "--a2a-version", "0.3"), "the view is of no other output"),
    (2, ("get", "@latest"), "no ID"),
    (2, ("search", *NOWHERE), "server away"),
    (2, ("search", "--limit", "0"), "out of range"),
    (2, ("history", "com.example.team", *NOWHERE), "server away"),
    (0, ("explain",), "the list"),
    (0, ("explain", "input-narrowed"), "a rule"),
    (1, ("explain", "no-such-rule"), "nothing has that name"),
    (2, ("migrate",), "no database is named"),
    (2, ("serve", "--host", "0.0.0.0"), "beyond loopback without a token that somebody chose"),
    (2, ("serve", "--port", "0"), "out of range"),
    (2, ("frobnicate",), "no such command"),
    (0, ("--version",), "the version"),
]

# Against the demo's registry.
ONLINE = [
    (0, ("check", WEATHER), "it is published already"),
    (1, ("check", REFUSED), "a break"),
    (1, ("check", "other.yaml"), "the version is taken"),
    (1, ("check", "nameless.json"), "the registry finds no ID"),
    (1, ("check", WEATHER, "undated.yaml"), "one of several is not valid"),
    (0, ("publish", WEATHER), "it is published already"),
    (0, ("publish", WEATHER, "--dry-run"), "it could be published"),
    (1, ("publish", REFUSED), "a break"),
    (1, ("publish", "other.yaml"), "the version is taken"),
    (1, ("publish", "nameless.json"), "the registry finds no ID"),
    (1, ("publish", "nameless.json", WEATHER), "one of several is not valid"),
    (2, ("publish", REFUSED, "--allow-breaking", "*"), "a reason is missing: the request is wrong, not the card"),
    (2, ("publish", WEATHER, "--token", ""), "no token"),
    (2, ("publish", WEATHER, "--token", "nobody-s"), "a token that nobody knows"),
    (0, ("get", "com.example.weather"), "a card"),
    (0, ("get", "com.example.weather@v2", "--output", "record"), "a prerelease"),
    (1, ("get", "com.example.nobody"), "nothing has that name"),
    (1, ("get", "com.example.weather@^9"), "nothing has that version"),
    (1, ("get", "com.example.weather", "--output", "a2a", "--a2a-version", "0.3"), "no such view"),
    (2, ("get", "com.example.weather@??"), "no selector"),
    (0, ("search", "weather"), "it is found"),
    (0, ("search", "--tag", "nothing-of-that-kind"), "nothing is found, and that is an answer"),
    (0, ("history", "com.example.weather"), "its versions"),
    (1, ("history", "com.example.nobody"), "nothing has that name"),
]

# What a server answers to `publish`, and what that means.
ANSWERED = [
    (1, reply(422, b'{"code": "invalid-card", "detail": "d", "findings": []}'), "a card is not valid"),
    (1, reply(409, b'{"code": "update-refused", "detail": "d"}'), "refused"),
    (2, reply(413, b'{"code": "too-large", "detail": "d"}'), "over this registry's limit"),
    (2, reply(403, b'{"code": "forbidden", "detail": "d"}'), "not permitted"),
    (2, reply(404, b'{"code": "unknown-route", "detail": "d"}'), "no such path: another release, or another server"),
    (2, reply(422, b'{"code": "invalid-request", "detail": "d"}'), "the request is wrong"),
    (2, reply(500, b'{"code": "internal-error", "detail": "d"}'), "a mistake of the registry's own"),
    (2, reply(503, b'{"code": "judging-stopped", "detail": "d"}'), "it could not be judged"),
    (2, reply(200, b"<html>"), "something else answers there"),
    (2, reply(404, b"<html>"), "something else answers there"),
    (2, reply(301, b"", "Location: https://elsewhere.example.com/"), "it is elsewhere"),
]


def run(folder: Path, arguments, environment, monkeypatch):
    for name, text in FILES.items():
        (folder / name).write_text(text)
    monkeypatch.chdir(folder)
    bare = dict.fromkeys(["CARDS_URL", "CARDS_TOKEN", "CARDS_ADMIN_TOKEN", "DATABASE_URL", "CARDS_HOST"])
    done = CliRunner().invoke(main, [*map(str, arguments)], env={**bare, **environment})
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
    assert done.exit_code in (0, 1) or done.output.strip(), "what could not be judged is said"
    return done


@pytest.mark.parametrize(("code", "arguments", "why"), OFFLINE, ids=[f"{row[1][0]}: {row[2]}" for row in OFFLINE])
@pytest.mark.parametrize("form", ["text", "json"])
def test_without_a_server(tmp_path, monkeypatch, code, arguments, why, form):
    formed = () if arguments[0] in ("--version", "serve", "migrate", "frobnicate") else ("--format", form)
    assert code == run(tmp_path, (*arguments, *formed), {}, monkeypatch).exit_code, why


@pytest.mark.parametrize(("code", "arguments", "why"), ONLINE, ids=[f"{row[1][0]}: {row[2]}" for row in ONLINE])
@pytest.mark.parametrize("form", ["text", "json"])
def test_with_a_server(demo, tmp_path, monkeypatch, code, arguments, why, form):
    environment, _, _ = demo
    done = run(tmp_path, (*arguments, "--format", form), environment, monkeypatch)
    assert code == done.exit_code, f"{why}: {done.output}"


@pytest.mark.parametrize(("code", "answer", "why"), ANSWERED, ids=[row[2] for row in ANSWERED])
def test_what_a_server_answers(tmp_path, monkeypatch, code, answer, why):
    with misbehaving(answer) as server:
        done = run(tmp_path, ("publish", WEATHER, "--url", server.url), {}, monkeypatch)
    assert code == done.exit_code, f"{why}: {done.output}"


def test_every_command_is_in_the_tables():
    tried = {arguments[0] for _, arguments, _ in OFFLINE + ONLINE}
    assert set(main.commands) <= tried


def test_what_the_registry_finds_wrong_with_a_card_is_told_at_its_file(demo, tmp_path, monkeypatch):
    environment, _, _ = demo
    done = run(tmp_path, ("publish", WEATHER, "nameless.json"), environment, monkeypatch)
    assert "nameless.json:1:1: error: the card names no agent; give its ID (`--id`" in done.stderr
    assert "/cards/1" not in done.stderr


def test_a_wrong_call_is_told_once_and_names_no_card(demo, tmp_path, monkeypatch):
    environment, _, _ = demo
    done = run(tmp_path, ("publish", WEATHER, "--allow-breaking", "*"), environment, monkeypatch)
    assert done.stderr.startswith("Error: /reason: letting breaking changes through needs a reason")
    assert 1 == len(done.stderr.splitlines())
    both = run(tmp_path, ("serve",), {"CARDS_PORT": "x", "JUDGE_WORKERS": "0"}, monkeypatch)
    assert [
        "Error: CARDS_PORT is 'x'; set it to a whole number from 1 to 65535",
        "  JUDGE_WORKERS is '0'; set it to a whole number from 1 to 64",
    ] == both.stderr.splitlines()


def test_an_interrupted_command_did_not_judge():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        # What runs in the background of a script inherits that it ignores SIGINT.
        code = (
            "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
            "from registry.cli import main; main()"
        )
        program = [sys.executable, "-c", code, "search", "--url", url]
        process = subprocess.Popen(program, stderr=subprocess.PIPE, text=True)
        with process, listening.accept()[0] as connection:
            connection.recv(65536)  # it waits for an answer now
            process.send_signal(signal.SIGINT)
            try:
                assert (2, "Error: interrupted\n") == (process.wait(60), process.stderr.read())
            finally:
                process.kill()
