"""The options of ``nstar plan``: what is known, what is wanted, looks, money; and their units."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

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
    refuse_large,
    refuse_points_of,
)

if TYPE_CHECKING:
    from nstar._verbs.plan.design import PlanFamily
    from nstar._verbs.plan.monitoring import Way


BENCHMARK_NAMES = ("mmlu", "math", "gsm8k", "arc", "bbh")
LOOKS = ("obrien-fleming", "pocock", "lan-demets-of", "lan-demets-pocock")
"""Ways of looking at planned moments."""
EVERY_ITEM = ("e-process", "bets", "asymptotic")
"""Ways of looking after every item."""
USUAL_LOOKS = 5


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
        type=click.Choice([*EVERY_ITEM, *LOOKS]),
        help="Look while it runs: items at most, items on average.",
    )
    looks: int | None = option(
        "--looks",
        type=click.IntRange(min=1, max=100),
        help=f"Planned looks of {LOOKS[0]}, pocock …  [default: {USUAL_LOOKS}]",
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

    def said(self, *names: str) -> list[str]:
        """Those of the options that were given, as flags."""
        return [f"--{name.replace('_', '-')}" for name in names if _is_given(getattr(self, name))]


def _is_given(value: object) -> bool:
    return value is not None and value is not False and value != ()


_SDS = (("sd", 0.5), ("sd_diff", 1.0), ("sd_between", 1.0), ("sd_within", 0.5))
"""Standard deviations, and the largest that scores from 0 to 1 can have."""
_ABSURD = 3.0
"""Nobody plans for a gap of so many standard deviations."""


def _given(options: PlanOptions) -> list[tuple[str, float]]:
    """Every gap with the name of its option."""
    return [
        *(("delta", gap) for gap in options.delta or ()),
        *(
            (name, getattr(options, name))
            for name in ("margin", "half_width")
            if getattr(options, name) is not None
        ),
    ]


def _largest_sd(options: PlanOptions) -> tuple[str, float, float] | None:
    """The option, its value and the cap of the largest standard deviation beside its cap."""
    found = []
    for name, cap in _SDS:
        value = getattr(options, name)
        if value is not None:
            sd = max(value) if isinstance(value, tuple) else value
            found.append((name, sd, cap))
    return max(found, key=lambda sd: sd[1] / sd[2], default=None)


def _refuse(name: str, gap: float, why: str) -> None:
    shown = f"{100 * gap:g}pp" if in_points(gap) else f"{gap:g}"
    msg = f"--{name.replace('_', '-')} {shown}: {why}"
    raise click.UsageError(msg)


def check_gaps(options: PlanOptions) -> None:
    """Refuse gaps that are not in the units of the scores; those of a pilot are not known yet.

    Raises
    ------
    click.UsageError
        With what to write instead.
    """
    if options.pilot:
        return
    sd = _largest_sd(options)
    for name, gap in _given(options):
        if sd is None:
            if abs(gap) >= 1:
                _refuse(
                    name,
                    gap,
                    f"too large for a proportion; write {gap:g}pp for percentage points or "
                    f"{gap / 100:g} (score units go with --sd or --sd-diff)",
                )
            continue
        option = f"--{sd[0].replace('_', '-')} {sd[1]:g}"
        if in_points(gap) and sd[1] > sd[2]:
            _refuse(
                name, gap, f"with {option} scores do not run from 0 to 1; give it in their units"
            )
        if abs(gap) >= 1 and sd[1] <= sd[2] and abs(gap) > _ABSURD * sd[1]:
            _refuse(
                name,
                gap,
                f"gaps are in the units of {option}; write {gap / 100:g} or {gap:g}pp if scores "
                "run from 0 to 1",
            )


def check_pilot_gaps(options: PlanOptions, limits: tuple[float, float]) -> None:
    """The same once the scores of a pilot are there.

    Raises
    ------
    ParameterError
        With what to write instead.
    """
    for name, gap in _given(options):
        refuse_points_of(name, gap, limits)
        refuse_large(name, gap, limits)
