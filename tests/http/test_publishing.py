import hashlib
import json
import re

import pytest

from tests.http.cards import NUMBER_OR_NULL, TEXT, a2a_1_0, contract, sent


def put(client, agent_id, version, card, **parameters):
    raw = card if isinstance(card, bytes) else sent(card)
    headers = {"Content-Type": "application/json"}
    return client.put(f"/v1/agents/{agent_id}/versions/{version}", content=raw, headers=headers, params=parameters)


def test_a_first_publish_is_created_and_says_where_it_is(client, agent_id):
    raw = sent(contract(agent_id))
    response = put(client, agent_id, "1.0.0", raw, commit="4f2c1e9")
    record = response.json()["record"]
    here = f"/v1/agents/{agent_id}/versions/1.0.0"
    assert response.status_code == 201
    assert response.headers["location"] == here
    assert response.headers["registry-sequence"] == str(record["sequence"])
    assert response.headers["etag"] == f'"{record["etag"]}"'
    assert response.json()["outcome"] == "created"
    assert {name: record[name] for name in ("agent_id", "version", "state", "kind", "namespace", "commit")} == {
        "agent_id": agent_id,
        "version": "1.0.0",
        "state": "production",
        "kind": "contract",
        "namespace": agent_id.rpartition(".")[0],
        "commit": "4f2c1e9",
    }
    assert record["digests"]["raw"] == f"sha256:{hashlib.sha256(raw).hexdigest()}"
    assert record["size_bytes"] == len(raw)
    assert client.get(here).json()["card"] == json.loads(raw)


def test_the_commit_may_come_as_a_header(client, agent_id):
    headers = {"Content-Type": "application/json", "Cards-Commit": "abc"}
    path = f"/v1/agents/{agent_id}/versions/1.0.0"
    response = client.put(path, content=sent(contract(agent_id)), headers=headers)
    assert response.json()["record"]["commit"] == "abc"


def test_the_same_card_again_changes_nothing(client, agent_id):
    first = put(client, agent_id, "1.0.0", contract(agent_id)).json()["record"]
    again = put(client, agent_id, "1.0.0", contract(agent_id))
    assert (again.status_code, again.json()["outcome"], again.json()["record"]) == (200, "unchanged", first)
    assert "location" not in again.headers


def test_the_same_version_with_other_content_is_refused_and_says_what_differs(client, agent_id):
    put(client, agent_id, "1.0.0", contract(agent_id))
    response = put(client, agent_id, "1.0.0", contract(agent_id, description="Another."))
    problem = response.json()
    assert (response.status_code, problem["code"], problem["differs"]) == (409, "version-taken", ["description"])


def advised(client, answer):
    """Make the call that a 409 names, and return its answer."""
    assert (409, "version-taken") == (answer.status_code, answer.json()["code"])
    method, path, body = re.search(r": (PATCH) (\S+) with (\{.*\})$", answer.json()["detail"]).groups()
    tag = client.get(path).headers["etag"]
    return client.request(method, path, json=json.loads(body), headers={"If-Match": tag})


@pytest.mark.parametrize(
    ("members", "differs", "state", "owner"),
    [
        ({"owner": "web"}, ["owner"], "production", "web"),
        ({"status": "deprecated"}, ["status"], "deprecated", "core"),
        ({"status": "retired", "owner": "web"}, ["owner", "status"], "retired", "web"),
        ({"owner": None}, ["owner"], "production", None),
    ],
)
def test_a_409_that_differs_in_state_or_owner_names_a_call_that_works(
    client, reader, agent_id, members, differs, state, owner
):
    put(client, agent_id, "1.0.0", contract(agent_id, owner="core"))
    other = {
        name: value for name, value in contract(agent_id, **{"owner": "core", **members}).items() if value is not None
    }
    refused = put(client, agent_id, "1.0.0", other)
    assert differs == refused.json()["differs"]
    changed = advised(client, refused)
    assert (200, state, owner) == (changed.status_code, changed.json()["state"], changed.json()["owner"])
    record = reader.get(f"/v1/agents/{agent_id}/versions/1.0.0")
    assert (record.json()["owner"], record.headers["etag"]) == (owner, changed.headers["etag"])
    assert record.json()["card"] == contract(agent_id, owner="core")
    listed = {name: reader.get("/v1/agents", params={"owner": name}).json()["items"] for name in ("core", "web")}
    found = {name: agent_id in [item["agent_id"] for item in items] for name, items in listed.items()}
    assert {"core": owner == "core", "web": owner == "web"} == found
    again = put(client, agent_id, "1.0.0", other)
    assert (409, True) == (again.status_code, "there is nothing to do" in again.json()["detail"])


