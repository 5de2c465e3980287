"""The table of names in docs/faq.md: options, parameters and keys that exist."""

import inspect
import json
import re
from pathlib import Path

import click
import pytest

import nstar
from nstar.cli import main

ROOT = Path(__file__).parents[2]
SCHEMAS = ROOT / "src" / "nstar" / "report" / "schemas"


def rows() -> list[list[str]]:
    text = (ROOT / "docs" / "faq.md").read_text(encoding="utf-8")
    table = text.partition("| option | in Python | in JSON |")[2].partition("\n\n")[0]
    return [
        [cell.strip() for cell in line.strip("|").split("|")] for line in table.split("\n")[2:]
    ]


def named(column: int) -> list[str]:
    return [word for row in rows() for word in re.findall(r"`([^`]+)`", row[column])]


@pytest.mark.parametrize("text", named(0))
def test_option_exists(text: str) -> None:
    command, option = text.split()
    found = main.get_command(click.Context(main), command)
    assert found is not None
    assert option in {name for p in found.params for name in p.opts}


@pytest.mark.parametrize("text", [w for w in named(1) if w.endswith("=)")])
def test_parameter_exists(text: str) -> None:
    name, parameter = text.removesuffix("=)").split("(")
    assert parameter in inspect.signature(getattr(nstar, name)).parameters


def test_keys_exist() -> None:
    schemas = " ".join(json.dumps(json.loads(p.read_text())) for p in SCHEMAS.glob("*.json"))
    missing = [key for key in named(2) if f'"{key}": ' not in schemas]
    assert not missing


def test_the_rest_of_compare_is_the_same_word() -> None:
    """Parameters of compare that the table does not name are options of the same name."""
    command = main.get_command(click.Context(main), "compare")
    assert command is not None
    options = {p.name for p in command.params}
    own = {"names", "groups", "findings"}  # a log says these
    told = {w.partition("(")[2].removesuffix("=)") for w in named(1) if w.startswith("compare(")}
    rest = set(inspect.signature(nstar.compare).parameters) - own - told
    assert rest <= options
