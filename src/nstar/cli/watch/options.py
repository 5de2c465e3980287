"""The options of ``nstar watch``."""

from typing import TYPE_CHECKING

import click

from nstar.cli.kit.figure import FigureOptions, figure_kind
from nstar.cli.kit.gap_options import SCORE_GAP
from nstar.cli.kit.options import ACCURACY, ITEMS, FormatOptions, LevelAndPower, TwoModels
from nstar.cli.kit.params import Heading, group, option
from nstar.cli.kit.reading import LogOptions
from nstar.cli.kit.votes import VoteOptions

if TYPE_CHECKING:
    from nstar._verbs.watch.question import WatchScale


@group
class _WatchedOptions(TwoModels):
    task: str | None = option(
        "--task", under=Heading.INPUT, metavar="TASK", help="Task, if the logs hold several."
    )
    metric: str | None = option(
        "--metric",
        under=Heading.INPUT,
        metavar="METRIC",
        help="Metric to use.  [default: the first one in the log]",
    )
    items: int | None = option(
        "--items",
        under=Heading.INPUT,
        type=ITEMS,
        help="Items in the benchmark, if the logs do not say.",
    )
    models: int | None = option(
        "--models",
        under=Heading.INPUT,
        type=click.IntRange(min=3),
        metavar="N",
        help="Models that race, if the logs do not hold all of them yet.",
    )
    margin: float | None = option(
        "--margin",
        under=Heading.STATISTICS,
        type=SCORE_GAP,
        help="Also stop once A is not worse by this (2pp), or all that race are within it.",
    )
    equivalence: bool = option(
        "--equivalence",
        under=Heading.STATISTICS,
        is_flag=True,
        help="With --margin: nor better by it.",
    )
    scale: "WatchScale | None" = option(
        "--scale",
        under=Heading.STATISTICS,
        type=click.Choice(["binary", "graded"]),
        help="Scores of 0 and 1 (binary; assumed unless --asymptotic), or any from 0 to 1.",
    )
    psi: float | None = option(
        "--psi",
        under=Heading.STATISTICS,
        type=ACCURACY,
        help="Expected share of items that exactly one model gets right.",
    )
    asymptotic: bool = option(
        "--asymptotic",
        under=Heading.STATISTICS,
        is_flag=True,
        help="Graded scores without known bounds: less safe.",
    )
    price: float | None = option(
        "--price",
        under=Heading.WORK,
        type=click.FloatRange(min=0),
        help="Cost of one more item.",
    )
    state: str | None = option(
        "--state",
        under=Heading.WORK,
        type=click.Path(dir_okay=False),
        help="File to save to, and to resume from if interrupted.",
    )
    once: bool = option(
        "--once", under=Heading.WORK, is_flag=True, help="Look once, print and exit."
    )
    every: float = option(
        "--every",
        under=Heading.WORK,
        type=click.FloatRange(min=0.05),
        default=1.0,
        show_default=True,
        metavar="SECONDS",
        help="Time between looks at the logs.",
    )


@group
class WatchOptions(
    FormatOptions, FigureOptions, LevelAndPower, LogOptions, VoteOptions, _WatchedOptions
):
    """Everything that can be said to ``nstar watch``."""

    figure_kind: str | None = figure_kind("watch")
