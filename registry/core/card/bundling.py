"""One self-contained document from a card and the schema files beside it.

A reference to a file becomes a reference into ``$defs`` of the schema that holds it; each file stands there once, as
a resource of its own, so that ``#`` in it is its own root. The same files give the same bytes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import unquote

from registry.core.card import text
from registry.core.card.pointers import child
from registry.core.errors import Finding, InvalidCard, TooLarge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from registry.core.card.model import Json
    from registry.core.card.text import Document

MAX_FILES = 200
# URIs of files in a bundle: compared, never fetched (RFC 2606 keeps `.invalid` for that).
BASE = "https://bundle.invalid/"


@dataclass(frozen=True, slots=True)
class Bundle:
    """A self-contained card, and where its parts were written.

    ``documents`` are the files, by their path from the card's folder; ``places`` say of pointers into the bundle which
    file's root stands there, the card's own at "".
    """

    data: bytes
    documents: Mapping[str, Document]
    places: Mapping[str, str]

    def located(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """Return findings about the bundle as findings about its files, each with its file, line and column."""
        moved = [self._moved(finding) for finding in findings]
        rows: dict[str, list[int]] = {}
        for index, finding in enumerate(moved):
            rows.setdefault(finding.file or "", []).append(index)
        for file, indexes in rows.items():
            found = self.documents[file].located(moved[index] for index in indexes)
            for index, finding in zip(indexes, found, strict=True):
                moved[index] = finding
        return tuple(dict.fromkeys(moved))  # a file that two schemas refer to stands in both

    def _moved(self, finding: Finding) -> Finding:
        pointer = finding.pointer
        while pointer not in self.places:
            pointer = pointer.rpartition("/")[0]
        below = finding.pointer[len(pointer) :]
        return replace(finding, file=self.places[pointer], pointer=below, line=None, column=None)


def bundle(name: str, load: Callable[[str], bytes]) -> Bundle:
    """Return the card ``name`` as self-contained JSON; ``load`` gets paths relative to the card's folder.

    A card that refers to no file keeps its bytes. Raises InvalidCard with every reference that can't be followed and
    every file that can't be read, each with its file and line, and what ``load`` raises.
    """
    raw = load(name)
    try:
        document = text.parse(raw)
    except InvalidCard as problem:
        raise InvalidCard([replace(finding, file=name) for finding in problem.findings]) from problem
    bundling = _Bundling(load, {name: document}, name)
    whole = bundling.card(document.value)
    if bundling.findings:
        raise InvalidCard(bundling.told())
    data = json.dumps(whole, ensure_ascii=False, indent=2).encode() + b"\n" if bundling.is_several else raw
    return Bundle(data, bundling.documents, bundling.places)


@dataclass(slots=True)
class _Bundling:
    """What was loaded so far, by its path from the card's folder."""

    load: Callable[[str], bytes]
    documents: dict[str, Document]
    name: str
    places: dict[str, str] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.places[""] = self.name

    @property
    def is_several(self) -> bool:
        """Whether the card refers to files."""
        return len(self.places) > 1

    def told(self) -> list[Finding]:
        """Return the findings with their lines."""
        return [
            finding if finding.line is not None else self.documents[finding.file or ""].located([finding])[0]
            for finding in dict.fromkeys(self.findings)
        ]

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
        whole = self._rewritten(schema, self.name, pointer, needed)
        if not needed:
            return whole
        definitions = dict(whole.get("$defs", {}))
        waiting = list(needed)
        while waiting:
            path = waiting.pop(0)
            if path in definitions:
                continue
            more: dict[str, None] = {}
            content = self._rewritten(self.documents[path].value, path, "", more)
            self.places[child(f"{pointer}/$defs", path)] = path
            definitions[path] = {"$id": BASE + path, **content} if isinstance(content, dict) else content
            waiting.extend(more)
        rest = {keyword: value for keyword, value in whole.items() if keyword != "$defs"}
        only = list(rest) == ["$ref"] and rest["$ref"].startswith(BASE) and "#" not in rest["$ref"]
        root = rest["$ref"].removeprefix(BASE) if only else ""
        if only and len(definitions) == 1 and isinstance(definitions[root], dict):
            # One file, referred to as a whole: it is the schema itself.
            del self.places[child(f"{pointer}/$defs", root)]
            self.places[pointer] = root
            return {keyword: value for keyword, value in definitions[root].items() if keyword != "$id"}
        return {**rest, "$defs": dict(sorted(definitions.items()))}

    def _rewritten(self, schema: Json, here: str, pointer: str, needed: dict[str, None]) -> Json:
        """Copy a schema at a pointer of the file ``here``; references to files name their resources, and are loaded."""
        if isinstance(schema, list):
            return [self._rewritten(each, here, child(pointer, at), needed) for at, each in enumerate(schema)]
        if not isinstance(schema, dict):
            return schema
        result = {}
        for keyword, value in schema.items():
            if keyword == "$ref" and isinstance(value, str) and not value.startswith("#"):
                result[keyword] = self._reference(value, here, child(pointer, keyword), needed)
            elif keyword in ("const", "enum", "default", "examples"):
                result[keyword] = value
            else:
                result[keyword] = self._rewritten(value, here, child(pointer, keyword), needed)
        return result

    def _reference(self, reference: str, here: str, pointer: str, needed: dict[str, None]) -> str:
        path, mark, fragment = reference.partition("#")
        if "://" in path or path.startswith(("/", "\\")) or path.split(":", 1)[0] in ("urn", "http", "https", "file"):
            message = f"`{reference[:100]}` leaves the card's folder; nothing is fetched: put the file beside the card"
            self.findings.append(Finding("remote-reference", pointer, message, file=here))
            return reference
        target = _joined(here, unquote(path))
        if target is None:
            message = f"`{reference[:100]}` climbs out of the card's folder; move the file below it"
            self.findings.append(Finding("outside-folder", pointer, message, file=here))
            return reference
        if target not in self.documents and not self._load(target, here, pointer):
            return reference
        needed[target] = None
        return BASE + target + mark + fragment

    def _load(self, path: str, here: str, pointer: str) -> bool:
        if len(self.documents) > MAX_FILES:
            message = f"refers to over {MAX_FILES} files"
            self.findings.append(Finding("too-many-files", pointer, message, file=here))
            return False
        try:
            data = self.load(path)
        except InvalidCard as problem:
            self.findings += [replace(finding, pointer=pointer, file=here) for finding in problem.findings]
            return False
        try:
            self.documents[path] = text.parse(data)
        except TooLarge as problem:
            self.findings.append(Finding(problem.code, pointer, f"{path}: {problem}", file=here))
            return False
        except InvalidCard as problem:
            self.findings += [replace(finding, file=path) for finding in problem.findings]
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
