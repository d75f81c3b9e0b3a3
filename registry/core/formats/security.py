"""Security schemes and requirements in both spellings, and the way from the older one to A2A 1.0's.

0.x writes a scheme as OpenAPI does (``{"type": "http", "scheme": "bearer"}``), 1.0 in a wrapper
(``{"httpAuthSecurityScheme": {"scheme": "bearer"}}``). 1.0 allows one OAuth flow a scheme: a scheme with several
becomes one scheme a flow, and each requirement that names it one alternative a flow.
"""

from __future__ import annotations

import json
from itertools import product
from typing import TYPE_CHECKING

from registry.core.card.pointers import child
from registry.core.errors import Finding
from registry.core.formats.spelling import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from registry.core.card.model import Json

Requirement = dict[str, tuple[str, ...]]

MAX_ALTERNATIVES = 256  # of one card, skills included: a small card must not become a large one
WRAPPERS: Mapping[str, str] = {
    "apiKey": "apiKeySecurityScheme",
    "http": "httpAuthSecurityScheme",
    "oauth2": "oauth2SecurityScheme",
    "openIdConnect": "openIdConnectSecurityScheme",
    "mutualTLS": "mtlsSecurityScheme",
}
TYPES: Mapping[str, str] = {wrapper: kind for kind, wrapper in WRAPPERS.items()}
FLOWS = ("authorizationCode", "clientCredentials", "deviceCode", "implicit", "password")


def lift_scheme(scheme: Mapping[str, Json]) -> dict[str, Json]:
    """Return a 0.x scheme in the 1.0 spelling."""
    kind = scheme["type"]
    body = {name: member for name, member in scheme.items() if name != "type" and name not in TYPES}
    if kind == "apiKey" and "in" in body:
        body["location"] = body.pop("in")
    return {WRAPPERS[kind]: body}


def lower_scheme(scheme: Mapping[str, Json]) -> dict[str, Json]:
    """Return a 1.0 scheme in the 0.3 spelling. A ``deviceCode`` flow stays where it is: 0.3 has no name for it."""
    wrapper = next(name for name in TYPES if name in scheme)
    body = dict(scheme[wrapper])
    if wrapper == "apiKeySecurityScheme" and "location" in body:
        body["in"] = body.pop("location")
    return {"type": TYPES[wrapper], **body}


def lift_schemes(schemes: Mapping[str, Json]) -> tuple[dict[str, Json], dict[str, tuple[str, ...]]]:
    """Return 0.x schemes in the 1.0 spelling, and for each old name the new names that stand for it."""
    lifted: dict[str, Json] = {}
    names: dict[str, tuple[str, ...]] = {}
    for name, scheme in schemes.items():
        parts = _one_flow_each(name, lift_scheme(scheme), taken=schemes)
        lifted.update(parts)
        names[name] = tuple(parts)
    return lifted, names


def _one_flow_each(name: str, scheme: dict[str, Json], taken: Collection[str]) -> dict[str, Json]:
    body = scheme.get("oauth2SecurityScheme", {})
    flows = body.get("flows", {})
    present = [flow for flow in FLOWS if flow in flows]
    if len(present) < 2:
        return {name: scheme}
    parts: dict[str, Json] = {}
    for flow in present:
        other = {key: value for key, value in flows.items() if key not in FLOWS} if flow == present[0] else {}
        part_name = f"{name}-{flow}"
        while part_name in taken:
            part_name += "-flow"
        parts[part_name] = {"oauth2SecurityScheme": {**body, "flows": {flow: flows[flow], **other}}}
    return parts


def lift_requirements(
    requirements: Sequence[Mapping[str, Sequence[str]]], names: Mapping[str, tuple[str, ...]]
) -> list[Json]:
    """Return 0.x requirements (an OR of ANDs) in the 1.0 spelling; ``names`` is what ``lift_schemes`` returned."""
    lifted: dict[str, Json] = {}
    for requirement in requirements:
        for choice in product(*(names[name] for name in requirement)):
            scopes = zip(choice, requirement.values(), strict=True)
            alternative = {"schemes": {name: {"list": list(wanted)} if wanted else {} for name, wanted in scopes}}
            lifted.setdefault(json.dumps(alternative, sort_keys=True), alternative)
    return list(lifted.values())


