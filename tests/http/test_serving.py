import dataclasses
import signal
import socket
from pathlib import Path

import httpx
import pytest

from registry.app import check_exposure, create_app, is_loopback, serve, url_of
from registry.core.errors import InvalidRequest, Unavailable
from registry.settings import Settings
from tests.http.cards import contract, sent
from tests.http.serving import running


def listens(address: tuple[str, int]) -> bool:
    try:
        socket.create_connection(address).close()
    except ConnectionRefusedError:
        return False
    except ConnectionResetError:
        return True
    return True


SETTINGS = Settings(
    database_url=None, database_direct_url=None, data_dir=Path("/nowhere"), pg_bin=None, admin_token=None
)


@pytest.mark.parametrize(
    ("host", "answer"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("127.9.9.9", True)]
    + [(host, False) for host in ("0.0.0.0", "::", "192.168.1.2", "registry.example.com", "127.0.0.1.example.com", "")],
)
def test_only_this_machines_own_addresses_are_loopback(host, answer):
    assert is_loopback(host) is answer


def test_beyond_loopback_a_token_must_have_been_chosen():
    settings = dataclasses.replace(SETTINGS, host="0.0.0.0", database_url="postgresql://nowhere")
    with pytest.raises(InvalidRequest, match="CARDS_ADMIN_TOKEN"):
        serve(settings)
    check_exposure(dataclasses.replace(settings, admin_token="chosen"))


def test_without_a_database_the_application_says_what_to_set():
    with pytest.raises(InvalidRequest, match="DATABASE_URL"):
        create_app(SETTINGS)
    with pytest.raises(InvalidRequest, match="DATABASE_URL"):
        serve(SETTINGS)


def test_an_address_is_written_as_a_url():
    found = [
        url_of(dataclasses.replace(SETTINGS, host=host, public_url=public))
        for host, public in (("127.0.0.1", None), ("::1", None), ("0.0.0.0", "https://cards.example.com"))
    ]
    assert found == ["http://127.0.0.1:8080", "http://[::1]:8080", "https://cards.example.com"]


def test_a_port_that_is_taken_is_said_before_anything_starts():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        settings = dataclasses.replace(SETTINGS, database_url="postgresql://nowhere", port=other.getsockname()[1])
        with pytest.raises(Unavailable, match="in use"):
            serve(settings)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_several_workers_serve_one_registry_and_stop_when_told(database_url, number):
    with running(database_url, workers=2) as server:
        with server.client() as client:
            path = "/v1/agents/com.example.workers/versions/1.0.0"
            body = sent(contract("com.example.workers"))
            created = client.put(path, content=body, headers={"Content-Type": "application/json"})
        assert created.status_code == 201
        for _ in range(8):  # a connection each, so that both workers are asked
            with server.client(token=None) as client:
                assert client.get(f"{path}/card").content == body
        assert server.stop(number) == 0


def test_a_server_that_is_killed_leaves_its_port_free_and_loses_no_version(database_url):
    path = "/v1/agents/com.example.killed/versions/1.0.0"
    body = sent(contract("com.example.killed"))
    with running(database_url, workers=2) as server:
        with server.client() as client:
            created = client.put(path, content=body, headers={"Content-Type": "application/json"})
        assert server.stop(signal.SIGKILL) == -signal.SIGKILL
        address = (httpx.URL(server.url).host, httpx.URL(server.url).port)
    assert created.status_code == 201
    while listens(address):  # its workers end by themselves
        pass
    with running(database_url) as server, server.client(token=None) as client:
        assert client.get(f"{path}/card").content == body


def test_the_first_start_makes_a_token_and_shows_it_once(database_url):
    with running(database_url, token=None) as server:
        with server.client(token=server.made_token) as client:
            new = {"If-None-Match": "*"}
            assert client.put("/v1/namespaces/com.example/policy", json={}, headers=new).status_code == 201
        server.stop()
        made = server.made_token
    with running(database_url, token=None) as server:
        assert server.made_token == "None"
        with server.client(token=made) as client:
            old = {"If-Match": "*"}
            assert client.put("/v1/namespaces/com.example/policy", json={}, headers=old).status_code == 200