def test_an_owner_that_an_a2a_card_names_is_changed_by_a_call_too(client, agent_id):
    def card(owner):
        extension = {"uri": "https://w3id.org/agent-card-registry/contract/v1", "params": {"owner": owner}}
        return a2a_1_0(capabilities={"streaming": True, "extensions": [extension]})

    put(client, agent_id, "1.0.0", card("core"))
    refused = put(client, agent_id, "1.0.0", card("web"))
    assert ["owner"] == refused.json()["differs"]
    assert "web" == advised(client, refused).json()["owner"]


def test_a_409_advises_nothing_that_can_not_be_done(client, agent_id):
    put(client, agent_id, "1.0.0", contract(agent_id))
    spelled_out = put(client, agent_id, "1.0.0", contract(agent_id, status="production"))
    assert (409, ["status"]) == (spelled_out.status_code, spelled_out.json()["differs"])
    assert spelled_out.json()["detail"].endswith("the version is production already, so there is nothing to do")
    path = f"/v1/agents/{agent_id}/versions/1.0.0"
    client.patch(path, json={"state": "yanked", "reason": "wrong"}, headers={"If-Match": "*"})
    gone = put(client, agent_id, "1.0.0", contract(agent_id, status="production"))
    assert gone.json()["detail"].endswith("what is yanked can't become production; publish it under a new version")
    signatures = [{"protected": "eyJhbGciOiJFUzI1NiIsImtpZCI6ImsifQ", "signature": "AA"}]
    put(client, f"{agent_id}.signed", "1.0.0", a2a_1_0())
    signed = put(client, f"{agent_id}.signed", "1.0.0", a2a_1_0(signatures=signatures))
    assert (409, ["signatures"]) == (signed.status_code, signed.json()["differs"])
    assert signed.json()["detail"].endswith("it differs in signatures; publish this one under a new version")


def test_an_owner_is_changed_alone_or_with_a_state_and_stands_in_the_audit_log(client, agent_id):
    made = put(client, agent_id, "1.0.0", contract(agent_id)).json()["record"]
    path = f"/v1/agents/{agent_id}/versions/1.0.0"
    changes = [
        {"owner": "web"},
        {"owner": "web"},
        {"owner": "core", "state": "deprecated", "reason": "old"},
        {"owner": ""},
    ]
    answers = [client.patch(path, json=change, headers={"If-Match": "*"}).json() for change in changes]
    found = [(each["owner"], each["state"], each["state_reason"]) for each in answers]
    assert [
        ("web", "production", None),
        ("web", "production", None),
        ("core", "deprecated", "old"),
        (None, "deprecated", "old"),
    ] == found
    assert made["state_changed_at"] == answers[0]["state_changed_at"] == answers[1]["state_changed_at"]
    sequences = [made["sequence"], *(each["sequence"] for each in answers)]
    assert sequences[1] == sequences[2]
    assert sorted(set(sequences)) == [each for at, each in enumerate(sequences) if at != 2]
    wrong = [client.patch(path, json=body, headers={"If-Match": "*"}).json() for body in ({}, {"owner": 1})]
    assert ["", "/owner"] == [each["findings"][0]["pointer"] for each in wrong]


