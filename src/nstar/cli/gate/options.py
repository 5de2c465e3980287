"""The options of ``nstar gate``."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from nstar.cli.kit.completion import complete_files
from nstar.cli.kit.options import ACCURACY, ITEMS, RHO, LocalFolder
from nstar.cli.kit.score_gap import SCORE_GAP, range_option

F = TypeVar("F", bound=Callable[..., Any])


def _guardrails(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> dict[str, float]:
    out: dict[str, float] = {}
    for value in values:
        task, sign, margin = value.rpartition(":")
        if not sign or not task:
            msg = f"{value!r} is not TASK:MARGIN, such as safety:0.5pp"
            raise click.BadParameter(msg, ctx, param)
        if task in out:
            msg = f"the task {task!r} has two margins; give one"
            raise click.BadParameter(msg, ctx, param)
        out[task] = SCORE_GAP.convert(margin, param, ctx)
    return out


def question_options(command: F) -> F:
    """What is asked of which logs."""
    options = (
        click.option(
            "--baseline",
            metavar="LOG",
            shell_complete=complete_files,
            help="The model in use; [NAME=]PATH[::MODEL].",
        ),
        click.option(
            "--candidate",
            metavar="LOG",
            shell_complete=complete_files,
            help="The model to replace it.",
        ),
        click.option("--margin", type=SCORE_GAP, help="How much worse is harmless: 1pp."),
        click.option(
            "--superiority", is_flag=True, help="The candidate must be better; no margin."
        ),
        click.option(
            "--guardrail",
            "guardrails",
            multiple=True,
            callback=_guardrails,
            metavar="TASK:MARGIN",
            help="A margin of its own for one task.",
        ),
        click.option(
            "--task",
            "tasks",
            multiple=True,
            metavar="TASK",
            help="Only these, and those with a guardrail.",
        ),
        click.option("--metric", metavar="METRIC", help="Metric, instead of the first one."),
        click.option("--strata", metavar="GROUP", help="Groups that define the benchmark."),
        click.option("--cluster", metavar="GROUP", help="Groups that are a sample."),
        click.option(
            "--missing",
            type=ACCURACY,
            default="0.05",
            show_default=True,
            help="Share of items that one model may lack.",
        ),
        range_option,
    )
    for option in reversed(options):
        command = option(command)
    return command


def way_options(command: F) -> F:
    """How the evidence is read, and what is printed."""
    options = (
        click.option("--sequential", is_flag=True, help="Valid at every look; needs --items."),
        click.option(
            "--history",
            metavar="DIR",
            type=LocalFolder(file_okay=False, path_type=Path),
            help="Gather evidence over evaluations of the same question there.",
        ),
        click.option("--fresh-items", is_flag=True, help="With --history: new items each time."),
        click.option("--dry-run", is_flag=True, help="Before any run: is a PASS within reach?"),
        click.option("--items", type=ITEMS, help="Items planned in all, of each task."),
        click.option("--psi", type=ACCURACY, help="Items on which exactly one model is right."),
        click.option("--rho", type=RHO, help="With --dry-run --baseline 70%: item correlation."),
        click.option("--aa", is_flag=True, help="Judge runs of one model against each other."),
        click.option(
            "--format",
            "format_",
            type=click.Choice(["text", "json", "markdown", "junit"]),
            default="text",
            show_default=True,
            help="Output format.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command
