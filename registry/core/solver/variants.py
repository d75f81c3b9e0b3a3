"""A node without some of its keywords: asked instead of it, to see which of them matter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from registry.core.solver.dialects import LITERAL
from registry.core.solver.graph import ANYTHING, ASSERTIONS, Node

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from registry.core.solver.proof import Prover

_NAMES_KEPT = frozenset({"properties", "patternProperties", "prefixItems"})  # what they name is told from the rest
_OF_IF = frozenset({"if", "then", "else"})
_CLOSING = frozenset({"unevaluatedProperties", "unevaluatedItems"})


def parts(node: Node) -> Iterator[str]:
    """Yield what can be left out of a node: its keywords, each member of ``allOf`` by itself ("allOf/0")."""
    yield from sorted((node.keywords.keys() & ASSERTIONS) - {LITERAL})
    yield from (word for word in node.one if word not in {"then", "else"})
    if _CLOSING & node.one.keys():
        return  # what is left unevaluated depends on all that applies in place
    if node.reference:
        yield "$ref"
    for word, row in node.many.items():
        yield from (f"allOf/{index}" for index in range(len(row))) if word == "allOf" else (word,)
    yield from node.named


def without(prover: Prover, node: Node, left_out: Iterable[str]) -> Node:
    """Return a node that asks no more than a node without some parts; names and positions stay mentioned."""
    gone = frozenset(left_out)
    if not gone:
        return node
    hidden = gone | (_OF_IF if "if" in gone else frozenset()) | ({LITERAL} if "type" in gone else frozenset())
    if not gone <= ASSERTIONS:
        hidden |= _CLOSING  # without what evaluates, they would refuse more
    made = Node(
        node.pointer,
        {word: value for word, value in node.keywords.items() if word not in hidden},
        -1,
        kind=prover.made.fresh(("without", node.kind, gone)),
        one={word: each for word, each in node.one.items() if word not in hidden},
        named={word: _named(word, row, hidden) for word, row in node.named.items()},
        reference=None if "$ref" in gone else node.reference,
    )
    for word, row in node.many.items():
        if word == "allOf":
            made.many[word] = tuple(each for index, each in enumerate(row) if f"allOf/{index}" not in gone)
        elif word not in gone:
            made.many[word] = row
        elif word in _NAMES_KEPT:
            made.many[word] = (ANYTHING,) * len(row)
    return made


def _named(word: str, row: dict[str, Node], gone: frozenset[str]) -> dict[str, Node]:
    if word not in gone:
        return row
    return dict.fromkeys(row, ANYTHING) if word in _NAMES_KEPT else {}


def replaced(prover: Prover, node: Node, is_gone: Callable[[Node], bool]) -> Node:
    """Return a node that doesn't ask for some of its subschemas; the node itself where it asks for none of them.

    What a ``not`` or an ``if`` holds stays: that it accepts nothing makes no value be refused.
    """
    gone = frozenset(id(each) for each in _asked(node) if is_gone(each.resolved))
    if not gone:
        return node
    made = Node(node.pointer, node.keywords, -1, kind=prover.made.fresh(("replaced", id(node), gone)))
    in_place = [node.reference, *(each for word, row in node.many.items() if word != "prefixItems" for each in row)]
    in_place += [node.one[word] for word in ("then", "else", "contains") if word in node.one]
    hidden = _CLOSING if any(id(each) in gone for each in in_place) else frozenset()
    made.reference = None if id(node.reference) in gone else node.reference
    for word, each in node.one.items():
        if word not in hidden and not (word == "contains" and id(each) in gone):
            made.one[word] = ANYTHING if id(each) in gone else each
    for word, row in node.many.items():
        if word in {"anyOf", "oneOf"}:
            made.many |= {word: kept} if (kept := tuple(each for each in row if id(each) not in gone)) else {}
        else:
            made.many[word] = tuple(ANYTHING if id(each) in gone else each for each in row)
    for word, names in node.named.items():
        made.named[word] = {name: ANYTHING if id(each) in gone else each for name, each in names.items()}
    return made


def _asked(node: Node) -> Iterator[Node]:
    """Yield what a node refers to and holds, as far as its values may have to satisfy it."""
    if node.reference:
        yield node.reference
    yield from (each for word, each in node.one.items() if word not in {"not", "if"})
    for row in node.many.values():
        yield from row
    for names in node.named.values():
        yield from names.values()


def of_type(prover: Prover, node: Node, name: str) -> Node:
    """Return a node that accepts what a node does, of one type alone."""
    kind = prover.made.fresh(("of type", node.kind, name))
    keywords = {**node.keywords, "type": name}
    return Node(node.pointer, keywords, -1, False, kind, node.one, node.many, node.named, node.reference)