def test_an_update_that_breaks_callers_is_refused_with_its_report(client, agent_id):
    put(client, agent_id, "1.0.0", contract(agent_id))
    response = put(client, agent_id, "1.1.0", contract(agent_id, "1.1.0", input_schema=TEXT))
    problem = response.json()
    assert (response.status_code, problem["code"]) == (409, "update-refused")
    assert problem["judgement"]["verdict"] == "refused"
    assert problem["judgement"]["smallest_version"] == "2.0.0"
    assert any(change["level"] == "major" for change in problem["judgement"]["changes"])
    assert client.get(f"/v1/agents/{agent_id}/versions/1.1.0").status_code == 404


def test_a_break_passes_by_its_fingerprint_and_with_a_reason(client, agent_id):
    put(client, agent_id, "1.0.0", contract(agent_id))
    breaking = contract(agent_id, "1.1.0", input_schema=TEXT)
    changes = put(client, agent_id, "1.1.0", breaking).json()["judgement"]["changes"]
    fingerprints = sorted({change["fingerprint"] for change in changes if change["level"] == "major"})
    without = put(client, agent_id, "1.1.0", breaking, allow_breaking=fingerprints)
    forced = put(client, agent_id, "1.1.0", breaking, allow_breaking=fingerprints, reason="nobody calls it:\nwe asked")
    record = forced.json()["record"]
    assert (without.status_code, without.json()["findings"][0]["pointer"]) == (422, "/reason")
    assert (forced.status_code, sorted(record["forced"]), record["forced_reason"]) == (
        201,
        fingerprints,
        "nobody calls it:\nwe asked",
    )


def test_a_dry_run_judges_and_stores_nothing(client, agent_id):
    would = put(client, agent_id, "1.0.0", contract(agent_id), dry_run="true")
    assert (would.status_code, would.json()["outcome"]) == (200, "would_create")
    assert client.get(f"/v1/agents/{agent_id}").status_code == 404
    put(client, agent_id, "1.0.0", contract(agent_id))
    refused = put(client, agent_id, "1.0.1", contract(agent_id, "1.0.1", output_schema=NUMBER_OR_NULL), dry_run="true")
    assert (refused.status_code, refused.json()["code"]) == (409, "update-refused")


def test_who_asks_for_a_dry_run_without_a_value_publishes_nothing(client, agent_id):
    here, raw = f"/v1/agents/{agent_id}/versions/1.0.0", sent(contract(agent_id))
    calls = [("PUT", here), ("POST", "/v1/publish"), ("GET", "/v1/agents"), ("GET", here)]
    names = ["dry_run", "dry_run", "has_contract", "accept_forced"]
    for (method, path), name in zip(calls, names, strict=True):
        for query in (name, f"{name}="):
            answer = client.request(method, f"{path}?{query}", content=raw if method != "GET" else None)
            assert (422, f"/{name}") == (answer.status_code, answer.json()["findings"][0]["pointer"]), path
            assert f"`{name}=true` or `{name}=false`" in answer.json()["detail"]
    assert client.get(f"/v1/agents/{agent_id}").status_code == 404


def test_a_version_may_start_as_a_draft(client, agent_id):
    record = put(client, agent_id, "1.0.0", contract(agent_id), status="draft").json()["record"]
    assert record["state"] == "draft"
    assert client.get(f"/v1/agents/{agent_id}/versions/latest").status_code == 404


def test_a_card_that_is_wrong_is_refused_with_every_finding(client, agent_id):
    card = contract(agent_id, input_schema={"type": "nothing"}, output_schema={"type": 7})
    response = put(client, agent_id, "1.0.0", card)
    pointers = {finding["pointer"] for finding in response.json()["findings"] if finding["level"] == "error"}
    assert (response.status_code, response.json()["code"]) == (422, "invalid-card")
    assert {pointer.split("/")[1] for pointer in pointers} == {"input_schema", "output_schema"}


