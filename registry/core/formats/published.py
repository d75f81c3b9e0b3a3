"""The JSON Schemas that come with the package (``schemas/``), as data.

They are read once, when this module is imported, as its own code is: no function of the core reads a file.
"""

from __future__ import annotations

import json
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

SCHEMAS: Mapping[str, dict[str, Any]] = MappingProxyType(
    {
        name: json.loads(files("registry").joinpath("schemas", f"{name}.json").read_text(encoding="utf-8"))
        for name in ("a2a-0.2", "a2a-0.3", "a2a-1.0", "a2a-contract-v1", "agent-card.schema")
    }
)
