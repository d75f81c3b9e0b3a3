from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.http.serving import free_port


@pytest.fixture(scope="session")
def demo():
    """Serve the demo as `cards serve --demo` does; give the environment that commands need."""
    folder = Path(tempfile.mkdtemp(prefix="cards-demo-"))
    folder.chmod(0o755)
    port = str(free_port())
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("CARDS_", "DATABASE_"))}
    environment |= {"CARDS_DATA_DIR": str(folder), "CARDS_PORT": port, "NO_COLOR": "1"}
    command = [sys.executable, "-u", "-c", "from registry.cli import main; main()", "serve", "--demo"]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        text = ""
        while "Stop:" not in text:
            line = process.stdout.readline()
            assert line, "the server ended"
            text += line
        token = re.search(r"CARDS_TOKEN=(\S+)", text)[1]
        yield {**environment, "CARDS_URL": f"http://127.0.0.1:{port}", "CARDS_TOKEN": token}, process, command
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)
        process.stdout.close()
        shutil.rmtree(folder, ignore_errors=True)
