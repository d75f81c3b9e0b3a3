"""What in a schema no value satisfies: contradictions, dead branches and conditions, properties that can't be sent.

Only what is proven is told, where it is written: a schema that is referred to from twenty places has its flaw once,
and what is empty only because of a flaw inside of it isn't told again. What says that it accepts nothing (``false``,
``{"not": {}}``) is meant so. The work is counted in the prover's steps; when they end, so do the flaws.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from registry.core.solver.conjunction import NAMES_A_STEP, flatten
from registry.core.solver.evaluation import accepts
from registry.core.solver.graph import ASSERTIONS, Node
from registry.core.solver.proof import OutOfBudgetError
from registry.core.solver.variants import of_type, parts, replaced, without

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from registry.core.solver.facts import Facts
    from registry.core.solver.graph import Graph
    from registry.core.solver.proof import Prover

Nodes = tuple[Node, ...]

SHARE = 200  # steps that one question may take of all
MAX_FLAWS = 20
MAX_BRANCHES = 40  # that are held against each other
_NUMBER = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})
_STRING = frozenset({"minLength", "maxLength", "pattern"})
_ARRAY = frozenset({"minItems", "maxItems", "items", "prefixItems", "contains", "minContains", "maxContains"})
_OBJECT = frozenset({"minProperties", "maxProperties", "required", "properties", "additionalProperties"})
FAMILIES = {
    "number": _NUMBER,
    "string": _STRING,
    "array": _ARRAY | {"uniqueItems"},
    "object": _OBJECT | {"patternProperties", "propertyNames", "dependentRequired"},
}


@dataclass(frozen=True, slots=True)
class Flaw:
    """One place that no value satisfies.

    ``kind`` is "nothing" (a schema; of ``type`` alone where that is given), "endless" (each value must hold another
    one), "type" (a listed type), "branch", "then", "swallowed" (a branch, by that at ``other``), "never" and "always"
    (an ``if``), "property" (``names``; ``other`` is the keyword that doesn't know them, if one doesn't). ``pointer``
    leads into the document as written. ``keywords`` are those that leave nothing together, ``node`` holds them.
    """

    kind: str
    pointer: str
    node: Node
    keywords: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    other: str = ""
    type: str = ""


def flaws(graph: Graph, prover: Prover) -> list[Flaw]:
    """Return what is proven to be satisfied by no value in the one document of a graph; at most MAX_FLAWS."""
    examination = _Examination(prover, _contexts(graph))
    found: dict[tuple[str, str, tuple[str, ...]], Flaw] = {}
    try:
        for node in graph.nodes:
            if node.resolved is not node or node.trivial or not _is_written(node):
                continue
            for flaw in examination.of(node):
                found.setdefault((flaw.kind, flaw.pointer, flaw.names), flaw)
            if len(found) >= MAX_FLAWS:
                break
    except (OutOfBudgetError, RecursionError):
        pass
    return list(found.values())


def _is_written(node: Node) -> bool:
    """Say whether a node stands in the document: a meta-schema's has an absolute URI before its pointer."""
    return node.pointer[:1] in {"", "/"} and "$dynamicRef" not in node.keywords


def is_meant(node: Node) -> bool:
    """Say whether a schema says in so many words that it accepts nothing: ``false``, ``{"not": {}}``."""
    if node.false:
        return True
    bare = not (node.reference or node.many or node.named or node.keywords.keys() & ASSERTIONS)
    return bare and node.one.keys() == {"not"} and node.one["not"].trivial


def _contexts(graph: Graph) -> dict[int, tuple[Node, str]]:
    """Return each node's holder and the part of it where it applies to the holder's own value.

    Not of a node that references lead to as well: there it may apply to other values.
    """
    found: dict[int, tuple[Node, str]] = {}
    for node in graph.nodes:
        for word, row in node.many.items():
            if word != "prefixItems":
                found.update((id(each), (node, word)) for each in row)
        found.update((id(node.one[word]), (node, word)) for word in ("then", "else") if word in node.one)
    for node in graph.nodes:
        if node.reference:
            found.pop(id(node.reference), None)
    return found


