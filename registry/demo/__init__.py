"""The example agents of ``cards serve --demo``: plain card files, in the order in which they are published."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING

from registry.core.card.bundling import bundle

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


@dataclass(frozen=True, slots=True)
class Example:
    """One card; the ID and version are given where the document names none (A2A)."""

    data: bytes
    agent_id: str | None
    version: str | None


def examples() -> list[Example]:
    """Return every example in its order (``order.json``), bundled as the command line bundles."""
    folder = resources.files("registry.demo")
    listed = json.loads((folder / "order.json").read_text(encoding="utf-8"))
    return [Example(_load(folder, each["file"]), each.get("agent_id"), each.get("version")) for each in listed]


def _load(folder: Traversable, name: str) -> bytes:
    parent, _, file = name.rpartition("/")
    home = folder / parent if parent else folder
    return bundle(file, lambda part: (home / part).read_bytes()).data
