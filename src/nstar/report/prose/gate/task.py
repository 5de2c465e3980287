"""One task of a Gate in words: what was shown, and what would settle it."""

from collections.abc import Iterator

from nstar._verbs.gate import Gate, TaskGate
from nstar._verbs.verdict import ABSURD
from nstar.errors import arg
from nstar.report.prose.comparison.headline import p_is
from nstar.report.prose.design import few_clusters, rounded_up
from nstar.report.prose.gap import coverage, gap, span
from nstar.report.prose.gate.at_least import rule_words
from nstar.report.prose.judged_ranking import judged_items, labeled_share
from nstar.report.prose.numbers import count, items, name, plural_of, probability


def verdict_text(verdict: str) -> str:
    """A verdict as reports print it, such as ``INVALID DATA``."""
    return verdict.replace("_", " ").upper()


def task_name(check: TaskGate, *, limit: int = 40) -> str:
    """The task, or what stands for it."""
    return name(check.task, limit=limit) or "all items"


def unit(check: TaskGate) -> str:
    """What is counted: a rule is asked of tasks."""
    return "item" if check.task_rule is None else "task"


def margin_words(check: TaskGate) -> str:
    """The margin, or that there is none."""
    return "no margin" if check.margin is None else gap(check.comparison, check.margin)


def _evidence(check: TaskGate, p: float | None, claim: str) -> str:
    e = check.evidence
    tail = "" if p is None else f", {p_is(p, level=level(check))} {claim}".rstrip()
    return f"{coverage(e.confidence_level)} interval {_span(check)}{tail}"


def level(check: TaskGate) -> float:
    """The one-sided level, beside which no p-value is rounded onto it."""
    return (1 - check.evidence.confidence_level) / 2


def _span(check: TaskGate) -> str:
    """The interval, with more decimals where an end would be rounded onto the margin."""
    pair, ci = check.comparison, check.evidence.ci
    short = span(pair, ci)
    if check.margin is None or short == "–":
        return short
    near = margin_words(check) in {gap(pair, abs(float(end))) for end in ci}
    return span(pair, ci, column=near)


def _worse(check: TaskGate) -> str:
    return gap(check.comparison, abs(check.improvement))


def evaluations(count: int) -> str:
    """How many nights a history has."""
    return "1 evaluation" if count == 1 else f"{count:,} evaluations"


def _gathered(gate: Gate, check: TaskGate, nights: int) -> str:
    """What a history shows, and apart from it what this evaluation saw."""
    first, second = (name(n) for n in gate.models)
    e, by = check.evidence, f"by the evidence of {evaluations(nights)}"
    seen = gap(check.comparison, check.comparison.gap, sign=True)
    own = (
        f"the gap of this one is {seen} ({_evidence(check, None, '')}), on "
        f"{items(check.comparison.n_items)}"
    )
    margin = margin_words(check)
    if e.evaluations_conflict:
        return f"the evidence of {evaluations(nights)} conflicts: {_conflict(check)}; {own}"
    if check.verdict == "regression":
        beyond = "" if check.margin is None else f", not shown to be within {margin}"
        p = p_is(check.pvalue_worse_adjusted)
        return f"{first} is worse than {second} {by} ({p} against no loss){beyond}; {own}"
    if check.verdict == "pass" and check.goal == "superiority":
        return f"{first} beats {second} {by} ({p_is(e.pvalue_better)}); {own}"
    if check.verdict == "pass":
        loss = ", though it is shown to be worse" if check.is_harmless_loss else ""
        p = "" if e.pvalue_not_worse is None else f" ({p_is(e.pvalue_not_worse)} against more)"
        return (
            f"{first} is shown not to be worse than {second} by {margin} or more {by}{p}{loss}; "
            f"{own}"
        )
    absence = "a gain" if check.goal == "superiority" else f"its absence within {margin}"
    return f"neither a loss nor {absence} is shown {by}{_holm(check)}; {own}"


def _conflict(check: TaskGate) -> str:
    e = check.evidence
    other, p = f"none of {margin_words(check)} or more", e.pvalue_not_worse
    if p is None:
        other, p = "a gain", e.pvalue_better
    return (
        f"a loss is shown ({p_is(e.pvalue_worse)}) and {other} too ({p_is(p)}), so a label may "
        "stand "
        "for two models"
    )


def task_finding(gate: Gate, check: TaskGate) -> str:
    """The finding of one task, without its answer."""
    if gate.pooled_evidence is not None:
        return _gathered(gate, check, gate.pooled_evidence.n_evaluations)
    first, second = (name(n) for n in gate.models)
    e, on = check.evidence, f"on {_compared(gate, check)}"
    if check.verdict == "regression":
        beyond = "" if check.margin is None else f", not shown to be within {margin_words(check)}"
        found = _evidence(check, check.pvalue_worse_adjusted, "against no loss")
        return f"{first} is worse than {second} by {_worse(check)} ({found}), {on}{beyond}"
    if check.is_harmless_loss:
        found = _evidence(check, e.pvalue_not_worse, "against more")
        return (
            f"{first} is worse than {second} by {_worse(check)}, a loss that is shown to be below "
            f"the margin of {margin_words(check)} ({found}), {on}"
        )
    seen = gap(check.comparison, check.comparison.gap, sign=True)
    if check.verdict == "pass" and check.goal == "superiority":
        return (
            f"{first} beats {second}: gap {seen} ({_evidence(check, e.pvalue_better, '')}), {on}"
        )
    if check.verdict == "pass":
        found = _evidence(check, e.pvalue_not_worse, "against more")
        return (
            f"{first} is shown not to be worse than {second} by {margin_words(check)} or more: "
            f"gap {seen} ({found}), {on}"
        )
    return _open(check, seen, on)


