"""What `latest` is after any row of publishes and moves: it never goes backwards of itself, nor away for good."""

import random

import pytest
from semver import Version

from registry.catalog.lifecycle import MOVES
from registry.catalog.records import AgentQuery, StateChange
from registry.core.errors import UnknownVersion
from tests.catalog.test_publishing import ADMIN, AGENT, card, publish, run

VERSIONS = ["0.0.9", "0.1.0", "0.9.0", "1.0.0-rc.2", "1.0.0-rc.10", "1.0.0", "1.0.1", "1.10.0", "1.9.0", "2.0.0-rc.1"]


async def latest(catalog):
    try:
        return (await catalog.version(AGENT, "latest")).version
    except UnknownVersion:
        return None


def expected(states):
    """Return the highest release in production; else deprecated; else the same of prereleases."""
    for prerelease in (False, True):
        for state in ("production", "deprecated"):
            rows = [Version.parse(version) for version, found in states.items() if found == state]
            rows = [version for version in rows if bool(version.prerelease) is prerelease]
            if rows:
                return str(max(rows))
    return None


def test_latest_goes_to_what_is_left_and_comes_back(database_url):
    """The MCP registry 1081, Nacos 15359: a deleted version left `latest` on 404 for good."""

    async def scenario(catalog):
        found = []
        for version in ("1.0.0", "0.0.59"):
            await publish(catalog, card(version))
        found.append(await latest(catalog))
        for version in ("1.0.0", "0.0.59"):
            await catalog.change_state(AGENT, version, StateChange("yanked", "wrong"), "*", ADMIN)
            found.append(await latest(catalog))
        await publish(catalog, card("0.0.60"))
        return [*found, await latest(catalog)]

    assert ["1.0.0", "0.0.59", None, "0.0.60"] == run(database_url, scenario)


@pytest.mark.parametrize("seed", range(4))
def test_after_every_step_the_agent_the_list_and_the_selector_agree(database_url, seed):
    choose = random.Random(seed)

    async def step(catalog, states):
        """Publish a version that is not there yet, or move one that is."""
        version = choose.choice(VERSIONS)
        if version not in states:
            states[version] = choose.choice(["draft", "staging", "production"])
            await publish(catalog, card(version), state=states[version])
        elif MOVES[states[version]]:
            states[version] = choose.choice(sorted(MOVES[states[version]]))
            await catalog.change_state(AGENT, version, StateChange(states[version], "a reason"), "*", ADMIN)

    async def scenario(catalog):
        states = {}
        for _ in range(40):
            await step(catalog, states)
            wanted = expected(states)
            highest = str(max(map(Version.parse, states)))
            agent = await catalog.agent(AGENT)
            (listed,) = (await catalog.agents(AgentQuery())).items
            shown = wanted or highest
            assert (wanted, wanted, wanted) == (await latest(catalog), agent.latest, listed.latest), states
            assert (shown, states[shown], len(states)) == (listed.version, listed.state, listed.version_count), states
            found = (await catalog.agents(AgentQuery(status=states[shown]))).items
            assert [AGENT] == [one.agent_id for one in found]
        return states

    assert len(run(database_url, scenario)) == len(VERSIONS)
