"""A Judged comparison in words."""

import math

from nstar._verbs.judged import Judged, JudgedGap, JudgedModel
from nstar.report.documents import Document, TextTable
from nstar.report.prose.comparison.headline import p_is, stopped_early
from nstar.report.prose.gap import coverage, downwards, gap, score, span
from nstar.report.prose.judged_ranking import (
    ASSUMED,
    DEPARTURES,
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
    often,
    percent,
    probability,
    pvalue,
    two_names,
)

_MAX_USEFUL_FACTOR = 100
"""Times the labels there are, beyond which a number of labels is not useful advice."""
BY = {"corrected": "judge and labels", "labels": "labels alone", "judge": "judge alone"}
"""What a gap is computed from."""


def _labels(n: float) -> str:
    return "1 label" if n == 1 else f"{count(n)} labels"


def _evidence(found: Judged, at: JudgedGap) -> str:
    side = "one-sided " if found.criteria.sides == 1 else ""
    return (
        f"{coverage(found.confidence_level)} interval {span(found, at.ci)}, "
        f"{side}{p_is(at.pvalue)}"
    )


def _in(found: Judged) -> str:
    return "" if found.n_groups is None else f" in {count(found.n_groups)} clusters"


def _basis_of(found: Judged) -> str:
    """What was looked at."""
    if found.method == "labels":
        return f"{count(found.n_labels)} labeled items{_in(found)}"
    return (
        f"{count(found.n_items)} judged items{_in(found)}, {count(found.n_labels)} of them labeled"
    )


def _shown(found: Judged) -> str:
    first, second = (name(n) for n in found.models)
    if found.verdict in ("better", "worse"):
        verb = "beats" if found.verdict == "better" else "trails"
        size, how = gap(found, abs(found.gap)), _evidence(found, found.estimate)
        return f"{first} {verb} {second} by {size} ({how}), on {_basis_of(found)}."
    comma = "," if found.method == "corrected" else ""
    return (
        f"{_basis_of(found)}{comma} cannot tell {first} and {second} apart: the gap is "
        f"{gap(found, found.gap, sign=True)} ({_evidence(found, found.estimate)})."
    )


def _settle(found: Judged) -> str:
    """What would settle an open question."""
    text = f"They can detect {gap(found, found.mde)}"
    seen, more = gap(found, found.gap, sign=True), found.more_labels
    if more and more <= _MAX_USEFUL_FACTOR * found.n_labels:
        return f"{text}; if the gap is really {seen}, {count(more)} more labels would settle it."
    if math.isinf(found.n_star) and math.isfinite(found.n_star_all_labeled):
        if found.n_star_all_labeled > _MAX_USEFUL_FACTOR * found.n_items:
            return f"{text}; a gap of {seen} is far too small for these items."
        return (
            f"{text}; a gap of {seen} takes more judged items than these: "
            f"{count(found.n_star_all_labeled)} with a label each would do."
        )
    return f"{text}."


def _judge_says(found: Judged) -> str:
    """The judge alone, and which model it favors."""
    alone = next(x for x in found.other_estimates if x.method == "judge")
    text = f"The judge alone says {gap(found, alone.gap, sign=True)}"
    if found.bias_pvalue > found.criteria.alpha:
        return f"{text}."
    whom = found.models[0] if (found.bias > 0) != found.lower_is_better else found.models[1]
    return f"{text}: it favors {name(whom)} by {gap(found, abs(found.bias))}."


def _headline(found: Judged) -> str:
    parts = [_shown(found)]
    if found.verdict not in ("better", "worse"):
        parts.append(_settle(found))
    parts.append(_judge_says(found))
    return " ".join(parts) + downwards([found]) + stopped_early(found.findings)


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
        title=f"The gap by judge and labels{where} (→ the answer)",
        header=(
            "by",
            "items",
            "gap",
            "std. error",
            f"{coverage(found.confidence_level)} interval",
            "p",
        ),
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
    more = ("right, passed", "wrong, failed") if binary else ()
    rows = tuple(
        _model_row(found, m, shown)[: 5 + len(more)]
        for m, shown in zip(found.model_estimates, names, strict=True)
    )
    conf, best = coverage(found.confidence_level), "labels" if found.method_reason else "corrected"
    return TextTable(
        title="The judge, by model; bias is judge − label, over labeled items",
        header=("", "judge", best, "bias", f"{conf} interval", *more),
        rows=rows,
    )


