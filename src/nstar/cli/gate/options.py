"""The options of ``nstar gate``."""

from dataclasses import dataclass
from pathlib import Path

import click

from nstar.cli.kit.completion import complete_files
from nstar.cli.kit.config import config_option
from nstar.cli.kit.options import ACCURACY, ITEMS, RHO, LevelAndPower, LocalFolder
from nstar.cli.kit.params import argument, option
from nstar.cli.kit.reading import ReadingOptions
from nstar.cli.kit.score_gap import SCORE_GAP, range_option


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


@dataclass(frozen=True, kw_only=True)
class _Question:
    """What is asked of which logs."""

    paths: tuple[str, ...] = argument(nargs=-1, metavar="[RUN]...", shell_complete=complete_files)
    baseline: str | None = option(
        "--baseline",
        metavar="LOG",
        shell_complete=complete_files,
        help="The model in use; [NAME=]PATH[::MODEL].",
    )
    candidate: str | None = option(
        "--candidate",
        metavar="LOG",
        shell_complete=complete_files,
        help="The model to replace it.",
    )
    margin: float | None = option(
        "--margin", type=SCORE_GAP, help="How much worse is harmless: 1pp."
    )
    superiority: bool = option(
        "--superiority", is_flag=True, help="The candidate must be better; no margin."
    )
    guardrails: dict[str, float] = option(
        "--guardrail",
        multiple=True,
        callback=_guardrails,
        metavar="TASK:MARGIN",
        help="A margin of its own for one task.",
    )
    tasks: tuple[str, ...] = option(
        "--task",
        multiple=True,
        metavar="TASK",
        help="Only these, and those with a guardrail.",
    )
    metric: str | None = option(
        "--metric", metavar="METRIC", help="Metric, instead of the first one."
    )
    strata: str | None = option(
        "--strata", metavar="GROUP", help="Groups that define the benchmark."
    )
    cluster: str | None = option("--cluster", metavar="GROUP", help="Groups that are a sample.")
    missing: float = option(
        "--missing",
        type=ACCURACY,
        default="0.05",
        show_default=True,
        help="Share of items that one model may lack.",
    )
    score_range: tuple[float, float] | None = range_option()


@dataclass(frozen=True, kw_only=True)
class _Evidence:
    """How the evidence is read, and what is printed."""

    sequential: bool = option(
        "--sequential", is_flag=True, help="Valid at every look; needs --items."
    )
    history: Path | None = option(
        "--history",
        metavar="DIR",
        type=LocalFolder(file_okay=False, path_type=Path),
        help="Gather evidence over evaluations of the same question there.",
    )
    fresh_items: bool = option(
        "--fresh-items", is_flag=True, help="With --history: new items each time."
    )
    dry_run: bool = option(
        "--dry-run", is_flag=True, help="Before any run: is a PASS within reach?"
    )
    items: int | None = option("--items", type=ITEMS, help="Items planned in all, of each task.")
    psi: float | None = option(
        "--psi", type=ACCURACY, help="Items on which exactly one model is right."
    )
    rho: float | None = option(
        "--rho", type=RHO, help="With --dry-run --baseline 70%: item correlation."
    )
    aa: bool = option("--aa", is_flag=True, help="Judge runs of one model against each other.")
    format_: str = option(
        "--format",
        type=click.Choice(["text", "json", "markdown", "junit"]),
        default="text",
        show_default=True,
        help="Output format.",
    )
    config: Path | None = config_option()  # noqa: RUF009
    out: Path | None = option(
        "--out",
        metavar="DIR",
        type=LocalFolder(file_okay=False, path_type=Path),
        help="Write gate.json, junit.xml, summary.md and comment.md there too.",
    )
    comment_key: str = option(
        "--comment-key",
        metavar="KEY",
        default="gate",
        show_default=True,
        callback=_check_key,
        help="Tells comment.md of several gates apart.",
    )


@dataclass(frozen=True, kw_only=True)
class GateOptions(LevelAndPower, ReadingOptions, _Evidence, _Question):
    """Everything that can be said to ``nstar gate``."""