@dataclass(slots=True)
class _Examination:
    """The questions about one document, and what was found so far."""

    prover: Prover
    holders: dict[int, tuple[Node, str]]
    empties: dict[int, bool] = field(default_factory=dict)
    explained: dict[int, bool] = field(default_factory=dict)  # False while its subschemas are looked at
    waiting: list[Flaw] = field(default_factory=list)

    def of(self, node: Node) -> Iterator[Flaw]:
        """Yield the flaws of one node, and of what it is empty because of."""
        if self.is_empty(node):
            self._explain(node)
            yield from self.waiting
            self.waiting.clear()
            return
        around = self._around(node)
        if around and self._nothing(*around, node):
            return  # a branch that is told where it is chosen
        yield from self._of_types(node)
        for row in ("anyOf", "oneOf"):
            if row in node.many:
                yield from self._of_branches(node, row, (*around, without(self.prover, node, [row])))
        if "if" in node.one:
            yield from self._of_condition(node, (*around, without(self.prover, node, ["if"])))
        yield from self._of_properties(node)

    def _nothing(self, *nodes: Node) -> bool:
        """Ask whether no value satisfies all nodes."""
        return self._asks(self.prover.empty, nodes)

    def _within(self, nodes: Nodes, target: Node) -> bool:
        """Ask whether each value that satisfies all nodes satisfies the target."""
        return self._asks(self.prover.contained, nodes, target)

    def _asks(self, question: Callable[..., bool], *arguments: object) -> bool:
        """Put a question that may take its share of the steps. Raises OutOfBudgetError when all are used up."""
        if self.prover.steps <= 0:
            raise OutOfBudgetError
        kept = max(self.prover.steps - SHARE, 0)
        self.prover.steps -= kept
        try:
            return question(*arguments)
        except OutOfBudgetError:
            self.prover.leaned = set()
            return False
        finally:
            self.prover.steps += kept

    def is_empty(self, node: Node) -> bool:
        """Say whether no value satisfies a node, whatever stands around it."""
        target = node.resolved
        if id(target) not in self.empties:
            self.empties[id(target)] = target.false or (not target.trivial and self._nothing(target))
        return self.empties[id(target)]

    def _around(self, node: Node) -> Nodes:
        """Return what else each value satisfies that comes to a node in place."""
        found: list[Node] = []
        while id(node) in self.holders:
            holder, word = self.holders[id(node)]
            if word in {"then", "else"}:
                found.append(without(self.prover, holder, ["if"]))
                found.extend([holder.one["if"]] if word == "then" else [])
            else:
                found.append(holder if word == "allOf" else without(self.prover, holder, [word]))
            node = holder
        return tuple(found[::-1])

    def _is_told(self, node: Node) -> bool:
        """Say whether a node is empty and that is told, of it or of what makes it so."""
        if is_meant(node) or not _is_written(node) or not self.is_empty(node):
            return False
        if id(node) not in self.explained:
            self._explain(node)
        return self.explained[id(node)]

    def _explain(self, node: Node) -> None:
        if id(node) in self.explained or is_meant(node):
            return
        self.explained[id(node)] = False
        rest = replaced(self.prover, node, self._is_told)
        self.explained[id(node)] = True
        if rest is not node and not self._nothing(rest):
            return
        unending = replaced(self.prover, rest, lambda each: self.is_empty(each) and not is_meant(each))
        if unending is not rest and not self._nothing(unending):
            self.waiting.append(Flaw("endless", node.pointer, node))
            return
        facts = self.prover.facts([rest])
        names = tuple(name for name in rest.required() if self._can_not_be(facts, name))
        self.waiting.append(Flaw("nothing", node.pointer, node, self._conflict(rest), names))

    def _conflict(self, node: Node) -> tuple[str, ...]:
        """Return parts of an empty node that leave nothing together, none of which can be left out."""
        every = list(parts(node))
        gone: list[str] = []
        for part in reversed(every):
            if self._nothing(without(self.prover, node, [*gone, part])):
                gone.append(part)
        return tuple(part for part in every if part not in gone)

    def _of_types(self, node: Node) -> Iterator[Flaw]:
        """Yield the types that a node lists, or says something of, without leaving any value of them."""
        listed = node.keywords.get("type")
        if isinstance(listed, list):
            names = [name for name in listed if len(listed) > 1]
        elif listed is None:
            names = [name for name, words in FAMILIES.items() if _may_conflict(node, words)]
        else:
            return
        sound = replaced(self.prover, node, self._is_told) if names else node
        yield from self.waiting
        self.waiting.clear()
        for name in names:
            one = of_type(self.prover, sound, name)
            if not self._nothing(one):
                continue
            keywords = tuple(word for word in self._conflict(one) if word != "type")
            if listed is not None:
                yield Flaw("type", f"{node.pointer}/type", node, keywords, type=name)
            elif FAMILIES[name].issuperset(keywords):
                yield Flaw("nothing", node.pointer, node, keywords, type=name)

    def _of_branches(self, node: Node, row: str, around: Nodes) -> Iterator[Flaw]:
        living = []
        for branch in node.many[row]:
            if self.is_empty(branch):
                continue  # told where it is written, or meant
            if flatten(around) and self._nothing(*around, branch):
                yield Flaw("branch", branch.pointer, branch, other=node.pointer)
            else:
                living.append(branch)
        if row == "oneOf" and 1 < len(living) <= MAX_BRANCHES:
            yield from self._of_alternatives(living, around)

    def _of_alternatives(self, branches: list[Node], around: Nodes) -> Iterator[Flaw]:
        """Yield the branches of a ``oneOf`` whose every value another one accepts too."""
        for index, branch in enumerate(branches):
            for at, other in enumerate(branches):
                if at == index or not self._within((*around, branch), other):
                    continue
                # Of two that accept the same, the later one is told.
                if at < index or not self._within((*around, other), branch):
                    yield Flaw("swallowed", branch.pointer, branch, other=other.pointer)
                    break

    def _of_condition(self, node: Node, around: Nodes) -> Iterator[Flaw]:
        condition = node.one["if"]
        branches = [node.one[word] for word in ("then", "else") if word in node.one and not node.one[word].trivial]
        if not branches or condition.trivial or self.is_empty(condition):
            return
        if self._nothing(*around, condition):
            yield Flaw("never", condition.pointer, node)
            return
        if self._within(around, condition):
            yield Flaw("always", condition.pointer, node)
        then = node.one.get("then")
        if then is not None and not self.is_empty(then) and self._nothing(*around, condition, then):
            yield Flaw("then", then.pointer, then, other=condition.pointer)

    def _of_properties(self, node: Node) -> Iterator[Flaw]:
        """Yield the named properties that can't be there, though no schema of them says so."""
        facts = self.prover.facts([node])
        if "object" not in facts.types or not _has_two_voices(facts):
            return
        self.prover.steps -= len(facts.names()) * len(facts.atoms) // NAMES_A_STEP
        inner = [self.prover.facts([each]) for each in _in_place(node)]
        unknown: dict[str, list[str]] = {}
        for name in facts.names():
            declared = [atom.properties()[name] for atom in facts.atoms if name in atom.properties()]
            if not declared or any(map(self.is_empty, declared)) or not self._can_not_be(facts, name):
                continue
            if any(_names(each, name) and self._can_not_be(each, name) for each in inner):
                continue
            closing = [each for each in facts.property(name) if each.false and each.pointer]
            naming = _refusing(facts, name)
            if closing and naming is None:
                unknown.setdefault(closing[0].pointer, []).append(name)
                continue
            here = [each.pointer for each in declared if each.pointer.startswith(f"{node.pointer}/")]
            other = "" if naming is None else naming.pointer
            yield Flaw("property", (here or [node.pointer])[0], node, names=(name,), other=other)
        for pointer, names in unknown.items():
            yield Flaw("property", pointer, node, names=tuple(names), other=pointer)

    def _can_not_be(self, facts: Facts, name: str) -> bool:
        return _refusing(facts, name) is not None or self._asks(self.prover.empty_below, facts.property(name))


def _in_place(node: Node) -> Iterator[Node]:
    yield from node.many.get("allOf", ())
    if node.reference:
        yield node.reference


def _refusing(facts: Facts, name: str) -> Node | None:
    """Return the ``propertyNames`` that refuses a name."""
    namings = (atom.one["propertyNames"] for atom in facts.atoms if "propertyNames" in atom.one)
    return next((each for each in namings if accepts(each, name) is False), None)


def _names(facts: Facts, name: str) -> bool:
    return any(name in atom.properties() for atom in facts.atoms)


def _has_two_voices(facts: Facts) -> bool:
    """Say whether a property may be spoken of in more than one place."""
    speaking = [atom for atom in facts.atoms if atom.named or "propertyNames" in atom.one]
    return len(speaking) > 1 or any(
        atom.properties() and (atom.patterns() or "propertyNames" in atom.one) for atom in speaking
    )


def _may_conflict(node: Node, words: frozenset[str]) -> bool:
    given = {*parts(node)} & words
    return len(given) > 1 or "pattern" in given
