"""What runs cost, in words: a table, a sentence on certainty, and what the numbers rest on."""

import math
from collections.abc import Iterator

from nstar._base.types import Interval
from nstar._verbs.runs import Runs
from nstar._verbs.runs.costs_result import CostSummary, ModelCosts, PrecisionCost
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
    """Cost per run and per success of each model."""
    found = result.costs
    if found is None or not found.model_costs:
        return None
    columns = [{label: cells for label, *cells in _rows(m)} for m in found.model_costs]
    labels = dict.fromkeys(label for column in columns for label in column)
    conf = f"{coverage(result.confidence_level)} CI"
    shown = two_names([m.model for m in found.model_costs], 24)
    return TextTable(
        title="Cost of a run, in the currency of the logs",
        header=("", *(x for n in shown for x in (n, conf))),
        rows=tuple(
            (label, *(x for column in columns for x in column.get(label, ("–", "–"))))
            for label in labels
        ),
    )


def _tasks(result: Runs, found: PrecisionCost) -> str:
    more = found.more_tasks
    if more is None:
        return "no number of tasks is enough"
    ends = ""
    if more.cost_ci is not None:
        ends = f", {coverage(result.confidence_level)} CI {_span(more.cost_ci)}"
    return f"about {money(more.cost)} ({count(math.ceil(more.n_tasks))} tasks in all{ends})"


def _runs(result: Runs, found: PrecisionCost) -> str:
    more, each = found.more_runs, " per model" if result.estimate is not None else ""
    if more is None:
        repeated = (
            result.model_runs[0].n_repeated
            if result.estimate is None
            else result.estimate.removable_share
        )
        reason = "is enough" if repeated else "is known to be enough: no task was run twice"
        return f"no number of runs of the same tasks {reason}"
    return f"about {money(more.cost)} ({more.run_ratio:.2g}× the runs{each} on the same tasks)"


def _certainty(result: Runs, found: PrecisionCost) -> str:
    scale = result if result.estimate is None else result.estimate.comparison
    what = "SE" if found.measure == "standard error" else "MDE"
    return (
        f"Cost of lowering the {what} from {gap(scale, found.current)} by "
        f"{declared_gap(scale, found.reduction)}: {_tasks(result, found)}; {_runs(result, found)}."
    )


def _of_model(spent: ModelCosts) -> Iterator[str]:
    who = name(spent.model)
    if spent.n_runs < spent.n_runs_scored:
        yield (
            f"{who}: costs are known for {spent.n_runs:,} of {spent.n_runs_scored:,} runs, on "
            f"{spent.n_tasks:,} tasks."
        )
    if spent.cost_unscored > 0:
        yield (
            f"{who}: runs without a score cost {money(spent.cost_unscored)} more, excluded "
            "elsewhere."
        )
    if spent.n_passed == 0:
        total = money(spent.cost)
        yield f"{who}: no run passed, so there is no cost per success; {total} was spent."


def _times(result: Runs, found: CostSummary) -> Iterator[str]:
    if found.cost_ratio is None:
        return
    first, second = (name(n) for n in result.models)
    ends = ""
    if found.cost_ratio_ci is not None:
        low, high = (ratio(float(v)) for v in found.cost_ratio_ci)
        ends = f" ({coverage(result.confidence_level)} CI {low} to {high})"
    yield (
        f"A run that passes costs {ratio(found.cost_ratio)}× as much with {first} as with "
        f"{second}{ends}, on shared tasks."
    )


def costs_notes(result: Runs) -> tuple[str, ...]:
    """What is to be said of costs, the answer first."""
    found = result.costs
    if found is None:
        return ()
    told = [*_times(result, found)]
    if found.precision_cost is not None:
        told.append(_certainty(result, found.precision_cost))
    for spent in found.model_costs:
        told += _of_model(spent)
    told += [
        f"{name(n)}: costs are excluded, because the logs contain negative ones."
        for n in found.models_with_negative_costs
    ]
    return tuple(told)


def costs_assumptions(result: Runs) -> tuple[str, ...]:
    """What costs rest on."""
    if result.costs is None or not result.costs.model_costs:
        return ()
    return (
        "Costs are of runs with a score; cost per success is mean cost divided by mean success "
        "rate, with tasks as units and a CI on the log scale.",
    )
