"""Write sentences on one task of a Gate: the finding, and the size of a new run."""

from collections.abc import Iterator

from nstar._verbs.gate import Gate, TaskGate
from nstar._verbs.verdict import ABSURD
from nstar.errors import arg
from nstar.report.prose.comparison.headline import MAX_FACTOR, p_is, rounded
from nstar.report.prose.design import few_clusters, rounded_up
from nstar.report.prose.gap import beside, coverage, declared_gap, gap, score, span
from nstar.report.prose.gate import threshold
from nstar.report.prose.gate.item_changes import rule_words
from nstar.report.prose.judged_ranking import judged_items, labeled_share
from nstar.report.prose.numbers import count, items, name, plural_of, probability


def verdict_text(verdict: str) -> str:
    """Return a verdict as reports print it, such as ``INVALID DATA``."""
    return verdict.replace("_", " ").upper()


def task_name(check: TaskGate, *, limit: int = 40) -> str:
    """Return the name of the task, or a substitute."""
    return name(check.task, limit=limit) or "all items"


def unit(check: TaskGate) -> str:
    """Return the unit that is counted. With a rule, this is tasks."""
    return "item" if check.task_rule is None else "task"


def margin_words(check: TaskGate) -> str:
    """Return the margin, or that there is none."""
    return "no margin" if check.margin is None else declared_gap(check.comparison, check.margin)


def level(check: TaskGate) -> float:
    """Return the one-sided level. p-values next to it are not rounded to it."""
    return (1 - check.evidence.confidence_level) / 2


def _span(check: TaskGate, *, has_gap: bool) -> str:
    """Return the interval, with more decimals if a limit would be rounded to the margin."""
    pair, ci = check.comparison, check.evidence.ci
    limits = ci if has_gap else beside(pair, ci, pair.gap)
    return span(pair, limits, limit=check.margin or 0.0)


def _worse(check: TaskGate) -> str:
    return gap(check.comparison, abs(check.improvement))


def _in_brackets(
    gate: Gate, check: TaskGate, p: float | None = None, *, has_gap: bool = True, side: str = ""
) -> str:
    """Return the gap, its interval, the p-value, and the items, in parentheses.

    Without the gap, the interval has the sign of the loss or gain before the parentheses.
    """
    e, pair = check.evidence, check.comparison
    interval = "CI" if gate.monitoring == "fixed" else "confidence sequence"
    parts = [
        *([f"gap {gap(pair, pair.gap, sign=True)}"] if has_gap else []),
        f"{coverage(e.confidence_level)} {interval} {_span(check, has_gap=has_gap)}",
        *([] if p is None else [f"{side}{p_is(p, level=level(check))}"]),
        compared(gate, check),
    ]
    return f"({', '.join(parts)})"


def evaluations(count: int) -> str:
    """Return the number of evaluations in a history."""
    return "1 evaluation" if count == 1 else f"{count:,} evaluations"


def _gathered(gate: Gate, check: TaskGate, n_evaluations: int) -> str:
    """Return the result of the history, and separately the gap of this evaluation."""
    gap_text = _in_brackets(gate, check).removeprefix("(").removesuffix(")")
    return f"{_over(gate, check, evaluations(n_evaluations))} This evaluation: {gap_text}."


def _over(gate: Gate, check: TaskGate, evidence: str) -> str:
    first, second = (name(n) for n in gate.models)
    e, margin = check.evidence, margin_words(check)
    is_better = check.goal == "superiority"
    if e.evaluations_conflict:
        other = "a gain" if e.pvalue_not_worse is None else f"no loss of {margin} or more"
        p = e.pvalue_better if e.pvalue_not_worse is None else e.pvalue_not_worse
        return (
            f"the evidence of {evidence} conflicts: it shows a loss ({p_is(e.pvalue_worse)}) and "
            f"also {other} ({p_is(p)}). One label may stand for two models."
        )
    if check.verdict == "regression":
        p_worse = p_is(check.pvalue_worse_adjusted)
        return f"{first} is worse than {second} over {evidence} ({p_worse}).{_beyond(check)}"
    if check.verdict == "pass" and is_better:
        return f"{first} beats {second} over {evidence} ({p_is(e.pvalue_better)})."
    if check.verdict == "pass":
        p_within = "" if e.pvalue_not_worse is None else f" ({p_is(e.pvalue_not_worse)})"
        loss = " It is worse, but by less than the margin." if check.is_harmless_loss else ""
        return (
            f"{first} is non-inferior to {second} at the {margin} margin over "
            f"{evidence}{p_within}.{loss}"
        )
    verbs = ("shows", "rules") if evidence.startswith("1 ") else ("show", "rule")
    if is_better:
        return f"{evidence} {verbs[0]} neither a gain nor a loss{_holm(check)}."
    return f"{evidence} neither {verbs[0]} nor {verbs[1]} out a loss of {margin}{_holm(check)}."


