"""A request's path and query as values; everything that is wrong with them is said at once."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import unquote, unquote_to_bytes

from registry.core.errors import Finding, InvalidRequest
from registry.http.problems import MalformedRequest

if TYPE_CHECKING:
    from collections.abc import Collection

    from litestar.connection import Request

_TEXT_LIMIT = 2000
_PARAMETERS_LIMIT = 200
_LAYOUT = {ord("\n"): " ", ord("\t"): " ", ord("\r"): " "}


class Query:
    """A query string that is read once: ask for each parameter, then call ``done``."""

    def __init__(self, query_string: bytes, known: Collection[str]) -> None:
        self._values: dict[str, list[str]] = {}
        self._findings: list[Finding] = []
        pairs = [pair for pair in query_string.split(b"&") if pair]
        if len(pairs) > _PARAMETERS_LIMIT:
            raise InvalidRequest(
                [Finding("too-many-parameters", "", f"a query has at most {_PARAMETERS_LIMIT} parameters")]
            )
        for name, _, value in (pair.partition(b"=") for pair in pairs):
            self._values.setdefault(_decoded(name), []).append(_decoded(value))
        for given in self._values:
            if given not in known:
                takes = ", ".join(sorted(known)) or "none at all"
                self._find("unknown-parameter", given, f"there is no parameter {given[:80]!r} here, only {takes}")

    @classmethod
    def of(cls, request: Request[Any, Any, Any], *known: str) -> Query:
        """Return a request's query, which may hold the known parameters only."""
        return cls(request.scope["query_string"], known)

    def text(self, name: str, *, prose: bool = False) -> str | None:
        """Return a parameter that may stand once; an empty one counts as missing. Prose may have several lines."""
        values = self.texts(name, prose=prose)
        if len(values) > 1:
            self._find("repeated-parameter", name, f"`{name}` stands {len(values)} times; give it once")
        return values[0] if values else None

    def texts(self, name: str, *, prose: bool = False) -> tuple[str, ...]:
        """Return a repeatable parameter's values."""
        values = tuple(value for value in self._values.get(name, ()) if value)
        if any(len(value) > _TEXT_LIMIT for value in values):
            self._find("text-too-long", name, f"`{name}` is longer than {_TEXT_LIMIT} characters")
        if any(_unprintable(value.translate(_LAYOUT) if prose else value) for value in values):
            self._find("invalid-text", name, f"`{name}` holds a control character")
        return values

    def needed(self, name: str) -> str:
        """Return a parameter that must be there."""
        value = self.text(name)
        if value is None:
            self._find("missing-parameter", name, f"`{name}` is needed")
        return value or ""

    def boolean(self, name: str) -> bool | None:
        """Return ``true`` or ``false``, None when it is missing; a bare name is neither."""
        if "" in self._values.get(name, ()):
            self._find("not-a-boolean", name, f"`{name}` has no value; write `{name}=true` or `{name}=false`")
            return None
        value = self.text(name)
        if value in (None, "true", "false"):
            return None if value is None else value == "true"
        self._find("not-a-boolean", name, f"`{name}` is {value!r}; it is `true` or `false`")
        return None

    def whole(self, name: str, default: int, low: int, high: int) -> int:
        """Return a whole number; above ``high`` counts as ``high``, so that a page is never refused for its size."""
        value = self.text(name)
        if value is None:
            return min(default, high)
        if value.isascii() and value.isdigit() and int(value[:12]) >= low:
            return min(int(value[:12]), high)
        self._find("not-a-number", name, f"`{name}` is {value!r}; it is a whole number from {low} to {high}")
        return default

    def moment(self, name: str) -> datetime | None:
        """Return an RFC 3339 time."""
        value = self.text(name)
        if value is None:
            return None
        parsed = parse_moment(value)
        if parsed is None:
            message = f"`{name}` is {value!r}; it is a time with its zone, as in 2026-12-01T02:40:00Z"
            self._find("not-a-time", name, message)
        return parsed

    def choice(self, name: str, choices: Collection[str]) -> str | None:
        """Return one of some words."""
        value = self.text(name)
        if value is not None and value not in choices:
            self._find("unknown-value", name, f"`{name}` is {value!r}; it is one of {', '.join(choices)}")
            return None
        return value

    def others(self, name: str) -> list[tuple[str, str]]:
        """Return every parameter but one, as it was given: what leads to the next page."""
        return [(other, value) for other, values in self._values.items() if other != name for value in values]

    def done(self) -> None:
        """Raise InvalidRequest with every finding, if there are any."""
        if self._findings:
            raise InvalidRequest(self._findings)

    def _find(self, code: str, name: str, message: str) -> None:
        self._findings.append(Finding(code, f"/{name.replace('~', '~0').replace('/', '~1')}", message))


def parse_moment(text: str) -> datetime | None:
    """Return an RFC 3339 time in UTC, None for what is none or lacks its zone."""
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.tzinfo else None
    except (ValueError, OverflowError):
        return None


def path_text(
    request: Request[Any, Any, Any], name: Literal["agent_id", "version", "selector", "operation", "rule", "namespace"]
) -> str:
    """Return a path parameter. Raises MalformedRequest for one that no name can be."""
    value = unquote(str(request.scope["path_params"][name]))  # what routing left encoded (front.py)
    if _unprintable(value) or "\ufffd" in value:
        raise MalformedRequest.at("invalid-path", f"the path's {name} holds a character that no name holds", f"/{name}")
    return value


def _unprintable(value: str) -> bool:
    return any(character < " " or character == "\x7f" or "\ud800" <= character <= "\udfff" for character in value)


def _decoded(part: bytes) -> str:
    try:
        return unquote_to_bytes(part.replace(b"+", b" ")).decode()
    except UnicodeDecodeError:
        raise MalformedRequest.at("not-utf-8", "the query string is no UTF-8 after percent-decoding") from None
