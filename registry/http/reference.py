"""The interface's description: ``/openapi.json``, and the same as a page that loads nothing from elsewhere."""

from __future__ import annotations

from html import escape
from importlib import resources
from typing import TYPE_CHECKING, Any

import yaml
from litestar.connection import Request
from litestar.response import Response

from registry.http.answers import conditional, json_content
from registry.http.context import services_of
from registry.http.memory import Content
from registry.http.parameters import Query
from registry.http.reading import reads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

AnyRequest = Request[Any, Any, Any]
Answer = Response[bytes]
HTML = "text/html"  # the framework adds the charset to texts
METHODS = ("get", "put", "post", "patch", "delete")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_STYLE = """
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
code, pre { font: 14px/1.4 ui-monospace, monospace }
h3 { margin: 2.5rem 0 .25rem; overflow-wrap: anywhere }
table { border-collapse: collapse; width: 100% }
td, th { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #8884 }
details { margin: .5rem 0 }
pre { overflow: auto; max-height: 30rem }
"""


def load_description() -> dict[str, Any]:
    """Return the OpenAPI document."""
    text = (resources.files("registry.http") / "openapi.yaml").read_text(encoding="utf-8")
    document: dict[str, Any] = yaml.safe_load(text)
    return document


@reads("/openapi.json")
async def read_description(request: AnyRequest) -> Answer:
    """Answer with the OpenAPI document."""
    Query.of(request).done()
    return conditional(request, _kept(request, "openapi.json", lambda: json_content(load_description())))


@reads("/docs")
async def read_reference(request: AnyRequest) -> Answer:
    """Answer with the reference page."""
    Query.of(request).done()
    content = _kept(request, "docs", lambda: Content.derived(reference_page(load_description()).encode(), HTML))
    return conditional(request, content, {"Content-Security-Policy": _POLICY, "X-Content-Type-Options": "nosniff"})


@reads("/")
async def read_start(request: AnyRequest) -> Answer:
    """Lead people to the reference page."""
    Query.of(request).done()
    return Response(b"", status_code=302, headers={"Location": "/docs"})


def _kept(request: AnyRequest, key: str, make: Callable[[], Content]) -> Content:
    """Return a document that is made once for each process."""
    memory = services_of(request).memory
    content = memory.content(key)
    if content is None:
        content = make()
        memory.keep(key, content)
    return content


def reference_page(document: Mapping[str, Any]) -> str:
    """Return the document as HTML, one section an operation, in the order of its tags."""
    info = document["info"]
    sections = "".join(_tag(document, tag) for tag in document["tags"])
    schemas = "".join(_schema(name, schema) for name, schema in sorted(document["components"]["schemas"].items()))
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(info["title"])}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style>'
        f"<h1>{escape(info['title'])}</h1><p>{escape(info['summary'])}</p><p>{escape(info['description'])}</p>"
        f'<p>The same for programs: <a href="/openapi.json">/openapi.json</a></p>{sections}<h2>Schemas</h2>{schemas}'
        "</html>"
    )


def _tag(document: Mapping[str, Any], tag: Mapping[str, str]) -> str:
    sections = [
        _operation(document, path, method, item)
        for path, item in document["paths"].items()
        for method in METHODS
        if tag["name"] in item.get(method, {}).get("tags", ())
    ]
    return f"<h2>{escape(tag['name'])}</h2><p>{escape(tag['description'])}</p>{''.join(sections)}"


def _operation(document: Mapping[str, Any], path: str, method: str, item: Mapping[str, Any]) -> str:
    operation = item[method]
    parameters = [_resolved(document, one) for one in (*item.get("parameters", ()), *operation.get("parameters", ()))]
    token = "<p>Needs a token.</p>" if operation.get("security") else ""
    rows = "".join(_row(one["name"], one["in"], one.get("description", "")) for one in parameters)
    table = f"<table><tr><th>parameter<th>in<th>what{rows}</table>" if rows else ""
    body = _body(document, operation)
    answers = "".join(_answers(document, operation))
    return (
        f'<h3 id="{escape(operation["operationId"])}"><code>{method.upper()} {escape(path)}</code></h3>'
        f"<p>{escape(operation['summary'])}.</p>{token}{table}{body}<table><tr><th>status<th>type<th>what{answers}</table>"
    )


def _body(document: Mapping[str, Any], operation: Mapping[str, Any]) -> str:
    if "requestBody" not in operation:
        return ""
    body = _resolved(document, operation["requestBody"])
    types = ", ".join(f"<code>{escape(name)}</code>" for name in body["content"])
    return f"<p>Body: {types}. {escape(body.get('description', ''))}</p>"


def _answers(document: Mapping[str, Any], operation: Mapping[str, Any]) -> Iterator[str]:
    for status, reference in operation["responses"].items():
        response = _resolved(document, reference)
        for name in response.get("content") or [""]:
            yield _row("error" if status == "default" else status, name, response["description"])


def _schema(name: str, schema: Any) -> str:
    text = yaml.safe_dump(schema, sort_keys=False, width=100)
    return f"<details><summary><code>{escape(name)}</code></summary><pre>{escape(text)}</pre></details>"


def _row(name: str, where: str, what: str) -> str:
    return f"<tr><td><code>{escape(name)}</code><td>{escape(where)}<td>{escape(what)}"


def _resolved(document: Mapping[str, Any], value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Follow one ``$ref`` inside the document."""
    if "$ref" not in value:
        return value
    found: Any = document
    for name in value["$ref"].removeprefix("#/").split("/"):
        found = found[name]
    return found  # type: ignore[no-any-return]  # the test of the description holds that it is an object
