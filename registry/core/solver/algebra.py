"""A second prover: the canonical algebra of ``jsonschema-rs``, asked for small schemas only.

Its ``YES`` is taken as a proof (a test holds it against 3,954 pairs with known answers); everything else is no answer.
It can't be stopped from inside, so schemas over a size are not given to it; the registry runs it in worker processes.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import jsonschema_rs
import rfc8785

if TYPE_CHECKING:
    from collections.abc import Sequence

Json = Any

MAX_BYTES = 60_000
MAX_EXACT = 2**53 - 1
MAX_FRACTIONS = 8
# What the algebra and the engine may read differently: a reference in percent-encoding, one that depends on its path.
_LEFT_OUT = (b"%", b'"$dynamicRef"')


def is_contained(accepting: Sequence[Json], target: Json) -> bool:
    """Say whether the algebra proves that what all accept, the target accepts. 2020-12 documents."""
    try:
        if not all(map(_is_modest, (*accepting, target))):
            return False
        texts = [_text(schema) for schema in (*accepting, target)]
        if sum(map(len, texts)) > MAX_BYTES or any(mark in text for text in texts for mark in _LEFT_OUT):
            return False
        *wide, narrow = [_canonical(text) for text in texts]
        joined = wide[0]
        for each in wide[1:]:
            joined = joined.intersect(each)
        return str(narrow.covers(joined)) == "yes"
    except (ValueError, jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError):
        return False


def is_empty(accepting: Sequence[Json]) -> bool:
    """Say whether the algebra proves that nothing is accepted by all."""
    return is_contained(accepting, False)


def _text(schema: Json) -> bytes:
    return bytes(rfc8785.dumps(schema))


@lru_cache(maxsize=32)
def _canonical(text: bytes) -> jsonschema_rs.CanonicalSchema:
    return jsonschema_rs.canonicalize(json.loads(text), draft=jsonschema_rs.Draft202012, offline=True)


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
