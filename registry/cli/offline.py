"""Commands that need no server: lint, diff, explain."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal

import click

from registry.cli import files
from registry.cli.files import Unreadable
from registry.cli.output import FOUND, as_rows, finding_lines, format_option, guarded, show, show_json, warn
from registry.core.compat.compare import compare
from registry.core.compat.rendering import as_json, as_text
from registry.core.compat.report import Policy
from registry.core.compat.rules import RULES
from registry.core.errors import InvalidCard, NotFound
from registry.core.solver import BUDGET

if TYPE_CHECKING:
    from registry.core.compat.rules import Rule

FILE = click.Path(exists=True, dir_okay=False, readable=True)

profile_option = click.option(
    "--profile",
    type=click.Choice(["declared", "literal"]),
    default="declared",
    show_default=True,
    help="What a schema's silence about other properties means (docs/closing.md).",
)

second_prover_option = click.option(
    "--second-prover",
    type=click.Choice(["on", "off"]),
    envvar="CARDS_SECOND_PROVER",
    default="on",
    show_default=True,
    help="Whether jsonschema-rs may prove what the engine gave up on (or CARDS_SECOND_PROVER).",
)


@click.command()
@click.argument("paths", metavar="FILE...", nargs=-1, required=True, type=FILE)
@format_option
@guarded
def lint(paths: tuple[str, ...], form: str) -> None:
    """Say what is wrong or odd in cards, and where.

    \b
    cards lint agent-card.yaml
    """
    results = [_linted(path) for path in paths]
    if form == "json":
        show_json({"results": results})
    else:
        for result in results:
            show(finding_lines(result["findings"]) if result["findings"] else f"{result['file']}: good")
    if not all(result["valid"] for result in results):
        raise SystemExit(FOUND)


def _linted(path: str) -> dict[str, Any]:
    try:
        findings, is_valid = files.load(path).read().findings, True
    except InvalidCard as problem:
        findings, is_valid = problem.findings, False
    return {"file": path, "valid": is_valid, "findings": as_rows(findings)}


@click.command()
@click.argument("old", type=FILE)
@click.argument("new", type=FILE)
@profile_option
@second_prover_option
@format_option
@guarded
def diff(old: str, new: str, profile: Literal["declared", "literal"], second_prover: str, form: str) -> None:
    """Compare two cards in files: what changed, and whom it breaks.

    Each change has its level, and a break a value that shows it.

    \b
    cards diff old-card.yaml new-card.yaml
    """
    try:
        before, after = (files.load(path).read() for path in (old, new))
    except InvalidCard as problem:  # there is no verdict without both cards
        warn(finding_lines(as_rows(problem.findings)))
        raise Unreadable("there is nothing to compare: a card is not valid; `cards lint` says more") from problem
    report = compare(before, after, Policy(profile=profile), replace(BUDGET, second_prover=second_prover == "on"))
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
            show_json({"items": [_row(each) for each in RULES.values()]})
        else:
            width = max(map(len, RULES))
            show("\n".join(f"{each.id:{width}}  {each.level:5}  {each.purpose}" for each in RULES.values()))
        return
    if rule not in RULES:
        close = get_close_matches(rule, list(RULES), n=3)
        more = f"did you mean {' or '.join(close)}?" if close else "`cards explain` lists them"
        raise NotFound(f"there is no rule `{rule}`; {more}")
    found = RULES[rule]
    if form == "json":
        show_json({**_row(found), "side": found.side, "page": found.page, "mirror": found.mirror})
    else:
        show(_page(found))


def _row(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "level": rule.level,
        "said_aloud": rule.said_aloud,
        "purpose": rule.purpose,
        "advice": rule.advice,
    }


def _page(rule: Rule) -> str:
    aloud = ", said aloud" if rule.said_aloud else ""
    blocks = [f"{rule.id} ({rule.level}{aloud}, {rule.side})", rule.page]
    blocks += [f"To do: {rule.advice}."] if rule.advice else []
    blocks += [f"Its opposite: {rule.mirror}"] if rule.mirror and not rule.mirror.startswith("none") else []
    return "\n\n".join(blocks)
