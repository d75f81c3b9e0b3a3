"""Bodies as they come: their size, their media type, and JSON without surprises."""

from __future__ import annotations

import asyncio
import json
import math
from typing import TYPE_CHECKING, Any

from litestar.exceptions import InternalServerException

from registry.core.errors import Finding, InvalidRequest, TooLarge
from registry.http.context import services_of
from registry.http.problems import MalformedRequest, RequestTimeout, UnsupportedEncoding, UnsupportedMediaType

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from litestar.connection import Request

JSON = "application/json"
MULTIPART = "multipart/form-data"
CARD_TYPES = (
    JSON,
    "application/yaml",  # RFC 9512
    "application/x-yaml",
    "text/yaml",
    "text/x-yaml",
    "application/octet-stream",
)
REQUEST_LIMIT_BYTES = 16 * 1024 * 1024
_SMALL_LIMIT_BYTES = 1024 * 1024
_SLOWEST_BYTES_PER_S = 256 * 1024
_DEEPEST = 100  # levels; what reads the value afterwards recurses


async def read_body(request: Request[Any, Any, Any], limit_bytes: int) -> bytes:
    """Return the body. Raises TooLarge as soon as it is known, before the rest is read; RequestTimeout; Unavailable."""
    encoding = request.headers.get("content-encoding", "identity")
    if encoding.lower() != "identity":
        raise UnsupportedEncoding(encoding)
    announced = request.headers.get("content-length", "")
    if announced.isascii() and announced.isdigit() and int(announced[:20]) > limit_bytes:
        raise TooLarge(limit_bytes)
    try:
        return await _received(request, limit_bytes)
    except InternalServerException:  # the framework's word for a caller who went away
        raise MalformedRequest.at("cut-off", "the body ends before its time") from None
    except TimeoutError:
        raise RequestTimeout("the body came too slowly, and the connection is closed; send it again") from None


async def _received(request: Request[Any, Any, Any], limit_bytes: int) -> bytes:
    """Read the body; each 256 KiB that came win another second, so that nobody holds a connection for nothing."""
    services = services_of(request)
    chunks: list[bytes] = []
    size_bytes = 0
    async with asyncio.timeout(services.settings.request_timeout_s) as timeout:
        latest = timeout.when() or 0.0
        async for chunk in request.stream():
            size_bytes += len(chunk)
            if size_bytes > limit_bytes:
                raise TooLarge(limit_bytes)
            services.room.take(request.scope, len(chunk))
            chunks.append(chunk)
            timeout.reschedule(latest + size_bytes / _SLOWEST_BYTES_PER_S)
    return b"".join(chunks)


def media_type(header: str) -> str:
    """Return a ``Content-Type``'s type in lower case, without parameters; "" for none."""
    return header.partition(";")[0].strip().lower()


def check_type(given: str, accepted: tuple[str, ...]) -> str:
    """Return a media type that a route takes; a missing one and ``+json`` ones count as the first accepted."""
    if not given or (given.endswith("+json") and JSON in accepted):
        return accepted[0]
    if given not in accepted:
        raise UnsupportedMediaType(given, accepted)
    return given


async def read_members(request: Request[Any, Any, Any], known: Collection[str]) -> Mapping[str, Any]:
    """Return a small JSON body that is an object with known members only."""
    check_type(media_type(request.headers.get("content-type", "")), (JSON,))
    value = parse_json(await read_body(request, _SMALL_LIMIT_BYTES))
    if not isinstance(value, dict):
        raise InvalidRequest([Finding("not-an-object", "", "the body is a JSON object")])
    unknown = [name for name in value if name not in known]
    if unknown:
        takes = ", ".join(sorted(known))
        raise InvalidRequest(
            [
                Finding("unknown-member", f"/{_escaped(name)}", f"there is no member {name[:80]!r} here, only {takes}")
                for name in unknown[:20]
            ]
        )
    return value


def parse_json(body: bytes) -> Any:
    """Return a JSON body's value. Raises MalformedRequest for what RFC 8259 doesn't know, and for duplicate names."""
    too_deep = MalformedRequest.at("too-deep", f"the body is nested deeper than {_DEEPEST} levels; flatten it")
    try:
        value = json.loads(
            body.decode("utf-8"), object_pairs_hook=_object, parse_constant=_refuse_constant, parse_float=_finite
        )
        if b"\\u" in body:
            json.dumps(value, ensure_ascii=False).encode()  # a lone surrogate can't be written again
    except UnicodeError:
        raise MalformedRequest.at("not-utf-8", "the body is no UTF-8, or holds half a surrogate pair") from None
    except RecursionError:
        raise too_deep from None
    except ValueError as error:
        raise MalformedRequest.at("not-json", f"the body is no JSON: {error}") from None
    if _is_deeper(value, _DEEPEST):
        raise too_deep
    return value


def _is_deeper(value: Any, limit: int) -> bool:
    """Say whether lists and objects are nested deeper than a limit."""
    level = [value]
    for _ in range(limit):
        level = [child for node in level for child in _children(node) if isinstance(child, (dict, list))]
        if not level:
            return False
    return True


def _children(node: Any) -> Iterable[Any]:
    return node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {twice[:80]!r} stands twice in one object")
    return members


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number in JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:40]} is too large a number")
    return number


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
