from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

import pytest

from tests.http.serving import Server, running

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx


@pytest.fixture(scope="session")
def server(session_database_url: str) -> Iterator[Server]:
    """Serve one registry to all tests here; each uses an agent of its own."""
    with running(session_database_url) as one:
        yield one


@pytest.fixture(scope="session")
def client(server: Server) -> Iterator[httpx.Client]:
    """Return a client with the admin token."""
    with server.client() as one:
        yield one


@pytest.fixture(scope="session")
def reader(server: Server) -> Iterator[httpx.Client]:
    """Return a client without a token."""
    with server.client(token=None) as one:
        yield one


@pytest.fixture
def agent_id(request: pytest.FixtureRequest) -> str:
    """Return an agent ID that no other test has."""
    words = re.sub(r"[^a-z0-9]+", "-", request.node.name.lower().removeprefix("test_")).strip("-")
    number = hashlib.sha256(request.node.nodeid.encode()).hexdigest()[:8]
    return f"com.example.{request.module.__name__.rpartition('_')[2]}.{words[:40]}-{number}"
