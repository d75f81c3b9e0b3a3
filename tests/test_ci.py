"""How .ci/run comes by a Python 3.13 on machines that have one, keep one, can fetch one, or none of these."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / ".ci" / "python-3.13"

PYTHON = "exit 0"
WITHOUT_VENV = "exit 1"
PYENV = 'case $1 in versions) printf "3.12.1\\n3.13.0\\n3.13.1t\\n3.14.0\\n" ;; prefix) echo "/kept/$2" ;; esac'
OLD_PYENV = 'printf "2.7.18\\n3.12.1\\n"'
FETCHES = 'case $* in *"python install"*) ;; *"python find"*) echo /fetched/python3.13 ;; esac'
OFFLINE = "echo 'uv: no route' >&2; exit 1"


@pytest.mark.parametrize(
    ("machine", "wanted", "why"),
    [
        ({"python3.13": PYTHON, "pyenv": PYENV}, "{bin}/python3.13", "the one on PATH comes first"),
        ({"pyenv": PYENV, "uv": OFFLINE}, "/kept/3.13.0/bin/python3.13", "pyenv keeps one that is not selected"),
        ({"python3.13": WITHOUT_VENV, "pyenv": PYENV}, "/kept/3.13.0/bin/python3.13", "one that makes no environment"),
        ({"pyenv": OLD_PYENV, "uv": FETCHES}, "/fetched/python3.13", "pyenv keeps others only"),
        ({"uv": FETCHES}, "/fetched/python3.13", "a bare machine"),
    ],
)
def test_a_python_3_13_is_found_or_fetched(tmp_path, machine, wanted, why):
    done = find(tmp_path, machine)
    assert (0, wanted.format(bin=tmp_path) + "\n") == (done.returncode, done.stdout), why


def test_without_any_the_way_out_is_said(tmp_path):
    done = find(tmp_path, {"pyenv": OLD_PYENV, "uv": OFFLINE})
    assert (1, "") == (done.returncode, done.stdout)
    assert "uv: no route\nthere is no Python 3.13: " in done.stderr
    assert "install python3.13" in done.stderr


def find(folder: Path, machine: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run the script on a machine that has these programs and what every machine has."""
    for name in ("bash", "env", "dirname", "awk"):
        (folder / name).symlink_to(shutil.which(name))
    for name, text in machine.items():
        program = folder / name
        program.write_text(f"#!/usr/bin/env bash\n{text}\n")
        program.chmod(0o755)
    environment = {"PATH": str(folder), "UV": str(folder / "uv")}
    return subprocess.run([SCRIPT], env=environment, capture_output=True, text=True, check=False)
