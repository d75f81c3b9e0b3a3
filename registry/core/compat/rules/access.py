"""How an agent is reached and by whom: interfaces, modes, A2A capabilities, extensions, credentials."""

from __future__ import annotations

from typing import TYPE_CHECKING

from registry.core.card.canonical import canonical
from registry.core.compat.rules.rule import MAJOR_ADVICE, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from registry.core.card.model import Contract, Json, Operation
    from registry.core.compat.report import Change

    Alternative = Mapping[str, tuple[str, ...]]

INTERFACE_REMOVED = Rule(
    "interface-removed",
    "major",
    "interface",
    "A way to reach the agent (a binding with its protocol version) is gone.",
    "keep the interface, or publish the next major version",
    mirror="interface-added",
)
INTERFACE_ADDED = Rule(
    "interface-added", "minor", "interface", "A new way to reach the agent.", mirror="interface-removed"
)
INTERFACE_MOVED = Rule(
    "interface-moved",
    "minor",
    "interface",
    "The URL or tenant changed while binding and version stay: callers that keep the URL must look it up again.",
    said_aloud=True,
    mirror="none: moving back is moving",
)
MODE_REMOVED = Rule(
    "mode-removed",
    "major",
    "interface",
    "A media type is no longer taken or answered.",
    "keep the mode, or publish the next major version",
    mirror="mode-added",
)
MODE_ADDED = Rule("mode-added", "minor", "interface", "A new media type is taken or answered.", mirror="mode-removed")
CAPABILITY_REMOVED = Rule(
    "a2a-capability-removed",
    "major",
    "interface",
    "Streaming, push notifications or the extended card are offered no longer.",
    MAJOR_ADVICE,
    mirror="a2a-capability-added",
)
CAPABILITY_ADDED = Rule(
    "a2a-capability-added",
    "minor",
    "interface",
    "Streaming, push notifications or the extended card are offered now.",
    mirror="a2a-capability-removed",
)
EXTENSION_REMOVED = Rule(
    "extension-removed",
    "major",
    "interface",
    "An A2A extension is supported no longer.",
    MAJOR_ADVICE,
    mirror="extension-added",
)
EXTENSION_ADDED = Rule(
    "extension-added", "minor", "interface", "An A2A extension is supported now.", mirror="extension-removed"
)
EXTENSION_REQUIRED = Rule(
    "extension-required",
    "major",
    "interface",
    "Callers must speak an A2A extension now that they needed not to know before.",
    "offer the extension without requiring it",
    mirror="extension-optional",
)
EXTENSION_OPTIONAL = Rule(
    "extension-optional", "minor", "interface", "An A2A extension is required no longer.", mirror="extension-required"
)
EXTENSION_CHANGED = Rule(
    "extension-changed",
    "minor",
    "interface",
    "The parameters of an A2A extension changed.",
    said_aloud=True,
    mirror="none: changing back is a change",
)
CREDENTIALS_NARROWED = Rule(
    "credentials-narrowed",
    "major",
    "security",
    "A set of credentials that sufficed suffices no longer: another scheme or scope is wanted, an alternative is gone, "
    "or a scheme means something else.",
    "keep the old alternative beside the new one",
    mirror="credentials-widened",
)
CREDENTIALS_WIDENED = Rule(
    "credentials-widened",
    "minor",
    "security",
    "Another set of credentials suffices now.",
    mirror="credentials-narrowed",
)
CREDENTIALS_DROPPED = Rule(
    "credentials-dropped",
    "minor",
    "security",
    "No credentials are needed any more: anybody may call.",
    said_aloud=True,
    mirror="credentials-narrowed",
)

RULES = (
    INTERFACE_REMOVED,
    INTERFACE_ADDED,
    INTERFACE_MOVED,
    MODE_REMOVED,
    MODE_ADDED,
    CAPABILITY_REMOVED,
    CAPABILITY_ADDED,
    EXTENSION_REMOVED,
    EXTENSION_ADDED,
    EXTENSION_REQUIRED,
    EXTENSION_OPTIONAL,
    EXTENSION_CHANGED,
    CREDENTIALS_NARROWED,
    CREDENTIALS_WIDENED,
    CREDENTIALS_DROPPED,
)

_CAPABILITIES = (
    ("streaming", "streaming"),
    ("push_notifications", "push notifications"),
    ("extended_card", "an extended card"),
)


def changes(old: Contract, new: Contract) -> Iterator[Change]:
    """Yield what changed in how the agent is reached."""
    yield from _interfaces(old, new)
    for name, words in _CAPABILITIES:
        before, after = getattr(old, name) is True, getattr(new, name) is True
        if before != after:
            rule = CAPABILITY_ADDED if after else CAPABILITY_REMOVED
            yield rule.change(
                f"offers {words} {'now' if after else 'no longer'}",
                old_pointer="/capabilities",
                new_pointer="/capabilities",
                old={name: getattr(old, name)},
                new={name: getattr(new, name)},
            )
    yield from _extensions(old, new)
    yield from _credentials(
        _asked(old.security), _asked(new.security), old.security_schemes, new.security_schemes, None
    )
    yield from _modes(old.input_modes, new.input_modes, "takes", None)
    yield from _modes(old.output_modes, new.output_modes, "answers", None)


def operation_changes(old: Operation, new: Operation, before: Contract, after: Contract) -> Iterator[Change]:
    """Yield what changed for one operation that says more than its card."""
    if old.security is not None or new.security is not None:
        yield from _credentials(
            _asked(before.security if old.security is None else old.security),
            _asked(after.security if new.security is None else new.security),
            before.security_schemes,
            after.security_schemes,
            new.id,
        )
    if old.input_modes is not None or new.input_modes is not None:
        modes = (old.input_modes or before.input_modes, new.input_modes or after.input_modes)
        yield from _modes(*modes, "takes", new.id)
    if old.output_modes is not None or new.output_modes is not None:
        modes = (old.output_modes or before.output_modes, new.output_modes or after.output_modes)
        yield from _modes(*modes, "answers", new.id)


