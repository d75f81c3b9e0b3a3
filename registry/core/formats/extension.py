"""The contract that rides in an A2A card: the ``params`` of our extension, keyed by skill ID.

```json
{"contract_digest": "sha256:...", "agent_id": "com.example.planner", "version": "1.2.0",
 "operations": {"plan": {"input_schema": {...}, "output": "text", "pauses": {"approval": {"answer_schema": {...}}},
                         "failures": [{"kind": "NO_ROUTE", "retryable": false}]}},
 "guarantees": {"idempotent": true, "p95_latency_ms": 4000}, "limits": {...}, "budget": {...},
 "capabilities": [...], "tools": [{"name": "maps", "annotations": {"readOnlyHint": true}}]}
```
``schemas/a2a-contract-v1.json`` is its form; every member is optional. A digest, once given, must agree.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING

from registry.core.card.consistency import contract_findings, give_names, unless_consequences, well_formed
from registry.core.card.model import (
    Example,
    Failure,
    Guarantees,
    JsonSchema,
    Operation,
    Shape,
    Text,
    Tool,
)
from registry.core.card.names import is_agent_id
from registry.core.card.pointers import child
from registry.core.card.uris import EXTENSION_URI
from registry.core.errors import Finding
from registry.core.formats import checks, members
from registry.core.formats.spelling import did_you_mean
from registry.core.formats.structure import bounded, limit_findings, misspelt_members, structure_findings, without_nulls

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from registry.core.card.model import Card, Json

SCHEMA = "a2a-contract-v1"


@dataclass(frozen=True, slots=True)
class Carried:
    """What our extension says about an agent. ``operations`` hold the skills that it speaks about."""

    operations: Mapping[str, Operation] = field(default_factory=dict)
    capabilities: tuple[str, ...] = ()
    tools: Mapping[str, Tool] = field(default_factory=dict)
    guarantees: Guarantees = field(default_factory=Guarantees)
    limits: Mapping[str, float] = field(default_factory=dict)
    budget: Mapping[str, float] = field(default_factory=dict)
    agent_id: str | None = None
    version: str | None = None
    owner: str | None = None
    contract_digest: str | None = None
    pointer: str = ""


def place_of(card: Json) -> tuple[str, Json] | None:
    """Return the pointer and the params of our extension in a card, None when it has none; tolerates any JSON."""
    capabilities = card.get("capabilities") if isinstance(card, dict) else None
    extensions = capabilities.get("extensions") if isinstance(capabilities, dict) else None
    for at, extension in enumerate(extensions if isinstance(extensions, list) else ()):
        if isinstance(extension, dict) and extension.get("uri") == EXTENSION_URI:
            return f"/capabilities/extensions/{at}/params", extension.get("params")
    return None


def params_findings(params: Json, pointer: str, skills: Json) -> list[Finding]:
    """Return everything that is wrong in our extension's params, given the card's skills; tolerates any JSON."""
    if not isinstance(params, dict):
        return []  # absent, or of a wrong type: the card's schema says so
    stripped, nulls = without_nulls(params, SCHEMA)
    structure = list(bounded(structure_findings(stripped, SCHEMA)))
    if any(finding.code == "too-many-findings" for finding in structure):
        return [replace(finding, pointer=pointer + finding.pointer) for finding in (*nulls, *structure)]
    meaning = _meaning(well_formed(stripped, structure) if structure else stripped, skills)
    findings = [*nulls, *structure, *bounded(unless_consequences(meaning) if structure else meaning)]
    for place, name, meant in misspelt_members(stripped, SCHEMA):
        message = f"`{name}` means nothing here; did you mean `{meant}`?"
        findings.append(Finding("unknown-member", place, message, "warning"))
    findings += limit_findings(stripped, SCHEMA)
    if "contract_digest" not in stripped:
        message = "`contract_digest` is missing; `cards publish` can't tell whether the contract was changed on the way"
        findings.append(Finding("no-contract-digest", "", message, "warning"))
    return [replace(finding, pointer=pointer + finding.pointer) for finding in findings]


def _meaning(params: dict[str, Json], skills: Json) -> Iterator[Finding]:
    operations = params.get("operations", {})
    give_names(operations.values(), params.get("tools", ()))
    yield from _unknown_skills(operations, skills)
    holders = [(child("/operations", name), operation) for name, operation in operations.items()]
    yield from contract_findings(holders, read_params(params, "").operations, params.get("tools", ()))
    agent_id = params.get("agent_id")
    if agent_id is not None and not is_agent_id(agent_id):
        message = (
            f"`{agent_id[:60]}` is no agent ID; write a reverse domain name in lower case, such as `com.example.x`"
        )
        yield Finding("agent-id", "/agent_id", message)


def _unknown_skills(operations: Iterable[str], skills: Json) -> Iterator[Finding]:
    ids = [checks.member(skill, "id") for skill in skills] if isinstance(skills, list) else [None]
    known = [each for each in ids if isinstance(each, str)]
    if len(known) < len(ids):
        return  # a skill that can't be read may be the one
    names = set(known)
    for operation_id in operations:
        if operation_id not in names:
            hint = did_you_mean(operation_id, known)
            message = f"`{operation_id[:60]}` is the ID of no skill{hint}"
            yield Finding("unknown-skill", child("/operations", operation_id), message)


def read_params(params: Mapping[str, Json], pointer: str) -> Carried:
    """Return what params without errors say (see ``params_findings``)."""
    says, _ = without_nulls(params, SCHEMA)
    operations = says.get("operations", {})
    return Carried(
        operations={name: _operation(name, body, f"{pointer}/operations") for name, body in operations.items()},
        capabilities=tuple(says.get("capabilities", ())),
        tools=members.tools(says, pointer),
        guarantees=Guarantees(**{name: says.get("guarantees", {}).get(name) for name in _guarantee_names()}),
        limits=says.get("limits", {}),
        budget=says.get("budget", {}),
        agent_id=says.get("agent_id"),
        version=says.get("version"),
        owner=says.get("owner"),
        contract_digest=says.get("contract_digest"),
        pointer=pointer,
    )


def _operation(name: str, body: Mapping[str, Json], parent: str) -> Operation:
    pointer = child(parent, name)
    failures = body.get("failures", [])
    return Operation(
        id=name,
        name=name,
        description="",
        input=members.shape(body, "input", pointer),
        output=members.shape(body, "output", pointer),
        pauses=members.pauses(body, pointer),
        failures={item["kind"]: _failure(item, child(f"{pointer}/failures", at)) for at, item in enumerate(failures)},
        examples=members.examples(body, pointer),
        pointer=pointer,
    )


def _failure(body: Mapping[str, Json], pointer: str) -> Failure:
    known = {item.name for item in fields(Failure)} - {"pointer"}
    return Failure(**{name: value for name, value in body.items() if name in known}, pointer=pointer)


def _guarantee_names() -> tuple[str, ...]:
    return tuple(item.name for item in fields(Guarantees))


def write_params(card: Card) -> dict[str, Json]:
    """Return the params that carry a card's contract; reading them back gives the same contract."""
    contract = card.contract
    written: dict[str, Json] = {
        "contract_digest": card.digests.contract,
        "agent_id": card.agent_id,
        "version": card.version,
        "owner": card.owner,
        "operations": {name: _write_operation(operation) for name, operation in contract.operations.items()},
        "capabilities": list(contract.capabilities),
        "tools": [_write_tool(tool) for tool in contract.tools.values()],
        "guarantees": _given({name: getattr(contract.guarantees, name) for name in _guarantee_names()}),
        "limits": dict(contract.limits),
        "budget": dict(contract.budget),
    }
    return {name: value for name, value in written.items() if value not in (None, [], {})}


