"""Does a node accept a value? Three answers: yes, no, and None for "not understood here".

Quick and on the graph, so that proofs can go through finite sets and the search can drop bad candidates early. What
is shown to anybody is checked by two validators as well (``validators``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from registry.core.solver.conjunction import in_place
from registry.core.solver.facts import matches, own_property
from registry.core.solver.graph import NO_PATTERN, Node, key
from registry.core.solver.numbers import exact

if TYPE_CHECKING:
    from collections.abc import Iterable

Json = Any
MAX_DEPTH = 60


def type_of(value: Json) -> str:
    """Return the type of a value as TYPES tells them apart: 1 is "literal", 1.0 "integer", 1.5 "number"."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "literal"
        case float():
            return "integer" if value.is_integer() else "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


def both(answers: Iterable[bool | None]) -> bool | None:
    """All of them: False wins, then None."""
    result: bool | None = True
    for answer in answers:
        if answer is False:
            return False
        if answer is None:
            result = None
    return result


def accepts(node: Node, value: Json, depth: int = 0) -> bool | None:
    """Say whether a node accepts a value; None when something in it isn't understood."""
    if node.false:
        return False
    if node.trivial:
        return True
    if depth > MAX_DEPTH or "$dynamicRef" in node.keywords:
        return None
    return both(_checks(node, value, depth + 1))


def _checks(node: Node, value: Json, depth: int) -> Iterable[bool | None]:
    kind = type_of(value)
    types = node.types()
    if types is not None:
        yield kind in types
    if "enum" in node.keywords or "const" in node.keywords:
        yield node.lists(value)
    yield from _of_type(node, value, kind, depth)
    if node.reference:
        yield accepts(node.reference, value, depth)
    for each in node.many.get("allOf", ()):
        yield accepts(each, value, depth)
    yield from _alternatives(node, value, depth)


def _of_type(node: Node, value: Json, kind: str, depth: int) -> Iterable[bool | None]:
    match kind:
        case "literal" | "integer" | "number":
            yield from _number(node, value)
        case "string":
            yield from _string(node, value)
        case "array":
            yield from _array(node, value, depth)
        case "object":
            yield from _object(node, value, depth)
        case _:
            pass


def _alternatives(node: Node, value: Json, depth: int) -> Iterable[bool | None]:
    if "anyOf" in node.many:
        answers = [accepts(each, value, depth) for each in node.many["anyOf"]]
        yield True if True in answers else None if None in answers else False
    if "oneOf" in node.many:
        answers = [accepts(each, value, depth) for each in node.many["oneOf"]]
        yield False if answers.count(True) > 1 else None if None in answers else answers.count(True) == 1
    if "not" in node.one:
        inner = accepts(node.one["not"], value, depth)
        yield None if inner is None else not inner
    if "if" in node.one:
        condition = accepts(node.one["if"], value, depth)
        branch = node.one.get("then" if condition else "else")
        if condition is None:
            yield None if "then" in node.one or "else" in node.one else True
        elif branch is not None:
            yield accepts(branch, value, depth)


def _number(node: Node, value: float) -> Iterable[bool]:
    words, given = node.keywords, exact(value)
    if "minimum" in words:
        yield given >= exact(words["minimum"])
    if "exclusiveMinimum" in words:
        yield given > exact(words["exclusiveMinimum"])
    if "maximum" in words:
        yield given <= exact(words["maximum"])
    if "exclusiveMaximum" in words:
        yield given < exact(words["exclusiveMaximum"])
    if "multipleOf" in words:
        yield (given / exact(words["multipleOf"])).denominator == 1


def _string(node: Node, value: str) -> Iterable[bool | None]:
    words = node.keywords
    yield len(value) >= words.get("minLength", 0)
    yield len(value) <= words.get("maxLength", len(value))
    if "pattern" in words:
        yield matches(words["pattern"], value)
    if NO_PATTERN in words:
        matched = matches(words[NO_PATTERN], value)
        yield None if matched is None else not matched


