"""What `latest` is after any row of publishes and moves: it never goes backwards of itself, nor away for good."""

import random

import pytest
from semver import Version

from registry.catalog.lifecycle import MOVES
from registry.catalog.records import AgentQuery, StateChange
from registry.core.errors import UnknownVersion, UpdateRefused
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


def test_a_break_with_a_version_above_moves_latest_nowhere_and_is_kept_with_its_side(database_url):
    """1.4.1 is published after 1.5.0 and let through against it alone: nobody who is offered 1.5.0 may lose it."""
    number, text = {"type": "integer"}, {"type": "string"}

    def members(**types):
        return {"input_schema": {"type": "object", "properties": {"k": text, **types}}}

    async def scenario(catalog):
        await publish(catalog, card("1.4.0", **members()))
        await publish(catalog, card("1.5.0", **members(a=text)))
        options = {"allow_breaking": frozenset({"*"}), "reason": "a hurry"}
        backport = (await publish(catalog, card("1.4.1", **members(a=number)), **options)).record
        kept = await catalog.version(AGENT, "1.4.1")
        after_backport = await latest(catalog)
        needs = {"input_schema": {"type": "object", "properties": {"k": text}, "required": ["k"]}}
        with pytest.raises(UpdateRefused) as refusal:
            await publish(catalog, card("1.5.1", **needs))
        verdicts = [(each["old_version"], each["verdict"]) for each in refusal.value.judgement["reports"]]
        await publish(catalog, card("1.5.1", **members(a=text, b=text)))
        sides = [(each.forced_side, each.forced_under) for each in (backport, kept)]
        return after_backport, await latest(catalog), sides, verdicts

    verdicts = [("1.5.0", "refused"), ("1.4.1", "accepted"), ("1.4.0", "refused")]
    assert ("1.5.0", "1.5.1", [("above", "1.5.0")] * 2, verdicts) == run(database_url, scenario)


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
