"""Migrations: run once whoever starts at once, all or none, and never twice in two wordings."""

import asyncio
import itertools
import json
import os

import asyncpg
import pytest

from registry.catalog.migrating import Migration, MigrationChanged, load_migrations, migrate
from registry.catalog.precedence import precedence_key
from registry.core.errors import Unavailable
from tests.postgres import with_database

_numbers = itertools.count()


@pytest.fixture
def empty_url(postgres_url):
    """Return a database in which nothing has run."""
    return made(postgres_url, "encoding 'UTF8' template template0")


def made(postgres_url, options):
    name = f"empty_{os.getpid()}_{next(_numbers)}"
    asyncio.run(ask(postgres_url, f"create database {name} {options}"))
    return with_database(postgres_url, name)


async def ask(url, statement):
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetch(statement)
    finally:
        await connection.close()


def tables(url):
    rows = asyncio.run(
        ask(url, "select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace")
    )
    return {row["relname"] for row in rows}


def migration(number, sql):
    return Migration(number, f"m{number}", sql, f"digest of {sql}")


ONE, TWO = migration(1, "create table one ()"), migration(2, "create table two ()")


def test_of_many_that_start_at_once_one_runs_the_migrations(empty_url):
    async def together():
        return await asyncio.gather(*(migrate(empty_url) for _ in range(8)))

    ran = asyncio.run(together())
    assert [load_migrations()] == [each for each in ran if each]


def test_what_is_new_runs_and_what_has_run_does_not(empty_url):
    ran = [asyncio.run(migrate(empty_url, migrations)) for migrations in ([ONE], [ONE, TWO], [ONE, TWO], [ONE])]
    assert [(ONE,), (TWO,), (), ()] == ran


def test_a_migration_that_fails_leaves_nothing_of_those_before_it_either(empty_url):
    with pytest.raises(Unavailable, match="nothing of it was changed"):
        asyncio.run(migrate(empty_url, [ONE, migration(2, "create table two (); select 1 / 0")]))
    assert set() == tables(empty_url)
    assert (ONE, TWO) == asyncio.run(migrate(empty_url, [ONE, TWO]))


def test_a_migration_whose_connection_is_killed_leaves_nothing_and_the_next_one_runs(empty_url):
    endless = migration(2, "select pg_sleep(600)")
    kill = "select pg_terminate_backend(pid) as killed from pg_stat_activity where query = 'select pg_sleep(600)'"

    async def killed():
        running = asyncio.create_task(migrate(empty_url, [ONE, endless]))
        while not await ask(empty_url, kill):
            await asyncio.sleep(0)
        return await asyncio.gather(running, return_exceptions=True)

    (error,) = asyncio.run(killed())
    assert isinstance(error, Unavailable)
    assert set() == tables(empty_url)
    assert (ONE,) == asyncio.run(migrate(empty_url, [ONE]))


@pytest.mark.parametrize(
    ("migrations", "why"),
    [
        ([migration(1, "create table uno ()"), TWO], "a landed migration says something else"),
        ([migration(0, "select 1"), ONE, TWO], "one would run after those that follow it"),
    ],
)
def test_migrations_that_do_not_fit_the_database_are_refused(empty_url, migrations, why):
    asyncio.run(migrate(empty_url, [ONE, TWO]))
    with pytest.raises(MigrationChanged):
        asyncio.run(migrate(empty_url, migrations))
    assert {"migration", "one", "two"} == tables(empty_url), why


def test_a_database_that_is_not_there_is_said_with_what_to_look_at(postgres_url):
    with pytest.raises(Unavailable, match="DATABASE_URL"):
        asyncio.run(migrate(with_database(postgres_url, "no_such_database")))


@pytest.mark.parametrize("url", ["nonsense", "postgresql://[bad", "postgresql://127.0.0.1:1/x"])
def test_what_is_no_database_is_said_with_what_to_look_at(url):
    with pytest.raises(Unavailable, match="DATABASE_URL"):
        asyncio.run(migrate(url))


def test_a_database_that_cannot_hold_every_text_is_refused(postgres_url):
    url = made(postgres_url, "encoding 'LATIN1' locale 'C' template template0")
    with pytest.raises(Unavailable, match="LATIN1"):
        asyncio.run(migrate(url))


