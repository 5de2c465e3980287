"""``plan_runs``: plan tasks and repeated runs of two models."""

from collections.abc import Mapping
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Any, Unpack

from nstar._api.reading_words import PricedPilotWords
from nstar._base.parameter_types import (
    Correlation,
    Cost,
    Gaps,
    Logs,
    PlanAlternative,
    Proportion,
    RunCosts,
    RunCounts,
    RunSds,
    StandardDeviation,
    TaskCount,
)
from nstar._base.verb import at_least_one, at_most_one, together, verb
from nstar.errors import ParameterError, QuestionError, arg

if TYPE_CHECKING:
    from nstar import stats
    from nstar._data.findings import Finding
    from nstar._verbs.budget import TaskPlan, TaskVariances
    from nstar._verbs.budget.prices import Price
    from nstar._verbs.budget.result import CostsSource
    from nstar._verbs.runs import RunTable


@verb(
    at_least_one(
        budget="to get the detectable gap",
        delta="to get the cost",
        tasks_available="to get the gap that these tasks can detect",
    ),
    at_most_one("cost_run", price="token prices, which determine the cost of a run"),
    together("sd_between", "sd_within"),
)
def plan_runs(
    data: Logs = None,
    other: Any = None,
    /,
    *,
    budget: Cost | None = None,
    delta: Gaps | None = None,
    cost_run: RunCosts | None = None,
    cost_task: Cost | None = None,
    tasks_available: TaskCount | None = None,
    runs: RunCounts | None = None,
    baseline: Proportion | None = None,
    flip: Proportion | None = None,
    rho: Correlation | None = None,
    sd_between: StandardDeviation | None = None,
    sd_within: RunSds | None = None,
    resample: bool = False,
    alpha: Proportion = 0.05,
    power: Proportion = 0.8,
    alternative: PlanAlternative = "two-sided",
    **reading: Unpack[PricedPilotWords],
) -> "TaskPlan":
    """Find how many tasks to use, and how often to run each task, given a budget or a gap.

    Set ``budget`` to get the detectable gap, ``delta`` to get the cost, or both to get the power.
    The variance between tasks and runs is assumed, or estimated from a pilot of one or two models.
    Each log of a model counts as a run.

    Parameters
    ----------
    data : path, array, frame, or RunTable, optional
        Pilot logs of one or two models, written as [NAME=]PATH[::MODEL]. In Python, any data that
        :func:`nstar.runs` accepts.
    other : path, array, frame, or RunTable, optional
        Pilot scores of the second model, in the same form as ``data``.
    budget : float, optional
        Budget, in the same currency as the costs.
    delta : float or sequence of float, optional
        Gap to detect, such as 0.02 (2 pp). The gap is A minus B, in score units.
        Several values make a table.
    cost_run : float or pair of float, optional
        Cost of one run of a task, as one number for both models or one for each model. The default
        is the mean cost in the pilot, or 1 if the pilot has no costs.
    cost_task : float, optional
        Cost of one task in addition to the cost of its runs.
    tasks_available : int, optional
        Number of tasks that are available.
    runs : int or pair of int, optional
        Number of runs per task, as one number for both models or one for each model. By default,
        the best number is determined.
    baseline : float, optional
        Success rate of both models for 0/1 scores, such as 0.5.
    flip : float, optional
        Probability that two runs of a task have different 0/1 scores.
    rho : float, optional
        Correlation of the models' scores over tasks (default: 0.5). With a pilot of one model, it
        describes a second model like it.

    Other Parameters
    ----------------
    sd_between : float, optional
        Standard deviation of the true difference between the models over tasks.
    sd_within : float or pair of float, optional
        Standard deviation over the runs of a task, as one number for both models or one for each
        model.
    resample : bool, default False
        Check the power by resampling the tasks of the pilot.
    alpha : float, default 0.05
        Significance level of the tests.
    power : float, default 0.8
        Statistical power for which detectable gaps and sample sizes are computed.
    alternative : {"two-sided", "greater"}, default "two-sided"
        Alternative hypothesis: the gap is not zero, or is above zero.
    **reading
        Options for reading pilot logs; see :class:`nstar.types.ReadingWords`. In addition,
        ``task`` and ``metric`` select a task and a metric, and ``price`` is the price of a million
        input and output tokens.

    Returns
    -------
    TaskPlan
        The best numbers of tasks and runs, compared with alternatives and under other assumptions.

    Raises
    ------
    ParameterError
        A parameter is outside its domain, or two parameters contradict each other.
    DataError
        The pilot shows no variation, or does not contain the cost of a run.

    References
    ----------
    Methods: Repeated runs

    Examples
    --------
    >>> plan = plan_runs(budget=5000, cost_task=20, baseline=0.5, flip=0.3, rho=0.6)
    >>> plan.best_design.n_tasks, plan.best_design.n_runs_a
    (156, 6)
    """
    from nstar._api.inputs.gap_units import check_gap_on_scale
    from nstar._api.plan.pilot import check_mode, run_tables_of, score_limits
    from nstar._verbs.budget import plan_runs as solve
    from nstar._verbs.verdict import Criteria

    sds = {"sd_between": sd_between, "sd_within": sd_within}
    check_mode(
        data,
        assumed={"baseline": baseline, "flip": flip, **sds},
        of_pilot={"resample": resample, **reading},
    )
    if budget is None and delta is None and runs is None:
        msg = f"{arg('tasks_available')} also needs {arg('runs')}, {arg('delta')}, or a budget."
        raise QuestionError(msg)
    deltas = _listed(delta)
    price = reading.pop("price", None)
    tables: tuple[RunTable, ...] = ()
    findings: tuple[Finding, ...] = ()
    limits = (0.0, 1.0)
    if data is None:
        spread = _assumed_spread(baseline, flip, rho, sd_between, sd_within)
        _check_gaps(deltas, sds)
    else:
        tables, findings = run_tables_of(data, other, reading)
        limits = score_limits(tables)
        for gap in deltas:
            check_gap_on_scale("delta", gap, limits)
        spread = _pilot_spread(tables, rho)
    costs, source = _costs(tables, cost_run, cost_task or 0.0, price)
    plan = solve(
        spread,
        costs,
        budget=budget,
        delta=deltas[0] if deltas else None,
        tasks_available=tasks_available,
        runs=None if runs is None else _pair(runs),
        criteria=Criteria(alpha=alpha, power=power, alternative=alternative),
        deltas=deltas if len(deltas) > 1 else (),
    )
    plan = replace(plan, costs_source=source, score_range=limits, findings=findings)
    return _resampled(plan, tables) if resample else plan


