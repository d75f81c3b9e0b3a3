"""One self-contained document from a card and the schema files beside it.

A reference to a file becomes a reference into ``$defs`` of the schema that holds it; each file stands there once, as
a resource of its own, so that ``#`` in it is its own root. The same files give the same bytes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import unquote

from registry.core.card import text
from registry.core.card.pointers import child
from registry.core.errors import Finding, InvalidCard

if TYPE_CHECKING:
    from collections.abc import Callable

    from registry.core.card.model import Json

MAX_FILES = 200
# URIs of files in a bundle: compared, never fetched (RFC 2606 keeps `.invalid` for that).
BASE = "https://bundle.invalid/"


def bundle(name: str, load: Callable[[str], bytes]) -> bytes:
    """Return the card ``name`` as self-contained JSON; ``load`` gets paths relative to the card's folder.

    A card that refers to no file is returned byte for byte. Raises InvalidCard with every reference that can't be
    followed, and what ``load`` raises.
    """
    raw = load(name)
    document = text.parse(raw)
    bundling = _Bundling(load)
    whole = bundling.card(document.value)
    if bundling.findings:
        raise InvalidCard(document.placed(bundling.findings))
    if not bundling.files:
        return raw
    return json.dumps(whole, ensure_ascii=False, indent=2).encode() + b"\n"


@dataclass(slots=True)
class _Bundling:
    """What was loaded so far, by its path from the card's folder."""

    load: Callable[[str], bytes]
    files: dict[str, Json] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def card(self, value: Json) -> Json:
        """Rewrite every schema of a card; a schema is where a member's name says so."""
        return self._holder(value, "")

    def _holder(self, value: Json, pointer: str) -> Json:
        if isinstance(value, list):
            return [self._holder(each, child(pointer, at)) for at, each in enumerate(value)]
        if not isinstance(value, dict):
            return value
        return {
            name: self._schema(each, child(pointer, name))
            if name.endswith("_schema") and isinstance(each, dict)
            else self._holder(each, child(pointer, name))
            for name, each in value.items()
        }

    def _schema(self, schema: Json, pointer: str) -> Json:
        """Return one schema with the files that it refers to under its ``$defs``."""
        needed: dict[str, None] = {}
        whole = self._rewritten(schema, "", pointer, needed)
        if not needed:
            return whole
        definitions = dict(whole.get("$defs", {}))
        waiting = list(needed)
        while waiting:
            path = waiting.pop(0)
            if path in definitions:
                continue
            more: dict[str, None] = {}
            content = self._rewritten(self.files[path], path, pointer, more)
            definitions[path] = {"$id": BASE + path, **content} if isinstance(content, dict) else content
            waiting.extend(more)
        rest = {keyword: value for keyword, value in whole.items() if keyword != "$defs"}
        only = list(rest) == ["$ref"] and rest["$ref"].startswith(BASE) and "#" not in rest["$ref"]
        root = rest["$ref"].removeprefix(BASE) if only else ""
        if only and len(definitions) == 1 and isinstance(definitions[root], dict):
            # One file, referred to as a whole: it is the schema itself.
            return {keyword: value for keyword, value in definitions[root].items() if keyword != "$id"}
        return {**rest, "$defs": dict(sorted(definitions.items()))}

    def _rewritten(self, schema: Json, here: str, pointer: str, needed: dict[str, None]) -> Json:
        """Copy a schema of the file ``here``; references to files name their resources, and are loaded."""
        if isinstance(schema, list):
            return [self._rewritten(each, here, pointer, needed) for each in schema]
        if not isinstance(schema, dict):
            return schema
        result = {}
        for keyword, value in schema.items():
            if keyword == "$ref" and isinstance(value, str) and not value.startswith("#"):
                result[keyword] = self._reference(value, here, pointer, needed)
            elif keyword in ("const", "enum", "default", "examples"):
                result[keyword] = value
            else:
                result[keyword] = self._rewritten(value, here, pointer, needed)
        return result

    def _reference(self, reference: str, here: str, pointer: str, needed: dict[str, None]) -> str:
        path, mark, fragment = reference.partition("#")
        place = f"{pointer}/$ref" if not here else pointer
        if "://" in path or path.startswith(("/", "\\")) or path.split(":", 1)[0] in ("urn", "http", "https", "file"):
            message = f"`{reference[:100]}` leaves the card's folder; nothing is fetched: put the file beside the card"
            self.findings.append(Finding("remote-reference", place, message))
            return reference
        target = _joined(here, unquote(path))
        if target is None:
            message = f"`{reference[:100]}` climbs out of the card's folder; move the file below it"
            self.findings.append(Finding("outside-folder", place, message))
            return reference
        if target not in self.files and not self._load(target, place):
            return reference
        needed[target] = None
        return BASE + target + mark + fragment

    def _load(self, path: str, pointer: str) -> bool:
        if len(self.files) >= MAX_FILES:
            self.findings.append(Finding("too-many-files", pointer, f"refers to over {MAX_FILES} files"))
            return False
        try:
            self.files[path] = text.parse(self.load(path)).value
        except InvalidCard as problem:
            for finding in problem.findings:
                where = f", line {finding.line}" if finding.line else ""
                self.findings.append(Finding(finding.code, pointer, f"{path}{where}: {finding.message}"))
            return False
        return True


def _joined(here: str, path: str) -> str | None:
    """Return a path relative to a file as one from the card's folder, None where it climbs out."""
    steps = here.split("/")[:-1]
    for step in path.replace("\\", "/").split("/"):
        if step == "..":
            if not steps:
                return None
            steps.pop()
        elif step not in ("", "."):
            steps.append(step)
    return "/".join(steps) or None
