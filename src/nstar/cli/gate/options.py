"""The options of ``nstar gate``; of a file and the command line the latter counts."""

from dataclasses import replace
from pathlib import Path
from typing import Literal

import click

from nstar.cli.kit.completion import complete_files
from nstar.cli.kit.config import config_option
from nstar.cli.kit.gap_options import SCORE_GAP, range_option
from nstar.cli.kit.options import (
    ACCURACY,
    ITEMS,
    RHO,
    FormatOptions,
    LevelAndPower,
    LocalFolder,
    seed_option,
    weights_option,
)
from nstar.cli.kit.output import printable
from nstar.cli.kit.params import Heading, argument, group, option
from nstar.cli.kit.reading import ReadingOptions


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


def _check_key(ctx: click.Context, param: click.Parameter, value: str) -> str:
    from nstar.errors import ParameterError
    from nstar.report.formats.github import marker

    try:
        marker(value)
    except ParameterError as error:
        raise click.BadParameter(str(error), ctx, param) from error
    return value


@group
class _GateQuestionOptions:
    """What is asked of which logs."""

    paths: tuple[str, ...] = argument(nargs=-1, metavar="[RUN]...", shell_complete=complete_files)
    baseline: str | None = option(
        "--baseline",
        under=Heading.INPUT,
        metavar="LOG",
        shell_complete=complete_files,
        help="The model in use: [NAME=]PATH[::MODEL].",
    )
    candidate: str | None = option(
        "--candidate",
        under=Heading.INPUT,
        metavar="LOG",
        shell_complete=complete_files,
        help="The model that may replace it.",
    )
    margin: float | None = option(
        "--margin",
        under=Heading.STATISTICS,
        type=SCORE_GAP,
        help="Largest loss that does no harm: 1pp.",
    )
    superiority: bool = option(
        "--superiority",
        under=Heading.STATISTICS,
        is_flag=True,
        help="Require the candidate to be better; no margin.",
    )
    guardrails: dict[str, float] = option(
        "--guardrail",
        under=Heading.STATISTICS,
        multiple=True,
        callback=_guardrails,
        metavar="TASK:MARGIN",
        help="A separate margin for one task.",
    )
    tasks: tuple[str, ...] = option(
        "--task",
        under=Heading.INPUT,
        multiple=True,
        metavar="TASK",
        help="Only these tasks, and those with a guardrail.",
    )
    metric: str | None = option(
        "--metric",
        under=Heading.INPUT,
        metavar="METRIC",
        help="Metric to use.  [default: the first one in the log]",
    )
    strata: str | None = option(
        "--strata",
        under=Heading.STATISTICS,
        metavar="GROUP",
        help="Groups that make up the benchmark, such as subjects.",
    )
    cluster: str | None = option(
        "--cluster",
        under=Heading.STATISTICS,
        metavar="GROUP",
        help="Groups sampled from many, such as passages.",
    )
    loss: Literal["cluster", "item"] = option(
        "--loss",
        under=Heading.STATISTICS,
        type=click.Choice(["cluster", "item"]),
        default="cluster",
        show_default=True,
        help="With --cluster: what may fail outside the sample, clusters or items.",
    )
    missing: float = option(
        "--missing",
        under=Heading.STATISTICS,
        type=ACCURACY,
        default="0.05",
        show_default=True,
        help="Share of items that one model may lack.",
    )
    weights: str | None = weights_option()
    score_range: tuple[float, float] | None = range_option()
    at_least: str | None = option(
        "--at-least",
        under=Heading.STATISTICS,
        metavar="M/N",
        help="Score each task by a rule, 4/5: at least 4 of 5 runs pass.",
    )