def _beyond(check: TaskGate) -> str:
    """Return a sentence that a loss may exceed the margin."""
    if check.margin is None:
        return ""
    return f" The loss is not shown to be within the {margin_words(check)} margin."


def task_finding(gate: Gate, check: TaskGate) -> str:
    """Return the finding of one task, without its verdict."""
    if gate.threshold is not None and not check.evidence.evaluations_conflict:
        return threshold.finding(gate, check)
    if gate.pooled_evidence is not None:
        return _gathered(gate, check, gate.pooled_evidence.n_evaluations)
    first, second = (name(n) for n in gate.models)
    e = check.evidence
    if check.verdict == "regression":
        evidence_text = _in_brackets(gate, check, check.pvalue_worse_adjusted, has_gap=False)
        text = f"{first} is {_worse(check)} worse than {second} {evidence_text}.{_beyond(check)}"
    elif check.is_harmless_loss:
        text = (
            f"{first} is {_worse(check)} worse than {second}, within the {margin_words(check)} "
            f"margin {_in_brackets(gate, check, has_gap=False)}."
        )
    elif check.verdict == "pass" and check.goal == "superiority":
        evidence_text = _in_brackets(
            gate, check, e.pvalue_better, has_gap=False, side="one-sided "
        )
        text = f"{first} beats {second} by {_worse(check)} {evidence_text}."
    elif check.verdict == "pass":
        text = (
            f"{first} is non-inferior to {second} at the {margin_words(check)} margin "
            f"{_in_brackets(gate, check)}."
        )
    else:
        text = f"{_open(check)} {_in_brackets(gate, check)}."
    return text + _rule(check)


def _rule(check: TaskGate) -> str:
    """Return a sentence that says when a task passes."""
    return "" if check.task_rule is None else f" A task passes if {rule_words(check.task_rule)}."


def _open(check: TaskGate) -> str:
    if check.missing_items_decide:
        missing = check.n_missing_candidate + check.n_missing_baseline
        kind = "1 missing item" if missing == 1 else f"{missing:,} missing items"
        return f"the result depends on {kind}"
    if check.goal == "superiority":
        return f"neither a gain nor a loss is shown{_holm(check)}"
    return f"a loss of {margin_words(check)} is neither shown nor ruled out{_holm(check)}"


def _holm(check: TaskGate) -> str:
    """Return a sentence on a loss that is significant only before the adjustment."""
    adjusted = check.evidence.is_shown_worse_unadjusted and not check.is_shown_worse
    return " after Holm's adjustment for all tasks" if adjusted else ""


def _sensible(n: float) -> bool:
    return n <= ABSURD


def _too_few(check: TaskGate) -> Iterator[str]:
    if check.comparison.threshold is not None:
        yield from threshold.too_few(check, _clusters(check))
        return
    if check.min_items_to_pass is not None and not check.identical_scores_pass:
        yield (
            f"At this margin, even identical scores need {check.min_items_to_pass:,} "
            f"{unit(check)}s to pass."
        )
    if check.min_margin_to_pass is not None and check.is_margin_too_small:
        low, high = check.comparison.score_range
        min_margin = rounded_up(check.min_margin_to_pass, high - low)
        yield f"{few_clusters(_clusters(check), gap(check.comparison, min_margin))}."


def _clusters(check: TaskGate) -> str:
    """Return the number of clusters, and the effective number if sizes differ."""
    d = check.comparison.estimate
    number, worth = d.n_groups or 0, d.n_effective_clusters or 0.0
    groups = f"{count(number)} {plural_of(d.column or '')}"
    return (
        groups if number - worth < 0.05 else f"{groups}, equivalent to {worth:.3g} of equal size,"
    )


