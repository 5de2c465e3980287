"""One task of a Gate in words: what was shown, and what would settle it."""

from collections.abc import Iterator

from nstar._verbs.gate import Check, Gate
from nstar._verbs.verdict import ABSURD
from nstar.errors import arg
from nstar.report.prose.comparison.headline import p_is
from nstar.report.prose.design import few_clusters, rounded_up
from nstar.report.prose.gap import coverage, gap, span
from nstar.report.prose.gate.at_least import rule_words
from nstar.report.prose.judged_ranking import judged_items, labelled_share
from nstar.report.prose.numbers import count, items, name, plural_of, probability


def task_name(check: Check, *, limit: int = 40) -> str:
    """The task, or what stands for it."""
    return name(check.task, limit=limit) or "all items"


def unit(check: Check) -> str:
    """What is counted: a rule is asked of tasks."""
    return "item" if check.at_least is None else "task"


def margin_words(check: Check) -> str:
    """The margin, or that there is none."""
    return "no margin" if check.margin is None else gap(check.pair, check.margin)


def _evidence(check: Check, p: float | None, claim: str) -> str:
    e = check.evidence
    tail = "" if p is None else f", {p_is(p, level=level(check))} {claim}".rstrip()
    return f"{coverage(e.conf)} interval {_span(check)}{tail}"


def level(check: Check) -> float:
    """The one-sided level, beside which no p-value is rounded onto it."""
    return (1 - check.evidence.conf) / 2


def _span(check: Check) -> str:
    """The interval, with more decimals where an end would be rounded onto the margin."""
    pair, ci = check.pair, check.evidence.ci
    short = span(pair, ci)
    if check.margin is None or short == "–":
        return short
    near = margin_words(check) in {gap(pair, abs(float(end))) for end in ci}
    return span(pair, ci, column=near)


def _worse(check: Check) -> str:
    return gap(check.pair, abs(check.gain))


def evaluations(count: int) -> str:
    """How many nights a history has."""
    return "1 evaluation" if count == 1 else f"{count:,} evaluations"


def _gathered(gate: Gate, check: Check, nights: int) -> str:
    """What a history shows, and apart from it what this evaluation saw."""
    first, second = (name(n) for n in gate.names)
    e, by = check.evidence, f"by the evidence of {evaluations(nights)}"
    seen = gap(check.pair, check.pair.gap, sign=True)
    own = f"the gap of this one is {seen} ({_evidence(check, None, '')}), on "
    own += items(check.pair.n_items)
    margin = margin_words(check)
    if e.conflict:
        return f"the evidence of {evaluations(nights)} conflicts: {_conflict(check)}; {own}"
    if check.answer == "REGRESSION":
        beyond = "" if check.margin is None else f", not shown to be within {margin}"
        p = p_is(check.p_worse_adjusted)
        return f"{first} is worse than {second} {by} ({p} against no loss){beyond}; {own}"
    if check.answer == "PASS" and check.aim == "superiority":
        return f"{first} beats {second} {by} ({p_is(e.p_better)}); {own}"
    if check.answer == "PASS":
        loss = ", though it is shown to be worse" if check.harmless_loss else ""
        p = "" if e.p_within is None else f" ({p_is(e.p_within)} against more)"
        return (
            f"{first} is shown not to be worse than {second} by {margin} or more {by}{p}{loss}; "
            f"{own}"
        )
    absence = "a gain" if check.aim == "superiority" else f"its absence within {margin}"
    return f"neither a loss nor {absence} is shown {by}{_holm(check)}; {own}"


def _conflict(check: Check) -> str:
    e = check.evidence
    other, p = f"none of {margin_words(check)} or more", e.p_within
    if p is None:
        other, p = "a gain", e.p_better
    return (
        f"a loss is shown ({p_is(e.p_worse)}) and {other} too ({p_is(p)}), so a label may stand "
        "for two models"
    )


def task_finding(gate: Gate, check: Check) -> str:
    """The finding of one task, without its answer."""
    if gate.gathered is not None:
        return _gathered(gate, check, gate.gathered.evaluations)
    first, second = (name(n) for n in gate.names)
    e, on = check.evidence, f"on {_compared(gate, check)}"
    if check.answer == "REGRESSION":
        beyond = "" if check.margin is None else f", not shown to be within {margin_words(check)}"
        found = _evidence(check, check.p_worse_adjusted, "against no loss")
        return f"{first} is worse than {second} by {_worse(check)} ({found}), {on}{beyond}"
    if check.harmless_loss:
        found = _evidence(check, e.p_within, "against more")
        return (
            f"{first} is worse than {second} by {_worse(check)}, a loss that is shown to be below "
            f"the margin of {margin_words(check)} ({found}), {on}"
        )
    seen = gap(check.pair, check.pair.gap, sign=True)
    if check.answer == "PASS" and check.aim == "superiority":
        return f"{first} beats {second}: gap {seen} ({_evidence(check, e.p_better, '')}), {on}"
    if check.answer == "PASS":
        found = _evidence(check, e.p_within, "against more")
        return (
            f"{first} is shown not to be worse than {second} by {margin_words(check)} or more: "
            f"gap {seen} ({found}), {on}"
        )
    return _open(check, seen, on)


