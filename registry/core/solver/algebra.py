"""A second prover: the canonical algebra of ``jsonschema-rs``, asked for small schemas only.

Its ``YES`` is taken as a proof (a test holds it against 3,954 pairs with known answers); everything else is no answer.
It can't be stopped from inside, so schemas over a size are not given to it; the registry runs it in worker processes.
"""

from __future__ import annotations

import json
from functools import lru_cache, reduce
from typing import TYPE_CHECKING, Any

import jsonschema_rs

if TYPE_CHECKING:
    from collections.abc import Sequence

Json = Any

MAX_BYTES = 60_000
MAX_EXACT = 2**53 - 1
MAX_FRACTIONS = 8
# What the algebra and the engine may read differently: a reference in percent-encoding, one that depends on its path.
_LEFT_OUT = ("%", '"$dynamicRef"')


def is_contained(accepting: Sequence[Json], target: Json) -> bool:
    """Say whether the algebra proves that what all accept, the target accepts. 2020-12 documents."""
    try:
        texts = [
            json.dumps(schema, allow_nan=False, ensure_ascii=False, sort_keys=True) for schema in (*accepting, target)
        ]
        if sum(map(len, texts)) > MAX_BYTES:
            return False
        *wide, narrow = [_canonical(text) for text in texts]
        return str(narrow.covers(_joined(*wide))) == "yes"
    except (ValueError, RecursionError, jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError):
        return False


def is_empty(accepting: Sequence[Json]) -> bool:
    """Say whether the algebra proves that nothing is accepted by all."""
    return is_contained(accepting, False)


@lru_cache(maxsize=32)
def _canonical(text: str) -> jsonschema_rs.CanonicalSchema:
    """Read one schema; raises ValueError for one that the algebra may get wrong."""
    schema = json.loads(text, parse_float=_number)
    if any(mark in text for mark in _LEFT_OUT) or not _is_modest(schema):
        raise ValueError("the algebra is not asked about this")
    return jsonschema_rs.canonicalize(schema, draft=jsonschema_rs.Draft202012, offline=True)


def _number(digits: str) -> float:
    """Read 1.0 as 1, which JSON Schema takes for the same."""
    value = float(digits)
    return int(value) if value.is_integer() and abs(value) <= MAX_EXACT else value


@lru_cache(maxsize=32)
def _joined(*schemas: jsonschema_rs.CanonicalSchema) -> jsonschema_rs.CanonicalSchema:
    return reduce(lambda joined, each: joined.intersect(each), schemas)


def _is_modest(schema: Json) -> bool:
    """Say whether every number is one that a double holds exactly: the algebra rounds others, the engine doesn't.

    Many fractional ``multipleOf`` are left out too: it multiplies them, for minutes.
    """
    fractions = 0
    stack = [schema]
    while stack:
        value = stack.pop()
        if isinstance(value, dict | list):
            stack.extend(value.values() if isinstance(value, dict) else value)
            fractions += isinstance(value, dict) and isinstance(value.get("multipleOf"), float)
            if fractions > MAX_FRACTIONS:
                return False
        elif isinstance(value, int | float) and not abs(value) <= MAX_EXACT:
            return False
    return True
