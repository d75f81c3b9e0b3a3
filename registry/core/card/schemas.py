"""What is wrong, or odd, in a schema of a contract."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from registry.core.card import drawing, metaschemas, pointers
from registry.core.card.events import kind_of
from registry.core.card.keywords import DIALECT_NAMES, DIALECTS, KEYWORDS, dialect_of, knows, replacement
from registry.core.card.near_misses import closest
from registry.core.card.references import Graph, idle_cycles, tangles
from registry.core.card.satisfiability import Allowance
from registry.core.errors import Finding
from registry.core.solver.regex_syntax import InvalidPattern
from registry.core.solver.regex_syntax import parse as parse_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from registry.core.card.model import Json
    from registry.core.card.references import Node

MAX_DEPTH = 150
MAX_ERRORS = 100
MAX_SUBSCHEMAS = 15_000  # of a card; 1 MiB of real schemas has fewer
MAX_UNKNOWN_KEYWORDS = 30
# What all pointers of a schema's parts come to. Real ones of 1 MiB stay below 10 million characters.
MAX_POINTER_VOLUME = 32_000_000
OPENAPI = frozenset({"nullable", "discriminator", "xml", "externalDocs", "example"})


def schema_findings(schemas: Iterable[tuple[str, Json]]) -> Iterator[Finding]:
    """Yield everything that is wrong or odd in the self-contained schemas of a card, each given with its pointer.

    Errors: no schema, an unknown dialect, references that leave the schema, point nowhere or go in circles, patterns
    that are not ECMA-262, a schema that no value satisfies, a pair to compare that is none. Warnings: a root that is
    no object, keywords that nobody reads, names to show first that are no properties. Bounded for hostile input:
    over MAX_SUBSCHEMAS in all of them together are refused.
    """
    subschemas = 0
    allowance = Allowance()
    for pointer, schema in schemas:
        unusable = _unusable(schema)
        if unusable is not None:
            yield replace(unusable, pointer=pointer)
            continue
        graph = Graph(schema)
        subschemas += len(graph.nodes)
        if subschemas > MAX_SUBSCHEMAS:
            message = f"brings the card's schemas to over {MAX_SUBSCHEMAS:,} subschemas; what follows isn't examined"
            yield Finding("too-many-subschemas", pointer, message)
            return
        yield from (replace(finding, pointer=pointer + finding.pointer) for finding in _findings(graph, allowance))


def _unusable(schema: Json) -> Finding | None:
    if not isinstance(schema, dict | bool):
        return Finding("not-a-schema", "", f"is {kind_of(schema)}; a schema is an object, true or false")
    if _is_deeper(schema, MAX_DEPTH):
        return Finding("too-deep", "", f"is deeper than {MAX_DEPTH} levels; flatten it with `$defs`")
    return None


def _findings(graph: Graph, allowance: Allowance) -> list[Finding]:
    if graph.pointer_volume > MAX_POINTER_VOLUME:
        message = "has too many parts under names that are too long; split or shorten it"
        return [Finding("schema-too-large", "", message)]
    errors = list(islice(_errors(graph), MAX_ERRORS))
    if len(errors) == MAX_ERRORS:
        errors.append(Finding("too-many-findings", "", "has more faults; the rest isn't listed"))
    return [*(errors or allowance.findings(graph)), *_warnings(graph)]


def _errors(graph: Graph) -> Iterator[Finding]:
    for node in graph.nodes:
        if isinstance(node.schema, dict) and dialect_of(node.schema, node.dialect) is None:
            yield _unknown_dialect(node)
        yield from metaschemas.node_findings(node)
        yield from _pattern_findings(node)
    yield from graph.findings
    cycles = list(idle_cycles(graph))
    yield from cycles or tangles(graph)
    yield from drawing.pair_findings(graph)


def _unknown_dialect(node: Node) -> Finding:
    named = node.schema["$schema"]
    at = pointers.child(node.pointer(), "$schema")
    if not isinstance(named, str):
        return Finding("unknown-dialect", at, f"is {kind_of(named)}; name the dialect by its URI, or leave it out")
    return Finding(
        "unknown-dialect",
        at,
        f"`{named[:120]}` is no dialect that is known here ({', '.join(DIALECT_NAMES.values())})"
        f"{closest(named, DIALECTS)}",
    )


def _pattern_findings(node: Node) -> Iterator[Finding]:
    if not isinstance(node.schema, dict):
        return
    pattern, keyed = node.schema.get("pattern"), node.schema.get("patternProperties")
    places: list[tuple[tuple[str, ...], str]] = []
    if isinstance(pattern, str):
        places.append((("pattern",), pattern))
    if isinstance(keyed, dict):
        places.extend((("patternProperties", name), name) for name in keyed)
    for path, text in places:
        try:
            parse_pattern(text)
        except InvalidPattern as error:
            shown = text if len(text) <= 80 else f"{text[:80]}..."
            message = f"`{shown}` is no ECMA-262 regular expression: {error}"
            yield Finding("invalid-pattern", pointers.join(node.pointer(), path), message)


def _warnings(graph: Graph) -> Iterator[Finding]:
    if not _is_object(graph.root):
        message = "describes something else than an object at its root; an object can learn new properties later"
        yield Finding("root-not-an-object", "", message, "warning")
    yield from _keyword_findings(graph)
    yield from drawing.order_findings(graph)


def _is_object(root: Node) -> bool:
    """Return whether a schema takes objects only, as far as its own text and what it refers to say."""
    seen: set[int] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        if id(node) in seen or not isinstance(node.schema, dict):
            continue
        seen.add(id(node))
        kind, constant = node.schema.get("type"), node.schema.get("const")
        if kind in ("object", ["object"]) or isinstance(constant, dict):
            return True
        # One that all of several alternatives share would do, but a single branch says enough for a warning.
        stack.extend(
            below for keyword, below in node.in_place() if keyword in {"allOf", "anyOf", "oneOf", "$ref", "$dynamicRef"}
        )
    return False


def _keyword_findings(graph: Graph) -> Iterator[Finding]:
    seen: set[str] = set()
    for node in graph.nodes:
        for keyword in node.schema if isinstance(node.schema, dict) else ():
            if keyword in seen or keyword.startswith("x-") or knows(node.dialect, keyword):
                continue
            seen.add(keyword)
            at = pointers.child(node.pointer(), keyword)
            yield Finding("unknown-keyword", at, _unknown_keyword(keyword, node), "warning")
            if len(seen) >= MAX_UNKNOWN_KEYWORDS:
                return
        if not node.is_listed:
            message = "is used as a schema but stands where none is expected; move it under `$defs` to have it compared"
            yield Finding("unlisted-schema", node.pointer(), message, "warning")


def _unknown_keyword(keyword: str, node: Node) -> str:
    shown = f"`{keyword[:80]}`"
    dialect = DIALECT_NAMES[node.dialect]
    if keyword == "nullable":
        return 'is OpenAPI 3.0, not JSON Schema, and nobody obeys it here; write `type: [..., "null"]`'
    if keyword in OPENAPI:
        return f"{shown} is OpenAPI, not JSON Schema, and nobody obeys it here"
    if (other := replacement(keyword)) is not None:
        return f"{shown} means nothing in {dialect}; write {other}, or say an older dialect in `$schema`"
    if keyword in KEYWORDS:
        return f"{shown} means nothing in {dialect} yet; say a newer dialect in `$schema`"
    return f"{shown} is no keyword of {dialect}, so it is obeyed by nobody{closest(keyword, KEYWORDS)}"


def _is_deeper(value: Json, limit: int) -> bool:
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > limit:
            return True
        below: list[Json] = []
        for item in level:
            if isinstance(item, dict):
                below.extend(inner for inner in item.values() if isinstance(inner, dict | list))
            elif isinstance(item, list):
                below.extend(inner for inner in item if isinstance(inner, dict | list))
        level = below
    return False
