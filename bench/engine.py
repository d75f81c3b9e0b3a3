"""Which engine a result is of."""

from __future__ import annotations

import subprocess
from pathlib import Path

from registry import __version__

ROOT = Path(__file__).parents[1]


def engine() -> str:
    """Return the release, and git's name for the solver's folder."""
    return f"{__version__} {name_of('registry/core/solver')}"


def name_of(path: str) -> str:
    """Return git's name for a file or folder; with a plus where it isn't as committed."""
    changed = "+" if _git("status", "--porcelain", "--", path) else ""
    return _git("rev-parse", "--short=12", f"HEAD:{path}") + changed


def _git(*words: str) -> str:
    return subprocess.run(("git", *words), cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
