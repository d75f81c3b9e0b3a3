import pytest

from tests.http.cards import NUMBER_OR_NULL, TEXT, a2a_0_3, a2a_1_0, contract, sent


@pytest.fixture
def history(client, agent_id):
    """Publish 1.0.0, 1.1.0, 2.0.0 and 2.1.0-rc.1 of an agent."""
    for version in ("1.0.0", "1.1.0", "2.0.0", "2.1.0-rc.1"):
        card = contract(agent_id, version, input_schema=TEXT if version >= "2" else contract(agent_id)["input_schema"])
        path = f"/v1/agents/{agent_id}/versions/{version}"
        response = client.put(path, content=sent(card), headers={"Content-Type": "application/json"})
        assert response.status_code == 201, response.text
    return agent_id


def test_an_agent_shows_its_latest_its_majors_and_its_states(reader, history):
    agent = reader.get(f"/v1/agents/{history}").json()
    assert (agent["latest"], agent["majors"], agent["states"], agent["version_count"]) == (
        "2.0.0",
        {"v1": "1.1.0", "v2": "2.0.0"},
        {"production": 4},
        4,
    )
    assert reader.get(f"/v1/agents/{history.upper()}").json() == agent


def test_a_history_counts_each_change_once(client, reader, agent_id):
    """1.2.0 differs from each version before it by an addition, and the history says what it added to its predecessor."""
    properties = {"n": {"type": "integer"}}
    for number, name in enumerate("nab"):
        properties = {**properties, name: {"type": "integer"}}
        card = contract(agent_id, f"1.{number}.0", input_schema={"type": "object", "properties": properties})
        path = f"/v1/agents/{agent_id}/versions/1.{number}.0"
        assert client.put(path, content=sent(card), headers={"Content-Type": "application/json"}).status_code == 201
    items = reader.get(f"/v1/agents/{agent_id}/versions").json()["items"]
    found = [(item["version"], item["judgement"]["predecessor"], item["judgement"]["counts"]) for item in items]
    one, none = {"major": 0, "minor": 1, "patch": 0}, {"major": 0, "minor": 0, "patch": 0}
    assert [("1.2.0", "1.1.0", one), ("1.1.0", "1.0.0", one), ("1.0.0", None, none)] == found


def test_a_history_is_listed_by_precedence_in_pages(reader, history):
    path = f"/v1/agents/{history}/versions"
    first = reader.get(path, params={"limit": 3})
    assert [record["version"] for record in first.json()["items"]] == ["2.1.0-rc.1", "2.0.0", "1.1.0"]
    assert first.links["next"]["url"] == f"{path}?limit=3&cursor={first.json()['next_cursor']}"
    second = reader.get(first.links["next"]["url"])
    assert ([record["version"] for record in second.json()["items"]], second.json()["next_cursor"]) == (["1.0.0"], None)
    other = reader.get("/v1/agents", params={"cursor": first.json()["next_cursor"]})
    assert (other.status_code, other.json()["findings"][0]["code"]) == (422, "invalid-cursor")


SELECTORS = [
    ("2.0.0", "2.0.0"),
    ("latest", "2.0.0"),
    ("v1", "1.1.0"),
    ("%5E1.0", "1.1.0"),
    ("^1.0", "1.1.0"),
    ("~1.0.0", "1.0.0"),
    ("%7E1.0.0", "1.0.0"),
    ("%3E%3D1%20%3C2", "1.1.0"),
    ("=1.0.0", "1.0.0"),
    ("1.x", "1.1.0"),
    ("2.1.0-rc.1", "2.1.0-rc.1"),
]


def test_selectors_select_also_when_percent_encoded(reader, history):
    found = [
        (selector, reader.get(f"/v1/agents/{history}/versions/{selector}").json()["version"])
        for selector, _ in SELECTORS
    ]
    assert found == SELECTORS


def test_a_digest_selects_its_version(reader, history):
    record = reader.get(f"/v1/agents/{history}/versions/1.1.0").json()
    assert reader.get(f"/v1/agents/{history}/versions/{record['digests']['card']}").json()["version"] == "1.1.0"
    assert reader.get(record["links"]["pinned"]).content == sent(record["card"])


