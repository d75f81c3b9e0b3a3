"""What the pages about cards show is read, and what they list is all there is."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import yaml

from registry.core.card.read import read_card
from registry.core.card.uris import EXTENSION_URI, HTTP_JSON_BINDING_URI, HTTP_JSON_VERSION
from registry.core.errors import TooLarge
from registry.core.formats import a2a_1_0
from registry.core.formats.published import SCHEMAS
from tests.core.formats.test_extension import sound

ROOT = Path(__file__).parents[3]
CODE = re.compile(r"[a-z0-9]+(?:-[a-z0-9.]+)+|secret|unsatisfiable")


def page(name):
    return (ROOT / "docs" / name).read_text()


def block(name, language):
    return re.search(rf"```{language}\n(.*?)```", page(name), re.DOTALL)[1]


def test_the_worked_example_is_a_card_without_findings():
    card = read_card(block("cards.md", "yaml").encode())
    assert ("com.example.finance.invoices", ()) == (card.agent_id, card.findings)


def test_the_worked_example_and_the_table_name_every_member():
    members = set(SCHEMAS["agent-card.schema"]["properties"])
    shown = set(yaml.safe_load(block("cards.md", "yaml")))
    table = set(re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`[^|]*) \|", page("cards.md"), re.MULTILINE))))
    assert {"input", "output", "failures", "skills"} == members - shown
    assert set() == members - table


def test_the_extension_s_example_is_read():
    shown = json.loads(block("contract-extension.md", "json"))
    assert EXTENSION_URI == shown["uri"]
    params = {name: value for name, value in shown["params"].items() if name != "contract_digest"}
    assert () == read_card(json.dumps(sound(params)).encode()).findings
    assert set(SCHEMAS["a2a-contract-v1"]["properties"]) == set(shown["params"])


def test_the_binding_s_example_is_what_the_view_says():
    shown = json.loads(block("http-json.md", "json"))
    card = read_card(block("cards.md", "yaml").encode())
    example = {**card.document, "deployment_url": shown["url"]}
    assert [shown] == a2a_1_0.view(read_card(json.dumps(example).encode()))["supportedInterfaces"]
    assert (HTTP_JSON_BINDING_URI, HTTP_JSON_VERSION) == (shown["protocolBinding"], shown["protocolVersion"])


def codes_in(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in (
            "Finding",
            "Problem",
            "_refuse",
        ):
            yield from (each.value for each in node.args if isinstance(each, ast.Constant) and each.value)
        elif isinstance(node, ast.AnnAssign) and getattr(node.target, "id", "") == "_SIZES":
            yield from (code.elts[0].value for code in node.value.values)


def test_the_list_of_findings_holds_each_code_and_no_other():
    sources = [path for folder in ("card", "formats") for path in (ROOT / "registry" / "core" / folder).glob("*.py")]
    found = {code for path in sources for code in codes_in(path) if isinstance(code, str) and CODE.fullmatch(code)}
    listed = re.findall(r"^\| `([^`]+)` \|", page("findings.md"), re.MULTILINE)
    assert sorted({*found, TooLarge.code}) == sorted(listed)
