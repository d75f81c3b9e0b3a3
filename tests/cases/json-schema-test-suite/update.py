"""Write suite.jsonl from the official JSON-Schema-Test-Suite, as the source release of ``jsonschema`` ships it in ``json/``.

    pip download --no-deps --no-binary jsonschema jsonschema==4.26.0 && tar xf jsonschema-4.26.0.tar.gz
    python tests/cases/json-schema-test-suite/update.py jsonschema-4.26.0/json

One row a schema: {"draft", "file", "why", "schema", "tests": [[why, value, is it valid], ...]}, ``$schema`` written out.
Left out: what formats assert, which are annotations here, and schemas that refer to another document (the count is printed).
"""

import json
import re
import sys
from collections import Counter
from pathlib import Path

from jsonschema.validators import validator_for
from jsonschema_specifications import REGISTRY
from referencing.exceptions import Unresolvable

DRAFTS = {
    "draft4": "http://json-schema.org/draft-04/schema#",
    "draft6": "http://json-schema.org/draft-06/schema#",
    "draft7": "http://json-schema.org/draft-07/schema#",
    "draft2019-09": "https://json-schema.org/draft/2019-09/schema",
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
}


def is_remote(schema, tests):
    """Say whether a schema, or the meta-schema that it names, can't be followed within the document."""
    if isinstance(schema, dict) and "//localhost" in schema["$schema"]:
        return True
    validator = validator_for(schema)(schema, registry=REGISTRY)
    try:
        for test in tests:
            list(validator.iter_errors(test["data"]))
    except re.error:
        return False  # a pattern that Python has no words for; nothing remote
    except Unresolvable:
        return True
    return False


def main():
    counts, here = Counter(), Path(__file__).parent
    with (here / "suite.jsonl").open("w") as rows:
        for draft, uri in DRAFTS.items():
            root = Path(sys.argv[1], "tests", draft)
            for path in sorted(root.rglob("*.json")):
                file = str(path.relative_to(root))
                if file.startswith("optional/format"):
                    continue
                for group in json.loads(path.read_text()):
                    schema = group["schema"]
                    if isinstance(schema, dict):
                        schema = {"$schema": uri, **schema}
                    if is_remote(schema, group["tests"]):
                        counts[f"{draft} remote"] += 1
                        continue
                    counts[draft] += 1
                    tests = [[test["description"], test["data"], test["valid"]] for test in group["tests"]]
                    row = {"draft": draft, "file": file, "why": group["description"], "schema": schema, "tests": tests}
                    rows.write(json.dumps(row, ensure_ascii=True) + "\n")
    print(dict(counts))


if __name__ == "__main__":
    main()
