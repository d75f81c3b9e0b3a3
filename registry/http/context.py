"""What the routes work with, as the composition root puts it together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from registry.core.errors import Unauthenticated

if TYPE_CHECKING:
    from litestar.connection import Request

    from registry.catalog.catalog import Catalog
    from registry.catalog.records import Principal
    from registry.http.memory import Memory
    from registry.http.room import Room
    from registry.settings import Settings

_TOKEN_LIMIT = 1000


@dataclass(frozen=True, slots=True)
class Services:
    """The catalog and what surrounds it, for one process."""

    catalog: Catalog
    settings: Settings
    memory: Memory
    room: Room


def services_of(request: Request[Any, Any, Any]) -> Services:
    """Return the process's services."""
    services: Services = request.app.state.services
    return services


async def authenticated(request: Request[Any, Any, Any]) -> Principal:
    """Return who calls. Raises Unauthenticated; a call that writes asks this before it reads its body."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    token = token.strip()
    if not token:
        raise Unauthenticated(
            "this call writes; send `Authorization: Bearer TOKEN` (`cards serve` shows the first one)"
        )
    if scheme.lower() != "bearer" or len(token) > _TOKEN_LIMIT or not token.isascii() or not token.isprintable():
        raise Unauthenticated("the token is sent as `Authorization: Bearer TOKEN`")
    return await services_of(request).catalog.authenticate(token)
