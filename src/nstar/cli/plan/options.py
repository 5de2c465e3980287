"""The options of ``nstar plan``: what is known, what is wanted, money; and their units."""

from dataclasses import fields
from typing import TYPE_CHECKING

import click

from nstar.cli.kit.figure import FigureOptions, PageOptions, figure_kind
from nstar.cli.kit.gap_options import (
    SCORE_GAP,
    SCORE_GAPS,
    in_points,
    range_option,
)
from nstar.cli.kit.options import (
    ACCURACY,
    ITEM_COUNTS,
    RHOS,
    FormatOptions,
    LevelOptions,
)
from nstar.cli.kit.params import Heading, group, option

if TYPE_CHECKING:
    from nstar._api.plan import PlanQuestion
    from nstar._api.plan.parameters import PlanParameters
    from nstar._base.types import LossUnit


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
class PlanOptions(
    FormatOptions,
    LevelOptions,
    PageOptions,
    FigureOptions,
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
    if sd is None or sd[1] <= sd[2]:
        return
    for name, gap in gaps(words):
        if in_points(gap):
            msg = (
                f"{arg(name, f'{100 * gap:g}pp')}: with {arg(sd[0], f'{sd[1]:g}')} scores do not "
                "run from 0 to 1; give it in their units"
            )
            raise QuestionError(msg)
