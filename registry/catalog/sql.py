"""Every statement that the catalog runs, by its name in ``queries/*.sql``."""

from __future__ import annotations

import re
from importlib import resources
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAME = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)


def load_queries() -> Mapping[str, str]:
    """Return the statements by name. Raises ValueError for a name that stands twice."""
    queries: dict[str, str] = {}
    folder = resources.files("registry.catalog") / "queries"
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        parts = _NAME.split(file.read_text(encoding="utf-8"))
        for name, text in zip(parts[1::2], parts[2::2], strict=True):
            if name in queries:
                raise ValueError(f"two queries are named {name}")
            queries[name] = text.strip()
    return MappingProxyType(queries)
