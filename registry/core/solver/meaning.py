"""What a schema means, whatever its dialect: the same as a 2020-12 document, with a map back to the original.

Drafts 4, 6, 7, 2019-09 and 2020-12 are translated, each with its own rules: ``exclusiveMinimum`` as a boolean in
draft 4, ``$ref`` hiding its siblings up to draft 7, ``items`` as a list, ``dependencies``. Every ``$ref`` becomes a
JSON Pointer from the root; one that leaves the document is an error, and nothing is ever fetched.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urldefrag, urljoin

from registry.core.solver.dialects import DIALECTS, MANY, assertions, children, is_hidden
from registry.core.solver.dynamic_scope import Anchors, DynamicScope
from registry.core.solver.metaschemas import dialect_root, documents_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Json = Any

MAX_DEPTH = 200
MAX_COPIES = 300


class UnusableSchema(ValueError):
    """A schema can't be reasoned about; ``pointer`` says where, the message why; ``others`` are further faults."""

    def __init__(self, message: str, pointer: str, others: tuple[UnusableSchema, ...] = ()) -> None:
        self.message = message
        self.pointer = pointer
        self.others = others
        super().__init__(f"{pointer or '#'}: {message}")


@dataclass(frozen=True, slots=True)
class Meaning:
    """A 2020-12 document that means what the original does; ``origins`` maps its pointers to the original's."""

    schema: Json
    origins: Mapping[str, str]


def dialect(schema: Json) -> int:
    """Return the dialect that ``$schema`` names: 4, 6, 7, 2019 or 2020 (without one 2020).

    Raises UnusableSchema for an unknown one.
    """
    named = schema.get("$schema") if isinstance(schema, dict) else None
    if named is None:
        return 2020
    found = DIALECTS.get(named.removesuffix("#")) if isinstance(named, str) else None
    if found is None:
        raise UnusableSchema(f"the dialect {named!r} is not known", "/$schema")
    return found


def normalise(schema: Json) -> Meaning:
    """Return what a schema means as a 2020-12 document.

    Raises UnusableSchema for an unknown dialect, a reference that leaves the document or points nowhere, one that
    leads back to itself without going down into the value, and for nesting over 200.
    """
    translation = _Translation(schema)
    meaning = Meaning(translation.document(), translation.origins)
    if len(translation.counted) > 1:
        # 2019-09's "contains" evaluates no item, 2020-12's does: there is no short way to say the one in the other.
        raise UnusableSchema("2019-09's contains together with unevaluatedItems is not understood", "")
    if translation.faults:
        first, *others = translation.faults
        raise UnusableSchema(first.message, first.pointer, tuple(others))
    _refuse_idle_cycles(meaning.schema)
    return meaning


def _joined(base: str, reference: str) -> str:
    """Resolve a URI reference (RFC 3986, 5). Raises UnusableSchema for what is none, such as ``http://[``."""
    try:
        return urljoin(base, reference)
    except ValueError:
        raise UnusableSchema(f"{reference[:80]!r} is no URI reference", "") from None


@dataclass(frozen=True, slots=True)
class _Scope:
    """Where a subschema stands: its base URI, its dialect, and the resources around it."""

    base: str
    dialect: int
    dynamic: DynamicScope = field(default_factory=DynamicScope)


