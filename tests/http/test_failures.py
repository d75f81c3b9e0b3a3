"""What went wrong in other registries, and in which of them: each is a test here."""

import json
import socket
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from tests.http.cards import contract, sent
from tests.http.serving import running

JSON = {"Content-Type": "application/json"}


def put(client, card, **parameters):
    path = f"/v1/agents/{card['agent_id']}/versions/{card['version']}"
    return client.put(path, content=sent(card), headers=JSON, params=parameters)


def listed(client, path, **parameters):
    """Return every item of a list, page by page."""
    items = []
    answer = client.get(path, params=parameters)
    while True:
        items += answer.json()["items"]
        if "next" not in answer.links:
            return items
        answer = client.get(answer.links["next"]["url"])


def test_equal_content_from_many_callers_at_once_is_created_once(server, agent_id):
    """Apicurio 5162, 4936, 2609: 500 for parallel writes of the same content, and into a group that is made for them."""

    def publish(number):
        name = agent_id if number % 2 else f"{agent_id}.n{number}"
        with server.client() as client:
            return number, put(client, contract(name))

    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(publish, range(16)))
    same = [answer for number, answer in answers if number % 2]
    others = [answer for number, answer in answers if number % 2 == 0]
    assert [200] * 7 + [201] == sorted(answer.status_code for answer in same)
    assert [201] * 8 == [answer.status_code for answer in others]
    created = [answer.json()["record"]["sequence"] for answer in (*same, *others) if answer.status_code == 201]
    assert len(created) == len(set(created))


def test_agents_that_changed_at_one_moment_are_each_on_one_page(client, reader, agent_id):
    """Apicurio 9815: rows with one timestamp were lost between pages."""
    tag = agent_id[-8:]
    cards = [{"card": contract(f"{agent_id}.n{number}", tags=[tag])} for number in range(7)]
    assert 201 == client.post("/v1/publish", json={"cards": cards}).status_code
    for limit in (1, 2, 3, 7):
        items = listed(reader, "/v1/agents", tag=tag, limit=limit)
        assert [f"{agent_id}.n{number}" for number in reversed(range(7))] == [item["agent_id"] for item in items]
    assert 1 == len({item["updated_at"] for item in items})


def test_what_changes_between_pages_moves_no_other_row(client, reader, agent_id):
    """The MCP registry 562, agntcy/dir 1936: a cursor that counts rows shows some twice and skips others."""
    tag = agent_id[-8:]
    for number in range(6):
        put(client, contract(f"{agent_id}.n{number}", tags=[tag]))
    first = reader.get("/v1/agents", params={"tag": tag, "limit": 3})
    put(client, contract(f"{agent_id}.new", tags=[tag]))
    put(client, contract(f"{agent_id}.n1", "1.0.1", tags=[tag]))  # goes before the first page
    rest = reader.get(first.links["next"]["url"])
    assert [[f"{agent_id}.n{number}" for number in row] for row in ((5, 4, 3), (2, 0))] == [
        [item["agent_id"] for item in page.json()["items"]] for page in (first, rest)
    ]


@pytest.mark.parametrize(
    ("limit", "status"),
    [("-1", 422), ("0", 422), ("1.5", 422), ("1e3", 422), ("٣", 422), ("+1", 422), ("", 200)]
    + [(number, 200) for number in ("1", "200", "201", "2147483647", "99999999999999999999", "9" * 2000)],
)
def test_a_page_s_size_never_reaches_arithmetic_unclamped(reader, client, agent_id, limit, status):
    """Apicurio 8732, 9189: an overflow, and -1 in the database."""
    put(client, contract(agent_id))
    for path in ("/v1/agents", f"/v1/agents/{agent_id}/versions"):
        assert status == reader.get(path, params={"limit": limit}).status_code


