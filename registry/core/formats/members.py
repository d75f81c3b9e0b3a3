"""Members that contract cards and the params of our A2A extension spell alike, as parts of a contract."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from registry.core.card.model import Example, JsonSchema, Pause, Text, Tool, Undeclared
from registry.core.card.pointers import child

if TYPE_CHECKING:
    from collections.abc import Mapping

    from registry.core.card.model import Json, Shape

# MCP's names of a tool's annotations, by ours.
ANNOTATIONS: Mapping[str, str] = MappingProxyType(
    {
        "read_only": "readOnlyHint",
        "destructive": "destructiveHint",
        "idempotent": "idempotentHint",
        "open_world": "openWorldHint",
    }
)


def shape(holder: Mapping[str, Json], name: str, pointer: str) -> Shape:
    """Return the input, output or answer of what stands at ``pointer``."""
    if name in holder:
        return Text(child(pointer, name))
    key = f"{name}_schema"
    return JsonSchema(holder[key], child(pointer, key)) if key in holder else Undeclared(pointer)


def pauses(holder: Mapping[str, Json], pointer: str) -> dict[str, Pause]:
    """Return the pauses of what stands at ``pointer``."""
    return {name: _pause(name, body, f"{pointer}/pauses") for name, body in holder.get("pauses", {}).items()}


def _pause(name: str, body: Mapping[str, Json], parent: str) -> Pause:
    pointer = child(parent, name)
    return Pause(name, body.get("description", ""), shape(body, "answer", pointer), pointer)


def examples(holder: Mapping[str, Json], pointer: str) -> tuple[Example, ...]:
    """Return the examples of what stands at ``pointer``."""
    return tuple(_example(body, f"{pointer}/examples/{at}") for at, body in enumerate(holder.get("examples", ())))


def _example(body: Mapping[str, Json], pointer: str) -> Example:
    members = frozenset(name for name in ("input", "output", "error") if name in body)
    return Example(body["name"], body.get("input"), body.get("output"), body.get("error"), members, pointer)


def tools(holder: Mapping[str, Json], pointer: str) -> dict[str, Tool]:
    """Return the tools of what stands at ``pointer``."""
    return {body["name"]: _tool(body, f"{pointer}/tools/{at}") for at, body in enumerate(holder.get("tools", ()))}


def _tool(body: Mapping[str, Json], pointer: str) -> Tool:
    annotations = body.get("annotations", {})
    hints = {ours: annotations.get(theirs) for ours, theirs in ANNOTATIONS.items()}
    return Tool(body["name"], **hints, document=body, pointer=pointer)
