"""Write the report of repeated runs."""

from nstar._base.types import Interval
from nstar._verbs.compare import TaskComparison
from nstar._verbs.runs import ModelRuns, RunGap, Runs
from nstar.report.documents import Document, TextChart
from nstar.report.prose.comparison.headline import (
    across,
    caution,
    finding,
    interval_and_p,
    resolution,
    thresholds,
)
from nstar.report.prose.gap import beside, coverage, downwards, gap, score
from nstar.report.prose.numbers import name, percent, probability
from nstar.report.prose.runs.costs import costs_assumptions
from nstar.report.prose.runs.notes import (
    assumptions,
    basis,
    notes,
    per_task,
    plain_span,
    tasks,
)
from nstar.report.prose.runs.rule import rule_answer, rule_assumptions
from nstar.report.prose.runs.tables import grids


def _mean(result: Runs, model: ModelRuns) -> str:
    many = "run" if model.n_runs == (1, 1) else "runs"
    ci = ""
    if model.ci is not None:
        ci = f" ({coverage(result.confidence_level)} CI {plain_span(result, model.ci)})"
    return (
        f"{name(model.model)} scores {score(result, model.mean)} on {tasks(len(model.tasks))}, "
        f"{per_task(model)} {many} each{ci}."
    )


def _one(result: Runs, model: ModelRuns) -> str:
    if len(model.tasks) == 1:
        task = model.tasks[0]
        if task.n_passed is None or task.ci is None:
            return _mean(result, model)
        return (
            f"{name(model.model)} passed {task.n_passed} of {task.n_runs} runs of task "
            f"{name(task.task)} (exact {coverage(result.confidence_level)} CI "
            f"{plain_span(result, task.ci)}). The next run differs from the majority with "
            f"{probability(task.next_flip_probability)} probability."
        )
    parts = [_mean(result, model)]
    if not model.n_repeated:
        parts.append("Run-to-run noise is unknown, because no task was run twice.")
    elif model.flip_probability is not None and model.pass_hat is not None and model.n_runs[0] > 1:
        k = int(model.pass_hat.k[-1])
        all_text = percent(float(model.pass_hat.estimate[-1]), 1)
        flips = f"Two runs of a task disagree {probability(model.flip_probability)} of the time"
        if model.flip_probability == 0:
            flips = "No two runs of a task disagree"
        parts.append(f"{flips}; all {k} runs pass on {all_text} of tasks (pass^{k}).")
    elif model.removable_share is not None:
        parts.append(_noise(model.removable_share))
    if model.shared_variance:
        parts.append(caution([_SHARED]))
    return " ".join(parts)


_SHARED = (
    "the CI does not include an observed effect that a whole run shares, such as that of a seed"
)


def _noise(removable_share: float) -> str:
    """Return a sentence with the share of run-to-run noise."""
    if removable_share == 1:
        return "All of the observed variance is run-to-run noise."
    return f"Run-to-run noise is {probability(removable_share)} of the variance."


def _possible(pair: TaskComparison) -> Interval:
    """Return the interval of the gap, limited to the largest possible gap."""
    if pair.score_range != (0.0, 1.0):
        return pair.ci
    return Interval(max(float(pair.ci.low), -1.0), min(float(pair.ci.high), 1.0))


def _runs_each(result: Runs) -> str:
    """Return the runs per task, which may differ between the models."""
    run_texts = dict.fromkeys(per_task(model) for model in result.model_runs)
    return f"{' and '.join(run_texts)} {'run' if list(run_texts) == ['1'] else 'runs'} each"


def _finding(result: Runs, pair: TaskComparison) -> str:
    evidence = interval_and_p(
        pair,
        result.criteria,
        pair.confidence_level,
        beside(pair, _possible(pair), pair.gap),
        pair.pvalue,
    )
    models = (result.models[0], result.models[1])
    basis = f"{tasks(pair.n_items)}, {_runs_each(result)}"
    return finding(models, pair, pair.gap, pair.verdict, f"{evidence}; {basis}")


def _reruns(run_gap: RunGap) -> str:
    """Return the share of run-to-run noise, and the gap that unlimited reruns would detect."""
    if run_gap.removable_share is None:
        return "The share of run-to-run noise cannot be estimated from these runs."
    noise, last = _noise(run_gap.removable_share), run_gap.steps[-1] if run_gap.steps else None
    if last is None:
        return noise
    if last.mde is None:
        then = "no gap"
    else:
        then = "any gap" if last.mde == 0 else gap(run_gap.comparison, last.mde)
    return f"{noise.removesuffix('.')}; unlimited reruns of these tasks would detect {then}."


def _resolution(result: Runs, run_gap: RunGap) -> str:
    pair = run_gap.comparison
    if pair.mde is None and not pair.unanimous and pair.mde_lower_bound is None:
        verb = "is" if pair.n_items == 1 else "are"
        return f"{tasks(pair.n_items)} {verb} too few to detect a gap reliably."
    if run_gap.mde is None:
        return resolution(pair, result.criteria, "Here an")
    return thresholds(pair, result.criteria, "Here an", pair.significant_gap, run_gap.mde)


def _two(result: Runs, run_gap: RunGap) -> str:
    pair = run_gap.comparison
    reasons = [*across(pair, result.criteria.alpha, "tasks")]
    if run_gap.shared_se:
        reasons.append(f"{_SHARED}; the detectable gaps include it")
    parts = [_finding(result, pair), _resolution(result, run_gap), _reruns(run_gap)]
    if reasons:
        parts.append(caution(reasons))
    return " ".join(parts)


def _headline(result: Runs) -> str:
    rules = "".join(f"{rule_answer(result, rule)} " for rule in result.pass_rules)
    if result.estimate is not None:
        return f"{rules}{_two(result, result.estimate)}{downwards([result])}"
    return f"{rules}{_one(result, result.model_runs[0])}"


def _chart(result: Runs) -> TextChart | None:
    """Return a chart of pass@k above pass^k for the first model with three points."""
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


def _opening(result: Runs) -> str:
    """Return the first sentence about two models, as a complete sentence."""
    if result.estimate is None or result.pass_rules:
        return ""
    return _finding(result, result.estimate.comparison)


def document(result: Runs) -> Document:
    """Return the report: headline, error of the gap, models, pass curves, and tasks."""
    return Document(
        headline=_headline(result),
        opening=_opening(result),
        grids=grids(result),
        chart=_chart(result),
        notes=notes(result),
        basis=basis(result),
        assumptions=(*assumptions(result), *costs_assumptions(result), *rule_assumptions(result)),
    )
