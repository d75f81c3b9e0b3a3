"""What a dynamic reference depends on: the resources that were entered on the way (JSON Schema 2020-12 core, 7.1)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(slots=True)
class Anchors:
    """The dynamic anchors of a document's resources: by base URI, each name's original pointer."""

    dynamic: dict[str, dict[str, str]] = field(default_factory=dict)
    recursive: dict[str, str] = field(default_factory=dict)  # base URI -> its root, where 2019-09's anchor is true

    def __bool__(self) -> bool:
        return bool(self.dynamic or self.recursive)


@dataclass(frozen=True, slots=True)
class DynamicScope:
    """The outermost resource that holds each dynamic anchor, among those entered so far.

    Of 2019-09's recursive anchor two are kept, since implementations differ in what stands in between: the outermost
    of all, and the outermost of those that were entered since the last resource without one.
    """

    names: tuple[tuple[str, str], ...] = ()  # anchor, pointer
    outermost: str | None = None
    unbroken: str | None = None

    def entered(self, base: str, anchors: Anchors) -> DynamicScope:
        """Return the scope inside of a resource."""
        if not anchors:
            return self
        known = dict(self.names)
        added = {name: at for name, at in anchors.dynamic.get(base, {}).items() if name not in known}
        root = anchors.recursive.get(base)
        return replace(
            self,
            names=tuple(sorted({**known, **added}.items())),
            outermost=self.outermost if self.outermost is not None else root,
            unbroken=None if root is None else root if self.unbroken is None else self.unbroken,
        )

    def resolve(self, name: str, initial: Mapping[str, str]) -> str | None:
        """Return where ``$dynamicRef`` leads, ``initial`` being the anchors of the resource that it names first."""
        return dict(self.names).get(name, initial[name]) if name in initial else None
