"""``multipart/form-data`` (RFC 7578), taken apart byte for byte: a card's bytes are hashed, so none may change."""

from __future__ import annotations

import re
from dataclasses import dataclass

from registry.http.problems import MalformedRequest

_BOUNDARY = re.compile(r""";\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)""", re.IGNORECASE)
_NAME = re.compile(r';\s*name="((?:[^"\\]|\\.)*)"|;\s*name=([^\s;"]+)', re.IGNORECASE)
_PLAIN_ENCODINGS = ("", "7bit", "8bit", "binary")
_HEADERS_LIMIT_BYTES = 8192


@dataclass(frozen=True, slots=True)
class Part:
    """One part: its name, its ``Content-Type`` ("" for none), its bytes."""

    name: str
    content_type: str
    body: bytes


def split_parts(content_type: str, body: bytes, limit: int) -> tuple[Part, ...]:
    """Return a body's parts in their order. Raises MalformedRequest, also for more than ``limit`` parts."""
    match = _BOUNDARY.search(content_type)
    if match is None:
        raise MalformedRequest.at("no-boundary", "`Content-Type: multipart/form-data` comes without its boundary")
    # RFC 2046 5.1.1: the line break before a delimiter belongs to the delimiter; the first may open the body.
    delimiter = b"\r\n--" + (match[1] or match[2]).encode("latin-1", "replace")
    whole = b"\r\n" + body
    if whole.count(delimiter) > limit + 1:
        raise MalformedRequest.at("too-many-parts", f"a call has at most {limit} cards; send the others in another")
    _, *pieces = whole.split(delimiter)
    if not pieces or not pieces[-1].startswith(b"--"):
        raise MalformedRequest.at("no-end", "the multipart body ends before its closing boundary")
    return tuple(_part(piece) for piece in pieces[:-1])


def _part(piece: bytes) -> Part:
    padding, line_end, rest = piece.partition(b"\r\n")
    if padding.strip(b" \t") or not line_end:
        raise MalformedRequest.at("broken-part", "a part does not begin after its boundary's line")
    head, separator, content = (b"", b"\r\n", rest[2:]) if rest.startswith(b"\r\n") else rest.partition(b"\r\n\r\n")
    if not separator or len(head) > _HEADERS_LIMIT_BYTES:
        raise MalformedRequest.at("broken-part", "a part's headers don't end")
    headers = _headers(head)
    if headers.get("content-transfer-encoding", "").lower() not in _PLAIN_ENCODINGS:
        raise MalformedRequest.at("encoded-part", "a part has a Content-Transfer-Encoding; send its bytes as they are")
    name = _NAME.search(headers.get("content-disposition", ""))
    if name is None:
        raise MalformedRequest.at("unnamed-part", "a part has no name; `card` is the plain one")
    return Part(name[1] if name[1] is not None else name[2], headers.get("content-type", ""), content)


def _headers(head: bytes) -> dict[str, str]:
    lines = head.decode("utf-8", "replace").split("\r\n")
    return {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
