"""A Runs in words."""

from nstar._base.types import Interval
from nstar._verbs.compare import TaskComparison
from nstar._verbs.runs import ModelRuns, RunGap, Runs
from nstar.report.documents import Document, TextChart
from nstar.report.prose.comparison.headline import across, caution, p_is
from nstar.report.prose.gap import coverage, downwards, gap, score, span
from nstar.report.prose.numbers import name, percent, probability
from nstar.report.prose.runs.costs import costs_assumptions
from nstar.report.prose.runs.notes import (
    assumptions,
    notes,
    per_task,
    plain_span,
    size_span,
    tasks,
)
from nstar.report.prose.runs.rule import rule_answer, rule_assumptions
from nstar.report.prose.runs.tables import grids


def _mean(result: Runs, model: ModelRuns) -> str:
    many = "run" if model.n_runs == (1, 1) else "runs"
    text = (
        f"{name(model.model)} scores {score(result, model.mean)} over {tasks(len(model.tasks))} "
        f"with {per_task(model)} {many} each"
    )
    if model.ci is not None:
        text += f" ({coverage(result.confidence_level)} interval {plain_span(result, model.ci)})"
    return text


def _only_task(result: Runs, model: ModelRuns) -> str:
    task = model.tasks[0]
    if task.n_passed is None or task.ci is None:
        return f"{_mean(result, model)}."
    return (
        f"{name(model.model)} passed {task.n_passed} of {task.n_runs} runs of task "
        f"{name(task.task)} "
        f"(exact {coverage(result.confidence_level)} interval {plain_span(result, task.ci)}); the "
        "next run "
        f"differs from the majority with probability {probability(task.next_flip_probability)}."
    )


def _one(result: Runs, model: ModelRuns) -> str:
    if len(model.tasks) == 1:
        return _only_task(result, model)
    text = _mean(result, model)
    if model.shared_variance:
        text += ", what a whole run shares over all tasks left out though it was seen"
    if not model.n_repeated:
        return f"{text}; with single runs nobody can say how much of it is chance of the run."
    if model.flip_probability is not None and model.pass_hat is not None and model.n_runs[0] > 1:
        k = int(model.pass_hat.k[-1])
        every = percent(float(model.pass_hat.estimate[-1]), 1)
        flips = (
            f"two runs of a task disagree with probability {probability(model.flip_probability)}"
        )
        if model.flip_probability == 0:
            flips = "no two runs of a task disagreed"
        return f"{text}; {flips}, and all of {k} runs pass on {every} of the tasks (pass^{k})."
    if model.removable_share is not None:
        return f"{text}; {_removed(model.removable_share)}."
    return f"{text}."


def _removed(share: float) -> str:
    if share == 1:
        return "all of the error seen is run-to-run noise, as far as these tasks can tell"
    return (
        f"{probability(share)} of the squared error is run-to-run noise that more runs would "
        "remove, the rest is between tasks"
    )


def _possible(pair: TaskComparison) -> Interval:
    """The interval of the gap, cut at the largest gap that there can be."""
    if pair.score_range != (0.0, 1.0):
        return pair.ci
    return Interval(max(float(pair.ci.low), -1.0), min(float(pair.ci.high), 1.0))


def _shared(result: Runs) -> str:
    """What the interval leaves out; the parts and gaps below it count it."""
    seen = " and ".join(name(m.model) for m in result.model_runs if m.shared_variance)
    return (
        f"That interval leaves out what a whole run shares over all tasks, such as a seed or a "
        f"server, which was seen in the runs of {seen or 'a model'}; the gaps here count it"
    )


def _shown(result: Runs, pair: TaskComparison) -> str:
    first, second = (name(n) for n in result.models)
    side = "one-sided " if result.criteria.sides == 1 else ""
    interval = f"{coverage(pair.confidence_level)} interval {span(pair, _possible(pair))}"
    found = f"{interval}, {side}{p_is(pair.pvalue)}"
    if pair.verdict in ("better", "worse"):
        verb = "beats" if pair.verdict == "better" else "trails"
        return f"{first} {verb} {second} by {gap(pair, abs(pair.gap))} ({found})"
    size = gap(pair, pair.gap, sign=True)
    if pair.verdict == "borderline":
        return (
            f"Borderline: {first} minus {second} is {size}, and test and interval disagree "
            f"({found})"
        )
    return (
        f"{tasks(pair.n_items)} with these runs cannot tell {first} and {second} apart: the gap "
        f"is {size} ({found})"
    )


def _verdict(result: Runs, pair: TaskComparison) -> str:
    """What is shown of the gap, and the reading of the groups that turns it, if one does."""
    turned = across(pair, result.criteria.alpha, "tasks")
    return " ".join((f"{_shown(result, pair)}.", *(caution([reason]) for reason in turned)))


def _two(result: Runs, found: RunGap) -> str:
    pair, text = found.comparison, _verdict(result, found.comparison).removesuffix(".")
    if found.shared_se:
        text += f". {_shared(result)}"
    if found.removable_share is None:
        return f"{text}. How much of the error is run to run cannot be told from these runs."
    if not found.steps:
        return f"{text}. So few tasks can detect no gap, however many runs they have."
    last = found.steps[-1]
    now = "no gap at all" if found.mde is None else f"a gap of {gap(pair, found.mde)}"
    then = "none either" if last.mde is None else f"one of {gap(pair, last.mde)}"
    if last.mde == 0:
        then = "any gap"
    removed = _removed(found.removable_share)
    ends = ""
    if last.mde_ci is not None:
        ends = f" ({coverage(pair.confidence_level)} interval {size_span(pair, last.mde_ci)})"
    return (
        f"{text}. {removed[0].upper()}{removed[1:]}: these runs can detect {now}, endless runs of "
        f"the same tasks {then}{ends}."
    )


def _headline(result: Runs) -> str:
    if result.estimate is not None:
        return _two(result, result.estimate) + downwards([result])
    asked = "".join(f"{rule_answer(rule)} " for rule in result.pass_rules)
    return asked + _one(result, result.model_runs[0])


def _chart(result: Runs) -> TextChart | None:
    """pass@k above pass^k of the first model that has three points of them."""
    places = ("the first model", "the second model") if len(result.model_runs) > 1 else ("",)
    for model, place in zip(result.model_runs, places, strict=True):
        at, hat = model.pass_at, model.pass_hat
        if at is None or hat is None or len(at.k) < 3:
            continue
        last = int(at.k[-1])
        return TextChart(
            title=f"pass@k (upper curve) and pass^k (lower){place and f' of {place}'}, by k",
            x=tuple(float(k) for k in at.k),
            y=tuple(float(v) for v in at.estimate),
            also=tuple(float(v) for v in hat.estimate),
            x_labels=("k = 1", f"k = {last:,}"),
            mark=(2.0, "2"),
            level=(model.mean, percent(model.mean, 0)),
        )
    return None


def document(result: Runs) -> Document:
    """Headline, the error of the gap, each model, pass curves, tasks."""
    return Document(
        headline=_headline(result),
        opening="" if result.estimate is None else _verdict(result, result.estimate.comparison),
        grids=grids(result),
        chart=_chart(result),
        notes=notes(result),
        assumptions=(*assumptions(result), *costs_assumptions(result), *rule_assumptions(result)),
    )
