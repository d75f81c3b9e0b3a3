"""The pure heart: cards, contracts, the solver and the judge. No I/O, no clock, no randomness.

```python
from registry.core import compare, compare_schemas, read_card

report = compare(read_card(old_bytes), read_card(new_bytes))
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from registry.core.card.read import read_card
    from registry.core.compat.compare import compare
    from registry.core.compat.schemas import compare_schemas

__all__ = ["compare", "compare_schemas", "read_card"]


def __getattr__(name: str) -> Any:
    # At their first use (PEP 562): every module of the core imports this one, and most need no judge.
    if name == "read_card":
        from registry.core.card.read import read_card as found  # noqa: PLC0415
    elif name == "compare":
        from registry.core.compat.compare import compare as found  # type: ignore[assignment]  # noqa: PLC0415
    elif name == "compare_schemas":
        from registry.core.compat.schemas import (  # type: ignore[assignment]  # noqa: PLC0415
            compare_schemas as found,
        )
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return found
