import subprocess
import sys

import pytest

from registry.core.formats import explain_unrecognised, recognise
from tests.core.formats.cards import BASES, changed

SKILLS = [{"id": "s"}]


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        pytest.param(BASES["1.0"], "a2a-1.0", id="supportedInterfaces"),
        pytest.param(changed("1.0", [["/url", "https://a.example"]]), "a2a-1.0", id="a union card is of 1.0"),
        pytest.param(BASES["0.3"], "a2a-0.3", id="0.3.0"),
        pytest.param(changed("0.3", [["/protocolVersion", "0.2.6"]]), "a2a-0.2", id="0.2.6"),
        pytest.param(changed("0.3", [["/protocolVersion"]]), "a2a-0.2", id="no version: before 0.2.5"),
        pytest.param(changed("0.3", [["/protocolVersion", "1.0"]]), "a2a-0.3", id="the shape decides, not the claim"),
        pytest.param({}, "a2a-1.0", id="nothing at all: every missing member is named"),
        pytest.param({"name": "x", "default_input_modes": []}, "a2a-1.0", id="snake_case"),
        pytest.param({"url": "https://a.example", "skills": SKILLS}, "a2a-0.2", id="url and skills"),
        pytest.param({"url": "https://a.example", "name": "x"}, None, id="url alone"),
        pytest.param({"agent_id": "a.b", "deployment_url": "https://a.example", "skills": SKILLS}, None, id="ours"),
        pytest.param(
            {"agent_id": "x", "url": "https://a.example", "protocolVersion": "0.3.0", "skills": SKILLS},
            "a2a-0.3",
            id="agent_id alone doesn't make it ours",
        ),
        pytest.param([], None, id="a list"),
        pytest.param(None, None, id="null"),
        pytest.param("card", None, id="a string"),
    ],
)
def test_the_shape_tells_the_kind(value, kind):
    assert kind == recognise(value)


@pytest.mark.parametrize(
    ("value", "code", "pointer"),
    [
        pytest.param([], "not-a-card", "", id="a list"),
        pytest.param({"openapi": "3.1.0"}, "not-a-card", "", id="something else"),
        pytest.param({"result": BASES["1.0"]}, "wrapped-card", "/result", id="a JSON-RPC answer"),
        pytest.param({"a": {"b/c": [BASES["0.3"]]}}, "wrapped-card", "/a/b~1c/0", id="deep inside"),
        pytest.param({"agents": [BASES["0.3"], BASES["1.0"]]}, "several-cards", "/agents", id="a list of cards"),
        pytest.param({"a": BASES["0.3"], "b": BASES["1.0"]}, "several-cards", "", id="cards side by side"),
    ],
)
def test_what_is_no_card_is_told_in_one_finding(value, code, pointer):
    finding = explain_unrecognised(value)
    assert (code, pointer) == (finding.code, finding.pointer)


def test_a_document_without_a_card_is_searched_for_a_bounded_while():
    deep = {"name": "x"}
    for _ in range(60):
        deep = {f"k{at}": deep for at in range(2)}  # 2^60 places, shared
    assert "not-a-card" == explain_unrecognised(deep).code


def test_reading_a_card_opens_no_schema_file():
    script = (
        "import sys\n"
        "from registry.core.card.read import read_card\n"
        "from registry.core.errors import InvalidCard\n"
        "opened = []\n"
        "sys.addaudithook(lambda event, arguments: event == 'open' and opened.append(arguments[0]))\n"
        'for data in (b\'agent_id: com.example.x\', b\'{"supportedInterfaces": []}\', b\'{"url": "", "skills": []}\'):\n'
        "    try:\n"
        "        read_card(data)\n"
        "    except InvalidCard:\n"
        "        pass\n"
        "sys.exit([name for name in opened if str(name).endswith('.json') and '/schemas/' in str(name)] or 0)\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert ("", 0) == (ran.stderr.strip(), ran.returncode)
