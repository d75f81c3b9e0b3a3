"""Which of two representations a caller wants (RFC 9110 12.5.1)."""

from __future__ import annotations


def prefers(header: str, first: str, second: str) -> str:
    """Return the media type that ``Accept`` ranks higher; ``first`` when it doesn't tell them apart, or is missing."""
    return second if _quality(header, second) > _quality(header, first) else first


def _quality(header: str, media_type: str) -> float:
    """Return the weight of the most specific range that a media type is in; 0 when it is in none."""
    kind = media_type.partition("/")[0]
    ranks = {media_type: 3, f"{kind}/*": 2, "*/*": 1}
    best, quality = 0, 0.0
    for part in header.split(","):
        name, *parameters = (piece.strip().lower() for piece in part.split(";"))
        rank = ranks.get(name, 0)
        if rank > best:
            best, quality = rank, _weight(parameters)
    return quality


def _weight(parameters: list[str]) -> float:
    given = next((one[2:] for one in parameters if one.startswith("q=")), "1")
    try:
        return min(max(float(given), 0.0), 1.0)
    except ValueError:
        return 0.0
