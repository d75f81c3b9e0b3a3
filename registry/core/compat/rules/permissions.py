# ruff: noqa: D401  # a rule's docstring is its page: it states the change
"""What an agent may do in the world: its capabilities and its tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from registry.core.compat.rules.rule import Difference, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from registry.core.card.model import Tool
    from registry.core.compat.rules.subjects import Cards

DESTRUCTIVE, OPEN_WORLD = "destructive", "open world"
_WORDS = {DESTRUCTIVE: "destroy things", OPEN_WORLD: "reach the open world"}


@rule(
    level="major",
    side="permission",
    mirror="capability-added",
    advice="keep the capability, or publish the next major version",
)
def capability_removed(cards: Cards) -> Iterator[Difference]:
    """The agent no longer has a capability that it declared.

    Orchestrators route work by capabilities.
    """
    before, after = cards.contracts
    for name in before.capabilities:
        if name not in after.capabilities:
            yield Difference(f"no longer has the capability `{name}`", old_pointer="/capabilities", old=name)


@rule(level="minor", side="permission", mirror="capability-removed")
def capability_added(cards: Cards) -> Iterator[Difference]:
    """The agent declares a capability that it didn't have before.

    It can do more; nobody relied on its absence.
    """
    before, after = cards.contracts
    for name in after.capabilities:
        if name not in before.capabilities:
            yield Difference(f"has the capability `{name}` now", new_pointer="/capabilities", new=name)


@rule(level="patch", side="permission", mirror="tool-added")
def tool_removed(cards: Cards) -> Iterator[Difference]:
    """The agent no longer uses a tool.

    Callers don't call its tools; it may do less in the world than before.
    """
    before, after = cards.contracts
    for name, tool in before.tools.items():
        if name not in after.tools:
            yield Difference(f"no longer uses the tool `{name}`", old_pointer=tool.pointer, old=name)


@rule(level="minor", side="permission", mirror="tool-removed")
def tool_added(cards: Cards) -> Iterator[Difference]:
    """The agent uses a tool that it didn't use before.

    If the tool may destroy or reaches the open world, `permission-widened` says so beside this.
    """
    before, after = cards.contracts
    for name, tool in after.tools.items():
        if name not in before.tools:
            yield Difference(f"uses the tool `{name}` now", new_pointer=tool.pointer, new=name)


@rule(level="minor", side="permission", mirror="permission-narrowed", said_aloud=True)
def permission_widened(cards: Cards) -> Iterator[Difference]:
    """A tool that is new, or that changed, may destroy or reach the open world, and did not before.

    Nothing breaks, but who let the agent run should look again. What a tool's annotations leave open counts as MCP
    has it: a tool may destroy unless it is read-only or says no, and reaches the open world unless it says no.
    """
    before, after = cards.contracts
    for name, tool in after.tools.items():
        old = before.tools.get(name)
        had, has = _powers(old), _powers(tool)
        if has - had:
            yield _told(name, old, tool, f"may {_and(has - had)} now")


@rule(level="patch", side="permission", mirror="permission-widened")
def permission_narrowed(cards: Cards) -> Iterator[Difference]:
    """A tool may no longer destroy, or no longer reach the open world.

    It asks for less trust than before.
    """
    before, after = cards.contracts
    for name, old in before.tools.items():
        tool = after.tools.get(name)
        if tool is not None and _powers(old) - _powers(tool):
            yield _told(name, old, tool, f"may no longer {_and(_powers(old) - _powers(tool))}")


def _powers(tool: Tool | None) -> frozenset[str]:
    """Return what a tool may do (MCP 2025-06-18, ToolAnnotations: destructive and open world by default)."""
    if tool is None:
        return frozenset()
    destroys = tool.destructive is not False and tool.read_only is not True
    return frozenset({DESTRUCTIVE} if destroys else ()) | frozenset(
        {OPEN_WORLD} if tool.open_world is not False else ()
    )


def _told(name: str, old: Tool | None, new: Tool, words: str) -> Difference:
    return Difference(
        f"the tool `{name}` {words}",
        old_pointer=None if old is None else old.pointer,
        new_pointer=new.pointer,
        old=sorted(_powers(old)),
        new=sorted(_powers(new)),
    )


def _and(powers: frozenset[str]) -> str:
    return " and ".join(_WORDS[power] for power in sorted(powers))


OF_CARDS = (
    capability_removed,
    capability_added,
    tool_removed,
    tool_added,
    permission_widened,
    permission_narrowed,
)
