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


# Which index a list is read by depends on what is asked for, and on an empty table on what the planner may do.
ASKED = [
    ("('{t:x}', null, null, null, null, 10)", "on"),
    ("('{}', '''x'':*', null, null, null, 10)", "off"),
    ("('{}', null, null, null, null, 10)", "on"),
]


async def list_plans(url: str) -> list[dict[str, Any]]:
    """Return the plans of lists for values that are known."""
    connection = await asyncpg.connect(url)
    try:
        await connection.execute("set plan_cache_mode = force_custom_plan; set enable_seqscan = off")
        await connection.execute(f"prepare list_agents as {load_queries()['list_agents']}")
        found = []
        for values, in_order in ASKED:
            await connection.execute(f"set enable_indexscan = {in_order}")
            (row,) = await connection.fetch(f"explain (format json) execute list_agents{values}")
            found.append(json.loads(row[0])[0]["Plan"])
        return found
    finally:
        await connection.close()


def test_every_index_serves_a_query(database_url):
    """An index that no plan uses costs every write; an order is as good a use as a condition."""
    found = [*asyncio.run(plans(database_url)).values(), *asyncio.run(list_plans(database_url))]
    used = {scan.get("Index Name") for plan in found for scan in scans(plan)}
    made = set(re.findall(r"CREATE INDEX (\w+)", SCHEMA.read_text()))
    assert made
    assert set() == made - used


def test_every_constraint_and_index_is_named_by_us():
    """What PostgreSQL names says nothing, and a conflict is recognised by its constraint's name."""
    named = re.findall(r"(?:CONSTRAINT|CREATE (?:UNIQUE )?INDEX) (\w+)", SCHEMA.read_text())
    assert len(named) > 20
    # PostgreSQL's own names: table_column_check, table_column_key, table_pkey, ...
    assert [] == [name for name in named if re.search(r"_(pkey|key|check\d*|fkey|idx|excl|not_null)$", name)]
