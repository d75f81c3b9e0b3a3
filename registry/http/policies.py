"""Routes of namespaces: how they judge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from litestar.connection import Request
from litestar.handlers import put
from litestar.response import Response

from registry.core.compat.report import Policy
from registry.core.errors import Finding, InvalidRequest
from registry.http.answers import conditional, json_answer, json_content
from registry.http.bodies import read_members
from registry.http.context import authenticated, services_of
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
    return conditional(request, json_content(namespace_json(namespace)))


@put(PATH, status_code=200)
async def set_policy(request: AnyRequest) -> Answer:
    """Register a namespace, or change how it judges from now on."""
    principal = await authenticated(request)
    Query.of(request).done()
    policy = _policy(await read_members(request, Policy.__slots__))
    catalog = services_of(request).catalog
    return json_answer(namespace_json(await catalog.set_policy(path_text(request, "namespace"), policy, principal)))


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