def test_build_metadata_tells_no_two_versions_apart(client, reader, agent_id):
    here, headers = f"/v1/agents/{agent_id}/versions", {"Content-Type": "application/json"}
    stored = f"{here}/1.0.0%2Ba"
    made = client.put(stored, content=sent(contract(agent_id, "1.0.0+a")), headers=headers)
    assert made.status_code == 201, made.text
    tag = made.headers["etag"]
    for selector in ("1.0.0+a", "1.0.0%2Ba", "1.0.0", "1.0.0+b", "1.0.0%2Bb"):
        record = reader.get(f"{here}/{selector}")
        card = reader.get(f"{here}/{selector}/card")
        bare = reader.get(f"/agents/{agent_id}/{selector}/.well-known/agent-card.json")
        assert (200, 200, 200) == (record.status_code, card.status_code, bare.status_code), selector
        body = record.json()
        assert ("1.0.0+a", tag, stored) == (body["version"], record.headers["etag"], body["links"]["self"]), selector
        is_stored = selector in ("1.0.0+a", "1.0.0%2Ba")
        well_known = f"/agents/{agent_id}/1.0.0%2Ba/.well-known/agent-card.json"
        wanted = [None] * 3 if is_stored else [stored, f"{stored}/card", well_known]
        assert wanted == [each.headers.get("content-location") for each in (record, card, bare)], selector
    again = client.put(f"{here}/1.0.0%2Bb", content=sent(contract(agent_id, "1.0.0+b")), headers=headers)
    assert (409, "version-taken") == (again.status_code, again.json()["code"])
    assert "build metadata" in again.json()["detail"]
    change = {"state": "deprecated", "reason": "use the other"}
    moved = client.patch(f"{here}/1.0.0%2Bb", json=change, headers={"If-Match": tag})
    assert (200, "1.0.0+a") == (moved.status_code, moved.json()["version"])


def test_what_is_no_selector_and_what_selects_nothing_are_told_apart(reader, history):
    answers = {
        selector: reader.get(f"/v1/agents/{history}/versions/{selector}").status_code
        for selector in ("9.9.9", "v7", "%5E9", ">>1", "a@b", "v12345678901234567")
    }
    assert answers == {"9.9.9": 404, "v7": 404, "%5E9": 404, ">>1": 422, "a@b": 422, "v12345678901234567": 422}
    assert reader.get(f"/v1/agents/{history}.other/versions/latest").json()["code"] == "unknown-agent"


def test_agents_are_listed_by_what_they_are(client, reader, agent_id):
    tag = agent_id.rpartition(".")[2][:40].strip("-")
    for name, card in (
        ("a", contract(f"{agent_id}.a", tags=[tag])),
        ("b", contract(f"{agent_id}.b", tags=[tag], owner="web")),
    ):
        path = f"/v1/agents/{agent_id}.{name}/versions/1.0.0"
        assert client.put(path, content=sent(card), headers={"Content-Type": "application/json"}).status_code == 201
    page = reader.get("/v1/agents", params={"tag": tag, "limit": 1})
    assert [item["agent_id"] for item in page.json()["items"]] == [f"{agent_id}.b"]
    rest = reader.get(page.links["next"]["url"])
    assert ([item["agent_id"] for item in rest.json()["items"]], rest.json()["next_cursor"]) == (
        [f"{agent_id}.a"],
        None,
    )
    owned = reader.get(
        "/v1/agents", params={"tag": [tag], "owner": "web", "status": "production", "has_contract": "true"}
    )
    assert [item["agent_id"] for item in owned.json()["items"]] == [f"{agent_id}.b"]
    assert reader.get("/v1/agents", params={"tag": [tag, "no-such-tag"]}).json() == {"items": [], "next_cursor": None}
    assert reader.get("/v1/agents", params={"tag": tag, "updated_since": "2999-01-01T00:00:00Z"}).json()["items"] == []


def test_a_diff_is_json_or_text_as_asked(reader, history):
    path = f"/v1/agents/{history}/diff"
    report = reader.get(path, params={"from": "1.0.0", "to": "latest"})
    text = reader.get(path, params={"from": "1.0.0", "to": "2.0.0"}, headers={"Accept": "text/plain"})
    assert (report.json()["old_version"], report.json()["new_version"], report.headers["vary"]) == (
        "1.0.0",
        "2.0.0",
        "Accept",
    )
    assert text.headers["content-type"] == "text/plain; charset=utf-8"
    assert "2.0.0" in text.text
    assert reader.get(path, params={"from": "1.0.0"}).json()["findings"][0]["pointer"] == "/to"


