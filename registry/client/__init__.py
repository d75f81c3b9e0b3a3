"""The client for orchestrators and CI: ``Registry`` and ``AsyncRegistry``."""

from registry.client.calls import Card
from registry.client.errors import Invalid, Missing, NotPermitted, Refused, RegistryProblem, Taken, Unreachable
from registry.client.registry import AsyncRegistry, Registry

__all__ = [
    "AsyncRegistry",
    "Card",
    "Invalid",
    "Missing",
    "NotPermitted",
    "Refused",
    "Registry",
    "RegistryProblem",
    "Taken",
    "Unreachable",
]
