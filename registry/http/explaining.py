"""Routes of the rules by which changes are recognised."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from litestar.connection import Request
from litestar.response import Response

from registry.core.compat.rules import RULES
from registry.core.errors import NotFound
from registry.http.answers import conditional, json_content
from registry.http.parameters import Query, path_text
from registry.http.reading import reads

if TYPE_CHECKING:
    from registry.core.compat.rules import Rule

AnyRequest = Request[Any, Any, Any]
Answer = Response[bytes]


@reads("/v1/rules")
async def list_rules(request: AnyRequest) -> Answer:
    """List every rule."""
    Query.of(request).done()
    return conditional(request, json_content({"items": [_rule_json(rule) for rule in RULES.values()]}))


@reads("/v1/rules/{rule:str}")
async def read_rule(request: AnyRequest) -> Answer:
    """Answer with one rule."""
    Query.of(request).done()
    name = path_text(request, "rule")
    if name not in RULES:
        raise NotFound(f"there is no rule {name[:80]!r}; /v1/rules lists them")
    return conditional(request, json_content(_rule_json(RULES[name])))


def _rule_json(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "level": rule.level,
        "side": rule.side,
        "purpose": rule.purpose,
        "advice": rule.advice,
        "said_aloud": rule.said_aloud,
    }
