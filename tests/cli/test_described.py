"""docs/cli.md names every command, option and setting that there is, and none that there is not."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import click
import pytest

from registry.cli import main
from registry.core.errors import InvalidRequest
from registry.settings import Settings

PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text()


def section(name):
    return PAGE.partition(f"\n## {name}\n")[2].partition("\n## ")[0]


def rows(text):
    """Return a table's rows below its head, each as its cells."""
    lines = [line for line in text.splitlines() if line.startswith("| ")][2:]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def test_every_command_is_described():
    described = {re.match(r"`cards (\w+)", cells[0])[1] for cells in rows(PAGE.partition("\n## ")[0])}
    assert set(main.commands) == described


def test_every_option_is_described_for_the_commands_that_have_it():
    described = {
        (command, option)
        for options, commands, _ in rows(section("Options"))
        for option in re.findall(r"`(--[\w-]+)", options)
        for command in re.findall(r"`(\w+)`", commands)
    }
    parsed = {
        (name, option)
        for name, command in main.commands.items()
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for option in parameter.opts
    }
    assert parsed == described


def test_every_choice_is_described():
    text = section("Options").replace("\\|", "|")
    choices = {
        f"`{parameter.opts[0]} {'|'.join(parameter.type.choices)}`"
        for command in main.commands.values()
        for parameter in command.params
        if isinstance(parameter.type, click.Choice)
    }
    assert [] == [choice for choice in choices if choice not in text]


SETTINGS = {cells[0].strip("`"): cells[1].strip("`") for cells in rows(section("Settings"))}
UNSET = Settings.from_environment({"HOME": "/home/somebody"})


@pytest.mark.parametrize("name", SETTINGS)
def test_a_described_setting_sets_one_thing_and_without_it_holds_what_is_described(name):
    changed = set()
    for value in ("3", "300", "2000", "/elsewhere", "off"):
        try:
            given = Settings.from_environment({"HOME": "/home/somebody", name: value})
        except InvalidRequest:  # out of range
            continue
        changed |= {
            field.name for field in fields(Settings) if getattr(given, field.name) != getattr(UNSET, field.name)
        }
    (one,) = changed
    default = getattr(UNSET, one)
    if isinstance(default, bool):
        assert SETTINGS[name] == ("on" if default else "off")
    elif isinstance(default, (int, float)):
        assert SETTINGS[name] == f"{default:g}" if isinstance(default, float) else str(default)


def test_every_setting_is_described():
    assert len(fields(Settings)) == len(SETTINGS)
    source = (Path(__file__).parents[2] / "registry" / "settings.py").read_text()
    read = set(re.findall(r'(?:given\.get\(|given\[|whole\(|switch\()"([A-Z_]+)"', source))
    assert read == set(SETTINGS)
