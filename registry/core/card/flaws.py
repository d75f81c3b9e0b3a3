"""What the solver proves to be satisfied by no value, in plain words, each with its code and the next step."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from registry.core.card import pointers
from registry.core.errors import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable

    from registry.core.card.model import Json
    from registry.core.solver.unsatisfiable import Flaw

_BOUNDS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "more than {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
}
_SIZES = {
    **dict.fromkeys(("minLength", "minItems", "minProperties", "minContains"), "at least {}"),
    **dict.fromkeys(("maxLength", "maxItems", "maxProperties", "maxContains"), "at most {}"),
}
_SIZED = {
    "Length": "no text has {} characters",
    "Items": "no list has {} items",
    "Properties": "no object has {} properties",
    "Contains": "no list has {} of the items that `contains` asks for",
}
MAX_SHOWN = 60
MAX_NAMES = 5


def flaw_findings(schema: Json, flaws: Iterable[Flaw]) -> list[Finding]:
    """Return a warning for each flaw, in the order of the document."""
    found = [finding_of(flaw) for flaw in flaws]
    return sorted(found, key=lambda finding: _place(schema, finding.pointer))


def finding_of(flaw: Flaw) -> Finding:
    """Return the warning that tells of a flaw."""
    code, below, message = _told(flaw)
    return Finding(code, pointers.join(flaw.pointer, below), message, "warning")


def _told(flaw: Flaw) -> tuple[str, tuple[str | int, ...], str]:
    """Return a flaw's code, where it stands below its pointer, and its sentence."""
    match flaw.kind:
        case "nothing":
            return _nothing(flaw)
        case "endless":
            message = "asks each value to hold another one like it, without end; make a step on the way optional"
            return "endless-schema", (), message
        case "type":
            message = (
                f"lists `{flaw.type}`, and {_listed(flaw.keywords)} accept{'' if len(flaw.keywords) > 1 else 's'} none"
            )
            message += "; add one there, or take it out of `type`"
            return "impossible-type", (), message
        case "branch":
            return "impossible-branch", (), "accepts no value that what stands beside it accepts; correct one of them"
        case "then":
            message = "refuses whatever fulfils `if`; correct one of them, or write `false` if that is meant"
            return "impossible-branch", (), message
        case "swallowed":
            other = "/".join(flaw.other.split("/")[-2:])
            message = f"accepts nothing that `{other}` doesn't accept too, so its values fit two and are refused"
            return "swallowed-branch", (), f"{message}; write `anyOf`, or make the two differ"
        case "never":
            message = "holds for no value that what stands beside it accepts, so `then` never counts"
            return "condition-never", (), f"{message}; correct the condition, or take it out"
        case "always":
            what = "`else` never counts" if "else" in flaw.node.one else "`then` always counts"
            message = f"holds for every value, so {what}; say what it is to ask (such as `required`), or take it out"
            return "condition-always", (), message
        case _:
            return "impossible-property", (), _property(flaw)


