"""The composition root: settings in, the application or a running server out."""

from __future__ import annotations

import asyncio
import ctypes
import ipaddress
import os
import signal
import socket
import sys
import threading
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from granian import Granian
from granian.constants import HTTPModes, Interfaces, Loops
from granian.http import HTTP1Settings
from granian.log import LogLevels
from litestar import Litestar

from registry import demo
from registry.catalog.catalog import Catalog
from registry.catalog.migrating import migrate
from registry.catalog.records import Principal, Submission
from registry.core.errors import Finding, InvalidRequest, Unavailable
from registry.http.context import Services
from registry.http.front import Front
from registry.http.logs import AccessLog, log_to
from registry.http.memory import Memory
from registry.http.problems import exception_handlers
from registry.http.room import Room
from registry.http.routes import all_routes, options_of
from registry.settings import Settings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from granian.server.common import AbstractServer

_STOP_TIMEOUT_S = 15
_LISTENING_POLL_S = 0.02
_PR_SET_PDEATHSIG = 1  # <linux/prctl.h>


def create_app(settings: Settings, access_log: AccessLog | None = None) -> Litestar:
    """Return the application; it opens the catalog when it starts and closes it when it stops.

    Raises InvalidRequest without ``database_url``: the database that comes along is started by ``cards serve``.
    """
    memory, room = Memory(time.monotonic), Room(settings.body_memory_mb * 2**20)
    routes = all_routes()
    app = Litestar(
        route_handlers=[*options_of(routes), *routes],  # in this order the framework adds none of its own
        exception_handlers=exception_handlers(),
        lifespan=[partial(_running, settings, _database_url(settings), memory, room)],
        openapi_config=None,
        logging_config=None,
        debug=False,
        request_max_body_size=None,  # the routes hold their own limits, and say them
    )
    app.asgi_handler = Front(app.asgi_handler, memory, room, access_log)
    return app


def application() -> Litestar:
    """Make the application from the environment.

    ``granian --interface asgi --loop uvloop --http 1 --factory registry.app:application``
    """
    return _serving(Settings.from_environment())


@asynccontextmanager
async def _running(
    settings: Settings, database_url: str, memory: Memory, room: Room, app: Litestar
) -> AsyncIterator[None]:
    catalog = await Catalog.open(settings, database_url)
    try:
        if settings.admin_token is not None:
            await catalog.ensure_admin_token(settings.admin_token)
        app.state.services = Services(catalog, settings, memory, room)
        yield
    finally:
        await catalog.close()


@dataclass(frozen=True, slots=True)
class Started:
    """A server that accepts connections. ``admin_token`` is set when this start made the first one: show it once."""

    url: str
    admin_token: str | None


def serve(settings: Settings, *, workers: int = 1, started: Callable[[Started], None] | None = None) -> None:
    """Serve in the foreground until SIGTERM or SIGINT; ``started`` is called (in another thread) once it answers.

    Raises InvalidRequest (no database, or beyond loopback without an admin token), Unavailable (no database there, or
    the port is taken), SystemExit with 1 when a worker fails for good.
    """
    check_exposure(settings)
    _check_port(settings)
    made = asyncio.run(_prepare(settings))
    server = Granian(
        "registry.app:application",
        address=settings.host,
        port=settings.port,
        interface=Interfaces.ASGI,
        loop=Loops.uvloop,  # `auto` may pick one that has no Unix sockets, which the database is reached by
        workers=workers,
        # HTTP/1 alone: a connection of HTTP/2, or one that has yet to tell, is never closed for want of a request.
        http=HTTPModes.http1,
        websockets=False,
        http1_settings=HTTP1Settings(header_read_timeout=round(settings.request_timeout_s * 1000)),
        log_level=LogLevels.warning,
        respawn_failed_workers=True,
        workers_kill_timeout=_STOP_TIMEOUT_S,
    )
    if started is not None:
        waiting = partial(_tell, server, settings, partial(started, Started(url_of(settings), made)))
        server.on_startup(threading.Thread(target=waiting, name="registry-started", daemon=True).start)
    # Workers get the settings themselves: what the command line decided needn't stand in the environment.
    server.serve(target_loader=partial(_working, settings, os.getpid()), wrap_loader=False)


