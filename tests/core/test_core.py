"""The core as a library: three names, without a server, a database or an event loop."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import registry.core
from registry.core import compare, compare_schemas, read_card


def test_two_cards_are_compared_by_what_the_core_exports():
    card = {"agent_id": "com.example.x", "name": "X", "version": "1.0.0", "input": "text", "output": "text"}
    old, new = (read_card(json.dumps({**card, **more}).encode()) for more in ({}, {"version": "1.0.1", "name": "Y"}))
    assert "patch" == compare(old, new).level
    report = compare_schemas({"type": "string"}, {"type": "integer"}, side="input", profile="declared")
    assert "breaking" == report.verdict


def test_a_name_that_the_core_has_not_is_an_attribute_error():
    with pytest.raises(AttributeError, match="none"):
        _ = registry.core.none
    with pytest.raises(ImportError):
        from registry.core import none  # noqa: F401


def test_reading_cards_imports_no_judge():
    script = "import sys; from registry.core import read_card; sys.exit('registry.core.compat' in sys.modules)"
    assert 0 == subprocess.run([sys.executable, "-c", script], check=False).returncode
