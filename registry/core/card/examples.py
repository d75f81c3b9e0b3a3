"""Examples against the schemas that they are examples of; and how much work that is, counted before it is done.

Validators go down every alternative of every part of a value: a schema of ten lines and a value of fifty levels can
keep them busy for years. So the steps are counted first, each pair of a subschema and a part of the value once.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING

from registry.core.card.model import JsonSchema, Text
from registry.core.card.references import Graph
from registry.core.errors import Finding
from registry.core.solver.validators import CannotValidate, Disagreement, Pair
from registry.core.solver.validators_findings import pair_findings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from registry.core.card.model import Example, Json, Operation
    from registry.core.card.references import Node

MAX_STEPS = 100_000  # for all examples of a card: about a second
_CHARACTERS_A_STEP = 16
_PAIRS_A_STEP = 16
_UNEVALUATED_FACTOR = 3  # what is unevaluated is found by going once more through all that applies in place
_EVERY_MEMBER = frozenset({"additionalProperties", "patternProperties", "unevaluatedProperties"})
_EVERY_ITEM = frozenset({"additionalItems", "contains", "items", "unevaluatedItems"})
_LISTED = frozenset({"items", "prefixItems"})


def example_findings(operations: Mapping[str, Operation]) -> Iterator[Finding]:
    """Yield where examples don't match their operation, or take more than MAX_STEPS to check together."""
    steps = 0
    for operation in operations.values():
        checked = {
            name: _Checked(shape.schema)
            for name, shape in (("input", operation.input), ("output", operation.output))
            if isinstance(shape, JsonSchema) and any(name in example.members for example in operation.examples)
        }
        for example in operation.examples:
            steps += sum(checked[name].steps(getattr(example, name), MAX_STEPS) for name in _given(example, checked))
            if steps > MAX_STEPS:
                message = (
                    f"brings what checking the examples takes to over {MAX_STEPS:,} steps; keep fewer or smaller ones"
                )
                yield Finding("examples-too-large", example.pointer, message)
                return
            yield from _findings(example, operation, checked)


def _given(example: Example, checked: Mapping[str, _Checked]) -> Iterator[str]:
    return (name for name in checked if name in example.members)


def _findings(example: Example, operation: Operation, checked: Mapping[str, _Checked]) -> Iterator[Finding]:
    for name, shape in (("input", operation.input), ("output", operation.output)):
        if name in example.members and isinstance(shape, Text) and not isinstance(getattr(example, name), str):
            yield Finding("example-mismatch", f"{example.pointer}/{name}", f"is no text, and the {name} is text")
    for name in _given(example, checked):
        yield from checked[name].findings(getattr(example, name), f"{example.pointer}/{name}")
    if example.error is not None and example.error not in operation.failures:
        known = ", ".join(f"`{kind}`" for kind in list(operation.failures)[:6]) or "none"
        message = f"`{example.error[:60]}` is no kind of failure here ({known})"
        yield Finding("example-mismatch", f"{example.pointer}/error", message)


class _Checked:
    """A schema, ready for its examples."""

    def __init__(self, schema: Json) -> None:
        self._graph = Graph(schema) if isinstance(schema, dict) else None
        self._pair: Pair | None = None
        with suppress(CannotValidate):  # the schema's own findings say what is wrong with it
            self._pair = Pair(schema)

    def steps(self, value: Json, limit: int) -> int:
        """Return how many steps checking a value takes, or more than ``limit``."""
        if self._graph is None or self._pair is None or self._graph.findings:
            return 1
        return _steps(self._graph.root, value, limit)

    def findings(self, value: Json, pointer: str) -> Iterator[Finding]:
        """Yield where a value doesn't match."""
        if self._pair is None:
            return
        try:
            for finding in pair_findings(self._pair, value):
                message = f"doesn't match its schema: {finding.message}"
                yield Finding("example-mismatch", pointer + finding.pointer, message)
        except (CannotValidate, Disagreement) as problem:
            yield Finding("example-unchecked", pointer, f"can't be checked: {problem}", "warning")


def _steps(root: Node, value: Json, limit: int) -> int:
    """Count by pairs of a subschema and a part of the value: each pair once, however many ways lead to it."""
    counted: dict[tuple[int, int], int] = {}
    spent = 0
    stack = [(root, value)]
    while stack:
        node, here = stack[-1]
        key = id(node), id(here)
        if counted.get(key):
            stack.pop()
            continue
        own = _own(node, here)
        below = list(islice(_below(node, here), limit))
        if key not in counted:
            counted[key] = 0  # met again on the way down it is a cycle, and counts once
            stack.extend(pair for pair in below if (id(pair[0]), id(pair[1])) not in counted)
            spent += own + len(below)
            if spent > limit:
                return spent
            continue
        stack.pop()
        inner = sum(counted[id(each), id(part)] for each, part in below)
        counted[key] = own + inner * (_UNEVALUATED_FACTOR if _has_unevaluated(node) else 1)
    return counted[id(root), id(value)]


def _below(node: Node, here: Json) -> Iterator[tuple[Node, Json]]:
    """Yield what a subschema asks of which parts of a value, at most."""
    yield from ((each, here) for _, each in node.in_place())
    for each in node.children:
        keyword, *name = each.path
        if isinstance(here, dict):
            if keyword == "properties":
                yield from ((each, here[token]) for token in name if token in here)
            elif keyword in _EVERY_MEMBER:
                yield from ((each, part) for part in here.values())
            elif keyword == "propertyNames":
                yield from ((each, part) for part in here)
        elif isinstance(here, list):
            if name and keyword in _LISTED:
                yield from ((each, here[int(at)]) for at in name if int(at) < len(here))
            elif keyword in _EVERY_ITEM:
                yield from ((each, part) for part in here)


def _own(node: Node, here: Json) -> int:
    """Return the steps of one subschema at one part, without what lies below."""
    if not isinstance(node.schema, dict):
        return 1
    schema = node.schema
    lists = sum(len(schema[name]) for name in ("enum", "required", "type") if isinstance(schema.get(name), list))
    steps = 1 + len(node.children) + lists
    if isinstance(here, str) and "pattern" in schema:
        steps += len(here) // _CHARACTERS_A_STEP
    if isinstance(here, dict) and isinstance(schema.get("patternProperties"), dict):
        steps += len(schema["patternProperties"]) * sum(1 + len(name) // _CHARACTERS_A_STEP for name in here)
    if isinstance(here, list) and schema.get("uniqueItems") is True:
        # Scalars are sorted; anything else is compared pair by pair.
        steps += len(here) ** 2 // _PAIRS_A_STEP if any(isinstance(part, dict | list) for part in here) else len(here)
    return steps


def _has_unevaluated(node: Node) -> bool:
    return any(str(each.path[0]).startswith("unevaluated") for each in node.children)
