"""The sync and the async client: thin drivers of ``calls``."""

from __future__ import annotations

import asyncio
import time
from itertools import count
from typing import TYPE_CHECKING, Any

import httpx

from registry.client import calls
from registry.client.errors import Unreachable
from registry.client.retrying import pause_before_next

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping, Sequence

    from registry.client.calls import Call, Card
    from registry.client.retrying import Outcome

Json = Any

TIMEOUT = httpx.Timeout(60.0, connect=10.0)


def _headers(token: str | None) -> dict[str, str]:
    return {"User-Agent": "agent-card-registry-client", **({"Authorization": f"Bearer {token}"} if token else {})}


def _settled(base_url: str, outcome: Outcome) -> httpx.Response:
    if isinstance(outcome, httpx.Response):
        return outcome
    if isinstance(outcome, (httpx.InvalidURL, httpx.UnsupportedProtocol)):
        raise Unreachable(f"`{base_url}` is no registry's address; one looks like http://127.0.0.1:8080") from outcome
    why = str(outcome) or type(outcome).__name__
    message = f"no registry answers at {base_url} ({why}); is `cards serve` running?"
    raise Unreachable(message) from outcome


class Registry:
    """A registry, called synchronously. Use it in a ``with`` block, or ``close`` it.

    Methods return the answer's JSON (docs/http.md) and raise ``RegistryProblem`` (``Refused``, ``Taken``, ``Invalid``,
    ``Missing``, ``NotPermitted``) for every problem, ``Unreachable`` when nobody answers.
    """

    def __init__(self, url: str, token: str | None = None, *, client: httpx.Client | None = None) -> None:
        self.url = url.rstrip("/")
        self._client = client or httpx.Client(timeout=TIMEOUT)
        self._token = token

    def __enter__(self) -> Registry:  # noqa: PYI034 - not made for subclasses
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def send(self, call: Call) -> httpx.Response:
        """Send a call, again where that may help (``retrying``). Raises Unreachable."""
        for attempt in count(1):
            outcome = self._sent(call)
            pause_s = pause_before_next(call, attempt, outcome, time.time())
            if pause_s is None:
                break
            time.sleep(pause_s)
        return _settled(self.url, outcome)

    def _sent(self, call: Call) -> Outcome:
        try:
            return self._client.request(
                call.method,
                self.url + call.path,
                params=call.parameters,
                headers={**_headers(self._token), **call.headers},
                content=call.content,
            )
        except (httpx.RequestError, httpx.InvalidURL) as problem:
            return problem

    def _json(self, call: Call) -> Json:
        return calls.answer(self.send(call))

    def publish(self, card: Card, **options: Any) -> Json:
        """Publish one card; options as ``calls.publish``'s."""
        return self._json(calls.publish(card, **options))

    def publish_many(self, cards: Sequence[Card], **options: Any) -> Json:
        """Publish several cards, all or none."""
        return self._json(calls.publish_many(cards, **options))

    def check(self, cards: Sequence[Card], **options: Any) -> Json:
        """Judge cards as publishing them would, and store nothing."""
        return self._json(calls.check(cards, **options))

    def record(self, agent_id: str, selector: str = "latest", *, accept_forced: bool = False) -> Json:
        """Return a version's record, with the card parsed."""
        return self._json(calls.record(agent_id, selector, accept_forced=accept_forced))

    def card_bytes(self, agent_id: str, selector: str = "latest") -> bytes:
        """Return a card's bytes as they were sent."""
        response = self.send(calls.part(agent_id, selector, "card"))
        if not response.is_success:
            raise calls.problem_of(response)
        return response.content

    def contract(self, agent_id: str, selector: str = "latest") -> Json:
        """Return a version's normalised contract."""
        return self._json(calls.part(agent_id, selector, "contract"))

    def a2a(self, agent_id: str, selector: str = "latest", a2a_version: str | None = None) -> Json:
        """Return a version's A2A card: as sent, or a view in an A2A version."""
        return self._json(calls.part(agent_id, selector, "a2a", a2a_version=a2a_version))

    def agent(self, agent_id: str) -> Json:
        """Return an agent's summary."""
        return self._json(calls.agent(agent_id))

    def history(self, agent_id: str, limit: int = 200) -> Iterator[Json]:
        """Yield an agent's versions, highest first, over all pages."""
        cursor: str | None = None
        while True:
            page = self._json(calls.history(agent_id, limit=limit, cursor=cursor))
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def agents(self, limit: int = 200, **filters: str | bool | Sequence[str] | None) -> Iterator[Json]:
        """Yield agents, last changed first, over all pages; filters as ``GET /v1/agents`` has them."""
        cursor: str | None = None
        while True:
            page = self._json(calls.agents(filters, limit=limit, cursor=cursor))
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def diff(self, agent_id: str, old: str, new: str) -> Json:
        """Return the report of two versions."""
        return self._json(calls.diff(agent_id, old, new))

    def validate(self, agent_id: str, selector: str, instance: Json, **where: Any) -> Json:
        """Say whether a value suits a contract; ``where`` is ``operation``, ``side``, ``pause``."""
        return self._json(calls.validate(agent_id, selector, instance, **where))

    def set_state(self, agent_id: str, version: str, etag: str, change: Mapping[str, Json]) -> Json:
        """Move a version to another state."""
        return self._json(calls.set_state(agent_id, version, etag, change))


