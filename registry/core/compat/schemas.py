"""Schema against schema: what the solver says, in the words of a contract.

Under ``declared``, who produces a value sends only what its schema names: the caller for an input, the agent for an
output. So the producing side is read as closed, the receiving side as written; for "did it gain something?" both are.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from registry.core.card.canonical import canonical
from registry.core.card.keywords import without_annotations
from registry.core.solver import Found, Side, reasons
from registry.core.solver.meaning import UnusableSchema, normalise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from registry.core.compat.report import Profile
    from registry.core.solver import Reason

Json = Any
Direction = Literal["input", "output"]
Family = Literal["required", "type", "value", "bound", "pattern", "closed", "other"]

MAX_GAINS = 16
MAX_NAMED = 2_000
MAX_DEPTH = 12

_FAMILIES: dict[str, Family] = {
    "required": "required",
    "type": "type",
    "enum": "value",
    "const": "value",
    "pattern": "pattern",
    "additionalProperties": "closed",
    "unevaluatedProperties": "closed",
    "false": "closed",
    **dict.fromkeys(
        (
            *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength"),
            *("minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "contains"),
        ),
        "bound",
    ),
}


@dataclass(frozen=True, slots=True)
class SchemaChange:
    """One difference between two schemas; pointers are into them, ``shown`` says whether ``value`` is a witness."""

    kind: Literal["breaks", "gains", "unnamed", "default", "format"]
    family: Family
    old_pointer: str | None
    new_pointer: str | None
    old: Json
    new: Json
    sentence: str
    shown: bool = False
    value: Json = None
    unproven: bool = False


@dataclass(frozen=True, slots=True)
class SchemaReport:
    """What a comparison of two schemas says. ``witness`` is a value when breaking (``has_witness`` tells)."""

    verdict: Literal["compatible", "breaking", "unproven"]
    witness: Json
    changes: tuple[SchemaChange, ...]
    has_witness: bool = False


def compare_schemas(old: Json, new: Json, side: Direction = "input", profile: Profile = "declared") -> SchemaReport:
    """Compare two schemas as an agent's input or output.

    "breaking" comes with a value, "compatible" is proven, "unproven" is neither. Never raises for a schema.
    """
    found = tuple(schema_changes(old, new, side, profile))
    breaks = [change for change in found if change.kind == "breaks"]
    shown = next((change for change in breaks if change.shown), None)
    if shown is not None:
        return SchemaReport("breaking", shown.value, found, has_witness=True)
    return SchemaReport("unproven" if breaks else "compatible", None, found)


def schema_changes(old: Json, new: Json, side: Direction, profile: Profile) -> Iterator[SchemaChange]:
    """Yield what changed between two schemas, breaks first."""
    if _same(old, new):
        return
    takes = side == "input"
    closed: Literal["any", "absent"] = "absent" if profile == "declared" else "any"
    before, after = (old, new) if takes else (new, old)
    breaks = reasons([Side(before, closed)], [Side(after)])
    for reason in breaks:
        yield _change(reason, old, new, side, "breaks")
    gains = reasons([Side(after, closed)], [Side(before, closed)])
    for reason in gains[:MAX_GAINS]:
        if isinstance(reason.answer, Found) or not breaks:
            yield _change(reason, old, new, side, "gains")
    yield from _annotations(old, new, side)


def _same(old: Json, new: Json) -> bool:
    """Say whether two schemas are equal but for annotations that promise nothing."""
    try:
        return canonical(without_annotations(old)) == canonical(without_annotations(new))
    except (ValueError, RecursionError):
        return False


def _change(reason: Reason, old: Json, new: Json, side: Direction, kind: Literal["breaks", "gains"]) -> SchemaChange:
    takes = (side == "input") == (kind == "breaks")  # then the refusing schema is the new one
    refusing, accepting = (new, old) if takes else (old, new)
    family = _FAMILIES.get(reason.keyword, "other")
    wanted = fragment(refusing, reason.pointer)
    counterpart = _counterpart(accepting, reason)
    had = None if counterpart is None else fragment(accepting, counterpart)
    pointers = (counterpart, reason.pointer) if takes else (reason.pointer, counterpart)
    shown = isinstance(reason.answer, Found)
    where = f"`{reason.instance_pointer}`" if reason.instance_pointer else "the whole value"
    sentence = _sentence(side, kind, family, reason.keyword, where, wanted, had)
    if not shown:
        sentence = _unproven(side, kind, where, reason)
    return SchemaChange(
        kind=kind,
        family=family,
        old_pointer=pointers[0],
        new_pointer=pointers[1],
        old=had if takes else wanted,
        new=wanted if takes else had,
        sentence=sentence,
        shown=shown,
        value=reason.answer.value if isinstance(reason.answer, Found) else None,
        unproven=not shown,
    )


def _counterpart(accepting: Json, reason: Reason) -> str | None:
    """Return where the accepting schema says the same kind of thing, else the place itself."""
    if reason.accepting_pointer is None:
        return None
    keyword = reason.keyword
    place = fragment(accepting, reason.accepting_pointer)
    if isinstance(place, dict) and keyword in place:
        return f"{reason.accepting_pointer}/{keyword}"
    return reason.accepting_pointer


def fragment(schema: Json, pointer: str) -> Json:
    """Return what a pointer names in a schema, None when it names nothing."""
    node = schema
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(node, list):
            node = node[int(name)] if name.isdigit() and int(name) < len(node) else None
        else:
            node = node.get(name) if isinstance(node, dict) else None
    return node


def _sentence(side: Direction, kind: str, family: Family, keyword: str, where: str, wanted: Json, had: Json) -> str:
    """Say a change in plain words; ``wanted`` is the refusing keyword's value, ``had`` what stood there."""
    takes = side == "input"
    name = f"`{wanted}`" if isinstance(wanted, str) else short(wanted)
    at = f" in {where}" if where != "the whole value" else ""
    if kind == "gains":
        if family == "closed":
            return f"{'takes' if takes else 'no longer answers with'} properties{at} that weren't named before"
        verb = "takes more than before" if takes else "promises more than before"
        return f"{verb}{at}: `{keyword}` {'was' if takes else 'is'} {short(wanted)}"
    if takes:
        words = {
            "required": f"now requires {name}{at}",
            "type": f"takes only {short(wanted)} for {where} now{_before(had, keyword)}",
            "value": f"takes only {short(wanted)} for {where} now{_before(had, keyword)}",
            "bound": f"now demands `{keyword}` {short(wanted)} of {where}{_before(had, keyword)}",
            "pattern": f"now demands that {where} matches `{wanted}`{_before(had, keyword)}",
            "closed": f"no longer takes properties{at} that it doesn't name",
            "other": f"no longer takes some values of {where} that it took (`{keyword}`)",
        }
    else:
        words = {
            "required": f"{name} may now be missing{at}",
            "type": f"may answer another type for {where}; before, only {short(wanted)}",
            "value": f"may answer other values for {where}; before, only {short(wanted)}",
            "bound": f"may answer {where} beyond `{keyword}` {short(wanted)}, which held before",
            "pattern": f"may answer {where} that doesn't match `{wanted}`, which held before",
            "closed": f"may answer with properties{at} although nothing else was promised to come",
            "other": f"may answer values of {where} that it never answered (`{keyword}`)",
        }
    return words[family]


