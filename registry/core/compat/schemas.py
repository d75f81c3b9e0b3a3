"""Schema against schema, without cards around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from registry.core.card.model import JsonSchema
from registry.core.compat.compare import ordered
from registry.core.compat.differences import differences
from registry.core.compat.rules import OF_SHAPES
from registry.core.compat.rules.subjects import Shapes

if TYPE_CHECKING:
    from registry.core.compat.differences import Direction
    from registry.core.compat.report import Change, Profile, Witness

Json = Any


@dataclass(frozen=True, slots=True)
class SchemaReport:
    """What a comparison of two schemas says; the changes' pointers are into the schemas.

    "breaking" comes with a witness (the first change's), "compatible" is proven, "unproven" is neither.
    """

    verdict: Literal["compatible", "breaking", "unproven"]
    witness: Witness | None
    changes: tuple[Change, ...]


def compare_schemas(old: Json, new: Json, side: Direction = "input", profile: Profile = "declared") -> SchemaReport:
    """Compare two schemas as an agent's input or output. Never raises for a schema, however hostile."""
    shapes = Shapes(None, side, JsonSchema(old), JsonSchema(new), tuple(differences(old, new, side, profile)))
    changes = ordered(change for rule in OF_SHAPES for change in rule.changes(shapes))
    breaks = [change for change in changes if change.level == "major"]
    witness = next((change.witness for change in breaks if change.witness is not None), None)
    if witness is not None:
        return SchemaReport("breaking", witness, changes)
    return SchemaReport("unproven" if breaks else "compatible", None, changes)
