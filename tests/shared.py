"""Where the shared inputs lie: beside the repository, never in it."""

from pathlib import Path

SHARED = Path(__file__).resolve().parents[2] / "shared"
