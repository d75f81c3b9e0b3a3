"""The README's first command as a newcomer types it: in a fresh clone, with an environment that has next to nothing."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).parents[1]
START_LIMIT_S = 900  # a slow index; what it installs is some 100 MB
KEPT = ("LANG", "SSL_CERT_FILE")  # and what tells pip where packages are


def command(name: str) -> str:
    readme = (ROOT / "README.md").read_text()
    return re.search(rf"<!-- command: {name} -->\n```sh\n(.+?)\n```", readme, re.DOTALL)[1]


@pytest.fixture
def folder():
    # Straight under the temporary folder: as root the database runs as another user, who must be able to enter.
    path = Path(tempfile.mkdtemp(prefix="cards-readme-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)


def lines_until(process: subprocess.Popen[str], last: str) -> str:
    """Return what a process says up to a line; fails when it ends before."""
    text = ""
    while last not in text:
        line = process.stdout.readline()
        assert line, f"it ended: {text}"
        text += line
    return text


def serving(process_id: int) -> int:
    """Return the process that serves: this one, or the only one that it waits for."""
    arguments = Path(f"/proc/{process_id}/cmdline").read_bytes().split(b"\0")
    if b"serve" in arguments:
        return process_id
    (child,) = Path(f"/proc/{process_id}/task/{process_id}/children").read_text().split()
    return serving(int(child))


@pytest.mark.timeout(START_LIMIT_S + 120)
def test_the_first_command_serves_the_demo_which_refuses_a_breaking_update(folder):
    subprocess.run(["git", "clone", "-q", str(ROOT), str(folder / "clone")], check=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    environment = {name: value for name, value in os.environ.items() if name in KEPT or name.startswith("PIP_")}
    environment |= {"HOME": str(folder), "PATH": os.environ["PATH"], "CARDS_PORT": str(port)}
    environment |= {"CARDS_DATA_DIR": str(folder / "data")}
    log = folder / "log"
    with log.open("w") as errors:
        process = subprocess.Popen(
            ["bash", "-euo", "pipefail", "-c", command("run")],
            cwd=folder / "clone",
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    try:
        said = lines_until(process, "Stop: Ctrl-C")
        assert f"The registry answers at {url}\n" in said
        assert "Try: .venv/bin/cards search" in said
        assert {"status": "ok"} == httpx.get(f"{url}/readyz").json()
        token = re.search(r"export CARDS_TOKEN=(\S+)", said)[1]
        (example,) = re.findall(r"^\$ (\S+) publish (\S+)$", (ROOT / "README.md").read_text(), re.MULTILINE)
        refused = subprocess.run(
            [example[0], "publish", example[1]],
            cwd=folder / "clone",
            env={"HOME": str(folder), "PATH": "/usr/bin:/bin", "CARDS_URL": url, "CARDS_TOKEN": token},
            capture_output=True,
            text=True,
            check=False,
        )
        assert 1 == refused.returncode, refused.stderr
        assert refused.stdout.startswith("Refused: 2.2.0 -> 2.2.1 breaks: input now requires `purchase_order`")
        began = time.monotonic()
        os.kill(serving(process.pid), signal.SIGTERM)
        assert 0 == process.wait(60)
        assert time.monotonic() - began < 30
        with pytest.raises(httpx.ConnectError):
            httpx.get(url)
    except BaseException:
        print(log.read_text()[-5000:])
        raise
    finally:
        if process.poll() is None:
            os.kill(serving(process.pid), signal.SIGTERM)
            process.wait(60)
        process.stdout.close()
