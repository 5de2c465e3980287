"""``nstar plan``: before the evaluation is run."""

from typing import TYPE_CHECKING, Any, NoReturn

import click

from nstar.cli.kit.output import emit, reported_errors
from nstar.cli.kit.params import takes
from nstar.cli.plan.budget import asks_for_budget, given_for_budget, solve_budget
from nstar.cli.plan.options import PlanOptions, check_gaps
from nstar.cli.plan.sequential import check_sequential, solve_sequential

if TYPE_CHECKING:
    from nstar._verbs.budget import BudgetPlan
    from nstar._verbs.plan import Design, Noise, Plan
    from nstar._verbs.plan.result import SequentialPlan
    from nstar._verbs.verdict import Criteria

__all__ = ["plan_command"]


def _refuse(message: str) -> NoReturn:
    raise click.UsageError(message)


def _exclusive(options: PlanOptions, *names: str) -> None:
    named = options.said(*names)
    if len(named) > 1:
        _refuse(f"{' and '.join(named)} answer the same question; give one of them")


def _rho(options: PlanOptions) -> tuple[float, tuple[float, ...] | None, str]:
    """Headline rho, the rhos of the table (None: the usual ones), and where it comes from."""
    from nstar._verbs.benchmarks import BENCHMARKS, TYPICAL

    if options.rho:
        listed = options.rho
        return listed[0], listed if len(listed) > 1 else None, "given"
    if options.benchmark:
        t = BENCHMARKS[options.benchmark]
        source = (
            f"published mean for {t.name}, quartiles {t.low:g} and {t.high:g}, clawRxiv 2604.01974"
        )
        return t.mean, (t.low, t.mean, t.high), source
    return TYPICAL.mean, None, "assumed; published means run from 0.41 to 0.69"


def _check_noise(options: PlanOptions) -> None:
    """Refuse options that would silently be ignored beside another."""
    for others in (("rho", "psi", "benchmark", "sd_diff", "unpaired"), ("sd", "sd_diff", "psi")):
        _exclusive(options, *others)
    if options.score_range is not None and not (options.sd or options.sd_diff):
        _refuse("--range is for graded scores: --sd or --sd-diff")
    if options.baseline is not None and (options.sd or options.sd_diff):
        _refuse("--baseline is for 0/1 scores; with --sd or --sd-diff leave it out")
    if options.margin is not None and options.one_sided:
        _refuse("--margin is tested one-sided already; leave --one-sided out")
    if options.unpaired and options.sd is not None:
        _refuse("--unpaired with --sd: use --sd with --rho 0, which is the same")


def _width(options: PlanOptions) -> float:
    """Best minus worst possible score."""
    low, high = options.score_range or (0.0, 1.0)
    return float(high - low)


def _noise(options: PlanOptions) -> "tuple[Noise, tuple[float, ...] | None, str]":
    from nstar._verbs.plan import Graded, PairedPsi, PairedRho, Unpaired

    _check_noise(options)
    if options.sd_diff is not None:
        return Graded(sd=options.sd_diff, width=_width(options)), None, "given"
    if options.psi is not None:
        _check_psi(options)
        return PairedPsi(psi=options.psi), None, "given"
    if options.sd is not None:
        rho, rhos, source = _rho(options)
        return Graded(sd=options.sd, rho=rho, width=_width(options)), rhos, source
    if options.baseline is None:
        _refuse(
            "give --baseline (the accuracy you start from), or --psi (the share of items on "
            "which the models disagree), or --sd for graded scores"
        )
    if options.unpaired:
        return Unpaired(baseline=options.baseline), None, "given"
    rho, rhos, source = _rho(options)
    return PairedRho(baseline=options.baseline, rho=rho), rhos, source


def _check_psi(options: PlanOptions) -> None:
    """With a baseline too, psi must be possible beside it."""
    if options.baseline is not None and options.psi is not None:
        from nstar.stats import rho_from_psi

        gap = (options.delta or (0.0,))[0]
        rho_from_psi(options.baseline + gap, options.baseline, options.psi)


def _delta(options: PlanOptions) -> tuple[float | None, tuple[float, ...]]:
    """Headline gap and the gaps of the table."""
    if options.odds_ratio is not None:
        from nstar.stats import delta_from_odds_ratio

        if options.psi is None or options.delta:
            _refuse("--odds-ratio goes with --psi, and replaces --delta")
        return float(delta_from_odds_ratio(options.odds_ratio, options.psi)), ()
    listed = options.delta or ()
    return (listed[0] if listed else None), listed if len(listed) > 1 else ()


def _solve(design: "Design", criteria: "Criteria", rhos: Any, options: PlanOptions) -> "Plan":
    from nstar._verbs.plan import plan, plan_margin, plan_precision
    from nstar._verbs.plan.solve import RHO_GRID

    delta, deltas = _delta(options)
    items = options.items
    _exclusive(options, "margin", "half_width")
    if delta is not None and options.half_width is not None:
        _refuse("--delta and --half-width answer the same question; give one of them")
    if options.half_width is not None and (options.non_inferiority or options.one_sided):
        _refuse("--half-width is about a two-sided interval; leave the other flag out")
    if options.margin is not None and deltas:
        _refuse("--margin takes one --delta, the true gap assumed")
    if options.half_width is not None:
        return plan_precision(
            design, half_width=options.half_width, items=items, criteria=criteria
        )
    if options.margin is not None:
        return plan_margin(
            design,
            margin=options.margin,
            delta=delta or 0.0,
            items=items,
            one_sided=options.non_inferiority,
            criteria=criteria,
        )
    if options.non_inferiority:
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


def _design(options: PlanOptions) -> "tuple[Design, tuple[float, ...] | None]":
    """Noise, family and clusters, and the rhos of the table."""
    from nstar._verbs.plan import Design

    noise, rhos, source = _noise(options)
    if options.icc and not (options.cluster_size or options.clusters):
        _refuse(
            "--icc needs --cluster-size (more clusters can be had) or --clusters (they cannot)"
        )
    if options.icc is None and (options.cluster_size or options.clusters):
        _refuse("--cluster-size and --clusters need --icc")
    design = Design(
        noise=noise,
        models=options.models,
        family=options.family,
        icc=options.icc or 0.0,
        cluster_size=options.cluster_size,
        clusters=options.clusters,
        source=source,
    )
    return design, rhos


@click.command("plan", short_help="How many items or tasks and runs, what gap, what power?")
@takes(options=PlanOptions)
def plan_command(options: PlanOptions) -> None:
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
    with reported_errors():
        check_gaps(options)
        criteria = options.criteria()
        result: Plan | BudgetPlan | SequentialPlan
        if check_sequential(options, given_for_budget(options)):
            result = solve_sequential(_design(options)[0], criteria, _delta(options)[0], options)
        elif asks_for_budget(options):
            result = solve_budget(options, criteria)
        else:
            design, rhos = _design(options)
            result = _solve(design, criteria, rhos, options)
        emit(result, options.format_)
        options.draw(result)
        options.write(result)
