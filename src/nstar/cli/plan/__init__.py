"""``nstar plan``: before the evaluation is run, for one look or several."""

from typing import TYPE_CHECKING, Any

import click

from nstar.cli.kit.output import emit, refuse_usage, reported_errors
from nstar.cli.kit.params import takes
from nstar.cli.plan.budget import asks_for_budget, given_for_budget, solve_budget
from nstar.cli.plan.options import LOOKS, USUAL_LOOKS, PlanOptions, check_gaps

if TYPE_CHECKING:
    from nstar._verbs.budget import BudgetPlan
    from nstar._verbs.plan import Design, Noise, Plan
    from nstar._verbs.plan.sequential_result import SequentialPlan
    from nstar._verbs.verdict import Criteria

_MENDS = {
    "margin": "a margin is watched with nstar watch --margin, and planned for one look",
    "non_inferiority": "a margin is watched with nstar watch --margin, and planned for one look",
    "half_width": "an interval of a given width is planned for one look",
    "icc": "looks are planned for independent items",
    "cluster_size": "looks are planned for independent items",
    "clusters": "looks are planned for independent items",
    "unpaired": "looks are planned for two models on the same items",
    "figure": "no figure is drawn of it",
    "figure_kind": "no figure is drawn of it",
}
"""Options that mean nothing beside --sequential, and why."""


def check_sequential(options: PlanOptions, other: list[str]) -> bool:
    """Whether looks are planned; refuses what would silently be ignored.

    ``other`` are the options given that ask for tasks and runs.
    """
    if options.sequential is None:
        if options.looks is not None:
            refuse_usage(
                f"--looks needs --sequential {LOOKS[0]} or another way with planned looks"
            )
        return False
    if other:
        refuse_usage(f"--sequential plans items, {other[0]} tasks and runs; leave one out")
    _check_question(options)
    _check_way(options, options.sequential)
    return True


def _check_question(options: PlanOptions) -> None:
    """One comparison, one gap, independent items."""
    for name, why in _MENDS.items():
        if getattr(options, name) not in (None, False):
            refuse_usage(f"--sequential: {why}; leave --{name.replace('_', '-')} out")
    if options.models > 2:
        refuse_usage("--sequential plans one comparison of two models; leave --models out")
    for name in ("delta", "rho"):
        if len(getattr(options, name) or ()) > 1:
            refuse_usage(
                f"--{name} takes one value beside --sequential, whose table is of methods"
            )


def _check_way(options: PlanOptions, way: str) -> None:
    """What this way of looking is for."""
    graded = options.sd is not None or options.sd_diff is not None
    for name, cap in (("sd", 0.5), ("sd_diff", 1.0)):
        if getattr(options, name) is not None and getattr(options, name) > cap:
            refuse_usage(
                f"{options.said(name)[0]} {getattr(options, name):g}: looks are for scores "
                f"in [0, 1], which have one of at most {cap:g}; divide the scores and the gap by "
                "their range"
            )
    if way == "e-process" and graded:
        refuse_usage(
            "e-process is for 0/1 scores; with --sd or --sd-diff choose bets or asymptotic"
        )
    if way == "asymptotic" and not graded:
        refuse_usage(
            "asymptotic is for graded scores (--sd, --sd-diff); 0/1 scores have e-process"
        )
    if way in LOOKS:
        return
    if options.looks is not None:
        refuse_usage(f"{way} looks after every item; leave --looks out, or choose {LOOKS[0]}")
    if options.one_sided:
        refuse_usage(f"{way} looks for either model; leave --one-sided out, or choose {LOOKS[0]}")


def solve_sequential(
    design: "Design", criteria: "Criteria", delta: float | None, options: PlanOptions
) -> "SequentialPlan":
    """The plan that the options ask for."""
    from nstar._verbs.plan.sequential import plan_sequential

    if delta is None and options.items is None:
        refuse_usage(
            "give --delta (how many items are needed?), --items (what gap can they detect?) "
            "or both (with what power?)"
        )
    if options.sequential is None:
        raise AssertionError
    return plan_sequential(
        design,
        options.sequential,
        delta=delta,
        items=options.items,
        looks=options.looks or USUAL_LOOKS,
        criteria=criteria,
    )


def _exclusive(options: PlanOptions, *names: str) -> None:
    named = options.said(*names)
    if len(named) > 1:
        refuse_usage(f"{' and '.join(named)} answer the same question; give one of them")


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
        refuse_usage("--range is for graded scores: --sd or --sd-diff")
    if options.baseline is not None and (options.sd or options.sd_diff):
        refuse_usage("--baseline is for 0/1 scores; with --sd or --sd-diff leave it out")
    if options.margin is not None and options.one_sided:
        refuse_usage("--margin is tested one-sided already; leave --one-sided out")
    if options.unpaired and options.sd is not None:
        refuse_usage("--unpaired with --sd: use --sd with --rho 0, which is the same")


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
        refuse_usage(
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
            refuse_usage("--odds-ratio goes with --psi, and replaces --delta")
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
        refuse_usage("--delta and --half-width answer the same question; give one of them")
    if options.half_width is not None and (options.non_inferiority or options.one_sided):
        refuse_usage("--half-width is about a two-sided interval; leave the other flag out")
    if options.margin is not None and deltas:
        refuse_usage("--margin takes one --delta, the true gap assumed")
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
        refuse_usage("--non-inferiority needs --margin")
    if delta is None and items is None and not (design.clusters and design.cluster_size):
        refuse_usage(
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
        refuse_usage(
            "--icc needs --cluster-size (more clusters can be had) or --clusters (they cannot)"
        )
    if options.icc is None and (options.cluster_size or options.clusters):
        refuse_usage("--cluster-size and --clusters need --icc")
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
