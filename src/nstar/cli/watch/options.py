"""The options of ``nstar watch``."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from nstar.cli.kit.figure import FigureOptions, figure_kind
from nstar.cli.kit.options import ACCURACY, ITEMS, FormatOptions, LevelAndPower, TwoModels
from nstar.cli.kit.params import option
from nstar.cli.kit.reading import LogOptions
from nstar.cli.kit.score_gap import SCORE_GAP

if TYPE_CHECKING:
    from nstar._verbs.watch.question import WatchScale


@dataclass(frozen=True, kw_only=True)
class _Watched(TwoModels):
    task: str | None = option("--task", metavar="TASK", help="Task, when the logs hold several.")
    metric: str | None = option(
        "--metric", metavar="METRIC", help="Metric, instead of the first one of the log."
    )
    items: int | None = option(
        "--items", type=ITEMS, help="Items of the benchmark, if the logs do not tell."
    )
    margin: float | None = option(
        "--margin", type=SCORE_GAP, help="Stop too once A is not worse by this: 2pp."
    )
    equivalence: bool = option(
        "--equivalence", is_flag=True, help="With --margin: not better by it either."
    )
    scale: "WatchScale | None" = option(
        "--scale",
        type=click.Choice(["binary", "graded"]),
        help="Scores of 0 and 1 (binary, unless --asymptotic), or others from 0 to 1.",
    )
    psi: float | None = option(
        "--psi", type=ACCURACY, help="Expected share of items that exactly one gets right."
    )
    asymptotic: bool = option(
        "--asymptotic", is_flag=True, help="Graded scores without limits: less safe."
    )
    price: float | None = option(
        "--price", type=click.FloatRange(min=0), help="Money that one more item costs."
    )
    state: str | None = option(
        "--state", type=click.Path(dir_okay=False), help="File to go on from when killed."
    )
    once: bool = option("--once", is_flag=True, help="Look once, print and exit.")
    every: float = option(
        "--every",
        type=click.FloatRange(min=0.05),
        default=1.0,
        show_default=True,
        metavar="SECONDS",
        help="Time between two looks at the logs.",
    )


@dataclass(frozen=True, kw_only=True)
class WatchOptions(FormatOptions, FigureOptions, LevelAndPower, LogOptions, _Watched):
    """Everything that can be said to ``nstar watch``."""

    figure_kind: str | None = figure_kind("watch")