class _Translation:
    """One document's translation: first where its resources and anchors are, then the document itself."""

    def __init__(self, schema: Json) -> None:
        self.default = dialect(schema)
        self.origins: dict[str, str] = {}
        self.moved: dict[str, str] = {}  # original pointer -> new pointer
        self.resources: dict[str, str] = {"": ""}  # URI -> original pointer of the resource's root
        self.original = schema
        self.faults: list[UnusableSchema] = []
        self.is_extensible = False  # it has an anchor that takes over the meta-schemas' dynamic references
        self.counted: set[str] = set()
        self.documents: dict[str, Json] = {"": schema}  # meta-schemas stand beside it, by their URIs
        self.scopes: dict[str, _Scope] = {}  # original pointer -> where it stands
        self.adopted: list[tuple[str, str, _Scope]] = []  # what only references lead to: original and new pointer
        self.copies: dict[tuple[str, DynamicScope], str] = {}  # places that are met in another dynamic scope
        self.anchors = Anchors()
        self._index(schema, "", _Scope("", self.default))
        self._plan("", "", self._start())

    def _start(self) -> _Scope:
        return _Scope("", self.default, DynamicScope().entered("", self.anchors))

    def document(self) -> Json:
        """Return the whole translation; what only references lead to stands under ``$defs``."""
        whole = self.subschema(self.original, "", "", self._start(), 0)
        for old, new, scope in self.adopted:  # it grows on the way
            content = self.subschema(self._raw(old), old, new, scope, 0)
            whole.setdefault("$defs", {})[new.rpartition("/")[2]] = content
        return whole

    def _index(self, schema: Json, root: str, around: _Scope) -> None:
        """Note every ``$id`` and anchor, and where everything will stand."""
        stack: list[tuple[Json, str, _Scope, int]] = [(schema, root, around, 0)]
        while stack:
            node, pointer, scope, depth = stack.pop()
            if depth > MAX_DEPTH:
                raise UnusableSchema(f"the schema is nested over {MAX_DEPTH} deep", pointer)
            if not isinstance(node, dict):
                continue
            scope = self._scope(node, scope)
            if self._identifier(node, scope) is not None:
                self.resources.setdefault(scope.base, pointer)
            extends = root == "" and (node.get("$dynamicAnchor") == "meta" or node.get("$recursiveAnchor") is True)
            self.is_extensible = self.is_extensible or extends
            for name in ("$anchor", "$dynamicAnchor"):
                if isinstance(node.get(name), str):
                    self.resources.setdefault(f"{scope.base}#{node[name]}", pointer)
            if root == "":
                self._note_anchors(node, pointer, scope)
            identifier = node.get("id" if scope.dialect == 4 else "$id")
            if scope.dialect < 2019 and isinstance(identifier, str) and identifier.startswith("#"):
                self.resources.setdefault(scope.base + identifier, pointer)
            stack.extend((child, at, scope, depth + 1) for _, child, at, _ in children(node, pointer, scope.dialect))

    def _note_anchors(self, node: Mapping[str, Json], pointer: str, scope: _Scope) -> None:
        if scope.dialect == 2020 and isinstance(node.get("$dynamicAnchor"), str):
            self.anchors.dynamic.setdefault(scope.base, {}).setdefault(node["$dynamicAnchor"], pointer)
        is_root = pointer == "" or self._identifier(node, scope) is not None
        if scope.dialect == 2019 and node.get("$recursiveAnchor") is True and is_root:
            self.anchors.recursive.setdefault(scope.base, pointer)

    def _plan(self, root: str, to_root: str, around: _Scope) -> None:
        """Work out the new pointer of every place, before any reference to it is translated."""
        stack: list[tuple[Json, str, str, _Scope]] = [(self._raw(root), root, to_root, around)]
        while stack:
            node, old, new, scope = stack.pop()
            self.scopes[old] = scope
            self.moved[old] = new
            self.origins[new] = old
            if isinstance(node, dict):
                scope = self._scope(node, scope)
                stack.extend(
                    (child, at, new + to, scope)
                    for keyword, child, at, to in children(node, old, scope.dialect)
                    if not is_hidden(keyword, node, scope.dialect)
                )

    def _identifier(self, node: Mapping[str, Json], scope: _Scope) -> str | None:
        identifier = node.get("id" if scope.dialect == 4 else "$id")
        if not isinstance(identifier, str) or identifier.startswith("#") or (scope.dialect < 2019 and "$ref" in node):
            return None
        return identifier

    def _scope(self, node: Mapping[str, Json], scope: _Scope) -> _Scope:
        """Enter a subschema: its own ``$schema`` and ``$id`` hold from here on."""
        number = scope.dialect
        if isinstance(node.get("$schema"), str):
            number = DIALECTS.get(node["$schema"].removesuffix("#"), number)
        scope = replace(scope, dialect=number)
        identifier = self._identifier(node, scope)
        if identifier is None:
            return scope
        base = urldefrag(_joined(scope.base, identifier)).url
        return _Scope(base, number, scope.dynamic.entered(base, self.anchors))

    def target(self, reference: str, scope: _Scope, pointer: str) -> str:
        """Resolve a reference to the new pointer of what it names."""
        absolute, fragment = urldefrag(
            _joined(scope.base, reference) if reference[:1] != "#" else scope.base + reference
        )
        fragment = unquote(fragment)
        if fragment and not fragment.startswith("/"):
            found = self.resources.get(f"{absolute}#{fragment}")
            fragment = ""
        else:
            found = self.resources[absolute] if absolute in self.resources else self._metaschema(absolute)
        if found is None:
            self.faults.append(UnusableSchema(f"the reference {reference!r} leaves the document", f"{pointer}/$ref"))
            return ""
        if found + fragment not in self.moved and not self._adopt(found + fragment):
            self.faults.append(UnusableSchema(f"the reference {reference!r} points at no schema", f"{pointer}/$ref"))
            return ""
        return self._met(found + fragment, scope.dynamic)

    def _met(self, place: str, dynamic: DynamicScope) -> str:
        """Return the new pointer of a place that a reference leads to: of a copy, where the dynamic scope differs."""
        natural = self.scopes[place]
        node = self._raw(place)
        within = self._scope(node, natural) if isinstance(node, dict) else natural
        inside = dynamic.entered(within.base, self.anchors)
        if inside == within.dynamic:
            return self.moved[place]
        if (place, inside) not in self.copies:
            if len(self.copies) >= MAX_COPIES:
                raise UnusableSchema("dynamic references lead through too many scopes", place)
            new = self._free()
            self.copies[place, inside] = new
            self.origins[new] = place
            self.adopted.append((place, new, replace(natural, dynamic=inside)))
        return self.copies[place, inside]

    def _free(self) -> str:
        """Return a new pointer for what only references lead to."""
        name = f"adopted{len(self.adopted)}"
        while name in self.original.get("$defs", {}):
            name += "_"
        return f"/$defs/{name}"

    def _metaschema(self, uri: str) -> str | None:
        """Take a dialect's meta-schema in, with its vocabularies; return its root's pointer."""
        for name, content in documents_of(uri).items():
            self.documents[name] = content
            self._index(content, name, _Scope(name, DIALECTS[uri]))
            self.scopes[name] = _Scope(name, DIALECTS[uri])
        return uri if uri in self.documents and uri else None

    def _adopt(self, place: str) -> bool:
        """Plan a place for what stands under a keyword that nobody knows, or in a meta-schema."""
        node = self._raw(place)
        if not isinstance(node, dict | bool):
            return False
        around = place
        while around not in self.scopes:
            around = around.rpartition("/")[0]
        new = self._free()
        self.adopted.append((place, new, self.scopes[around]))
        self._plan(place, new, self.scopes[around])
        return True

    def _raw(self, place: str) -> Json:
        """Return what an original pointer names, None where it names nothing."""
        root = max((each for each in self.documents if place.startswith(each)), key=len)
        node = self.documents[root]
        for step in place[len(root) :].split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            if isinstance(node, list):
                node = node[int(name)] if name.isdecimal() and len(name) < 8 and int(name) < len(node) else None
            else:
                node = node.get(name) if isinstance(node, dict) else None
        return node

    def subschema(self, node: Json, old: str, new: str, scope: _Scope, depth: int) -> Json:
        """Translate one subschema that stood at ``old`` and will stand at ``new``."""
        if isinstance(node, bool):
            return node
        if not isinstance(node, dict):
            raise UnusableSchema("a schema is an object or a boolean", old)
        scope = self._scope(node, scope)
        self.origins.setdefault(new, old)
        if scope.dialect == 2019:
            self.counted |= node.keys() & {"contains", "unevaluatedItems"}
        result: dict[str, Json] = {}
        hidden = scope.dialect < 2019 and "$ref" in node
        for keyword, child, at, to in children(node, old, scope.dialect):
            if is_hidden(keyword, node, scope.dialect):
                continue
            self._place(result, to, self.subschema(child, at, new + to, scope, depth + 1))
        if "$ref" in node:
            if not isinstance(node["$ref"], str):
                raise UnusableSchema("a reference is a text", f"{old}/$ref")
            result["$ref"] = "#" + self.target(node["$ref"], scope, old)
        result.update(self._dynamic(node, old, scope, result))
        if not hidden:
            result.update(assertions(node, scope.dialect))
            # An empty one asks nothing, but it is naming (docs/closing.md).
            result.update({name: {} for name in ("properties", "patternProperties") if node.get(name) == {}})
        return result

    def _dynamic(self, node: Json, old: str, scope: _Scope, result: Mapping[str, Json]) -> dict[str, Json]:
        """Translate a dynamic reference to the place that it names in this dynamic scope.

        One beside a ``$ref`` stays, and whoever meets it gives up.
        """
        keyword = {2019: "$recursiveRef", 2020: "$dynamicRef"}.get(scope.dialect, "")
        reference = node.get(keyword)
        if reference is None:
            return {}
        if not isinstance(reference, str) or "$ref" in result:
            return {"$dynamicRef": reference}
        root = dialect_root(scope.base)
        if root in self.documents:
            return {"$dynamicRef": reference} if self.is_extensible else {"$ref": "#" + self.target(root, scope, old)}
        if scope.dialect == 2019:
            return self._recursive(reference, scope, old)
        absolute, name = urldefrag(_joined(scope.base, reference))
        place = scope.dynamic.resolve(name, self.anchors.dynamic.get(absolute, {}))
        to = self.target(reference, scope, old) if place is None else self._met(place, scope.dynamic)
        return {"$ref": "#" + to}

    def _recursive(self, reference: str, scope: _Scope, old: str) -> dict[str, Json]:
        """Translate 2019-09's ``$recursiveRef``; it stays where implementations differ about what it names."""
        if scope.base not in self.anchors.recursive:
            return {"$ref": "#" + self.target(reference, scope, old)}
        place = scope.dynamic.outermost
        if place is None or place != scope.dynamic.unbroken:
            return {"$dynamicRef": reference}
        return {"$ref": "#" + self._met(place, scope.dynamic)}

    @staticmethod
    def _place(result: dict[str, Json], to: str, child: Json) -> None:
        """Put a child where its new, relative pointer says."""
        keyword, _, name = to[1:].partition("/")
        keyword, name = keyword.replace("~1", "/").replace("~0", "~"), name.replace("~1", "/").replace("~0", "~")
        if "/" not in to[1:]:
            result[keyword] = child
        elif keyword in MANY:
            result.setdefault(keyword, []).append(child)
        else:
            result.setdefault(keyword, {})[name] = child


def _refuse_idle_cycles(schema: Json) -> None:
    """Refuse a ``$ref`` cycle that consumes nothing of the value: it has no meaning and hangs validators."""
    idle: dict[str, list[str]] = {}
    stack: list[tuple[Json, str]] = [(schema, "")]
    while stack:
        node, pointer = stack.pop()
        if not isinstance(node, dict):
            continue
        same: list[str] = [node["$ref"][1:]] if "$ref" in node else []
        for keyword, child, at, _ in children(node, pointer, 2020):
            stack.append((child, at))
            if keyword in ("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"):
                same.append(at)
        idle[pointer] = same
    done: set[str] = set()
    for start, steps in idle.items():
        path: dict[str, Iterator[str]] = {start: iter(steps)} if start not in done else {}
        while path:
            last = next(reversed(path))
            following = next(path[last], None)
            if following is None:
                done.add(last)
                del path[last]
            elif following in path:
                raise UnusableSchema("the reference leads back to itself without going into the value", last)
            elif following not in done:
                path[following] = iter(idle.get(following, []))
