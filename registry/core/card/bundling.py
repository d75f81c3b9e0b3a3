"""One self-contained document from a card and the schema files beside it.

A reference to a file becomes one to the file's URI; the file stands among the definitions of the schema that needs it,
once, as a resource of its own, so that ``#`` in it is its own root. A schema that is a reference to a file and nothing
else becomes that file. The same files give the same bytes.
"""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from registry.core.card import text
from registry.core.card.file_references import Files, hides_siblings, id_keyword
from registry.core.card.keywords import DEFAULT_DIALECT, dialect_of
from registry.core.card.pointers import child, split
from registry.core.card.uris import EXTENSION_URI
from registry.core.errors import InvalidCard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from registry.core.card.model import Json
    from registry.core.card.text import Document
    from registry.core.errors import Finding


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
    files = Files(load, {name: document})
    files.follow(name, schema_places(document.value))
    bundling = _Bundling(files, name)
    if files.findings:
        raise InvalidCard(bundling.told())
    whole = bundling.card(document.value)
    is_several = len(bundling.places) > 1
    data = json.dumps(whole, ensure_ascii=False, indent=2).encode() + b"\n" if is_several else raw
    return Bundle(data, files.documents, bundling.places)


@dataclass(slots=True)
class _Bundling:
    """The card's document on its way to one without files."""

    files: Files
    name: str
    places: dict[str, str] = field(default_factory=dict)

    def told(self) -> list[Finding]:
        """Return the findings with their lines."""
        return [
            finding if finding.line is not None else self.files.documents[finding.file or ""].located([finding])[0]
            for finding in dict.fromkeys(self.files.findings)
        ]

    def card(self, value: Json) -> Json:
        """Return a copy of the card with each schema that refers to files made self-contained."""
        self.places[""] = self.name
        whole = deepcopy(value)
        for pointer, schema in schema_places(value):
            needed = self._needed(list(self.files.needed_by(self.name, pointer)))
            if needed:
                _set(whole, pointer, self._schema(schema, pointer, needed))
        return whole

    def _needed(self, first: list[str]) -> list[str]:
        """Return the files that some files refer to, and those that these refer to, and so on."""
        found = dict.fromkeys(first)
        waiting = list(found)
        while waiting:
            more = [path for path in self.files.needed_by(waiting.pop(0), "") if path not in found]
            found.update(dict.fromkeys(more))
            waiting += more
        return list(found)

    def _schema(self, schema: dict[str, Json], pointer: str, needed: list[str]) -> Json:
        """Return one schema with the files that it refers to among its definitions."""
        reference = self.files.rewritten.get((self.name, f"{pointer}/$ref"))
        root = next((path for path in needed if self.files.uris[path] == reference), None)
        if list(schema) == ["$ref"] and root is not None and isinstance(self.files.documents[root].value, dict):
            # Nothing but one whole file: that is the schema itself, and it keeps its URI where somebody uses it.
            self.places[pointer] = root
            others = [path for path in needed if path != root]
            is_named = any(root in self.files.needed_by(path, "") for path in needed)
            return self._with(self._content(root, is_named=is_named), pointer, others)
        return self._with(self._copy(self.name, pointer, schema), pointer, needed)

    def _with(self, schema: dict[str, Json], pointer: str, needed: list[str]) -> dict[str, Json]:
        if not needed:
            return schema
        keyword = "definitions" if (dialect_of(schema) or DEFAULT_DIALECT) <= 7 else "$defs"
        own = schema.get(keyword, {})
        definitions = dict(own) if isinstance(own, dict) else {}
        for path in needed:
            key = path
            while key in definitions:
                key += "_"
            definitions[key] = self._content(path, is_named=True)
            self.places[child(f"{pointer}/{keyword}", key)] = path
        rest = {name: member for name, member in schema.items() if name != keyword}
        return {**rest, keyword: dict(sorted(definitions.items()))}

    def _content(self, path: str, *, is_named: bool) -> Json:
        """Return a file's schema; ``is_named`` says that references use its URI."""
        value = self.files.documents[path].value
        content = self._copy(path, "", value)
        if not isinstance(content, dict):
            return content
        dialect = dialect_of(content) or DEFAULT_DIALECT
        keyword = id_keyword(dialect)
        if hides_siblings(content, dialect):
            # Its ID would be hidden too: the reference goes one step down.
            kept = {name: content[name] for name in ("$schema", "definitions", "$defs") if name in content}
            return {**kept, keyword: self.files.uris[path], "allOf": [{"$ref": content["$ref"]}]}
        if not is_named and keyword not in content:
            return content
        return {keyword: self.files.uris[path], **{name: item for name, item in content.items() if name != keyword}}

    def _copy(self, file: str, pointer: str, schema: Json) -> Json:
        """Return a copy of the schema at a place, its references to files naming their URIs."""
        copy = deepcopy(schema)
        for (holder, at), text_of in self.files.rewritten.items():
            if holder == file and at.startswith(f"{pointer}/"):
                _set(copy, at[len(pointer) :], text_of)
        return copy


def schema_places(card: Json) -> list[tuple[str, dict[str, Json]]]:
    """Return where the schemas of a card stand, with those that are objects; tolerates any JSON."""
    found: list[tuple[str, dict[str, Json]]] = []
    _shapes(card, "", found)
    for at, skill in _items(card, "skills"):
        _shapes(skill, f"/skills/{at}", found)
    _tools(card, "", found)
    for at, extension in _items(_member(card, "capabilities"), "extensions"):
        if _member(extension, "uri") == EXTENSION_URI:
            params, pointer = _member(extension, "params"), f"/capabilities/extensions/{at}/params"
            for name, operation in _items(params, "operations"):
                _shapes(operation, child(f"{pointer}/operations", name), found)
            _tools(params, pointer, found)
    return found


def _shapes(holder: Json, pointer: str, found: list[tuple[str, dict[str, Json]]]) -> None:
    places = [(holder, pointer, "input_schema"), (holder, pointer, "output_schema")]
    places += [(pause, child(f"{pointer}/pauses", name), "answer_schema") for name, pause in _items(holder, "pauses")]
    for each, place, name in places:
        schema = _member(each, name)
        if isinstance(schema, dict):
            found.append((f"{place}/{name}", schema))


def _tools(holder: Json, pointer: str, found: list[tuple[str, dict[str, Json]]]) -> None:
    for at, tool in _items(holder, "tools"):
        schema = _member(tool, "output_schema")
        if isinstance(schema, dict):
            found.append((f"{pointer}/tools/{at}/output_schema", schema))


def _member(value: Json, name: str) -> Json:
    return value.get(name) if isinstance(value, dict) else None


def _items(holder: Json, name: str) -> Iterable[tuple[Any, Json]]:
    """Return the members or items of a member, with their names or places."""
    value = _member(holder, name)
    return value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()


def _set(document: Json, pointer: str, value: Json) -> None:
    """Put a value where something stands."""
    *path, last = split(pointer)
    here = document
    for token in path:
        here = here[int(token)] if isinstance(here, list) else here[token]
    here[int(last) if isinstance(here, list) else last] = value
