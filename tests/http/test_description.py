import re
from html.parser import HTMLParser

import pytest
from jsonschema import Draft202012Validator

from registry.http.reference import METHODS, load_description, reference_page
from registry.http.routes import all_routes

DOCUMENT = load_description()
OPERATIONS = [
    (path, method, item[method]) for path, item in DOCUMENT["paths"].items() for method in METHODS if method in item
]


def test_every_route_is_described_and_nothing_else():
    routes = {
        (re.sub(r"\{(\w+):str\}", r"{\1}", path), method.lower())
        for handler in all_routes()
        for path in handler.paths
        for method in handler.http_methods
        if method not in ("HEAD", "OPTIONS")
    }
    assert {(path, method) for path, method, _ in OPERATIONS} == routes


def test_every_get_is_answered_to_head_too():
    assert all("HEAD" in handler.http_methods for handler in all_routes() if "GET" in handler.http_methods)


def test_every_operation_has_its_own_name():
    names = [operation["operationId"] for _, _, operation in OPERATIONS]
    assert sorted(names) == sorted(handler.handler_name for handler in all_routes())


def references(value):
    if isinstance(value, dict):
        yield from [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        for member in value.values():
            yield from references(member)
    elif isinstance(value, list):
        for item in value:
            yield from references(item)


def test_every_reference_leads_somewhere():
    for reference in references(DOCUMENT):
        found = DOCUMENT
        for name in reference.removeprefix("#/").split("/"):
            found = found[name]


def test_every_component_is_used():
    used = set(references(DOCUMENT))
    made = {
        f"#/components/{kind}/{name}"
        for kind, components in DOCUMENT["components"].items()
        if kind != "securitySchemes"
        for name in components
    }
    assert made == used


@pytest.mark.parametrize("name", DOCUMENT["components"]["schemas"])
def test_every_schema_is_a_schema(name):
    Draft202012Validator.check_schema(DOCUMENT["components"]["schemas"][name])


@pytest.mark.parametrize(("path", "method", "operation"), OPERATIONS)
def test_every_operation_declares_its_path_parameters_its_tag_and_its_problem(path, method, operation):
    item = DOCUMENT["paths"][path]
    given = [*item.get("parameters", ()), *operation.get("parameters", ())]
    named = [
        DOCUMENT["components"]["parameters"][one["$ref"].rpartition("/")[2]] if "$ref" in one else one for one in given
    ]
    assert {one["name"] for one in named if one["in"] == "path"} == set(re.findall(r"\{(\w+)\}", path))
    assert set(operation["tags"]) <= {tag["name"] for tag in DOCUMENT["tags"]}
    assert operation["responses"]["default"] == {"$ref": "#/components/responses/Problem"}


class Loads(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.loaded = []

    def handle_starttag(self, tag, attributes):
        self.loaded += [value for name, value in attributes if name in ("src", "srcset", "data", "action", "poster")]
        self.loaded += [value for name, value in attributes if name == "href" and not value.startswith("/")]
        self.loaded += [tag] if tag in ("script", "link", "iframe", "img", "object", "base") else []


def test_the_reference_page_loads_nothing_and_shows_every_operation():
    page = reference_page(DOCUMENT)
    loads = Loads()
    loads.feed(page)
    assert loads.loaded == []
    assert "@import" not in page
    assert "url(" not in page
    assert [
        name for _, _, one in OPERATIONS if (name := one["operationId"]) not in re.findall(r'<h3 id="(\w+)"', page)
    ] == []


def test_the_reference_page_escapes_what_the_document_says():
    document = {**DOCUMENT, "info": {**DOCUMENT["info"], "title": "<script>"}}
    assert "<script>" not in reference_page(document)
