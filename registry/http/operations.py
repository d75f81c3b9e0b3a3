"""Routes for whoever runs the registry."""

from __future__ import annotations

from typing import Any

from litestar.connection import Request
from litestar.response import Response

from registry.http.answers import json_answer
from registry.http.context import services_of
from registry.http.reading import reads

AnyRequest = Request[Any, Any, Any]
Answer = Response[bytes]


@reads("/livez")
async def live() -> Answer:
    """Say that the process answers."""
    return json_answer({"status": "ok"})


@reads("/readyz")
async def ready(request: AnyRequest) -> Answer:
    """Say whether the database answers too."""
    await services_of(request).catalog.ready()
    return json_answer({"status": "ok"})
