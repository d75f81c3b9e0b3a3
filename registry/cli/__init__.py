"""The ``cards`` command (docs/cli.md)."""

from __future__ import annotations

import click

from registry import __version__
from registry.cli import benching, offline, online, serving


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="cards")
def main() -> None:
    """Publish agent cards, see what a change breaks, and find agents.

    Exit codes: 0 good, 1 something was found or refused, 2 it could not be judged (bad input, server away).
    """


for command in (
    serving.serve,
    offline.lint,
    offline.diff,
    online.check,
    online.publish,
    online.get,
    online.search,
    online.history,
    serving.migrate,
    offline.explain,
    benching.bench,
):
    main.add_command(command)