def _array(node: Node, value: list[Json], depth: int) -> Iterable[bool | None]:
    words = node.keywords
    yield words.get("minItems", 0) <= len(value) <= words.get("maxItems", len(value))
    if words.get("uniqueItems") is True:
        yield len({key(item) for item in value}) == len(value)
    prefix = node.many.get("prefixItems", ())
    for each, item in zip(prefix, value, strict=False):
        yield accepts(each, item, depth)
    if "items" in node.one:
        for item in value[len(prefix) :]:
            yield accepts(node.one["items"], item, depth)
    if "contains" in node.one:
        yield _contains(node, value, depth)
    closed = node.one.get("unevaluatedItems")
    if closed is not None and not closed.trivial:
        seen = evaluated_items(node, value, depth)
        for index, item in enumerate(value):
            if seen is None:
                yield None
            elif index not in seen:
                yield accepts(closed, item, depth)


def _contains(node: Node, value: list[Json], depth: int) -> bool | None:
    answers = [accepts(node.one["contains"], item, depth) for item in value]
    least, most = node.keywords.get("minContains", 1), node.keywords.get("maxContains", len(value))
    if None in answers:
        return None
    return bool(least <= answers.count(True) <= most)


def _object(node: Node, value: dict[str, Json], depth: int) -> Iterable[bool | None]:
    words = node.keywords
    yield all(name in value for name in node.required())
    yield words.get("minProperties", 0) <= len(value) <= words.get("maxProperties", len(value))
    for owner, names in words.get("dependentRequired", {}).items():
        yield owner not in value or all(name in value for name in names)
    for owner, each in node.named.get("dependentSchemas", {}).items():
        if owner in value:
            yield accepts(each, value, depth)
    for name, item in value.items():
        for each in own_property(node, name):
            yield accepts(each, item, depth)
        if "propertyNames" in node.one:
            yield accepts(node.one["propertyNames"], name, depth)
    if any(matches(pattern, "") is None for pattern in node.patterns()):
        yield None
    closed = node.one.get("unevaluatedProperties")
    if closed is not None and not closed.trivial:
        seen = evaluated(node, value, depth)
        for name, item in value.items():
            if seen is None:
                yield None
            elif name not in seen:
                yield accepts(closed, item, depth)


def evaluated(node: Node, value: dict[str, Json], depth: int) -> set[str] | None:
    """Return the properties that a node and its in-place applicators evaluate, without its own ``unevaluated...``."""
    if depth > MAX_DEPTH or any("$dynamicRef" in each.keywords for each in in_place(node)):
        return None
    names = {name for name in value if own_property(node, name)}
    for each, holds in _applied(node, value, depth):
        if holds is None:
            return None
        if holds:
            inner = evaluated(each, value, depth + 1)
            if inner is None:
                return None
            names |= set(value) if "unevaluatedProperties" in each.one else inner
    return names


def evaluated_items(node: Node, value: list[Json], depth: int) -> set[int] | None:
    """Return the positions that a node and its in-place applicators evaluate, without its own ``unevaluated...``."""
    if depth > MAX_DEPTH or any("$dynamicRef" in each.keywords for each in in_place(node)):
        return None
    seen = set(range(len(value) if "items" in node.one else len(node.many.get("prefixItems", ()))))
    if "contains" in node.one:
        answers = [accepts(node.one["contains"], item, depth) for item in value]
        if None in answers:
            return None
        seen |= {index for index, answer in enumerate(answers) if answer}
    for each, holds in _applied(node, value, depth):
        inner = evaluated_items(each, value, depth + 1) if holds else set()
        if holds is None or inner is None:
            return None
        seen |= set(range(len(value))) if holds and "unevaluatedItems" in each.one else inner
    return seen


def _applied(node: Node, value: Json, depth: int) -> Iterable[tuple[Node, bool | None]]:
    """Yield the in-place applicators of a node, each with whether it holds for the value."""
    if node.reference:
        yield node.reference, True
    for each in node.many.get("allOf", ()):
        yield each, True
    for row in ("anyOf", "oneOf"):
        for each in node.many.get(row, ()):
            yield each, accepts(each, value, depth)
    for owner, each in node.named.get("dependentSchemas", {}).items():
        if owner in value:
            yield each, True
    if "if" in node.one:
        condition = accepts(node.one["if"], value, depth)
        yield node.one["if"], condition
        branch = node.one.get("then" if condition else "else")
        if branch is not None:
            yield branch, None if condition is None else True
