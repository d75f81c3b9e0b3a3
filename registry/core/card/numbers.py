"""Numbers as written, and whether RFC 8785 can carry them."""

from __future__ import annotations

from decimal import Decimal
from math import isinf

from registry.core.card.events import Problem

MAX_INTEGER = 2**53 - 1  # RFC 8785 3.2.2.3 and RFC 7493 2.2: beyond it, integers are not exact
_SMALLEST_NORMAL = 2.3e-308
_ALWAYS_EXACT_DIGITS = 15


def integer(text: str, radix: int = 10) -> tuple[int, Problem | None]:
    """Return an integer from its digits, and why it is refused."""
    sign, digits = (text[0], text[1:]) if text[:1] in "+-" else ("", text)
    digits = digits.lstrip("0") or "0"
    # Fewer than 18 digits: int() refuses 4,300 and takes quadratic time before that.
    value = int(sign + digits, radix) if len(digits) <= 18 else MAX_INTEGER + 1
    if abs(value) <= MAX_INTEGER:
        return value, None
    shown = text if len(text) <= 40 else f"{text[:20]}..."
    message = (
        f"is {shown}, outside ±(2^53-1), where JSON's integers are exact (RFC 8785); leave it out, or use a string"
    )
    return 0, Problem("integer-out-of-range", message)


def real(text: str) -> tuple[float, Problem | None]:
    """Return a number with a fraction or an exponent, and why it is refused: too large, or not the same as a double.

    RFC 8785 writes doubles: two numbers that differ past a double's digits would become one.
    """
    value = float(text)
    shown = text if len(text) <= 40 else f"{text[:20]}..."
    if isinf(value):
        return 0.0, Problem("number-out-of-range", f"is {shown}, larger than any double; leave it out, or use a string")
    if _survives(text, value):
        return value, None
    return value, Problem("number-not-exact", f"is {shown}, which a double can't hold; write {value!r}")


def _survives(text: str, value: float) -> bool:
    mantissa = text.lower().split("e", 1)[0]
    if value == 0:
        return not mantissa.strip("+-0.")
    significant = mantissa.strip("+-").replace(".", "").strip("0")
    if len(significant) <= _ALWAYS_EXACT_DIGITS and abs(value) >= _SMALLEST_NORMAL:
        return True
    return Decimal(text) == Decimal(repr(value))