def _bias_note(found: Judged) -> str:
    interval = (
        f"{coverage(found.confidence_level)} interval {span(found, found.bias_ci)}, "
        f"{p_is(found.bias_pvalue)}"
    )
    size = gap(found, found.bias, sign=True)
    if found.bias_pvalue <= found.criteria.alpha:
        return f"Judge less labels, first minus second: {size} ({interval})."
    if found.bias_mde == 0:
        return (
            f"On all {_labels(found.n_labels)} judge and people agree about the gap ({interval})."
        )
    return (
        f"That the judge favors one of the two is not shown: {size} ({interval}); "
        f"{_labels(found.n_labels)} detect {gap(found, found.bias_mde)}."
    )


def _worth_note(found: Judged) -> str:
    if found.method_reason:
        return f"The judge is not used: {found.method_reason}."
    r = "" if found.r is None else f"r = {found.r:.2f}".replace("-", "−")
    r += " on differences of the two models" if r else ""
    return (
        f"The judge is worth {found.gain:.2g} times the labels ({r}); what it saves is limited by "
        "how well it knows differences, not single answers."
    )


def _need_note(found: Judged) -> str | None:
    if math.isinf(found.n_star):
        return None
    return (
        f"A gap of that size takes {_labels(found.n_star)} among these judged items: "
        f"q = {found.q:.2g} (q ≥ 1: resolved); without a judge, "
        f"{_labels(found.n_star_all_labeled)}."
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
    independent = "Items are independent draws"
    if found.cluster is not None:
        independent = (
            f"Groups of items by {name(found.cluster)} are a sample; items within are not"
        )
    return (
        ASSUMED,
        f"{independent}; gaps are {first} minus {second}; a "
        f"{'lower' if found.lower_is_better else 'higher'} score is better.",
        f"Detectable, settled: with {percent(c.power)} probability at {level(c.alpha, c.sides)}.",
        "The judge may be wrong in any way, and more so on one model; only its correlation with "
        "labels is used.",
        *((DEPARTURES,) if found.method == "corrected" else ()),
    )


def _basis(found: Judged) -> str:
    c = found.criteria
    return (
        "Labels are the truth and of a random part of the judged items; detectable means found "
        f"{often(c.power)} at {level(c.alpha, c.sides)}."
    )


def document(found: Judged) -> Document:
    """Headline, the gap three ways, the judge by model, notes, assumptions."""
    grids = (_ways(found), _models(found))
    return Document(
        headline=_headline(found),
        opening=_shown(found),
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
    shown = {
        "better": f"{first} is ahead by more than the sampling of items explains.",
        "worse": f"{first} is behind by more than the sampling of items explains.",
    }.get(found.verdict, "The comparison is inconclusive, which is not evidence of equality.")
    alone = next(x for x in found.other_estimates if x.method == "judge")
    after = " after correction" if found.method == "corrected" else " by these labels"
    return (
        f"On {items(found.n_items)}{where} scored by a judge, of which a random "
        f"{count(found.n_labels)} were labeled by people, {first} scores {score(found, a.mean)} "
        f"and {second} {score(found, b.mean)}{after}; the gap is "
        f"{gap(found, found.gap, sign=True)} "
        f"({_evidence(found, found.estimate)}; {how}, {_test(found)}{_in(found)}). {shown} "
        f"At α = {c.alpha:g} and {probability(c.power)} power such an evaluation detects "
        f"{gap(found, found.mde)}. The judge alone would report "
        f"{gap(found, alone.gap, sign=True)}; on the labeled items its gap differs from that "
        f"of the labels by {gap(found, found.bias, sign=True)} "
        f"({coverage(found.confidence_level)} interval "
        f"{span(found, found.bias_ci)})."
    )