@pytest.mark.parametrize("name", ["a@b", "A b", "under_score.example", "x" * 300])
def test_an_id_that_no_agent_can_have_is_422_where_it_is_written(client, name):
    response = put(client, name, "1.0.0", a2a_1_0())
    assert (response.status_code, response.json()["findings"][0]["pointer"]) == (422, "/agent_id")


@pytest.mark.parametrize("version", ["1.0", "v1.0.0", "01.0.0", "latest", "^1.0.0"])
def test_what_is_no_version_is_422_where_it_is_written(client, agent_id, version):
    response = put(client, agent_id, version, a2a_1_0())
    assert (response.status_code, response.json()["findings"][0]["pointer"]) == (422, "/version")


def test_build_metadata_round_trips_in_a_path(client, agent_id):
    version = "1.0.0+build.7"
    response = put(client, agent_id, version, contract(agent_id, version))
    location = response.headers["location"]
    assert (response.status_code, location) == (201, f"/v1/agents/{agent_id}/versions/1.0.0%2Bbuild.7")
    for path in (location, location.replace("%2B", "+")):
        assert client.get(path).json()["version"] == version
        assert client.get(f"{path}/card").content == sent(contract(agent_id, version))


def test_yaml_is_kept_as_it_was_sent(client, agent_id):
    text = f"agent_id: {agent_id}\nname: N\ndescription: D\nversion: 1.0.0\ninput: text\noutput: text\n"
    raw = b"# a comment\n" + text.encode()
    path = f"/v1/agents/{agent_id}/versions/1.0.0"
    response = client.put(path, content=raw, headers={"Content-Type": "application/yaml"})
    card = client.get(f"{path}/card")
    assert response.status_code == 201
    assert (card.content, card.headers["content-type"]) == (raw, "application/yaml")
    assert client.get(path).json()["card"]["name"] == "N"


def test_several_cards_are_published_all_or_none_as_json(client, agent_id):
    one, two = f"{agent_id}.one", f"{agent_id}.two"
    cards = [{"card": contract(one)}, {"text": json.dumps(contract(two)), "version": "1.0.0"}]
    refused = client.post("/v1/publish", json={"cards": [*cards, {"card": {"agent_id": f"{agent_id}.three"}}]})
    assert (refused.status_code, client.get(f"/v1/agents/{one}").status_code) == (422, 404)
    assert all(finding["pointer"].startswith("/cards/2") for finding in refused.json()["findings"])
    published = client.post("/v1/publish", json={"cards": cards, "commit": "abc"})
    assert published.status_code == 201
    assert [
        (one["outcome"], one["record"]["agent_id"], one["record"]["commit"]) for one in published.json()["publications"]
    ] == [
        ("created", one, "abc"),
        ("created", two, "abc"),
    ]
    again = client.post("/v1/publish", json={"cards": cards})
    assert (again.status_code, [one["outcome"] for one in again.json()["publications"]]) == (200, ["unchanged"] * 2)


@pytest.mark.parametrize("path", ["/v1/publish", "/v1/check"])
def test_every_card_that_can_not_be_published_is_told_in_one_answer(client, agent_id, path):
    names = [f"{agent_id}.{name}" for name in ("taken", "broken", "fine", "owned", "narrowed")]
    taken, broken, fine, owned, narrowed = names
    for name in names:
        put(client, name, "1.0.0", contract(name))
    cards = [
        contract(taken, description="Another."),
        contract(broken, "1.1.0", input_schema=TEXT),
        contract(fine, "1.1.0"),
        contract(owned, owner="web"),
        contract(narrowed, "1.0.1", output_schema=NUMBER_OR_NULL),
    ]
    answer = client.post(path, json={"cards": [{"card": card} for card in cards]})
    problem = answer.json()
    judgement = problem["judgement"]
    assert (409, "update-refused") == (answer.status_code, problem["code"])
    assert [broken, narrowed] == [each["agent_id"] for each in (judgement, *judgement["also_refused"])]
    found = [(each["agent_id"], each["version"], each["differs"]) for each in problem["also_taken"]]
    assert [(owned, "1.0.0", ["owner"]), (taken, "1.0.0", ["description"])] == found
    assert f'PATCH /v1/agents/{owned}/versions/1.0.0 with {{"owner": "web"}}' in problem["also_taken"][0]["detail"]
    assert all(each["detail"] in problem["detail"] for each in problem["also_taken"])
    assert all(f"{name}: 1.0.0 -> " in problem["detail"] for name in (broken, narrowed))
    without = client.post(path, json={"cards": [{"card": card} for card in (cards[0], cards[2], cards[3])]}).json()
    assert ("version-taken", ["owner"]) == (without["code"], without["differs"])
    assert [(taken, ["description"])] == [(each["agent_id"], each["differs"]) for each in without["also_taken"]]
    assert client.get(f"/v1/agents/{fine}/versions/1.1.0").status_code == 404


