"""What an agent may do in the world: its capabilities and its tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from registry.core.compat.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from registry.core.card.model import Contract, Tool
    from registry.core.compat.report import Change

CAPABILITY_REMOVED = Rule(
    "capability-removed",
    "major",
    "permission",
    "The agent can't do something any more that it declared: orchestrators route by it.",
    "keep the capability, or publish the next major version",
    mirror="capability-added",
)
CAPABILITY_ADDED = Rule(
    "capability-added", "minor", "permission", "The agent declares a new capability.", mirror="capability-removed"
)
TOOL_REMOVED = Rule("tool-removed", "minor", "permission", "The agent uses a tool no longer.", mirror="tool-added")
TOOL_ADDED = Rule("tool-added", "minor", "permission", "The agent uses a new tool.", mirror="tool-removed")
PERMISSION_WIDENED = Rule(
    "permission-widened",
    "minor",
    "permission",
    "The agent may do more harm than before: a tool that is new, or became, destructive or open to the world. What "
    "MCP's annotations leave open counts as both, as MCP has it.",
    said_aloud=True,
    mirror="permission-narrowed",
)
PERMISSION_NARROWED = Rule(
    "permission-narrowed",
    "patch",
    "permission",
    "A tool is destructive or open to the world no longer.",
    mirror="permission-widened",
)

RULES = (
    CAPABILITY_REMOVED,
    CAPABILITY_ADDED,
    TOOL_REMOVED,
    TOOL_ADDED,
    PERMISSION_WIDENED,
    PERMISSION_NARROWED,
)


def changes(old: Contract, new: Contract) -> Iterator[Change]:
    """Yield what changed in what the agent may do."""
    for name in old.capabilities:
        if name not in new.capabilities:
            yield CAPABILITY_REMOVED.change(
                f"no longer has the capability `{name}`", old_pointer="/capabilities", old=name
            )
    for name in new.capabilities:
        if name not in old.capabilities:
            yield CAPABILITY_ADDED.change(f"has the capability `{name}` now", new_pointer="/capabilities", new=name)
    for name, tool in old.tools.items():
        if name not in new.tools:
            yield TOOL_REMOVED.change(f"uses the tool `{name}` no longer", old_pointer=tool.pointer, old=name)
    for name, tool in new.tools.items():
        yield from _tool(old.tools.get(name), tool)


def _tool(old: Tool | None, new: Tool) -> Iterator[Change]:
    if old is None:
        yield TOOL_ADDED.change(f"uses the tool `{new.name}` now", new_pointer=new.pointer, new=new.name)
    before, after = (_powers(old) if old else set()), _powers(new)
    place = old.pointer if old else None
    if after - before:
        said = f"the tool `{new.name}` {' and '.join(sorted(after - before))} now"
        yield PERMISSION_WIDENED.change(
            said, old=sorted(before), new=sorted(after), old_pointer=place, new_pointer=new.pointer
        )
    if before - after:
        said = f"the tool `{new.name}` {' and '.join(sorted(before - after))} no longer"
        yield PERMISSION_NARROWED.change(
            said, old=sorted(before), new=sorted(after), old_pointer=place, new_pointer=new.pointer
        )


def _powers(tool: Tool) -> set[str]:
    """Return what a tool may do (MCP 2025-06-18, ToolAnnotations: destructive and open world unless it says no)."""
    powers = set()
    if tool.destructive is True or (tool.destructive is None and tool.read_only is not True):
        powers.add("may destroy")
    if tool.open_world is not False:
        powers.add("reaches the open world")
    return powers
