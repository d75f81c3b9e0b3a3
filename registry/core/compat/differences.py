"""Schema against schema: what the solver says, as differences that the rules put into words.

Under ``declared``, who produces a value sends only what its schema names: the caller for an input, the agent for an
output. So "does it break?" reads the producing side as closed and the receiving side as written; "did it gain
something?" reads both as closed. Under ``literal`` both are read as written.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from registry.core.card.canonical import canonical, digest
from registry.core.card.keywords import without_annotations
from registry.core.compat.places import ANNOTATIONS, exists, fragment, holds_member, named_places, referenced, written
from registry.core.solver import BUDGET, Found, GaveUp, Reasons, Side, find, reasons

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from registry.core.compat.places import Path, Place
    from registry.core.compat.report import Profile
    from registry.core.solver import Budget, ProvedBy, Reason

Json = Any
Direction = Literal["input", "output"]
Kind = Literal["breaks", "widens", "names", "unnames", "default", "format"]
Family = Literal["required", "type", "value", "bound", "pattern", "property", "other"]

MAX_GAINS = 16
MAX_PLACES_BESIDE_BREAKS = 400  # beside a break nobody waits seconds for the gains of two large schemas

_FAMILIES: dict[str, Family] = {
    "required": "required",
    "type": "type",
    "enum": "value",
    "const": "value",
    "pattern": "pattern",
    **dict.fromkeys(
        (
            *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength"),
            *("minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "contains"),
        ),
        "bound",
    ),
}

_WIDENING = frozenset({"oneOf", "unevaluatedProperties", "unevaluatedItems"})
_BESIDE_OTHERS = frozenset({"additionalProperties", "unevaluatedProperties", "unevaluatedItems", "contains", "if"})


@dataclass(frozen=True, slots=True)
class SchemaDifference:
    """One difference between two schemas; pointers are into them.

    ``kind``: it breaks; it widens (an input takes, an output promises more); a property is named for the first time,
    or no longer; a default or a format changed. ``place`` is where in the value ("" the whole). Of the schema that
    refuses, ``keyword`` does it with the value ``wanted``; ``had`` is that keyword's value in the other one,
    which may be ``among`` alternatives there. ``basis`` is what the fragments don't hold and the difference depends on:
    what they refer to, the property's name.
    ``shown`` says whether ``value`` is a value that shows it, with ``part`` at the place and ``extra`` properties there
    that the refusing schema doesn't name. ``undecided`` is why it could be neither shown nor excluded.
    """

    kind: Kind
    place: str
    old_pointer: str | None
    new_pointer: str | None
    old: Json
    new: Json
    family: Family = "other"
    keyword: str = ""
    wanted: Json = None
    had: Json = None
    among: bool = False
    basis: Json = None
    shown: bool = False
    value: Json = None
    part: Json = None
    extra: tuple[str, ...] = ()
    undecided: str = ""


@dataclass(frozen=True, slots=True)
class Differences:
    """What differs between two schemas, and what the answer rests on.

    ``second_prover``: that nothing else breaks could not have been proven without ``jsonschema-rs``. ``fault`` names
    the prover that a checked value refutes.
    """

    found: tuple[SchemaDifference, ...] = ()
    second_prover: bool = False
    fault: ProvedBy | None = None


def differences(old: Json, new: Json, direction: Direction, profile: Profile, budget: Budget = BUDGET) -> Differences:
    """Return what differs between two schemas of an input or an output, breaks first. Never raises for a schema."""
    if _same(old, new):
        return Differences()
    closed: Literal["any", "absent"] = "absent" if profile == "declared" else "any"
    takes = direction == "input"
    narrow, wide = (old, new) if takes else (new, old)  # what was taken must be taken; what is given must have been
    lost = reasons(_sent(narrow, closed), [Side(wide)], budget)
    before, after = named_places(old), named_places(new)
    losses = _Comparison(narrow, wide, "breaks", after if takes else before, refusing_is_new=takes)
    breaks = [losses.difference(reason) for reason in lost]
    asked = not breaks or len(before) + len(after) <= MAX_PLACES_BESIDE_BREAKS
    gained = reasons(_sent(wide, closed), [Side(narrow, closed)], budget) if asked else Reasons()
    additions = _Comparison(wide, narrow, "widens", before if takes else after, refusing_is_new=not takes)
    gains = [additions.difference(reason) for reason in gained.ways[:MAX_GAINS]]
    named = list(_named(before, after, breaks, old, new)) if profile == "declared" else []
    unnamed = list(_named(after, before, breaks, new, old))
    # Additions are told by name; without a break, "could not be decided" is worth a word.
    told = _told(breaks) | {each.place for each in (*named, *unnamed)}
    found = [
        *breaks,
        *named,
        *(each for each in gains if (each.shown and not _is_told(each, told)) or (each.undecided and not breaks)),
        *map(_reversed, unnamed),
        *(_unlisted(old, new, direction, named, unnamed, budget) if profile == "declared" and not breaks else ()),
        *_annotations(before, after),
    ]
    return Differences(tuple(found), lost.second_prover, lost.fault or gained.fault)


def _sent(schema: Json, closed: Literal["any", "absent"]) -> list[Side]:
    """Return what a producer's value is accepted by: the closed reading, and the schema as it stands.

    The closed reading alone would do, but for keywords by which a narrower subschema makes a wider schema.
    """
    sides = [Side(schema, closed)]
    return [*sides, Side(schema)] if closed == "absent" and holds_member(schema, _WIDENING) else sides


def _same(old: Json, new: Json) -> bool:
    """Say whether two schemas are equal but for annotations that promise nothing."""
    try:
        return canonical(without_annotations(old)) == canonical(without_annotations(new))
    except (ValueError, RecursionError):
        return False


@dataclass(frozen=True, slots=True)
class _Comparison:
    """What one schema accepts, by what another one refuses; ``named`` are the places that the refusing one names."""

    accepting: Json
    refusing: Json
    kind: Kind
    named: dict[Path, Place]
    refusing_is_new: bool
    _bases: dict[tuple[bool, str], str] = field(default_factory=dict)

    def difference(self, reason: Reason) -> SchemaDifference:
        """Put a reason into words' pieces."""
        keyword = reason.keyword
        there = _nearest(self.refusing, reason.pointer)
        wanted = fragment(self.refusing, reason.pointer)
        place = None if reason.accepting_pointer is None else _nearest(self.accepting, reason.accepting_pointer)
        here, had = place, None
        if place is not None and keyword and exists(self.accepting, f"{place}/{keyword}"):
            here = f"{place}/{keyword}"
            had = fragment(self.accepting, here)
        shown = isinstance(reason.answer, Found)
        value = reason.answer.value if isinstance(reason.answer, Found) else None
        part = fragment(value, reason.instance_pointer) if shown else None
        path = reason.path
        family = _family(keyword, wanted, path)
        alone = had is not None and family in ("required", "value", "bound", "pattern")
        beside = _needs_others(keyword, wanted) and there.endswith(f"/{keyword}")
        gone = fragment(self.refusing, there)
        return SchemaDifference(
            kind=self.kind,
            place=written(path),
            old_pointer=here if self.refusing_is_new else there,
            new_pointer=there if self.refusing_is_new else here,
            old=had if self.refusing_is_new else gone,
            new=gone if self.refusing_is_new else had,
            family=family,
            keyword=keyword,
            wanted=wanted,
            had=had,
            among=reason.among,
            basis=[
                self._basis(here if alone else place, accepting=True),
                self._basis(there.rpartition("/")[0] if beside else there, accepting=False),
                path[-1] if keyword == "false" and path else None,
            ],
            shown=shown,
            value=value,
            part=part,
            extra=tuple(name for name in part if _is_extra(path, name, self.named)) if isinstance(part, dict) else (),
            undecided=reason.answer.reason if isinstance(reason.answer, GaveUp) else "",
        )

    def _basis(self, pointer: str | None, *, accepting: bool) -> str | None:
        """Return a digest of what a difference depends on in one schema: a part, and what that refers to.

        Where a schema hasn't the other one's keyword, and where a keyword means nothing without those beside it, the
        part is the whole place: one break that was let through must not let through another.
        """
        if pointer is None:
            return None
        if (accepting, pointer) not in self._bases:
            schema = self.accepting if accepting else self.refusing
            part = fragment(schema, pointer)
            self._bases[accepting, pointer] = digest(canonical([part, referenced(schema, part)]))
        return self._bases[accepting, pointer]


