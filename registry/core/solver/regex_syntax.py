r"""A parser for the patterns of JSON Schema: ECMA-262 with the flag u, a little more forgiving.

Beyond the flag u these are taken, since published schemas hold them and their meaning is beyond doubt (ECMA-262,
Annex B): an escaped character that is no letter and no digit stands for itself (``\-``, ``\_``, ``\"``), a lone ``{``,
``}`` or ``]`` too, and a class escape as the end of a range makes the hyphen a hyphen (``[\w-.]``).
An escaped letter without a meaning (``\Z``, ``\a``) is refused: other dialects give it one. So are inline flags.
"""

from __future__ import annotations

from typing import NoReturn

from registry.core.solver import regex_classes
from registry.core.solver.regex_tree import (
    Anchor,
    Chars,
    Choice,
    Group,
    Look,
    Node,
    Opaque,
    Pattern,
    Ranges,
    Repeat,
    Run,
)

__all__ = ["MAX_DEPTH", "MAX_LENGTH", "InvalidPattern", "Pattern", "parse"]

MAX_LENGTH = 10_000
MAX_DEPTH = 50
MAX_COUNT = 2**31 - 1
_CONTROLS = {"t": 0x09, "n": 0x0A, "v": 0x0B, "f": 0x0C, "r": 0x0D}
_OPENINGS = ("(?:", "(?=", "(?!", "(?<=", "(?<!", "(?<", "(?", "(")
_HINTS = {
    "A": "write ^",
    "Z": "write $",
    "z": "write $",
    "h": r"write [ \t]",
    "R": r"write \r?\n",
    "Q": "escape each character",
    "E": "escape each character",
}


class InvalidPattern(ValueError):
    """Text that is no ECMA-262 pattern; ``position`` counts characters from 0."""

    def __init__(self, message: str, position: int) -> None:
        self.message = message
        self.position = position
        super().__init__(f"{message}, at character {position}")


def parse(pattern: str) -> Pattern:
    """Parse a pattern. Linear in its length.

    Raises InvalidPattern where it isn't one, is longer than MAX_LENGTH, or nests groups deeper than MAX_DEPTH.
    """
    if len(pattern) > MAX_LENGTH:
        raise InvalidPattern(f"the pattern is longer than {MAX_LENGTH} characters", MAX_LENGTH)
    return _Parser(pattern).pattern()


