"""Cards for tests: small, and each made from what matters in the test."""

from __future__ import annotations

import json
from typing import Any

NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
NUMBER_OR_NULL = {"type": "object", "properties": {"n": {"type": ["integer", "null"]}}, "required": ["n"]}
TEXT = {"type": "object", "properties": {"s": {"type": "string"}}, "required": ["s"]}


def contract(agent_id: str, version: str = "1.0.0", **members: Any) -> dict[str, Any]:
    return {
        "agent_id": agent_id,
        "name": "Doubler",
        "description": "Doubles a number.",
        "version": version,
        "deployment_url": f"https://agents.example.com/doubler/v{version.partition('.')[0]}",
        "input_schema": NUMBER,
        "output_schema": NUMBER,
        "error_codes": {"TOO_LARGE": {"description": "Over the range.", "retryable": False}},
        **members,
    }


def a2a_1_0(version: str = "1.0.0", **members: Any) -> dict[str, Any]:
    return {
        "name": "Planner",
        "description": "Plans.",
        "version": version,
        "supportedInterfaces": [
            {"url": "https://agents.example.com/planner", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
        ],
        "capabilities": {"streaming": True},
        "defaultInputModes": ["application/json"],
        "defaultOutputModes": ["application/json"],
        "skills": [{"id": "plan", "name": "Plan", "description": "Plans a day.", "tags": ["planning"]}],
        **members,
    }


def a2a_0_3(version: str = "1.0.0", **members: Any) -> dict[str, Any]:
    return {
        "protocolVersion": "0.3.0",
        "name": "Legacy",
        "description": "Answers.",
        "version": version,
        "url": "https://agents.example.com/legacy",
        "preferredTransport": "JSONRPC",
        "capabilities": {},
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "ask", "name": "Ask", "description": "Answers a question.", "tags": ["answers"]}],
        **members,
    }


def sent(card: dict[str, Any]) -> bytes:
    """Return bytes whose spaces and order nobody would make up: they must come back as they are."""
    return json.dumps(card, indent=1, ensure_ascii=False).encode() + b" \n"
