"""Contract cards (``schemas/agent-card.schema.json``): from a document to a Card, with every finding at once."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from registry.core.card.consistency import contract_findings, give_names, unless_consequences, well_formed
from registry.core.card.contract import digests
from registry.core.card.lint import secret_findings, url_findings
from registry.core.card.model import (
    DEFAULT_OPERATION,
    Card,
    Contract,
    Failure,
    Guarantees,
    Operation,
    Undeclared,
)
from registry.core.card.names import is_semver
from registry.core.card.pointers import child
from registry.core.errors import Finding, InvalidCard
from registry.core.formats import members
from registry.core.formats.a2a_1_0 import ordered
from registry.core.formats.member import a2a_member
from registry.core.formats.structure import bounded, limit_findings, misspelt_members, structure_findings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from registry.core.card.model import Json
    from registry.core.card.text import Document

SCHEMA = "agent-card.schema"
MAX_FAILURES = 32  # kinds of one operation, in whichever lists they stand
_URL_MAJOR = re.compile(r"/v(\d+)(?:/|$)")
_SEMVER_LIKE = re.compile(r"\d+(\.\d+)?")


def read(document: Document, raw: bytes) -> Card:
    """Read a contract card. Raises InvalidCard with all findings, each with its line and column."""
    value = document.value
    structure = list(bounded(_structure(value)))
    if any(finding.code == "too-many-findings" for finding in structure):
        raise InvalidCard(document.located(structure))  # what else is wrong can't be told before these are mended
    is_sound = all(finding.level == "warning" for finding in structure)
    sound = value if is_sound else _named(well_formed(value, structure))
    operations = _operations(sound)
    meaning = _meaning(sound, operations)
    found = list(bounded(chain(structure, meaning if is_sound else unless_consequences(meaning))))
    member = a2a_member(
        value.get("a2a", {}), "/a2a", deployment_url=_text(value, "deployment_url"), operations=operations
    )
    found += member.findings
    found = list(document.located(ordered(found)))
    if any(finding.level == "error" for finding in found):
        raise InvalidCard(found)
    contract = Contract(
        operations=operations,
        capabilities=tuple(dict.fromkeys(value.get("capabilities", ()))),
        tools=members.tools(value, ""),
        guarantees=_guarantees(value),
        limits=dict(value.get("limits", {})),
        budget=dict(value.get("budget", {})),
        interfaces=member.interfaces,
        security_schemes=member.security_schemes,
        security=member.security,
        streaming=member.streaming,
        push_notifications=member.push_notifications,
        extended_card=member.extended_card,
        extensions=member.extensions,
        input_modes=member.input_modes,
        output_modes=member.output_modes,
    )
    return Card(
        kind="contract",
        raw=raw,
        document=value,
        digests=digests(raw, value, contract),
        agent_id=value["agent_id"],
        version=value["version"],
        version_text=value["version"],
        name=value["name"],
        description=value.get("description", ""),
        contract=contract,
        status=value.get("status", "production"),
        owner=value.get("owner"),
        tags=tuple(dict.fromkeys(value.get("tags", ()))),
        documentation_url=value.get("documentation_url"),
        deployment_url=value.get("deployment_url"),
        findings=tuple(found),
    )


def _named(value: dict[str, Json]) -> dict[str, Json]:
    """Return a card of well-formed members with stand-ins for names that are missing."""
    skills = value.get("skills", [])
    for at, skill in enumerate(skills):
        skill.setdefault("id", f"/skills/{at}")
    give_names([value, *skills], value.get("tools", ()))
    return value


def _structure(value: Mapping[str, Json]) -> Iterator[Finding]:
    """Yield what the card's schema says, in our words, and what it can't say about versions."""
    yield from _version(value)
    for finding in structure_findings(value, SCHEMA):
        if not (finding.pointer == "/version" and finding.code == "wrong-type"):
            yield _worded(finding)
    for pointer, name, meant in misspelt_members(value, SCHEMA):
        yield Finding("unknown-member", pointer, f"`{name}` means nothing here; did you mean `{meant}`?", "warning")
    yield from limit_findings(value, SCHEMA)


def _worded(finding: Finding) -> Finding:
    """Say what a pattern of the schema wants."""
    if finding.code != "invalid-member":
        return finding
    messages = (
        ("/agent_id", "is no agent ID: reverse DNS in lower case, such as `com.example.greeter`"),
        ("/tags", "is no tag: lower-case letters, digits, `.`, `_`, `-`, at most 63"),
        (
            "/error_codes",
            "is no failure: a kind has letters, digits and `_`, at most 40; its body is a text or an object",
        ),
        ("/failures", "is no kind of failure: letters, digits and `_`, at most 40"),
    )
    for place, message in messages:
        if place in finding.pointer:
            return Finding("invalid-member", finding.pointer, message)
    return Finding("invalid-member", finding.pointer, "has not the form that a contract card gives it (see its schema)")


def _version(value: Mapping[str, Json]) -> Iterator[Finding]:
    version = value.get("version")
    if isinstance(version, bool) or not isinstance(version, int | float | str):
        if version is not None:
            yield Finding("wrong-type", "/version", 'is no version; write one in quotes, such as "1.0.0"')
    elif isinstance(version, int | float):
        yield Finding(
            "version-not-text",
            "/version",
            f'is the number {version}; quote it, and write all three parts: "{_filled(str(version))}"',
        )
    elif not is_semver(version):
        hint = f"; write {_filled(version)}" if _SEMVER_LIKE.fullmatch(version) else ""
        hint = f"; write {version[1:]}" if version[:1] == "v" and is_semver(version[1:]) else hint
        yield Finding(
            "version-not-semver", "/version", f"`{version[:60]}` is not one exact version (SemVer 2.0.0){hint}"
        )


def _filled(version: str) -> str:
    return version + ".0" * (2 - version.count("."))


def _text(value: Mapping[str, Json], name: str) -> str | None:
    found = value.get(name)
    return found if isinstance(found, str) else None


# --- operations ---------------------------------------------------------------------------------------------------


def _operations(value: Mapping[str, Json]) -> dict[str, Operation]:
    """Return the operations: the top-level contract as ``default`` where there is one, then the skills."""
    found: dict[str, Operation] = {}
    skills = value.get("skills", [])
    if _own_contract(value) is not None or not skills:
        found[DEFAULT_OPERATION] = _operation(value, DEFAULT_OPERATION, "")
    shared = _failures(value, "")
    for at, skill in enumerate(skills):
        operation = _operation(skill, skill["id"], child("/skills", at))
        # The card's failures hold for every operation; a skill's own come on top.
        failures = {**shared, **operation.failures} if operation.failures else shared
        found.setdefault(skill["id"], replace(operation, failures=failures))
    return found


def _own_contract(value: Mapping[str, Json]) -> str | None:
    """Return the member by which a card declares something at its top, which is then the operation ``default``."""
    return next(
        (name for name in ("input", "input_schema", "output", "output_schema", "pauses") if name in value), None
    )


def _operation(holder: Mapping[str, Json], name: str, pointer: str) -> Operation:
    return Operation(
        id=name,
        name=holder.get("name", name),
        description=holder.get("description", "") if pointer else "",
        input=members.shape(holder, "input", pointer),
        output=members.shape(holder, "output", pointer),
        pauses=members.pauses(holder, pointer),
        failures=_failures(holder, pointer),
        examples=members.examples(holder, pointer),
        tags=tuple(holder.get("tags", ())) if pointer else (),
        pointer=pointer,
    )


def _failures(holder: Mapping[str, Json], pointer: str) -> dict[str, Failure]:
    found: dict[str, Failure] = {}
    for kind, body in holder.get("error_codes", {}).items():
        said = {"description": body} if isinstance(body, str) else body
        found[kind] = _failure(kind, said, child(f"{pointer}/error_codes", kind))
    for at, body in enumerate(holder.get("failures", ())):
        found.setdefault(body["kind"], _failure(body["kind"], body, child(f"{pointer}/failures", at)))
    return found


def _failure(kind: str, body: Mapping[str, Json], pointer: str) -> Failure:
    flags = {name: body.get(name) for name in ("retryable", "partial", "person", "safe_to_ignore", "retry_after_s")}
    return Failure(kind, body.get("description", ""), **flags, pointer=pointer)


def _guarantees(value: Mapping[str, Json]) -> Guarantees:
    sla, retries = value.get("sla", {}), value.get("retry_policy", {})
    return Guarantees(
        idempotent=value.get("idempotent"),
        partial_state=value.get("partial_state"),
        p50_latency_ms=sla.get("p50_latency_ms"),
        p95_latency_ms=sla.get("p95_latency_ms"),
        max_latency_ms=sla.get("max_latency_ms"),
        availability=sla.get("availability"),
        max_retries=retries.get("max_retries"),
        backoff=retries.get("backoff"),
    )


# --- what a schema can't say ---------------------------------------------------------------------------------------


def _meaning(value: Mapping[str, Json], operations: Mapping[str, Operation]) -> Iterator[Finding]:
    skills: Sequence[Mapping[str, Json]] = value.get("skills", ())
    yield from _skills(value, skills)
    holders = [("", value), *((f"/skills/{at}", skill) for at, skill in enumerate(skills))]
    yield from contract_findings(holders, operations, value.get("tools", ()))
    yield from _failure_counts(value, operations)
    for operation in operations.values():
        if isinstance(operation.input, Undeclared) and isinstance(operation.output, Undeclared):
            message = (
                "declares neither input nor output; add `input: text` or `input_schema`, and the same for its output"
            )
            yield Finding("nothing-declared", operation.pointer, message, "warning")
    yield from _urls(value)
    yield from secret_findings(value)


def _skills(value: Mapping[str, Json], skills: Sequence[Mapping[str, Json]]) -> Iterator[Finding]:
    seen: dict[str, str] = {}
    for at, skill in enumerate(skills):
        first = seen.setdefault(skill["id"], f"/skills/{at}")
        if first != f"/skills/{at}":
            message = f"`{skill['id'][:60]}` is the ID of {first} too; each operation needs its own"
            yield Finding("duplicate-skill", f"/skills/{at}/id", message)
    own = _own_contract(value)
    if own is not None and DEFAULT_OPERATION in seen:
        place = seen[DEFAULT_OPERATION]
        message = f"makes the card itself the operation `{DEFAULT_OPERATION}`, and {place} has that ID too; rename it"
        yield Finding("duplicate-skill", f"/{own}", message)
        message = f"`{DEFAULT_OPERATION}` is the operation that the card's own /{own} makes; give the skill another ID"
        yield Finding("duplicate-skill", f"{place}/id", message)
    if skills and own is None and value.get("examples"):
        message = "belong to no operation: the card has skills, and no input or output of its own; move them to a skill"
        yield Finding("unused-examples", "/examples", message, "warning")


def _failure_counts(value: Mapping[str, Json], operations: Mapping[str, Operation]) -> Iterator[Finding]:
    """Yield operations that fail in more ways than callers can tell apart; the card's own kinds hold for each."""
    shared = len(_failures(value, ""))
    if shared > MAX_FAILURES:
        yield Finding("too-many-failures", "", f"has {shared} kinds of failure; at most {MAX_FAILURES}")
        return
    for operation in operations.values():
        count = len(operation.failures)
        if count > MAX_FAILURES:
            message = f"has {count} kinds of failure, the card's {shared} counted; at most {MAX_FAILURES}"
            yield Finding("too-many-failures", operation.pointer, message)


def _urls(value: Mapping[str, Json]) -> Iterator[Finding]:
    url = value.get("deployment_url")
    if url is not None:
        yield from url_findings(url, "/deployment_url")
        stated = _URL_MAJOR.search(url)
        version = value.get("version", "")
        if stated and version and stated[1] != version.split(".", 1)[0]:
            message = f"names v{stated[1]}, and the version is {version}; callers may be sent to the wrong one"
            yield Finding("url-major-differs", "/deployment_url", message, "warning")
    documentation = value.get("documentation_url")
    if documentation is not None and not documentation.startswith(("https://", "http://")):
        yield Finding("not-a-url", "/documentation_url", "is no http(s) URL")
