"""What the project promises about itself."""

import re
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]


def test_no_file_that_pins_holds_an_index_address():
    for name in ("server.txt", "dev.txt"):
        text = (ROOT / "requirements" / name).read_text()
        assert "://" not in text
        assert "--hash=sha256:" in text


def test_compose_names_the_three_services():
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text())
    assert {"registry", "postgres", "redis"} == set(compose["services"])


def test_every_dependency_has_its_sentence_in_the_decisions():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    groups = [
        project["dependencies"],
        project["optional-dependencies"]["server"],
        project["optional-dependencies"]["embedded"],
    ]
    names = {re.split(r"[<>=;\[ ]", each, maxsplit=1)[0] for group in groups for each in group}
    decisions = (ROOT / "docs" / "decisions.md").read_text().lower()
    assert [] == sorted(name for name in names if f"**{name}**" not in decisions)


def test_readme_has_the_two_commands():
    readme = (ROOT / "README.md").read_text()
    assert ["run", "test"] == re.findall(r"<!-- command: (\w+) -->", readme)


def test_no_module_is_over_400_lines():
    long = [path.name for path in (ROOT / "registry").rglob("*.py") if len(path.read_text().splitlines()) > 400]
    assert [] == long