class _Parser:
    """A reader over one pattern's text; it lives for one call of parse."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        self.groups = 0
        self.names: set[str] = set()
        self.opaque: list[str] = []
        self.backreferences: list[tuple[str, int]] = []

    def pattern(self) -> Pattern:
        tree = self.choice()
        if self.at < len(self.text):
            self.fail("this ) closes nothing; escape it as \\)")
        self.check_backreferences()
        return Pattern(self.text, tree, tuple(self.opaque))

    def fail(self, message: str, position: int | None = None) -> NoReturn:
        raise InvalidPattern(message, self.at if position is None else position)

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def ahead(self, text: str) -> bool:
        return self.text.startswith(text, self.at)

    def take(self, text: str) -> bool:
        if self.ahead(text):
            self.at += len(text)
            return True
        return False

    def check_backreferences(self) -> None:
        for reference, position in self.backreferences:
            known = int(reference) <= self.groups if reference.isdecimal() else reference in self.names
            if not known:
                self.fail(f"no group is called {reference}", position)

    def choice(self) -> Node:
        options = [self.run()]
        while self.take("|"):
            options.append(self.run())
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def run(self) -> Node:
        items: list[Node] = []
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            items.append(self.repeated())
        return items[0] if len(items) == 1 else Run(tuple(items))

    def repeated(self) -> Node:
        start = self.at
        item = self.atom()
        count = self.count()
        if count is None:
            return item
        # A lookahead may be repeated (Annex B); an anchor only in a group, which leaves no node of its own.
        if self.text.startswith("(?<=", start) or self.text.startswith("(?<!", start):
            self.fail("a lookbehind can't be repeated", start)
        if isinstance(item, Anchor) and self.text[start] != "(":
            self.fail("an anchor can't be repeated", start)
        lazy = self.take("?")
        if self.peek() in ("*", "+", "?") or self.bounds_at(self.at):
            self.fail("a repetition can't be repeated; put it in a group (?:...)")
        return Repeat(item, *count, "lazy" if lazy else "greedy")

    def count(self) -> tuple[int, int | None] | None:
        for sign, least, most in (("*", 0, None), ("+", 1, None), ("?", 0, 1)):
            if self.take(sign):
                return least, most
        bounds = self.bounds_at(self.at)
        if bounds is None:
            return None
        low, high, end = bounds
        if high is not None and high < low:
            self.fail("the bounds of a repetition are out of order")
        self.at = end
        return low, high

    def bounds_at(self, start: int) -> tuple[int, int | None, int] | None:
        """Read {2}, {2,} or {2,5} at ``start``: (least, most, end); None where the brace is just a brace."""
        if not self.text.startswith("{", start):
            return None
        end = self.text.find("}", start)
        first, comma, second = self.text[start + 1 : end].partition(",") if end > 0 else ("", "", "")
        if not _is_digits(first) or (second and not _is_digits(second)):
            return None
        least = _bounded(first)
        most = (_bounded(second) if second else None) if comma else least
        return least, most, end + 1

    def atom(self) -> Node:
        start = self.at
        char = self.text[start]
        if char in "*+?":
            self.fail("there is nothing to repeat; escape it with \\")
        if char == "{" and self.bounds_at(start):
            self.fail("there is nothing to repeat; escape it as \\{")
        if char == "(":
            return self.group()
        self.at += 1
        match char:
            case "[":
                return self.char_class()
            case "\\":
                return self.escape()
            case ".":
                return Chars(regex_classes.complement(regex_classes.LINE_END))
            case "^":
                return Anchor("start")
            case "$":
                return Anchor("end")
            case _:
                return _char(ord(char))

    def group(self) -> Node:
        start = self.at
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.fail(f"groups are nested deeper than {MAX_DEPTH}")
        opening = next(text for text in _OPENINGS if self.take(text))
        number, name = self.numbered(opening, start)
        item = self.choice()
        if not self.take(")"):
            self.fail("this group is never closed", start)
        self.depth -= 1
        match opening:
            case "(?:":
                return item
            case "(?=" | "(?!":
                return Look(item, "ahead", wanted=opening == "(?=")
            case "(?<=" | "(?<!":
                return Look(item, "behind", wanted=opening == "(?<=")
            case _:
                return Group(item, number, name)

    def numbered(self, opening: str, start: int) -> tuple[int, str | None]:
        """Count a group that captures, read its name, refuse what other dialects write behind ``(?``."""
        if opening == "(?":
            hint = "; write (?<name>...)" if self.ahead("P<") else ""
            self.fail(f"(?{self.peek()} is not in ECMA-262{hint}", start)
        if opening not in ("(", "(?<"):
            return 0, None
        self.groups += 1
        number = self.groups
        if opening == "(":
            return number, None
        name = self.name()
        if name in self.names:
            self.fail(f"two groups are called {name}", start)
        self.names.add(name)
        return number, name

    def name(self) -> str:
        end = self.text.find(">", self.at)
        name = self.text[self.at : end] if end > 0 else ""
        if not name.replace("$", "_").isidentifier():
            self.fail("a group's name is letters, digits, _ and $, and closed by >")
        self.at = end + 1
        return name

    def escape(self) -> Node:
        start = self.at - 1
        char = self.peek()
        if char in ("b", "B"):
            self.at += 1
            return Anchor("word-boundary" if char == "b" else "no-word-boundary")
        if char == "k":
            return self.named_reference(start)
        if _is_digits(char) and char != "0":
            return self.numbered_reference(start)
        piece = self.class_escape()
        if isinstance(piece, Opaque):
            return piece
        return _char(piece) if isinstance(piece, int) else Chars(piece)

    def named_reference(self, start: int) -> Node:
        self.at += 1
        if not self.take("<"):
            self.fail(r"\k is followed by <name>", start)
        self.backreferences.append((self.name(), start))
        return self.unread(start)

    def numbered_reference(self, start: int) -> Node:
        while _is_digits(self.peek()):
            self.at += 1
        digits = self.text[start + 1 : self.at]
        if len(digits) > 5:
            self.fail(f"no group is called {digits[:5]}...", start)
        self.backreferences.append((digits, start))
        return self.unread(start)

    def unread(self, start: int) -> Opaque:
        text = self.text[start : self.at]
        self.opaque.append(text)
        return Opaque(text)

    def class_escape(self) -> Ranges | int | Opaque:
        """Read what follows a backslash: one code point, a set of them, or a property without data."""
        start = self.at - 1
        char = self.peek()
        if not char:
            self.fail("nothing follows the last backslash", start)
        self.at += 1
        ranges = regex_classes.escape_class(char)
        if ranges is not None:
            return ranges
        match char:
            case "p" | "P":
                return self.property(start, char)
            case "t" | "n" | "v" | "f" | "r":
                return _CONTROLS[char]
            case "c":
                return self.control(start)
            case "0":
                if self.peek().isdecimal():
                    self.fail(r"\0 is not followed by a digit; write \x or \u", start)
                return 0
            case "x":
                return self.hexadecimal(2, start)
            case "u":
                return self.unicode(start)
        if char.isalnum():
            hint = f"; {_HINTS[char]}" if char in _HINTS else ""
            self.fail(f"\\{char} has no meaning in ECMA-262{hint}", start)
        return ord(char)

    def control(self, start: int) -> int:
        letter = self.peek()
        if not (letter.isascii() and letter.isalpha()):
            self.fail(r"\c is followed by a letter", start)
        self.at += 1
        return ord(letter) % 32

    def hexadecimal(self, length: int, start: int) -> int:
        digits = self.text[self.at : self.at + length]
        if len(digits) < length or not _is_hexadecimal(digits):
            self.fail(f"{self.text[start : start + 2]} is followed by {length} hexadecimal digits", start)
        self.at += length
        return int(digits, 16)

    def unicode(self, start: int) -> int:
        if self.take("{"):
            end = self.text.find("}", self.at)
            digits = self.text[self.at : end] if end > 0 else ""
            if not _is_hexadecimal(digits) or len(digits) > 10 or int(digits, 16) > regex_classes.LAST:
                self.fail(r"\u{...} holds a code point in hexadecimal digits", start)
            self.at = end + 1
            return int(digits, 16)
        point = self.hexadecimal(4, start)
        if 0xD800 <= point < 0xDC00 and self.ahead("\\u") and _is_hexadecimal(self.text[self.at + 2 : self.at + 6]):
            low = int(self.text[self.at + 2 : self.at + 6], 16)
            if 0xDC00 <= low < 0xE000:
                self.at += 6
                return 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00)
        return point

    def property(self, start: int, letter: str) -> Ranges | Opaque:
        end = self.text.find("}", self.at)
        if not self.take("{") or end < 0 or not self.text[self.at : end].replace("=", "_").isidentifier():
            self.fail(f"\\{letter} is followed by {{Property}} or {{Property=Value}}", start)
        text = self.text[self.at : end]
        self.at = end + 1
        ranges = regex_classes.property_class(text)
        if ranges is None:
            return self.unread(start)
        return ranges if letter == "p" else regex_classes.complement(ranges)

    def char_class(self) -> Node:
        start = self.at - 1
        negated = self.take("^")
        pieces: list[tuple[int, int]] = []
        known = True
        while not self.take("]"):
            if self.at >= len(self.text):
                self.fail("this class is never closed; escape it as \\[", start)
            piece = self.class_range()
            if isinstance(piece, Opaque):
                known = False
            else:
                pieces.extend(piece)
        if not known:
            return Opaque(self.text[start : self.at])
        ranges = regex_classes.union(pieces)
        return Chars(regex_classes.complement(ranges) if negated else ranges)

    def class_range(self) -> Ranges | Opaque:
        start = self.at
        low = self.class_atom()
        if not isinstance(low, int):
            return low
        if not self.ahead("-") or self.ahead("-]"):
            return ((low, low),)
        hyphen = self.at
        self.at += 1
        if self.at >= len(self.text):
            self.fail("this class is never closed; escape it as \\[", start)
        high = self.class_atom()
        if not isinstance(high, int):
            # Annex B: a set can't end a range, so the hyphen is a hyphen and the set is read again by itself.
            self.at = hyphen + 1
            return regex_classes.union([(low, low), (0x2D, 0x2D)])
        if high < low:
            self.fail("the range is out of order", start)
        return ((low, high),)

    def class_atom(self) -> Ranges | int | Opaque:
        char = self.text[self.at]
        self.at += 1
        if char != "\\":
            return ord(char)
        if self.take("b"):
            return 0x08
        return self.class_escape()


def _char(point: int) -> Chars:
    return Chars(((point, point),))


def _is_digits(text: str) -> bool:
    return text.isascii() and text.isdecimal()


def _is_hexadecimal(text: str) -> bool:
    return text != "" and all(char in "0123456789abcdefABCDEF" for char in text)


def _bounded(digits: str) -> int:
    # A count is compared, never reached: what is above 2^31 is as good as 2^31.
    return MAX_COUNT if len(digits) > 10 else min(int(digits), MAX_COUNT)
