"""The subschemas of one self-contained schema as a graph: which refers to which, and what leads nowhere.

Nodes know their parent instead of their pointer: in a hostile schema (a name of 400 KB around 60,000 properties) the
pointers of all nodes together would fill the memory.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import unquote, urldefrag, urljoin

from registry.core.card import pointers
from registry.core.card.keywords import DIALECTS, IN_PLACE, dialect_of, subschemas
from registry.core.card.metaschemas import meta_schema
from registry.core.card.uri_references import encoded, is_uri_reference
from registry.core.errors import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from registry.core.card.model import Json

MAX_POINTER_TOKENS = 256
MAX_URI = 2048
MAX_STEPS_IN_PLACE = 150  # validators recurse through them
MAX_WAYS = 10_000  # through one place; real schemas have at most 157
REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


@dataclass(eq=False, slots=True)
class Node:
    """One subschema: what it says, its dialect, its resource's URI, and where it stands."""

    schema: Json
    dialect: int
    base: str
    parent: Node | None = None
    path: tuple[str | int, ...] = ()
    pointer_size: int = 0
    is_listed: bool = True  # False where no keyword makes it a schema, but a reference does
    children: list[Node] = field(default_factory=list)
    targets: list[tuple[str, Node]] = field(default_factory=list)  # (keyword, what it refers to)

    def pointer(self) -> str:
        """Return the JSON Pointer from the document's root."""
        paths: list[tuple[str | int, ...]] = []
        node: Node | None = self
        while node is not None:
            paths.append(node.path)
            node = node.parent
        return "".join(pointers.join("", path) for path in reversed(paths))

    def in_place(self) -> Iterator[tuple[str, Node]]:
        """Yield the schemas that apply to the same value, each with the keyword that says so."""
        for below in self.children:
            if below.path[0] in IN_PLACE:
                yield str(below.path[0]), below
        yield from self.targets


class Graph:
    """Every subschema of a document, and its references resolved; ``findings`` hold those that can't be."""

    def __init__(self, schema: Json) -> None:
        self.nodes: list[Node] = []
        self.findings: list[Finding] = []
        self.pointer_volume = 0
        self._of: dict[int, Node] = {}
        self._resources: dict[str, Node] = {}
        self._anchors: dict[tuple[str, str], Node] = {}
        self.root = self._add(Node(schema, dialect_of(schema) or 2020, ""))
        self._resources[""] = self.root
        self._index(self.root)
        # A reference may lead to a place that no keyword makes a schema: that adds nodes on the way.
        for node in self.nodes:
            self._resolve_all(node)

    def _add(self, node: Node) -> Node:
        self.nodes.append(node)
        self.pointer_volume += node.pointer_size
        if isinstance(node.schema, dict):
            self._of.setdefault(id(node.schema), node)
        return node

    def _index(self, start: Node) -> None:
        stack = [start]
        while stack:
            node = stack.pop()
            if not isinstance(node.schema, dict):
                continue
            self._enter(node)
            for path, item in subschemas(node.schema, node.dialect):
                size = node.pointer_size + sum(len(str(token)) + 1 for token in path)
                below = self._add(Node(item, node.dialect, node.base, node, path, size))
                node.children.append(below)
                stack.append(below)

    def _enter(self, node: Node) -> None:
        """Let a subschema's own ``$schema``, ``$id`` and anchors hold from here on."""
        schema = node.schema
        node.dialect = dialect_of(schema, node.dialect) or node.dialect
        identifier = schema.get("id" if node.dialect == 4 else "$id")
        if isinstance(identifier, str) and not (node.dialect <= 7 and "$ref" in schema):
            self._identify(node, identifier)
        for keyword in ("$anchor", "$dynamicAnchor"):
            if isinstance(schema.get(keyword), str):
                self._name(node, keyword, schema[keyword])

    def _name(self, node: Node, keyword: str, anchor: str) -> None:
        taken = self._anchors.setdefault((node.base, anchor), node)
        if taken is not node:
            self._refuse(node, keyword, "duplicate-anchor", f"`{anchor[:80]}` is the anchor of two schemas")

    def _identify(self, node: Node, identifier: str) -> None:
        keyword = "id" if node.dialect == 4 else "$id"
        if len(identifier) > MAX_URI:
            self._refuse(node, keyword, "invalid-id", f"is longer than {MAX_URI} characters")
            return
        if identifier.startswith("#"):  # an anchor, up to draft 7
            self._name(node, keyword, identifier[1:])
            return
        if not is_uri_reference(identifier):
            message = f"`{identifier[:80]}` is no URI (RFC 3986); write `{encoded(identifier)[:120]}`"
            self._refuse(node, keyword, "invalid-id", message)
            return
        node.base = urldefrag(urljoin(node.base, identifier)).url[:MAX_URI]
        taken = self._resources.setdefault(node.base, node)
        if taken is not node and taken.schema != node.schema:
            self._refuse(node, keyword, "duplicate-id", f"`{identifier[:80]}` is the ID of two schemas")
        elif node.base in DIALECTS and node.schema != meta_schema(node.base):
            message = f"`{identifier[:80]}` is the ID of a dialect, and this is another schema; give it one of your own"
            self._refuse(node, keyword, "duplicate-id", message)

    def _resolve_all(self, node: Node) -> None:
        if not isinstance(node.schema, dict):
            return
        for keyword in REFERENCES:
            reference = node.schema.get(keyword)
            if isinstance(reference, str):
                target = self._resolve(node, keyword, reference)
                if target is not None:
                    node.targets.append((keyword, target))

    def _resolve(self, node: Node, keyword: str, reference: str) -> Node | None:
        shown = reference if len(reference) <= 120 else f"{reference[:120]}..."
        if not is_uri_reference(reference):
            message = f"`{shown}` is no URI reference (RFC 3986), and validators stop at it"
            self._refuse(node, keyword, "reference-invalid", f"{message}; write `{encoded(reference)[:120]}`")
            return None
        uri = node.base if reference.startswith("#") else urljoin(node.base, urldefrag(reference).url)
        fragment = unquote(reference.partition("#")[2])
        resource = self._resources.get(uri)
        if resource is None:
            then = "copy it into `$defs`" if "://" in reference else "bundle it, as `cards publish` does"
            message = f"refers to `{shown}`, outside of this document, and nothing is ever fetched; {then}"
            self._refuse(node, keyword, "reference-leaves", message)
            return None
        target = self._within(resource, uri, fragment)
        if target is None:
            self._refuse(node, keyword, "reference-dangling", f"`{shown}` points at no schema in this document")
        return target

    def _within(self, resource: Node, uri: str, fragment: str) -> Node | None:
        if not fragment.startswith("/"):
            return self._anchors.get((uri, fragment)) if fragment else resource
        tokens = pointers.split(fragment)
        if len(tokens) > MAX_POINTER_TOKENS:
            return None
        here: Json = resource.schema
        for token in tokens:
            if isinstance(here, dict) and token in here:
                here = here[token]
            elif isinstance(here, list) and token.isascii() and token.isdigit() and int(token[:9]) < len(here):
                here = here[int(token[:9])]
            else:
                return None
        if not isinstance(here, dict):
            return Node(here, resource.dialect, resource.base) if isinstance(here, bool) else None
        return self._of.get(id(here)) or self._unlisted(resource, here, tokens)

    def _unlisted(self, resource: Node, schema: Json, tokens: list[str]) -> Node:
        size = resource.pointer_size + sum(len(token) + 1 for token in tokens)
        node = Node(schema, resource.dialect, resource.base, resource, tuple(tokens), size, is_listed=False)
        self._index(self._add(node))
        return node

    def _refuse(self, node: Node, keyword: str, code: str, message: str) -> None:
        self.findings.append(Finding(code, pointers.child(node.pointer(), keyword), message))


