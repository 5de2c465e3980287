"""``nstar plan --budget``: options about money, tasks and runs, and the plan they ask for."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from nstar.cli.kit.output import refuse_usage
from nstar.cli.plan.options import PlanOptions

if TYPE_CHECKING:
    from nstar._verbs.budget import BudgetPlan, Spread
    from nstar._verbs.budget.prices import Price
    from nstar._verbs.budget.result import CostsSource
    from nstar._verbs.runs import RunTable
    from nstar._verbs.verdict import Criteria
    from nstar.stats import RunCosts


def _of_file(path: Path) -> "dict[str, Price]":
    """``"acme/model" = "3/15"``, a line each."""
    import tomllib

    from nstar._verbs.budget.prices import Price
    from nstar.errors import DataError

    try:
        given = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        msg = f"{path}: no price table: {error}"
        raise DataError(msg) from error
    for model, value in given.items():
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            msg = f'{path}: price of {model!r} must be a line such as "{model}" = "3/15"'
            raise DataError(msg)
    return {model: Price.parse(str(value)) for model, value in given.items()}


def _read_prices(values: Sequence[str]) -> "dict[str, Price]":
    """Prices by model, of ``MODEL=IN/OUT``, ``IN/OUT`` for all or a TOML file; the last counts."""
    from nstar._verbs.budget.prices import Price

    prices: dict[str, Price] = {}
    for value in values:
        if value.lower().endswith(".toml"):
            prices |= _of_file(Path(value))
            continue
        model, sign, price = value.rpartition("=")
        prices[model if sign else "*"] = Price.parse(price)
    return prices


_OWN = (
    *("budget", "cost_run", "cost_task", "tasks_available", "runs", "flip", "sd_between"),
    *("sd_within", "pilot", "price", "task", "metric", "resample"),
)
"""Options of which any one asks for tasks and runs instead of items."""
_FOREIGN = (
    *("items", "psi", "odds_ratio", "benchmark", "sd", "sd_diff", "icc", "cluster_size"),
    *("clusters", "margin", "non_inferiority", "half_width"),
)
"""Options about items that each model answers once."""
_ASSUMED = ("sd_between", "sd_within", "flip", "baseline", "unpaired")
"""What a pilot shows, so that nobody needs to assume it."""


def given_for_budget(options: PlanOptions) -> list[str]:
    """Options given that are about tasks and runs."""
    return options.said(*_OWN)


def asks_for_budget(options: PlanOptions) -> bool:
    """Whether tasks and runs are planned rather than items."""
    return bool(given_for_budget(options))


def _check(options: PlanOptions) -> None:
    """Refuse what would silently be ignored."""
    own = options.said(*_OWN)[0]
    foreign = options.said(*_FOREIGN)
    if foreign:
        refuse_usage(
            f"{own} plans tasks and runs, {foreign[0]} is about items that each model answers "
            "once; leave one out"
        )
    if options.models > 2:
        refuse_usage(f"{own} plans one comparison of two models; leave --models out")
    at_hand = options.tasks_available is not None and options.runs
    if options.budget is None and not options.delta and not at_hand:
        refuse_usage(
            "give --budget (what can it detect?), --delta (what does it cost?), both (with what "
            "power?), or --tasks-available and --runs (what can these detect?)"
        )
    for name in ("price", "task", "metric", "resample"):
        if getattr(options, name) and not options.pilot:
            refuse_usage(f"--{name} is about the logs of --pilot LOG, which is not given")
    if options.price and options.cost_run:
        refuse_usage("--price and --cost-run both say what a run costs; give one of them")
    if len(options.rho or ()) > 1:
        refuse_usage("--rho takes one value here; the table shows others")


def _pair(values: tuple[float, ...], name: str) -> tuple[float, float]:
    if len(values) > 2:
        refuse_usage(f"{name} takes one number, or one for each of the two models")
    return values[0], values[-1]


def _from_sds(options: PlanOptions) -> "Spread":
    from nstar._verbs.budget import Spread

    if options.sd_between is None or options.sd_within is None:
        refuse_usage("--sd-between and --sd-within go together")
    for name in options.said("flip", "rho", "unpaired"):
        refuse_usage(f"{name} with --sd-between: the spread is given already; leave one out")
    a, b = _pair(options.sd_within, "--sd-within")
    for name, sd, cap in (("within", max(a, b), 0.5), ("between", options.sd_between, 1.0)):
        if options.baseline is not None and sd > cap:
            refuse_usage(
                f"--sd-{name} {sd:g}: --baseline is for 0/1 scores, which have one of at most "
                f"{cap:g}; leave --baseline out for graded scores"
            )
    return Spread(
        sigma_b2=options.sd_between**2,
        sigma_wa2=a * a,
        sigma_wb2=b * b,
        baseline=options.baseline,
    )


def _from_rates(options: PlanOptions) -> "Spread":
    from nstar._verbs.benchmarks import TYPICAL
    from nstar._verbs.budget import Spread

    if options.baseline is None or options.flip is None:
        refuse_usage(
            "give --baseline (the success rate) and --flip (how often two runs of a task "
            "disagree), or --sd-between and --sd-within, or --pilot LOG"
        )
    rates = (options.baseline, options.flip)
    if options.unpaired:
        if options.rho:
            refuse_usage("--rho and --unpaired answer the same question; give one of them")
        return Spread.of_rates(*rates, 0.0).apart() or Spread.of_rates(*rates, 0.0)
    if options.rho:
        return Spread.of_rates(*rates, options.rho[0])
    rho = TYPICAL.mean
    source = f"assumed rho = {rho:g}; a pilot of both models shows it"
    return Spread.of_rates(*rates, rho, source=source)


def _assumed(options: PlanOptions) -> "Spread":
    """Variances of one task's difference, from sds or from rates."""
    by_sds = options.sd_between is not None or options.sd_within is not None
    return _from_sds(options) if by_sds else _from_rates(options)


