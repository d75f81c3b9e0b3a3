import json
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from registry.core.card.model import Card
from registry.core.card.text import parse
from registry.core.card.uris import EXTENSION_URI
from registry.core.errors import InvalidCard, NoSuchView
from registry.core.formats import FORMATS, a2a_0_3, a2a_1_0, a2a_member, explain_unrecognised, recognise
from registry.core.formats.structure import MAX_FINDINGS
from tests.core.formats.cards import BASES
from tests.core.formats.test_extension import FULL
from tests.core.formats.test_views import FULL_0_3, FULL_1_0

WRONG = [None, True, 1.5, "", "\u202e\u0007", [], {}, [{}], [None], {"": None}, {"a": {"a": []}}, {"list": 5}]
CARRIER = {**FULL_1_0, "capabilities": {"extensions": [{"uri": EXTENSION_URI, "params": FULL}]}}
UNION = {
    **FULL_1_0,
    **{name: FULL_0_3[name] for name in ("url", "protocolVersion", "security", "additionalInterfaces")},
}
CARDS = {"a2a-1.0": CARRIER, "a2a-0.3": FULL_0_3, "a2a-0.2": FULL_0_3, "union": UNION}


def outcome(kind, value):
    """Read a value as a card of a kind: a card whose views can be made, or findings; anything else is a crash."""
    raw = json.dumps(value).encode()
    try:
        card = FORMATS[kind](parse(raw), raw)
    except InvalidCard as error:
        assert any(finding.level == "error" for finding in error.findings)
        return error
    assert all(finding.level == "warning" for finding in card.findings)
    a2a_1_0.view(card)
    try:
        a2a_0_3.view(card)
    except NoSuchView:
        pass
    return card


def places(value, path=()):
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


def replaced(value, path, new):
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


@pytest.mark.parametrize("name", CARDS)
def test_any_member_may_be_of_any_type(name):
    kind = "a2a-1.0" if name == "union" else name
    for path in places(CARDS[name]):
        for wrong in WRONG:
            value = replaced(CARDS[name], path, wrong)
            assert isinstance(outcome(kind, value), Card | InvalidCard)
            recognise(value)
            explain_unrecognised(value)


@pytest.mark.parametrize("name", CARDS)
def test_a_members_name_may_be_anything(name):
    kind = "a2a-1.0" if name == "union" else name
    for odd in ("", "~", "/", "a/b~1", "type", "flows", "schemes", "x" * 5000):
        value = {**CARDS[name], odd: CARDS[name], "securitySchemes": {odd: {}}, "skills": [{odd: odd}]}
        assert isinstance(outcome(kind, value), InvalidCard)


@given(
    value=st.recursive(
        st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "url",
                        "skills",
                        "id",
                        "tags",
                        "security",
                        "securitySchemes",
                        "securityRequirements",
                        "schemes",
                        "list",
                        "type",
                        "flows",
                        "supportedInterfaces",
                        "capabilities",
                        "extensions",
                        "uri",
                        "params",
                        "operations",
                    ]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_document_makes_a_reader_crash(value):
    for kind in FORMATS:
        assert isinstance(outcome(kind, value), Card | InvalidCard)
    recognise(value)
    explain_unrecognised(value)
    a2a_member(value, "/a2a", deployment_url=None, operations={})


def large(kind, holder, count):
    """Return a card in which all that a card has many of is there `count` times; `holder` has as many requirements."""
    base = BASES[kind.removeprefix("a2a-")]
    scheme = base["securitySchemes"]["key"]
    asked = [{f"k{at}": [f"r{at}"]} for at in range(count)]
    member = "security"
    interfaces = {
        "additionalInterfaces": [{"url": f"https://a.example/{at}", "transport": "JSONRPC"} for at in range(count)]
    }
    if kind == "a2a-1.0":
        asked = [{"schemes": {f"k{at}": {"list": [f"r{at}"]}}} for at in range(count)]
        member = "securityRequirements"
        one = base["supportedInterfaces"][0]
        interfaces = {"supportedInterfaces": [{**one, "url": f"https://a.example/{at}"} for at in range(count)]}
    skill = {"name": "S", "description": "d", **({member: asked[:2]} if holder == "skills" else {})}
    return {
        **base,
        **interfaces,
        member: asked if holder == "card" else asked[:2],
        "securitySchemes": {f"k{at}": scheme for at in range(count)},
        "skills": [{"id": f"s{at}", "tags": [f"t{at}"], **skill} for at in range(count)],
        "capabilities": {"extensions": [{"uri": f"urn:x:{at}"} for at in range(count)]},
        **{f"x-{at}": at for at in range(count)},
    }


def calls_to_read(kind, value):
    """Return how many calls it takes to read a card and make its view: a measure that no other work here moves."""
    raw = json.dumps(value).encode()
    document = parse(raw)
    calls = 0

    def count(_frame, event, _argument):
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        a2a_1_0.view(FORMATS[kind](document, raw))
    finally:
        sys.setprofile(before)
    return calls


@pytest.mark.parametrize("holder", ["card", "skills"])
@pytest.mark.parametrize("kind", ["a2a-1.0", "a2a-0.3"])
def test_a_card_twice_as_large_takes_twice_the_work(kind, holder):
    calls_to_read(kind, large(kind, holder, 1))  # schemas are loaded once
    assert calls_to_read(kind, large(kind, holder, 200)) < 2.05 * calls_to_read(kind, large(kind, holder, 100))


@pytest.mark.timeout(60)
@pytest.mark.parametrize("kind", ["a2a-1.0", "a2a-0.3"])
def test_a_card_near_the_size_limit_is_read(kind):
    value = large(kind, "card", 2500)
    assert 500_000 < len(json.dumps(value)) < 1_048_576
    assert isinstance(outcome(kind, value), Card)


@pytest.mark.timeout(60)
def test_many_unknown_schemes_are_told_as_far_as_findings_go():
    names = {f"scheme-number-{at}": {} for at in range(3000)}
    schemes = {f"scheme-numbre-{at}": {"mtlsSecurityScheme": {}} for at in range(3000)}
    value = {**BASES["1.0"], "securitySchemes": schemes, "securityRequirements": [{"schemes": names}]}
    assert len(outcome("a2a-1.0", value).findings) == MAX_FINDINGS + 1