def _listed(value: Any) -> tuple[Any, ...]:
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (value,)


def _pair(value: Any) -> tuple[Any, Any]:
    """Return one number for both models, or one for each."""
    values = _listed(value)
    return values[0], values[-1]


def _check_gaps(deltas: tuple[float, ...], sds: Mapping[str, Any]) -> None:
    from nstar._api.inputs.gap_units import check_planned_gaps

    largest = {name: max(_listed(sd), default=None) for name, sd in sds.items()}
    for gap in deltas:
        check_planned_gaps({"delta": gap}, largest)


def _assumed_spread(
    baseline: float | None,
    flip: float | None,
    rho: float | None,
    sd_between: float | None,
    sd_within: Any,
) -> "TaskVariances":
    """Return variances of one task's difference, from standard deviations or from rates."""
    from nstar._verbs.benchmarks import TYPICAL
    from nstar._verbs.budget import TaskVariances

    if sd_between is not None:
        for name, value in (("flip", flip), ("rho", rho)):
            at_most_one(name, sd_between="which includes both models").check(
                {name: value, "sd_between": sd_between}
            )
        return _spread_of_sds(sd_between, _pair(sd_within), baseline)
    if baseline is None or flip is None:
        msg = (
            f"Set {arg('baseline')} (success rate) and {arg('flip')} (how often two runs of a "
            f"task disagree), or {arg('sd_between')} and {arg('sd_within')}, or pass the logs of "
            "a pilot as the first argument."
        )
        raise QuestionError(msg)
    if rho is not None:
        return TaskVariances.of_rates(baseline, flip, rho)
    source = f"assumed rho = {TYPICAL.mean:g}; a pilot of both models shows it"
    return TaskVariances.of_rates(baseline, flip, TYPICAL.mean, source=source)


_MAX_SD = {"sd_between": 1.0, "sd_within": 0.5}
"""Largest standard deviations of scores from 0 to 1."""


