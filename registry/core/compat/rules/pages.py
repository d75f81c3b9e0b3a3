"""docs/rules/index.md, written from the rules themselves.

``python -c "from registry.core.compat.rules.pages import index; print(index(), end='')" > docs/rules/index.md``
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from registry.core.compat.rules import RULES

if TYPE_CHECKING:
    from registry.core.compat.rules import Rule

_HEAD = """# Rules

What can change between two versions of a card, and what each change means for callers.
A **major** change breaks callers: the version must say so, or the update is refused.
A **minor** change adds something, and a **patch** change is nothing that callers rely on.
A change that is **said aloud** breaks nobody and is worth a look all the same.
A namespace's policy can set another level for any rule, by its ID.

This page is written from the rules' own docstrings; each rule's cases are in `tests/cases/rules/`.

| rule | level | what changed |
| --- | --- | --- |
"""


def index() -> str:
    """Return the page: a table of all rules, and a section for each."""
    rows = [f"| [{rule.id}](#{rule.id}) | {_level(rule)} | {rule.purpose} |" for rule in RULES.values()]
    return _HEAD + "\n".join(rows) + "\n" + "".join(_section(rule) for rule in RULES.values())


def _level(rule: Rule) -> str:
    return rule.level + (", said aloud" if rule.said_aloud else "")


def _section(rule: Rule) -> str:
    opposite = f"[{rule.mirror}](#{rule.mirror})" if rule.mirror else f"none: {rule.waiver}"
    facts = [f"Level: {_level(rule)}.", f"Side: {rule.side}.", f"Opposite: {opposite}."]
    if rule.advice:
        facts.append(f"What to do: {rule.advice}.")
    return f"\n## {rule.id}\n\n{rule.page}\n\n" + "\n".join(f"- {fact}" for fact in facts) + "\n"
