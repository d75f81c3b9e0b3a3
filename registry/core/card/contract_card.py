"""Contract cards (``schemas/agent-card.schema.json``): from a document to a Card, with every finding at once."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from registry.core.card.contract import digests
from registry.core.card.lint import secret_findings, url_findings
from registry.core.card.model import (
    DEFAULT_OPERATION,
    Card,
    Contract,
    Example,
    Failure,
    Guarantees,
    JsonSchema,
    Operation,
    Pause,
    Text,
    Tool,
    Undeclared,
)
from registry.core.card.pointers import child, without
from registry.core.card.schemas import schema_findings
from registry.core.errors import Finding, InvalidCard
from registry.core.solver.validators import CannotValidate, Disagreement, instance_findings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from registry.core.card.model import Json, Shape
    from registry.core.card.text import Document

SCHEMA = "agent-card.schema"
RESERVED_KINDS = frozenset({"timeout", "undeclared"})
MAX_SCHEMA_CHECKS = 200
_URL_MAJOR = re.compile(r"/v(\d+)(?:/|$)")
_NAMED_PARTS = (("failures", "kind"), ("examples", "name"))
_SEMVER_LIKE = re.compile(r"\d+(\.\d+)?")
_HINTS = {
    "read_only": "readOnlyHint",
    "destructive": "destructiveHint",
    "idempotent": "idempotentHint",
    "open_world": "openWorldHint",
}


def read(document: Document, raw: bytes) -> Card:
    """Read a contract card. Raises InvalidCard with all findings, each with its line and column."""
    # The formats' checks use this package's modules; here, at the call, the circle is closed.
    from registry.core.formats import a2a_member  # noqa: PLC0415
    from registry.core.formats.a2a_1_0 import ordered  # noqa: PLC0415
    from registry.core.formats.contracts import placed  # noqa: PLC0415
    from registry.core.formats.structure import bounded  # noqa: PLC0415

    value = document.value
    structure = list(_structure(value))
    faults = [finding.pointer for finding in structure if finding.level == "error"]
    sound = _sound(value, faults) if faults else value
    operations = _operations(sound)
    meaning = _meaning(sound, operations)
    found = list(bounded(chain(structure, _unless_consequences(meaning) if faults else meaning)))
    member = a2a_member(
        value.get("a2a", {}), "/a2a", deployment_url=_text(value, "deployment_url"), operations=operations
    )
    found += member.findings
    found = placed(ordered(found), document)
    if any(finding.level == "error" for finding in found):
        raise InvalidCard(found)
    contract = Contract(
        operations=operations,
        capabilities=tuple(dict.fromkeys(value.get("capabilities", ()))),
        tools={each["name"]: _tool(each, child("/tools", at)) for at, each in enumerate(value.get("tools", ()))},
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


def _sound(value: Mapping[str, Json], faults: Iterable[str]) -> dict[str, Json]:
    """Return what is well-formed in a card, so that it is examined too: all findings come at once.

    Parts that lack their name keep a stand-in, so that places stay where they are.
    """
    sound: dict[str, Json] = without(value, faults)
    skills = sound.get("skills", [])
    for at, skill in enumerate(skills):
        skill.setdefault("id", f"/skills/{at}")
    for holder in (sound, *skills):
        for row, naming in _NAMED_PARTS:
            for at, each in enumerate(holder.get(row, ())):
                each.setdefault(naming, f"/{row}/{at}")
    for at, tool in enumerate(sound.get("tools", ())):
        tool.setdefault("name", f"/tools/{at}")
    return sound


def _unless_consequences(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Leave out what may only follow from a fault that is told already: a kind of failure that can't be read."""
    for finding in findings:
        unknown_kind = finding.code == "example-mismatch" and finding.pointer.endswith("/error")
        if finding.code != "nothing-declared" and not unknown_kind:
            yield finding


def _structure(value: Mapping[str, Json]) -> Iterator[Finding]:
    """Yield what the card's schema says, in our words, and what it can't say about versions."""
    from registry.core.formats.structure import misspelt_members, structure_findings  # noqa: PLC0415

    yield from _version(value)
    for finding in structure_findings(value, SCHEMA):
        if not (finding.pointer == "/version" and finding.code == "wrong-type"):
            yield _worded(finding)
    for pointer, name, meant in misspelt_members(value, SCHEMA):
        yield Finding("unknown-member", pointer, f"`{name}` means nothing here; did you mean `{meant}`?", "warning")


