"""The options of ``nstar plan``: what is known, what is wanted, looks, money; and their units."""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import click

from nstar._api.plan.conflicts import EVERY_ITEM, PLANNED_LOOKS
from nstar._api.plan.items import USUAL_LOOKS
from nstar.cli.kit.completion import complete_files
from nstar.cli.kit.figure import FigureOptions, PageOptions, figure_kind
from nstar.cli.kit.options import (
    ACCURACY,
    COUNTS,
    ITEMS,
    MONEY,
    MONIES,
    RHOS,
    SDS,
    TASKS,
    FormatOptions,
    LevelOptions,
)
from nstar.cli.kit.params import option
from nstar.cli.kit.score_gap import (
    SCORE_GAP,
    SCORE_GAPS,
    in_points,
    range_option,
)

if TYPE_CHECKING:
    from nstar._api.plan import PlanQuestion
    from nstar._api.plan.words import PlanWords
    from nstar._verbs.plan.design import PlanFamily
    from nstar._verbs.plan.monitoring import Way


BENCHMARK_NAMES = ("mmlu", "math", "gsm8k", "arc", "bbh")


@dataclass(frozen=True, kw_only=True)
class _OneLook:
    baseline: float | None = option(
        "--baseline", type=ACCURACY, help="Accuracy you start from: 70% or 0.7."
    )
    delta: tuple[float, ...] | None = option(
        "--delta",
        type=SCORE_GAPS,
        help="Gap to detect: 1pp or 0.01; with --sd in score units; a list makes a table.",
    )
    items: int | None = option("--items", type=ITEMS, help="Items both models answer.")
    rho: tuple[float, ...] | None = option(
        "--rho", type=RHOS, help="Item correlation of the models; a list makes a table."
    )
    psi: float | None = option(
        "--psi", type=ACCURACY, help="Share of items on which exactly one is right."
    )
    odds_ratio: float | None = option(
        "--odds-ratio", type=float, help="Items gained per item lost, with --psi."
    )
    benchmark: str | None = option(
        "--benchmark",
        type=click.Choice(BENCHMARK_NAMES, case_sensitive=False),
        help="Published typical rho.",
    )
    sd: float | None = option(
        "--sd", type=float, help="Graded scores: sd of one model's scores (with --rho)."
    )
    sd_diff: float | None = option(
        "--sd-diff", type=float, help="Graded scores: sd of the per-item difference."
    )
    unpaired: bool = option("--unpaired", is_flag=True, help="Different items for each model.")
    icc: float | None = option(
        "--icc", type=float, help="Items in clusters: intra-cluster correlation."
    )
    cluster_size: float | None = option(
        "--cluster-size",
        type=click.FloatRange(min=1),
        help="Items per cluster; unequal: Σm²/Σm.",
    )
    clusters: int | None = option(
        "--clusters", type=click.IntRange(min=2), help="Clusters, if their number is fixed."
    )
    models: int = option(
        "--models", type=click.IntRange(min=2), default=2, help="Models compared at once."
    )
    family: "PlanFamily" = option(
        "--family",
        type=click.Choice(["all-pairs", "adjacent"]),
        default="all-pairs",
        show_default=True,
        help="Comparisons that must hold at once.",
    )
    margin: float | None = option(
        "--margin", type=SCORE_GAP, help="Show that the gap is smaller than this (equivalence)."
    )
    non_inferiority: bool = option(
        "--non-inferiority", is_flag=True, help="With --margin: A is not worse by it."
    )
    half_width: float | None = option(
        "--half-width", type=SCORE_GAP, help="Interval half-width wanted for the gap."
    )
    score_range: tuple[float, float] | None = range_option()


@dataclass(frozen=True, kw_only=True)
class _Looks:
    sequential: "Way | None" = option(
        "--sequential",
        type=click.Choice([*EVERY_ITEM, *PLANNED_LOOKS]),
        help="Look while it runs: items at most, items on average.",
    )
    looks: int | None = option(
        "--looks",
        type=click.IntRange(min=1, max=100),
        help=f"Planned looks of {PLANNED_LOOKS[0]}, pocock …  [default: {USUAL_LOOKS}]",
    )


@dataclass(frozen=True, kw_only=True)
class _Budget:
    budget: float | None = option(
        "--budget", type=MONEY, help="Money: best tasks and runs for it."
    )
    cost_run: tuple[float, ...] | None = option(
        "--cost-run", type=MONIES, help="Cost of a run; A,B if they differ."
    )
    cost_task: float | None = option(
        "--cost-task", type=MONEY, help="Cost of a task before any run."
    )
    tasks_available: int | None = option("--tasks-available", type=TASKS, help="Tasks that exist.")
    runs: tuple[float, ...] | None = option(
        "--runs", type=COUNTS, help="Runs per task, if fixed; A,B if unequal."
    )
    flip: float | None = option(
        "--flip", type=ACCURACY, help="How often two runs of a task disagree."
    )
    sd_between: float | None = option(
        "--sd-between", type=float, help="Sd over tasks of the true difference."
    )
    sd_within: tuple[float, ...] | None = option(
        "--sd-within", type=SDS, help="Sd of runs of one task; A,B if unequal."
    )
    pilot: tuple[str, ...] = option(
        "--pilot",
        multiple=True,
        metavar="LOG",
        shell_complete=complete_files,
        help="Logs with runs of one model or two: spread, and costs if they have them.",
    )
    price: tuple[str, ...] = option(
        "--price",
        multiple=True,
        metavar="MODEL=IN/OUT",
        help="Money per million tokens in and out, for the tokens of --pilot; or a TOML file.",
    )
    task: str | None = option("--task", metavar="TASK", help="With --pilot: the task set meant.")
    metric: str | None = option(
        "--metric", metavar="METRIC", help="With --pilot: the score meant."
    )
    resample: bool = option(
        "--resample",
        is_flag=True,
        help="With --pilot: power by drawing its tasks again and again.",
    )


@dataclass(frozen=True, kw_only=True)
class PlanOptions(
    FormatOptions, LevelOptions, PageOptions, FigureOptions, _Budget, _Looks, _OneLook
):
    """Everything that can be said to ``nstar plan``."""

    figure_kind: str | None = figure_kind("plan")

    def words(self) -> "PlanWords":
        """What is said, gaps in points still known as such."""
        from nstar._api.plan.words import PlanWords

        said = {f.name: getattr(self, f.name) for f in fields(PlanWords) if f.name != "design"}
        return PlanWords(**said | {name: said[name] or None for name in ("pilot", "price")})

    def question(self) -> "PlanQuestion":
        """What is asked; the logs of a pilot are not read yet."""
        from nstar._api.plan import PlanQuestion

        words = self.words()
        _refuse_points(words)
        return PlanQuestion(**{f.name: getattr(words, f.name) for f in fields(words)})


def _refuse_points(words: "PlanWords") -> None:
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
