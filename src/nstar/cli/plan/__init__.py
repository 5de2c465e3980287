"""``nstar plan``: before the evaluation is run."""

from typing import TYPE_CHECKING, Any, NoReturn

import click

from nstar.cli.kit.figure import draw_figure, figure_option
from nstar.cli.kit.options import ACCURACY, ITEMS, RHOS, shared_options
from nstar.cli.kit.output import emit, reported_errors
from nstar.cli.kit.page import html_option, write_page
from nstar.cli.kit.score_gap import SCORE_GAP, SCORE_GAPS, range_option
from nstar.cli.plan.budget import asks_for_budget, budget_options, given_for_budget, solve_budget
from nstar.cli.plan.gaps import check_gaps
from nstar.cli.plan.sequential import check_sequential, sequential_options, solve_sequential

if TYPE_CHECKING:
    from nstar._verbs.budget import BudgetPlan
    from nstar._verbs.plan import Design, Noise, Plan
    from nstar._verbs.plan.sequential_result import SequentialPlan
    from nstar._verbs.verdict import Criteria

__all__ = ["plan_command"]

BENCHMARK_NAMES = ("mmlu", "math", "gsm8k", "arc", "bbh")


def _refuse(message: str) -> NoReturn:
    raise click.UsageError(message)


def _exclusive(**given: Any) -> None:
    named = [f"--{k.replace('_', '-')}" for k, v in given.items() if v not in (None, False)]
    if len(named) > 1:
        _refuse(f"{' and '.join(named)} answer the same question; give one of them")


def _rho(options: dict[str, Any]) -> tuple[float, tuple[float, ...] | None, str]:
    """Headline rho, the rhos of the table (None: the usual ones), and where it comes from."""
    from nstar._verbs.benchmarks import BENCHMARKS, TYPICAL

    if options["rho"]:
        listed = options["rho"]
        return listed[0], listed if len(listed) > 1 else None, "given"
    if options["benchmark"]:
        t = BENCHMARKS[options["benchmark"]]
        source = (
            f"published mean for {t.name}, quartiles {t.low:g} and {t.high:g}, clawRxiv 2604.01974"
        )
        return t.mean, (t.low, t.mean, t.high), source
    return TYPICAL.mean, None, "assumed; published means run from 0.41 to 0.69"


def _check_noise(options: dict[str, Any]) -> None:
    """Refuse options that would silently be ignored beside another."""
    for others in (("rho", "psi", "benchmark", "sd_diff", "unpaired"), ("sd", "sd_diff", "psi")):
        _exclusive(**{name: options[name] for name in others})
    if options["score_range"] is not None and not (options["sd"] or options["sd_diff"]):
        _refuse("--range is for graded scores: --sd or --sd-diff")
    if options["baseline"] is not None and (options["sd"] or options["sd_diff"]):
        _refuse("--baseline is for 0/1 scores; with --sd or --sd-diff leave it out")
    if options["margin"] is not None and options["one_sided"]:
        _refuse("--margin is tested one-sided already; leave --one-sided out")
    if options["unpaired"] and options["sd"] is not None:
        _refuse("--unpaired with --sd: use --sd with --rho 0, which is the same")


def _width(options: dict[str, Any]) -> float:
    """Best minus worst possible score."""
    low, high = options["score_range"] or (0.0, 1.0)
    return float(high - low)


def _noise(options: dict[str, Any]) -> "tuple[Noise, tuple[float, ...] | None, str]":
    from nstar._verbs.plan import Graded, PairedPsi, PairedRho, Unpaired

    _check_noise(options)
    if options["sd_diff"] is not None:
        return Graded(sd=options["sd_diff"], width=_width(options)), None, "given"
    if options["psi"] is not None:
        _check_psi(options)
        return PairedPsi(psi=options["psi"]), None, "given"
    if options["sd"] is not None:
        rho, rhos, source = _rho(options)
        return Graded(sd=options["sd"], rho=rho, width=_width(options)), rhos, source
    if options["baseline"] is None:
        _refuse(
            "give --baseline (the accuracy you start from), or --psi (the share of items on "
            "which the models disagree), or --sd for graded scores"
        )
    if options["unpaired"]:
        return Unpaired(baseline=options["baseline"]), None, "given"
    rho, rhos, source = _rho(options)
    return PairedRho(baseline=options["baseline"], rho=rho), rhos, source


def _check_psi(options: dict[str, Any]) -> None:
    """With a baseline too, psi must be possible beside it."""
    if options["baseline"] is not None:
        from nstar.stats import rho_from_psi

        gap = (options["delta"] or (0.0,))[0]
        rho_from_psi(options["baseline"] + gap, options["baseline"], options["psi"])


def _delta(options: dict[str, Any]) -> tuple[float | None, tuple[float, ...]]:
    """Headline gap and the gaps of the table."""
    if options["odds_ratio"] is not None:
        from nstar.stats import delta_from_odds_ratio

        if options["psi"] is None or options["delta"]:
            _refuse("--odds-ratio goes with --psi, and replaces --delta")
        return float(delta_from_odds_ratio(options["odds_ratio"], options["psi"])), ()
    listed = options["delta"] or ()
    return (listed[0] if listed else None), listed if len(listed) > 1 else ()


