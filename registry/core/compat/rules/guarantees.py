"""What an agent promises about calls, and the limits under which it takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from registry.core.compat.rules.rule import MAJOR_ADVICE, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from registry.core.card.model import Contract, Guarantees
    from registry.core.compat.report import Change

GUARANTEE_WITHDRAWN = Rule(
    "guarantee-withdrawn",
    "major",
    "guarantee",
    "A promise that callers build on is worse or gone: idempotence, no half-done state, the maximum latency. A promise "
    "that isn't given is the worst one.",
    MAJOR_ADVICE,
    mirror="guarantee-given",
)
GUARANTEE_GIVEN = Rule(
    "guarantee-given", "minor", "guarantee", "A promise is given or better than before.", mirror="guarantee-withdrawn"
)
SERVICE_WORSENED = Rule(
    "service-worsened",
    "minor",
    "guarantee",
    "Typical latency went up, availability down, or fewer retries are advised: callers should hear of it.",
    said_aloud=True,
    mirror="service-improved",
)
SERVICE_IMPROVED = Rule(
    "service-improved",
    "minor",
    "guarantee",
    "Typical latency, availability or retries are better than before.",
    mirror="service-worsened",
)
INPUT_LIMIT_TIGHTENED = Rule(
    "input-limit-tightened",
    "major",
    "limit",
    "A limit on what the agent takes (input tokens, size) is tighter: it accepts less.",
    "keep the limit, or publish the next major version",
    mirror="limit-loosened",
)
LIMIT_TIGHTENED = Rule(
    "limit-tightened",
    "minor",
    "limit",
    "Another limit or budget is tighter: long work may stop earlier.",
    said_aloud=True,
    mirror="limit-loosened",
)
LIMIT_LOOSENED = Rule(
    "limit-loosened", "minor", "limit", "A limit or budget is looser or gone.", mirror="limit-tightened"
)

RULES = (
    GUARANTEE_WITHDRAWN,
    GUARANTEE_GIVEN,
    SERVICE_WORSENED,
    SERVICE_IMPROVED,
    INPUT_LIMIT_TIGHTENED,
    LIMIT_TIGHTENED,
    LIMIT_LOOSENED,
)

# The member of the card, the words for it, and whether a smaller number is the better promise.
_HARD = (("max_latency_ms", "the maximum latency", True),)
_SOFT = (
    ("p50_latency_ms", "the median latency", True),
    ("p95_latency_ms", "the 95th percentile of latency", True),
    ("availability", "the availability", False),
    ("max_retries", "the number of retries", False),
)
_INPUT_LIMITS = ("input", "size", "bytes", "length", "request")
_PLACES = {"idempotent": "/idempotent", "partial_state": "/partial_state", "max_retries": "/retry_policy/max_retries"}


def changes(old: Contract, new: Contract) -> Iterator[Change]:
    """Yield what changed in guarantees, limits and budgets."""
    before, after = old.guarantees, new.guarantees
    yield from _flag(before, after, "idempotent", good=True, words="calls are idempotent")
    yield from _flag(before, after, "partial_state", good=False, words="a failure leaves no half-done state")
    for name, words, smaller in _HARD:
        yield from _number(
            before, after, name, words, (GUARANTEE_WITHDRAWN, GUARANTEE_GIVEN), smaller_is_better=smaller
        )
    for name, words, smaller in _SOFT:
        yield from _number(before, after, name, words, (SERVICE_WORSENED, SERVICE_IMPROVED), smaller_is_better=smaller)
    if before.backoff != after.backoff:
        yield SERVICE_WORSENED.change(
            f"the advised backoff is {after.backoff or 'not said'} instead of {before.backoff or 'not said'}",
            old_pointer="/retry_policy/backoff",
            new_pointer="/retry_policy/backoff",
            old=before.backoff,
            new=after.backoff,
        )
    yield from _limits(old.limits, new.limits, "/limits")
    yield from _limits(old.budget, new.budget, "/budget")


def _flag(before: Guarantees, after: Guarantees, name: str, *, good: bool, words: str) -> Iterator[Change]:
    old, new = getattr(before, name), getattr(after, name)
    if (old is good) == (new is good):
        return
    rule = GUARANTEE_GIVEN if new is good else GUARANTEE_WITHDRAWN
    said = f"now promises: {words}" if new is good else f"no longer promises: {words}"
    yield rule.change(said, old_pointer=_PLACES[name], new_pointer=_PLACES[name], old=old, new=new)


def _number(
    before: Guarantees,
    after: Guarantees,
    name: str,
    words: str,
    rules: tuple[Rule, Rule],
    *,
    smaller_is_better: bool,
) -> Iterator[Change]:
    old, new = getattr(before, name), getattr(after, name)
    if old == new:
        return
    worst = float("inf") if smaller_is_better else float("-inf")
    was, now = (worst if value is None else float(value) for value in (old, new))
    worse = now > was if smaller_is_better else now < was
    pointer = _PLACES.get(name, f"/sla/{name}")
    said = f"{words} is {_shown(new)} instead of {_shown(old)}"
    yield rules[0 if worse else 1].change(said, old_pointer=pointer, new_pointer=pointer, old=old, new=new)


def _limits(old: Mapping[str, float], new: Mapping[str, float], place: str) -> Iterator[Change]:
    for name in sorted({*old, *new}):
        before, after = old.get(name), new.get(name)
        if before == after:
            continue
        tighter = after is not None and (before is None or after < before)
        takes_less = place == "/limits" and any(word in name for word in _INPUT_LIMITS)
        rule = LIMIT_LOOSENED if not tighter else INPUT_LIMIT_TIGHTENED if takes_less else LIMIT_TIGHTENED
        yield rule.change(
            f"`{name}` is {_shown(after)} instead of {_shown(before)}",
            old_pointer=f"{place}/{name}",
            new_pointer=f"{place}/{name}",
            old=before,
            new=after,
        )


def _shown(value: float | None) -> str:
    return "not given" if value is None else f"{value:g}"