def _tell(server: AbstractServer[Any], settings: Settings, started: Callable[[], None]) -> None:
    """Wait until a worker listens, then tell; the server's own hooks come before that."""
    while not server.interrupt_signal:
        try:
            socket.create_connection((_reached_at(settings.host), settings.port), timeout=1).close()
        except OSError:
            time.sleep(_LISTENING_POLL_S)
        else:
            started()
            return


def _check_port(settings: Settings) -> None:
    """Raise Unavailable for a port that is taken: the server itself would share it with another of its kind."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # what was closed lately isn't in the way
        try:
            probe.bind((settings.host, settings.port))
        except OSError as error:
            message = f"can't listen on {settings.host} port {settings.port}: {error.strerror}; choose another"
            raise Unavailable(f"{message} (`--port`, CARDS_PORT)") from error


def _reached_at(host: str) -> str:
    """Return where a server is reached from this machine that listens on a host, which may mean every address."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    return ("::1" if address.version == 6 else "127.0.0.1") if address.is_unspecified else host


async def migrate_database(settings: Settings) -> list[str]:
    """Bring the database up to this release; return the names of what was applied. Raises Unavailable."""
    applied = await migrate(settings.database_direct_url or _database_url(settings))
    return [f"{one.number:04}_{one.name}" for one in applied]


def publish_demo(settings: Settings) -> int:
    """Publish the example agents by the ordinary way, version by version; return how many were not there."""
    return asyncio.run(_publish_demo(settings))


async def _publish_demo(settings: Settings) -> int:
    created = 0
    async with Catalog.opened(replace(settings, pool_size=2), _database_url(settings)) as catalog:
        for example in demo.examples():
            submission = Submission(example.data, agent_id=example.agent_id, version=example.version)
            (publication,) = await catalog.publish([submission], Principal("demo"))
            created += publication.outcome == "created"
    return created


def check_exposure(settings: Settings) -> None:
    """Raise InvalidRequest for a server that others can reach but whose administrator's token nobody chose."""
    if settings.admin_token is None and not is_loopback(settings.host):
        message = f"{settings.host} is reachable from elsewhere; set CARDS_ADMIN_TOKEN first, or listen on 127.0.0.1"
        raise InvalidRequest([Finding("admin-token-needed", "/host", message)])


def is_loopback(host: str) -> bool:
    """Tell whether only this machine reaches a host; a name other than ``localhost`` may be anything."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def url_of(settings: Settings) -> str:
    """Return where the server is reached."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return settings.public_url or f"http://{host}:{settings.port}"


def _database_url(settings: Settings) -> str:
    if settings.database_url is None:
        message = "there is no database; set DATABASE_URL, or use `cards serve`, which brings its own"
        raise InvalidRequest([Finding("no-database", "/database_url", message)])
    return settings.database_url


async def _prepare(settings: Settings) -> str | None:
    """Migrate and make the first token before any worker starts, so that failures are told once, and here."""
    catalog = await Catalog.open(replace(settings, pool_size=2), _database_url(settings))
    try:
        return await catalog.ensure_admin_token(settings.admin_token)
    finally:
        await catalog.close()


def _working(settings: Settings, parent: int) -> Litestar:
    """Make the application in a worker, which ends with its parent even when that is killed: it would keep the port."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            sys.exit(1)
    return _serving(settings)


def _serving(settings: Settings) -> Litestar:
    log_to(sys.stderr)
    access_log = AccessLog(sys.stderr.buffer)
    app = create_app(settings, access_log)
    app.on_shutdown.append(access_log.flush)
    return app
