import asyncio
import io
import json
import logging
import re

from registry.http.logs import AccessLog, JsonLines

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00")


def lines(stream: io.BytesIO) -> list[dict]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


class Told(io.BytesIO):
    """A stream that tells when it is flushed."""

    def __init__(self) -> None:
        super().__init__()
        self.flushed = asyncio.Event()

    def flush(self) -> None:
        self.flushed.set()


def test_requests_are_gathered_for_a_moment_and_written_together():
    stream = Told()

    async def ask():
        log = AccessLog(stream, delay_s=0.01)
        log.add("1", "GET", "/a\nb", 200, 0.0012345)
        before = stream.getvalue()
        log.add("2", "GET", "/\ud800", 404, 0.5)
        await stream.flushed.wait()
        return before

    assert asyncio.run(ask()) == b""
    written = lines(stream)
    assert all(TIME.fullmatch(line.pop("time")) for line in written)
    fixed = {"level": "info", "logger": "registry.access", "message": "request", "method": "GET"}
    assert written == [
        {**fixed, "request_id": "1", "path": "/a\nb", "status": 200, "duration_ms": 1.234},
        {**fixed, "request_id": "2", "path": "'/\\ud800'", "status": 404, "duration_ms": 500.0},
    ]


def test_many_requests_do_not_wait():
    stream = io.BytesIO()

    async def ask():
        log = AccessLog(stream, delay_s=3600, limit=3)
        for number in range(7):
            log.add(str(number), "GET", "/", 200, 0)
        written = len(lines(stream))
        log.flush()
        return written

    assert (asyncio.run(ask()), len(lines(stream))) == (6, 7)


def test_a_record_is_one_line_with_its_members_and_its_exception():
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    logger = logging.getLogger("registry.tests.lines")
    logger.propagate = False
    logger.addHandler(handler)
    logger.error("unexpected error", exc_info=ValueError("two\nlines"), extra={"members": {"request_id": "1"}})
    logger.removeHandler(handler)
    (line,) = stream.getvalue().splitlines()
    entry = json.loads(line)
    assert TIME.fullmatch(entry.pop("time"))
    assert entry.pop("exception").endswith("ValueError: two\nlines")
    assert entry == {
        "level": "error",
        "logger": "registry.tests.lines",
        "message": "unexpected error",
        "request_id": "1",
    }
