"""How commands speak: text or JSON, colour on a terminal alone, and one place for exit codes."""

from __future__ import annotations

import json
import os
import sys
from functools import wraps
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec, TypeVar

import click

from registry.client.errors import RegistryProblem, Unreachable
from registry.core.errors import InvalidInput, RegistryError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

P = ParamSpec("P")
R = TypeVar("R")
Json = Any

FOUND, NOT_JUDGED = 1, 2
_COLOURS = {"✗": "red", "+": "green", "·": "white", "error": "red", "warning": "yellow"}

format_option = click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How to answer."
)


def show_json(value: Json) -> None:
    """Print JSON, whole and indented."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))


def show(text: str) -> None:
    """Print text; on a terminal the marks of changes are coloured."""
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        click.echo(text)
        return
    for line in text.split("\n"):
        colour = _COLOURS.get(line[:1])
        click.echo(click.style(line, fg=colour) if colour else line)


def warn(text: str) -> None:
    """Say something beside the answer."""
    click.echo(text, err=True)


def finding_line(name: str, finding: Mapping[str, Json]) -> str:
    """Return a finding as ``file:line:column: level: place: message (code)``."""
    place = f":{finding['line']}:{finding.get('column', 1)}" if finding.get("line") else ""
    pointer = f"{finding['pointer']}: " if finding.get("pointer") else ""
    return f"{name}{place}: {finding['level']}: {pointer}{finding['message']} [{finding['code']}]"


def finding_lines(name: str, findings: Sequence[Mapping[str, Json]]) -> str:
    """Return findings, one a line."""
    return "\n".join(finding_line(name, finding) for finding in findings)


def stop(code: int, message: str) -> NoReturn:
    """Say why, and end with an exit code."""
    warn(f"Error: {message}")
    raise SystemExit(code)


def guarded(command: Callable[P, R]) -> Callable[P, R]:
    """Turn conditions into messages and exit codes: the one place of the command line where they are."""

    @wraps(command)
    def run(*arguments: P.args, **options: P.kwargs) -> R:
        try:
            return command(*arguments, **options)
        except InvalidInput as problem:
            warn(finding_lines(getattr(problem, "name", "card"), [each.as_json() for each in problem.findings]))
            stop(NOT_JUDGED, problem.title[:1].lower() + problem.title[1:])
        except RegistryError as problem:
            stop(NOT_JUDGED, str(problem))
        except Unreachable as problem:
            stop(NOT_JUDGED, str(problem))
        except RegistryProblem as problem:
            stop(*_problem(problem))
        except BrokenPipeError:
            sys.stderr.close()
            raise SystemExit(FOUND) from None

    return run


def _problem(problem: RegistryProblem) -> tuple[int, str]:
    findings = problem.problem.get("findings", ())
    listed = "".join(f"\n  {finding_line('card', finding)}" for finding in findings)
    hint = "; set CARDS_TOKEN, or --token" if problem.code == "unauthenticated" else ""
    differs = problem.problem.get("stored_digest")
    digests = f"\n  stored {differs}\n  sent   {problem.problem.get('sent_digest')}" if differs else ""
    code = FOUND if problem.code in ("version-taken", "unknown-agent", "unknown-version", "not-found") else NOT_JUDGED
    return code, f"{problem}{hint}{digests}{listed}"
