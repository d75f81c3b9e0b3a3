import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from registry.core.card.model import Card
from registry.core.card.text import parse
from registry.core.errors import InvalidCard, NoSuchView
from registry.core.formats import FORMATS, a2a_0_3, a2a_1_0, a2a_member, explain_unrecognised, recognise
from registry.core.formats.uris import EXTENSION_URI
from tests.core.formats.cards import BASES
from tests.core.formats.test_extension import FULL
from tests.core.formats.test_views import FULL_0_3, FULL_1_0

WRONG = [
    None,
    True,
    0,
    1.5,
    "",
    "x",
    "\u202e\u0007",
    [],
    {},
    [[]],
    [{}],
    [None],
    {"": None},
    {"a": {"a": []}},
    {"list": 5},
]
CARRIER = {**FULL_1_0, "capabilities": {"extensions": [{"uri": EXTENSION_URI, "params": FULL}]}}
UNION = {
    **FULL_1_0,
    **{name: FULL_0_3[name] for name in ("url", "protocolVersion", "security", "additionalInterfaces")},
}
CARDS = {"a2a-1.0": CARRIER, "a2a-0.3": FULL_0_3, "a2a-0.2": FULL_0_3, "union": UNION}


def outcome(kind, value):
    """Read a value as a card of a kind: a card whose views can be made, or findings; anything else is a crash."""
    raw = json.dumps(value).encode()
    document = parse(raw)
    try:
        card = FORMATS[kind](document, raw)
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


@pytest.mark.timeout(60)
@pytest.mark.parametrize("kind", ["a2a-1.0", "a2a-0.3"])
def test_a_large_card_is_read_in_bounded_time(kind):

    base = BASES[kind.removeprefix("a2a-")]
    skills = [{"id": f"s{at}", "name": "S", "description": "d" * 20, "tags": ["t"]} for at in range(8000)]
    schemes = {f"k{at}": base["securitySchemes"]["key"] for at in range(1500)}
    card = outcome(kind, {**base, "skills": skills, "securitySchemes": {**base["securitySchemes"], **schemes}})
    assert isinstance(card, Card)


@pytest.mark.timeout(60)
def test_many_unknown_schemes_cost_no_more_than_their_number():

    names = {f"scheme-number-{at}": {} for at in range(3000)}
    schemes = {f"scheme-numbre-{at}": {"mtlsSecurityScheme": {}} for at in range(3000)}
    value = {**BASES["1.0"], "securitySchemes": schemes, "securityRequirements": [{"schemes": names}]}
    assert isinstance(outcome("a2a-1.0", value), InvalidCard)