def test_the_most_that_a_page_holds_is_the_same_whether_a_size_is_given_or_not(make_database):
    """ContextForge 3118, Apicurio 9815: a cap that held only for one of both."""
    with running(make_database(), settings={"CARDS_PAGE_LIMIT": "2"}) as server, server.client() as client:
        cards = [{"card": contract(f"com.example.pages.n{number}")} for number in range(5)]
        cards += [{"card": contract("com.example.pages.n0", f"1.0.{patch}")} for patch in range(1, 4)]
        assert 201 == client.post("/v1/publish", json={"cards": cards}).status_code
        for path, count in (("/v1/agents", 5), ("/v1/agents/com.example.pages.n0/versions", 4)):
            for parameters in ({}, {"limit": 2}, {"limit": 200}):
                assert 2 == len(client.get(path, params=parameters).json()["items"])
                assert count == len(listed(client, path, **parameters))  # and nothing is cut off in silence


def test_no_words_to_search_for_leave_the_other_filters_alone(client, reader, agent_id):
    """Nacos 15229: an empty search returned nothing."""
    tag = agent_id[-8:]
    put(client, contract(agent_id, tags=[tag]))
    found = {q: len(listed(reader, "/v1/agents", tag=tag, q=q)) for q in ("", " ", "doubl", "nothing", "%", "'", "& |")}
    assert {"": 1, " ": 1, "doubl": 1, "nothing": 0, "%": 0, "'": 0, "& |": 0} == found


def test_two_agents_may_give_one_url(client, agent_id):
    """The MCP registry 890: a URL that an old version held kept its publisher out."""
    answers = [put(client, contract(f"{agent_id}.{name}")) for name in ("one", "two")]
    assert [201, 201] == [answer.status_code for answer in answers]


def test_a_schema_that_points_elsewhere_is_refused_and_nothing_is_fetched(client, reader, agent_id):
    """Apicurio 9264, Confluent 4514, Prefect 22252: a $ref made the server call somebody."""
    with socket.socket() as somebody:
        somebody.bind(("127.0.0.1", 0))
        somebody.listen()
        somebody.settimeout(0)
        url = f"http://127.0.0.1:{somebody.getsockname()[1]}/schema.json"
        schemas = [
            {"$ref": url},
            {"$id": url, "$ref": "other.json"},
            {"$schema": url},
            {"properties": {"a": {"$dynamicRef": f"{url}#a"}}},
            {"type": "object", "$ref": "file:///etc/passwd"},
        ]
        for schema in schemas:
            for answer in (
                put(client, contract(agent_id, input_schema=schema)),
                reader.post("/v1/check", json={"cards": [{"card": contract(agent_id, output_schema=schema)}]}),
            ):
                assert (422, "invalid-card") == (answer.status_code, answer.json()["code"]), schema
        with pytest.raises(BlockingIOError):
            somebody.accept()


def tree(**more):
    return {
        "type": "object",
        "properties": {"children": {"type": "array", "items": {"$ref": "#"}}, "name": {"type": "string"}, **more},
    }


def mutual(depth, extra):
    names = [f"n{number}" for number in range(10)]
    choices = [{"type": "object", "properties": {name: {"$ref": f"#/$defs/{name}"}}} for name in names]
    defs = {name: {"oneOf": [{"type": "null"}, *choices[:depth]]} for name in names}
    return {"$defs": defs, "type": "object", "properties": {"a": {"$ref": "#/$defs/n0"}, **extra}}


PAIRS = [
    (
        {"type": "object", "patternProperties": {"^(a+)+$": {"type": "integer"}}},
        {"type": "object", "patternProperties": {"^(a+)+$": {"type": "integer"}}, "properties": {"a" * 26 + "!": {}}},
        "Karapace 1362: a pattern that backtracks",
    ),
    (
        {"type": "string", "pattern": "^(([a-z])+.)+[A-Z]([a-z])+$"},
        {"type": "string", "pattern": "^(([a-z])+.)+[A-Z]([a-z])*$"},
        "two of them against one another",
    ),
    (tree(), tree(size={"type": "integer"}), "Karapace 1329, Confluent 1549: a schema that holds itself"),
    ({"$ref": "#"}, {"$ref": "#"}, "and nothing but itself"),
    (mutual(10, {}), mutual(10, {"b": {"type": "integer"}}), "networknt 1016, Redpanda 23461: ten ways at each turn"),
]


