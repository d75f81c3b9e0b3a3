"""Cards in files: read with what they refer to, or from a git revision."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from registry.core.card.bundling import bundle
from registry.core.card.read import read_card
from registry.core.errors import Finding, InvalidCard, InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable

    from registry.core.card.model import Card

T = TypeVar("T")

MAX_BYTES = 8 * 1024 * 1024


def load(path: str) -> bytes:
    """Return a card's self-contained bytes, the files that it refers to bundled. Raises InvalidCard."""
    return _bundled(path, _from_folder(Path(path).parent))


def load_at(path: str, revision: str) -> bytes:
    """Return the card that a file was at a git revision, with what it referred to then."""
    return _bundled(path, _from_git(Path(path).parent, revision))


def read(path: str, data: bytes, *, agent_id: str | None = None, version: str | None = None) -> Card:
    """Read a card; findings name its file."""
    return _named(path, lambda: read_card(data, agent_id=agent_id, version=version))


def _bundled(path: str, reader: Callable[[str], bytes]) -> bytes:
    return _named(path, lambda: bundle(Path(path).name, reader))


def _named(path: str, action: Callable[[], T]) -> T:
    try:
        return action()
    except InvalidInput as problem:
        problem.name = path  # type: ignore[attr-defined]  # for messages: which file it is about
        raise


def _from_folder(folder: Path) -> Callable[[str], bytes]:
    def reader(name: str) -> bytes:
        target = folder / name
        try:
            if target.stat().st_size > MAX_BYTES:
                raise InvalidCard([Finding("file-too-large", "", f"{target} is over {MAX_BYTES} bytes")])
            return target.read_bytes()
        except OSError as problem:
            raise InvalidCard(
                [Finding("file-missing", "", f"{target}: {os.strerror(problem.errno or 0)}")]
            ) from problem

    return reader


def _from_git(folder: Path, revision: str) -> Callable[[str], bytes]:
    def reader(name: str) -> bytes:
        done = subprocess.run(  # noqa: S603 - arguments, no shell; what the revision is, git decides
            ["git", "-C", str(folder or "."), "show", f"{revision}:./{name}"],  # noqa: S607
            capture_output=True,
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip().splitlines()
            message = said[-1] if said else "git could not read it"
            raise InvalidCard([Finding("not-in-git", "", f"{name} at {revision}: {message}")])
        return done.stdout

    return reader


def revision_of(path: str) -> str | None:
    """Return the commit that a file's folder stands at, None outside of git or when the file was changed since."""
    folder = str(Path(path).parent or ".")
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