def _solve(design: "Design", criteria: "Criteria", rhos: Any, options: dict[str, Any]) -> "Plan":
    from nstar._verbs.plan import plan, plan_margin, plan_precision
    from nstar._verbs.plan.solve import RHO_GRID

    delta, deltas = _delta(options)
    items = options["items"]
    _exclusive(margin=options["margin"], half_width=options["half_width"])
    _exclusive(delta=delta, half_width=options["half_width"])
    if options["half_width"] is not None and (options["non_inferiority"] or options["one_sided"]):
        _refuse("--half-width is about a two-sided interval; leave the other flag out")
    if options["margin"] is not None and deltas:
        _refuse("--margin takes one --delta, the true gap assumed")
    if options["half_width"] is not None:
        return plan_precision(
            design, half_width=options["half_width"], items=items, criteria=criteria
        )
    if options["margin"] is not None:
        return plan_margin(
            design,
            margin=options["margin"],
            delta=delta or 0.0,
            items=items,
            one_sided=options["non_inferiority"],
            criteria=criteria,
        )
    if options["non_inferiority"]:
        _refuse("--non-inferiority needs --margin")
    if delta is None and items is None and not (design.clusters and design.cluster_size):
        _refuse(
            "give --delta (how many items are needed?), --items (what gap can they detect?) "
            "or both (with what power?)"
        )
    return plan(
        design,
        delta=delta,
        items=items,
        criteria=criteria,
        rhos=rhos if rhos is not None else RHO_GRID,
        deltas=deltas,
    )


def _design(options: dict[str, Any]) -> "tuple[Design, tuple[float, ...] | None]":
    """Noise, family and clusters, and the rhos of the table."""
    from nstar._verbs.plan import Design

    noise, rhos, source = _noise(options)
    if options["icc"] and not (options["cluster_size"] or options["clusters"]):
        _refuse(
            "--icc needs --cluster-size (more clusters can be had) or --clusters (they cannot)"
        )
    if options["icc"] is None and (options["cluster_size"] or options["clusters"]):
        _refuse("--cluster-size and --clusters need --icc")
    design = Design(
        noise=noise,
        models=options["models"],
        family=options["family"],
        icc=options["icc"] or 0.0,
        cluster_size=options["cluster_size"],
        clusters=options["clusters"],
        source=source,
    )
    return design, rhos


@click.command("plan", short_help="How many items or tasks and runs, what gap, what power?")
@click.option("--baseline", type=ACCURACY, help="Accuracy you start from: 70% or 0.7.")
@click.option(
    "--delta",
    type=SCORE_GAPS,
    help="Gap to detect: 1pp or 0.01; with --sd in score units; a list makes a table.",
)
@click.option("--items", type=ITEMS, help="Items both models answer.")
@click.option("--rho", type=RHOS, help="Item correlation of the models; a list makes a table.")
@click.option("--psi", type=ACCURACY, help="Share of items on which exactly one is right.")
@click.option("--odds-ratio", type=float, help="Items gained per item lost, with --psi.")
@click.option(
    "--benchmark",
    type=click.Choice(BENCHMARK_NAMES, case_sensitive=False),
    help="Published typical rho.",
)
@click.option("--sd", type=float, help="Graded scores: sd of one model's scores (with --rho).")
@click.option("--sd-diff", type=float, help="Graded scores: sd of the per-item difference.")
@click.option("--unpaired", is_flag=True, help="Different items for each model.")
@click.option("--icc", type=float, help="Items in clusters: intra-cluster correlation.")
@click.option(
    "--cluster-size", type=click.FloatRange(min=1), help="Items per cluster; unequal: Σm²/Σm."
)
@click.option("--clusters", type=click.IntRange(min=2), help="Clusters, if their number is fixed.")
@click.option("--models", type=click.IntRange(min=2), default=2, help="Models compared at once.")
@click.option(
    "--family",
    type=click.Choice(["all-pairs", "adjacent"]),
    default="all-pairs",
    show_default=True,
    help="Comparisons that must hold at once.",
)
@click.option(
    "--margin", type=SCORE_GAP, help="Show that the gap is smaller than this (equivalence)."
)
@click.option("--non-inferiority", is_flag=True, help="With --margin: A is not worse by it.")
@click.option("--half-width", type=SCORE_GAP, help="Interval half-width wanted for the gap.")
@range_option
@sequential_options
@budget_options
@figure_option("plan")
@html_option()
@shared_options
def plan_command(**options: Any) -> None:
    """Plan an evaluation: give what you know, get what is missing.

    \b
    nstar plan --baseline 70% --delta 1pp --rho 0.4     items needed
    nstar plan --baseline 70% --items 1000 --rho 0.6    smallest detectable gap
    nstar plan --baseline 70% --items 1000 --delta 2pp  power
    nstar plan --psi 20% --delta 5pp --sequential e-process   looked at while it runs
    \b
    Agents, several runs per task:
    nstar plan --budget 5000 --cost-run 1 --baseline 50% --flip 30%
    nstar plan --pilot LOG --delta 5pp --cost-run 0.2
    """  # noqa: D301
    from nstar._verbs.verdict import Criteria

    with reported_errors():
        check_gaps(options)
        criteria = Criteria(
            alpha=options["alpha"], power=options["power"], sides=1 if options["one_sided"] else 2
        )
        result: Plan | BudgetPlan | SequentialPlan
        if check_sequential(options, given_for_budget(options)):
            result = solve_sequential(_design(options)[0], criteria, _delta(options)[0], options)
        elif asks_for_budget(options):
            result = solve_budget(options, criteria)
        else:
            design, rhos = _design(options)
            result = _solve(design, criteria, rhos, options)
        emit(result, options["format_"])
        draw_figure(result, options)
        write_page(result, options)
