"""Every way in which a schema refuses a value, keyword by keyword: negation pushed inwards."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from registry.core.solver.numbers import exact
from registry.core.solver.search_demands import Choose, Demand, Option, contains_bounds, unwanted, wanted
from registry.core.solver.search_facts import ALL_TYPES, NUMBERS, Count, Facts, Literal, NameRule, Span
from registry.core.solver.search_naming import items_evaluated, naming, own_naming

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from registry.core.solver.search_graph import Node

_NUMBER = partial(Facts.keep_types, types=NUMBERS)
_STRING = partial(Facts.keep_types, types=("string",))
_ARRAY = partial(Facts.keep_types, types=("array",))
_OBJECT = partial(Facts.keep_types, types=("object",))
# What tells two schemas apart soonest comes first; what needs a whole value inside comes last.
_ORDER = ("never", "type", "enum", "required")


def refusals(node: Node) -> Sequence[Option]:
    """Return every way to be refused by a node, told as what is then demanded; none if it refuses nothing.

    A part without keywords refuses nothing: as an option it would only stand before those that do.
    """
    if node.refusals is None:
        node.refusals = tuple(_refusals(node))
    return node.refusals


def _refusals(node: Node) -> list[Option]:
    keywords = node.keywords
    ordered = sorted(keywords, key=lambda one: _ORDER.index(one) if one in _ORDER else len(_ORDER))
    options: list[Option] = []
    for keyword in ordered:
        options.extend(_leaf(keyword, keywords[keyword]))
        options.extend(_of_object(node, keyword, keywords[keyword]))
        options.extend(_of_array(node, keyword, keywords[keyword]))
        options.extend(_in_place(node, keyword, keywords[keyword]))
    return options


def _leaf(keyword: str, value: Any) -> Iterator[Option]:
    match keyword:
        case "never":
            yield ()
        case "type":
            yield (partial(Facts.keep_types, types=ALL_TYPES - value),)
        case "enum":
            yield (partial(Facts.drop_values, values=value),)
        case "minimum" | "exclusiveMinimum":
            yield _NUMBER, partial(Facts.at_most, bound=exact(value), exclusive=keyword == "minimum")
        case "maximum" | "exclusiveMaximum":
            yield _NUMBER, partial(Facts.at_least, bound=exact(value), exclusive=keyword == "maximum")
        case "multipleOf":
            yield _NUMBER, partial(Facts.drop_multiples, factor=exact(value))
        case "minLength" if value > 0:
            yield _STRING, partial(Facts.keep_lengths, least=0, most=int(value) - 1)
        case "maxLength":
            yield _STRING, partial(Facts.keep_lengths, least=int(value) + 1, most=None)
        case "pattern":
            yield _STRING, partial(Facts.mismatch, pattern=value)


def _of_object(node: Node, keyword: str, value: Any) -> Iterator[Option]:
    match keyword:
        case "required":
            yield from ((_OBJECT, partial(Facts.forbid, name=name)) for name in value)
        case "minProperties" if value > 0:
            yield _OBJECT, partial(Facts.keep_sizes, least=0, most=int(value) - 1)
        case "maxProperties":
            yield _OBJECT, partial(Facts.keep_sizes, least=int(value) + 1, most=None)
        case "properties":
            yield from ((_OBJECT, *_present(name, one)) for name, one in value.items() if one.keywords)
        case "patternProperties":
            rules = (NameRule(unwanted(one), pattern) for pattern, one in value.items() if one.keywords)
            yield from ((_OBJECT, _some_member(rule)) for rule in rules)
        case "additionalProperties" if value.keywords:
            own = own_naming(node)
            yield _OBJECT, _some_member(NameRule(unwanted(value), None, own.names, own.patterns))
        case "unevaluatedProperties" if value.keywords:
            every = naming(node)
            if not every.all:
                yield _OBJECT, _some_member(NameRule(unwanted(value), None, every.names, every.patterns))
            # A branch that doesn't hold evaluates nothing, so what only it names may be the one.
            own = own_naming(node)
            yield _OBJECT, _some_member(NameRule(unwanted(value), None, own.names, own.patterns))
        case "propertyNames" if value.keywords:
            yield _OBJECT, partial(_some_name, literal=unwanted(value))
        case "dependentRequired":
            for name, others in value.items():
                has = partial(Facts.require, name=name)
                yield from ((_OBJECT, has, partial(Facts.forbid, name=other)) for other in others)
        case "dependentSchemas":
            for name, one in value.items():
                if one.keywords:
                    yield _OBJECT, partial(Facts.require, name=name), unwanted(one)


def _of_array(node: Node, keyword: str, value: Any) -> Iterator[Option]:
    match keyword:
        case "minItems" if value > 0:
            yield _ARRAY, partial(Facts.keep_items, least=0, most=int(value) - 1)
        case "maxItems":
            yield _ARRAY, partial(Facts.keep_items, least=int(value) + 1, most=None)
        case "uniqueItems" if value is True:
            yield _ARRAY, _repeat
        case "prefixItems":
            yield from ((_ARRAY, *_placed(index, one)) for index, one in enumerate(value) if one.keywords)
        case "items" if value.keywords:
            yield _ARRAY, _some_item(Span(len(node.keywords.get("prefixItems", ())), unwanted(value)))
        case "unevaluatedItems" if value.keywords:
            starts = dict.fromkeys((items_evaluated(node) or 0, len(node.keywords.get("prefixItems", ()))))
            yield from ((_ARRAY, _some_item(Span(start, unwanted(value)))) for start in starts)
        case "contains":
            least, most = contains_bounds(node)
            if least > 0:
                yield _ARRAY, _few(Count(wanted(value), 0, least - 1))
            if most is not None:
                yield _ARRAY, _many(Count(wanted(value), most + 1, None))


def _in_place(node: Node, keyword: str, value: Any) -> Iterator[Option]:
    match keyword:
        case "$ref" | "$dynamicRef":
            yield (unwanted(value),)
        case "allOf":
            yield from ((unwanted(one),) for one in value if one.keywords)
        case "anyOf":
            yield tuple(map(unwanted, value))
        case "oneOf":
            yield tuple(map(unwanted, value))
            pairs = ((one, other) for place, one in enumerate(value) for other in value[place + 1 :])
            yield from ((wanted(one), wanted(other)) for one, other in pairs)
        case "not":
            yield (wanted(value),)
        case "if":
            if "then" in node.keywords:
                yield wanted(value), unwanted(node.keywords["then"])
            if "else" in node.keywords:
                yield unwanted(value), unwanted(node.keywords["else"])


def _present(name: str, node: Node) -> tuple[Demand, Demand]:
    # The literal comes first: where it contradicts what is known, requiring the property then fails at once.
    return partial(Facts.member, name=name, literal=unwanted(node)), partial(Facts.require, name=name)


def _placed(index: int, node: Node) -> tuple[Demand, Demand]:
    return (
        partial(Facts.place, index=index, literal=unwanted(node)),
        partial(Facts.keep_items, least=index + 1, most=None),
    )


def _some_member(rule: NameRule) -> Demand:
    def add(facts: Facts) -> bool:
        facts.some_members += (rule,)
        return facts.keep_sizes(1, None)

    return add


def _some_name(facts: Facts, literal: Literal) -> bool:
    facts.some_names += (literal,)
    return facts.keep_sizes(1, None)


def _some_item(span: Span) -> Demand:
    def add(facts: Facts) -> bool:
        facts.some_items += (span,)
        return facts.keep_items(span.start + 1, None)

    return add


def _few(count: Count) -> Demand:
    def add(facts: Facts) -> bool:
        facts.counts += (count,)
        return True

    return add


def _many(count: Count) -> Demand:
    def add(facts: Facts) -> bool:
        facts.counts += (count,)
        return facts.keep_items(count.least, None)

    return add


def _repeat(facts: Facts) -> bool:
    facts.repeated = True
    return facts.keep_items(2, None) and not facts.unique


__all__ = ["Choose", "refusals"]
