"""The same question takes the same steps, however Python orders its sets."""

import os
import subprocess
import sys

PROGRAM = """
from registry.core.solver import BUDGET, Side
from registry.core.solver.finding import prepare, proven_by_structure
part = {"type": "object", "required": ["y"], "properties": {"y": {"anyOf": [{"type": "string"}, {"type": "integer"}]}}}
rows = {"type": "object", "required": ["x"], "properties": {"x": {"type": "array", "minItems": 1, "items": part}}}
old = {
    "required": ["x"],
    "type": ["object", "string", "array"],
    "properties": rows["properties"],
    "minItems": 1,
    "items": rows,
    "anyOf": [{"type": "object"}, {"type": ["string", "array"]}],
}
new = {"anyOf": [{"type": "object", "required": ["x"]}, {"type": ["string", "array"]}]}
prepared = prepare([Side(old)], [Side(new)], BUDGET)
prover = prepared.prover(BUDGET)
print(proven_by_structure(prepared, prover), prover.steps)
"""


def test_the_steps_of_a_proof_do_not_depend_on_the_hashes_of_texts():
    answers = set()
    for seed in ("0", "1", "2", "3"):
        command = [sys.executable, "-c", PROGRAM]
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, timeout=60, env={**os.environ, "PYTHONHASHSEED": seed}
        )
        answers.add(done.stdout)
    assert 1 == len(answers), answers
    assert answers.pop().startswith("True ")
