"""Which engine a result is of."""

from __future__ import annotations

import subprocess
from pathlib import Path

from registry import __version__

ROOT = Path(__file__).parents[1]


def engine() -> str:
    """Return the release, and git's name for the solver's folder; with a plus where it isn't as committed."""
    tree = _git("rev-parse", "--short=12", "HEAD:registry/core/solver")
    changed = "+" if _git("status", "--porcelain", "--", "registry/core/solver") else ""
    return f"{__version__} {tree}{changed}"


def _git(*words: str) -> str:
    return subprocess.run(("git", *words), cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
