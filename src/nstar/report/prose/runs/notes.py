"""A Runs in sentences: what else to know, what it rests on, and numbers in words."""

import math
from collections.abc import Iterator

from nstar import stats
from nstar._base.types import Interval
from nstar._verbs.runs import ModelRuns, RunGap, Runs
from nstar.report.prose.comparison.headline import p_is
from nstar.report.prose.comparison.notes import findings
from nstar.report.prose.gap import HasScale, coverage, gap, score, seen_range, span
from nstar.report.prose.numbers import count, level, name, percent, probability
from nstar.report.prose.runs.costs import costs_notes
from nstar.report.prose.runs.rule import rule_notes

_RATES = (0.1, 0.05, 0.01)
"""Rates of failure for which the runs that show one are told."""


def tasks(n: int) -> str:
    """A number of tasks in words that fit one task too."""
    return "1 task" if n == 1 else f"{n:,} tasks"


def _these(n: int) -> str:
    return "this task" if n == 1 else f"these {tasks(n)}"


def per_task(model: ModelRuns) -> str:
    """Runs of a task: ``4`` or ``2 to 4``."""
    low, high = model.n_runs
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def plain_span(result: Runs, ends: Interval | tuple[float, float] | None) -> str:
    """Two scores, without signs; none is a dash."""
    if ends is None:
        return "–"
    low, high = (score(result, float(v)) for v in ends)
    return f"{low.removesuffix(' %')} to {high}"


def size_span(of: HasScale, ends: Interval | tuple[float, float], *, column: bool = False) -> str:
    """Two sizes of a gap, without signs."""
    low, high = (gap(of, float(v), column=column) for v in ends)
    return f"{low if high == 'none' else low.removesuffix(' pp')} to {high}"


def _pooled(result: Runs, model: ModelRuns) -> Iterator[str]:
    """What counting every run as a task of its own would have claimed."""
    if model.se is None or not model.n_repeated or not model.is_binary:
        return
    naive = math.sqrt(max(model.mean * (1 - model.mean), 0.0) / model.n_scores)
    if 0 < naive < model.se:
        yield (
            f"the standard error is {gap(result, model.se)}, tasks being the "
            f"unit; {model.n_scores:,} runs counted as independent would claim "
            f"{gap(result, naive)}, which is too small because runs of one task are alike."
        )


def _stability(result: Runs, model: ModelRuns) -> Iterator[str]:
    if not model.is_binary:
        return
    conf = coverage(result.confidence_level)
    if model.max_failure_rate is not None:
        yield (
            f"all {model.n_scores:,} runs passed, which leaves a failure rate up to "
            f"{probability(model.max_failure_rate)} possible, averaged over "
            f"{_these(len(model.tasks))} (one-sided {conf}); a single task may fail more often."
        )
    swept = [t.n_runs for t in model.tasks if t.n_passed == t.n_runs]
    if swept and len(model.tasks) > 1:
        n = min(swept)
        bound = float(stats.sweep_bound(n, conf=result.confidence_level))
        runs = "its only run" if n == 1 else f"{n} of {n} runs"
        yield (
            f"a task that passed {runs} may still fail up to {probability(bound)} of the time "
            f"(one-sided {conf}, that task alone)."
        )


def _run_effect(result: Runs, model: ModelRuns) -> Iterator[str]:
    c = model.components
    if c is None or c.run_p is None or c.sigma_run2 is None:
        return
    if not c.sigma_w2:
        return
    p = p_is(c.run_p)
    if not c.sigma_run2:
        yield f"nothing is seen that a whole run shares, such as a seed or a server ({p})."
        return
    yield (
        "what a whole run shares, such as a seed or a server, is estimated at an sd of "
        f"{gap(result, math.sqrt(c.sigma_run2))} ({p}); if it is real, it adds an error of "
        f"{gap(result, math.sqrt(c.sigma_run2 / c.n))} to the mean that no number of tasks "
        "removes and that the intervals here leave out."
    )


