"""Write the notes and assumptions of repeated runs."""

import math
from collections.abc import Iterator

from nstar import stats
from nstar._base.types import Interval
from nstar._base.units import join_words
from nstar._verbs.runs import ModelRuns, RunGap, Runs
from nstar.report.prose.comparison.headline import p_is
from nstar.report.prose.comparison.notes import findings
from nstar.report.prose.gap import HasScale, coverage, gap, score, seen_range, span
from nstar.report.prose.numbers import count, level, name, percent, probability
from nstar.report.prose.runs.costs import costs_notes
from nstar.report.prose.runs.rule import rule_notes

_RATES = (0.1, 0.05, 0.01)
"""Failure rates for which the report gives the number of runs that show a failure."""


def tasks(n: int) -> str:
    """Return a number of tasks as text, singular or plural."""
    return "1 task" if n == 1 else f"{n:,} tasks"


def _these(n: int) -> str:
    return "this task" if n == 1 else f"these {tasks(n)}"


def per_task(model: ModelRuns) -> str:
    """Return the runs per task: ``4`` or ``2 to 4``."""
    low, high = model.n_runs
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def plain_span(result: Runs, ends: Interval | tuple[float, float] | None) -> str:
    """Return an interval of scores without signs; None is a dash."""
    if ends is None:
        return "–"
    low, high = (score(result, float(v)) for v in ends)
    return f"{low.removesuffix('%')} to {high}"


def size_span(of: HasScale, ends: Interval | tuple[float, float], *, column: bool = False) -> str:
    """Return an interval of the size of a gap, without signs."""
    low, high = (gap(of, float(v), column=column) for v in ends)
    return f"{low if high == 'none' else low.removesuffix(' pp')} to {high}"


def _pooled(result: Runs, model: ModelRuns) -> Iterator[str]:
    """Yield the result of the mistake of counting every run as a task."""
    if model.se is None or not model.n_repeated or not model.is_binary:
        return
    naive = math.sqrt(max(model.mean * (1 - model.mean), 0.0) / model.n_scores)
    if 0 < naive < model.se:
        yield (
            f"the SE is {gap(result, model.se)} with tasks as the unit; treating "
            f"{model.n_scores:,} runs as independent would understate it ({gap(result, naive)})."
        )


def _stability(result: Runs, model: ModelRuns) -> Iterator[str]:
    if not model.is_binary:
        return
    conf = coverage(result.confidence_level)
    if model.max_failure_rate is not None:
        yield (
            f"all {model.n_scores:,} runs passed; failure rates up to "
            f"{probability(model.max_failure_rate)} remain possible, averaged over "
            f"{_these(len(model.tasks))} (one-sided {conf}). A single task can fail more often."
        )
    swept = [t.n_runs for t in model.tasks if t.n_passed == t.n_runs]
    if swept and len(model.tasks) > 1:
        n = min(swept)
        bound = float(stats.sweep_bound(n, conf=result.confidence_level))
        runs = "its only run" if n == 1 else f"{n} of {n} runs"
        yield (
            f"a task that passed {runs} can still fail up to {probability(bound)} of the time "
            f"(one-sided {conf}, per task)."
        )


def _run_effect(result: Runs, model: ModelRuns) -> Iterator[str]:
    c = model.components
    if c is None or c.run_p is None or c.sigma_run2 is None:
        return
    if not c.sigma_w2:
        return
    p = p_is(c.run_p)
    if not c.sigma_run2:
        yield f"no effect shared by a whole run, such as a seed or a server, was found ({p})."
        return
    yield (
        "an effect shared by a whole run, such as a seed or a server, has an estimated SD of "
        f"{gap(result, math.sqrt(c.sigma_run2))} ({p}). If real, it adds an SE of "
        f"{gap(result, math.sqrt(c.sigma_run2 / c.n))} to the mean, which more tasks do not "
        "reduce and the CIs exclude."
    )


