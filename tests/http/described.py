"""Holds every answer of a test against the interface's own description."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from jsonschema import Draft202012Validator

if TYPE_CHECKING:
    import httpx


class Described:
    def __init__(self, document: dict) -> None:
        self._document = document
        self._paths = [
            (re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(path))), path.count("{"), item)
            for path, item in document["paths"].items()
        ]

    def operation(self, method: str, path: str) -> dict | None:
        """Return what describes a call: of the paths that match, the one with the fewest parameters."""
        found = [(count, item) for pattern, count, item in self._paths if pattern.fullmatch(path)]
        if not found:
            return None
        item = min(found, key=lambda pair: pair[0])[1]
        return item.get("get" if method == "HEAD" else method.lower())

    def check(self, response: httpx.Response) -> None:
        response.read()
        request = response.request
        assert re.fullmatch("[0-9a-f]{16}", response.headers["request-id"])
        operation = self.operation(request.method, request.url.raw_path.decode().partition("?")[0])
        if response.status_code >= 400:
            self._check_body(response, self._resolved({"$ref": "#/components/responses/Problem"}))
        elif operation is not None:
            status = str(response.status_code)
            assert status in operation["responses"], f"{request.method} {request.url} answers {status}, undescribed"
            described = self._resolved(operation["responses"][status])
            self._check_headers(response, described)
            self._check_body(response, described)

    def _check_headers(self, response: httpx.Response, described: dict) -> None:
        kept = {"etag", "location", "link", "deprecation", "sunset", "registry-sequence", "vary", "content-location"}
        known = {name.lower() for name in described.get("headers", {})}
        if response.status_code != 304:
            assert kept & set(response.headers) <= known, f"{response.request.url}: undescribed headers"

    def _check_body(self, response: httpx.Response, described: dict) -> None:
        if response.request.method == "HEAD" or response.status_code == 304:
            assert response.content == b""
            return
        content = described.get("content")
        if content is None:
            assert response.content == b""
            return
        media_type = response.headers["content-type"].partition(";")[0]
        assert media_type in content, f"{response.request.url} answers {media_type}, undescribed"
        if media_type.endswith("json"):
            schema = {"components": self._document["components"], **content[media_type]["schema"]}
            Draft202012Validator(schema).validate(response.json())

    def _resolved(self, value: dict) -> dict:
        if "$ref" not in value:
            return value
        found = self._document
        for name in value["$ref"].removeprefix("#/").split("/"):
            found = found[name]
        return found
