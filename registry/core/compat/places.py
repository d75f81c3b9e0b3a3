"""The places of a value that a schema names: properties, items, and the values of maps.

A place is a path of steps: ``.name`` for a property, ``[]`` for an item, ``[2]`` for a position, ``{}`` for the value
of a name that isn't written out. It is written ``orders[].lines[].price``.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import unquote

from registry.core.solver.dialects import token
from registry.core.solver.meaning import UnusableSchema, normalise
from registry.core.solver.regex_matcher import search_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from registry.core.solver.meaning import Meaning

Json = Any
Path = tuple[str, ...]
_Visit = tuple[Path, str, Json, frozenset[str]]  # path, pointer, schema, references that led here

MAX_PLACES = 2_000
MAX_VISITS = 20_000
MAX_STEPS = 12
ANNOTATIONS: tuple[Literal["default", "format"], ...] = ("default", "format")
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_PLAIN = re.compile(r"[A-Za-z_$][\w$-]*", re.ASCII)


@dataclass(slots=True)
class Place:
    """What a schema says of one place, over everything that applies there together.

    ``pointers`` are into the schema as it was written; ``annotations`` hold defaults and formats with their pointers;
    ``patterns`` name properties without writing them out, and so does ``open_ended`` (a schema for all others).
    """

    pointers: list[str] = field(default_factory=list)
    annotations: dict[str, list[tuple[str, Json]]] = field(default_factory=dict)
    patterns: list[str] = field(default_factory=list)
    open_ended: bool = False

    def names(self, name: str) -> bool:
        """Say whether a property is named here by a pattern, or by a schema for all other properties."""
        return self.open_ended or any(_matches(pattern, name) for pattern in self.patterns)


def named_places(schema: Json) -> dict[Path, Place]:
    """Return the places that a schema names, the root first, by their paths; empty for one that can't be read.

    Recursion is followed once along a path; at most 2,000 places, 12 steps deep.
    """
    try:
        meaning = normalise(schema)
    except (UnusableSchema, RecursionError):
        return {}
    found: dict[Path, Place] = {}
    queue: deque[_Visit] = deque([((), "", meaning.schema, frozenset({""}))])
    visits = 0
    while queue and len(found) < MAX_PLACES and visits < MAX_VISITS:
        visits += 1
        path, pointer, node, seen = queue.popleft()
        if not isinstance(node, dict) or len(path) > MAX_STEPS:
            if len(path) <= MAX_STEPS:
                _note(found, path, pointer, {}, meaning)
            continue
        _note(found, path, pointer, node, meaning)
        for below, step, each in _parts(path, pointer, node):
            queue.append((below, step, each, seen))
        if "$ref" in node:
            target = str(node["$ref"])[1:]
            if target not in seen:
                queue.append((path, target, fragment(meaning.schema, target), seen | {target}))
    return found


def _note(found: dict[Path, Place], path: Path, pointer: str, node: dict[str, Json], meaning: Meaning) -> None:
    place = found.setdefault(path, Place())
    origin = meaning.origins.get(pointer, pointer)
    place.pointers.append(origin)
    for keyword in ANNOTATIONS:
        if keyword in node:
            place.annotations.setdefault(keyword, []).append((f"{origin}/{keyword}", node[keyword]))
    place.patterns.extend(node.get("patternProperties", ()))
    rest = node.get("additionalProperties")
    place.open_ended = place.open_ended or (isinstance(rest, dict) and bool(rest))


def _parts(path: Path, pointer: str, node: dict[str, Json]) -> Iterator[tuple[Path, str, Json]]:
    """Yield the subschemas that describe the value or a part of it, each with its path and pointer."""
    for row in ("allOf", "anyOf", "oneOf"):
        for index, each in enumerate(node.get(row, ())):
            yield path, f"{pointer}/{row}/{index}", each
    for branch in ("then", "else"):
        if branch in node:
            yield path, f"{pointer}/{branch}", node[branch]
    for name, each in node.get("dependentSchemas", {}).items():
        yield path, f"{pointer}/dependentSchemas/{token(name)}", each
    for name, each in node.get("properties", {}).items():
        yield (*path, f".{name}"), f"{pointer}/properties/{token(name)}", each
    for name, each in node.get("patternProperties", {}).items():
        yield (*path, "{}"), f"{pointer}/patternProperties/{token(name)}", each
    if isinstance(node.get("additionalProperties"), dict):
        yield (*path, "{}"), f"{pointer}/additionalProperties", node["additionalProperties"]
    for index, each in enumerate(node.get("prefixItems", ())):
        yield (*path, f"[{index}]"), f"{pointer}/prefixItems/{index}", each
    if isinstance(node.get("items"), dict):
        yield (*path, "[]"), f"{pointer}/items", node["items"]


def fragment(schema: Json, pointer: str) -> Json:
    """Return what a pointer names in a schema, None when it names nothing."""
    node = schema
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(node, list):
            node = node[int(name)] if name.isdecimal() and len(name) < 8 and int(name) < len(node) else None
        else:
            node = node.get(name) if isinstance(node, dict) else None
    return node


def referenced(schema: Json, part: Json) -> dict[str, Json]:
    """Return what a part of a schema refers to, by reference; a reference of another kind leads to the whole schema."""
    found: dict[str, Json] = {}
    stack = [part]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            references = [node[name] for name in _REFERENCES if isinstance(node.get(name), str)]
            for each in references:
                if each not in found:
                    found[each] = fragment(schema, unquote(each[1:])) if each.startswith("#/") else schema
                    stack.append(found[each])
        stack.extend(node.values() if isinstance(node, dict) else node if isinstance(node, list) else ())
    return found


def holds_member(schema: Json, names: frozenset[str]) -> bool:
    """Say whether an object anywhere in a schema has a member of one of these names."""
    stack = [schema]
    while stack:
        node = stack.pop()
        if isinstance(node, dict) and not names.isdisjoint(node):
            return True
        stack.extend(node.values() if isinstance(node, dict) else node if isinstance(node, list) else ())
    return False


def exists(schema: Json, pointer: str) -> bool:
    """Say whether a pointer names something in a schema (null is something)."""
    parent, _, last = pointer.rpartition("/")
    if not pointer:
        return True
    node, name = fragment(schema, parent), last.replace("~1", "/").replace("~0", "~")
    if isinstance(node, dict):
        return name in node
    return isinstance(node, list) and name.isdecimal() and len(name) < 8 and int(name) < len(node)


def written(path: Path) -> str:
    """Return a path as people read it: ``orders[].price``; empty for the whole value."""
    return "".join(_step(step) for step in path).removeprefix(".")


def _step(step: str) -> str:
    if not step.startswith("."):
        return step
    return step if _PLAIN.fullmatch(step[1:]) else f"[{step[1:]!r}]"


def _matches(pattern: str, name: str) -> bool:
    try:
        return search_text(pattern, name)
    except ValueError:
        return True
