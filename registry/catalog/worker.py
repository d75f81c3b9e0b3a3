"""One judging worker: ``python -m registry.catalog.worker``, with jobs and results on a socket that it inherits.

A frame is four bytes of length and a pickle; both ends are ours, and no byte of a card is ever unpickled.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import resource
import signal
import socket
import struct
import sys
import traceback
from typing import TYPE_CHECKING

from registry.catalog.jobs import Cards, JobFailed
from registry.core.errors import RegistryError

if TYPE_CHECKING:
    from registry.catalog.jobs import Job

PR_SET_PDEATHSIG = 1
HEADER = struct.Struct("!I")
OUT_OF_MEMORY = 77  # how a worker ends that has used up its memory: any status that Python itself doesn't use


def main(descriptor: int, parent: int, memory_bytes: int) -> None:
    """Serve jobs until the other end closes; end with the parent even in the middle of one."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            return
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's Ctrl-C is for the parent, who stops us
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    cards = Cards()
    with socket.socket(fileno=descriptor) as connection, connection.makefile("rwb") as stream:
        while header := stream.read(HEADER.size):
            job: Job = pickle.loads(stream.read(HEADER.unpack(header)[0]))  # noqa: S301 - from our own parent
            result = _answer(job, cards)
            stream.write(HEADER.pack(len(result)) + result)
            stream.flush()


def _answer(job: Job, cards: Cards) -> bytes:
    """Return the pickled outcome: the result, or a condition as its class and fields (constructors differ)."""
    try:
        return pickle.dumps((job.run(cards), None))
    except RegistryError as error:
        return pickle.dumps((None, (type(error), error.args, error.__dict__)))
    except MemoryError:
        os._exit(OUT_OF_MEMORY)  # what is left of the memory may not be enough to answer
    except BaseException:  # noqa: BLE001 - the boundary of the process; a panic in native code is no Exception
        return pickle.dumps((None, (JobFailed, (traceback.format_exc(),), {})))


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:4]))
