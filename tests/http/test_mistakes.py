"""What a caller and the log are told when judging ends otherwise than with an answer."""

import json

from tests.http.cards import contract, sent
from tests.http.serving import running

# Every process of the server runs this first: reading a card then ends as the card's name says.
_BROKEN = """
import os, signal
from registry.catalog import jobs
read = jobs.ReadFacts.run
def run(job, cards):
    word = cards.read(job.source).name
    if word == "bug":
        raise KeyError("a secret of ours")
    if word == "memory":
        bytearray(2**40)
    if word == "forever":
        while True:
            pass
    if word in ("SIGKILL", "SIGSEGV"):
        os.kill(os.getpid(), getattr(signal, word))
    return read(job, cards)
jobs.ReadFacts.run = run
"""

ENDS = [
    ("bug", 500, "internal-error", "an exception that is no condition"),
    ("SIGSEGV", 500, "internal-error", "native code that broke"),
    ("SIGKILL", 500, "internal-error", "the kernel or somebody ended the process"),
    ("memory", 503, "judging-stopped", "the memory that a worker may have"),
    ("forever", 503, "judging-stopped", "the time that a job may take"),
    ("Doubler", 201, None, "and the next is judged as if nothing had been"),
]


def test_a_mistake_of_ours_is_logged_and_told_apart_from_a_limit(database_url, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(_BROKEN)
    log = tmp_path / "log"
    settings = {"PYTHONPATH": str(tmp_path), "JUDGE_TIMEOUT_S": "5"}
    with (
        log.open("w") as stream,
        running(database_url, settings=settings, log=stream) as server,
        server.client() as client,
    ):
        path = "/v1/agents/com.example.mistakes/versions/1.0.0"
        answers = [
            client.put(path, content=sent(contract("com.example.mistakes", name=name)), headers={"Content-Type": ""})
            for name, *_ in ENDS
        ]
    found = [(answer.status_code, answer.json().get("code")) for answer in answers]
    assert [(status, code) for _, status, code, _ in ENDS] == found
    assert not [answer.text for answer in answers if "secret" in answer.text or "Traceback" in answer.text]
    entries = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    logged = {entry["request_id"]: entry["exception"] for entry in entries if entry["level"] == "error"}
    assert [answer.json()["request_id"] for answer in answers if answer.status_code == 500] == list(logged)
    assert "a secret of ours" in next(iter(logged.values()))
