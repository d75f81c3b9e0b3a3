"""What a comparison found: changes, a verdict, and what would be accepted instead. Renderings are beside it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

Json = Any
Level = Literal["major", "minor", "patch"]
Profile = Literal["declared", "literal"]
Side = Literal[
    "input", "output", "pause", "failure", "guarantee", "limit", "security", "interface", "permission", "card"
]

ENGINE_VERSION = "3"  # raised when a verdict or a fingerprint may differ: stored reports of another one are not reused
POLICY_VERSION = "1"


def engine_version(*, second_prover: bool) -> str:
    """Return the version of the engine, which another one is when it proves alone."""
    return ENGINE_VERSION if second_prover else f"{ENGINE_VERSION}-alone"


@dataclass(frozen=True, slots=True)
class Witness:
    """A value that shows a change.

    ``kind`` is "json" or "text" (a text is exempt from validators). ``accepted_by`` says which contract takes or
    gives it: "old" (input: it worked yesterday) or "new" (output: from now on it may come).
    """

    kind: Literal["json", "text"]
    value: Json
    accepted_by: Literal["old", "new"]


@dataclass(frozen=True, slots=True)
class Change:
    """One difference that a caller may notice.

    ``rule`` is a stable kebab-case ID; ``said_aloud`` marks a warning; ``certainty`` is "unproven" where the
    change counts as its worst case for want of a proof. Pointers are into the old and the new card's
    document, None where the thing is absent there; ``old`` and ``new`` are the fragments.
    """

    rule: str
    level: Level
    operation: str | None
    side: Side
    old_pointer: str | None
    new_pointer: str | None
    old: Json
    new: Json
    sentence: str
    advice: str = ""
    said_aloud: bool = False
    certainty: Literal["certain", "unproven"] = "certain"
    witness: Witness | None = None
    fingerprint: str = ""


@dataclass(frozen=True, slots=True)
class Policy:
    """How a namespace judges: its profile, levels that differ from the rules' defaults, and strictness.

    Under ``strict`` an addition with only a patch bump is refused too.
    """

    profile: Profile = "declared"
    levels: Mapping[str, Level] = field(default_factory=dict)
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """Contract against contract. ``level`` is the highest change's ("none" without changes).

    ``verdict`` is "accepted", "refused", or "warned" (an addition with only a patch bump); ``needed`` is the
    bump that the changes need, ``given`` the one that the versions have; both None when the versions are not known.
    ``second_prover`` are the shapes (``extract input``) that only ``jsonschema-rs`` proves to break nothing else;
    ``faults`` those where a checked value refutes a proof, each with the prover: a mistake of that prover.
    """

    old_version: str | None
    new_version: str | None
    old_digest: str
    new_digest: str
    profile: Profile
    changes: tuple[Change, ...]
    level: Level | Literal["none"]
    verdict: Literal["accepted", "warned", "refused"]
    needed: Level | Literal["none"]
    given: Level | Literal["none"] | None
    forced: tuple[str, ...] = ()  # fingerprints that were let through
    policy_version: str = POLICY_VERSION
    engine_version: str = ENGINE_VERSION
    second_prover: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