def _before(had: Json, keyword: str) -> str:
    if isinstance(had, dict | list | None) and keyword not in ("type", "enum"):
        return ""
    return f"; before, {short(had)}" if not isinstance(had, dict) else ""


def _unproven(side: Direction, kind: str, where: str, reason: Reason) -> str:
    why = getattr(reason.answer, "reason", "")
    keyword = f" (`{reason.keyword}`)" if reason.keyword else ""
    if kind == "gains":
        return f"may accept or promise more for {where}{keyword}; this could not be decided"
    verb = "takes everything that it took" if side == "input" else "answers nothing new"
    return f"could not be proven compatible: whether it {verb} for {where}{keyword}: {why}"


def short(value: Json) -> str:
    """Return a fragment as one short piece of JSON."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "..."


def _annotations(old: Json, new: Json, side: Direction) -> Iterator[SchemaChange]:
    """Yield what no value shows: properties that are named no longer, defaults, formats."""
    before, after = named_places(old), named_places(new)
    for path, (pointer, node) in before.items():
        if path not in after:
            if path and path.rpartition("/")[0] in after and not path.endswith("/*"):
                said = "is ignored from now on" if side == "input" else "is not named any more and may never come"
                yield SchemaChange("unnamed", "other", pointer, None, node, None, f"`{path}` {said}")
            continue
        place, other = after[path]
        for keyword in ("default", "format"):
            was, now = (each.get(keyword) if isinstance(each, dict) else None for each in (node, other))
            if canonical(was) != canonical(now):
                where = f"`{path}`" if path else "the whole value"
                said = f"the {keyword} of {where} is {short(now)} instead of {short(was)}"
                kind: Literal["default", "format"] = "default" if keyword == "default" else "format"
                yield SchemaChange(kind, "other", f"{pointer}/{keyword}", f"{place}/{keyword}", was, now, said)


def named_places(schema: Json) -> dict[str, tuple[str, Json]]:
    """Return the places of a value that a schema names, each with its pointer and schema; ``*`` is any item."""
    try:
        meaning = normalise(schema)
    except UnusableSchema:
        return {}
    found: dict[str, tuple[str, Json]] = {}
    queue: list[tuple[str, str, Json, frozenset[str]]] = [("", "", meaning.schema, frozenset())]
    while queue and len(found) < MAX_NAMED:
        path, pointer, node, seen = queue.pop(0)
        if not isinstance(node, dict) or path.count("/") > MAX_DEPTH:
            continue
        reference = node.get("$ref", "#")[1:]
        if "$ref" in node and reference not in seen:
            queue.append((path, reference, _target(meaning.schema, reference), seen | {reference}))
        origin = meaning.origins.get(pointer, pointer)
        kept = found.setdefault(path, (origin, fragment(schema, origin)))
        if not isinstance(kept[1], dict) or ("$ref" in kept[1] and "$ref" not in node):
            found[path] = (origin, fragment(schema, origin))
        for row in ("allOf", "anyOf", "oneOf"):
            queue.extend((path, f"{pointer}/{row}/{at}", each, seen) for at, each in enumerate(node.get(row, ())))
        for name, each in node.get("properties", {}).items():
            step = name.replace("~", "~0").replace("/", "~1")
            queue.append((f"{path}/{step}", f"{pointer}/properties/{step}", each, seen))
        if "items" in node:
            queue.append((f"{path}/*", f"{pointer}/items", node["items"], seen))
    return found


def _target(schema: Json, pointer: str) -> Json:
    return fragment(schema, pointer) if pointer else schema