def test_a_card_inside_json_keeps_its_bytes(client, agent_id):
    raw = sent(contract(agent_id)).strip()
    body = b'{"cards": [ {"card":' + raw + b"}]}"
    response = client.post("/v1/publish", content=body, headers={"Content-Type": "application/json"})
    assert response.status_code == 201
    assert client.get(f"/v1/agents/{agent_id}/versions/1.0.0/card").content == raw


def test_several_cards_are_published_as_multipart_with_their_bytes(client, agent_id):
    one, two = f"{agent_id}.one", f"{agent_id}.two"
    raw = {one: sent(contract(one)), two: sent(a2a_1_0("2026-12-01")) + b"\r\n\r\n"}
    files = [
        ("card", ("a.json", raw[one], "application/json")),
        (f"{two}@1.2.3", ("b.json", raw[two], "application/json")),
    ]
    response = client.post("/v1/publish", files=files)
    assert response.status_code == 201, response.text
    assert client.get(f"/v1/agents/{one}/versions/1.0.0/card").content == raw[one]
    assert client.get(f"/v1/agents/{two}/versions/1.2.3/card").content == raw[two]


def test_check_judges_without_a_token_and_stores_nothing(client, reader, agent_id):
    would = reader.post("/v1/check", json={"cards": [{"card": contract(agent_id)}]})
    assert (would.status_code, [one["outcome"] for one in would.json()["publications"]]) == (200, ["would_create"])
    assert reader.get(f"/v1/agents/{agent_id}").status_code == 404
    put(client, agent_id, "1.0.0", contract(agent_id))
    yaml = json.dumps(contract(agent_id, "1.0.1", input_schema=TEXT)).encode()
    refused = reader.post("/v1/check", content=yaml, headers={"Content-Type": "application/yaml"})
    assert (refused.status_code, refused.json()["code"]) == (409, "update-refused")


def test_a_body_names_what_is_wrong_in_it(client):
    bodies = {
        '{"cards": [{"text": 1}]}': "/cards/0/text",
        '{"cards": [{"card": {}, "text": "x"}]}': "/cards/0",
        '{"cards": [{}]}': "/cards/0",
        '{"cards": [], "more": 1}': "",
        '{"cards": [{"text": "x"}], "status": "gone"}': "/status",
        '{"cards": {}}': "/cards",
    }
    found = {}
    for body in bodies:
        response = client.post("/v1/publish", content=body, headers={"Content-Type": "application/json"})
        assert response.status_code == 422, response.text
        found[body] = response.json()["findings"][0]["pointer"]
    assert found == bodies