@group
class _EvidenceOptions(FormatOptions):
    """How the evidence is read, and what is printed."""

    sequential: bool = option(
        "--sequential",
        under=Heading.STOPPING,
        is_flag=True,
        help="Stay valid however often you look; needs --items.",
    )
    history: Path | None = option(
        "--history",
        under=Heading.STOPPING,
        metavar="DIR",
        type=LocalFolder(file_okay=False, path_type=Path),
        help="Folder to gather evidence in, over evaluations of the same question.",
    )
    fresh_items: bool = option(
        "--fresh-items",
        under=Heading.STOPPING,
        is_flag=True,
        help="With --history: every evaluation has new items.",
    )
    dry_run: bool = option(
        "--dry-run",
        under=Heading.STATISTICS,
        is_flag=True,
        help="Is a PASS within reach? From --psi, or runs of the baseline.",
    )
    items: int | None = option(
        "--items", under=Heading.DESIGN, type=ITEMS, help="Items planned in total, per task."
    )
    psi: float | None = option(
        "--psi",
        under=Heading.DESIGN,
        type=ACCURACY,
        help="Share of items on which exactly one model is right.",
    )
    rho: float | None = option(
        "--rho",
        under=Heading.DESIGN,
        type=RHO,
        help="With --dry-run --baseline 70%: item correlation.",
    )
    aa: bool = option(
        "--aa",
        under=Heading.STATISTICS,
        is_flag=True,
        help="Try the gate on runs of one model: how often is it wrong?",
    )
    format_: str = option(
        "--format",
        under=Heading.OUTPUT,
        type=click.Choice(["text", "json", "markdown", "junit"]),
        default="text",
        show_default=True,
        help="Output format.",
    )
    config: Path | None = config_option()
    out: Path | None = option(
        "--out",
        under=Heading.OUTPUT,
        metavar="DIR",
        type=LocalFolder(file_okay=False, path_type=Path),
        help="Folder for gate.json, junit.xml, summary.md and comment.md.",
    )
    comment_key: str = option(
        "--comment-key",
        under=Heading.OUTPUT,
        metavar="KEY",
        default="gate",
        show_default=True,
        callback=_check_key,
        help="Tells the comments of several gates apart.",
    )


@group
class GateOptions(LevelAndPower, ReadingOptions, _EvidenceOptions, _GateQuestionOptions):
    """Everything that can be said to ``nstar gate``."""

    seed: int = seed_option("Seed of random sign flips, for graded scores.")


def _in_file(name: str) -> bool:
    source = click.get_current_context().get_parameter_source(name)
    return source is click.core.ParameterSource.DEFAULT_MAP


def _one_aim(options: GateOptions) -> GateOptions:
    """A margin or superiority: of a file and the command line the latter counts."""
    if options.margin is None or not options.superiority:
        return options
    if _in_file("margin") == _in_file("superiority"):
        msg = (
            "give --margin or --superiority, not both: a candidate that must be better has no "
            "harmless loss; --guardrail TASK:MARGIN gives a single task a margin"
        )
        raise click.UsageError(msg)
    if _in_file("margin"):
        return replace(options, margin=None)
    return replace(options, superiority=False)


def _guarded_tasks(options: GateOptions) -> GateOptions:
    """Tasks with a guardrail are judged too, unless --task overrules the file they stand in."""
    tasks, guardrails = options.tasks, options.guardrails
    more = [t for t in guardrails if t not in tasks]
    if not tasks or not more:
        return options
    if _in_file("guardrails") and not _in_file("tasks"):
        left = printable(", ".join(more))
        click.echo(f"nstar: --task leaves out guardrails of {options.config}: {left}", err=True)
        return replace(options, guardrails={t: m for t, m in guardrails.items() if t in tasks})
    return replace(options, tasks=(*tasks, *more))


def settled(options: GateOptions) -> GateOptions:
    """Brought together."""
    return _guarded_tasks(_one_aim(options))


def refuse_unused(why: str, used: set[str]) -> None:
    """No option of the command line goes unheard; those of a file are for the gate itself."""
    ctx = click.get_current_context()
    for param in ctx.command.params:
        source = ctx.get_parameter_source(str(param.name))
        if param.name not in used and source is click.core.ParameterSource.COMMANDLINE:
            msg = f"{why}; leave {param.opts[0]} out"
            raise click.UsageError(msg)


def refuse_tuning(options: GateOptions) -> None:
    """One look has no use for what e-values are tuned by."""
    there = {str(p.name) for p in click.get_current_context().command.params}
    unused = {"rho"} if options.sequential or options.history else {"rho", "psi", "items"}
    why = "the logs tell how often the models disagree"
    if "psi" in unused:
        why += "; --items and --psi are for --sequential, --history and --dry-run"
    refuse_unused(why, there - unused)


def without_file(options: GateOptions) -> GateOptions:
    """Settings of a file that concern a gate of two logs only, taken back."""
    return replace(
        options,
        baseline=None if _in_file("baseline") else options.baseline,
        candidate=None if _in_file("candidate") else options.candidate,
        history=None if _in_file("history") else options.history,
        sequential=options.sequential and not _in_file("sequential"),
        fresh_items=options.fresh_items and not _in_file("fresh_items"),
    )
