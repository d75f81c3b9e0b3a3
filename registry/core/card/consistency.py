"""Whether the members of a contract fit together: what no schema of a card can say.

Contract cards and the params of our A2A extension spell these members alike. All but ``well_formed`` expect members
without faults of form.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from registry.core.card.examples import example_findings
from registry.core.card.pointers import child, without
from registry.core.card.schemas import schema_findings
from registry.core.errors import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from registry.core.card.model import Json, Operation

    # What declares inputs, outputs, failures and examples: a card, a skill, an operation; and where it stands.
    Holder = tuple[str, Mapping[str, Json]]

RESERVED_KINDS = frozenset({"timeout", "undeclared"})
MAX_FAILURES = 10_000  # of all operations: those of the card count for each of its skills


def well_formed(document: Json, findings: Iterable[Finding]) -> Json:
    """Return a document without the members that have errors, so that the others are examined too."""
    return without(document, [finding.pointer for finding in findings if finding.level == "error"])


def give_names(holders: Iterable[Mapping[str, Json]], tools: Iterable[dict[str, Json]]) -> None:
    """Let failures, examples and tools that lack their name have a stand-in, so that places stay where they are."""
    for holder in holders:
        for row, naming in (("failures", "kind"), ("examples", "name")):
            for at, each in enumerate(holder.get(row, ())):
                each.setdefault(naming, f"/{row}/{at}")
    for at, tool in enumerate(tools):
        tool.setdefault("name", f"/tools/{at}")


def unless_consequences(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Leave out what may only follow from a fault of form: a kind of failure that can't be read."""
    for finding in findings:
        unknown_kind = finding.code == "example-mismatch" and finding.pointer.endswith("/error")
        if finding.code != "nothing-declared" and not unknown_kind:
            yield finding


def contract_findings(
    holders: Sequence[Holder], operations: Mapping[str, Operation], tools: Sequence[Mapping[str, Json]]
) -> Iterator[Finding]:
    """Yield what is wrong in schemas, failures, examples and tools ("/tools")."""
    shapes = [shape for holder in holders for shape in _shapes(*holder)]
    for holder, pointer, name in shapes:
        if name in holder and f"{name}_schema" in holder:
            message = f"stands beside `{name}: text`; keep one of the two"
            yield Finding("text-and-schema", f"{pointer}/{name}_schema", message)
    yield from _schemas(shapes, tools)
    yield from chain.from_iterable(_failures(*holder) for holder in holders)
    if sum(len(operation.failures) for operation in operations.values()) > MAX_FAILURES:
        message = f"have over {MAX_FAILURES:,} failures together, the card's own counted for each; declare fewer"
        yield Finding("too-many-failures", "", f"the operations {message}")
    yield from example_findings(operations)
    yield from _tools(tools)


def _shapes(pointer: str, holder: Mapping[str, Json]) -> Iterator[tuple[Mapping[str, Json], str, str]]:
    yield from ((holder, pointer, name) for name in ("input", "output"))
    for name, pause in holder.get("pauses", {}).items():
        yield pause, child(f"{pointer}/pauses", name), "answer"


def _schemas(
    shapes: Iterable[tuple[Mapping[str, Json], str, str]], tools: Sequence[Mapping[str, Json]]
) -> Iterator[Finding]:
    places = [
        (f"{pointer}/{name}_schema", holder[f"{name}_schema"])
        for holder, pointer, name in shapes
        if f"{name}_schema" in holder
    ]
    places += [
        (f"/tools/{at}/output_schema", tool["output_schema"])
        for at, tool in enumerate(tools)
        if "output_schema" in tool
    ]
    for finding in schema_findings(places):
        # What a person answers may well be a choice or a yes: only inputs and outputs grow as objects.
        if finding.code != "root-not-an-object" or not finding.pointer.endswith("/answer_schema"):
            yield finding


def _failures(pointer: str, holder: Mapping[str, Json]) -> Iterator[Finding]:
    kinds = [(kind, child(f"{pointer}/error_codes", kind)) for kind in holder.get("error_codes", {})]
    kinds += [(each["kind"], f"{pointer}/failures/{at}/kind") for at, each in enumerate(holder.get("failures", ()))]
    seen: set[str] = set()
    for kind, place in kinds:
        if kind.lower() in RESERVED_KINDS:
            yield Finding("reserved-failure", place, f"`{kind}` is the platform's own kind; choose another name")
        if kind in seen:
            yield Finding("duplicate-failure", place, f"`{kind[:60]}` is listed twice")
        seen.add(kind)


def _tools(tools: Sequence[Mapping[str, Json]]) -> Iterator[Finding]:
    seen: set[str] = set()
    for at, tool in enumerate(tools):
        if tool["name"] in seen:
            yield Finding("duplicate-tool", f"/tools/{at}/name", f"`{tool['name'][:60]}` is listed twice")
        seen.add(tool["name"])
