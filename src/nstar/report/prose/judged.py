"""A Judged comparison in words."""

import math

from nstar._verbs.compare.task_comparison import ReadingKind
from nstar._verbs.judged import Judged, JudgedModel
from nstar.report.documents import Document, TextTable
from nstar.report.prose.comparison.headline import (
    caution,
    finding,
    if_observed,
    interval_and_p,
    p_is,
    rounded_need,
    stopped_reasons,
    thresholds,
)
from nstar.report.prose.design import taken_as
from nstar.report.prose.gap import coverage, downwards, gap, score, span
from nstar.report.prose.judged_ranking import (
    ASSUMED,
    DEPARTURES,
    RANDOM_LABELS,
    REVERSED,
    choice_note,
    pair_slope,
    stretched_note,
)
from nstar.report.prose.numbers import (
    count,
    items,
    level,
    name,
    percent,
    plural_of,
    probability,
    pvalue,
    two_names,
)

BY = {"corrected": "judge and labels", "labels": "labels alone", "judge": "judge alone"}
"""What a gap is computed from."""


def _labels(n: float) -> str:
    return "1 label" if n == 1 else f"{count(n)} labels"


def _evidence(found: Judged) -> str:
    at = found.estimate
    return interval_and_p(found, found.criteria, found.confidence_level, at.ci, at.pvalue)


def _in(found: Judged) -> str:
    if found.n_groups is None:
        return ""
    return f" in {count(found.n_groups)} {plural_of(found.cluster or '')}"


def _items(found: Judged) -> str:
    """Return the items that the gap is computed from."""
    if found.method == "labels":
        return f"{count(found.n_labels)} labeled items{_in(found)}"
    return f"{count(found.n_items)} judged items{_in(found)}, {count(found.n_labels)} labeled"


def _finding(found: Judged) -> str:
    evidence = f"{_evidence(found)}; {_items(found)}"
    return finding(found.models, found, found.gap, found.verdict, evidence)


def _what_it_takes(found: Judged) -> str | None:
    """Return what the observed gap would take."""
    if found.verdict in ("better", "worse") or not found.gap:
        return None
    if found.more_labels:
        need = rounded_need(found.more_labels, found.n_labels, "label")
        return if_observed(found, found.gap, need)
    more = found.n_star_all_labeled - found.n_items
    if math.isinf(found.n_star) and math.isfinite(more) and more > 0:
        need = rounded_need(math.ceil(more), found.n_items, "judged item")
        return if_observed(found, found.gap, f"{need}, even with a label on each")
    return None


def _judge_alone(found: Judged) -> str:
    """Return what the judge alone reports, and which model it favors."""
    alone = next(x for x in found.other_estimates if x.method == "judge")
    text = f"The judge alone reports {gap(found, alone.gap, sign=True)}"
    if found.bias_pvalue > found.criteria.alpha:
        return f"{text}."
    favored = found.models[0] if (found.bias > 0) != found.lower_is_better else found.models[1]
    return f"{text}: it favors {name(favored)} by {gap(found, abs(found.bias))}."


def _resolution(found: Judged) -> str:
    if found.se == 0:
        return "The detectable gap is unknown, because no error could be measured."
    return thresholds(found, found.criteria, "Here an", found.significant_gap, found.mde)


def _headline(found: Judged) -> str:
    reasons = stopped_reasons(found.findings)
    last = caution(reasons) if reasons else _what_it_takes(found)
    parts = (_finding(found), _judge_alone(found), _resolution(found), last)
    return " ".join(part for part in parts if part) + downwards([found])


def _ways(found: Judged) -> TextTable:
    rows = tuple(
        (
            BY[x.method],
            count(x.n_items),
            gap(found, x.gap, sign=True, column=True),
            gap(found, x.se, column=True),
            span(found, x.ci, column=True),
            pvalue(x.pvalue),
        )
        for x in (found.estimate, *found.other_estimates)
    )
    where = f" on {name(found.task)}" if found.task else ""
    return TextTable(
        title=f"Gap by source{where} (→ used)",
        header=("source", "items", "gap", "SE", f"{coverage(found.confidence_level)} CI", "p"),
        rows=rows,
        marked=0,
    )


def _hits(k: int | None, n: int | None) -> str:
    return "–" if not n or k is None else f"{k:,} of {n:,}"


def _model_row(found: Judged, model: JudgedModel, shown: str) -> tuple[str, ...]:
    cells = (
        score(found, model.judge_mean),
        score(found, model.mean),
        gap(found, model.bias, sign=True, column=True),
        span(found, model.bias_ci, column=True),
    )
    if model.n_correct is None:
        return shown, *cells
    passed, failed = (
        _hits(model.n_correct_passed, model.n_correct),
        _hits(model.n_incorrect_failed, model.n_incorrect),
    )
    return shown, *cells, passed, failed


def _models(found: Judged) -> TextTable:
    names = two_names(found.models, 24)
    binary = (
        found.model_estimates[0].n_correct is not None
        and found.model_estimates[1].n_correct is not None
    )
    more = ("correct, passed", "wrong, failed") if binary else ()
    rows = tuple(
        _model_row(found, m, shown)[: 5 + len(more)]
        for m, shown in zip(found.model_estimates, names, strict=True)
    )
    conf, best = coverage(found.confidence_level), "labels" if found.method_reason else "corrected"
    return TextTable(
        title="Judge by model (bias: judge − label, on labeled items)",
        header=("", "judge", best, "bias", f"{conf} CI", *more),
        rows=rows,
    )


