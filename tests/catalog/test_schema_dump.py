"""``migrations/schema.sql`` is what the migrations make: reviewed like code, and never out of step."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from registry import embedded

SCHEMA = Path(__file__).parents[2] / "migrations" / "schema.sql"
# What a dump says about itself and its session, not about the schema.
_NOISE = re.compile(r"^(--.*|SET .*|SELECT pg_catalog\..*|\\(un)?restrict .*)$", re.MULTILINE)


def dumped(url: str) -> str:
    binaries = embedded.find_binaries()
    done = subprocess.run(
        [binaries / "pg_dump", "--schema-only", "--no-owner", "--no-privileges", url],
        env={"LD_LIBRARY_PATH": str(binaries.parent / "lib"), "LC_ALL": "C", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    return re.sub(r"\n{3,}", "\n\n", _NOISE.sub("", done.stdout)).strip() + "\n"


def test_the_dump_beside_the_migrations_is_what_they_make(database_url):
    assert SCHEMA.read_text() == dumped(database_url)