@pytest.mark.parametrize(("old", "new", "why"), PAIRS)
def test_schemas_that_kept_others_busy_for_ever_are_judged_or_given_up(client, agent_id, old, new, why):
    answers = [
        put(client, contract(agent_id, version, input_schema=schema, output_schema={}))
        for version, schema in (("1.0.0", old), ("1.1.0", new))
    ]
    codes = [answer.json().get("code") or answer.json()["outcome"] for answer in answers]
    assert codes[0] in ("created", "invalid-card"), (why, answers[0].text)
    assert codes[1] in ("created", "invalid-card", "update-refused", "judging-stopped"), (why, answers[1].text)
    path = f"/v1/agents/{agent_id}/versions/1.0.0/validate"
    for value in ("a" * 40 + "!", {"a" * 40 + "!": 1}, {"children": [{"children": []}]}, {"a": {"n1": {"n2": None}}}):
        assert client.post(path, json={"instance": value}).status_code in (200, 404, 422), why


BOMBS = [
    ("a: &a [x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n", "js-yaml 738: aliases of aliases"),
    ("a: &a\n  b: *a\n", "an alias of itself"),
    ("[" * 4096, "Rackula 2912: 4 KB of brackets"),
    ("{" * 4096, "and of braces"),
    ("a: " * 4096, "maps in maps on one line"),
    ("- " * 100_000, "lists in lists on one line"),
    ("!!python/object/apply:os.system [id]", "a tag that makes an object"),
    ("!!binary aGVsbG8=", "a tag that makes bytes"),
    ("<<: {a: 1}\n", "a merge"),
    ("a: 1\na: 2\n", "a name twice"),
    ("name: \x00", "U+0000"),
    ("---\na: 1\n---\nb: 2\n", "two documents"),
    ("version: 2026-12-01\nname: on\n", "what YAML 1.1 makes of words"),
]


@pytest.mark.parametrize(("text", "why"), BOMBS)
def test_yaml_that_grows_or_does_something_is_refused_with_its_place(client, agent_id, text, why):
    path = f"/v1/agents/{agent_id}/versions/1.0.0"
    answer = client.put(path, content=text.encode(), headers={"Content-Type": "application/yaml"})
    assert (422, "invalid-card") == (answer.status_code, answer.json()["code"]), why
    assert all(finding["message"] for finding in answer.json()["findings"])


def test_half_a_character_is_refused_and_others_are_ordered_as_the_standard_says(client, agent_id):
    """A2A 2122, a2a-python 1174: canonical forms that differ for characters beyond the first plane."""
    half = json.dumps(contract(agent_id, name="\ud800")).encode()
    answer = client.put(f"/v1/agents/{agent_id}/versions/1.0.0", content=half, headers=JSON)
    assert (422, "invalid-card") == (answer.status_code, answer.json()["code"])
    # RFC 8785 3.2.3 orders by UTF-16: U+1F600 (D83D DE00) comes before U+FB33.
    schema = {"type": "object", "properties": {"\ufb33": {"type": "integer"}, "\U0001f600": {"type": "integer"}}}
    assert 201 == put(client, contract(agent_id, name="Café", input_schema=schema)).status_code
    body = client.get(f"/v1/agents/{agent_id}/versions/1.0.0/contract").text
    assert 0 < body.index("\U0001f600") < body.index("\ufb33")


def test_who_sends_a_sequence_number_back_reads_their_own_write_from_any_process(database_url):
    """Warehouse 12214: CI read the old list for a minute after its publish."""
    agent_id = "com.example.fresh"
    paths = [f"/v1/agents/{agent_id}/versions/latest/card", f"/agents/{agent_id}/.well-known/agent-card.json"]
    with running(database_url, workers=2) as server, server.client() as client:
        for patch in range(5):
            sequence = put(client, contract(agent_id, f"1.0.{patch}")).headers["registry-sequence"]
            for path in paths:
                for _ in range(6):  # a connection each, so that both processes are asked
                    answer = httpx.get(f"{server.url}{path}", headers={"Registry-Sequence": sequence})
                    assert f"1.0.{patch}" == answer.json()["version"]
                    assert 200 == httpx.get(f"{server.url}{path}").status_code  # what is kept by then is old next time