def _family(keyword: str, wanted: Json, path: Path) -> Family:
    """Say what a keyword is about. The closed reading's own ``unevaluatedProperties`` has no value in the schema."""
    if keyword in ("additionalProperties", "unevaluatedProperties"):
        return "property" if wanted in (False, None) else "other"
    if keyword == "false":
        return "property" if path and path[-1].startswith(".") else "other"
    return _FAMILIES.get(keyword, "other")


def _needs_others(keyword: str, wanted: Json) -> bool:
    """Say whether a keyword's meaning depends on the ones beside it."""
    return keyword in _BESIDE_OTHERS or (keyword.startswith("exclusive") and isinstance(wanted, bool))


def _nearest(schema: Json, pointer: str) -> str:
    """Return the pointer, or its longest beginning that names something: the closed reading adds keywords."""
    while not exists(schema, pointer):
        pointer = pointer.rpartition("/")[0]
    return pointer


def _is_extra(path: Path, name: str, named: dict[Path, Place]) -> bool:
    return (*path, f".{name}") not in named and not (path in named and named[path].names(name))


def _named(
    before: dict[Path, Place], after: dict[Path, Place], breaks: Sequence[SchemaDifference], old: Json, new: Json
) -> Iterator[SchemaDifference]:
    """Yield the properties that only ``after`` names, at places that both describe."""
    told = _told(breaks)
    for path, place in after.items():
        if path in before or not path or not path[-1].startswith(".") or path[:-1] not in before:
            continue
        parent = before[path[:-1]]
        where = written(path)
        if not parent.names(path[-1][1:]) and where not in told:
            pointer = _nearest(new, place.pointers[0])
            yield SchemaDifference(
                "names", where, _nearest(old, parent.pointers[0]), pointer, None, fragment(new, pointer), "property"
            )


