# ruff: noqa: D401  # a rule's docstring is its page: it states the change
"""What an agent promises about calls, and the limits under which it takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from registry.core.card.pointers import child
from registry.core.compat.rules.rule import MAJOR_ADVICE, Difference, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from registry.core.compat.rules.subjects import Cards

# Each promise that is yes or no: the member, the value that is the promise, what it says.
_FLAGS = (
    ("idempotent", True, "calls are idempotent"),
    ("partial_state", False, "a failure leaves no half-done state"),
)
# Each promise that is a number: the member, what it is, whether a smaller number is the better promise.
_HARD = (("max_latency_ms", "the maximum latency in ms", True),)
_SOFT = (
    ("p50_latency_ms", "the median latency in ms", True),
    ("p95_latency_ms", "the 95th percentile of latency in ms", True),
    ("availability", "the availability in percent", False),
    ("max_retries", "the number of retries", False),
)
_PLACES = {"idempotent": "/idempotent", "partial_state": "/partial_state", "max_retries": "/retry_policy/max_retries"}
_INPUT_WORDS = ("input", "request", "size", "bytes", "length", "chars")
_OUTPUT_WORDS = ("output", "response", "answer", "result")


@rule(level="major", side="guarantee", mirror="guarantee-given", advice=MAJOR_ADVICE)
def guarantee_withdrawn(cards: Cards) -> Iterator[Difference]:
    """A promise that callers build on is worse or gone: idempotence, no half-done state, the maximum latency.

    Callers retry because calls are idempotent, and set their timeouts by the maximum latency. A promise that isn't
    given is the worst one, so withdrawing one is worsening it.
    """
    for name, good, words in _FLAGS:
        old, new = _both(cards, name)
        if old is good and new is not good:
            yield _told(name, f"no longer promises that {words}", old, new)
    for name, words, smaller in _HARD:
        yield from (found for found, worse in _numbers(cards, name, words, smaller) if worse)


@rule(level="minor", side="guarantee", mirror="guarantee-withdrawn")
def guarantee_given(cards: Cards) -> Iterator[Difference]:
    """A promise that callers build on is given, or better than before.

    Idempotence, no half-done state after a failure, a maximum latency.
    """
    for name, good, words in _FLAGS:
        old, new = _both(cards, name)
        if new is good and old is not good:
            yield _told(name, f"promises that {words} now", old, new)
    for name, words, smaller in _HARD:
        yield from (found for found, worse in _numbers(cards, name, words, smaller) if not worse)


@rule(level="minor", side="guarantee", mirror="service-improved", said_aloud=True)
def service_worsened(cards: Cards) -> Iterator[Difference]:
    """Typical latency is higher, availability lower, or fewer retries or another backoff are advised.

    Nothing breaks by it, but callers should hear of it.
    """
    for name, words, smaller in _SOFT:
        yield from (found for found, worse in _numbers(cards, name, words, smaller) if worse)
    old, new = _both(cards, "backoff")
    if old is not None and old != new:
        said = f"advises {_backoff(new)} between retries instead of {_backoff(old)}"
        yield Difference(
            said, old_pointer="/retry_policy/backoff", new_pointer="/retry_policy/backoff", old=old, new=new
        )


@rule(level="minor", side="guarantee", mirror="service-worsened")
def service_improved(cards: Cards) -> Iterator[Difference]:
    """Typical latency is lower, availability higher, more retries or a backoff are advised.

    What wasn't said before counts as the worst, so saying it is an improvement.
    """
    for name, words, smaller in _SOFT:
        yield from (found for found, worse in _numbers(cards, name, words, smaller) if not worse)
    old, new = _both(cards, "backoff")
    if old is None and new is not None:
        yield Difference(f"advises {_backoff(new)} between retries", new_pointer="/retry_policy/backoff", new=new)


@rule(
    level="major",
    side="limit",
    mirror="limit-loosened",
    advice="keep the limit, or publish the next major version",
)
def input_limit_tightened(cards: Cards) -> Iterator[Difference]:
    """A limit on what the agent takes (input tokens, size) is tighter.

    It accepts less: what a caller sent yesterday may be too much today. A limit that wasn't there before is tighter
    than none.
    """
    yield from (found for found, tighter, takes in _limits(cards) if tighter and takes)


@rule(level="minor", side="limit", mirror="limit-loosened", said_aloud=True)
def limit_tightened(cards: Cards) -> Iterator[Difference]:
    """Another limit, or a budget, is tighter: long work may stop earlier.

    Duration, steps, delegations, costs. What the agent takes is judged by `input-limit-tightened`.
    """
    yield from (found for found, tighter, takes in _limits(cards) if tighter and not takes)


@rule(level="minor", side="limit", mirror="limit-tightened")
def limit_loosened(cards: Cards) -> Iterator[Difference]:
    """A limit or a budget is looser, or gone.

    More work fits into a call than before.
    """
    yield from (found for found, tighter, _ in _limits(cards) if not tighter)


def _both(cards: Cards, name: str) -> tuple[object, object]:
    before, after = cards.contracts
    return getattr(before.guarantees, name), getattr(after.guarantees, name)


def _numbers(cards: Cards, name: str, words: str, smaller: object) -> Iterator[tuple[Difference, bool]]:
    """Yield a number's change, and whether it is for the worse; one that isn't given is the worst."""
    before, after = cards.contracts
    old, new = getattr(before.guarantees, name), getattr(after.guarantees, name)
    if old != new:
        worst = float("inf") if smaller else float("-inf")
        was, now = (worst if each is None else float(each) for each in (old, new))
        said = f"{words} is {_number(new)} instead of {_number(old)}"
        yield _told(name, said, old, new), now > was if smaller else now < was


def _told(name: str, sentence: str, old: object, new: object) -> Difference:
    pointer = _PLACES.get(name, f"/sla/{name}")
    return Difference(
        sentence,
        old_pointer=None if old is None else pointer,
        new_pointer=None if new is None else pointer,
        old=old,
        new=new,
    )


def _limits(cards: Cards) -> Iterator[tuple[Difference, bool, bool]]:
    """Yield each limit's change, whether it is tighter, and whether it is on what the agent takes."""
    before, after = cards.contracts
    for place, olds, news in (("/limits", before.limits, after.limits), ("/budget", before.budget, after.budget)):
        for name in sorted({*olds, *news}):
            old, new = olds.get(name), news.get(name)
            if old == new:
                continue
            pointer = child(place, name)
            found = Difference(
                f"`{name}` is {_number(new)} instead of {_number(old)}",
                old_pointer=None if old is None else pointer,
                new_pointer=None if new is None else pointer,
                old=old,
                new=new,
            )
            yield found, new is not None and (old is None or new < old), place == "/limits" and _is_on_input(name)


def _is_on_input(name: str) -> bool:
    return any(word in name for word in _INPUT_WORDS) and not any(word in name for word in _OUTPUT_WORDS)


def _number(value: float | None) -> str:
    return "not given" if value is None else f"{value:.15g}"


def _backoff(value: object) -> str:
    return "no backoff" if value is None else f"{value} backoff"


OF_CARDS = (
    guarantee_withdrawn,
    guarantee_given,
    service_worsened,
    service_improved,
    input_limit_tightened,
    limit_tightened,
    limit_loosened,
)