def count_alternatives(requirements: Json, schemes: Json) -> int:
    """Return how many alternatives several OAuth flows would make of requirements, at most; tolerates any JSON.

    Requirements without such schemes count nothing: they stay as they are.
    """
    total = 0
    for requirement in requirements if isinstance(requirements, list) else ():
        alternatives = 1
        for name in requirement if isinstance(requirement, dict) else ():
            alternatives *= max(_flow_count(schemes, name), 1)
            if alternatives > MAX_ALTERNATIVES:
                return alternatives
        if alternatives > 1:
            # Each alternative repeats the whole requirement, so a long one counts as several.
            total += alternatives * (1 + len(requirement) // MAX_ALTERNATIVES)
    return total


def _flow_count(schemes: Json, name: str) -> int:
    scheme = schemes.get(name) if isinstance(schemes, dict) else None
    flows = scheme.get("flows") if isinstance(scheme, dict) else None
    return sum(flow in flows for flow in FLOWS) if isinstance(flows, dict) else 0


def lower_requirements(requirements: Sequence[Mapping[str, Json]]) -> list[Json]:
    """Return 1.0 requirements in the 0.x spelling."""
    return [{name: list(scopes) for name, scopes in requirement.items()} for requirement in _read(requirements)]


def contract_schemes(schemes: Mapping[str, Json]) -> dict[str, Json]:
    """Return 1.0 schemes as a contract holds them: the wrapper alone, without texts and without what says nothing."""
    return {name: _contract_scheme(scheme) for name, scheme in schemes.items()}


def _contract_scheme(scheme: Mapping[str, Json]) -> dict[str, Json]:
    wrapper = next(name for name in TYPES if name in scheme)
    body = _promises(scheme[wrapper])
    if wrapper == "httpAuthSecurityScheme":
        body["scheme"] = scheme[wrapper]["scheme"].lower()  # RFC 9110 11.1: schemes are case-insensitive
    if "flows" in body:
        body["flows"] = {name: _contract_flow(flow) for name, flow in body["flows"].items()}
    return {wrapper: body}


def _contract_flow(flow: Json) -> Json:
    if not isinstance(flow, dict):
        return flow
    promises = _promises(flow)
    promises["scopes"] = dict.fromkeys(flow.get("scopes", ()), "")  # what a scope is called, not its text
    return promises


def _promises(body: Mapping[str, Json]) -> dict[str, Json]:
    return {
        name: value
        for name, value in body.items()
        if name != "description" and value != "" and not (name == "pkceRequired" and value is False)
    }


def contract_requirements(requirements: Sequence[Mapping[str, Json]] | None) -> tuple[Requirement, ...] | None:
    """Return 1.0 requirements as a contract holds them; None for none (ProtoJSON: an empty list is none)."""
    return tuple(_read(requirements)) if requirements else None


def _read(requirements: Sequence[Mapping[str, Json]]) -> Iterator[Requirement]:
    for requirement in requirements:
        schemes = requirement.get("schemes", {})
        yield {name: tuple(sorted(set(scopes.get("list", ())))) for name, scopes in schemes.items()}


def asks_something(requirements: Json) -> bool:
    """Return whether a requirements member (either spelling, any JSON) asks callers for credentials.

    An empty list asks nothing, nor does one with an empty alternative.
    """
    if isinstance(requirements, list):
        return bool(requirements) and {} not in requirements
    return bool(requirements)


def scheme_findings_1_0(schemes: Json, pointer: str) -> Iterator[Finding]:
    """Yield what a 1.0 card's schemes have from an older generation; tolerates any JSON."""
    for name, scheme in _members(schemes):
        if not isinstance(scheme, dict) or any(wrapper in scheme for wrapper in TYPES):
            continue
        wrapper = WRAPPERS.get(scheme["type"]) if isinstance(scheme.get("type"), str) else None
        if wrapper is not None:
            shown = _shown(lift_scheme(scheme), otherwise=f'{{"{wrapper}": {{...}}}}')
            yield Finding(
                "scheme-spelling",
                child(pointer, name),
                f"is written as in A2A 0.3; in 1.0 it is wrapped: write {shown}",
            )


def scheme_findings_0_x(schemes: Json, pointer: str) -> Iterator[Finding]:
    """Yield what a 0.x card's schemes have from 1.0; tolerates any JSON."""
    for name, scheme in _members(schemes):
        if not isinstance(scheme, dict):
            continue
        flows = scheme.get("flows")
        if scheme.get("type") == "oauth2" and isinstance(flows, dict) and not any(flow in flows for flow in FLOWS):
            message = f"has no OAuth flow that A2A knows; it needs one of {', '.join(FLOWS)}"
            yield Finding("missing-alternative", child(child(pointer, name), "flows"), message)
        if "type" in scheme:
            continue
        wrapper = next((wrapper for wrapper in TYPES if wrapper in scheme), None)
        if wrapper is not None:
            message = f'is written as in A2A 1.0; in 0.x it has a type: write {{"type": "{TYPES[wrapper]}", ...}}'
            yield Finding("scheme-spelling", child(pointer, name), message)


def requirement_findings_1_0(requirements: Json, pointer: str, schemes: Json) -> Iterator[Finding]:
    """Yield what is wrong in 1.0 requirements: spellings that read as "no authentication", names of no scheme."""
    for at, requirement in enumerate(requirements if isinstance(requirements, list) else ()):
        if not isinstance(requirement, dict):
            continue
        here = child(pointer, at)
        if "schemes" not in requirement and requirement:
            shown = _shown(_wrapped(requirement), otherwise='{"schemes": {"<scheme>": {"list": [...]}}}')
            message = f"has no `schemes`, so clients read it as no authentication; write {shown}"
            yield Finding("requirement-spelling", here, message)
            yield from _unknown_schemes(requirement, here, schemes)
            continue
        for name, scopes in _members(requirement.get("schemes")):
            if isinstance(scopes, list):
                shown = _shown(_wrapped({name: scopes}))
                message = f"has its scopes as a bare list, which ProtoJSON can't read; write {shown}"
                yield Finding("requirement-spelling", child(child(here, "schemes"), name), message)
        yield from _unknown_schemes(requirement.get("schemes"), child(here, "schemes"), schemes)


def requirement_findings_0_x(requirements: Json, pointer: str, schemes: Json) -> Iterator[Finding]:
    """Yield what is wrong in 0.x requirements: 1.0's spelling, names of no scheme; tolerates any JSON."""
    for at, requirement in enumerate(requirements if isinstance(requirements, list) else ()):
        here = child(pointer, at)
        inner = requirement.get("schemes") if isinstance(requirement, dict) else None
        if isinstance(inner, dict):
            message = 'is written as in A2A 1.0; in 0.x write {"<scheme>": ["<scope>", ...]}'
            yield Finding("requirement-spelling", child(here, "schemes"), message)
        else:
            yield from _unknown_schemes(requirement, here, schemes)


def _unknown_schemes(requirement: Json, pointer: str, schemes: Json) -> Iterator[Finding]:
    known = schemes if isinstance(schemes, dict) else {}
    for name, _ in _members(requirement):
        if name not in known:
            message = f"names `{name[:60]}`, which `securitySchemes` doesn't define{did_you_mean(name, known)}"
            yield Finding("unknown-scheme", child(pointer, name), message)


def _wrapped(requirement: Mapping[str, Json]) -> Json:
    return {"schemes": {name: {"list": scopes} if scopes else {} for name, scopes in requirement.items()}}


def _shown(value: Json, otherwise: str = "{...}") -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else otherwise


def _members(value: Json) -> list[tuple[str, Json]]:
    return list(value.items()) if isinstance(value, dict) else []
