"""The options of ``nstar plan``: what is known, what is wanted, money; and their units."""

from dataclasses import fields
from typing import TYPE_CHECKING

import click

from nstar.cli.kit.completion import complete_files
from nstar.cli.kit.figure import FigureOptions, PageOptions, figure_kind
from nstar.cli.kit.gap_options import (
    SCORE_GAP,
    SCORE_GAPS,
    in_points,
    range_option,
)
from nstar.cli.kit.options import (
    ACCURACY,
    COUNTS,
    ITEM_COUNTS,
    MONEY,
    MONIES,
    RHOS,
    SDS,
    TASKS,
    FormatOptions,
    LevelOptions,
)
from nstar.cli.kit.params import Heading, group, option

if TYPE_CHECKING:
    from nstar._api.plan import PlanQuestion
    from nstar._api.plan.parameters import PlanParameters
    from nstar._base.types import LossUnit
    from nstar._verbs.plan.design import BoardGoal


BENCHMARK_NAMES = ("mmlu", "math", "gsm8k", "arc", "bbh", "mmlu-pro")


@group
class _FixedPlanOptions:
    baseline: float | None = option(
        "--baseline",
        under=Heading.INPUT,
        type=ACCURACY,
        help="Accuracy you start from: 70% or 0.7.",
    )
    delta: tuple[float, ...] | None = option(
        "--delta",
        under=Heading.INPUT,
        type=SCORE_GAPS,
        help="Gap to detect: 1pp or 0.01, in score units with --sd; a list makes a table.",
    )
    items: int | tuple[int, ...] | None = option(
        "--items",
        under=Heading.INPUT,
        type=ITEM_COUNTS,
        help="Items that both models answer; a list makes a table, two lists make a grid.",
    )
    rho: tuple[float, ...] | None = option(
        "--rho",
        under=Heading.INPUT,
        type=RHOS,
        help="Item correlation of the models; a list makes a table.",
    )
    psi: float | None = option(
        "--psi",
        under=Heading.DESIGN,
        type=ACCURACY,
        help="Share of items on which exactly one model is right.",
    )
    odds_ratio: float | None = option(
        "--odds-ratio",
        under=Heading.DESIGN,
        type=float,
        help="With --psi: items gained per item lost.",
    )
    benchmark: str | None = option(
        "--benchmark",
        under=Heading.DESIGN,
        type=click.Choice(BENCHMARK_NAMES, case_sensitive=False),
        help="Take the rho published as typical of this benchmark.",
    )
    sd: float | None = option(
        "--sd",
        under=Heading.DESIGN,
        type=float,
        help="Graded scores: SD of one model's scores (with --rho).",
    )
    sd_diff: float | None = option(
        "--sd-diff",
        under=Heading.DESIGN,
        type=float,
        help="Graded scores: SD of the difference per item.",
    )
    unpaired: bool = option(
        "--unpaired", under=Heading.DESIGN, is_flag=True, help="The models answer different items."
    )
    icc: float | None = option(
        "--icc",
        under=Heading.DESIGN,
        type=float,
        help="Items in clusters: intra-cluster correlation.",
    )
    cluster_size: float | None = option(
        "--cluster-size",
        under=Heading.DESIGN,
        type=click.FloatRange(min=1),
        help="Items per cluster; if unequal, Σm²/Σm.",
    )
    clusters: int | None = option(
        "--clusters",
        under=Heading.DESIGN,
        type=click.IntRange(min=2),
        help="Number of clusters, if fixed.",
    )
    models: int | None = option(
        "--models",
        under=Heading.DESIGN,
        type=click.IntRange(min=2),
        help="Models on one board (2, or as many as the pilot has); --goal says what is wanted.",
    )
    goal: "BoardGoal" = option(
        "--goal",
        under=Heading.DESIGN,
        type=click.Choice(["best", "control", "all-pairs", "adjacent"]),
        default="all-pairs",
        show_default=True,
        help="Of many models: choose the best; prove gaps to a control, of all pairs, …",
    )
    every: bool = option(
        "--every",
        under=Heading.DESIGN,
        is_flag=True,
        help="Power to find every one of these gaps, not a given one.",
    )
    margin: float | None = option(
        "--margin",
        under=Heading.STATISTICS,
        type=SCORE_GAP,
        help="Show that the gap is smaller than this (equivalence).",
    )
    non_inferiority: bool = option(
        "--non-inferiority",
        under=Heading.STATISTICS,
        is_flag=True,
        help="With --margin: show only that A is not worse by that much.",
    )
    loss: "LossUnit | None" = option(
        "--loss",
        under=Heading.STATISTICS,
        type=click.Choice(["cluster", "item"]),
        help="With --margin: what may fail outside the sample.  [default: cluster]",
    )
    half_width: float | None = option(
        "--half-width",
        under=Heading.STATISTICS,
        type=SCORE_GAP,
        help="Half-width wanted for the interval of the gap.",
    )
    score_range: tuple[float, float] | None = range_option()