def _worded(finding: Finding) -> Finding:
    """Say what a pattern of the schema wants."""
    if finding.code != "invalid-member":
        return finding
    messages = (
        ("/agent_id", "is no agent ID: reverse DNS in lower case, such as `com.example.greeter`"),
        ("/tags", "is no tag: lower-case letters, digits, `.`, `_`, `-`, at most 63; and at most 16 tags"),
        (
            "/error_codes",
            "is no failure: a kind has letters, digits and `_`, at most 40; its text at most 200 characters",
        ),
        ("/failures", "is no failure: a kind has letters, digits and `_`, at most 40; its text at most 200 characters"),
    )
    for place, message in messages:
        if finding.pointer.startswith(place) or finding.pointer.endswith(place):
            return Finding("invalid-member", finding.pointer, message)
    return Finding("invalid-member", finding.pointer, "has not the form that a contract card gives it (see its schema)")


def _version(value: Mapping[str, Json]) -> Iterator[Finding]:
    from registry.core.formats.contracts import is_semver  # noqa: PLC0415

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
    own = {"input", "input_schema", "output", "output_schema", "pauses"} & value.keys()
    if own or not skills:
        found[DEFAULT_OPERATION] = _operation(value, DEFAULT_OPERATION, "")
    shared = {name: value[name] for name in ("error_codes", "failures") if name in value}
    for at, skill in enumerate(skills):
        # The card's failures hold for every operation; a skill's own come on top.
        operation = _operation(skill, skill["id"], child("/skills", at))
        failures = {**_failures(shared, ""), **operation.failures}
        found.setdefault(skill["id"], replace(operation, failures=failures))
    return found


def _operation(holder: Mapping[str, Json], name: str, pointer: str) -> Operation:
    return Operation(
        id=name,
        name=holder.get("name", name),
        description=holder.get("description", "") if pointer else "",
        input=_shape(holder, "input", pointer),
        output=_shape(holder, "output", pointer),
        pauses={key: _pause(key, each, f"{pointer}/pauses") for key, each in holder.get("pauses", {}).items()},
        failures=_failures(holder, pointer),
        examples=tuple(
            _example(each, child(f"{pointer}/examples", at)) for at, each in enumerate(holder.get("examples", ()))
        ),
        tags=tuple(holder.get("tags", ())) if pointer else (),
        pointer=pointer,
    )


def _shape(holder: Mapping[str, Json], name: str, pointer: str) -> Shape:
    if holder.get(name) == "text":
        return Text(f"{pointer}/{name}")
    key = f"{name}_schema"
    return JsonSchema(holder[key], f"{pointer}/{key}") if key in holder else Undeclared(pointer)


def _pause(name: str, body: Mapping[str, Json], parent: str) -> Pause:
    pointer = child(parent, name)
    return Pause(name, body.get("description", ""), _shape(body, "answer", pointer), pointer)


def _failures(holder: Mapping[str, Json], pointer: str) -> dict[str, Failure]:
    found: dict[str, Failure] = {}
    for kind, body in holder.get("error_codes", {}).items():
        members = {"description": body} if isinstance(body, str) else body
        found[kind] = _failure(kind, members, child(f"{pointer}/error_codes", kind))
    for at, body in enumerate(holder.get("failures", ())):
        found.setdefault(body["kind"], _failure(body["kind"], body, child(f"{pointer}/failures", at)))
    return found


def _failure(kind: str, body: Mapping[str, Json], pointer: str) -> Failure:
    flags = {name: body.get(name) for name in ("retryable", "partial", "person", "safe_to_ignore", "retry_after_s")}
    return Failure(kind, body.get("description", ""), **flags, pointer=pointer)


def _example(body: Mapping[str, Json], pointer: str) -> Example:
    members = frozenset(name for name in ("input", "output", "error") if name in body)
    return Example(body["name"], body.get("input"), body.get("output"), body.get("error"), members, pointer)


