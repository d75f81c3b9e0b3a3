from tests.shared import SHARED

CARDS = sorted((SHARED / "cases" / "cards").glob("*.json"))


def test_real_cards_come_back_byte_for_byte_or_are_refused_with_findings(client, agent_id):
    outcomes = {201: 0, 422: 0}
    for path in CARDS:
        raw = path.read_bytes()
        here = f"/v1/agents/{agent_id}.c{path.stem}/versions/1.0.0"
        answer = client.put(here, content=raw, headers={"Content-Type": "application/json"})
        outcomes[answer.status_code] += 1
        if answer.status_code == 201:
            assert client.get(f"{here}/card").content == raw, path.name
            views = [client.get(f"{here}/a2a?a2a_version={version}") for version in ("1.0", "0.3")]
            assert {view.status_code if view.is_success else view.json()["code"] for view in views} <= {
                200,
                "no-such-view",
            }
        else:
            problem = answer.json()
            assert (problem["code"], problem["findings"] != []) == ("invalid-card", True), path.name
    assert all(outcomes.values()), outcomes
