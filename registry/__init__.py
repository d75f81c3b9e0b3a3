"""The central registry of agent cards (docs/ says how it judges; README.md how it runs)."""

__version__ = "0.1.0"