def item_losses(gate: Gate) -> str:
    """Return a sentence on the assumption of a PASS that only single items may be lost."""
    declared = [
        c
        for c in gate.tasks
        if (c.goal == "non-inferiority" or c.comparison.threshold is not None)
        and c.comparison.estimate.loss == "item"
    ]
    if gate.verdict != "pass" or not declared:
        return ""
    column = name(declared[0].comparison.estimate.column or "cluster")
    declared_by = arg("loss", "item")
    return f" This assumes that no {column} outside the sample fails entirely ({declared_by})."


def compared(gate: Gate, check: TaskGate) -> str:
    """Return the number of compared items."""
    if check.task_rule is not None:
        return f"{check.comparison.n_items:,} tasks"
    if gate.judge_correction is None:
        return items(check.comparison.n_items)
    return judged_items(gate.judge_correction)


def _new_run(gate: Gate, check: TaskGate, need: float) -> str:
    """Return the size of a new run, and the number of labels if a judge needs them."""
    if need > MAX_FACTOR * check.comparison.n_items:
        return f"over {MAX_FACTOR}× the current number of {unit(check)}s"
    design, where = check.comparison.estimate, ""
    if gate.judge_correction is not None:
        where = f", {labeled_share(gate.judge_correction)}"
    elif design.kind == "cluster":
        where = f" in new {plural_of(design.column or '')} of the same sizes"
    return f"a new run of about {rounded(need)} {unit(check)}s{where}"


def what_it_takes(gate: Gate, check: TaskGate) -> Iterator[str]:
    """Yield how often an equal model passes, and the number of items that it needs."""
    if check.verdict != "inconclusive":
        return
    yield from _too_few(check)
    s, power = check.needed_to_decide, probability(gate.criteria.power)
    if check.missing_items_decide:
        yield "Score them to resolve it."
    elif s is not None and check.comparison.unanimous:
        yield (
            f"No standard error could be estimated, so the number of {unit(check)}s needed is "
            "unknown."
        )
    elif s is not None and check.pass_probability is not None and check.goal != "superiority":
        equal = "An equal model"
        if gate.threshold is not None:
            equal = "A model whose true score is the threshold"
        now = f"{equal} passes {probability(check.pass_probability)} of the time here"
        if check.pass_probability >= gate.criteria.power:
            yield f"{now}."
        elif _sensible(s.n_items_if_equal):
            yield (
                f"{now}; raising this to {power} takes "
                f"{_new_run(gate, check, s.n_items_if_equal)}."
            )
        else:
            yield f"{now}; no practical number of {unit(check)}s raises this to {power}."


def if_as_observed(gate: Gate, check: TaskGate) -> Iterator[str]:
    """Yield the expected result of a new run if the true gap is the observed one."""
    s, pair, one = check.needed_to_decide, check.comparison, unit(check)
    if s is None or pair.unanimous or check.missing_items_decide:
        return
    premise = f"If the true gap is {gap(pair, pair.gap, sign=True)}, "
    if pair.threshold is not None:
        premise = f"If the true score is {score(pair, pair.mean_a)}, "
    power = probability(gate.criteria.power)
    if not _sensible(s.n_items_if_observed) or s.verdict_if_observed is None:
        yield f"{premise}no practical number of {one}s resolves it."
    elif check.improvement != 0:
        need = _new_run(gate, check, s.n_items_if_observed)
        is_pass = s.verdict_if_observed == "pass"
        result = "a PASS" if is_pass else "a REGRESSION"
        has_many_tasks = len(gate.tasks) > 1 and not is_pass
        adjustment_text = ", without the adjustment for several tasks" if has_many_tasks else ""
        runs = "".join(f"; {text}" for text in _runs(check))
        yield f"{premise}{result} with {power} probability takes {need}{adjustment_text}{runs}."


def _runs(check: TaskGate) -> Iterator[str]:
    s, split, one = check.needed_to_decide, check.comparison.run_variance, unit(check)
    if s is None or split is None or not split.is_identified:
        return
    if s.n_runs is not None:
        yield f"{s.n_runs:,} runs per {one} of each model on the same {one}s are also enough"
    else:
        yield f"more runs of the same {one}s are not enough"
