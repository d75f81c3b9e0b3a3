"""Answers with their conditions: every read goes out through here, so that caching is one thing."""

from __future__ import annotations

from email.utils import format_datetime
from typing import TYPE_CHECKING, Any

from litestar.response import Response

from registry.core.errors import PreconditionFailed
from registry.http.etags import none_match, quoted, strong_tags
from registry.http.memory import IMMUTABLE, REVALIDATE, Content, Prepared
from registry.http.problems import MalformedRequest, encode
from registry.http.rendering import version_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from litestar.connection import Request

    from registry.catalog.records import VersionRecord
    from registry.http.memory import Memory

JSON = "application/json"
_KEPT_S = 1.0


def json_answer(value: Any, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Response[bytes]:
    """Return an answer to a call that changes or computes something: it has no validator and is not kept."""
    kept = {"Cache-Control": "no-store", **(headers or {})}
    return Response(encode(value), status_code=status, headers=kept, media_type=JSON)


def json_content(value: Any) -> Content:
    """Return a JSON document as a content, tagged by its bytes."""
    return Content.derived(encode(value), JSON)


def conditional(
    request: Request[Any, Any, Any], content: Content, headers: Mapping[str, str] | None = None
) -> Response[bytes]:
    """Answer a read: the content, or 304 when the caller has it already."""
    kept = {"Cache-Control": REVALIDATE, "ETag": quoted(content.tag), **(headers or {})}
    condition = ", ".join(request.headers.getall("if-none-match", []))
    if condition and not none_match(condition, content.tag):
        # RFC 9110 15.4.5: the headers that a 200 would have had for the cache, and no content.
        return Response(b"", status_code=304, headers=kept)
    return Response(content.body, headers=kept, media_type=content.media_type)


def if_match(request: Request[Any, Any, Any]) -> tuple[str, ...] | None:
    """Return ``If-Match`` as bare strong tags or ``("*",)``, None when it is missing. Raises what a wrong one means."""
    header = ", ".join(request.headers.getall("if-match", [])).strip(" \t")
    if header in ("", "*"):
        return ("*",) if header else None
    tags = strong_tags(header)
    if tags is None:
        message = "If-Match is no list of entity tags; send the ETag as it came, with its quotes, or `*`"
        raise MalformedRequest.at("not-tags", message)
    if not tags:
        raise PreconditionFailed("a weak tag matches nothing here (RFC 9110 13.1.1); send the ETag as it came")
    return tuple("" if tag == "*" else tag for tag in tags)  # in quotes it is a tag, and nobody's


def remembered(
    request: Request[Any, Any, Any], memory: Memory, content: Content, headers: Mapping[str, str], changes: int
) -> Response[bytes]:
    """Answer a read and keep the whole answer: for ever by digest, else until something changes, for a second at most.

    What changes in another process is seen after that second, and at once by who sends ``Registry-Sequence``.
    """
    if not request.scope["query_string"]:
        prepared = Prepared.of(content, headers)
        memory.keep(request.scope["path"], prepared, None if prepared.pinned else _KEPT_S, changes)
    return conditional(request, content, headers)


def version_headers(record: VersionRecord, selector: str, content: Content, place: str) -> dict[str, str]:
    """Return the headers of a content that is read from one version through a selector.

    Bytes as they were sent never change under a digest. A view may, with a release that makes it better. ``place`` is
    where the content stands under the version itself.
    """
    if selector.startswith("sha256:") and content.tag == record.digests.raw:
        return {"Cache-Control": IMMUTABLE}
    headers = {"Cache-Control": REVALIDATE, **lifecycle_headers(record)}
    return headers if selector == record.version else {**headers, "Content-Location": place}


def lifecycle_headers(record: VersionRecord) -> dict[str, str]:
    """Return what a deprecated or retired version says of itself."""
    if record.state not in ("deprecated", "retired"):
        return {}
    headers = {"Deprecation": f"@{int(record.state_changed_at.timestamp())}"}  # RFC 9745 2.1
    if record.sunset is not None:
        headers["Sunset"] = format_datetime(record.sunset, usegmt=True)  # RFC 8594 3
    if record.replaced_by is not None:
        agent_id, _, version = record.replaced_by.partition("@")
        headers["Link"] = f'<{version_path(agent_id, version or "latest")}>; rel="successor-version"'  # RFC 5829
    return headers


def joined(first: Mapping[str, str], second: Mapping[str, str]) -> dict[str, str]:
    """Return both sets of headers; two ``Link`` headers become one list."""
    merged = {**first, **second}
    if "Link" in first and "Link" in second:
        merged["Link"] = f"{first['Link']}, {second['Link']}"
    return merged
