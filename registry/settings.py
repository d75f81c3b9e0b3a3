"""What the environment decides: read once at the edge, handed inward as one frozen value."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from registry.core.errors import Finding, InvalidRequest

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT_DATA_DIR = Path("/var/lib/agent-card-registry")


def default_data_dir(environment: Mapping[str, str], user_id: int) -> Path:
    """Return the user's state folder; root's lies outside its home, where the database's own user can reach it."""
    if user_id == 0:
        return ROOT_DATA_DIR
    state = environment.get("XDG_STATE_HOME") or Path(environment.get("HOME") or Path.home()) / ".local" / "state"
    return Path(state) / "agent-card-registry"


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set, with what holds when nothing is.

    ``database_url`` None means the PostgreSQL that comes along, in ``data_dir``. ``database_direct_url`` is a way
    around a transaction pooler, for what a pooler can't carry; without it ``database_url`` serves for that too.
    """

    database_url: str | None
    database_direct_url: str | None
    data_dir: Path
    pg_bin: Path | None
    admin_token: str | None
    host: str = "127.0.0.1"
    port: int = 8080
    public_url: str | None = None
    pool_size: int = 10
    judge_workers: int = 2
    judge_timeout_s: float = 20.0
    judge_memory_mb: int = 2048
    second_prover: bool = True
    card_limit_bytes: int = 1024 * 1024
    page_limit: int = 200
    publish_limit: int = 50
    request_timeout_s: float = 20.0
    body_memory_mb: int = 256

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """Read the settings; raises InvalidRequest with a finding for each that can't be read."""
        given = {name: value for name, value in (os.environ if environment is None else environment).items() if value}
        values = _Given(given)
        data_dir = given.get("CARDS_DATA_DIR")
        settings = cls(
            database_url=given.get("DATABASE_URL"),
            database_direct_url=given.get("DATABASE_DIRECT_URL"),
            data_dir=Path(data_dir).absolute() if data_dir else default_data_dir(given, os.getuid()),
            pg_bin=Path(given["PG_BIN"]).absolute() if "PG_BIN" in given else None,
            admin_token=given.get("CARDS_ADMIN_TOKEN"),
            host=given.get("CARDS_HOST", "127.0.0.1"),
            port=values.whole("CARDS_PORT", 8080, 1, 65535),
            public_url=given.get("CARDS_PUBLIC_URL"),
            pool_size=values.whole("DATABASE_POOL_SIZE", 10, 2, 1000),
            judge_workers=values.whole("JUDGE_WORKERS", 2, 1, 64),
            judge_timeout_s=float(values.whole("JUDGE_TIMEOUT_S", 20, 1, 600)),
            judge_memory_mb=values.whole("JUDGE_MEMORY_MB", 2048, 256, 65536),
            second_prover=values.switch("CARDS_SECOND_PROVER", default=True),
            card_limit_bytes=values.whole("CARDS_CARD_LIMIT_BYTES", 1024 * 1024, 1024, 1024 * 1024),
            page_limit=values.whole("CARDS_PAGE_LIMIT", 200, 1, 1000),
            publish_limit=values.whole("CARDS_PUBLISH_LIMIT", 50, 1, 500),
            request_timeout_s=float(values.whole("CARDS_REQUEST_TIMEOUT_S", 20, 1, 600)),
            body_memory_mb=values.whole("CARDS_BODY_MEMORY_MB", 256, 16, 65536),
        )
        if values.findings:
            raise InvalidRequest(values.findings)
        return settings


class _Given:
    """Numbers and switches from the environment; what is wrong is collected, so that all of it is said at once."""

    def __init__(self, given: Mapping[str, str]) -> None:
        self._given = given
        self.findings: list[Finding] = []

    def whole(self, name: str, default: int, low: int, high: int) -> int:
        text = self._given.get(name)
        if text is None:
            return default
        if text.isascii() and text.isdigit() and low <= int(text[:12]) <= high:
            return int(text)
        message = f"{name} is {text!r}; set it to a whole number from {low} to {high}"
        self.findings.append(Finding("invalid-setting", "", message))
        return default

    def switch(self, name: str, *, default: bool) -> bool:
        text = self._given.get(name)
        if text in (None, "on", "off"):
            return default if text is None else text == "on"
        self.findings.append(Finding("invalid-setting", "", f"{name} is {text!r}; set it to on or off"))
        return default
