"""The route that says whether a value suits a version's contract."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from litestar.connection import Request
from litestar.handlers import post
from litestar.response import Response

from registry.core.errors import Finding, InvalidRequest, NotFound
from registry.http.answers import json_answer
from registry.http.bodies import read_members
from registry.http.context import services_of
from registry.http.parameters import Query
from registry.http.reading import operation_of
from registry.http.versions import PATH, selected

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from registry.core.card.model import Operation

AnyRequest = Request[Any, Any, Any]
Answer = Response[bytes]
SIDES = ("input", "output", "answer", "error")
MEMBERS = ("side", "operation", "pause", "instance")


@post(f"{PATH}/validate", status_code=200)
async def validate(request: AnyRequest) -> Answer:
    """Say whether an instance is a valid input, output, answer or error of an operation."""
    query = Query.of(request, "accept_forced")
    members = await read_members(request, MEMBERS)
    _check(members)
    record = await selected(request, query)
    catalog = services_of(request).catalog
    operation = operation_of(await catalog.card(record), members.get("operation"))
    side, instance = members.get("side", "input"), members["instance"]
    findings: Sequence[Finding]
    if side == "error":
        findings = _error_findings(operation, instance)
    else:
        part = f"pauses/{_pause(operation, members.get('pause'))}" if side == "answer" else side
        findings = await catalog.validate(record, instance, operation=operation.id, part=part)
    return json_answer(
        {
            "valid": not any(finding.level == "error" for finding in findings),
            "agent_id": record.agent_id,
            "version": record.version,
            "operation": operation.id,
            "side": side,
            "findings": [finding.as_json() for finding in findings],
        }
    )


def _check(members: Mapping[str, Any]) -> None:
    findings = []
    if "instance" not in members:
        findings.append(Finding("missing-member", "/instance", "`instance` is the value to check"))
    if members.get("side", "input") not in SIDES:
        findings.append(Finding("unknown-value", "/side", f"`side` is one of {', '.join(SIDES)}"))
    findings += [
        Finding("not-text", f"/{name}", f"`{name}` is a text")
        for name in ("operation", "pause")
        if not isinstance(members.get(name), (str, type(None)))
    ]
    if findings:
        raise InvalidRequest(findings)


def _pause(operation: Operation, name: str | None) -> str:
    """Return the pause whose answer is meant: the named one, or the only one."""
    if name is None and len(operation.pauses) == 1:
        return next(iter(operation.pauses))
    if name is None or name not in operation.pauses:
        has = ", ".join(operation.pauses) or "none"
        raise NotFound(f"name the `pause` that is answered; operation {operation.id!r} has {has}")
    return name


def _error_findings(operation: Operation, instance: Any) -> list[Finding]:
    """Check ``{error_code, message, retryable}`` against the failures that an operation declares."""
    if not isinstance(instance, dict):
        return [Finding("type", "", "an error is an object with `error_code`, `message` and `retryable`")]
    findings = []
    kind = instance.get("error_code")
    failure = operation.failures.get(kind) if isinstance(kind, str) else None
    if not isinstance(kind, str):
        findings.append(Finding("type", "/error_code", "`error_code` is a text"))
    elif failure is None:
        declared = ", ".join(operation.failures) or "none"
        message = f"{kind[:80]!r} is no failure that operation {operation.id!r} declares; it declares {declared}"
        findings.append(Finding("undeclared-failure", "/error_code", message))
    if not isinstance(instance.get("message", ""), str):
        findings.append(Finding("type", "/message", "`message` is a text"))
    retryable = instance.get("retryable")
    if "retryable" in instance and not isinstance(retryable, bool):
        findings.append(Finding("type", "/retryable", "`retryable` is true or false"))
    elif failure is not None and failure.retryable is True and retryable is False:
        message = f"the contract says that {failure.kind} is retryable, and this one says it is not"
        findings.append(Finding("less-than-declared", "/retryable", message))
    return findings