def _told(breaks: Sequence[SchemaDifference]) -> set[str]:
    """Return the places that breaks tell of: where they are, what is required there, what else may come."""
    names = [(each, each.wanted) for each in breaks if each.family == "required"]
    names += [(each, name) for each in breaks for name in each.extra]
    return {each.place for each in breaks} | {_below(each.place, str(name)) for each, name in names}


def _is_told(found: SchemaDifference, told: set[str]) -> bool:
    """Say whether a gain is only about properties that are told already."""
    extra = {_below(found.place, name) for name in found.extra}
    return found.family == "property" and (extra <= told if extra else found.place in told)


def _below(place: str, name: str) -> str:
    return f"{place}.{written((f'.{name}',))}".removeprefix(".")


def _reversed(found: SchemaDifference) -> SchemaDifference:
    """Return "named for the first time" from new to old as "no longer named"."""
    return SchemaDifference(
        "unnames", found.place, found.new_pointer, found.old_pointer, found.new, found.old, "property"
    )


def _unlisted(
    old: Json,
    new: Json,
    direction: Direction,
    named: Sequence[SchemaDifference],
    unnamed: Sequence[SchemaDifference],
    budget: Budget,
) -> Iterator[SchemaDifference]:
    """Yield properties that came or went where no single name tells it: patterns, maps, alternatives."""
    rows: tuple[tuple[Kind, Json, Json, bool], ...] = (
        ("names", new, old, direction == "output" and not named),
        ("unnames", old, new, direction == "input" and not unnamed),
    )
    for kind, accepting, refusing, wanted in rows:
        answer = find(_sent(accepting, "absent"), [Side(refusing, "absent")], budget) if wanted else None
        if isinstance(answer, Found):
            yield SchemaDifference(kind, "", "", "", None, None, "other", shown=True, value=answer.value)


def _annotations(before: dict[Path, Place], after: dict[Path, Place]) -> Iterator[SchemaDifference]:
    """Yield changed defaults and formats of places that both schemas name."""
    for path, place in before.items():
        other = after.get(path)
        for keyword in ANNOTATIONS if other is not None else ():
            old, new = (each.annotations.get(keyword, []) for each in (place, other or place))
            if {canonical(value) for _, value in old} != {canonical(value) for _, value in new}:
                yield SchemaDifference(
                    keyword,
                    written(path),
                    old[0][0] if old else None,
                    new[0][0] if new else None,
                    old[0][1] if old else None,
                    new[0][1] if new else None,
                    keyword=keyword,
                    had=_distinct(old),
                    wanted=_distinct(new),
                )


def _distinct(rows: Sequence[tuple[str, Json]]) -> list[Json]:
    """Return the different values of annotations; alternatives often say the same."""
    return list({canonical(value): value for _, value in rows}.values())
