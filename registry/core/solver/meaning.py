"""What a schema means, whatever its dialect: the same as a 2020-12 document, with a map back to the original.

Drafts 4, 6, 7, 2019-09 and 2020-12 are translated, each with its own rules: ``exclusiveMinimum`` as a boolean in
draft 4, ``$ref`` hiding its siblings up to draft 7, ``items`` as a list, ``dependencies``. Every ``$ref`` becomes a
JSON Pointer from the root; one that leaves the document is an error, and nothing is ever fetched.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urldefrag, urljoin

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Json = Any

MAX_DEPTH = 200
DIALECTS = {
    "http://json-schema.org/draft-04/schema": 4,
    "http://json-schema.org/draft-06/schema": 6,
    "http://json-schema.org/draft-07/schema": 7,
    "https://json-schema.org/draft/2019-09/schema": 2019,
    "https://json-schema.org/draft/2020-12/schema": 2020,
}

ONE = frozenset(
    {"not", "if", "then", "else", "contains", "propertyNames", "additionalProperties", "unevaluatedProperties"}
)
ONE_MORE = frozenset({"items", "additionalItems", "unevaluatedItems"})
MANY = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
NAMED = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})


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


def token(name: str) -> str:
    """Escape one reference token of a JSON Pointer (RFC 6901)."""
    return name.replace("~", "~0").replace("/", "~1")


def normalise(schema: Json) -> Meaning:
    """Return what a schema means as a 2020-12 document.

    Raises UnusableSchema for an unknown dialect, a reference that leaves the document or points nowhere, one that
    leads back to itself without going down into the value, and for nesting over 200.
    """
    translation = _Translation(schema)
    meaning = Meaning(translation.subschema(schema, "", "", _Scope("", translation.default), 0), translation.origins)
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
    """Where a subschema stands: its base URI and its dialect."""

    base: str
    dialect: int


class _Translation:
    """One document's translation: first where its resources and anchors are, then the document itself."""

    def __init__(self, schema: Json) -> None:
        self.default = dialect(schema)
        self.origins: dict[str, str] = {}
        self.moved: dict[str, str] = {}  # original pointer -> new pointer
        self.resources: dict[str, str] = {"": ""}  # URI -> original pointer of the resource's root
        self.original = schema
        self.faults: list[UnusableSchema] = []
        self.is_one_resource = True
        self.counted: set[str] = set()
        self._index(schema)
        self._plan()

    def _index(self, schema: Json) -> None:
        """Note every ``$id`` and anchor, and where everything will stand."""
        stack: list[tuple[Json, str, _Scope, int]] = [(schema, "", _Scope("", self.default), 0)]
        while stack:
            node, pointer, scope, depth = stack.pop()
            if depth > MAX_DEPTH:
                raise UnusableSchema(f"the schema is nested over {MAX_DEPTH} deep", pointer)
            if not isinstance(node, dict):
                continue
            scope = self._scope(node, scope)
            if self._identifier(node, scope) is not None:
                self.resources.setdefault(scope.base, pointer)
                self.is_one_resource = self.is_one_resource and pointer == ""
            for name in ("$anchor", "$dynamicAnchor"):
                if isinstance(node.get(name), str):
                    self.resources.setdefault(f"{scope.base}#{node[name]}", pointer)
            identifier = node.get("id" if scope.dialect == 4 else "$id")
            if scope.dialect < 2019 and isinstance(identifier, str) and identifier.startswith("#"):
                self.resources.setdefault(scope.base + identifier, pointer)
            stack.extend((child, at, scope, depth + 1) for _, child, at, _ in children(node, pointer, scope.dialect))

    def _plan(self) -> None:
        """Work out the new pointer of every place, before any reference is translated."""
        stack: list[tuple[Json, str, str, _Scope]] = [(self.original, "", "", _Scope("", self.default))]
        while stack:
            node, old, new, scope = stack.pop()
            self.moved[old] = new
            self.origins[new] = old
            if isinstance(node, dict):
                scope = self._scope(node, scope)
                stack.extend(
                    (child, at, new + to, scope)
                    for keyword, child, at, to in children(node, old, scope.dialect)
                    if not _is_hidden(keyword, node, scope.dialect)
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
        scope = _Scope(scope.base, number)
        identifier = self._identifier(node, scope)
        if identifier is None:
            return scope
        return _Scope(urldefrag(_joined(scope.base, identifier)).url, number)

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
            found = self.resources.get(absolute)
        if found is None:
            self.faults.append(UnusableSchema(f"the reference {reference!r} leaves the document", f"{pointer}/$ref"))
            return ""
        if found + fragment not in self.moved:
            self.faults.append(UnusableSchema(f"the reference {reference!r} points at no schema", f"{pointer}/$ref"))
            return ""
        return self.moved[found + fragment]

    def subschema(self, node: Json, old: str, new: str, scope: _Scope, depth: int) -> Json:
        """Translate one subschema that stood at ``old`` and will stand at ``new``."""
        if isinstance(node, bool):
            return node
        if not isinstance(node, dict):
            raise UnusableSchema("a schema is an object or a boolean", old)
        scope = self._scope(node, scope)
        if scope.dialect == 2019:
            self.counted |= node.keys() & {"contains", "unevaluatedItems"}
        result: dict[str, Json] = {}
        hidden = scope.dialect < 2019 and "$ref" in node
        for keyword, child, at, to in children(node, old, scope.dialect):
            if _is_hidden(keyword, node, scope.dialect):
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
        """Translate a dynamic reference: in a document of one resource there is one thing it can name.

        Elsewhere it stays, and whoever meets it gives up.
        """
        keyword = {2019: "$recursiveRef", 2020: "$dynamicRef"}.get(scope.dialect, "")
        reference = node.get(keyword)
        if reference is None:
            return {}
        if self.is_one_resource and isinstance(reference, str) and "$ref" not in result:
            return {"$ref": "#" + self.target(reference, scope, old)}
        return {"$dynamicRef": reference}

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


def children(node: Mapping[str, Json], pointer: str, number: int) -> Iterator[tuple[str, Json, str, str]]:
    """Yield (keyword, subschema, its pointer, its relative pointer in 2020-12) for every subschema, in order."""
    listed = number < 2020 and isinstance(node.get("items"), list)
    for keyword, value in node.items():
        at = f"{pointer}/{token(keyword)}"
        if keyword in ONE or (keyword in ("items", "unevaluatedItems") and not isinstance(value, list)):
            if _is_schema(value) and _known(keyword, number):
                yield keyword, value, at, f"/{keyword}"
        elif keyword == "items" and listed:
            for index, item in enumerate(value):
                yield keyword, item, f"{at}/{index}", f"/prefixItems/{index}"
        elif keyword == "additionalItems" and listed and _is_schema(value):
            yield keyword, value, at, "/items"
        elif keyword in MANY and isinstance(value, list) and _known(keyword, number):
            for index, item in enumerate(value):
                yield keyword, item, f"{at}/{index}", f"/{keyword}/{index}"
        elif keyword in NAMED and isinstance(value, dict) and _known(keyword, number):
            for name, item in value.items():
                yield keyword, item, f"{at}/{token(name)}", f"/{keyword}/{token(name)}"
        elif keyword == "dependencies" and number < 2019 and isinstance(value, dict):
            for name, item in value.items():
                if _is_schema(item):
                    yield keyword, item, f"{at}/{token(name)}", f"/dependentSchemas/{token(name)}"


def _is_hidden(keyword: str, node: Mapping[str, Json], number: int) -> bool:
    """Say whether a subschema stands beside a ``$ref`` that hides it: nothing refers to it either."""
    return number < 2019 and "$ref" in node and keyword not in ("definitions", "$defs")


def _is_schema(value: Json) -> bool:
    return isinstance(value, dict | bool)


def _known(keyword: str, number: int) -> bool:
    """Say whether a dialect has an applicator (draft 4 has no ``contains``, draft 6 no ``if``)."""
    since = {"contains": 6, "propertyNames": 6, "if": 7, "then": 7, "else": 7, "prefixItems": 2020}
    since |= {"dependentSchemas": 2019}
    since |= {"unevaluatedProperties": 2019, "unevaluatedItems": 2019}
    return number >= since.get(keyword, 4)


LITERAL = "$draft4Integer"
MAX_EXACT = 2**53 - 1


def _refuse_inexact(result: Mapping[str, Json], node: Mapping[str, Json]) -> None:
    """Refuse numbers that a double doesn't hold: two of them may be one value to somebody else (RFC 8785 3.2.2.3)."""
    stack = [
        *result.values(),
        *(node[name] for name in ("const", "exclusiveMinimum", "exclusiveMaximum") if name in node),
    ]
    while stack:
        value = stack.pop()
        if isinstance(value, dict | list):
            stack.extend(value.values() if isinstance(value, dict) else value)
        elif isinstance(value, int | float) and not abs(value) <= MAX_EXACT and not _survives(value):
            raise UnusableSchema(f"the number {str(value)[:40]} is too large to be exact", "")


def _survives(value: float) -> bool:
    """Say whether a large number is read the same by everybody: a float of modest size, no long integer."""
    return isinstance(value, float) and MAX_EXACT < abs(value) < 1e21 and value == int(value)


_KEPT = (
    *("type", "enum", "multipleOf", "maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems"),
    *("maxProperties", "minProperties", "required", "default", "examples", "minimum", "maximum", "format"),
)


def assertions(node: Mapping[str, Json], number: int) -> dict[str, Json]:
    """Return the keywords that hold no subschema, as 2020-12 writes them; texts are left out."""
    result = {keyword: node[keyword] for keyword in _KEPT if keyword in node}
    _refuse_inexact(result, node)
    if number == 4:
        if "integer" in (result["type"] if isinstance(result.get("type"), list) else [result.get("type")]):
            # draft 4 section 3.5 of its core: 1.0 is no integer there; nobody else reads this mark.
            result[LITERAL] = True
        for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
            if node.get(exclusive) is True and bound in result:
                result[exclusive] = result.pop(bound)
    else:
        result |= {key: node[key] for key in ("const", "exclusiveMinimum", "exclusiveMaximum") if key in node}
    if number >= 2019:
        result |= {key: node[key] for key in ("dependentRequired", "minContains", "maxContains") if key in node}
    elif isinstance(node.get("dependencies"), dict):
        lists = {name: value for name, value in node["dependencies"].items() if isinstance(value, list)}
        if lists:
            result["dependentRequired"] = lists
    return result


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