def test_a_state_changes_under_the_etag_that_was_read(client, agent_id):
    put(client, agent_id, "1.0.0", contract(agent_id))
    path = f"/v1/agents/{agent_id}/versions/1.0.0"
    etag = client.get(path).headers["etag"]
    change = {"state": "deprecated", "reason": "use the other", "sunset": "2027-06-30T00:00:00Z"}
    answers = [
        client.patch(path, json=change),
        client.patch(path, json=change, headers={"If-Match": '"other"'}),
        client.patch(path, json=change, headers={"If-Match": f"W/{etag}"}),
        client.patch(path, json=change, headers={"If-Match": f'"other", {etag}'}),
        client.patch(path, json=change, headers={"If-Match": etag}),
    ]
    assert [answer.status_code for answer in answers] == [428, 412, 412, 200, 412]
    record = answers[3].json()
    assert (record["state"], record["state_reason"], record["sunset"]) == (
        "deprecated",
        "use the other",
        "2027-06-30T00:00:00Z",
    )
    assert answers[3].headers["etag"] == client.get(path).headers["etag"] != etag


def test_a_state_change_says_everything_that_is_wrong(client, agent_id):
    body = {"state": "gone", "reason": 1, "sunset": "tomorrow", "allow_breaking": "x"}
    response = client.patch(f"/v1/agents/{agent_id}/versions/1.0.0", json=body, headers={"If-Match": "*"})
    assert response.status_code == 422
    assert [finding["pointer"] for finding in response.json()["findings"]] == [
        "/state",
        "/reason",
        "/sunset",
        "/allow_breaking",
    ]


def test_a_namespace_is_registered_by_its_policy_and_changed_under_the_etag_that_was_read(client, reader, agent_id):
    put(client, agent_id, "1.0.0", contract(agent_id))
    namespace = agent_id.rpartition(".")[0] + ".strictly"
    path = f"/v1/namespaces/{namespace}/policy"
    strict, lax = {"profile": "literal", "levels": {}, "strict": True}, {"profile": "declared"}
    new = {"If-None-Match": "*"}
    answers = [client.put(path, json=strict, headers=each) for each in ({}, {"If-Match": "*"}, new, new)]
    assert [428, 412, 201, 412] == [answer.status_code for answer in answers]
    read = reader.get(path)
    made = answers[2]
    assert (made.json(), made.json()["policy"], made.json()["revision"]) == (read.json(), strict, 1)
    names = ("etag", "registry-sequence")
    assert [made.headers[name] for name in names] == [read.headers[name] for name in names]
    assert reader.get(path, headers={"If-None-Match": read.headers["etag"]}).status_code == 304
    tag = read.headers["etag"]
    tags = ('"other"', f"W/{tag}", '"*"', tag, tag, "*")
    found = [client.put(path, json=lax, headers={"If-Match": each}) for each in tags]
    assert [412, 412, 412, 200, 412, 200] == [answer.status_code for answer in found]
    sequences = [int(answer.headers["registry-sequence"]) for answer in (made, found[3], found[5])]
    assert sequences == sorted(set(sequences))
    assert (3, found[5].headers["etag"]) == (reader.get(path).json()["revision"], reader.get(path).headers["etag"])
    wrong = client.put(path, json={"profile": "x", "levels": {"no-such-rule": "major"}}, headers={"If-Match": "*"})
    assert [finding["pointer"] for finding in wrong.json()["findings"]] == ["/profile", "/levels/no-such-rule"]


def test_a_publish_registers_no_namespace(client, reader, agent_id):
    put(client, agent_id, "1.0.0", contract(agent_id))
    home = client.get(f"/v1/agents/{agent_id}").json()["namespace"]
    answer = reader.get(f"/v1/namespaces/{home}/policy")
    assert (404, agent_id.rpartition(".")[0]) == (answer.status_code, home)
    assert f"PUT /v1/namespaces/{home}/policy registers one" in answer.json()["detail"]


def test_a_dry_run_that_is_asked_for_in_either_place_stores_nothing(client, agent_id):
    body = {"cards": [{"card": contract(agent_id)}]}
    for query, member in (("true", False), ("true", None), ("false", True), ("true", True)):
        given = body if member is None else {**body, "dry_run": member}
        answer = client.post("/v1/publish", json=given, params={"dry_run": query})
        assert (200, "would_create") == (answer.status_code, answer.json()["publications"][0]["outcome"])