def idle_cycles(graph: Graph) -> Iterator[Finding]:
    """Yield each reference that leads back to itself without going down into the value.

    Such a cycle has no meaning, and validators never return from it. Depth first, without recursion.
    """
    done: set[int] = set()
    for start in graph.nodes:
        path: dict[int, tuple[Node, Iterator[tuple[str, Node]]]] = {}
        if id(start) not in done:
            path[id(start)] = (start, start.in_place())
        while path:
            key, (node, following) = next(reversed(path.items()))
            step = next(following, None)
            if step is None:
                done.add(key)
                del path[key]
                continue
            keyword, target = step
            if id(target) in path and keyword in REFERENCES:
                message = "leads back to itself without going down into the value, so it means nothing; end the cycle"
                yield Finding("reference-cycle", pointers.child(node.pointer(), keyword), message)
            elif id(target) not in done and id(target) not in path:
                path[id(target)] = (target, target.in_place())


def tangles(graph: Graph) -> Iterator[Finding]:
    """Yield the first place that validators can't get through: too long a chain in place, or too many ways.

    Both hold for one value, so one place says enough. Expects a graph without idle cycles; linear.
    """
    counted: dict[int, tuple[int, int]] = {}  # how many ways lead through a node, and the longest of them
    for start in graph.nodes:
        stack = [start]
        while stack:
            node = stack[-1]
            inner = [below for _, below in node.in_place()]
            waiting = [below for below in inner if id(below) not in counted]
            if waiting and id(node) not in counted:
                stack.extend(waiting)
                continue
            stack.pop()
            ways = 1 + sum(counted[id(below)][0] for below in inner)
            steps = 1 + max((counted[id(below)][1] for below in inner), default=0)
            counted[id(node)] = ways, steps
            if ways > MAX_WAYS:
                message = (
                    f"leads through references and alternatives in over {MAX_WAYS:,} ways; validators never return"
                )
                yield Finding("reference-tangle", node.pointer(), message)
                return
            if steps > MAX_STEPS_IN_PLACE:
                message = (
                    f"leads through over {MAX_STEPS_IN_PLACE} references before anything is said; shorten the chain"
                )
                yield Finding("reference-chain", node.pointer(), message)
                return
