"""Cards for the tests of this folder, and small changes to them."""

import copy
import json
from pathlib import Path

from registry.core.card.pointers import split
from registry.core.card.text import parse
from registry.core.errors import InvalidCard
from registry.core.formats import FORMATS, recognise

CASES = Path(__file__).resolve().parents[2] / "cases"
BASES = {name: json.loads((CASES / "a2a" / f"base-{name}.json").read_text()) for name in ("1.0", "0.3")}


def rows(name):
    """Return the rows of a table in tests/cases."""
    return [json.loads(line) for line in (CASES / name).read_text().splitlines()]


def changed(base, changes):
    """Return a copy of a base card; each change is a pointer and a value, or a pointer alone: taken out."""
    card = copy.deepcopy(BASES[base])
    for pointer, *value in changes:
        *parents, last = split(pointer)
        here = card
        for token in parents:
            here = here[int(token)] if isinstance(here, list) else here.setdefault(token, {})
        if isinstance(here, list):
            here[int(last) :] = value
        elif value:
            here[last] = value[0]
        else:
            del here[last]
    return card


def read(card):
    """Read a card given as JSON."""
    raw = json.dumps(card).encode()
    document = parse(raw)
    return FORMATS[recognise(document.value)](document, raw)


def findings_of(card):
    """Return everything that a card's reader says, whether it takes the card or not."""
    try:
        return read(card).findings
    except InvalidCard as error:
        return error.findings


def told(card):
    """Return level, code and place of each finding."""
    return [[finding.level, finding.code, finding.pointer] for finding in findings_of(card)]
