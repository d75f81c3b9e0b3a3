"""Sets of code points: unions, complements, the escapes of ECMA-262 and Unicode's general categories."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from registry.core.solver.regex_tree import Ranges

LAST = 0x10FFFF
ANY: Ranges = ((0, LAST),)
DIGIT: Ranges = ((0x30, 0x39),)
# ECMA-262 22.2.2.9.4: without the flag i, \w is ASCII under the flag u too.
WORD: Ranges = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
# ECMA-262 12.2 and 12.3: WhiteSpace (with U+FEFF and Zs) and LineTerminator. U+0085 is neither.
SPACE: Ranges = (
    (0x09, 0x0D),
    (0x20, 0x20),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
    (0xFEFF, 0xFEFF),
)
LINE_END: Ranges = ((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029))

_LONG_NAMES = {
    "Letter": "L",
    "Cased_Letter": "LC",
    "Uppercase_Letter": "Lu",
    "Lowercase_Letter": "Ll",
    "Titlecase_Letter": "Lt",
    "Modifier_Letter": "Lm",
    "Other_Letter": "Lo",
    "Mark": "M",
    "Combining_Mark": "M",
    "Nonspacing_Mark": "Mn",
    "Spacing_Mark": "Mc",
    "Enclosing_Mark": "Me",
    "Number": "N",
    "Decimal_Number": "Nd",
    "digit": "Nd",
    "Letter_Number": "Nl",
    "Other_Number": "No",
    "Punctuation": "P",
    "punct": "P",
    "Connector_Punctuation": "Pc",
    "Dash_Punctuation": "Pd",
    "Open_Punctuation": "Ps",
    "Close_Punctuation": "Pe",
    "Initial_Punctuation": "Pi",
    "Final_Punctuation": "Pf",
    "Other_Punctuation": "Po",
    "Symbol": "S",
    "Math_Symbol": "Sm",
    "Currency_Symbol": "Sc",
    "Modifier_Symbol": "Sk",
    "Other_Symbol": "So",
    "Separator": "Z",
    "Space_Separator": "Zs",
    "Line_Separator": "Zl",
    "Paragraph_Separator": "Zp",
    "Other": "C",
    "Control": "Cc",
    "cntrl": "Cc",
    "Format": "Cf",
    "Surrogate": "Cs",
    "Private_Use": "Co",
    "Unassigned": "Cn",
}
_CATEGORIES = frozenset(_LONG_NAMES.values())


def union(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Return the ranges sorted, with those that overlap or touch made one."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return tuple(merged)


def complement(ranges: Ranges) -> Ranges:
    """Return every code point that is not in ``ranges``."""
    gaps: list[tuple[int, int]] = []
    start = 0
    for low, high in ranges:
        if start < low:
            gaps.append((start, low - 1))
        start = high + 1
    if start <= LAST:
        gaps.append((start, LAST))
    return tuple(gaps)


def escape_class(letter: str) -> Ranges | None:
    r"""Return what \d \D \w \W \s \S stand for; None for another letter."""
    positive = {"d": DIGIT, "w": WORD, "s": SPACE}.get(letter.lower())
    if positive is None:
        return None
    return positive if letter.islower() else complement(positive)


def property_class(text: str) -> Ranges | None:
    r"""Return the code points of ``\p{text}``; None where Python's Unicode data doesn't hold the property.

    General categories are there, and Any, ASCII, Assigned. Scripts and binary properties are not.
    """
    name, _, value = text.partition("=")
    if value and name not in ("General_Category", "gc"):
        return None
    category = value or name
    if not value and category in ("Any", "ASCII", "Assigned"):
        return {"Any": ANY, "ASCII": ((0, 0x7F),)}.get(category) or complement(_category("Cn"))
    category = _LONG_NAMES.get(category, category)
    return _category(category) if category in _CATEGORIES else None


def _category(name: str) -> Ranges:
    table = _category_table()
    members = ["Lu", "Ll", "Lt"] if name == "LC" else [code for code in table if code.startswith(name)]
    return union(piece for code in members for piece in table[code])


@lru_cache(maxsize=1)
def _category_table() -> dict[str, Ranges]:
    """Return the ranges of each two-letter category: one pass over Unicode, about 0.2 s, and only for a property."""
    table: dict[str, list[tuple[int, int]]] = {}
    start, current = 0, unicodedata.category("\0")
    for point in range(1, LAST + 2):
        category = unicodedata.category(chr(point)) if point <= LAST else ""
        if category != current:
            table.setdefault(current, []).append((start, point - 1))
            start, current = point, category
    return {code: tuple(ranges) for code, ranges in table.items()}
