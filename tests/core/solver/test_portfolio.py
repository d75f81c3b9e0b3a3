"""Who proves what: the engine, then jsonschema-rs where that is wanted; and a checked value against both."""

import dataclasses
import json

import pytest

from registry.core.compat.compare import compare
from registry.core.compat.rendering import as_json, as_text, report_from_json
from registry.core.compat.schemas import compare_schemas
from registry.core.solver import BUDGET, Found, GaveUp, Nothing, Side, find, finding, reasons
from tests.core.compat.cards import card

ALONE = dataclasses.replace(BUDGET, second_prover=False)
OLD, NEW = {"type": "string", "maxLength": 3}, {"type": "string", "maxLength": 4}


@pytest.fixture
def _without_proof(monkeypatch):
    """The engine proves nothing by itself."""
    monkeypatch.setattr(finding, "proven_by_structure", lambda *_: False)


@pytest.fixture
def _proving_all(monkeypatch):
    """The engine holds everything for proven: the worst fault that it could have."""
    monkeypatch.setattr(finding, "proven_by_structure", lambda *_: True)


def cards(old, new):
    shapes = [{"type": "object", "properties": {"k": each}} for each in (old, new)]
    return [card({"input_schema": each, "output": "text"}, f"1.0.{at}") for at, each in enumerate(shapes)]


@pytest.mark.usefixtures("_without_proof")
def test_what_only_the_second_prover_proves_says_so():
    assert Nothing("jsonschema-rs") == find([Side(OLD)], [Side(NEW)])
    assert (0, True) == (len(found := reasons([Side(OLD)], [Side(NEW)])), found.second_prover)
    told = compare_schemas(OLD, NEW)
    assert ("compatible", True, None) == (told.verdict, told.second_prover, told.fault)


@pytest.mark.usefixtures("_without_proof")
def test_the_second_prover_can_be_switched_off():
    assert isinstance(find([Side(OLD)], [Side(NEW)], ALONE), GaveUp)
    told = compare_schemas(OLD, NEW, budget=ALONE)
    assert ("unproven", False) == (told.verdict, told.second_prover)


def test_the_engines_own_proofs_name_nobody_else():
    assert Nothing("engine") == find([Side(OLD)], [Side(NEW)])
    assert not compare_schemas(OLD, NEW).second_prover


@pytest.mark.usefixtures("_proving_all")
def test_a_checked_value_outweighs_a_proof():
    assert Found("aaaa", against="engine") == find([Side(NEW)], [Side(OLD)])
    (reason,) = reasons([Side(NEW)], [Side(OLD)])
    assert ("aaaa", "engine") == (reason.answer.value, reason.answer.against)
    told = compare_schemas(NEW, OLD)
    assert ("breaking", "engine") == (told.verdict, told.fault)


@pytest.mark.usefixtures("_proving_all")
def test_a_report_fails_closed_where_a_proof_is_refuted_and_names_the_prover():
    report = compare(*cards(NEW, OLD))
    assert ("major", ("default input: engine",)) == (report.level, report.faults)
    assert report == report_from_json(json.loads(json.dumps(as_json(report))))


@pytest.mark.usefixtures("_without_proof")
def test_a_report_names_the_shapes_that_the_second_prover_closed():
    report = compare(*cards(OLD, NEW))
    assert (("default input",), ()) == (report.second_prover, report.faults)
    assert as_text(report).endswith("that nothing else breaks in default input is proven by jsonschema-rs")
    assert report == report_from_json(json.loads(json.dumps(as_json(report))))


def test_a_report_of_the_engine_alone_is_another_engines():
    old, new = cards(OLD, NEW)
    with_it, alone = compare(old, new), compare(old, new, budget=ALONE)
    assert f"{with_it.engine_version}-alone" == alone.engine_version


def test_a_report_from_before_it_named_provers_is_still_read():
    report = compare(*cards(OLD, NEW))
    stored = {name: value for name, value in as_json(report).items() if name not in ("second_prover", "faults")}
    assert report == report_from_json(stored)
