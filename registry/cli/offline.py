"""Commands that need no server: lint, diff, explain."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Literal, cast

import click

from registry.cli import files
from registry.cli.output import FOUND, NOT_JUDGED, finding_lines, format_option, guarded, show, show_json, stop, warn
from registry.core.compat.compare import compare
from registry.core.compat.rendering import as_json, as_text
from registry.core.compat.report import Policy
from registry.core.compat.rules import RULES
from registry.core.errors import InvalidInput

FILE = click.Path(exists=True, dir_okay=False, readable=True)

profile_option = click.option(
    "--profile",
    type=click.Choice(["declared", "literal"]),
    default="declared",
    show_default=True,
    help="What a schema's silence about other properties means.",
)


@click.command()
@click.argument("paths", metavar="FILE...", nargs=-1, required=True, type=FILE)
@format_option
@guarded
def lint(paths: tuple[str, ...], form: str) -> None:
    """Say everything that is wrong or odd in cards, each with its place.

    \b
    cards lint agent-card.yaml
    """
    results = []
    for path in paths:
        try:
            card = files.read(path, files.load(path))
            results.append({"file": path, "valid": True, "findings": [each.as_json() for each in card.findings]})
        except InvalidInput as problem:
            findings = [each.as_json() for each in problem.findings]
            results.append({"file": path, "valid": False, "findings": findings})
    if form == "json":
        show_json({"results": results})
    else:
        for result in results:
            if result["findings"]:
                show(finding_lines(str(result["file"]), cast("list[dict[str, object]]", result["findings"])))
            else:
                show(f"{result['file']}: good")
    if not all(result["valid"] for result in results):
        raise SystemExit(FOUND)


@click.command()
@click.argument("old", type=FILE)
@click.argument("new", type=FILE)
@profile_option
@format_option
@guarded
def diff(old: str, new: str, profile: Literal["declared", "literal"], form: str) -> None:
    """Compare two cards in files: every change, its level, and a value that shows it.

    \b
    cards diff old-card.yaml new-card.yaml
    """
    before, after = (files.read(path, files.load(path)) for path in (old, new))
    report = compare(before, after, Policy(profile=profile))
    if form == "json":
        show_json(as_json(report))
    else:
        show(as_text(report))
    if report.verdict == "refused":
        raise SystemExit(FOUND)


@click.command()
@click.argument("rule", required=False)
@format_option
@guarded
def explain(rule: str | None, form: str) -> None:
    """Say what a rule looks for; without one, list them all.

    \b
    cards explain input-required-added
    """
    if rule is None:
        if form == "json":
            show_json(
                {"items": [{"id": each.id, "level": each.level, "purpose": each.purpose} for each in RULES.values()]}
            )
        else:
            width = max(map(len, RULES))
            show("\n".join(f"{each.id:{width}}  {each.level:5}  {each.purpose}" for each in RULES.values()))
        return
    if rule not in RULES:
        close = get_close_matches(rule, list(RULES), n=3)
        stop(
            NOT_JUDGED,
            f"there is no rule `{rule}`"
            + (f"; did you mean {' or '.join(close)}?" if close else "; `cards explain` lists them"),
        )
    found = RULES[rule]
    if form == "json":
        show_json(
            {"id": found.id, "level": found.level, "side": found.side, "purpose": found.purpose, "advice": found.advice}
        )
        return
    aloud = ", said aloud" if found.said_aloud else ""
    show(f"{found.id} ({found.level}{aloud}, {found.side})\n\n{found.purpose}")
    if found.advice:
        show(f"\nTo do: {found.advice}.")
    if found.mirror and not found.mirror.startswith("none"):
        show(f"Its opposite: {found.mirror}")


__all__ = ["diff", "explain", "lint", "warn"]
