"""``--figure FILE``: the whole file or nothing."""

from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

import nstar
from nstar.cli.kit.figure import FigureOptions
from nstar.cli.kit.output import reported_errors
from nstar.cli.kit.params import takes


@click.command()
@takes(given=FigureOptions)
def command(given: FigureOptions) -> None:
    with reported_errors():
        given.draw(nstar.plan(nstar.PairedRho(baseline=0.7, rho=0.4), items=1000))


def run(*args: str) -> Any:
    return CliRunner().invoke(command, args)


def test_writes_the_figure_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "plan.svg"
    assert run("--figure", str(target), "--figure-kind", "power").exit_code == 0
    assert target.read_text(encoding="utf-8").startswith("<svg")
    assert [path.name for path in tmp_path.iterdir()] == ["plan.svg"]
    result = run("--figure", str(target))
    assert result.exit_code == 0
    assert result.stdout == ""
    assert result.stderr == f"nstar: wrote the figure to {target}\n"
    assert "Power with 1,000 items" in target.read_text(encoding="utf-8")


def test_without_the_option_nothing_happens() -> None:
    assert run().exit_code == 0
    assert run("--figure-kind", "power").exit_code == 2


@pytest.mark.parametrize("name", ["plan.gif", "plan", ".svg/"])
def test_refuses_other_endings(tmp_path: Path, name: str) -> None:
    result = run("--figure", str(tmp_path / name))
    assert result.exit_code == 2
    assert not list(tmp_path.iterdir())


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    result = run("--figure", str(tmp_path / "no" / "plan.svg"))
    assert result.exit_code == 2
    (tmp_path / "taken.svg").mkdir()
    result = run("--figure", str(tmp_path / "taken.svg"))
    assert result.exit_code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["taken.svg"]
    assert not list((tmp_path / "taken.svg").iterdir())