def _cannot(result: Runs, model: ModelRuns) -> Iterator[str]:
    if not model.n_repeated:
        yield (
            "there is only one run per task, so run-to-run noise cannot be separated. Run some "
            "tasks again, and pass all logs."
        )
    elif model.pass_at is not None and model.n_runs[0] < model.n_runs[1]:
        yield (
            f"pass@k and pass^k end at k = {model.n_runs[0]}, the fewest runs of a task; no "
            "unbiased estimate beyond that uses every task."
        )
    if not model.is_binary:
        reason = "lower is better" if result.lower_is_better else "scores are not 0/1"
        yield f"{reason}, so no run is counted as a pass."
    if len(model.tasks) == 1:
        yield "one task does not generalize to others."


def _of_gap(run_gap: RunGap) -> Iterator[str]:
    pair, split = run_gap.comparison, run_gap.comparison.run_variance
    left = pair.missing_items.n_only_a + pair.missing_items.n_only_b
    if left:
        observed = seen_range(pair)
        scale = "" if observed is None else f" in the observed range, {observed}"
        yield (
            f"Excluded: {tasks(left)} with scores from only one model. For any scores of the "
            f"other model{scale}, the gap over all tasks lies within "
            f"{span(pair, pair.missing_items.bounds)}."
        )
    if pair.few_items:
        tasks_text = tasks(pair.n_items)
        verb = "is" if pair.n_items == 1 else "are"
        yield f"Only {tasks_text} {verb} shared; one more or one fewer could change the verdict."
    if split is not None and split.item_part is not None and split.item_part < 0:
        yield (
            "Between-task variance was estimated below 0 and set to 0; its CI shows how large it "
            f"can be. The total then exceeds the observed SE, {gap(pair, pair.se)}."
        )
    if split is not None and split.n_assumed:
        yield (
            f"For {tasks(split.n_assumed)} with one run, the run-to-run variance is assumed to "
            "equal that of the other tasks."
        )


def notes(result: Runs) -> tuple[str, ...]:
    """Return the notes: findings, then notes on each model, then on any task."""
    texts = [*findings(result.findings), *rule_notes(result), *costs_notes(result)]
    if result.estimate is not None:
        texts += _of_gap(result.estimate)
    for part in (_cannot, _pooled, _run_effect, _stability):
        names_by_text: dict[str, list[str]] = {}
        for model in result.model_runs:
            for text in part(result, model):
                names_by_text.setdefault(text, []).append(name(model.model))
        texts += [f"{' and '.join(names)}: {text}" for text, names in names_by_text.items()]
    if any(m.is_binary for m in result.model_runs):
        conf = coverage(result.confidence_level)
        need = [count(float(stats.runs_to_see(r, conf=result.confidence_level))) for r in _RATES]
        first, *others = zip(need, _RATES, strict=True)
        also = [f"{n} runs at {percent(r)}" for n, r in others]
        texts.append(
            f"Observing a failure with {conf} probability takes "
            f"{join_words([f'{first[0]} runs at a failure rate of {percent(first[1])}', *also])}."
        )
    return tuple(texts)


def basis(result: Runs) -> str:
    """Return the assumptions in one sentence."""
    c = result.criteria
    end = "" if result.estimate is None else f"; {level(c.alpha, c.sides)}"
    return f"tasks are a random sample; runs of a task are independent{end}."


def assumptions(result: Runs) -> tuple[str, ...]:
    """Return the assumptions about the numbers."""
    c = result.criteria
    out = [
        "Tasks are a random sample and the unit of analysis; more runs only make each task's mean "
        "more precise.",
        "Runs of a task are independent; runs that share a seed or a cache are not.",
    ]
    if any(m.components is not None and not m.components.complete for m in result.model_runs):
        out.append("Runs are missing at random, not because they failed.")
    if any(m.is_binary for m in result.model_runs):
        out.append(
            "CIs of one task are exact (Clopper–Pearson) and unadjusted; the probability that its "
            "next run differs uses Jeffreys' prior."
        )
    if result.estimate is not None:
        first, second = (name(n) for n in result.models)
        better = "lower" if result.lower_is_better else "higher"
        out += [
            f"Gaps are {first} minus {second} on shared tasks; a {better} score is better.",
            f'"Detected" means with {percent(c.power)} power at {level(c.alpha, c.sides)}, by a t '
            "test on tasks.",
        ]
    return tuple(out)
