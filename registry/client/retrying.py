"""When a call is sent again, and after how long: a decision without I/O that both clients follow."""

from __future__ import annotations

from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

import httpx

from registry.client.calls import problem_of

if TYPE_CHECKING:
    from registry.client.calls import Call

ATTEMPTS = 3
WAIT_S = 0.3
RETRY_AFTER_CAP_S = 10.0
PASSING = frozenset({429, 502, 503, 504})  # every other status stays what it is, however often it is asked for
_CONNECTION_LOST = (httpx.NetworkError, httpx.RemoteProtocolError, httpx.ConnectTimeout)


Outcome = httpx.Response | httpx.RequestError | httpx.InvalidURL


def pause_before_next(call: Call, attempt: int, outcome: Outcome, now: float) -> float | None:
    """Return the seconds to wait before the next attempt, None when the outcome stands.

    ``attempt`` counts from 1, ``now`` is seconds since 1970. An idempotent call is sent again after a lost connection,
    429, 502, 503 and 504; ``Retry-After`` counts, up to ``RETRY_AFTER_CAP_S``.
    """
    if not call.idempotent or attempt >= ATTEMPTS:
        return None
    if isinstance(outcome, Exception):
        return WAIT_S * attempt if isinstance(outcome, _CONNECTION_LOST) else None
    if outcome.status_code not in PASSING or _is_lasting(outcome):
        return None
    asked = _retry_after(outcome.headers.get("Retry-After", ""), now)
    return WAIT_S * attempt if asked is None else min(max(asked, 0.0), RETRY_AFTER_CAP_S)


def _is_lasting(response: httpx.Response) -> bool:
    """Say whether judging was over its limits, which is a 503 too: it would be again."""
    return problem_of(response).code == "judging-stopped"


def _retry_after(header: str, now: float) -> float | None:
    """Return seconds (RFC 9110 10.2.3: a number of them, or a date), None for what is neither."""
    text = header.strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        return parsedate_to_datetime(text).timestamp() - now
    except (ValueError, OverflowError):
        return None
