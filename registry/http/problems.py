"""The one place that turns conditions into HTTP: RFC 9457 problem details for every error there is."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import msgspec
from litestar.exceptions import HTTPException
from litestar.response import Response

from registry.core import errors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from litestar.connection import Request
    from litestar.types import ExceptionHandlersMap, HTTPScope

MEDIA_TYPE = "application/problem+json"
TYPE_PREFIX = "https://w3id.org/agent-card-registry/problems/"
REQUEST_ID = "registry.request_id"

_logger = logging.getLogger("registry.http")


class MalformedRequest(errors.InvalidInput):
    """A request is not what its media type or HTTP says it is."""

    code = "malformed-request"
    title = "The request is malformed"

    def __str__(self) -> str:
        return self.findings[0].message

    @classmethod
    def at(cls, code: str, message: str, pointer: str = "") -> MalformedRequest:
        """Make one from its only finding."""
        return cls([errors.Finding(code, pointer, message)])


class UnsupportedMediaType(errors.RegistryError):
    """A body's type is none that the route takes."""

    code = "unsupported-media-type"
    title = "The media type is not taken here"

    def __init__(self, given: str, accepted: Sequence[str]) -> None:
        self.accepted = tuple(accepted)
        super().__init__(f"the body is {given[:100]!r}; send it with `Content-Type: {accepted[0]}`")

    def members(self) -> Mapping[str, Any]:
        return {"accepted": list(self.accepted)}


class UnsupportedEncoding(UnsupportedMediaType):
    """A body is compressed."""

    def __init__(self, given: str) -> None:
        super().__init__("", ("identity",))
        self.args = (f"the body has `Content-Encoding: {given[:100]}`; send it as it is, without one",)


class RequestTimeout(errors.RegistryError):
    """A body takes too long to come."""

    code = "request-timeout"
    title = "The body came too slowly"


class UnknownRoute(errors.NotFound):
    """No route has that path."""

    code = "unknown-route"
    title = "No such path"


class MethodNotAllowed(errors.RegistryError):
    """The path exists, the method on it doesn't."""

    code = "method-not-allowed"
    title = "No such method here"


class InternalError(errors.RegistryError):
    """Something that should not happen; says nothing about why."""

    code = "internal-error"
    title = "Something went wrong here"


STATUSES: Mapping[type[errors.RegistryError], int] = MappingProxyType(
    {
        MalformedRequest: 400,
        errors.Unauthenticated: 401,
        errors.Forbidden: 403,
        errors.NotFound: 404,
        MethodNotAllowed: 405,
        RequestTimeout: 408,
        errors.VersionTaken: 409,
        errors.UpdateRefused: 409,
        errors.InvalidState: 409,
        errors.PreconditionFailed: 412,
        errors.TooLarge: 413,
        UnsupportedMediaType: 415,
        errors.InvalidInput: 422,
        errors.PreconditionRequired: 428,
        InternalError: 500,
        errors.JudgingStopped: 503,
        errors.Unavailable: 503,
    }
)

_RETRY_AFTER_S = 5


@dataclass(frozen=True, slots=True)
class Problem:
    """An error as it is sent."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def status_of(kind: type[errors.RegistryError]) -> int:
    """Return the status of a condition's class: its own row, or the nearest ancestor's."""
    return next((STATUSES[one] for one in kind.__mro__ if one in STATUSES), 500)


def problem_from(error: errors.RegistryError, path: str, request_id: str) -> Problem:
    """Return a condition as a problem."""
    status = status_of(type(error))
    document = {
        "type": TYPE_PREFIX + error.code,
        "title": error.title,
        "status": status,
        "detail": str(error),
        "code": error.code,
        "instance": quote(path, safe="/%", errors="replace"),  # a URI reference (RFC 9457 3.1.5)
        "request_id": request_id,
        **error.members(),
    }
    return Problem(status, _headers(error), encode(document))


def encode(value: Any) -> bytes:
    """Return JSON; a lone surrogate, which UTF-8 can't hold, is replaced."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(_encodable(value))


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_encodable(name): _encodable(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_encodable(item) for item in value]
    return value


def _headers(error: errors.RegistryError) -> dict[str, str]:
    headers = {"Cache-Control": "no-store"}
    if isinstance(error, errors.Unauthenticated):
        headers["WWW-Authenticate"] = 'Bearer realm="agent-card-registry"'  # RFC 9110 11.6.1
    if type(error) is errors.Unavailable:
        headers["Retry-After"] = str(_RETRY_AFTER_S)
    if isinstance(error, UnsupportedEncoding):
        headers["Accept-Encoding"] = "identity"  # RFC 9110 12.5.3: which codings would have been taken
    if isinstance(error, (errors.TooLarge, RequestTimeout)):
        headers["Connection"] = "close"  # the rest of the body is not read
    return headers


def log_unexpected(error: BaseException, scope: HTTPScope) -> None:
    """Write what happened into the log, under the ID that the caller is told."""
    members = {"request_id": request_id_of(scope), "method": scope["method"], "path": scope["path"]}
    _logger.error("unexpected error", exc_info=error, extra={"members": members})


def request_id_of(scope: Any) -> str:
    """Return the request's ID."""
    return str(scope.get(REQUEST_ID, ""))


def unexpected() -> InternalError:
    """Return what a caller is told of an unexpected error."""
    return InternalError("this is a mistake of the registry's, not yours; its log tells more under the request_id")


def exception_handlers() -> ExceptionHandlersMap:
    """Return the handlers that leave no error in another shape."""
    return {errors.RegistryError: _condition, HTTPException: _framework, Exception: _unexpected}


def _response(request: Request[Any, Any, Any], error: errors.RegistryError) -> Response[bytes]:
    problem = problem_from(error, request.scope["path"], request_id_of(request.scope))
    return Response(problem.body, status_code=problem.status, headers=dict(problem.headers), media_type=MEDIA_TYPE)


def _condition(request: Request[Any, Any, Any], error: errors.RegistryError) -> Response[bytes]:
    # A condition without a status is none that a caller can bring about.
    return _unexpected(request, error) if status_of(type(error)) == 500 else _response(request, error)


def _framework(request: Request[Any, Any, Any], error: HTTPException) -> Response[bytes]:
    """Translate what the framework itself raises: routing, and requests that are no HTTP."""
    if error.status_code == 404:
        message = f"there is nothing at {request.scope['path'][:200]!r}; /openapi.json lists every path"
        return _response(request, UnknownRoute(message))
    if error.status_code == 405:
        allowed = _allowed(error)
        message = f"{request.scope['method'][:20]} is not for this path; it takes {allowed}"
        response = _response(request, MethodNotAllowed(message))
        response.headers["Allow"] = allowed
        return response
    if error.status_code < 500:
        return _response(request, MalformedRequest.at("malformed-request", error.detail))
    return _unexpected(request, error)


def _allowed(error: HTTPException) -> str:
    given = (error.headers or {}).get("allow", "")
    return ", ".join(sorted({name.strip() for name in given.split(",") if name.strip()}))


def _unexpected(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    log_unexpected(error, request.scope)
    return _response(request, unexpected())
