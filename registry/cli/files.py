"""Cards in files: read with what they refer to, or from a git revision."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from registry.core.card.bundling import bundle
from registry.core.card.read import read_card
from registry.core.errors import Finding, InvalidCard, InvalidInput, RegistryError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from registry.core.card.bundling import Bundle
    from registry.core.card.model import Card

MAX_BYTES = 8 * 1024 * 1024


class Unreadable(RegistryError):
    """A file, or a git revision of it, can't be read."""

    code = "unreadable"
    title = "The file can't be read"


@dataclass(frozen=True, slots=True)
class CardFile:
    """A card's file, bundled. ``at`` is the git revision that it was read from."""

    path: str
    bundle: Bundle
    at: str | None = None

    @property
    def data(self) -> bytes:
        """The self-contained bytes."""
        return self.bundle.data

    def read(self, *, agent_id: str | None = None, version: str | None = None) -> Card:
        """Read the card; its findings name files. Raises InvalidCard, TooLarge."""
        try:
            card = read_card(self.data, agent_id=agent_id, version=version)
        except InvalidInput as problem:
            raise InvalidCard(self.located(problem.findings)) from problem
        return replace(card, findings=self.located(card.findings))

    def located(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """Return findings about the bytes, each with the file, line and column where it is written."""
        return _shown(self.path, self.at, self.bundle.located(findings))


def load(path: str) -> CardFile:
    """Return a card with the files that it refers to. Raises InvalidCard, Unreadable."""
    return _loaded(path, None, _from_folder(Path(path).parent))


def load_at(path: str, revision: str) -> CardFile:
    """Return the card that a file was at a git revision, with what it referred to then."""
    return _loaded(path, revision, _from_git(Path(path).parent, revision))


def _loaded(path: str, at: str | None, reader: Callable[[str], bytes]) -> CardFile:
    name = Path(path).name
    card = reader(name)

    def beside(part: str) -> bytes:
        try:
            return card if part == name else reader(part)
        except Unreadable as problem:
            raise InvalidCard([Finding("file-missing", "", str(problem))]) from problem

    try:
        return CardFile(path, bundle(name, beside), at)
    except InvalidCard as problem:
        raise InvalidCard(_shown(path, at, problem.findings)) from problem


def _shown(path: str, at: str | None, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings whose files are written as the user wrote the card's."""
    folder = Path(path).parent
    revision = f" at {at}" if at else ""
    return tuple(replace(each, file=f"{folder / (each.file or Path(path).name)}{revision}") for each in findings)


def _from_folder(folder: Path) -> Callable[[str], bytes]:
    def reader(name: str) -> bytes:
        target = folder / name
        try:
            if target.stat().st_size > MAX_BYTES:
                raise Unreadable(f"{target} is over {MAX_BYTES} bytes")
            return target.read_bytes()
        except OSError as problem:
            raise Unreadable(f"{target}: {os.strerror(problem.errno or 0)}") from problem

    return reader


def _from_git(folder: Path, revision: str) -> Callable[[str], bytes]:
    def reader(name: str) -> bytes:
        try:
            done = subprocess.run(  # noqa: S603 - arguments, no shell; what the revision is, git decides
                ["git", "-C", str(folder), "show", f"{revision}:./{name}"],  # noqa: S607
                capture_output=True,
                check=False,
                env={**os.environ, "LC_ALL": "C"},
            )
        except OSError as problem:
            raise Unreadable("git is not installed; give --against a file") from problem
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip().splitlines()
            raise Unreadable(f"{folder / name} at {revision}: {said[0] if said else 'git could not read it'}")
        return done.stdout

    return reader


def revision_of(path: str) -> str | None:
    """Return the commit that a file's folder stands at, None outside of git or when the file was changed since."""
    folder = str(Path(path).parent)
    status = _git(folder, "status", "--porcelain", "--", Path(path).name)
    return None if status is None or status else _git(folder, "rev-parse", "HEAD")


def _git(folder: str, *arguments: str) -> str | None:
    try:
        done = subprocess.run(  # noqa: S603 - arguments, no shell
            ["git", "-C", folder, *arguments],  # noqa: S607
            capture_output=True,
            check=False,
            text=True,
        )
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None
