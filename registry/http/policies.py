"""Routes of namespaces: how they judge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from litestar.connection import Request
from litestar.handlers import put
from litestar.response import Response

from registry.catalog.records import PolicyCondition
from registry.core.compat.report import Policy
from registry.core.errors import Finding, InvalidRequest, PreconditionRequired
from registry.http.answers import conditional, if_match, json_answer, json_content
from registry.http.bodies import read_members
from registry.http.context import authenticated, services_of
from registry.http.etags import quoted
from registry.http.memory import Content
from registry.http.parameters import Query, path_text
from registry.http.reading import reads
from registry.http.rendering import namespace_json

if TYPE_CHECKING:
    from collections.abc import Mapping

AnyRequest = Request[Any, Any, Any]
Answer = Response[bytes]
PATH = "/v1/namespaces/{namespace:str}/policy"


@reads(PATH)
async def read_policy(request: AnyRequest) -> Answer:
    """Answer with a namespace's policy."""
    Query.of(request).done()
    namespace = await services_of(request).catalog.namespace(path_text(request, "namespace"))
    content = json_content(namespace_json(namespace))
    content = Content(content.body, content.media_type, namespace.etag)  # what If-Match wants
    return conditional(request, content, {"Registry-Sequence": str(namespace.sequence)})


@put(PATH, status_code=200)
async def set_policy(request: AnyRequest) -> Answer:
    """Register a namespace, or change how it judges from now on."""
    principal = await authenticated(request)
    Query.of(request).done()
    policy = _policy(await read_members(request, Policy.__slots__))
    services = services_of(request)
    name = path_text(request, "namespace")
    namespace, is_new = await services.catalog.set_policy(name, policy, principal, _condition(request))
    services.memory.forget_changing()
    headers = {"ETag": quoted(namespace.etag), "Registry-Sequence": str(namespace.sequence)}
    return json_answer(namespace_json(namespace), status=201 if is_new else 200, headers=headers)


def _condition(request: AnyRequest) -> PolicyCondition:
    """Return what the call says of what it changes. Raises PreconditionRequired when it says nothing."""
    match = if_match(request)
    is_new = ", ".join(request.headers.getall("if-none-match", [])).strip(" \t") == "*"
    if match is None and not is_new:
        raise PreconditionRequired(
            "send If-Match with the policy's ETag to change it, or `If-None-Match: *` to register the namespace"
        )
    return PolicyCondition(is_new, match)


def _policy(members: Mapping[str, Any]) -> Policy:
    """Return a policy whose members have their types; the catalog checks what they say."""
    default = Policy()
    profile, levels = members.get("profile", default.profile), members.get("levels", {})
    strict = members.get("strict", default.strict)
    findings = []
    if not isinstance(profile, str):
        findings.append(Finding("not-text", "/profile", "`profile` is a text"))
    if not isinstance(levels, dict) or not all(isinstance(level, str) for level in levels.values()):
        findings.append(Finding("not-levels", "/levels", "`levels` is an object of rules with their levels"))
    if not isinstance(strict, bool):
        findings.append(Finding("not-a-boolean", "/strict", "`strict` is true or false"))
    if findings:
        raise InvalidRequest(findings)
    return Policy(profile=profile, levels=levels, strict=strict)
