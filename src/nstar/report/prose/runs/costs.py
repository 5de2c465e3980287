"""Write sentences and tables of the costs of runs."""

import math
from collections.abc import Iterator

from nstar._base.types import Interval
from nstar._verbs.runs import Runs
from nstar._verbs.runs.result import CostSummary, ModelCosts, PrecisionCost
from nstar.report.documents import TextTable
from nstar.report.prose.gap import coverage, declared_gap, gap
from nstar.report.prose.numbers import count, money, name, ratio, two_names


def _span(ends: Interval | None) -> str:
    return "–" if ends is None else f"{money(float(ends[0]))} to {money(float(ends[1]))}"


def _rows(spent: ModelCosts) -> Iterator[tuple[str, str, str]]:
    yield "per run", money(spent.cost_per_run), _span(spent.cost_per_run_ci)
    if spent.n_passed is not None:
        price = "–" if spent.cost_per_success is None else money(spent.cost_per_success)
        yield "per run that passed", price, _span(spent.cost_per_success_ci)
    yield "total", money(spent.cost), ""


def costs_grid(result: Runs) -> TextTable | None:
    """Return the table of cost per run and per success for each model."""
    costs = result.costs
    if costs is None or not costs.model_costs:
        return None
    columns = [{label: cells for label, *cells in _rows(m)} for m in costs.model_costs]
    labels = dict.fromkeys(label for column in columns for label in column)
    conf = f"{coverage(result.confidence_level)} CI"
    names = two_names([m.model for m in costs.model_costs], 24)
    return TextTable(
        title="Cost of a run, in the currency of the logs",
        header=("", *(x for n in names for x in (n, conf))),
        rows=tuple(
            (label, *(x for column in columns for x in column.get(label, ("–", "–"))))
            for label in labels
        ),
    )


def _tasks(result: Runs, precision: PrecisionCost) -> str:
    more_tasks = precision.more_tasks
    if more_tasks is None:
        return "no number of tasks is enough"
    ends = ""
    if more_tasks.cost_ci is not None:
        ends = f", {coverage(result.confidence_level)} CI {_span(more_tasks.cost_ci)}"
    return (
        f"more tasks cost about {money(more_tasks.cost)} ({count(math.ceil(more_tasks.n_tasks))} "
        f"tasks in all{ends})"
    )


def _runs(result: Runs, precision: PrecisionCost) -> str:
    more_runs, each = precision.more_runs, " per model" if result.estimate is not None else ""
    if more_runs is None:
        repeated = (
            result.model_runs[0].n_repeated
            if result.estimate is None
            else result.estimate.removable_share
        )
        reason = (
            "is enough" if repeated else "is known to be enough, because no task was run twice"
        )
        return f"no number of runs of the same tasks {reason}"
    return (
        f"more runs cost about {money(more_runs.cost)} ({more_runs.run_ratio:.2g}× the "
        f"runs{each} on the same tasks)"
    )


def _certainty(result: Runs, precision: PrecisionCost) -> str:
    scale = result if result.estimate is None else result.estimate.comparison
    measure = "SE" if precision.measure == "standard error" else "MDE"
    return (
        f"To lower the {measure} from {gap(scale, precision.current)} by "
        f"{declared_gap(scale, precision.reduction)}, {_tasks(result, precision)}, and "
        f"{_runs(result, precision)}."
    )


def _of_model(spent: ModelCosts) -> Iterator[str]:
    model = name(spent.model)
    if spent.n_runs < spent.n_runs_scored:
        yield (
            f"{model}: costs are known for {spent.n_runs:,} of {spent.n_runs_scored:,} runs, on "
            f"{spent.n_tasks:,} tasks."
        )
    if spent.cost_unscored > 0:
        yield (
            f"{model}: runs without a score cost another {money(spent.cost_unscored)}, which "
            "is not included elsewhere."
        )
    if spent.n_passed == 0:
        total = money(spent.cost)
        yield f"{model}: no run passed, so there is no cost per success; {total} was spent."


def _times(result: Runs, costs: CostSummary) -> Iterator[str]:
    if costs.cost_ratio is None:
        return
    first, second = (name(n) for n in result.models)
    ends = ""
    if costs.cost_ratio_ci is not None:
        low, high = (ratio(float(v)) for v in costs.cost_ratio_ci)
        ends = f" ({coverage(result.confidence_level)} CI {low} to {high})"
    yield (
        f"A run that passes costs {ratio(costs.cost_ratio)}× as much with {first} as with "
        f"{second}{ends}, on shared tasks."
    )


def costs_notes(result: Runs) -> Iterator[str]:
    """Yield the notes on costs, starting with the answer."""
    costs = result.costs
    if costs is None:
        return
    yield from _times(result, costs)
    if costs.precision_cost is not None:
        yield _certainty(result, costs.precision_cost)
    for spent in costs.model_costs:
        yield from _of_model(spent)
    for model in costs.models_with_negative_costs:
        yield f"{name(model)}: costs are excluded, because the logs contain negative costs."


def costs_assumptions(result: Runs) -> tuple[str, ...]:
    """Return the assumptions about costs."""
    if result.costs is None or not result.costs.model_costs:
        return ()
    return (
        "Costs refer to runs with a score. The cost per success is the mean cost divided by the "
        "mean success rate, with tasks as units and a CI on the log scale.",
    )
