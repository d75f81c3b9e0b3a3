"""Which namespace an agent is of: one rule over what is registered, whenever the agent was published."""

import asyncio

import pytest

from registry.catalog.records import AgentQuery, PolicyCondition, StateChange
from registry.core.compat.report import Policy
from registry.core.errors import NotFound, PreconditionFailed, UpdateRefused
from tests.catalog.test_publishing import ADMIN, card, publish, run

DEEP, SHALLOW = "com.example.a.b.deep", "com.example.shallow"
NAMES = ["com.example", "com.example.a", "com.example.a.b"]


async def homes(catalog):
    """Return the namespace of each agent, as its record, its page and the filter of the list say it."""
    found = {}
    for agent_id in (DEEP, SHALLOW):
        agent, record = await catalog.agent(agent_id), await catalog.version(agent_id, "1.0.0")
        listed = (await catalog.agents(AgentQuery(namespace=agent.namespace))).items
        assert agent.namespace == record.namespace
        assert agent_id in [one.agent_id for one in listed]
        found[agent_id] = agent.namespace
    return found


async def publish_both(catalog):
    for agent_id in (DEEP, SHALLOW):
        await publish(catalog, card("1.0.0", agent_id=agent_id))


@pytest.mark.parametrize("first", range(4))
@pytest.mark.parametrize("names", [NAMES, NAMES[::-1], ["com", "com.example.a", "com.exampl", "com.example.a.bc"]])
def test_an_agent_is_of_the_longest_registered_prefix_whenever_it_was_published(database_url, names, first):
    """``first`` namespaces are registered before the agents are published, the others after."""

    async def scenario(catalog):
        steps = []
        for index in range(len(names) + 1):
            if index == min(first, len(names)):
                await publish_both(catalog)
            if index >= first:
                steps.append((names[:index], await homes(catalog)))
            if index < len(names):
                await catalog.set_policy(names[index], Policy(), ADMIN)
        return steps

    def longest(agent_id, registered):
        held = [name for name in registered if agent_id.startswith(f"{name}.")]
        return max(held, key=len, default=agent_id.rpartition(".")[0])

    for registered, found in run(database_url, scenario):
        assert {each: longest(each, registered) for each in (DEEP, SHALLOW)} == found, registered


def test_the_policy_of_a_namespace_holds_for_agents_from_before_it_and_their_moves_go_into_its_audit_log(database_url):
    async def scenario(catalog):
        await publish_both(catalog)
        with pytest.raises(NotFound, match="registers one"):
            await catalog.namespace("com.example.a.b")
        await catalog.set_policy("com.example", Policy(levels={"input-required-added": "minor"}), ADMIN)
        await publish(catalog, card("1.1.0", agent_id=DEEP, required=("x",)))
        await catalog.set_policy("com.example.a", Policy(), ADMIN)
        with pytest.raises(UpdateRefused):
            await publish(catalog, card("1.2.0", agent_id=DEEP, required=("x", "y")))
        await catalog.change_state(DEEP, "1.0.0", StateChange("yanked", "wrong"), "*", ADMIN)
        return {
            name: [entry.entry["action"] for entry in await catalog.audit(name)]
            for name in ("com.example.a.b", "com.example", "com.example.a")
        }

    assert {
        "com.example.a.b": ["publish"],
        "com.example": ["publish", "policy", "publish"],
        "com.example.a": ["policy", "state"],
    } == run(database_url, scenario)


def test_of_many_who_register_or_change_at_once_one_wins_each_time(database_url):
    async def scenario(catalog):
        def together(condition):
            calls = [catalog.set_policy("com.example", Policy(), ADMIN, condition) for _ in range(8)]
            publishes = [
                publish(catalog, card("1.0.0", agent_id=f"com.example.n{number}", name=str(condition)))
                for number in range(4)
            ]
            return asyncio.gather(*calls, *publishes, return_exceptions=True)

        found = []
        for condition in (PolicyCondition(is_new=True), PolicyCondition(tags=("com.example.1",))):
            outcomes = await together(condition)
            lost = [each for each in outcomes if isinstance(each, PreconditionFailed)]
            found.append((len(lost), (await catalog.namespace("com.example")).revision))
        agents = (await catalog.agents(AgentQuery(namespace="com.example"))).items
        return found, len(agents)

    assert ([(7, 1), (7, 2)], 4) == run(database_url, scenario)
