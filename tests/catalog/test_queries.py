import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg

from registry.catalog.sql import load_queries

SCHEMA = Path(__file__).parents[2] / "migrations" / "schema.sql"


def test_every_query_prepares_against_the_migrated_database(database_url):
    async def prepare() -> list[str]:
        connection = await asyncpg.connect(database_url)
        try:
            return [name for name, text in load_queries().items() if await connection.prepare(text) is None]
        finally:
            await connection.close()

    assert [] == asyncio.run(prepare())
    assert len(load_queries()) > 20


# Queries that look at every row of a table, and why they may.
WHOLE = {
    "count_admin_tokens": "a handful of tokens, at the start of a process",
    "delete_other_tokens": "a handful of tokens, at the start of a process",
}


async def plans(url: str) -> dict[str, Any]:
    """Return each query's plan for values that are not known yet, on a database that would rather use an index."""
    connection = await asyncpg.connect(url)
    try:
        await connection.execute("set plan_cache_mode = force_generic_plan; set enable_seqscan = off")
        found = {}
        for name, text in load_queries().items():
            count = len((await connection.prepare(text)).get_parameters())
            await connection.execute(f"prepare {name} as {text}")
            values = f"({', '.join(['null'] * count)})" if count else ""
            (row,) = await connection.fetch(f"explain (format json) execute {name}{values}")
            found[name] = json.loads(row[0])[0]["Plan"]
        return found
    finally:
        await connection.close()


def scans(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the nodes that read a table, or an index for one."""
    if plan["Node Type"] in ("Seq Scan", "Index Scan", "Index Only Scan", "Bitmap Index Scan"):
        yield plan
    for inner in plan.get("Plans", ()):
        yield from scans(inner)


def test_every_query_finds_its_rows_by_an_index(database_url):
    whole = {
        name
        for name, plan in asyncio.run(plans(database_url)).items()
        if any("Index Cond" not in scan for scan in scans(plan))
    }
    assert set(WHOLE) == whole


def test_every_constraint_and_index_is_named_by_us():
    """What PostgreSQL names says nothing, and a conflict is recognised by its constraint's name."""
    named = re.findall(r"(?:CONSTRAINT|CREATE (?:UNIQUE )?INDEX) (\w+)", SCHEMA.read_text())
    assert len(named) > 20
    # PostgreSQL's own names: table_column_check, table_column_key, table_pkey, ...
    assert [] == [name for name in named if re.search(r"_(pkey|key|check\d*|fkey|idx|excl|not_null)$", name)]