def _interfaces(old: Contract, new: Contract) -> Iterator[Change]:
    before = {(each.binding, each.protocol_version): each for each in reversed(old.interfaces)}
    after = {(each.binding, each.protocol_version): each for each in reversed(new.interfaces)}
    for pair, each in before.items():
        if pair not in after:
            said = f"can't be reached by {each.binding} {each.protocol_version} any more"
            yield INTERFACE_REMOVED.change(said, old_pointer=each.pointer, old=list(pair))
    for pair, each in after.items():
        if pair not in before:
            said = f"can be reached by {each.binding} {each.protocol_version} now"
            yield INTERFACE_ADDED.change(said, new_pointer=each.pointer, new=list(pair))
    places = {pair: {(each.url, each.tenant) for each in old.interfaces if _pair(each) == pair} for pair in before}
    for pair, each in after.items():
        if pair in before and (each.url, each.tenant) not in places[pair]:
            was = before[pair]
            yield INTERFACE_MOVED.change(
                f"{each.binding} {each.protocol_version} is at {each.url} instead of {was.url}"
                if each.url != was.url
                else f"{each.binding} {each.protocol_version} has another tenant",
                old_pointer=was.pointer,
                new_pointer=each.pointer,
                old=[was.url, was.tenant],
                new=[each.url, each.tenant],
            )


def _pair(interface: object) -> tuple[str, str]:
    return (interface.binding, interface.protocol_version)  # type: ignore[attr-defined]


def _modes(old: Sequence[str], new: Sequence[str], verb: str, operation: str | None) -> Iterator[Change]:
    for mode in old:
        if mode not in new and (new or operation is None):
            yield MODE_REMOVED.change(
                f"no longer {verb} {mode}", operation=operation, old=mode, old_pointer=_MODES[verb]
            )
    for mode in new:
        if mode not in old:
            yield MODE_ADDED.change(f"{verb} {mode} now", operation=operation, new=mode, new_pointer=_MODES[verb])


_MODES = {"takes": "/defaultInputModes", "answers": "/defaultOutputModes"}


def _extensions(old: Contract, new: Contract) -> Iterator[Change]:
    before, after = {each.uri: each for each in old.extensions}, {each.uri: each for each in new.extensions}
    for uri, each in before.items():
        if uri not in after:
            yield EXTENSION_REMOVED.change(f"no longer supports {uri}", old_pointer=each.pointer, old=uri)
    for uri, each in after.items():
        was = before.get(uri)
        if each.required and (was is None or not was.required):
            yield EXTENSION_REQUIRED.change(f"requires {uri} of its callers now", new_pointer=each.pointer, new=uri)
        elif was is None:
            yield EXTENSION_ADDED.change(f"supports {uri} now", new_pointer=each.pointer, new=uri)
        elif was.required and not each.required:
            yield EXTENSION_OPTIONAL.change(f"no longer requires {uri}", new_pointer=each.pointer, new=uri)
        if was is not None and canonical(was.params) != canonical(each.params):
            yield EXTENSION_CHANGED.change(
                f"{uri} has other parameters",
                old_pointer=was.pointer,
                new_pointer=each.pointer,
                old=was.params,
                new=each.params,
            )


def _asked(security: Sequence[Alternative] | None) -> list[Alternative]:
    """Return the alternatives; nothing asked is one alternative that needs nothing."""
    return list(security) if security else [{}]


def _credentials(
    old: list[Alternative],
    new: list[Alternative],
    before: Mapping[str, Json],
    after: Mapping[str, Json],
    operation: str | None,
) -> Iterator[Change]:
    for given in old:
        if not any(_suffices(given, wanted, before, after) for wanted in new):
            yield CREDENTIALS_NARROWED.change(
                f"{_shown(given)} no longer suffices; {' or '.join(_shown(each) for each in new)} is wanted",
                operation=operation,
                old_pointer=_SECURITY,
                new_pointer=_SECURITY,
                old={name: list(scopes) for name, scopes in given.items()},
                new=[{name: list(scopes) for name, scopes in each.items()} for each in new],
            )
    for wanted in new:
        if any(_suffices(wanted, each, after, before) for each in old):
            continue
        rule = CREDENTIALS_WIDENED if wanted else CREDENTIALS_DROPPED
        yield rule.change(
            f"{_shown(wanted)} suffices now",
            operation=operation,
            new_pointer=_SECURITY,
            new={name: list(scopes) for name, scopes in wanted.items()},
        )


_SECURITY = "/securityRequirements"


def _suffices(given: Alternative, wanted: Alternative, before: Mapping[str, Json], after: Mapping[str, Json]) -> bool:
    """Say whether who has the given credentials has all that is wanted: each scheme, its scopes, the same body."""
    return all(
        name in given
        and set(scopes) <= set(given[name])
        and canonical(_body(before.get(name))) == canonical(_body(after.get(name)))
        for name, scopes in wanted.items()
    )


def _body(scheme: Json) -> Json:
    """Return a scheme without its description."""
    if not isinstance(scheme, dict):
        return scheme
    return {
        kind: {name: value for name, value in body.items() if name != "description"} if isinstance(body, dict) else body
        for kind, body in scheme.items()
    }


def _shown(alternative: Alternative) -> str:
    if not alternative:
        return "calling without credentials"
    parts = [f"`{name}`{' (' + ', '.join(scopes) + ')' if scopes else ''}" for name, scopes in alternative.items()]
    return " with ".join(parts)