def _open(check: TaskGate, seen: str, on: str) -> str:
    found = _evidence(check, None, "")
    if check.missing_items_decide:
        missing = check.n_missing_candidate + check.n_missing_baseline
        return (
            f"the gap is {seen} ({found}), {on}, but {items(missing)} of one model "
            "only could undo what the others show"
        )
    if check.goal == "superiority":
        return f"the gap is {seen} ({found}), {on}: shown neither better nor worse{_holm(check)}"
    return (
        f"the gap is {seen} ({found}), {on}: neither a loss nor its absence within "
        f"{margin_words(check)} is shown{_holm(check)}"
    )


def _holm(check: TaskGate) -> str:
    """A loss that one task alone would show."""
    adjusted = check.evidence.is_shown_worse_unadjusted and not check.is_shown_worse
    return ", after Holm's adjustment for the other tasks" if adjusted else ""


def _sensible(n: float) -> bool:
    return n <= ABSURD


def _too_few(check: TaskGate) -> Iterator[str]:
    if check.min_items_to_pass is not None and not check.identical_scores_pass:
        yield (
            f"with this margin even identical scores need {check.min_items_to_pass:,} "
            f"{unit(check)}s to pass, "
            "so on so few only a clearly better candidate does"
        )
    if check.min_margin_to_pass is not None and check.is_margin_too_small:
        low, high = check.comparison.score_range
        least = rounded_up(check.min_margin_to_pass, high - low)
        yield few_clusters(_clusters(check), gap(check.comparison, least))


def _clusters(check: TaskGate) -> str:
    """How many clusters there are, and what unequal ones are worth."""
    d = check.comparison.estimate
    number, worth = d.n_groups or 0, d.n_effective_clusters or 0.0
    groups = f"{count(number)} {plural_of(d.column or '')}"
    return groups if number - worth < 0.05 else f"{groups}, worth {worth:.3g} of equal size,"


def item_losses(gate: Gate) -> str:
    """What a PASS assumes if only single items may be lost, as the next clause."""
    declared = [
        c
        for c in gate.tasks
        if c.goal == "non-inferiority" and c.comparison.estimate.loss == "item"
    ]
    if gate.verdict != "pass" or not declared:
        return ""
    column = name(declared[0].comparison.estimate.column or "cluster")
    declared_by = arg("loss", "item")
    return f"; this assumes that no {column} outside the sample fails entirely ({declared_by})"


def _alone(gate: Gate, toward: str) -> str:
    """Holm's adjustment depends on the other tasks, of which nothing is known."""
    several = len(gate.tasks) > 1 and toward == "regression"
    return " were this the only task (Holm's adjustment may ask for more)" if several else ""


def _compared(gate: Gate, check: TaskGate) -> str:
    """Items that the answer rests on."""
    if check.task_rule is not None:
        tasks = f"{check.comparison.n_items:,} tasks"
        return f"{tasks} (a task passes if {rule_words(check.task_rule)})"
    if gate.judge_correction is None:
        return items(check.comparison.n_items)
    return judged_items(gate.judge_correction).rstrip(",")


def _items(gate: Gate, check: TaskGate, need: float) -> str:
    """Items of a new run, and labels where a judge needs them."""
    if gate.judge_correction is not None:
        return f"{count(need)} items, {labeled_share(gate.judge_correction)},"
    return f"{count(need)} {unit(check)}s{_new_clusters(check)}"


def _new_clusters(check: TaskGate) -> str:
    """Where items of a new run come from: more items of the same clusters would not be enough."""
    design = check.comparison.estimate
    if design.kind != "cluster":
        return ""
    return f" in new {plural_of(design.column or '')} of the same sizes"


def settled_by(gate: Gate, check: TaskGate) -> Iterator[str]:
    """What would settle an open task; honest where nothing would."""
    s = check.needed_to_decide
    if check.verdict == "inconclusive":
        yield from _too_few(check)
    if check.missing_items_decide:
        yield "scores of the missing items would settle it"
        return
    if s is None:
        return
    seen = gap(check.comparison, check.comparison.gap, sign=True)
    wanted = probability(gate.criteria.power)
    if check.comparison.unanimous:
        yield (
            f"how many {unit(check)}s would settle it is unknown, because no error could be "
            "measured"
        )
    else:
        if _sensible(s.n_items_if_equal):
            need = _items(gate, check, s.n_items_if_equal)
            yield (
                f"a new run of {need} would give a PASS with {wanted} probability if the "
                "models are equal"
            )
        if not _sensible(s.n_items_if_observed) or s.verdict_if_observed is None:
            yield f"more {unit(check)}s cannot settle it if the true gap is {seen}"
        elif check.improvement != 0:
            need = _items(gate, check, s.n_items_if_observed)
            yield (
                f"a new run of {need} would give a {verdict_text(s.verdict_if_observed)} with "
                f"{wanted} probability if "
                f"the true gap is {seen}{_alone(gate, s.verdict_if_observed)}"
            )
        yield from _runs(check)


def _runs(check: TaskGate) -> Iterator[str]:
    s, split, one = check.needed_to_decide, check.comparison.run_variance, unit(check)
    if s is None or split is None or not split.is_identified:
        return
    if not _sensible(s.n_items_if_observed):
        return
    if s.n_runs is not None:
        yield f"so would {s.n_runs:,} runs per {one} of each model on the same {one}s"
    else:
        yield f"no number of further runs on the same {one}s would do"
