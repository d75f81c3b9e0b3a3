# ruff: noqa: D401  # a rule's docstring is its page: it states the change
"""Who may call: security requirements are an OR of ANDs over schemes and scopes."""

from __future__ import annotations

from dataclasses import dataclass
from operator import not_
from typing import TYPE_CHECKING

from registry.core.card.canonical import canonical
from registry.core.card.contract import contract_document
from registry.core.card.model import Contract
from registry.core.card.pointers import child
from registry.core.compat.rules.rule import Difference, rule
from registry.core.compat.rules.subjects import a2a_place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from registry.core.card.model import Card, Json
    from registry.core.compat.rules.subjects import Cards

    Alternative = Mapping[str, tuple[str, ...]]


@rule(
    level="major",
    side="security",
    mirror="credentials-widened",
    advice="keep the old alternative beside the new one, or publish the next major version",
)
def credentials_narrowed(cards: Cards) -> Iterator[Difference]:
    """A set of credentials that sufficed suffices no longer.

    Another scheme or scope is wanted in an alternative, or an alternative is gone. Requirements are an OR of ANDs:
    what sufficed still does when some alternative asks for no more than it. Read for the card and for each operation
    that says its own.
    """
    for asked in _asked(cards):
        for given in asked.old:
            if not any(_suffices(given, wanted) for wanted in asked.new):
                yield Difference(
                    f"{_shown(given)} no longer suffices; {' or '.join(_shown(each) for each in asked.new)} is needed",
                    operation=asked.operation,
                    old_pointer=asked.old_pointer,
                    new_pointer=asked.new_pointer,
                    old=_json(given),
                    new=[_json(each) for each in asked.new],
                )


@rule(level="minor", side="security", mirror="credentials-narrowed")
def credentials_widened(cards: Cards) -> Iterator[Difference]:
    """A set of credentials suffices that didn't before.

    Whoever calls with the old ones isn't touched. That no credentials are needed any more is told by
    `credentials-dropped`.
    """
    yield from _newly_sufficient(cards, bool)


@rule(level="minor", side="security", mirror="credentials-narrowed", said_aloud=True)
def credentials_dropped(cards: Cards) -> Iterator[Difference]:
    """No credentials are needed any more: anybody may call.

    It breaks nobody, and it is worth a second look.
    """
    yield from _newly_sufficient(cards, not_)


@rule(
    level="major",
    side="security",
    waiver="changing back is a change",
    advice="declare the new scheme under a name of its own, as a further alternative",
)
def credentials_scheme_changed(cards: Cards) -> Iterator[Difference]:
    """A security scheme means something else under the same name.

    Whoever has credentials for the old one (a bearer token) lacks those for the new one (an API key). Read for the
    schemes that requirements name, and for all of them when a card names schemes and states no requirements.
    Descriptions, and the list of scopes that a flow offers, don't count: requirements say which scopes are needed.
    """
    before, after = (_schemes(each) for each in cards.contracts)
    for name, old in before.items():
        if name in after and canonical(old) != canonical(after[name]) and _is_asked(cards, name):
            pointer = child("/securitySchemes", name)
            yield Difference(
                f"the security scheme `{name}` is {_kind(after[name])} instead of {_kind(old)}",
                old_pointer=a2a_place(cards.old, pointer),
                new_pointer=a2a_place(cards.new, pointer),
                old=old,
                new=after[name],
            )


@dataclass(frozen=True, slots=True)
class _Asked:
    """The alternatives of the card (no operation) or of an operation that says its own."""

    operation: str | None
    old: list[Alternative]
    new: list[Alternative]
    old_pointer: str | None
    new_pointer: str | None


def _asked(cards: Cards) -> Iterator[_Asked]:
    """Yield what is asked for. Nothing asked is one alternative: no credentials."""
    before, after = cards.contracts
    places = [_requirements(card) if card.contract.security else None for card in (cards.old, cards.new)]
    yield _Asked(None, _alternatives(before.security), _alternatives(after.security), places[0], places[1])
    for name, new in after.operations.items():
        old = before.operations.get(name)
        if old is not None and (old.security is not None or new.security is not None):
            yield _Asked(
                name,
                _alternatives(before.security if old.security is None else old.security),
                _alternatives(after.security if new.security is None else new.security),
                places[0] if old.security is None else old.pointer,
                places[1] if new.security is None else new.pointer,
            )


def _alternatives(security: Sequence[Alternative] | None) -> list[Alternative]:
    return list(security) if security else [{}]


def _suffices(given: Alternative, wanted: Alternative) -> bool:
    """Say whether who has the given credentials has all that is wanted: each scheme with its scopes."""
    return all(name in given and set(scopes) <= set(given[name]) for name, scopes in wanted.items())


def _newly_sufficient(cards: Cards, wanted: Callable[[Alternative], bool]) -> Iterator[Difference]:
    for asked in _asked(cards):
        for alternative in asked.new:
            if wanted(alternative) and not any(_suffices(alternative, each) for each in asked.old):
                yield Difference(
                    f"{_shown(alternative)} suffices now",
                    operation=asked.operation,
                    old_pointer=asked.old_pointer,
                    new_pointer=asked.new_pointer,
                    new=_json(alternative),
                )


def _schemes(contract: Contract) -> dict[str, Json]:
    """Return the schemes without their texts and without the scopes that their flows offer."""
    bare = Contract(operations={}, security_schemes=contract.security_schemes)
    found: dict[str, Json] = contract_document(bare).get("security_schemes", {})
    return {name: _without_scopes(body) for name, body in found.items()}


def _without_scopes(wrapped: Json) -> Json:
    if not isinstance(wrapped, dict):
        return wrapped
    return {wrapper: _without_flow_scopes(body) for wrapper, body in wrapped.items()}


def _without_flow_scopes(body: Json) -> Json:
    if not isinstance(body, dict) or not isinstance(body.get("flows"), dict):
        return body
    flows = {
        name: {key: value for key, value in flow.items() if key != "scopes"} if isinstance(flow, dict) else flow
        for name, flow in body["flows"].items()
    }
    return {**body, "flows": flows}


def _is_asked(cards: Cards, name: str) -> bool:
    rows = [cards.old.contract.security, *(each.security for each in cards.old.contract.operations.values())]
    alternatives = [alternative for row in rows for alternative in row or ()]
    return not alternatives or any(name in alternative for alternative in alternatives)


def _kind(wrapped: Json) -> str:
    """Name a scheme by its wrapper key (A2A 1.0) and the member that tells most."""
    if not isinstance(wrapped, dict) or len(wrapped) != 1:
        return "another one"
    ((wrapper, body),) = wrapped.items()
    kind = wrapper.removesuffix("SecurityScheme")
    detail = next((body[key] for key in ("scheme", "name", "openIdConnectUrl") if body.get(key)), "") if body else ""
    return f"{kind} ({detail})" if detail else str(kind)


def _requirements(card: Card) -> str:
    """Return where a card states what it asks for: 0.x spells it another way."""
    return "/security" if card.kind in ("a2a-0.2", "a2a-0.3") else a2a_place(card, "/securityRequirements")


def _shown(alternative: Alternative) -> str:
    if not alternative:
        return "a call without credentials"
    parts = [f"`{name}`{' (' + ', '.join(scopes) + ')' if scopes else ''}" for name, scopes in alternative.items()]
    return " with ".join(parts)


def _json(alternative: Alternative) -> Json:
    return {name: list(scopes) for name, scopes in sorted(alternative.items())}


OF_CARDS = (credentials_narrowed, credentials_widened, credentials_dropped, credentials_scheme_changed)
