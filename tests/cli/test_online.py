"""The main job from the command line against a real server with its own PostgreSQL: the README's story."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess

import httpx
from a2a.client import A2ACardResolver

from tests.cli.test_offline import DEMO, cards
from tests.http.serving import free_port

PROBLEM = {"type", "title", "status", "detail", "code", "instance", "request_id"}
URL = "deployment_url: https://agents.example.com/early\n"
INVOICES = "com.yourcompany.finance.invoice-processor"


def test_the_main_job_as_the_readme_shows_it(demo):
    environment, _, _ = demo
    refused = cards("publish", DEMO / "invoice-processor" / "2.2.1-refused.yaml", env=environment)
    assert 1 == refused.returncode, refused.stderr
    assert "2.2.0 -> 2.2.1 breaks: input now requires `purchase_order`; publish it as 3.0.0" in refused.stdout
    assert '"invoice_id": "INV-000000"' in refused.stdout
    again = cards("publish", DEMO / "invoice-processor" / "2.2.0.yaml", env=environment)
    assert (0, f"{INVOICES} 2.2.0 is published already, unchanged (production)\n") == (again.returncode, again.stdout)
    found = cards("search", "invoice", "--tag", "finance", env=environment)
    assert found.stdout.startswith(f"{INVOICES}  2.2.0")
    history = cards("history", INVOICES, env=environment)
    assert ["2.2.0", "2.1.0", "2.0.0"] == [line.split()[0] for line in history.stdout.splitlines()]
    contract = json.loads(cards("get", f"{INVOICES}@^2.1", "--output", "contract", env=environment).stdout)
    assert "operations" in contract


def test_a_published_card_comes_back_byte_for_byte(demo, tmp_path):
    environment, _, _ = demo
    card = tmp_path / "card.yaml"
    card.write_text(
        "# a comment stays\nagent_id: com.example.bytes\nname: B\nversion: 1.0.0\ninput: text\noutput: text\n"
    )
    assert 0 == cards("publish", card, env=environment).returncode
    assert card.read_text() == cards("get", "com.example.bytes", env=environment).stdout


def test_in_json_every_answer_is_one_document_on_standard_output(demo):
    environment, _, _ = demo
    refused = DEMO / "invoice-processor" / "2.2.1-refused.yaml"
    weather = DEMO / "weather" / "1.0.0.yaml"
    for code, keys, arguments in [
        (0, {"publications"}, ("publish", weather)),
        (0, {"publications"}, ("publish", weather, "--dry-run")),
        (0, {"publications"}, ("check", weather)),
        (1, PROBLEM | {"judgement"}, ("publish", refused)),
        (1, PROBLEM | {"judgement"}, ("check", refused)),
        (0, {"items"}, ("search", "invoice")),
        (0, {"items"}, ("search", "nothing-of-that-kind")),
        (0, {"items"}, ("history", INVOICES)),
        (1, PROBLEM, ("history", "com.example.nobody")),
        (1, PROBLEM, ("get", f"{INVOICES}@^9")),
        (2, PROBLEM | {"findings"}, ("get", f"{INVOICES}@!!")),
    ]:
        done = cards(*arguments, "--format", "json", env=environment)
        assert (code, keys) == (done.returncode, set(json.loads(done.stdout))), arguments
    for output in ("card", "record", "contract", "a2a"):
        done = cards("get", INVOICES, "--output", output, "--format", "json", env=environment)
        assert isinstance(json.loads(done.stdout), dict), output


def test_every_example_agent_is_found_by_the_a2a_sdk(demo):
    environment, _, _ = demo
    found = json.loads(cards("search", "--format", "json", env=environment).stdout)["items"]
    items = [item for item in found if item["agent_id"] != "com.example.bytes"]  # another test's; nowhere deployed

    async def resolve():
        async with httpx.AsyncClient() as client:
            return [
                (
                    await A2ACardResolver(
                        client, f"{environment['CARDS_URL']}/agents/{item['agent_id']}"
                    ).get_agent_card()
                ).name
                for item in items
            ]

    assert len(items) >= 5
    assert [item["name"] for item in items] == asyncio.run(resolve())


def test_publishing_without_a_token_is_not_judged_and_says_how_to_give_one(demo):
    environment, _, _ = demo
    bare = {name: value for name, value in environment.items() if name != "CARDS_TOKEN"}
    done = cards("publish", DEMO / "weather" / "1.0.0.yaml", env=bare)
    assert 2 == done.returncode
    assert "CARDS_TOKEN" in done.stderr


def test_what_isn_t_there_ends_with_1(demo):
    environment, _, _ = demo
    done = cards("get", "com.example.nobody", env=environment)
    assert 1 == done.returncode
    assert "com.example.nobody" in done.stderr


def test_a_second_server_on_one_data_directory_refuses_with_the_reason(demo):
    environment, process, command = demo
    other = {**environment, "CARDS_PORT": str(free_port())}
    done = subprocess.run(command, env=other, capture_output=True, text=True, check=False, timeout=60)
    assert 2 == done.returncode
    assert str(process.pid) in done.stderr


def test_listening_beyond_loopback_needs_a_token():
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("CARDS_", "DATABASE_"))}
    done = cards("serve", "--host", "0.0.0.0", env=environment)
    assert 2 == done.returncode
    assert "CARDS_ADMIN_TOKEN" in done.stderr


def test_a_prerelease_that_stands_in_for_a_release_is_said_to_be_one(demo, tmp_path):
    environment, _, _ = demo
    card = tmp_path / "card.yaml"
    card.write_text("agent_id: com.example.early\nname: E\nversion: 1.0.0-rc.1\ninput: text\noutput: text\n" + URL)
    assert 0 == cards("publish", card, env=environment).returncode
    note = "note: 1.0.0-rc.1 is a prerelease; there is no release for `{}`\n"
    for name, output, wanted in [
        ("com.example.early", "card", note.format("latest")),
        ("com.example.early@v1", "record", note.format("v1")),
        ("com.example.early@v1", "contract", note.format("v1")),
        ("com.example.early@1.0.0-rc.1", "card", ""),
        ("com.example.weather@v1", "card", ""),
    ]:
        done = cards("get", name, "--output", output, env=environment)
        assert (0, wanted) == (done.returncode, done.stderr), (name, output)
    assert "" == cards("get", "com.example.early", "--format", "json", env=environment).stderr
    assert "note: only prereleases so far: com.example.early\n" == cards("search", env=environment).stderr
    assert "" == cards("search", "--namespace", "com.yourcompany.finance", env=environment).stderr
    assert "" == cards("search", "--format", "json", env=environment).stderr
