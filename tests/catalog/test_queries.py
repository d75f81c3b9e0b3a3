import asyncio

import asyncpg

from registry.catalog.sql import load_queries


def test_every_query_prepares_against_the_migrated_database(database_url):
    async def prepare() -> list[str]:
        connection = await asyncpg.connect(database_url)
        try:
            return [name for name, text in load_queries().items() if await connection.prepare(text) is None]
        finally:
            await connection.close()

    assert [] == asyncio.run(prepare())
    assert len(load_queries()) > 20
