"""Write the report of a judged comparison."""

import math
from collections.abc import Iterator

from nstar._base.types import Interval
from nstar._verbs.compare.task_comparison import ReadingKind
from nstar._verbs.judged import Judged, JudgedModel
from nstar.report.documents import Document, TextTable
from nstar.report.prose.comparison.headline import (
    caution,
    estimate_resolution,
    finding,
    gap_direction,
    if_observed,
    interval_and_p,
    p_is,
    rounded_need,
    stopped_reasons,
    verdict_sentence,
)
from nstar.report.prose.design import taken_as
from nstar.report.prose.gap import beside, coverage, downwards, gap, score, span
from nstar.report.prose.judged_ranking import (
    ASSUMED,
    DEPARTURES,
    REVERSED,
    choice_note,
    pair_slope,
    random_labels,
    strata_note,
    stretched_note,
)
from nstar.report.prose.numbers import (
    count,
    items,
    level,
    name,
    plural_of,
    power_definition,
    probability,
    pvalue,
    two_names,
)

BY = {"corrected": "judge and labels", "labels": "labels alone", "judge": "judge alone"}
"""Names of the data from which a gap is computed."""


def _labels(n: float) -> str:
    return "1 label" if n == 1 else f"{count(n)} labels"


def _evidence(result: Judged, ci: Interval) -> str:
    at = result.estimate
    return interval_and_p(result, result.criteria, result.confidence_level, ci, at.pvalue)


def _in(result: Judged) -> str:
    if result.n_groups is None:
        return ""
    return f" in {count(result.n_groups)} {plural_of(result.cluster or '')}"


def _items(result: Judged) -> str:
    """Return the items from which the gap is computed."""
    if result.method == "labels":
        return f"{count(result.n_labels)} labeled items{_in(result)}"
    return f"{count(result.n_items)} judged items{_in(result)}, {count(result.n_labels)} labeled"


def _finding(result: Judged) -> str:
    ci = beside(result, result.estimate.ci, result.gap)
    evidence = f"{_evidence(result, ci)}; {_items(result)}"
    return finding(result.models, result, result.gap, result.verdict, evidence)


def _what_it_takes(result: Judged) -> str | None:
    """Return the items that the observed gap needs."""
    if result.verdict in ("better", "worse") or not result.gap:
        return None
    if result.more_labels:
        need = rounded_need(result.more_labels, result.n_labels, "label")
        return if_observed(result, result.gap, need)
    n_more = result.n_star_all_labeled - result.n_items
    if math.isinf(result.n_star) and math.isfinite(n_more) and n_more > 0:
        need = rounded_need(math.ceil(n_more), result.n_items, "judged item")
        return if_observed(result, result.gap, f"{need}, even if all are labeled")
    return None


def _judge_alone(result: Judged) -> str:
    """Return the judge's own result, and the model that it favors."""
    judge_only = next(x for x in result.other_estimates if x.method == "judge")
    text = f"The judge alone reports {gap(result, judge_only.gap, sign=True)}"
    if result.bias_pvalue > result.criteria.alpha:
        return f"{text}."
    favored = result.models[0] if (result.bias > 0) != result.lower_is_better else result.models[1]
    return f"{text}, because it favors {name(favored)} by {gap(result, abs(result.bias))}."


def _headline(result: Judged) -> str:
    reasons = stopped_reasons(result.findings)
    last = caution(reasons) if reasons else _what_it_takes(result)
    parts = (_finding(result), _judge_alone(result), estimate_resolution(result), last)
    return " ".join(part for part in parts if part) + downwards([result])


def _ways(result: Judged) -> TextTable:
    rows = tuple(
        (
            BY[x.method],
            count(x.n_items),
            gap(result, x.gap, sign=True, column=True),
            gap(result, x.se, column=True),
            span(result, x.ci, column=True),
            pvalue(x.pvalue),
        )
        for x in (result.estimate, *result.other_estimates)
    )
    where = f" on {name(result.task)}" if result.task else ""
    return TextTable(
        title=f"Gap by source{where} (→ used)",
        header=("source", "items", "gap", "SE", f"{coverage(result.confidence_level)} CI", "p"),
        rows=rows,
        marked=0,
    )


def _hits(k: int | None, n: int | None) -> str:
    return "–" if not n or k is None else f"{k:,} of {n:,}"


def _model_row(result: Judged, model: JudgedModel, label: str) -> tuple[str, ...]:
    cells = (
        score(result, model.judge_mean),
        score(result, model.mean),
        gap(result, model.bias, sign=True, column=True),
        span(result, model.bias_ci, column=True),
    )
    if model.n_correct is None:
        return label, *cells
    passed, failed = (
        _hits(model.n_correct_passed, model.n_correct),
        _hits(model.n_incorrect_failed, model.n_incorrect),
    )
    return label, *cells, passed, failed