@group
class _BudgetPlanOptions:
    budget: float | None = option(
        "--budget",
        under=Heading.BUDGET,
        type=MONEY,
        help="Money to spend; finds the best numbers of tasks and runs, or items for --models.",
    )
    cost_run: tuple[float, ...] | None = option(
        "--cost-run",
        under=Heading.BUDGET,
        type=MONIES,
        help="Cost of one run, or answer; A,B if two models differ.",
    )
    cost_task: float | None = option(
        "--cost-task",
        under=Heading.BUDGET,
        type=MONEY,
        help="Cost of a task or item, its runs aside.",
    )
    tasks_available: int | None = option(
        "--tasks-available", under=Heading.BUDGET, type=TASKS, help="Number of tasks that exist."
    )
    runs: tuple[float, ...] | None = option(
        "--runs",
        under=Heading.BUDGET,
        type=COUNTS,
        help="Runs per task, if fixed; A,B if unequal.",
    )
    flip: float | None = option(
        "--flip",
        under=Heading.BUDGET,
        type=ACCURACY,
        help="How often two runs of a task disagree.",
    )
    sd_between: float | None = option(
        "--sd-between",
        under=Heading.BUDGET,
        type=float,
        help="SD of the true difference across tasks.",
    )
    sd_within: tuple[float, ...] | None = option(
        "--sd-within",
        under=Heading.BUDGET,
        type=SDS,
        help="SD across runs of one task; A,B if unequal.",
    )
    pilot: tuple[str, ...] = option(
        "--pilot",
        under=Heading.BUDGET,
        multiple=True,
        metavar="LOG",
        shell_complete=complete_files,
        help="Logs of one or two models with repeated runs, or of many models for a board.",
    )
    cluster: str | None = option(
        "--cluster",
        under=Heading.BUDGET,
        metavar="COLUMN",
        help="With --pilot of a board: items to come are of other groups than its.",
    )
    strata: str | None = option(
        "--strata",
        under=Heading.BUDGET,
        metavar="COLUMN",
        help="With --pilot of a board: items to come are of the same groups.",
    )
    price: tuple[str, ...] = option(
        "--price",
        under=Heading.BUDGET,
        multiple=True,
        metavar="MODEL=IN/OUT",
        help="Price per million tokens in and out, for the tokens in --pilot; or a TOML file.",
    )
    task: str | None = option(
        "--task", under=Heading.BUDGET, metavar="TASK", help="With --pilot: which task set."
    )
    metric: str | None = option(
        "--metric", under=Heading.BUDGET, metavar="METRIC", help="With --pilot: which metric."
    )
    resample: bool = option(
        "--resample",
        under=Heading.BUDGET,
        is_flag=True,
        help="With --pilot: estimate power by resampling its tasks.",
    )


@group
class PlanOptions(
    FormatOptions,
    LevelOptions,
    PageOptions,
    FigureOptions,
    _BudgetPlanOptions,
    _FixedPlanOptions,
):
    """Everything that can be said to ``nstar plan``."""

    figure_kind: str | None = figure_kind("plan")

    def words(self) -> "PlanParameters":
        """What is said, gaps in points still known as such."""
        from nstar._api.plan.parameters import PlanParameters

        said = {
            f.name: getattr(self, f.name) for f in fields(PlanParameters) if f.name != "design"
        }
        said |= {name: said[name] or None for name in ("pilot", "price")}
        return PlanParameters(**said)

    def question(self) -> "PlanQuestion":
        """What is asked; the logs of a pilot are not read yet."""
        from nstar._api.plan import PlanQuestion

        words = self.words()
        _refuse_points(words)
        return PlanQuestion(**{f.name: getattr(words, f.name) for f in fields(words)})


def _refuse_points(words: "PlanParameters") -> None:
    """Points of what, when scores do not run from 0 to 1?

    Raises
    ------
    QuestionError
        With what to write instead.
    """
    from nstar._api.plan.values import gaps, largest_sd
    from nstar.errors import QuestionError, arg

    sd = largest_sd(words)
    if sd is None or sd[1] <= sd[2] or words.pilot is not None:
        return
    for name, gap in gaps(words):
        if in_points(gap):
            msg = (
                f"{arg(name, f'{100 * gap:g}pp')}: with {arg(sd[0], f'{sd[1]:g}')} scores do not "
                "run from 0 to 1; give it in their units"
            )
            raise QuestionError(msg)