async def migrated_from(url, before, statements, question):
    """Run the migrations up to a number, then statements, then the others; return the rows that answer a question."""
    everything = load_migrations()
    await migrate(url, everything[:before])
    for statement in statements:
        await ask(url, statement)
    await migrate(url, everything)
    return [tuple(row) for row in await ask(url, question)]


AN_AGENT = [
    "insert into namespace (name, created_at) values ('com.example', now())",
    "insert into agent (agent_id, namespace, created_at, updated_at) values ('com.example.a', 'com.example', now(), now())",
]


def a_version(version, judgement="{}", forced=()):
    row = {
        "agent_id": "com.example.a", "precedence": precedence_key(version), "version": version, "state": "production",
        "sequence": 1, "kind": "contract", "name": "A", "description": "", "raw": "", "raw_digest": "", "card_digest": "",
        "contract_digest": "", "judged_digest": "", "words": "", "findings": "[]", "judgement": judgement,
        "published_by": "admin",
    }  # fmt: skip
    values = ", ".join(f"'{value}'" for value in row.values())
    force = f"'{{{','.join(forced)}}}', {'null' if not forced else repr('a reason')}"
    return (
        f"insert into version ({', '.join(row)}, tags, facets, forced, forced_reason, state_changed_at, published_at) "
        f"values ({values}, '{{}}', '{{}}', {force}, now(), now())"
    )


def test_breaks_that_were_let_through_before_sides_were_kept_get_theirs_from_their_reports(empty_url):
    def report(old, new, forced=()):
        witness = {"value": '\u0000, half a pair \ud800, \\, \\u0000, \\\u0000, "'}
        return {"old_version": old, "new_version": new, "forced": list(forced), "changes": [{"witness": witness}]}

    reports = {
        "1.0.0": [],
        "1.4.1": [report("1.4.0", "1.4.1"), report("1.4.1", "1.5.0"), report("1.4.1", "1.6.0", ["f"])],
        "1.4.2": [report("1.4.1", "1.4.2", ["f"]), report("1.4.2", "1.5.0", ["g"])],
        "1.7.0": [report("1.6.0", "1.7.0", ["f"])],
    }
    versions = [
        a_version(version, json.dumps({"reports": each}), ("f",) if each else ()) for version, each in reports.items()
    ]
    rows = asyncio.run(
        migrated_from(
            empty_url,
            1,
            [*AN_AGENT, *versions],
            "select version, forced_side, forced_under from version order by precedence",
        )
    )
    assert [
        ("1.0.0", None, None),
        ("1.4.1", "above", "1.5.0"),
        ("1.4.2", "both", "1.5.0"),
        ("1.7.0", "below", None),
    ] == rows


def test_agents_from_before_namespaces_were_registered_find_the_longest_one(empty_url):
    """com.example.a was made by a publish alone, com.example by its policy too."""
    names = ["com", "com.example", "com.example.a", "org.b"]
    agents = {"com.example.a.one": "com.example.a", "com.other.two": "com", "org.b.c.three": "org.b"}
    audit = (
        'insert into audit (namespace, number, entry, hash) values (\'{}\', 1, \'{{"action":"{}","by":"x"}}\', \'\')'
    )
    statements = [
        *(f"insert into namespace (name, created_at) values ('{name}', now())" for name in names),
        audit.format("com.example", "policy"),
        audit.format("com.example.a", "publish"),
        *(
            f"insert into agent (agent_id, namespace, created_at, updated_at) values ('{agent_id}', '{home}', now(), now())"
            for agent_id, home in agents.items()
        ),
        a_version("1.0.0").replace("com.example.a", "com.example.a.one"),
        "insert into search select agent_id, now(), precedence, '{t:x,n:com.example.a}', '' from version",
    ]
    question = "select agent_id, namespace, facets from agent left join search using (agent_id) order by agent_id"
    assert [
        ("com.example.a.one", "com.example", ["t:x", "n:com.example"]),
        ("com.other.two", "com.other", None),
        ("org.b.c.three", "org.b.c", None),
    ] == asyncio.run(migrated_from(empty_url, 2, statements, question))