def _bias_note(found: Judged) -> str:
    interval = (
        f"{coverage(found.confidence_level)} CI {span(found, found.bias_ci)}, "
        f"{p_is(found.bias_pvalue)}"
    )
    size = gap(found, found.bias, sign=True)
    if found.bias_pvalue <= found.criteria.alpha:
        return f"Judge bias (judge − labels, first − second): {size} ({interval})."
    if found.bias_mde == 0:
        return (
            f"Judge and labels agree about the gap on all {_labels(found.n_labels)} ({interval})."
        )
    return (
        f"No significant judge bias: {size} ({interval}); {_labels(found.n_labels)} detect "
        f"{gap(found, found.bias_mde)}."
    )


def _worth_note(found: Judged) -> str:
    if found.method_reason:
        return f"The judge is not used, because {found.method_reason}."
    r = "" if found.r is None else f" (r = {found.r:.2f} on model differences)".replace("-", "−")
    return (
        f"The judge makes the labels worth {found.gain:.2g}×{r}; its value depends on how well it "
        "tracks differences."
    )


def _need_note(found: Judged) -> str | None:
    if math.isinf(found.n_star):
        return None
    return (
        f"Detecting a gap of the observed size takes {_labels(found.n_star)} among these judged "
        f"items (q = {found.q:.2g}); without the judge, {_labels(found.n_star_all_labeled)}."
    )


def _notes(found: Judged) -> tuple[str, ...]:
    chosen = None if found.selection_pvalue is None else choice_note(found.selection_pvalue)
    reversed_ = REVERSED if found.slope < 0 else None
    own = None if found.judge_score_range is None else stretched_note(found.judge_score_range)
    slope = None if found.method_reason else pair_slope(found.slope)
    said = (
        reversed_,
        own,
        _bias_note(found),
        _worth_note(found),
        _need_note(found),
        chosen,
        slope,
    )
    warned = tuple(f.text for f in found.findings)
    return (*(note for note in said if note), *warned)


def _assumptions(found: Judged) -> tuple[str, ...]:
    first, second = (name(n) for n in found.models)
    c = found.criteria
    independent = "Items are independent"
    if found.cluster is not None:
        independent = f"{plural_of(found.cluster).capitalize()} are a random sample"
    return (
        ASSUMED,
        f"{independent}; gaps are {first} minus {second}; a "
        f"{'lower' if found.lower_is_better else 'higher'} score is better.",
        f"Detected and resolved: with {percent(c.power)} power at {level(c.alpha, c.sides)}.",
        "The judge can be wrong in any way, and more so on one model; only its correlation with "
        "labels is used.",
        *((DEPARTURES,) if found.method == "corrected" else ()),
    )


def _basis(found: Judged) -> str:
    c = found.criteria
    kind: ReadingKind = "independent" if found.cluster is None else "cluster"
    return f"{RANDOM_LABELS}{taken_as(kind, found.cluster)}; {level(c.alpha, c.sides)}."


def document(found: Judged) -> Document:
    """Headline, the gap three ways, the judge by model, notes, assumptions."""
    grids = (_ways(found), _models(found))
    return Document(
        headline=_headline(found),
        opening=_finding(found),
        key=grids,
        grids=grids,
        notes=_notes(found),
        basis=_basis(found),
        assumptions=_assumptions(found),
    )


def _test(found: Judged) -> str:
    """The interval and test of the answer."""
    if math.isinf(found.df):
        return "Tango's interval and McNemar's test"
    return f"t with {found.df:.0f} degrees of freedom"


def paragraph(found: Judged) -> str:
    """One defensible paragraph to paste into a paper."""
    first, second = (name(n) for n in found.models)
    a, b = found.model_estimates
    c = found.criteria
    where = f" of {name(found.task)}" if found.task else ""
    how = (
        "regression estimator"
        if found.method == "corrected"
        else f"labels alone: {found.method_reason}"
    )
    verdict = {
        "better": f"{first} is significantly better.",
        "worse": f"{first} is significantly worse.",
    }.get(found.verdict, "The comparison is inconclusive, which is not evidence of equality.")
    alone = next(x for x in found.other_estimates if x.method == "judge")
    after = " after correction" if found.method == "corrected" else " by these labels"
    return (
        f"On {items(found.n_items)}{where} scored by a judge, of which a random "
        f"{count(found.n_labels)} were labeled by humans, {first} scores {score(found, a.mean)} "
        f"and {second} {score(found, b.mean)}{after}; the gap is "
        f"{gap(found, found.gap, sign=True)} ({_evidence(found)}; {how}, {_test(found)}"
        f"{_in(found)}). {verdict} "
        f"At α = {c.alpha:g} and {probability(c.power)} power such an evaluation detects "
        f"{gap(found, found.mde)}. The judge alone would report "
        f"{gap(found, alone.gap, sign=True)}; on the labeled items its gap differs from that "
        f"of the labels by {gap(found, found.bias, sign=True)} "
        f"({coverage(found.confidence_level)} CI {span(found, found.bias_ci)})."
    )