def test_rules_are_listed_and_read(reader):
    rules = reader.get("/v1/rules").json()["items"]
    assert rules
    assert [reader.get(f"/v1/rules/{rule['id']}").json() for rule in rules[:3]] == rules[:3]
    assert reader.get("/v1/rules/no-such-rule").status_code == 404


VALIDATIONS = [
    ({"instance": {"n": 1}}, True, []),
    ({"instance": {"n": "x"}}, False, ["/n"]),
    ({"side": "output", "instance": {}}, False, [""]),
    ({"side": "error", "instance": {"error_code": "TOO_LARGE", "message": "m", "retryable": False}}, True, []),
    ({"side": "error", "instance": {"error_code": "OTHER", "message": 1}}, False, ["/error_code", "/message"]),
    ({"side": "error", "instance": 1}, False, [""]),
    ({"side": "answer", "instance": {"ok": True}}, True, []),
    ({"side": "answer", "pause": "approval", "instance": {"ok": 1}}, False, ["/ok"]),
]


def test_values_are_held_against_every_side_of_a_contract(client, reader, agent_id):
    answer = {"type": "object", "properties": {"ok": {"type": "boolean"}}}
    card = contract(agent_id, pauses={"approval": {"description": "Ok?", "answer_schema": answer}})
    path = f"/v1/agents/{agent_id}/versions/1.0.0"
    client.put(path, content=sent(card), headers={"Content-Type": "application/json"})
    for question, valid, pointers in VALIDATIONS:
        answer = reader.post(f"{path}/validate", json=question).json()
        found = [finding["pointer"] for finding in answer["findings"]]
        assert (answer["valid"], found, answer["operation"]) == (valid, pointers, "default"), question
    unknown = [
        {"operation": "no-such", "instance": 1},
        {"side": "answer", "pause": "no-such", "instance": 1},
    ]
    assert [reader.post(f"{path}/validate", json=question).status_code for question in unknown] == [404, 404]
    wrong = reader.post(f"{path}/validate", json={"side": "x", "operation": 1})
    assert [finding["pointer"] for finding in wrong.json()["findings"]] == ["/instance", "/side", "/operation"]


def test_schemas_are_read_by_operation(client, reader, agent_id):
    skills = [
        {"id": "halve", "name": "Halve", "description": "Halves.", "input_schema": NUMBER_OR_NULL, "output": "text"}
    ]
    path = f"/v1/agents/{agent_id}/versions/1.0.0"
    response = client.put(
        path, content=sent(contract(agent_id, skills=skills)), headers={"Content-Type": "application/json"}
    )
    assert response.status_code == 201, response.text
    schema = reader.get(f"{path}/schemas/input")
    assert (schema.headers["content-type"], schema.json()) == (
        "application/schema+json",
        contract(agent_id)["input_schema"],
    )
    assert reader.get(f"{path}/schemas/output/default").json() == contract(agent_id)["output_schema"]
    assert reader.get(f"{path}/schemas/input/halve").json() == NUMBER_OR_NULL
    text = reader.get(f"{path}/schemas/output/halve")
    assert (text.status_code, "plain text" in text.json()["detail"]) == (404, True)
    assert reader.get(f"{path}/schemas/output/nothing").status_code == 404


def test_a2a_cards_are_shown_as_sent_and_as_views(client, reader, agent_id):
    for name, card in (("new", a2a_1_0()), ("old", a2a_0_3())):
        path = f"/v1/agents/{agent_id}.{name}/versions/1.0.0"
        response = client.put(path, content=sent(card), headers={"Content-Type": "application/json"})
        assert response.status_code == 201, response.text
    new, old = (f"/v1/agents/{agent_id}.{name}/versions/1.0.0/a2a" for name in ("new", "old"))
    assert reader.get(new).content == reader.get(f"{new}?a2a_version=1.0").content == sent(a2a_1_0())
    assert reader.get(old).content == reader.get(f"{old}?a2a_version=0.3").content == sent(a2a_0_3())
    lifted = reader.get(f"{old}?a2a_version=1.0").json()
    assert lifted["supportedInterfaces"] == [
        {"url": "https://agents.example.com/legacy", "protocolBinding": "JSONRPC", "protocolVersion": "0.3"}
    ]
    none = reader.get(f"{new}?a2a_version=0.3")
    assert (none.status_code, none.json()["code"]) == (404, "no-such-view")
    assert reader.get(f"{new}?a2a_version=0.2").status_code == 422