def _write_operation(operation: Operation) -> dict[str, Json]:
    written: dict[str, Json] = {**_write_shape(operation.input, "input"), **_write_shape(operation.output, "output")}
    if operation.pauses:
        written["pauses"] = {
            name: {"description": pause.description, **_write_shape(pause.answer, "answer")}
            for name, pause in operation.pauses.items()
        }
    if operation.failures:
        written["failures"] = [_write_fields(failure) for failure in operation.failures.values()]
    if operation.examples:
        written["examples"] = [_write_example(example) for example in operation.examples]
    return written


def _write_shape(shape: Shape, name: str) -> dict[str, Json]:
    if isinstance(shape, Text):
        return {name: "text"}
    return {f"{name}_schema": shape.schema} if isinstance(shape, JsonSchema) else {}


def _write_fields(failure: Failure) -> dict[str, Json]:
    return _given({item.name: getattr(failure, item.name) for item in fields(Failure) if item.name != "pointer"})


def _write_example(example: Example) -> dict[str, Json]:
    return {"name": example.name, **{name: getattr(example, name) for name in sorted(example.members)}}


def _write_tool(tool: Tool) -> dict[str, Json]:
    hints = {theirs: getattr(tool, ours) for ours, theirs in members.ANNOTATIONS.items()}
    document = {name: value for name, value in tool.document.items() if name != "annotations"}
    annotations = {**tool.document.get("annotations", {}), **_given(hints)}
    return {**document, "name": tool.name, **({"annotations": annotations} if annotations else {})}


def _given(given: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in given.items() if value is not None}
