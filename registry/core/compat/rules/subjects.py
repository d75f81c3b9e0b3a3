"""What rules read: two cards, one operation in both, one shape in both."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from registry.core.card.model import JsonSchema, Undeclared
from registry.core.compat.differences import Differences, differences
from registry.core.compat.report import Witness
from registry.core.compat.rules.rule import Difference

if TYPE_CHECKING:
    from collections.abc import Iterator

    from registry.core.card.model import Card, Contract, Operation, Shape
    from registry.core.compat.differences import Direction, Family, Kind, SchemaDifference
    from registry.core.compat.report import Profile
    from registry.core.solver import Budget

    ShapeSide = Literal["input", "output", "pause"]

Json = Any


@dataclass(frozen=True, slots=True)
class Cards:
    """Two cards, old and new."""

    old: Card
    new: Card

    @property
    def contracts(self) -> tuple[Contract, Contract]:
        """Return both contracts."""
        return self.old.contract, self.new.contract


def a2a_place(card: Card, pointer: str) -> str:
    """Return where a member of A2A stands in a card: a contract card has them in a place of their own."""
    return f"/a2a{pointer}" if card.kind == "contract" else pointer


@dataclass(frozen=True, slots=True)
class Operations:
    """One operation in both contracts; the contracts hold what an operation doesn't say itself."""

    id: str
    old: Operation
    new: Operation
    before: Contract
    after: Contract

    @property
    def was_without_contract(self) -> bool:
        """Whether the old operation declared nothing at all: no shape, no pause, no failure."""
        shapes = (self.old.input, self.old.output)
        return all(isinstance(each, Undeclared) for each in shapes) and not (self.old.pauses or self.old.failures)


@dataclass(frozen=True, slots=True)
class Shapes:
    """An input, an output or the answer to a pause, in both contracts; ``solved`` is what the solver says of it."""

    operation: str | None
    side: ShapeSide
    old: Shape
    new: Shape
    solved: Differences = field(default_factory=Differences)
    pause: str | None = None

    @property
    def direction(self) -> Direction:
        """Return whose value it is: the caller's (input), or the agent's (output)."""
        return "output" if self.side == "output" else "input"

    @property
    def subject(self) -> str:
        """Return what sentences about this shape are about."""
        return f"the answer to `{self.pause}`" if self.pause is not None else self.side

    def each(self, direction: Direction, kind: Kind, family: Family | None = None) -> Iterator[SchemaDifference]:
        """Yield the differences of one kind (and family), when this is a shape of that direction."""
        for found in self.solved.found if direction == self.direction else ():
            if found.kind == kind and family in (None, found.family):
                yield found

    def told(self, found: SchemaDifference, words: str) -> Difference:
        """Return a difference between two schemas as one between two cards."""
        sentence = f"{self.subject} {_undecided(found, self.direction) if found.undecided else words}"
        witness = None
        if found.shown:
            # What narrows an input, and what an output gives no longer, is shown by a value of the old contract.
            of_old = (self.direction == "input") == (found.kind == "breaks") or found.kind == "unnames"
            witness = Witness("json", found.value, "old" if of_old and found.kind != "names" else "new")
        return Difference(
            sentence,
            operation=self.operation,
            side=self.side,
            old_pointer=None if found.old_pointer is None else self.old.pointer + found.old_pointer,
            new_pointer=None if found.new_pointer is None else self.new.pointer + found.new_pointer,
            old=found.old,
            new=found.new,
            basis=found.basis,
            witness=witness,
            unproven=bool(found.undecided),
        )


def _undecided(found: SchemaDifference, direction: Direction) -> str:
    takes = direction == "input"
    at = f" for `{found.place}`" if found.place else ""
    keyword = f" (`{found.keyword}`)" if found.keyword else ""
    if found.kind == "widens":
        return f"may {'take' if takes else 'promise'} more than before{at}{keyword}: {found.undecided}"
    everything = "still take everything that it took" if takes else "hold nothing that it never held"
    return f"could not be proven to {everything}{at}{keyword}: {found.undecided}"


def shapes_of(pair: Operations, profile: Profile, budget: Budget) -> Iterator[Shapes]:
    """Yield the shapes of an operation that both contracts have."""
    yield _shapes(pair, "input", pair.old.input, pair.new.input, profile, budget)
    yield _shapes(pair, "output", pair.old.output, pair.new.output, profile, budget)
    for name, pause in pair.new.pauses.items():
        if name in pair.old.pauses:
            yield _shapes(pair, "pause", pair.old.pauses[name].answer, pause.answer, profile, budget, name)


def _shapes(
    pair: Operations,
    side: ShapeSide,
    old: Shape,
    new: Shape,
    profile: Profile,
    budget: Budget,
    pause: str | None = None,
) -> Shapes:
    solved = Differences()
    if isinstance(old, JsonSchema) and isinstance(new, JsonSchema):
        solved = differences(old.schema, new.schema, "output" if side == "output" else "input", profile, budget)
    return Shapes(pair.id, side, old, new, solved, pause)