def _nothing(flaw: Flaw) -> tuple[str, tuple[str | int, ...], str]:
    words = [word for word in flaw.keywords if word != "type"]
    together = f"{_listed(flaw.keywords)} leave no value together; loosen one of them"
    if any(word == "$ref" or word.startswith("allOf/") for word in words):
        return "unsatisfiable-all-of", (), together
    for word in ("enum", "const"):
        if word in words:
            others = [each for each in flaw.keywords if each != word]
            fits = f"has no value that {_allow(others)}" if others else "is empty"
            return "unsatisfiable-enum", (word,), f"{fits}; correct what it lists"
    if "pattern" in words:
        return "unsatisfiable-pattern", ("pattern",), _pattern(flaw, words)
    if (bounds := _bounds(flaw, words)) is not None:
        return "unsatisfiable-bounds", (), f"{bounds}; correct one of them"
    if "contains" in words:
        message = f"asks for an item that {_allow([word for word in words if word != 'contains'], 'never ')}"
        return "unsatisfiable-contains", ("contains",), f"{message}; make them agree"
    if "required" in words and flaw.names:
        at = list(flaw.node.required()).index(flaw.names[0])
        others = [word for word in words if word not in {"required", "properties"}]
        refused = f"which {_allow(others, 'never ')}" if others else "and accepts no value of it"
        message = f"requires `{_shown(flaw.names[0])}`, {refused}; allow it, or don't require it"
        return "unsatisfiable-required", ("required", at), message
    for word in ("anyOf", "oneOf"):
        if word in words:
            others = [each for each in flaw.keywords if each != word]
            if word == "oneOf":
                allowed = f"that {_allow(others)} " if others else ""
                message = f"no value {allowed}fits exactly one branch; make the branches differ, or write `anyOf`"
                return "unsatisfiable-branches", (word,), message
            fits = f"that {_allow(others)} a value of" if others else "that accepts a value"
            return "unsatisfiable-branches", (word,), f"has no branch {fits}; correct one"
    if "not" in words:
        return "unsatisfiable-not", ("not",), "refuses all that the rest accepts; narrow it"
    return "unsatisfiable-keywords", (), together


def _pattern(flaw: Flaw, words: list[str]) -> str:
    lengths = [text.format(flaw.node.keywords[word]) for word, text in _SIZES.items() if word in words]
    of = f" of {' and '.join(lengths)} characters" if lengths else ""
    return f"`{_shown(flaw.node.keywords.get('pattern', ''))}` matches no text{of}; correct it"


def _bounds(flaw: Flaw, words: list[str]) -> str | None:
    """Say which bounds leave nothing between them, None where it is something else."""
    given = flaw.node.keywords
    if words and _BOUNDS.keys() >= set(words):
        said = [text.format(_shown(json.dumps(given[word]))) for word, text in _BOUNDS.items() if word in words]
        return f"no {'integer' if given.get('type') == 'integer' else 'number'} is {' and '.join(said)}"
    sized = [word for word in words if word != "contains"]
    said = [text.format(given[word]) for word, text in _SIZES.items() if word in sized]
    for end, sentence in _SIZED.items():
        if sized and len(said) == len(sized) and all(word.endswith(end) for word in sized):
            return sentence.format(" and ".join(said))
    return None


def _property(flaw: Flaw) -> str:
    shown = ", ".join(f"`{_shown(name)}`" for name in flaw.names[:MAX_NAMES])
    more = f" and {len(flaw.names) - MAX_NAMES} more" if len(flaw.names) > MAX_NAMES else ""
    word = flaw.other.rpartition("/")[2]
    if not word:
        return f"{shown} can never be sent: what is asked of it in several places contradicts; make the places agree"
    if word == "propertyNames":
        return f"{shown} can never be sent: `propertyNames` refuses the name; correct one of them"
    return (
        f"refuses {shown}{more}, which another part of the schema describes; name them beside this `{word}`, or close"
        " the whole with `unevaluatedProperties` instead"
    )


def _allow(words: Iterable[str], how: str = "") -> str:
    named = list(words)
    return f"{_listed(named)} {how}allow{'' if len(named) > 1 else 's'}"


def _listed(words: Iterable[str]) -> str:
    *first, last = [f"`{word}`" for word in words] or [""]
    return f"{', '.join(first)} and {last}" if first else last


def _shown(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}..."


def _place(schema: Json, pointer: str) -> tuple[int, ...]:
    """Return where something stands in a document, to be sorted by."""
    found: list[int] = []
    here = schema
    for token in pointers.split(pointer):
        if isinstance(here, dict) and token in here:
            found.append(list(here).index(token))
            here = here[token]
        elif isinstance(here, list) and token.isdecimal() and int(token) < len(here):
            found.append(int(token))
            here = here[int(token)]
    return tuple(found)