class AsyncRegistry:
    """A registry, called asynchronously; the methods are those of ``Registry``."""

    def __init__(self, url: str, token: str | None = None, *, client: httpx.AsyncClient | None = None) -> None:
        self.url = url.rstrip("/")
        self._client = client or httpx.AsyncClient(timeout=TIMEOUT)
        self._token = token

    async def __aenter__(self) -> AsyncRegistry:  # noqa: PYI034 - not made for subclasses
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def send(self, call: Call) -> httpx.Response:
        """Send a call, again where that may help (``retrying``). Raises Unreachable."""
        for attempt in count(1):
            outcome = await self._sent(call)
            pause_s = pause_before_next(call, attempt, outcome, time.time())
            if pause_s is None:
                break
            await asyncio.sleep(pause_s)
        return _settled(self.url, outcome)

    async def _sent(self, call: Call) -> Outcome:
        try:
            return await self._client.request(
                call.method,
                self.url + call.path,
                params=call.parameters,
                headers={**_headers(self._token), **call.headers},
                content=call.content,
            )
        except (httpx.RequestError, httpx.InvalidURL) as problem:
            return problem

    async def _json(self, call: Call) -> Json:
        return calls.answer(await self.send(call))

    async def publish(self, card: Card, **options: Any) -> Json:
        """Publish one card; options as ``calls.publish``'s."""
        return await self._json(calls.publish(card, **options))

    async def publish_many(self, cards: Sequence[Card], **options: Any) -> Json:
        """Publish several cards, all or none."""
        return await self._json(calls.publish_many(cards, **options))

    async def check(self, cards: Sequence[Card], **options: Any) -> Json:
        """Judge cards as publishing them would, and store nothing."""
        return await self._json(calls.check(cards, **options))

    async def record(self, agent_id: str, selector: str = "latest", *, accept_forced: bool = False) -> Json:
        """Return a version's record, with the card parsed."""
        return await self._json(calls.record(agent_id, selector, accept_forced=accept_forced))

    async def card_bytes(self, agent_id: str, selector: str = "latest") -> bytes:
        """Return a card's bytes as they were sent."""
        response = await self.send(calls.part(agent_id, selector, "card"))
        if not response.is_success:
            raise calls.problem_of(response)
        return response.content

    async def contract(self, agent_id: str, selector: str = "latest") -> Json:
        """Return a version's normalised contract."""
        return await self._json(calls.part(agent_id, selector, "contract"))

    async def a2a(self, agent_id: str, selector: str = "latest", a2a_version: str | None = None) -> Json:
        """Return a version's A2A card: as sent, or a view in an A2A version."""
        return await self._json(calls.part(agent_id, selector, "a2a", a2a_version=a2a_version))

    async def agent(self, agent_id: str) -> Json:
        """Return an agent's summary."""
        return await self._json(calls.agent(agent_id))

    async def history(self, agent_id: str, limit: int = 200) -> AsyncIterator[Json]:
        """Yield an agent's versions, highest first, over all pages."""
        cursor: str | None = None
        while True:
            page = await self._json(calls.history(agent_id, limit=limit, cursor=cursor))
            for item in page["items"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    async def agents(self, limit: int = 200, **filters: str | bool | Sequence[str] | None) -> AsyncIterator[Json]:
        """Yield agents, last changed first, over all pages."""
        cursor: str | None = None
        while True:
            page = await self._json(calls.agents(filters, limit=limit, cursor=cursor))
            for item in page["items"]:
                yield item
            cursor = page["next_cursor"]
            if cursor is None:
                return

    async def diff(self, agent_id: str, old: str, new: str) -> Json:
        """Return the report of two versions."""
        return await self._json(calls.diff(agent_id, old, new))

    async def validate(self, agent_id: str, selector: str, instance: Json, **where: Any) -> Json:
        """Say whether a value suits a contract."""
        return await self._json(calls.validate(agent_id, selector, instance, **where))

    async def set_state(self, agent_id: str, version: str, etag: str, change: Mapping[str, Json]) -> Json:
        """Move a version to another state."""
        return await self._json(calls.set_state(agent_id, version, etag, change))
