"""What a schema can't say about a card of any generation: URLs, versions, skills, extensions, signatures.

Every function tolerates any JSON in any place: wrong types are reported by ``structure``, and skipped here.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import unicodedata
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from registry.core.card.lint import url_findings
from registry.core.card.pointers import child
from registry.core.card.uris import EXTENSION_URI
from registry.core.errors import Finding
from registry.core.formats.spelling import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from registry.core.card.model import Json

MAX_SKILL_ID = 256
MAX_TAG = 128
MAX_PROTECTED_HEADER = 8192
CORE_BINDINGS = ("JSONRPC", "GRPC", "HTTP+JSON")
SCRIPT_SCHEMES = ("javascript", "vbscript", "data")
PROTOCOL_VERSION = re.compile(r"(\d{1,4})\.(\d{1,4})(?P<patch>(?:\.\d{1,6})?(?:-[0-9A-Za-z.-]{1,32})?)", re.ASCII)
# Marks that turn the direction of text around, and line separators: invisible in an id, and never needed in one.
HIDDEN = frozenset("\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")


def minor_version(text: str) -> str | None:
    """Return the Major.Minor of a protocol version ("0.3.0" is "0.3"), None where it has none."""
    match = PROTOCOL_VERSION.fullmatch(text)
    return f"{int(match[1])}.{int(match[2])}" if match else None


def speaks_0_3(protocol_version: str) -> bool:
    """Return whether a protocol version is in [0.3, 1.0): the only ones that 0.3 clients understand."""
    minor = minor_version(protocol_version)
    return minor is not None and minor.startswith("0.") and int(minor[2:]) >= 3


def strings(value: Json) -> Iterator[tuple[int, str]]:
    """Yield the strings of a list with their places."""
    for at, item in enumerate(value if isinstance(value, list) else ()):
        if isinstance(item, str):
            yield at, item


def objects(value: Json) -> Iterator[tuple[int, Mapping[str, Json]]]:
    """Yield the objects of a list with their places."""
    for at, item in enumerate(value if isinstance(value, list) else ()):
        if isinstance(item, dict):
            yield at, item


def member(value: Json, name: str) -> Json:
    """Return a member of an object, None where there is no such thing."""
    return value.get(name) if isinstance(value, dict) else None


def endpoint_findings(url: Json, pointer: str, binding: Json = None) -> Iterator[Finding]:
    """Yield what is wrong with the URL of an interface (for gRPC also ``host:port``)."""
    if not isinstance(url, str):
        return
    if not url.strip():
        yield Finding("empty-url", pointer, "is empty; give the URL that callers send to")
        return
    if urlsplit_scheme(url) in (*SCRIPT_SCHEMES, "file"):
        yield Finding("unsafe-url", pointer, f"is a `{urlsplit_scheme(url)}:` URL; nobody can call an agent there")
        return
    is_target = binding == "GRPC" and "://" not in url
    yield from url_findings(f"grpc://{url}" if is_target else url, pointer)


def urlsplit_scheme(url: str) -> str:
    """Return a URL's scheme in lower case, "" where it can't be read."""
    try:
        return urlsplit(url.strip()).scheme
    except ValueError:  # brackets that hold no IPv6 address
        return ""


def link_findings(card: Json) -> Iterator[Finding]:
    """Yield the links of a card that would run a script where a page shows them."""
    links = (
        (member(card, "documentationUrl"), "/documentationUrl"),
        (member(card, "iconUrl"), "/iconUrl"),
        (member(member(card, "provider"), "url"), "/provider/url"),
    )
    for url, pointer in links:
        if not isinstance(url, str) or url.startswith("data:image/"):
            continue
        if urlsplit_scheme(url) in SCRIPT_SCHEMES:
            yield Finding("unsafe-url", pointer, f"is a `{urlsplit_scheme(url)}:` URL; give an https one")


def binding_findings(binding: Json, pointer: str) -> Iterator[Finding]:
    """Yield a warning for a binding that no client finds: bindings are compared by case, own ones are URIs."""
    if isinstance(binding, str) and binding not in CORE_BINDINGS and not urlsplit_scheme(binding):
        guess = did_you_mean(binding, CORE_BINDINGS)
        message = f"`{binding[:60]}` is none of {', '.join(CORE_BINDINGS)}, and one of your own should be a URI{guess}"
        yield Finding("unknown-binding", pointer, message, "warning")


def protocol_version_findings(version: Json, pointer: str) -> Iterator[Finding]:
    """Yield what is wrong with the protocol version of a 1.0 interface."""
    if not isinstance(version, str):
        return
    match = PROTOCOL_VERSION.fullmatch(version)
    if match is None:
        message = f"`{version[:40]}` is no protocol version; write Major.Minor, such as `1.0`"
        yield Finding("protocol-version", pointer, message)
    elif match["patch"]:
        message = f"`{version}` should be Major.Minor alone; read as `{minor_version(version)}`"
        yield Finding("protocol-version-patch", pointer, message, "warning")


def skill_findings(skills: Json) -> Iterator[Finding]:
    """Yield what is wrong with skills: IDs twice, without text, too long or with hidden characters; tags alike."""
    if skills == []:
        yield Finding("empty-skills", "/skills", "is empty; callers can't tell what the agent does", "warning")
    seen: dict[str, int] = {}
    for at, skill in objects(skills):
        pointer = child("/skills", at)
        skill_id = skill.get("id")
        if isinstance(skill_id, str):
            if skill_id in seen:
                message = f"`{skill_id[:60]}` is the ID of /skills/{seen[skill_id]} too; each skill needs its own"
                yield Finding("duplicate-skill", child(pointer, "id"), message)
            seen.setdefault(skill_id, at)
            yield from _identifier_findings(skill_id, child(pointer, "id"), MAX_SKILL_ID)
        for index, tag in strings(skill.get("tags")):
            yield from _identifier_findings(tag, child(child(pointer, "tags"), index), MAX_TAG)
        yield from text_findings(skill.get("name"), child(pointer, "name"))


def _identifier_findings(text: str, pointer: str, limit: int) -> Iterator[Finding]:
    if not text.strip():
        yield Finding("empty-text", pointer, "is empty")
    elif len(text) > limit:
        yield Finding("too-long", pointer, f"is {len(text)} characters long; at most {limit}")
    if _hides_something(text):
        yield Finding("control-character", pointer, "holds a control or hidden character; take it out")


def text_findings(text: Json, pointer: str) -> Iterator[Finding]:
    """Yield warnings for a name that is empty or holds control characters."""
    if not isinstance(text, str):
        return
    if not text.strip():
        yield Finding("empty-text", pointer, "is empty", "warning")
    elif _hides_something(text):
        yield Finding("control-character", pointer, "holds a control or hidden character", "warning")


def _hides_something(text: str) -> bool:
    return any(letter in HIDDEN or unicodedata.category(letter) == "Cc" for letter in text)


def mode_findings(card: Json) -> Iterator[Finding]:
    """Yield a warning for default modes that are empty."""
    for name in ("defaultInputModes", "defaultOutputModes"):
        if member(card, name) == []:
            yield Finding("empty-modes", f"/{name}", "is empty; name at least one media type", "warning")


def extension_findings(capabilities: Json) -> Iterator[Finding]:
    """Yield what is wrong with declared extensions: one URI twice, our data-only one required."""
    seen: dict[str, int] = {}
    for at, extension in objects(member(capabilities, "extensions")):
        pointer = f"/capabilities/extensions/{at}"
        uri = extension.get("uri")
        if not isinstance(uri, str):
            continue
        if not uri.strip():
            yield Finding("empty-text", f"{pointer}/uri", "is empty")
        if uri in seen:
            message = f"`{uri[:80]}` is declared by /capabilities/extensions/{seen[uri]} too"
            yield Finding(
                "duplicate-extension", f"{pointer}/uri", message, "error" if uri == EXTENSION_URI else "warning"
            )
        seen.setdefault(uri, at)
        if uri == EXTENSION_URI and extension.get("required") is True:
            message = "is true for an extension that only carries data; clients that don't know it would stay away"
            yield Finding("required-data-extension", f"{pointer}/required", message, "warning")


def signature_findings(signatures: Json) -> Iterator[Finding]:
    """Yield signatures that nobody could ever verify: RFC 7515 wants a header that names an algorithm and a key."""
    for at, signature in objects(signatures):
        protected = signature.get("protected")
        if not isinstance(protected, str):
            continue
        pointer = f"/signatures/{at}/protected"
        header = _protected_header(protected)
        if header is None:
            yield Finding("signature-header", pointer, "is not the base64url form of a JSON object")
            continue
        for name in ("alg", "kid"):
            if not isinstance(header.get(name), str) or not header[name]:
                yield Finding("signature-header", pointer, f"names no `{name}`; a signature needs `alg` and `kid`")
        if isinstance(header.get("alg"), str) and header["alg"].lower() == "none":
            yield Finding("signature-header", pointer, "has the algorithm `none`, which signs nothing")


def _protected_header(protected: str) -> dict[str, Json] | None:
    if len(protected) > MAX_PROTECTED_HEADER:
        return None
    try:
        data = base64.b64decode(protected + "=" * (-len(protected) % 4), altchars=b"-_", validate=True)
        header = json.loads(data)
    except (binascii.Error, ValueError, RecursionError):
        return None
    return header if isinstance(header, dict) else None
