"""A pool of judging workers that can be stopped: reading and comparing never run on the event loop.

They are plain subprocesses on socket pairs. multiprocessing can't have children in a server's daemon processes, and
asyncio's own subprocesses want a child watcher, which a server's event loop need not have.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import signal
import socket
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Protocol

from registry.catalog.jobs import JobFailed
from registry.catalog.worker import HEADER, OUT_OF_MEMORY
from registry.core.errors import JudgingStopped, Unavailable

if TYPE_CHECKING:
    from registry.catalog.jobs import Job


PATIENCE_S = 60.0  # how long a caller waits for a worker
_ENDING_S = 10  # a process that is ending has closed its socket already; a core dump takes its time
# Native code (the regular expressions, the second validator) aborts when it gets no more memory.
_OVER_MEMORY = frozenset({OUT_OF_MEMORY, -signal.SIGABRT})


class OverMemory(JudgingStopped):
    """A job used up the memory that a worker may have."""

    def __init__(self, memory_bytes: int) -> None:
        super().__init__(0)
        message = (
            f"comparing the contracts took over {memory_bytes // 2**20} MiB of memory and was stopped; nothing was "
            "stored; split the largest schema, or publish it as the next major version"
        )
        self.args = (message,)


class Runner(Protocol):
    """Anything that runs jobs: all workers, or the share that some callers have in them.

    ``second_prover``: whether ``jsonschema-rs`` may prove for those who judge here.
    """

    second_prover: bool

    async def run(self, job: Job) -> Any:
        """Run a job and return its result."""


class Workers:
    """At most ``size`` processes, started when first needed; each runs one job at a time."""

    def __init__(
        self,
        size: int,
        timeout_s: float,
        memory_bytes: int,
        patience_s: float = PATIENCE_S,
        *,
        second_prover: bool = True,
    ) -> None:
        self.second_prover = second_prover
        self._timeout_s = timeout_s
        self._memory_bytes = memory_bytes
        self._free = _Turns(size, patience_s)
        # Who needs no token never keeps the last worker from those who publish.
        self.open_to_all = Share(self, max(1, size - 1), patience_s)
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()
        self._closed = False

    async def run(self, job: Job) -> Any:
        """Run a job and return its result.

        Raises what it raised: a condition, or JobFailed for a bug of ours (a process that ends is one too);
        JudgingStopped over the time or the memory, Unavailable while the registry stops or has too much to do.
        """
        async with self._free:
            worker = await self._take()
            self._busy.add(worker)
            answered = False
            try:
                async with asyncio.timeout(self._timeout_s):
                    result, condition = await worker.ask(job)
                answered = True
            except TimeoutError:
                raise JudgingStopped(self._timeout_s) from None
            except (asyncio.IncompleteReadError, ConnectionError):
                raise self._why_ended(await worker.status()) from None
            finally:
                # Also when the caller goes away: an answer that nobody reads would be the next caller's.
                self._busy.discard(worker)
                if answered:
                    self._idle.append(worker)
                else:
                    worker.kill()
        if condition:
            kind, arguments, fields = condition
            error = kind.__new__(kind, *arguments)
            error.__dict__.update(fields)
            raise error
        return result

    async def close(self) -> None:
        """Kill every worker; jobs that run or wait end with Unavailable."""
        self._closed = True
        for worker in (*self._idle, *self._busy):
            worker.kill()
        self._idle.clear()

    async def _take(self) -> _Worker:
        """Return a process that waits for a job; one that was killed while it waited is nobody's mistake."""
        if self._closed:
            raise _being_stopped()
        while self._idle:
            worker = self._idle.pop()
            if worker.lives():
                return worker
            worker.kill()
        try:
            return await _Worker.start(self._memory_bytes)
        except OSError as error:
            raise Unavailable(f"no process can be started to judge in ({error.strerror}); try again") from error

    def _why_ended(self, status: int | None) -> Exception:
        """Return what it means that a process ended in the middle of a job."""
        if self._closed:
            return _being_stopped()
        if status in _OVER_MEMORY:
            return OverMemory(self._memory_bytes)
        return JobFailed(f"the judging process ended with status {status}")


def _being_stopped() -> Unavailable:
    return Unavailable("the registry is being stopped; try again")


class Share:
    """Some of the workers, for jobs that anybody may ask for."""

    def __init__(self, workers: Workers, size: int, patience_s: float) -> None:
        self.second_prover = workers.second_prover
        self._workers = workers
        self._free = _Turns(size, patience_s)

    async def run(self, job: Job) -> Any:
        """Run a job as ``Workers.run`` does, when one of the share is free."""
        async with self._free:
            return await self._workers.run(job)


class _Turns:
    """So many at a time; who waits too long is told to come back."""

    def __init__(self, size: int, patience_s: float) -> None:
        self._free = asyncio.Semaphore(size)
        self._patience_s = patience_s

    async def __aenter__(self) -> None:
        try:
            async with asyncio.timeout(self._patience_s):
                await self._free.acquire()
        except TimeoutError:
            raise Unavailable("there is more to judge than can be judged at once; try again") from None

    async def __aexit__(self, *_: object) -> None:
        self._free.release()


class _Worker:
    """One process and the socket to it."""

    def __init__(
        self, process: subprocess.Popen[bytes], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.process = process
        self._reader = reader
        self._writer = writer

    @classmethod
    async def start(cls, memory_bytes: int) -> _Worker:
        ours, theirs = socket.socketpair()
        with theirs, contextlib.ExitStack() as unused:
            unused.enter_context(ours)
            arguments = [str(number) for number in (theirs.fileno(), os.getpid(), memory_bytes)]
            process = subprocess.Popen(  # noqa: S603, ASYNC220 - our own arguments; it takes a millisecond
                [sys.executable, "-m", "registry.catalog.worker", *arguments],
                stdin=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
            )
            unused.pop_all()
        ours.setblocking(False)
        reader, writer = await asyncio.open_unix_connection(sock=ours)
        return cls(process, reader, writer)

    async def ask(self, job: Job) -> Any:
        body = pickle.dumps(job)
        self._writer.write(HEADER.pack(len(body)) + body)
        await self._writer.drain()
        (length,) = HEADER.unpack(await self._reader.readexactly(HEADER.size))
        return pickle.loads(await self._reader.readexactly(length))  # noqa: S301 - from our own child

    def lives(self) -> bool:
        """Say whether the process still runs."""
        return self.process.poll() is None

    async def status(self) -> int | None:
        """Return how a process ended that has closed its socket; None when it lives on without it."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return await asyncio.to_thread(self.process.wait, _ENDING_S)
        return None

    def kill(self) -> None:
        """End the process and reap it, which takes no time after SIGKILL."""
        self.process.kill()
        with contextlib.suppress(RuntimeError):  # the loop may be closing
            self._writer.close()
        self.process.wait()
