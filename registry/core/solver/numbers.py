"""Numbers without rounding."""

from __future__ import annotations

from fractions import Fraction

_INTEGERS_BEYOND = 2**53  # every double above is an integer


def exact(number: float) -> Fraction:
    """Return a JSON number exactly: as its shortest decimal text reads (19.99, not its nearest double).

    A double beyond 2^53 is itself: its digits are an abbreviation that no implementation reads as decimal.
    """
    if isinstance(number, int) or abs(number) > _INTEGERS_BEYOND:
        return Fraction(number)
    return Fraction(repr(number))
