"""Schema against schema, without cards around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from registry.core.card.canonical import canonical
from registry.core.card.model import JsonSchema
from registry.core.compat.compare import ordered
from registry.core.compat.differences import Differences, SchemaDifference, differences
from registry.core.compat.rules import OF_SHAPES
from registry.core.compat.rules.subjects import Shapes
from registry.core.solver import BUDGET

if TYPE_CHECKING:
    from registry.core.compat.differences import Direction
    from registry.core.compat.report import Change, Profile, Witness
    from registry.core.solver import Budget, ProvedBy

Json = Any

MAX_DEPTH = 128  # cards are refused beyond 64; a fingerprint can't be made of what is much deeper


@dataclass(frozen=True, slots=True)
class SchemaReport:
    """What a comparison of two schemas says; the changes' pointers are into the schemas.

    "breaking" comes with a witness (the first change's), "compatible" is proven, "unproven" is neither.
    ``second_prover``: that nothing else breaks is proven only with ``jsonschema-rs``. ``fault`` names the prover that
    a checked value refutes: please report it.
    """

    verdict: Literal["compatible", "breaking", "unproven"]
    witness: Witness | None
    changes: tuple[Change, ...]
    second_prover: bool = False
    fault: ProvedBy | None = None


def compare_schemas(
    old: Json, new: Json, side: Direction = "input", profile: Profile = "declared", budget: Budget = BUDGET
) -> SchemaReport:
    """Compare two schemas as an agent's input or output. Never raises for a schema, however hostile."""
    if _is_bounded(old) and _is_bounded(new):
        solved = differences(old, new, side, profile, budget)
    else:
        why = f"a schema is nested over {MAX_DEPTH} deep, or holds what RFC 8785 can't carry"
        solved = Differences((SchemaDifference("breaks", "", "", "", None, None, undecided=why),))
    shapes = Shapes(None, side, JsonSchema(old), JsonSchema(new), solved)
    changes = ordered(change for rule in OF_SHAPES for change in rule.changes(shapes))
    breaks = [change for change in changes if change.level == "major"]
    witness = next((change.witness for change in breaks if change.witness is not None), None)
    if witness is not None:
        return SchemaReport("breaking", witness, changes, solved.second_prover, solved.fault)
    return SchemaReport("unproven" if breaks else "compatible", None, changes, solved.second_prover, solved.fault)


def _is_bounded(schema: Json) -> bool:
    """Say whether fragments of a schema have a canonical form, in bounded depth."""
    row = [schema]
    for _ in range(MAX_DEPTH):
        row = [
            each
            for node in row
            if isinstance(node, dict | list)
            for each in (node.values() if isinstance(node, dict) else node)
        ]
        if not row:
            break
    if row:
        return False
    try:
        canonical(schema)
    except ValueError:
        return False
    return True
