"""Which namespace an agent belongs to, and how it judges.

Setting its policy registers a namespace, nothing else does. An agent belongs to the longest registered prefix of its
ID's labels, or else to all labels but the last, which judge by the default policy.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any, get_args

from registry.catalog.records import Namespace
from registry.core.card.canonical import canonical
from registry.core.compat.report import POLICY_VERSION, Level, Policy, Profile
from registry.core.compat.rules import RULES
from registry.core.errors import Finding, InvalidRequest, NotFound, PreconditionFailed

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from registry.catalog.database import Session
    from registry.catalog.records import PolicyCondition

LOCK = 7_314_003  # any number but the migrations' and the tokens'

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
    return Namespace(row["name"], policy, row["revision"], row["created_at"], row["sequence"])


async def find_homes(session: Session, agent_ids: Collection[str]) -> tuple[dict[str, str], dict[str, Policy]]:
    """Return the namespace of each agent, and its policy."""
    names = sorted({name for agent_id in agent_ids for name in prefixes(agent_id)})
    found = {row["name"]: namespace_from(row) for row in await session.rows("namespaces_of", names)}
    homes = {agent_id: namespace_of(agent_id, found) for agent_id in agent_ids}
    return homes, {agent_id: found[home].policy if home in found else Policy() for agent_id, home in homes.items()}


async def lock_agents(session: Session, agent_ids: Collection[str], now: datetime) -> None:
    """Make or lock agents, in one order for everybody: namespaces by name, then agents by ID.

    Which namespace they are of stays so until the transaction ends.
    """
    await session.run("lock_homes_shared", LOCK)
    homes, _ = await find_homes(session, agent_ids)
    for name in sorted(set(homes.values())):
        await session.run("ensure_namespace", name, now)
    for agent_id in sorted(homes):
        await session.run("lock_agent", agent_id, homes[agent_id], now)


async def set_policy(
    session: Session, name: str, policy: Policy, condition: PolicyCondition, now: datetime
) -> tuple[Namespace, bool]:
    """Register a namespace or change its policy; say whether it is new. Raises PreconditionFailed."""
    row = await session.row("lock_namespace", name)
    if row is None:
        await session.run("lock_homes", LOCK)
        row = await session.row("lock_namespace", name)
    _check(name, None if row is None else namespace_from(row), condition)
    members = {"profile": policy.profile, "levels": dict(policy.levels), "strict": policy.strict}
    event = await session.row("insert_policy_event", name, now, json.dumps(members))
    changed = await session.row(
        "set_policy",
        name,
        policy.profile,
        json.dumps(members["levels"]),
        policy.strict,
        now,
        event["number"] if event else 0,
    )
    if row is None:
        await session.run("rehome_agents", name)
    return namespace_from(changed), row is None


def _check(name: str, there: Namespace | None, condition: PolicyCondition) -> None:
    if condition.is_new and there:
        raise PreconditionFailed(f"namespace {name!r} is registered; send If-Match with its ETag to change its policy")
    if condition.tags is None:
        return
    if there is None:
        raise PreconditionFailed(f"namespace {name!r} is not registered; send `If-None-Match: *` to register it")
    if "*" not in condition.tags and there.etag not in condition.tags:
        raise PreconditionFailed(f"the policy of {name!r} changed meanwhile; read it again")


async def find_namespace(session: Session, name: str) -> Namespace:
    """Return a namespace. Raises NotFound."""
    folded = name.lower()
    row = await session.row("one_namespace", folded) if _LABELS.fullmatch(folded) else None
    if row is None:
        message = f"no namespace {name!r} is registered; PUT /v1/namespaces/{folded}/policy registers one"
        raise NotFound(message)
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
