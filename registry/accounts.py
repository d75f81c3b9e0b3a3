"""Whom a child process runs as: PostgreSQL refuses root, so root becomes somebody else."""

from __future__ import annotations

import os
import pwd
from dataclasses import dataclass
from typing import TYPE_CHECKING

from registry.core.errors import Unavailable

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Account:
    """Whom the server runs as: PostgreSQL refuses root."""

    name: str
    uid: int
    gid: int


@dataclass(frozen=True, slots=True)
class Identity:
    """Whom a child process becomes; None stays as it is."""

    user: int | None = None
    group: int | None = None
    extra_groups: tuple[int, ...] | None = None


def identity(account: Account) -> Identity:
    """Return how to become the account; one without a name is who we are already."""
    return Identity(account.uid, account.gid, ()) if account.name else Identity()


def choose_account(folder: Path) -> Account:
    """Return who the server runs as: the caller, or for root the folder's owner, ``postgres`` or ``nobody``."""
    if os.geteuid() != 0:
        return Account("", os.geteuid(), os.getegid())
    by_name = {entry.pw_name: entry for entry in pwd.getpwall() if entry.pw_uid != 0}
    owner = folder.stat().st_uid if folder.exists() else 0
    owned = [entry for entry in by_name.values() if entry.pw_uid == owner]
    choices = [*owned, *(by_name[name] for name in ("postgres", "nobody") if name in by_name)]
    if not choices:
        raise Unavailable("PostgreSQL refuses to run as root, and there is no user `postgres` or `nobody`; add one")
    return Account(choices[0].pw_name, choices[0].pw_uid, choices[0].pw_gid)


def allows(path: Path, account: Account, bits: int) -> bool:
    """Say whether an account has ``bits`` (of rwx) on a path; ACLs are not looked at."""
    status = path.stat()
    shift = 6 if status.st_uid == account.uid else 3 if status.st_gid == account.gid else 0
    return (status.st_mode >> shift) & bits == bits