def _cannot(result: Runs, model: ModelRuns) -> Iterator[str]:
    if not model.n_repeated:
        yield (
            "one run per task, so that noise of the run and differences between tasks cannot be "
            "told apart; run some tasks again, and give all logs."
        )
    elif model.pass_at is not None and model.n_runs[0] < model.n_runs[1]:
        yield (
            f"pass@k and pass^k end at k = {model.n_runs[0]}, the fewest runs of a task; beyond "
            "that no unbiased estimate uses every task."
        )
    if not model.is_binary:
        why = "less is better" if result.lower_is_better else "scores are not 0/1"
        yield f"{why}, so nothing is counted as a pass."
    if len(model.tasks) == 1:
        yield "one task says nothing about others."


def _of_gap(found: RunGap) -> Iterator[str]:
    pair, split = found.comparison, found.comparison.run_variance
    left = pair.missing_items.n_only_a + pair.missing_items.n_only_b
    if left:
        seen = seen_range(pair)
        had = "whatever the other would have scored, the gap over all lies"
        if seen is not None:
            had = f"had the other scored anything seen, {seen}, the gap over all would lie"
        yield (
            f"Left out of the gap: {tasks(left)} with scores of one model only; {had} within "
            f"{span(pair, pair.missing_items.bounds)}."
        )
    if pair.few_items:
        yield f"With {tasks(pair.n_items)} in common this is hardly a comparison."
    if split is not None and split.item_part is not None and split.item_part < 0:
        yield (
            "The part between tasks was estimated below zero, as happens by chance when it is "
            "small, and is taken as 0; its interval tells how large it may be. All parts together "
            f"are then above the standard error observed, {gap(pair, pair.se)}."
        )
    if split is not None and split.n_assumed:
        yield (
            "Tasks with one run borrow the run-to-run variance of the others: "
            f"{count(split.n_assumed)}."
        )


def notes(result: Runs) -> tuple[str, ...]:
    """Findings first, then each model, then what holds for any task."""
    told = [*findings(result.findings), *rule_notes(result), *costs_notes(result)]
    if result.estimate is not None:
        told += _of_gap(result.estimate)
    for part in (_cannot, _pooled, _run_effect, _stability):
        said: dict[str, list[str]] = {}
        for model in result.model_runs:
            for text in part(result, model):
                said.setdefault(text, []).append(name(model.model))
        told += [f"{' and '.join(names)}: {text}" for text, names in said.items()]
    if any(m.is_binary for m in result.model_runs):
        conf = coverage(result.confidence_level)
        need = [count(float(stats.runs_to_see(r, conf=result.confidence_level))) for r in _RATES]
        first, *others = zip(need, _RATES, strict=True)
        seen = ", ".join(f"one that fails {percent(r)} within {n}" for n, r in others)
        told.append(
            f"A task that fails {percent(first[1])} of the time shows it within {first[0]} runs "
            f"with probability {conf}, {seen}."
        )
    return tuple(told)


def assumptions(result: Runs) -> tuple[str, ...]:
    """What the numbers rest on."""
    c = result.criteria
    out = [
        "The task is the unit: intervals are for other tasks like these; more runs only sharpen "
        "each task's mean.",
        "Runs of a task are independent of each other; runs that share a seed or a cache repeat "
        "themselves more.",
    ]
    if any(m.components is not None and not m.components.complete for m in result.model_runs):
        out.append("Absent runs are absent by chance, not because they failed.")
    if any(m.is_binary for m in result.model_runs):
        out.append(
            "Intervals of one task are exact (Clopper–Pearson), one task at a time; the chance "
            "that its next run differs has Jeffreys' prior."
        )
    if result.estimate is not None:
        first, second = (name(n) for n in result.models)
        better = "lower" if result.lower_is_better else "higher"
        out += [
            f"Gaps are {first} minus {second} over the tasks both have; a {better} score is "
            "better.",
            f"Detectable: with {percent(c.power)} probability at {level(c.alpha, c.sides)}, "
            "t test on tasks.",
        ]
    return tuple(out)
