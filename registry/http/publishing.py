"""Routes that publish cards, and the one that only judges them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from litestar.connection import Request
from litestar.handlers import post, put
from litestar.response import Response

from registry.http.answers import json_answer
from registry.http.bodies import CARD_TYPES, check_type, media_type, read_body
from registry.http.context import authenticated, services_of
from registry.http.etags import quoted
from registry.http.parameters import Query, path_text
from registry.http.rendering import publication_json, version_path
from registry.http.submitting import PARAMETERS, Terms, read_submissions
from registry.http.versions import PATH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from registry.catalog.records import Publication

AnyRequest = Request[Any, Any, Any]
Answer = Response[bytes]


@put(PATH, status_code=201)
async def publish_version(request: AnyRequest) -> Answer:
    """Publish a card under an ID and a version."""
    principal = await authenticated(request)
    services = services_of(request)
    agent_id, version = path_text(request, "agent_id"), path_text(request, "selector")
    query = Query.of(request, *PARAMETERS, "dry_run")
    terms = Terms.of(request, query)
    query.done()
    check_type(media_type(request.headers.get("content-type", "")), CARD_TYPES)
    raw = await read_body(request, services.settings.card_limit_bytes)
    submissions = [terms.submission(raw, agent_id, version)]
    if terms.dry_run:
        (publication,) = await services.catalog.check(submissions)
        return json_answer(publication_json(publication))
    (publication,) = await services.catalog.publish(submissions, principal)
    services.memory.forget_changing()
    record = publication.record
    headers = {"ETag": quoted(record.etag), "Registry-Sequence": str(record.sequence)}
    if publication.outcome != "created":
        return json_answer(publication_json(publication), headers=headers)
    headers["Location"] = version_path(record.agent_id, record.version)
    return json_answer(publication_json(publication), status=201, headers=headers)


@post("/v1/publish", status_code=201)
async def publish_several(request: AnyRequest) -> Answer:
    """Publish several cards, all or none."""
    principal = await authenticated(request)
    services = services_of(request)
    query = Query.of(request, *PARAMETERS, "dry_run")
    terms = Terms.of(request, query)
    query.done()
    submissions, terms = await read_submissions(request, terms, services.settings)
    if terms.dry_run:
        return _several(await services.catalog.check(submissions))
    publications = await services.catalog.publish(submissions, principal)
    services.memory.forget_changing()
    sequence = max((publication.record.sequence for publication in publications), default=0)
    return _several(publications, {"Registry-Sequence": str(sequence)})


@post("/v1/check", status_code=200)
async def check(request: AnyRequest) -> Answer:
    """Judge cards as publishing them would, and store nothing."""
    services = services_of(request)
    query = Query.of(request, *PARAMETERS)
    terms = Terms.of(request, query)
    query.done()
    submissions, _ = await read_submissions(request, terms, services.settings)
    return _several(await services.catalog.check(submissions))


def _several(publications: Sequence[Publication], headers: dict[str, str] | None = None) -> Answer:
    created = any(publication.outcome == "created" for publication in publications)
    body = {"publications": [publication_json(publication) for publication in publications]}
    return json_answer(body, status=201 if created else 200, headers=headers)
