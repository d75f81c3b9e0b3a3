"""Others who say whether one schema is contained in another, where they are installed; asked only to compare."""

from __future__ import annotations

import json
import signal
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from io import StringIO
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from registry.core.solver.meaning import UnusableSchema, normalise

if TYPE_CHECKING:
    from collections.abc import Callable

Json = Any
LIMIT_SECONDS = 5


@dataclass(frozen=True, slots=True)
class Peer:
    """A peer: its name with its release, and how to make a question of two schemas.

    The question made answers True (contained), False (not), or None (it can't say, fails, or takes over 5 s of CPU).
    """

    name: str
    prepared: Callable[[Json, Json], Callable[[], bool | None]]


def installed() -> list[Peer]:
    """Return the peers that are here."""
    return [
        Peer(f"{package} {version(package)}", prepared)
        for package, (module, prepared) in _PEERS.items()
        if _has(module)
    ]


def missing() -> list[str]:
    """Return the names of the peers that aren't."""
    return [package for package, (module, _) in _PEERS.items() if not _has(module)]


def _has(module: str) -> bool:
    return find_spec(module) is not None


def _algebra(old: Json, new: Json) -> Callable[[], bool | None]:
    """Ask the canonical algebra of jsonschema-rs, in 2020-12: it compares schemas of one draft."""

    def ask(one: Json, other: Json) -> bool | None:
        draft = jsonschema_rs.Draft202012
        canonical = [jsonschema_rs.canonicalize(each, draft=draft, offline=True) for each in (one, other)]
        return {"yes": True, "no": False}.get(str(canonical[1].covers(canonical[0])))

    return _translated(ask, old, new)


def _jsoncompat(old: Json, new: Json) -> Callable[[], bool | None]:
    """Ask jsoncompat, which reads 2020-12 alone: is every document of the old schema read by the new one."""

    def ask(one: Json, other: Json) -> bool | None:
        return bool(import_module("jsoncompat").check_compat(json.dumps(one), json.dumps(other), "deserializer"))

    return _translated(ask, old, new)


def _jsonsubschema(old: Json, new: Json) -> Callable[[], bool | None]:
    """Ask jsonsubschema, with the schemas as they are written."""
    return _limited(lambda: bool(import_module("jsonsubschema").isSubschema(old, new)))


def _translated(ask: Callable[[Json, Json], bool | None], old: Json, new: Json) -> Callable[[], bool | None]:
    try:
        meanings = [normalise(each).schema for each in (old, new)]
    except (UnusableSchema, RecursionError):
        return lambda: None
    return _limited(lambda: ask(*meanings))


def _limited(ask: Callable[[], bool | None]) -> Callable[[], bool | None]:
    """Bound what a peer may take, where the system has a timer of CPU time; whatever it raises is no answer."""

    def run() -> bool | None:
        try:
            with _Limit(), redirect_stdout(StringIO()):
                return ask()
        except (Exception, SystemExit):  # noqa: BLE001 - of others, anything may come
            return None

    return run


class _Limit:
    """Raise TimeoutError in what runs within, once it has taken LIMIT_SECONDS of CPU time."""

    def __enter__(self) -> None:
        if hasattr(signal, "setitimer"):
            self._before = signal.signal(signal.SIGVTALRM, self._over)
            signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT_SECONDS)

    def __exit__(self, *_: object) -> None:
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, self._before)

    @staticmethod
    def _over(*_: object) -> None:
        raise TimeoutError(f"over {LIMIT_SECONDS} s")


_PEERS = {
    "jsonschema-rs": ("jsonschema_rs", _algebra),
    "jsoncompat": ("jsoncompat", _jsoncompat),
    "jsonsubschema": ("jsonsubschema", _jsonsubschema),
}
