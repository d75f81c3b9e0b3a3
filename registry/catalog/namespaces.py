"""Which namespace an agent belongs to, and how it judges."""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any, get_args

from registry.catalog.records import Namespace
from registry.core.card.canonical import canonical
from registry.core.compat.report import POLICY_VERSION, Level, Policy, Profile
from registry.core.compat.rules import RULES
from registry.core.errors import Finding, InvalidRequest, NotFound

if TYPE_CHECKING:
    from collections.abc import Collection

    from registry.catalog.database import Session

_LABELS = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*")


def prefixes(agent_id: str) -> list[str]:
    """Return every name that an agent's namespace may have, longest first; an ID of one label is its own."""
    labels = agent_id.split(".")
    return [".".join(labels[:count]) for count in range(len(labels) - 1, 0, -1)] or [agent_id]


def namespace_of(agent_id: str, registered: Collection[str]) -> str:
    """Return the longest registered prefix of labels, or else all labels but the last."""
    names = prefixes(agent_id)
    return next((name for name in names if name in registered), names[0])


def policy_digest(policy: Policy) -> str:
    """Return a digest of everything in a policy that a verdict depends on."""
    members = {
        "profile": policy.profile,
        "levels": dict(policy.levels),
        "strict": policy.strict,
        "policy_version": POLICY_VERSION,
    }
    return "sha256:" + hashlib.sha256(canonical(members)).hexdigest()


def namespace_from(row: Any) -> Namespace:
    """Return a row as a namespace."""
    policy = Policy(profile=row["profile"], levels=json.loads(row["levels"]), strict=row["strict"])
    return Namespace(row["name"], policy, row["revision"], row["created_at"])


async def find_namespace(session: Session, name: str) -> Namespace:
    """Return a namespace. Raises NotFound."""
    folded = name.lower()
    row = await session.row("one_namespace", folded) if _LABELS.fullmatch(folded) else None
    if row is None:
        raise NotFound(f"no namespace {name!r} is registered; the first publish of an agent in it makes it")
    return namespace_from(row)


def check_policy(name: str, policy: Policy) -> None:
    """Raise InvalidRequest with everything that is wrong with a namespace's name and policy."""
    findings = []
    if not _LABELS.fullmatch(name) or len(name) > 200:
        message = f"{name!r} is no namespace: lower-case labels of letters, digits and `-`, joined by dots"
        findings.append(Finding("invalid-namespace", "/name", message))
    if policy.profile not in get_args(Profile):
        findings.append(Finding("invalid-profile", "/profile", f"the profile is one of {', '.join(get_args(Profile))}"))
    for rule, level in policy.levels.items():
        if rule not in RULES:
            message = f"there is no rule {rule!r}; `cards explain` lists them"
            findings.append(Finding("unknown-rule", f"/levels/{rule.replace('~', '~0').replace('/', '~1')}", message))
        elif level not in get_args(Level):
            message = f"a level is one of {', '.join(get_args(Level))}"
            findings.append(Finding("invalid-level", f"/levels/{rule}", message))
    if findings:
        raise InvalidRequest(findings)
