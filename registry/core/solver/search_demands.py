"""What a schema demands of a value, keyword by keyword."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from registry.core.solver.numbers import exact
from registry.core.solver.search_facts import ALL_TYPES, Count, Facts, Literal, NameRule, Span
from registry.core.solver.search_naming import items_evaluated, naming, own_naming

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from registry.core.solver.search_graph import Node


@dataclass(frozen=True, slots=True)
class Choose:
    """One of several options, each a list of demands."""

    options: tuple[tuple[Demand, ...], ...]


Demand: TypeAlias = Literal | Choose | Callable[[Facts], bool]
Option: TypeAlias = tuple[Demand, ...]


def wanted(node: Node) -> Literal:
    """Return the literal of a schema that shall accept."""
    return Literal(node, wanted=True)


def unwanted(node: Node) -> Literal:
    """Return the literal of a schema that shall refuse."""
    return Literal(node, wanted=False)


def demanded(node: Node) -> Sequence[Demand]:
    """Return all that a node demands; a keyword that can be met in several ways comes as a choice."""
    if node.demands is None:
        node.demands = tuple(_demanded(node))
    return node.demands


def _demanded(node: Node) -> list[Demand]:
    keywords = node.keywords
    if keywords.get("never"):
        return [lambda facts: facts.keep_types(())]
    demands: list[Demand] = []
    for keyword, value in keywords.items():
        demands.extend(_leaf(keyword, value))
        demands.extend(_applicator(node, keyword, value))
    return demands


def _leaf(keyword: str, value: Any) -> Iterator[Demand]:
    match keyword:
        case "type":
            yield partial(Facts.keep_types, types=value)
        case "enum":
            yield partial(Facts.keep_values, values=value)
        case "minimum" | "exclusiveMinimum":
            yield partial(Facts.at_least, bound=exact(value), exclusive=keyword != "minimum")
        case "maximum" | "exclusiveMaximum":
            yield partial(Facts.at_most, bound=exact(value), exclusive=keyword != "maximum")
        case "multipleOf":
            yield partial(Facts.keep_multiples, factor=exact(value))
        case "minLength":
            yield partial(Facts.keep_lengths, least=int(value), most=None)
        case "maxLength":
            yield partial(Facts.keep_lengths, least=0, most=int(value))
        case "pattern":
            yield partial(Facts.match, pattern=value)
        case "minProperties":
            yield partial(Facts.keep_sizes, least=int(value), most=None)
        case "maxProperties":
            yield partial(Facts.keep_sizes, least=0, most=int(value))
        case "minItems":
            yield partial(Facts.keep_items, least=int(value), most=None)
        case "maxItems":
            yield partial(Facts.keep_items, least=0, most=int(value))
        case "uniqueItems" if value is True:
            yield partial(_set_unique)
        case "required":
            yield from (partial(Facts.require, name=name) for name in value)


def _applicator(node: Node, keyword: str, value: Any) -> Iterator[Demand]:
    match keyword:
        case "$ref" | "$dynamicRef":
            yield wanted(value)
        case "allOf":
            yield from map(wanted, value)
        case "anyOf":
            yield Choose(tuple((wanted(one),) for one in value))
        case "oneOf":
            yield Choose(tuple(_only(value, place) for place in range(len(value))))
        case "not":
            yield unwanted(value)
        case "if":
            yield from _conditional(node, value)
        case "properties":
            yield from (partial(Facts.member, name=name, literal=wanted(one)) for name, one in value.items())
        case "patternProperties":
            yield from (_rule(NameRule(wanted(one), pattern)) for pattern, one in value.items())
        case "additionalProperties":
            own = own_naming(node)
            yield _rule(NameRule(wanted(value), None, own.names, own.patterns))
        case "unevaluatedProperties":
            every = naming(node)
            if not every.all:
                yield _rule(NameRule(wanted(value), None, every.names, every.patterns))
        case "propertyNames":
            yield partial(_name_literal, literal=wanted(value))
        case "dependentRequired":
            yield from (
                _dependent(name, tuple(partial(Facts.require, name=other) for other in others))
                for name, others in value.items()
            )
        case "dependentSchemas":
            yield from (_dependent(name, (wanted(one),)) for name, one in value.items())
        case "prefixItems":
            yield from (partial(Facts.place, index=index, literal=wanted(one)) for index, one in enumerate(value))
        case "items":
            yield _span(Span(len(node.keywords.get("prefixItems", ())), wanted(value)))
        case "unevaluatedItems":
            start = items_evaluated(node)
            if start is not None:
                yield _span(Span(start, wanted(value)))
        case "contains":
            least, most = contains_bounds(node)
            yield _count(Count(wanted(value), least, most))


def _only(options: list[Node], place: int) -> Option:
    """Return the option that one branch holds and no other does."""
    others = (unwanted(one) for index, one in enumerate(options) if index != place)
    return (wanted(options[place]), *others)


def _conditional(node: Node, condition: Node) -> Iterator[Demand]:
    then, otherwise = node.keywords.get("then"), node.keywords.get("else")
    if then is None and otherwise is None:
        return
    yield Choose(
        (
            (unwanted(condition), *([wanted(otherwise)] if otherwise else [])),
            (wanted(condition), *([wanted(then)] if then else [])),
        )
    )


def _dependent(name: str, demands: Option) -> Choose:
    """Return the choice between no such property (or no object) and what its presence demands."""
    return Choose(
        (
            (partial(Facts.forbid, name=name),),
            (partial(Facts.keep_types, types=("object",)), partial(Facts.require, name=name), *demands),
            (partial(Facts.keep_types, types=ALL_TYPES - {"object"}),),
        )
    )


def contains_bounds(node: Node) -> tuple[int, int | None]:
    """Return how many items must and may meet ``contains``."""
    least, most = node.keywords.get("minContains", 1), node.keywords.get("maxContains")
    return int(least), None if most is None else int(most)


def _rule(rule: NameRule) -> Demand:
    def add(facts: Facts) -> bool:
        facts.name_rules += (rule,)
        return True

    return add


def _span(span: Span) -> Demand:
    def add(facts: Facts) -> bool:
        facts.spans += (span,)
        return True

    return add


def _count(count: Count) -> Demand:
    def add(facts: Facts) -> bool:
        facts.counts += (count,)
        return facts.keep_items(count.least, None)

    return add


def _name_literal(facts: Facts, literal: Literal) -> bool:
    facts.names += (literal,)
    return True


def _set_unique(facts: Facts) -> bool:
    facts.unique = True
    return not facts.repeated or facts.drop_types({"array"})
