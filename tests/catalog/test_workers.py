import asyncio
import os
import signal
import subprocess
from dataclasses import dataclass
from typing import Any

import pytest

from registry.catalog.jobs import Cards, JobFailed
from registry.catalog.workers import OverMemory, Workers
from registry.core.errors import Finding, InvalidRequest, JudgingStopped, Unavailable

MEMORY_BYTES = 512 * 2**20


@dataclass(frozen=True)
class Say:
    value: Any

    def run(self, _cards: Cards) -> Any:
        return self.value


@dataclass(frozen=True)
class Pid:
    def run(self, _cards: Cards) -> int:
        return os.getpid()


@dataclass(frozen=True)
class Refuse:
    def run(self, _cards: Cards) -> None:
        raise InvalidRequest([Finding("not-so", "/a", "not so")])


@dataclass(frozen=True)
class Stumble:
    def run(self, _cards: Cards) -> None:
        raise KeyError("a mistake of ours")


@dataclass(frozen=True)
class Recurse:
    def run(self, _cards: Cards) -> None:
        self.run(_cards)


@dataclass(frozen=True)
class Hoard:
    def run(self, _cards: Cards) -> int:
        return len(bytearray(2 * MEMORY_BYTES))


@dataclass(frozen=True)
class Dawdle:
    def run(self, _cards: Cards) -> None:
        while True:
            pass


@dataclass(frozen=True)
class Panic:
    """What native code raises when it finds itself broken is no Exception."""

    def run(self, _cards: Cards) -> None:
        raise BaseException("a panic")


@dataclass(frozen=True)
class Die:
    number: int

    def run(self, _cards: Cards) -> None:
        os.kill(os.getpid(), self.number)


def run(*jobs, timeout_s=60.0):
    """Return each job's result or exception, one after the other in one worker."""

    async def scenario():
        workers = Workers(1, timeout_s, MEMORY_BYTES)
        try:
            return [(await asyncio.gather(workers.run(job), return_exceptions=True))[0] for job in jobs]
        finally:
            await workers.close()

    return asyncio.run(scenario())


def test_a_worker_lives_on_after_a_result_a_condition_and_a_bug():
    pids = run(Pid(), Refuse(), Stumble(), Recurse(), Panic(), Pid())
    assert pids[0] == pids[-1]


def test_a_condition_comes_back_with_its_findings():
    (error,) = run(Refuse())
    assert isinstance(error, InvalidRequest)
    assert (Finding("not-so", "/a", "not so"),) == tuple(error.findings)


@pytest.mark.parametrize(
    ("job", "name"),
    [(Stumble(), "KeyError: 'a mistake of ours'"), (Recurse(), "RecursionError"), (Panic(), "BaseException: a panic")],
)
def test_a_bug_is_told_apart_from_a_limit_and_carries_where_it_happened(job, name):
    (error,) = run(job)
    assert isinstance(error, JobFailed)
    assert name in str(error)
    assert "test_workers.py" in str(error)


@pytest.mark.parametrize(
    ("job", "kind", "why"),
    [
        (Hoard(), OverMemory, "the interpreter's own allocation fails"),
        (Die(signal.SIGABRT), OverMemory, "native code whose allocation fails aborts"),
        (Die(signal.SIGSEGV), JobFailed, "a mistake in native code"),
        (Die(signal.SIGKILL), JobFailed, "the kernel or somebody killed it"),
    ],
)
def test_a_worker_that_ends_amid_a_job_is_told_by_how_it_ended_and_replaced(job, kind, why):
    error, said = run(job, Say("still here"))
    assert kind is type(error), why
    assert "still here" == said


def test_a_worker_that_was_killed_while_it_waited_is_replaced_unseen():
    async def scenario():
        workers = Workers(1, 60.0, MEMORY_BYTES)
        try:
            first = await workers.run(Pid())
            os.kill(first, signal.SIGKILL)
            os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
            return first, await workers.run(Pid())
        finally:
            await workers.close()

    first, second = asyncio.run(scenario())
    assert first != second


def test_jobs_that_run_or_wait_when_the_registry_stops_are_to_be_tried_again():
    async def scenario():
        workers = Workers(1, 60.0, MEMORY_BYTES)
        jobs = [asyncio.create_task(workers.run(Dawdle())) for _ in range(3)]
        while not workers._busy:
            await asyncio.sleep(0)
        await workers.close()
        return await asyncio.gather(*jobs, return_exceptions=True)

    assert [Unavailable] * 3 == [type(error) for error in asyncio.run(scenario())]


def test_a_machine_without_room_for_another_process_is_unavailable(monkeypatch):
    def full(*_, **__):
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(subprocess, "Popen", full)
    (error,) = run(Pid())
    assert isinstance(error, Unavailable)


def test_a_job_over_its_time_is_stopped():
    (error,) = run(Dawdle(), timeout_s=1.0)
    assert type(error) is JudgingStopped


def test_what_anybody_may_ask_for_leaves_a_worker_to_those_who_publish():
    async def scenario():
        workers = Workers(2, 60.0, MEMORY_BYTES)
        try:
            open_jobs = [asyncio.create_task(workers.open_to_all.run(Dawdle())) for _ in range(5)]
            while not workers._busy:
                await asyncio.sleep(0)
            said = await workers.run(Say("published"))
            return said, [job.done() for job in open_jobs]
        finally:
            await workers.close()
            await asyncio.gather(*open_jobs, return_exceptions=True)

    assert ("published", [False] * 5) == asyncio.run(scenario())


def test_who_waits_too_long_for_a_worker_is_told_to_come_back():
    async def scenario():
        workers = Workers(1, 60.0, MEMORY_BYTES, patience_s=0.01)
        try:
            running = asyncio.create_task(workers.run(Dawdle()))
            while not workers._busy:
                await asyncio.sleep(0)
            return await asyncio.gather(workers.run(Pid()), workers.open_to_all.run(Pid()), return_exceptions=True)
        finally:
            await workers.close()
            await asyncio.gather(running, return_exceptions=True)

    assert [Unavailable, Unavailable] == [type(error) for error in asyncio.run(scenario())]