def _pilot(options: PlanOptions) -> "tuple[RunTable, ...]":
    """The tables of the logs; none without --pilot."""
    from nstar.cli.plan.pilot import pilot_runs

    if not options.pilot:
        return ()
    assumed = options.said(*_ASSUMED)
    if assumed:
        refuse_usage(f"--pilot shows the spread; leave {assumed[0]} out")
    return pilot_runs(options.pilot, options)


def _of_pilot(
    tables: "tuple[RunTable, ...]", options: PlanOptions
) -> "tuple[Spread, RunCosts, CostsSource]":
    """Spread and costs as logs show them, and where the costs come from."""
    from nstar._verbs.budget.pilot import pilot_spread
    from nstar._verbs.budget.prices import log_costs

    rho = options.rho[0] if options.rho else None
    if rho is not None and len(tables) > 1:
        refuse_usage("--rho is for a pilot of one model; this one shows how the two correlate")
    spread = pilot_spread(*tables, rho=rho)
    if options.price or (not options.cost_run and all(t.cost is not None for t in tables)):
        prices = _read_prices(options.price)
        source: CostsSource = "prices" if prices else "logs"
        return spread, log_costs(tables, prices, task=options.cost_task or 0.0), source
    return spread, *_costs(options)


def _costs(options: PlanOptions) -> "tuple[RunCosts, CostsSource]":
    """Costs as given, a run being the unit if nothing is said."""
    from nstar.stats import RunCosts

    a, b = _pair(options.cost_run or (1.0,), "--cost-run")
    if not min(a, b) > 0:
        refuse_usage("--cost-run must be above 0: a run that costs nothing needs no plan")
    source: CostsSource = "given" if options.cost_run else "assumed"
    return RunCosts(task=options.cost_task or 0.0, run_a=a, run_b=b), source


def solve_budget(options: PlanOptions, criteria: "Criteria") -> "BudgetPlan":
    """The plan that the options ask for."""
    from nstar._verbs.budget import plan_budget

    _check(options)
    gaps = options.delta or ()
    runs = None
    if options.runs:
        first, second = _pair(options.runs, "--runs")
        runs = (int(first), int(second))
    tables = _pilot(options)
    found = _of_pilot(tables, options) if tables else (_assumed(options), *_costs(options))
    spread, costs, source = found
    plan = plan_budget(
        spread,
        costs,
        budget=options.budget,
        delta=gaps[0] if gaps else None,
        tasks_available=options.tasks_available,
        runs=runs,
        criteria=criteria,
        deltas=gaps if len(gaps) > 1 else (),
    )
    plan = replace(plan, costs_source=source)
    return _resampled(plan, tables) if options.resample else plan


def _resampled(plan: "BudgetPlan", tables: "tuple[RunTable, ...]") -> "BudgetPlan":
    """The plan, its power checked by drawing the pilot's tasks."""
    from nstar._verbs.budget.pilot import pilot_power

    design = plan.design
    if design is None:
        return plan
    found = pilot_power(
        *tables,
        delta=design.mde if plan.delta is None else plan.delta,
        tasks=design.tasks,
        runs_a=design.runs_a,
        runs_b=design.runs_b,
        rho=plan.spread.rho,
        criteria=plan.criteria,
    )
    return replace(plan, resampled=found)
