"""The files that a card's schemas refer to: loaded once, walked as schemas, and each reference resolved to its file.

A file is known by its path from the card's folder, and by its URI: its own ``$id``, else one made of its path.
Schemas are found by the position of keywords (``keywords.subschemas``), and where a reference points to: data that
looks like a reference is left alone.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urldefrag, urljoin

from registry.core.card import text
from registry.core.card.keywords import DEFAULT_DIALECT, dialect_of, subschemas
from registry.core.card.pointers import child, join, split
from registry.core.card.references import REFERENCES
from registry.core.errors import Finding, InvalidCard, TooLarge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from registry.core.card.model import Json
    from registry.core.card.text import Document

MAX_FILES = 200
# URIs of files in a bundle: compared, never fetched (RFC 2606 keeps `.invalid` for that).
BASE = "https://bundle.invalid/"

Place = tuple[str, str]  # a file's path, and a pointer into it


@dataclass(frozen=True, slots=True)
class Reference:
    """One reference as it stands in a file: at ``pointer`` (of the keyword), in a resource whose URI is ``base``."""

    file: str
    pointer: str
    text: str
    base: str
    root: str  # where the resource that holds it stands

    def uri(self) -> str | None:
        """Return the URI of the resource that it names, None where it is no URI."""
        return _joined_uri(self.base, self.text)


@dataclass(slots=True)
class Files:
    """What was loaded and found so far."""

    load: Callable[[str], bytes]
    documents: dict[str, Document]
    findings: list[Finding] = field(default_factory=list)
    uris: dict[str, str] = field(default_factory=dict)  # a file's URI, by its path
    targets: dict[Place, str] = field(default_factory=dict)  # the file that a reference leads to, where it is another
    rewritten: dict[Place, str] = field(default_factory=dict)  # what such a reference says in a bundle
    _homes: dict[str, Place] = field(default_factory=dict)  # where the resource of a URI stands
    _bases: dict[Place, tuple[str, int]] = field(default_factory=dict)  # of each subschema: its URI and its dialect
    _waiting: deque[Reference] = field(default_factory=deque)

    def follow(self, file: str, schemas: Iterable[tuple[str, Json]]) -> None:
        """Walk the schemas that stand at pointers into a loaded file, and all that they refer to in any file."""
        for pointer, schema in schemas:
            self._walk((file, pointer), schema, _file_uri(file), DEFAULT_DIALECT, pointer)
        unknown: list[Reference] = []
        while self._waiting:
            reference = self._waiting.popleft()
            if not self._resolve(reference):
                unknown.append(reference)
            if not self._waiting:
                # A URI may be that of a file which a path led to since.
                self._waiting.extend(each for each in unknown if each.uri() in self._homes)
                unknown = [each for each in unknown if each.uri() not in self._homes]
        for reference in unknown:
            message = (
                f"`{reference.text[:100]}` leaves the card's folder; nothing is fetched: put the file beside the card"
            )
            self._refuse(reference, "remote-reference", message)

    def needed_by(self, file: str, pointer: str) -> Iterator[str]:
        """Yield the files that references below a place lead to, each once, in the document's order."""
        seen = set()
        for (holder, at), target in self.targets.items():
            if holder == file and at.startswith(f"{pointer}/") and target not in seen:
                seen.add(target)
                yield target

    def _walk(self, place: Place, schema: Json, base: str, dialect: int, root: str) -> None:
        """Note the URIs and references of a schema and its subschemas; ``root`` is where their resource stands."""
        if not isinstance(schema, dict) or place in self._bases:
            return
        file, pointer = place
        dialect = dialect_of(schema, dialect) or dialect
        identifier = schema.get(id_keyword(dialect))
        if isinstance(identifier, str) and not identifier.startswith("#") and not hides_siblings(schema, dialect):
            base, root = _joined_uri(base, identifier) or base, pointer
            self._homes.setdefault(base, place)
        self._bases[place] = base, dialect
        for keyword in REFERENCES:
            if isinstance(schema.get(keyword), str):
                self._waiting.append(Reference(file, child(pointer, keyword), schema[keyword], base, root))
        for path, item in subschemas(schema, dialect):
            self._walk((file, join(pointer, path)), item, base, dialect, root)

    def _resolve(self, reference: Reference) -> bool:
        """Settle a reference: find what it leads to, or refuse it. False where it names a URI that nothing has yet."""
        path, mark, fragment = reference.text.partition("#")
        if not path:
            self._walk_target((reference.file, reference.root), fragment)
            return True
        uri = reference.uri()
        if uri not in self._homes:
            if uri is None or _is_absolute(path):
                return False
            target = self._beside(reference, unquote(path))
            if target is None:
                return True
            uri = self._enter(target)
        home = self._homes[uri]
        if home[0] != reference.file or uri == self.uris.get(home[0]):
            self.targets[reference.file, reference.pointer] = home[0]
            self.rewritten[reference.file, reference.pointer] = f"{uri}{mark}{fragment}"
        self._walk_target(home, fragment)
        return True

    def _beside(self, reference: Reference, path: str) -> str | None:
        """Return the loaded file at a path, None where it is refused."""
        is_ours = reference.base.startswith(BASE)
        target = _joined_path(unquote(reference.base.removeprefix(BASE)) if is_ours else reference.file, path)
        if target is None:
            message = f"`{reference.text[:100]}` climbs out of the card's folder; move the file below it"
            self._refuse(reference, "outside-folder", message)
            return None
        return target if target in self.documents or self._load(target, reference) else None

    def _enter(self, file: str) -> str:
        """Return a loaded file's URI; the first time, walk it."""
        if file in self.uris:
            return self.uris[file]
        schema = self.documents[file].value
        self._walk((file, ""), schema, _file_uri(file), DEFAULT_DIALECT, "")
        uri = self._bases.get((file, ""), (_file_uri(file), 0))[0]
        taken = self._homes.setdefault(uri, (file, ""))
        if taken != (file, "") and schema != self._at(taken):
            message = f"`{uri[:100]}` is the ID of {taken[0]} too; give each file its own"
            self.findings.append(Finding("duplicate-id", "/$id", message, file=file))
        self.uris[file] = uri
        return uri

    def _walk_target(self, home: Place, fragment: str) -> None:
        """Walk the place that a pointer leads to: no keyword may make it a schema, the reference does."""
        file, root = home
        if not fragment.startswith("/"):
            return
        place = (file, join(root, split(unquote(fragment))))
        if (found := self._at(place)) is not None:
            base, dialect = self._bases.get(home, (_file_uri(file), DEFAULT_DIALECT))
            self._walk(place, found, base, dialect, root)

    def _at(self, place: Place) -> Json:
        here = self.documents[place[0]].value
        for token in split(place[1]):
            if isinstance(here, dict):
                here = here.get(token)
            elif isinstance(here, list) and token.isdecimal() and len(token) < 10 and int(token) < len(here):
                here = here[int(token)]
            else:
                return None
        return here

    def _load(self, path: str, reference: Reference) -> bool:
        if len(self.documents) > MAX_FILES:
            self._refuse(reference, "too-many-files", f"refers to over {MAX_FILES} files")
            return False
        try:
            data = self.load(path)
        except InvalidCard as problem:
            self.findings += [
                replace(finding, pointer=reference.pointer, file=reference.file) for finding in problem.findings
            ]
            return False
        try:
            self.documents[path] = text.parse(data)
        except TooLarge as problem:
            self._refuse(reference, problem.code, f"{path}: {problem}")
            return False
        except InvalidCard as problem:
            self.findings += [replace(finding, file=path) for finding in problem.findings]
            return False
        return True

    def _refuse(self, reference: Reference, code: str, message: str) -> None:
        self.findings.append(Finding(code, reference.pointer, message, file=reference.file))


def hides_siblings(schema: Json, dialect: int) -> bool:
    """Return whether a schema is a reference that hides what stands beside it, an ID too (up to draft 7)."""
    return dialect <= 7 and "$ref" in schema


def id_keyword(dialect: int) -> str:
    """Return the keyword that names a schema's URI."""
    return "id" if dialect == 4 else "$id"


def _file_uri(path: str) -> str:
    return BASE + quote(path, safe="/!$&'()*+,;=:@~")


def _joined_uri(base: str, reference: str) -> str | None:
    try:
        return urldefrag(urljoin(base, reference)).url
    except ValueError:  # brackets that hold no IPv6 address: its reader says so
        return None


def _is_absolute(path: str) -> bool:
    return path.startswith(("/", "\\")) or ":" in path.split("/", 1)[0]


def _joined_path(here: str, path: str) -> str | None:
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