def _spread_of_sds(
    between: float, within: tuple[float, float], baseline: float | None
) -> "TaskVariances":
    from nstar._base import checks
    from nstar._verbs.budget import TaskVariances

    checks.nonnegative("sd_within", list(within))
    checks.nonnegative("sd_between", between)
    for name, sd in (("sd_within", max(within)), ("sd_between", between)):
        if baseline is not None and sd > _MAX_SD[name]:
            msg = (
                f"{arg(name, f'{sd:g}')} is above {_MAX_SD[name]:g}, the maximum for the 0/1 "
                f"scores that {arg('baseline')} assumes. For graded scores, remove "
                f"{arg('baseline')}."
            )
            raise QuestionError(msg)
    first, second = within
    return TaskVariances(
        sigma_b2=between**2, sigma_wa2=first**2, sigma_wb2=second**2, baseline=baseline
    )


def _pilot_spread(tables: "tuple[RunTable, ...]", rho: float | None) -> "TaskVariances":
    from nstar._verbs.budget.pilot import pilot_spread

    if rho is not None and len(tables) > 1:
        msg = f"The pilot has two models, which determine the correlation. Remove {arg('rho')}."
        raise QuestionError(msg)
    return pilot_spread(*tables, rho=rho)


def _costs(
    tables: "tuple[RunTable, ...]", cost_run: Any, cost_task: float, price: Any
) -> "tuple[stats.RunCosts, CostsSource]":
    """Return costs and their source. Without any, a run costs 1."""
    from nstar._base import checks
    from nstar._verbs.budget.prices import log_costs
    from nstar.stats import RunCosts

    has_costs = bool(tables) and all(table.cost is not None for table in tables)
    if price is not None or (cost_run is None and has_costs):
        costs = log_costs(tables, read_prices(price), task=cost_task)
        return costs, "logs" if price is None else "prices"
    first, second = _pair(1.0 if cost_run is None else cost_run)
    checks.nonnegative("cost_task", cost_task)
    checks.positive("cost_run", [first, second])
    costs = RunCosts(task=cost_task, run_a=first, run_b=second)
    return costs, "assumed" if cost_run is None else "given"


def _resampled(plan: "TaskPlan", tables: "tuple[RunTable, ...]") -> "TaskPlan":
    """Check the power of the plan by resampling the tasks of the pilot."""
    from nstar._verbs.budget.pilot import pilot_power

    design = plan.best_design
    if design is None:
        return plan
    resampled = pilot_power(
        *tables,
        delta=design.mde if plan.delta is None else plan.delta,
        tasks=design.n_tasks,
        runs_a=design.n_runs_a,
        runs_b=design.n_runs_b,
        rho=plan.variances.rho,
        criteria=plan.criteria,
    )
    return replace(plan, resampled_power=resampled)


def _price(value: Any) -> "Price":
    """Parse ``"3/15"``, ``(3, 15)``, or one number for tokens in and out."""
    from nstar._verbs.budget.prices import Price

    if isinstance(value, Price):
        return value
    if isinstance(value, str | int | float):
        return Price.parse(str(value))
    if _is_pair(value):
        return Price(input=float(value[0]), output=float(value[1]))
    msg = (
        f"{arg('price')} must be the prices of a million input and output tokens, such as (3, "
        f"15); got {value!r}"
    )
    raise ParameterError(msg)


def _is_pair(value: Any) -> bool:
    if not isinstance(value, list | tuple) or len(value) != 2:
        return False
    return all(isinstance(number, Real) for number in value)


def read_prices(price: Any) -> "dict[str, Price]":
    """Return prices by model, with ``*`` for all other models.

    Parameters
    ----------
    price : object
        A price: ``"3/15"``, ``(3, 15)``, or one number for tokens in and out. Or a mapping from
        models to prices.

    Examples
    --------
    >>> read_prices({"acme/model": (3, 15)})
    {'acme/model': Price(input=3.0, output=15.0)}
    >>> read_prices(2)["*"]
    Price(input=2.0, output=2.0)
    """
    if price is None:
        return {}
    if isinstance(price, Mapping):
        return {str(model): _price(value) for model, value in price.items()}
    return {"*": _price(price)}
