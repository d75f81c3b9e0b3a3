# ruff: noqa: D401  # a rule's docstring is its page: it states the change
"""How an agent is reached: interfaces, modes, A2A capabilities, extensions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from registry.core.card.canonical import canonical
from registry.core.compat.rules.rule import MAJOR_ADVICE, Difference, rule
from registry.core.compat.rules.subjects import a2a_place

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from registry.core.card.model import Card, Contract, Extension, Interface
    from registry.core.compat.rules.subjects import Cards

    Way = tuple[str, str]

_CAPABILITIES = (
    ("streaming", "streaming", "/capabilities/streaming"),
    ("push_notifications", "push notifications", "/capabilities/pushNotifications"),
    ("extended_card", "an extended card", "/capabilities/extendedAgentCard"),
)
_EXTENDED_CARD_0_X = "/supportsAuthenticatedExtendedCard"


@rule(
    level="major",
    side="interface",
    mirror="interface-added",
    advice="keep the interface, or publish the next major version",
)
def interface_removed(cards: Cards) -> Iterator[Difference]:
    """A way to reach the agent (a binding with its protocol version) is gone.

    Callers that speak it can't call any more. The same pair written in another generation of the A2A card is the same
    way.
    """
    before, after = (_ways(each) for each in cards.contracts)
    for way, places in before.items():
        if way not in after:
            said = f"can no longer be reached by {_spoken(way)}"
            yield Difference(said, old_pointer=places[0].pointer, old=list(way))


@rule(level="minor", side="interface", mirror="interface-removed")
def interface_added(cards: Cards) -> Iterator[Difference]:
    """The agent can be reached in a new way, or by a known way at a further place.

    Whoever calls as before isn't touched.
    """
    before, after = (_ways(each) for each in cards.contracts)
    for way, places in after.items():
        if way not in before:
            yield Difference(f"can be reached by {_spoken(way)} now", new_pointer=places[0].pointer, new=list(way))
        elif not _gone(before[way], places):
            for each in _gone(places, before[way]):
                said = f"can be reached by {_spoken(way)} at {_place(each)} too"
                yield Difference(said, new_pointer=each.pointer, new=[each.url, each.tenant])


@rule(level="minor", side="interface", waiver="moving back is moving", said_aloud=True)
def interface_moved(cards: Cards) -> Iterator[Difference]:
    """The URL or the tenant of an interface changed while its binding and protocol version stay.

    Callers that look the agent up find it; callers that wrote the URL down do not.
    """
    before, after = (_ways(each) for each in cards.contracts)
    for way in before:
        old, new = _gone(before[way], after.get(way, [])), _gone(after.get(way, []), before[way])
        if way not in after or not old:
            continue
        now = new or after[way]
        yield Difference(
            f"{_spoken(way)} is at {_place(now[0])} instead of {_place(old[0])}",
            old_pointer=old[0].pointer,
            new_pointer=now[0].pointer,
            old=[[each.url, each.tenant] for each in old],
            new=[[each.url, each.tenant] for each in new],
        )


@rule(
    level="major",
    side="interface",
    mirror="mode-added",
    advice="keep the mode, or publish the next major version",
)
def mode_removed(cards: Cards) -> Iterator[Difference]:
    """A media type that the agent took or answered with is named no longer.

    Read for the card's defaults and for each operation that says its own. A contract card that states no modes has
    those that follow from its inputs and outputs; what changes there, the rules of inputs and outputs tell.
    """
    for modes in _modes(cards):
        for mode in modes.old:
            if mode not in modes.new:
                yield modes.told(f"no longer {modes.verb} {mode}", mode, None)


@rule(level="minor", side="interface", mirror="mode-removed")
def mode_added(cards: Cards) -> Iterator[Difference]:
    """The agent takes or answers with a media type that it didn't name before.

    Whoever sends and accepts the old ones isn't touched.
    """
    for modes in _modes(cards):
        for mode in modes.new:
            if mode not in modes.old:
                yield modes.told(f"{modes.verb} {mode} now", None, mode)


@rule(level="major", side="interface", mirror="a2a-capability-added", advice=MAJOR_ADVICE)
def a2a_capability_removed(cards: Cards) -> Iterator[Difference]:
    """Streaming, push notifications or the extended card are offered no longer.

    Callers that stream, or that wait for a push, have nothing to wait for.
    """
    yield from (found for found, offered in _capabilities(cards) if not offered)


@rule(level="minor", side="interface", mirror="a2a-capability-removed")
def a2a_capability_added(cards: Cards) -> Iterator[Difference]:
    """Streaming, push notifications or the extended card are offered now.

    Nobody has to use them.
    """
    yield from (found for found, offered in _capabilities(cards) if offered)


@rule(level="major", side="interface", mirror="extension-added", advice=MAJOR_ADVICE)
def extension_removed(cards: Cards) -> Iterator[Difference]:
    """An A2A extension is supported no longer.

    Callers that speak it aren't understood any more. The registry's own extension is read as contract, and isn't
    judged here.
    """
    before, after = (_extensions(each) for each in cards.contracts)
    for uri, extension in before.items():
        if uri not in after:
            yield Difference(f"no longer supports {uri}", old_pointer=extension.pointer, old=uri)


@rule(level="minor", side="interface", mirror="extension-removed")
def extension_added(cards: Cards) -> Iterator[Difference]:
    """An A2A extension is supported that wasn't, and nobody has to speak it.

    One that is required from the start is told by `extension-required`.
    """
    before, after = (_extensions(each) for each in cards.contracts)
    for uri, extension in after.items():
        if uri not in before and not extension.required:
            yield Difference(f"supports {uri} now", new_pointer=extension.pointer, new=uri)


@rule(
    level="major",
    side="interface",
    mirror="extension-optional",
    advice="offer the extension without requiring it, or publish the next major version",
)
def extension_required(cards: Cards) -> Iterator[Difference]:
    """Callers must speak an A2A extension that they needed not to know before.

    A caller that doesn't know the extension is refused.
    """
    before, after = (_extensions(each) for each in cards.contracts)
    for uri, extension in after.items():
        old = before.get(uri)
        if extension.required and (old is None or not old.required):
            yield Difference(
                f"requires {uri} of its callers now",
                old_pointer=None if old is None else old.pointer,
                new_pointer=extension.pointer,
                old=None if old is None else uri,
                new=uri,
            )


@rule(level="minor", side="interface", mirror="extension-required")
def extension_optional(cards: Cards) -> Iterator[Difference]:
    """An A2A extension is required no longer, and still supported.

    It asks less of callers.
    """
    before, after = (_extensions(each) for each in cards.contracts)
    for uri, extension in after.items():
        if uri in before and before[uri].required and not extension.required:
            yield Difference(
                f"no longer requires {uri} of its callers",
                old_pointer=before[uri].pointer,
                new_pointer=extension.pointer,
                old=uri,
                new=uri,
            )


@rule(level="minor", side="interface", waiver="changing back is a change", said_aloud=True)
def extension_changed(cards: Cards) -> Iterator[Difference]:
    """The parameters of an A2A extension changed.

    What they mean only the extension says: callers that speak it should look.
    """
    before, after = (_extensions(each) for each in cards.contracts)
    for uri, extension in after.items():
        old = before.get(uri)
        if old is not None and canonical(old.params) != canonical(extension.params):
            yield Difference(
                f"gives {uri} other parameters",
                old_pointer=old.pointer,
                new_pointer=extension.pointer,
                old=old.params,
                new=extension.params,
            )


def _ways(contract: Contract) -> Mapping[Way, list[Interface]]:
    found: dict[Way, list[Interface]] = {}
    for each in contract.interfaces:
        found.setdefault((each.binding, each.protocol_version), []).append(each)
    return found


def _gone(old: list[Interface], new: list[Interface]) -> list[Interface]:
    kept = {(each.url, each.tenant) for each in new}
    return [each for each in old if (each.url, each.tenant) not in kept]


def _spoken(way: Way) -> str:
    return " ".join(part for part in way if part)


def _place(interface: Interface) -> str:
    return f"{interface.url} (tenant {interface.tenant})" if interface.tenant else interface.url


@dataclass(frozen=True, slots=True)
class _Modes:
    """The modes of one side, of the card (no operation) or of an operation that says its own."""

    operation: str | None
    verb: str
    old_pointer: str
    new_pointer: str
    old: tuple[str, ...]
    new: tuple[str, ...]

    def told(self, sentence: str, old: str | None, new: str | None) -> Difference:
        """Return the difference in one mode."""
        return Difference(
            sentence,
            operation=self.operation,
            old_pointer=None if old is None else self.old_pointer,
            new_pointer=None if new is None else self.new_pointer,
            old=old,
            new=new,
        )


def _modes(cards: Cards) -> Iterator[_Modes]:
    """Yield modes where somebody states them."""
    before, after = cards.contracts
    for side, verb in (("input", "takes"), ("output", "answers with")):
        name, stated = f"{side}_modes", f"default{side.title()}Modes"
        old, new = getattr(before, name), getattr(after, name)
        if _states(cards.old, stated) or _states(cards.new, stated):
            places = [a2a_place(card, f"/{stated}") for card in (cards.old, cards.new)]
            yield _Modes(None, verb, places[0], places[1], old, new)
        for key, operation in after.operations.items():
            was = before.operations.get(key)
            if was is not None and (getattr(was, name) is not None or getattr(operation, name) is not None):
                had, has = getattr(was, name), getattr(operation, name)
                rows = (old if had is None else had, new if has is None else has)
                yield _Modes(key, verb, was.pointer, operation.pointer, *rows)


def _states(card: Card, member: str) -> bool:
    """Say whether a card states its modes; else they follow from its inputs and outputs."""
    return card.kind != "contract" or member in (card.document.get("a2a") or {})


def _capabilities(cards: Cards) -> Iterator[tuple[Difference, bool]]:
    """Yield each capability that came or went, and whether it is offered now; absent is false (A2A 1.0, 4.4.3)."""
    for name, words, pointer in _CAPABILITIES:
        old, new = (getattr(each, name) for each in cards.contracts)
        if (old is True) != (new is True):
            said = f"offers {words} now" if new is True else f"no longer offers {words}"
            places = [_capability_place(card, name, pointer) for card in (cards.old, cards.new)]
            found = Difference(
                said,
                old_pointer=None if old is None else places[0],
                new_pointer=None if new is None else places[1],
                old=old,
                new=new,
            )
            yield found, new is True


def _capability_place(card: Card, name: str, pointer: str) -> str:
    if name == "extended_card" and card.kind in ("a2a-0.2", "a2a-0.3"):
        return _EXTENDED_CARD_0_X
    return a2a_place(card, pointer)


def _extensions(contract: Contract) -> dict[str, Extension]:
    return {each.uri: each for each in contract.extensions}


OF_CARDS = (
    interface_removed,
    interface_added,
    interface_moved,
    mode_removed,
    mode_added,
    a2a_capability_removed,
    a2a_capability_added,
    extension_removed,
    extension_added,
    extension_required,
    extension_optional,
    extension_changed,
)
