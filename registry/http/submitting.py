"""Bodies that hold cards to publish or to check, in any of their forms: one card, JSON, or multipart."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, get_args

import msgspec

from registry.catalog.records import Submission
from registry.core.card.model import State
from registry.core.errors import Finding, InvalidRequest, TooLarge
from registry.http.bodies import CARD_TYPES, JSON, MULTIPART, REQUEST_LIMIT_BYTES, check_type, media_type, read_body
from registry.http.multipart import split_parts
from registry.http.problems import MalformedRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from litestar.connection import Request

    from registry.http.multipart import Part
    from registry.http.parameters import Query
    from registry.settings import Settings

PARAMETERS = ("allow_breaking", "reason", "commit", "status")
STATES: tuple[str, ...] = get_args(State)
SEVERAL_TYPES = (JSON, MULTIPART, *CARD_TYPES[1:])

_PATH_IN_MESSAGE = re.compile(r" - at `\$([^`]*)`$")
_STEP = re.compile(r"\.([A-Za-z_]+)|\[(\d+|\.\.\.)\]")


@dataclass(frozen=True, slots=True)
class Terms:
    """What a call says about all of its cards."""

    allow_breaking: frozenset[str] = frozenset()
    reason: str | None = None
    commit: str | None = None
    state: State | None = None
    dry_run: bool = False

    @classmethod
    def of(cls, request: Request[Any, Any, Any], query: Query) -> Terms:
        """Read them from the query, and the commit from its header too; what is wrong is a finding of the query."""
        state: Any = query.choice("status", STATES)
        return cls(
            allow_breaking=frozenset(query.texts("allow_breaking")),
            reason=query.text("reason", prose=True),
            commit=query.text("commit") or request.headers.get("cards-commit"),
            state=state,
            dry_run=query.boolean("dry_run") is True,
        )

    def submission(self, raw: bytes, agent_id: str | None = None, version: str | None = None) -> Submission:
        """Return a card under these terms."""
        return Submission(
            raw=raw,
            agent_id=agent_id,
            version=version,
            allow_breaking=self.allow_breaking,
            reason=self.reason,
            commit=self.commit,
            state=self.state,
        )


class _Entry(msgspec.Struct, forbid_unknown_fields=True):
    """One card of a JSON body. ``Raw`` keeps its bytes as they were sent, since they are hashed; none is no card."""

    agent_id: str | None = None
    version: str | None = None
    card: msgspec.Raw = msgspec.Raw()
    text: str | None = None


class _Body(msgspec.Struct, forbid_unknown_fields=True):
    """A JSON body with several cards.

    A member that is there holds instead of the query's parameter; ``dry_run`` holds in either place.
    """

    cards: list[_Entry]
    allow_breaking: list[str] | None = None
    reason: str | None = None
    commit: str | None = None
    status: str | None = None
    dry_run: bool | None = None


async def read_submissions(
    request: Request[Any, Any, Any], terms: Terms, settings: Settings
) -> tuple[list[Submission], Terms]:
    """Return a body's cards, with the terms that hold for them.

    Raises MalformedRequest, InvalidRequest, TooLarge, UnsupportedMediaType.
    """
    header = request.headers.get("content-type", "")
    given = check_type(media_type(header), SEVERAL_TYPES)
    if given not in (JSON, MULTIPART):
        return [terms.submission(await read_body(request, settings.card_limit_bytes))], terms
    body = await read_body(request, REQUEST_LIMIT_BYTES)
    if given == JSON:
        return _from_json(body, terms, settings)
    return _from_parts(split_parts(header, body, settings.publish_limit), terms, settings), terms


def _from_parts(parts: Sequence[Part], terms: Terms, settings: Settings) -> list[Submission]:
    submissions = []
    for part in parts:
        check_type(media_type(part.content_type), (*CARD_TYPES, "text/plain"))  # RFC 7578 4.4: the default of a part
        _check_size(part.body, settings)
        agent_id, at, version = ("", "", "") if part.name == "card" else part.name.partition("@")
        submissions.append(terms.submission(part.body, agent_id or None, version if at else None))
    return submissions


def _from_json(body: bytes, terms: Terms, settings: Settings) -> tuple[list[Submission], Terms]:
    decoded = _decode(body)
    terms = _terms_of(decoded, terms)
    if len(decoded.cards) > settings.publish_limit:
        message = f"a call has at most {settings.publish_limit} cards; send the others in another"
        raise InvalidRequest([Finding("too-many-cards", "/cards", message)])
    findings = [
        Finding("not-one-card", f"/cards/{at}", "give one of `card` (JSON) and `text` (JSON or YAML as a text)")
        for at, entry in enumerate(decoded.cards)
        if bool(bytes(entry.card)) == (entry.text is not None)
    ]
    if findings:
        raise InvalidRequest(findings)
    submissions = []
    for at, entry in enumerate(decoded.cards):
        raw = _raw(entry, at)
        _check_size(raw, settings)
        submissions.append(terms.submission(raw, entry.agent_id, entry.version))
    return submissions, terms


def _raw(entry: _Entry, at: int) -> bytes:
    if entry.text is None:
        return bytes(entry.card)
    try:
        return entry.text.encode()
    except UnicodeEncodeError:
        message = "the text holds half a surrogate pair"
        raise InvalidRequest([Finding("invalid-text", f"/cards/{at}/text", message)]) from None


def _terms_of(body: _Body, terms: Terms) -> Terms:
    if body.status is not None and body.status not in STATES:
        message = f"`status` is one of {', '.join(STATES)}"
        raise InvalidRequest([Finding("unknown-value", "/status", message)])
    state: Any = body.status or terms.state
    return replace(
        terms,
        allow_breaking=terms.allow_breaking if body.allow_breaking is None else frozenset(body.allow_breaking),
        reason=body.reason or terms.reason,
        commit=body.commit or terms.commit,
        state=state,
        dry_run=terms.dry_run or body.dry_run is True,  # whoever says so: what is stored stays stored
    )


def _decode(body: bytes) -> _Body:
    try:
        return msgspec.json.decode(body, type=_Body)
    except msgspec.ValidationError as error:
        raise InvalidRequest([_finding(str(error))]) from None
    except RecursionError:
        raise MalformedRequest.at("too-deep", "the body is nested too deeply") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise MalformedRequest.at("not-json", f"the body is no JSON: {error}") from None


def _finding(message: str) -> Finding:
    """Turn a decoder's message, which ends in a path like ``$.cards[0].text``, into a finding with a pointer."""
    match = _PATH_IN_MESSAGE.search(message)
    steps = _STEP.findall(match[1]) if match else []
    pointer = "".join(f"/{name or index}" for name, index in steps if index != "...")
    return Finding("invalid-member", pointer, message[: match.start()] if match else message)


def _check_size(raw: bytes, settings: Settings) -> None:
    if len(raw) > settings.card_limit_bytes:
        raise TooLarge(settings.card_limit_bytes)