def _open(check: Check, seen: str, on: str) -> str:
    found = _evidence(check, None, "")
    if check.missing_decides:
        missing = check.missing_candidate + check.missing_baseline
        return (
            f"the gap is {seen} ({found}), {on}, but {items(missing)} of one model "
            "only could undo what the others show"
        )
    if check.aim == "superiority":
        return f"the gap is {seen} ({found}), {on}: shown neither better nor worse{_holm(check)}"
    return (
        f"the gap is {seen} ({found}), {on}: neither a loss nor its absence within "
        f"{margin_words(check)} is shown{_holm(check)}"
    )


def _holm(check: Check) -> str:
    """A loss that one task alone would show."""
    adjusted = check.evidence.shown_worse and not check.shown_worse_adjusted
    return ", after Holm's adjustment for the other tasks" if adjusted else ""


def _sensible(n: float) -> bool:
    return n <= ABSURD


def _too_few(check: Check) -> Iterator[str]:
    if check.least is not None and not check.identical_pass:
        yield (
            f"with this margin even identical scores need {check.least:,} {unit(check)}s to pass, "
            "so on so few only a clearly better candidate does"
        )
    if check.margin_least is not None and check.margin_too_small:
        low, high = check.pair.score_range
        least = rounded_up(check.margin_least, high - low)
        yield few_clusters(_clusters(check), gap(check.pair, least))


def _clusters(check: Check) -> str:
    """How many clusters there are, and what unequal ones are worth."""
    d = check.pair.estimate
    number, worth = d.n_groups or 0, d.n_effective_clusters or 0.0
    groups = f"{count(number)} {plural_of(d.column or '')}"
    return groups if number - worth < 0.05 else f"{groups}, worth {worth:.3g} of equal size,"


def item_losses(gate: Gate) -> str:
    """What a PASS assumes if only single items may be lost, as the next clause."""
    declared = [
        c for c in gate.tasks if c.aim == "non-inferiority" and c.pair.estimate.loss == "item"
    ]
    if gate.answer != "PASS" or not declared:
        return ""
    column = name(declared[0].pair.estimate.column or "cluster")
    declared_by = arg("loss", "item")
    return f"; this assumes that no {column} outside the sample fails entirely ({declared_by})"


def _alone(gate: Gate, towards: str) -> str:
    """Holm's adjustment depends on the other tasks, of which nothing is known."""
    several = len(gate.tasks) > 1 and towards == "REGRESSION"
    return " were this the only task (Holm's adjustment may ask for more)" if several else ""


def _compared(gate: Gate, check: Check) -> str:
    """Items that the answer rests on."""
    if check.at_least is not None:
        return f"{check.pair.n_items:,} tasks (a task passes if {rule_words(check.at_least)})"
    if gate.judged is None:
        return items(check.pair.n_items)
    return judged_items(gate.judged).rstrip(",")


def _items(gate: Gate, check: Check, need: float) -> str:
    """Items of a new run, and labels where a judge needs them."""
    if gate.judged is not None:
        return f"{count(need)} items, {labelled_share(gate.judged)},"
    return f"{count(need)} {unit(check)}s{_new_clusters(check)}"


def _new_clusters(check: Check) -> str:
    """Where items of a new run come from: more items of the same clusters would not be enough."""
    design = check.pair.estimate
    if design.kind != "cluster":
        return ""
    return f" in new {plural_of(design.column or '')} of the same sizes"


def settled_by(gate: Gate, check: Check) -> Iterator[str]:
    """What would settle an open task; honest where nothing would."""
    s = check.settle
    if check.answer == "INCONCLUSIVE":
        yield from _too_few(check)
    if check.missing_decides:
        yield "scores of the missing items would settle it"
        return
    if s is None:
        return
    seen = gap(check.pair, check.pair.gap, sign=True)
    wanted = probability(gate.criteria.power)
    if check.pair.unanimous:
        yield (
            f"how many {unit(check)}s would settle it is unknown, because no error could be "
            "measured"
        )
    else:
        if _sensible(s.items_if_equal):
            need = _items(gate, check, s.items_if_equal)
            yield (
                f"a new run of {need} would give a PASS with {wanted} probability if the "
                "models are equal"
            )
        if not _sensible(s.items_if_observed) or s.towards is None:
            yield f"more {unit(check)}s cannot settle it if the true gap is {seen}"
        elif check.gain != 0:
            need = _items(gate, check, s.items_if_observed)
            yield (
                f"a new run of {need} would give a {s.towards} with {wanted} probability if "
                f"the true gap is {seen}{_alone(gate, s.towards)}"
            )
        yield from _runs(check)


def _runs(check: Check) -> Iterator[str]:
    s, split, one = check.settle, check.pair.run_variance, unit(check)
    if s is None or split is None or not split.is_identified:
        return
    if not _sensible(s.items_if_observed):
        return
    if s.runs is not None:
        yield f"so would {s.runs:,} runs per {one} of each model on the same {one}s"
    else:
        yield f"no number of further runs on the same {one}s would do"
