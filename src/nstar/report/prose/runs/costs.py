"""What runs cost, in words: a table, a sentence on certainty, and what the numbers rest on."""

import math
from collections.abc import Iterator

from nstar._base.types import Interval
from nstar._verbs.runs import Runs
from nstar._verbs.runs.costs_result import CostSummary, ModelCosts, PrecisionCost
from nstar.report.documents import TextTable
from nstar.report.prose.gap import coverage, gap
from nstar.report.prose.numbers import count, money, name, ratio, two_names


def _span(ends: Interval | None) -> str:
    return "–" if ends is None else f"{money(float(ends[0]))} to {money(float(ends[1]))}"


def _rows(spent: ModelCosts) -> Iterator[tuple[str, str, str]]:
    yield "per run", money(spent.per_run), _span(spent.per_run_ci)
    if spent.passed is not None:
        price = "–" if spent.per_success is None else money(spent.per_success)
        yield "per run that passed", price, _span(spent.per_success_ci)
    yield "in all", money(spent.total), ""


def costs_grid(result: Runs) -> TextTable | None:
    """Cost per run and per success of each model."""
    found = result.costs
    if found is None or not found.models:
        return None
    columns = [{label: cells for label, *cells in _rows(m)} for m in found.models]
    labels = dict.fromkeys(label for column in columns for label in column)
    conf = f"{coverage(result.conf)} interval"
    shown = two_names([m.model for m in found.models], 24)
    return TextTable(
        title="What a run cost, in the money of the logs",
        header=("", *(x for n in shown for x in (n, conf))),
        rows=tuple(
            (label, *(x for column in columns for x in column.get(label, ("–", "–"))))
            for label in labels
        ),
    )


def _tasks(result: Runs, found: PrecisionCost) -> str:
    more = found.by_tasks
    if more is None:
        return "no number of tasks would do"
    ends = ""
    if more.ci is not None:
        ends = f" ({coverage(result.conf)} interval {_span(more.ci)})"
    return f"by more tasks, {count(math.ceil(more.tasks))} in all, about {money(more.cost)}{ends}"


def _runs(result: Runs, found: PrecisionCost) -> str:
    more, each = found.by_runs, " of each model" if result.gap is not None else ""
    if more is None:
        told = result.models[0].repeated if result.gap is None else result.gap.removable
        why = "no number would do" if told else "nobody can say: runs were not repeated"
        return f"by more runs of the same tasks: {why}"
    return (
        f"by {more.times:.2g} times as many runs{each} on the same tasks, about "
        f"{money(more.cost)} (an estimate without an interval)"
    )


def _certainty(result: Runs, found: PrecisionCost) -> str:
    scale = result if result.gap is None else result.gap.pair
    what = "the standard error" if found.measure == "standard error" else "the detectable gap"
    return (
        f"Certainty: {what} is {gap(scale, found.now)}; {gap(scale, found.step)} less costs, "
        f"{_tasks(result, found)}; {_runs(result, found)}."
    )


def _of_model(spent: ModelCosts) -> Iterator[str]:
    who = name(spent.model)
    if spent.runs < spent.of:
        yield (
            f"{who}: the cost of {spent.runs:,} of {spent.of:,} runs is known; costs are of "
            f"those, on {spent.tasks:,} tasks."
        )
    if spent.unscored > 0:
        yield (
            f"{who}: runs without a score cost {money(spent.unscored)} more, which is in no other "
            "number here."
        )
    if spent.passed == 0:
        yield f"{who}: no run passed, so there is no cost per success; {money(spent.total)} spent."


def _times(result: Runs, found: CostSummary) -> Iterator[str]:
    if found.times is None:
        return
    first, second = (name(n) for n in result.names)
    ends = ""
    if found.times_ci is not None:
        low, high = (ratio(float(v)) for v in found.times_ci)
        ends = f" ({coverage(result.conf)} interval {low} to {high})"
    yield (
        f"A run that passes costs {ratio(found.times)} times as much with {first} as with "
        f"{second}{ends}, on tasks that both have."
    )


def costs_notes(result: Runs) -> tuple[str, ...]:
    """What is to be said of costs, the answer first."""
    found = result.costs
    if found is None:
        return ()
    told = [*_times(result, found)]
    if found.certainty is not None:
        told.append(_certainty(result, found.certainty))
    for spent in found.models:
        told += _of_model(spent)
    told += [
        f"{name(n)}: the logs hold costs below 0, so none of its costs is used."
        for n in found.negative
    ]
    return tuple(told)


def costs_assumptions(result: Runs) -> tuple[str, ...]:
    """What costs rest on."""
    if result.costs is None or not result.costs.models:
        return ()
    return (
        "Costs are of runs with a score; cost per success is mean cost over mean success, tasks "
        "as units, its interval on the scale of the logarithm.",
    )
