"""The drafts' own meta-schemas: the one thing outside of a document that a reference may name without fetching."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jsonschema_specifications import (  # type: ignore[import-untyped] # jsonschema's own data, without types
    REGISTRY,
)

from registry.core.solver.dialects import DIALECTS

if TYPE_CHECKING:
    from collections.abc import Mapping

Json = Any

_VOCABULARIES = "/meta/"


def documents_of(uri: str) -> Mapping[str, Json]:
    """Return a dialect's meta-schema and its vocabularies, by their URIs; empty for a URI that names no dialect."""
    if uri not in DIALECTS:
        return {}
    stem = uri.removesuffix("/schema") + _VOCABULARIES
    vocabularies = sorted(each for each in REGISTRY if each.startswith(stem))
    return {each: REGISTRY.contents(each) for each in (uri, *vocabularies)}


def dialect_root(uri: str) -> str | None:
    """Return the meta-schema that a document's dynamic references lead to, None for no part of a meta-schema."""
    stem, mark, _ = uri.partition(_VOCABULARIES)
    root = stem + "/schema" if mark else uri
    return root if root in DIALECTS else None
