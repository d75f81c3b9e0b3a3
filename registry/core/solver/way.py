"""One way to be refused, and the place where the walk over all of them stands (``ways``)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from registry.core.solver.dialects import token
from registry.core.solver.evaluation import accepts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from registry.core.solver.graph import Node

Json = Any


@dataclass(frozen=True, slots=True)
class Step:
    """One step into a value, as paths write it: ``.name``, ``[2]``, ``[]`` any item, ``{}`` any of some names.

    ``token`` is the step in a JSON Pointer; ``names`` says of a map which names are meant.
    """

    written: str
    token: str = ""
    names: Callable[[str], bool] | None = None


@dataclass(frozen=True, slots=True)
class Way:
    """One keyword that may refuse: where it stands, and the skeleton that holds nothing else.

    ``among``: what accepts there is one of several alternatives; ``chosen`` are those that this way is about.
    """

    pointer: str
    keyword: str
    skeleton: Json
    accepting_pointer: str | None
    steps: tuple[Step, ...]
    among: bool = False
    chosen: tuple[Chosen, ...] = ()

    @property
    def path(self) -> tuple[str, ...]:
        """The place in the value."""
        return tuple(step.written for step in self.steps)

    def instance_pointer(self, value: Json) -> str:
        """Return the JSON Pointer of the place in one value."""
        return _follow(self.steps, value)[0]

    def is_about(self, value: Json) -> bool:
        """Say whether a value is of the alternatives that were chosen on the way."""
        return all(accepts(each.branch, _follow(each.steps, value)[1]) is not False for each in self.chosen)


@dataclass(frozen=True, slots=True)
class Chosen:
    """An alternative of the accepting side, at a place; ``schema`` says the same of the whole value."""

    steps: tuple[Step, ...]
    branch: Node
    schema: Json


def _follow(steps: Iterable[Step], value: Json) -> tuple[str, Json]:
    """Return the JSON Pointer of a place in one value, and what is there (None where nothing is)."""
    found, node = "", value
    for step in steps:
        name = step.token
        if step.names is not None and isinstance(node, dict):
            name = next((each for each in node if step.names(each)), name)
        found += f"/{token(name)}"
        if isinstance(node, dict):
            node = node.get(name)
        elif isinstance(node, list):
            node = node[int(name)] if name.isdecimal() and int(name) < len(node) else None
        else:
            node = None
    return found, node


@dataclass(frozen=True, slots=True)
class Place:
    """Where the walk stands: in the value, in the accepting schema, and how to build a skeleton around it.

    ``within`` builds a schema that says something of the place alone.
    """

    build: Callable[[Json], Json]
    steps: tuple[Step, ...]
    accepting_pointer: str | None
    within: Callable[[Json], Json] = lambda inner: inner
    among: bool = False
    chosen: tuple[Chosen, ...] = ()

    def below(self, wrap: Callable[[Json], Json], step: Step, nodes: Sequence[Node]) -> Place:
        """Go down into a part of the value."""
        within = self.within
        return replace(
            self.around(wrap),
            steps=(*self.steps, step),
            accepting_pointer=nodes[0].resolved.pointer if nodes else None,
            within=lambda inner: within(wrap(inner)),
            among=False,
        )

    def around(self, wrap: Callable[[Json], Json]) -> Place:
        """Stay at the value, in a subschema that applies to it."""
        build = self.build
        return replace(self, build=lambda inner: build(wrap(inner)))

    def of_case(self, branch: Node | None) -> Place:
        """Point at an alternative of the accepting side."""
        if branch is None:
            return self
        taken = branch.resolved
        chosen = Chosen(self.steps, taken, self.within(dict(taken.keywords)))
        return replace(self, accepting_pointer=taken.pointer, among=True, chosen=(*self.chosen, chosen))

    def way(self, target: Node, step: str, rule: Json) -> Way:
        """Return the way that one rule of a target is, here."""
        keyword = step[1:].split("/", 1)[0] if step else "false"
        skeleton = self.build(rule)
        return Way(
            target.pointer + step, keyword, skeleton, self.accepting_pointer, self.steps, self.among, self.chosen
        )