def _models(result: Judged) -> TextTable:
    names = two_names(result.models, 24)
    binary = (
        result.model_estimates[0].n_correct is not None
        and result.model_estimates[1].n_correct is not None
    )
    extra_columns = ("correct, passed", "wrong, failed") if binary else ()
    rows = tuple(
        _model_row(result, m, label)[: 5 + len(extra_columns)]
        for m, label in zip(result.model_estimates, names, strict=True)
    )
    conf, best = (
        coverage(result.confidence_level),
        "labels" if result.method_reason else "corrected",
    )
    return TextTable(
        title="Judge by model (bias: judge − label, on labeled items)",
        header=("", "judge", best, "bias", f"{conf} CI", *extra_columns),
        rows=rows,
    )


def _bias_note(result: Judged) -> str:
    interval = (
        f"{coverage(result.confidence_level)} CI {span(result, result.bias_ci)}, "
        f"{p_is(result.bias_pvalue)}"
    )
    size = gap(result, result.bias, sign=True)
    if result.bias_pvalue <= result.criteria.alpha:
        return f"The judge's bias (judge − labels, first − second) is {size} ({interval})."
    if result.bias_mde == 0:
        return (
            f"On the {items(result.n_labels)} with labels, the judge and the labels report the "
            f"same gap ({interval})."
        )
    return (
        f"The judge's bias is not significant: {size} ({interval}). With "
        f"{_labels(result.n_labels)}, a bias of {gap(result, result.bias_mde)} is detectable."
    )


def _worth_note(result: Judged) -> str:
    if result.method_reason:
        return f"The judge is not used, because {result.method_reason}."
    r = "" if result.r is None else f" (r = {result.r:.2f} on model differences)".replace("-", "−")
    return (
        f"With the judge, the labels are as precise as {result.gain:.2g}× as many labels "
        f"alone{r}. This gain depends on how well the judge tracks differences between the models."
    )


def _notes(result: Judged) -> Iterator[str]:
    if result.slope < 0:
        yield REVERSED
    if result.judge_score_range is not None:
        yield stretched_note(result.judge_score_range)
    yield _bias_note(result)
    yield _worth_note(result)
    if result.n_label_strata is not None:
        yield strata_note(result.n_label_strata)
    if not math.isinf(result.n_star):
        yield (
            f"Detecting a gap of the observed size takes {_labels(result.n_star)} on these judged "
            f"items. Without the judge, it takes {_labels(result.n_star_all_labeled)}."
        )
    if result.selection_pvalue is not None:
        yield choice_note(result.selection_pvalue)
    if not result.method_reason:
        yield pair_slope(result.slope)
    yield from (f.text for f in result.findings)


def _assumptions(result: Judged) -> tuple[str, ...]:
    c = result.criteria
    independent = "Items are independent"
    if result.cluster is not None:
        independent = f"{plural_of(result.cluster).capitalize()} are a random sample"
    return (
        ASSUMED,
        f"{independent}. {gap_direction(result)}",
        power_definition(c.power, c.alpha, c.sides),
        "The judge can err in any way, and more on one model than on the other; only its "
        "correlation with the labels is used.",
        *((DEPARTURES,) if result.method == "corrected" else ()),
    )


def _basis(result: Judged) -> str:
    c = result.criteria
    kind: ReadingKind = "independent" if result.cluster is None else "cluster"
    labels = random_labels(result.n_label_strata)
    return f"{labels}{taken_as(kind, result.cluster)}; {level(c.alpha, c.sides)}."


def document(result: Judged) -> Document:
    """Return the report: headline, three estimates of the gap, the judge, and notes."""
    grids = (_ways(result), _models(result))
    return Document(
        headline=_headline(result),
        opening=_finding(result),
        key=grids,
        grids=grids,
        notes=tuple(_notes(result)),
        basis=_basis(result),
        assumptions=_assumptions(result),
    )


def _test(result: Judged) -> str:
    """Return the interval and test of the answer."""
    if math.isinf(result.df):
        return "Tango's interval and McNemar's test"
    return f"t with {result.df:.0f} degrees of freedom"


def paragraph(result: Judged) -> str:
    """Return a paragraph for a paper."""
    first, second = (name(n) for n in result.models)
    a, b = result.model_estimates
    c = result.criteria
    where = f" of {name(result.task)}" if result.task else ""
    method_text = (
        "regression estimator"
        if result.method == "corrected"
        else f"labels alone: {result.method_reason}"
    )
    judge_only = next(x for x in result.other_estimates if x.method == "judge")
    after = "After correction" if result.method == "corrected" else "By these labels"
    return (
        f"A judge scored {items(result.n_items)}{where}, and humans labeled a random "
        f"{count(result.n_labels)} of them. {after}, {first} scores {score(result, a.mean)} and "
        f"{second} scores {score(result, b.mean)}; the gap is "
        f"{gap(result, result.gap, sign=True)} ({_evidence(result, result.estimate.ci)}; "
        f"{method_text}, {_test(result)}{_in(result)}). {verdict_sentence(result)} "
        f"At α = {c.alpha:g}, such an evaluation detects a gap of "
        f"{gap(result, result.mde)} with {probability(c.power)} power. The judge alone would "
        f"report {gap(result, judge_only.gap, sign=True)}; on the "
        "labeled items, its gap differs from that of the labels by "
        f"{gap(result, result.bias, sign=True)} ({coverage(result.confidence_level)} CI "
        f"{span(result, result.bias_ci)})."
    )
