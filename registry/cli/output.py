"""How commands speak: text or JSON, colour on a terminal alone, and one place for exit codes."""

from __future__ import annotations

import json
import os
import sys
from functools import wraps
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec, TypeVar

import click

from registry.client.errors import Invalid, Refused, RegistryProblem, Unreachable
from registry.core.compat.rendering import judgement_as_text
from registry.core.errors import InvalidCard, InvalidInput, RegistryError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from registry.core.errors import Finding

P = ParamSpec("P")
R = TypeVar("R")
Json = Any

FOUND, NOT_JUDGED = 1, 2
# What a command found out, here or at the registry, ends with FOUND; everything else couldn't be judged.
_OUTCOMES = frozenset(
    (
        *("invalid-card", "update-refused", "version-taken"),
        *("not-found", "unknown-agent", "unknown-version", "no-such-view"),
    )
)
_COLOURS = {"major": "red", "minor": "yellow", "patch": "green", "error": "red", "Refused": "red", "Error": "red"}
_HINTS = {"unauthenticated": "; set CARDS_TOKEN, or give --token"}

format_option = click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How to answer."
)


def show_json(value: Json) -> None:
    """Print JSON, whole and indented."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=True))


def show(text: str) -> None:
    """Print text; on a terminal the words that weigh most are coloured."""
    plain = printable(text)
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        click.echo(plain)
        return
    for line in plain.split("\n"):
        word = line.split(maxsplit=1)[0].rstrip(":") if line.strip() and not line.startswith(" ") else ""
        colour = _COLOURS.get(word)
        click.echo(click.style(word, fg=colour) + line[len(word) :] if colour else line)


def warn(text: str) -> None:
    """Say something beside the answer."""
    click.echo(printable(text), err=True)


def printable(text: str) -> str:
    r"""Return text without what a terminal would obey: control characters and reordering marks become ``\\x1b``.

    Cards and servers are strangers; only our own line ends stay.
    """
    return "".join(each if each == "\n" or each.isprintable() else _escaped(each) for each in text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape", "backslashreplace").decode("ascii")


def finding_line(finding: Mapping[str, Json]) -> str:
    """Return a finding as ``file:line:column: level: place: message [code]``."""
    place = f":{finding['line']}:{finding.get('column', 1)}" if finding.get("line") else ""
    pointer = f"{finding['pointer']}: " if finding.get("pointer") else ""
    message = f"{finding.get('file', 'card')}{place}: {finding['level']}: {pointer}{finding['message']}"
    return f"{message} [{finding['code']}]"


def finding_lines(findings: Iterable[Mapping[str, Json]]) -> str:
    """Return findings, one a line."""
    return "\n".join(map(finding_line, findings))


def as_rows(findings: Iterable[Finding]) -> list[dict[str, Json]]:
    """Return findings as JSON."""
    return [each.as_json() for each in findings]


def stop(code: int, message: str) -> NoReturn:
    """Say why, and end with an exit code."""
    warn(f"Error: {message}")
    raise SystemExit(code)


def guarded(command: Callable[P, R]) -> Callable[P, R]:
    """Turn conditions into messages and exit codes: the one place of the command line where they are.

    With ``--format json`` the message is the problem as a document on standard output, as the HTTP API would send it.
    """

    @wraps(command)
    def run(*arguments: P.args, **options: P.kwargs) -> R:
        try:
            return command(*arguments, **options)
        except (RegistryError, RegistryProblem, Unreachable) as problem:
            if options.get("form") == "json":
                show_json(_document(problem))
            else:
                _tell(problem)
            raise SystemExit(FOUND if _document(problem)["code"] in _OUTCOMES else NOT_JUDGED) from None
        except BrokenPipeError:  # who reads the answer has gone
            sys.stderr.close()
            raise SystemExit(NOT_JUDGED) from None
        except KeyboardInterrupt:
            stop(NOT_JUDGED, "interrupted")

    return run


def _document(problem: RegistryError | RegistryProblem | Unreachable) -> Mapping[str, Json]:
    if isinstance(problem, RegistryProblem):
        return {"code": problem.code, "detail": str(problem), **problem.problem}
    if isinstance(problem, RegistryError):
        return {"code": problem.code, "title": problem.title, "detail": str(problem), **problem.members()}
    return {"code": "unreachable", "title": "No registry answers", "detail": str(problem)}


def _tell(problem: RegistryError | RegistryProblem | Unreachable) -> None:
    if isinstance(problem, Refused) and "judgement" in problem.problem:
        _tell_refusal(problem.problem["judgement"])
    elif isinstance(problem, InvalidCard):
        warn(finding_lines(as_rows(problem.findings)))
        warn(f"Error: {problem.title[:1].lower()}{problem.title[1:]}")
    elif isinstance(problem, InvalidInput):
        warn(f"Error: {_together(as_rows(problem.findings))}")
    elif isinstance(problem, Invalid) and problem.problem.get("findings"):
        warn(f"Error: {_together(problem.problem['findings'])}")
    elif isinstance(problem, RegistryProblem):
        warn(f"Error: {problem}{_HINTS.get(problem.code, '')}{_digests(problem)}")
    else:
        warn(f"Error: {problem}")


def _tell_refusal(judgement: Mapping[str, Json]) -> None:
    for each in (judgement, *judgement.get("also_refused", ())):
        show(f"Refused: {judgement_as_text(each)}\n")
    show("Nothing was stored. To let a break through, for ever on record: --allow-breaking FINGERPRINT --reason '...'")


def _together(findings: Iterable[Mapping[str, Json]]) -> str:
    """Return findings about a call or a setting, which stand in no file."""
    return "\n  ".join(f"{each['pointer']}: {each['message']}".removeprefix(": ") for each in findings)


def _digests(problem: RegistryProblem) -> str:
    stored, sent = problem.problem.get("stored_digest"), problem.problem.get("sent_digest")
    return f"\n  stored {stored}\n  sent   {sent}" if stored else ""
