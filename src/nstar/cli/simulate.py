"""``nstar simulate`` and ``nstar simulate study``."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

import click

from nstar._api.simulate import simulate, simulate_study
from nstar.cli.kit.front import PaperOutput, front
from nstar.cli.kit.options import LOCAL_FOLDER
from nstar.cli.kit.params import Heading, group, option
from nstar.cli.kit.progress import BatchProgress
from nstar.cli.kit.ray import WorkOptions

if TYPE_CHECKING:
    from nstar._engine.work import Execution

_WITHOUT_DATA = ("pilot-runs",)
"""Scenarios that need data. ``nstar plan runs LOG --resample`` uses them."""


@group
class SimulationOutput(PaperOutput, WorkOptions):
    """Options for printing, writing, and resuming a simulation."""

    out: str | None = option(
        "--out",
        under=Heading.OUTPUT,
        metavar="DIR",
        type=LOCAL_FOLDER,
        help="Save rates and progress in this folder, so that a stopped simulation can resume.",
    )

    @contextmanager
    def execution(self) -> "Iterator[Execution]":
        """Return the settings for running the work, with a progress line."""
        progress = BatchProgress()
        try:
            with super().execution() as execution:
                yield replace(execution, progress=progress, out=self.out)
        except KeyboardInterrupt:
            progress.clear()
            self._exit_stopped()
        finally:
            progress.clear()

    def _exit_stopped(self) -> NoReturn:
        """Report which results were saved, and how to resume."""
        text = "nothing was saved. With --out DIR, a simulation can be resumed."
        if self.out is not None:
            text = f"finished parts are in {self.out}. Run the same command to resume."
        click.echo(f"nstar: stopped: {text}", err=True)
        sys.exit(130)

    def deliver(self, result: Any) -> None:
        """Write the rates before the report is printed."""
        if self.out is not None:
            from nstar._data.export.simulation_log import write_rates
            from nstar.report import render

            write_rates(self.out, result.columns(), render(result, "json"))
        super().deliver(result)


def _print_list(ctx: click.Context, param: click.Parameter, value: bool) -> None:  # noqa: ARG001, FBT001
    """Print everything that can be simulated, with its parameters."""
    if not value or ctx.resilient_parsing:
        return
    from nstar._verbs.simulate import INTERVALS, SCENARIOS, TESTS

    for title, registry in (("Scenarios", SCENARIOS), ("Tests", TESTS), ("Intervals", INTERVALS)):
        click.echo(f"{title}\n")
        for name in (n for n in registry if n not in _WITHOUT_DATA):
            click.echo(f"  {name}: {registry.about(name)}")
            defaults = registry.parameters(name)
            if defaults:
                click.echo("      " + ", ".join(f"{k} = {v}" for k, v in defaults.items()))
        click.echo()
    ctx.exit()


@group
class _Output(SimulationOutput):
    list_: bool = option(
        "--list",
        under=Heading.OUTPUT,
        is_flag=True,
        is_eager=True,
        callback=_print_list,
        help="List the available scenarios, tests, and intervals, and exit.",
    )


simulate_command = front(
    simulate,
    examples=(
        "nstar simulate --scenario bernoulli --items 200 --delta 0,5pp --test midp,exact",
        "nstar simulate --scenario beta --rho 0.5,0.8 --delta 0:0.1 --items 50,200 --test t",
        "nstar simulate --scenario board --models 10 --delta 1pp --items 800",
        "nstar simulate --pilot results.parquet --items 500,1000 --delta 1pp --test better",
    ),
    output=_Output,
)

simulate_study_command = front(
    simulate_study,
    examples=("nstar simulate study --reps 10,000 --out study/",),
    output=SimulationOutput,
)