def _tool(body: Mapping[str, Json], pointer: str) -> Tool:
    annotations = body.get("annotations", {})
    hints: dict[str, Any] = {ours: annotations.get(theirs) for ours, theirs in _HINTS.items()}
    return Tool(body["name"], **hints, document=body, pointer=pointer)


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
    seen: dict[str, int] = {}
    for at, skill in enumerate(value.get("skills", ())):
        first = seen.setdefault(skill["id"], at)
        if first != at:
            message = f"`{skill['id']}` is the ID of /skills/{first} too; each needs its own"
            yield Finding("duplicate-skill", f"/skills/{at}/id", message)
    holders = [("", value), *((f"/skills/{at}", skill) for at, skill in enumerate(value.get("skills", ())))]
    for pointer, holder in holders:
        yield from _holder(holder, pointer)
    for operation in operations.values():
        if isinstance(operation.input, Undeclared) and isinstance(operation.output, Undeclared):
            message = (
                "declares neither input nor output; add `input: text` or `input_schema`, and the same for its output"
            )
            yield Finding("nothing-declared", operation.pointer, message, "warning")
        yield from _examples(operation)
    yield from _urls(value)
    yield from _tools(value)
    yield from secret_findings(value)


def _holder(holder: Mapping[str, Json], pointer: str) -> Iterator[Finding]:
    """Yield what is wrong in one operation's members."""
    shapes = [(holder, pointer, name) for name in ("input", "output")]
    shapes += [(each, child(f"{pointer}/pauses", key), "answer") for key, each in holder.get("pauses", {}).items()]
    for each, place, name in shapes[:MAX_SCHEMA_CHECKS]:
        key = f"{name}_schema"
        if name in each and key in each:
            yield Finding("text-and-schema", f"{place}/{key}", f"stands beside `{name}: text`; keep one of the two")
        if key in each:
            found = schema_findings(each[key], f"{place}/{key}")
            # What a person answers may well be a choice or a yes: only inputs and outputs grow as objects.
            yield from (finding for finding in found if name != "answer" or finding.code != "root-not-an-object")
    kinds = [(kind, child(f"{pointer}/error_codes", kind)) for kind in holder.get("error_codes", {})]
    kinds += [(each["kind"], f"{pointer}/failures/{at}/kind") for at, each in enumerate(holder.get("failures", ()))]
    seen: set[str] = set()
    for kind, place in kinds:
        if kind.lower() in RESERVED_KINDS:
            yield Finding("reserved-failure", place, f"`{kind}` is the platform's own kind; choose another name")
        if kind in seen:
            yield Finding("duplicate-failure", place, f"`{kind}` is listed twice")
        seen.add(kind)


def _examples(operation: Operation) -> Iterator[Finding]:
    for example in operation.examples:
        for name, shape in (("input", operation.input), ("output", operation.output)):
            if name not in example.members:
                continue
            given = getattr(example, name)
            if isinstance(shape, Text) and not isinstance(given, str):
                yield Finding("example-mismatch", f"{example.pointer}/{name}", f"is no text, and the {name} is text")
            elif isinstance(shape, JsonSchema):
                yield from _mismatches(shape, given, f"{example.pointer}/{name}")
        if example.error is not None and example.error not in operation.failures:
            known = ", ".join(f"`{kind}`" for kind in list(operation.failures)[:6]) or "none"
            yield Finding(
                "example-mismatch",
                f"{example.pointer}/error",
                f"`{example.error}` is no kind of failure here ({known})",
            )


def _mismatches(shape: JsonSchema, given: Json, pointer: str) -> Iterator[Finding]:
    try:
        for finding in instance_findings(shape.schema, given):
            yield Finding("example-mismatch", pointer + finding.pointer, f"doesn't match its schema: {finding.message}")
    except (CannotValidate, Disagreement):
        return  # the schema's own findings say what is wrong with it


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


def _tools(value: Mapping[str, Json]) -> Iterator[Finding]:
    seen: set[str] = set()
    for at, tool in enumerate(value.get("tools", ())):
        if tool["name"] in seen:
            yield Finding("duplicate-tool", f"/tools/{at}/name", f"`{tool['name']}` is listed twice")
        seen.add(tool["name"])
        if "output_schema" in tool:
            yield from schema_findings(tool["output_schema"], f"/tools/{at}/output_schema")
