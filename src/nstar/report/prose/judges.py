"""Write the report of several judges."""

import math
from collections.abc import Iterator

from nstar._base.types import Interval
from nstar._base.units import join_words
from nstar._verbs.judges import JudgePair, JudgeRow, Judges
from nstar.errors import arg
from nstar.report.documents import Document, TextTable
from nstar.report.prose.comparison.headline import p_is, rounded
from nstar.report.prose.gap import beside, coverage, gap, span
from nstar.report.prose.judged_ranking import RANDOM_LABELS
from nstar.report.prose.numbers import count, items, money, name, percent, share
from nstar.stats import RaterAgreement

_MAX_JUDGES_SHOWN = 6
"""Maximum number of judges on one screen."""
_MIN_LABELS_WITH_JUDGE = 30
"""Number of labels below which a comparison does not use the judge."""
_CHOSEN = 0.01
"""p-value below which labeled items do not look like a random sample."""


def _plain(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}".replace("-", "−")


def _ends(interval: Interval | None) -> str:
    if interval is None:
        return "–"
    low, high = (_plain(float(end)) for end in interval)
    return f"{low} to {high}"


def _percent(value: float | None) -> str:
    return "–" if value is None else percent(value, 0)


def _percents(interval: Interval | None) -> str:
    if interval is None:
        return "–"
    low, high = (_percent(float(end)) for end in interval)
    return f"{low.removesuffix('%')} to {high}"


def _what(result: Judges) -> str:
    """Return the quantities that a correlation refers to."""
    return "answers" if len(result.models) == 1 else "model differences"


def _agreement(result: Judges, row: JudgeRow) -> str:
    ci = f", {coverage(result.confidence_level)} CI {_ends(row.r_ci)}" if row.r_ci else ""
    return f"(r = {_plain(row.r)} on {_what(result)}{ci})"


def _is_fully_labeled(row: JudgeRow) -> bool:
    """Return whether all judged items are labeled, so that the judge adds nothing."""
    return 0 < row.n_items <= row.n_labels


def _times(row: JudgeRow) -> str:
    """Return the value of labels with a judge, with unlimited judged items if all are labeled."""
    gain = row.gain_unlimited if _is_fully_labeled(row) else row.gain
    if gain is None:
        return "–"
    return "∞" if math.isinf(gain) else f"{gain:.2g}"


def _worth_labels(row: JudgeRow) -> str:
    if _is_fully_labeled(row):
        return (
            f"labels are as precise as up to {_times(row)}× as many labels alone, if it also "
            "judges unlabeled items"
        )
    worth = "unlimited labels"
    if row.gain is not None and math.isfinite(row.gain):
        worth = f"about {rounded(row.gain * row.n_labels)} labels alone"
    return f"{count(row.n_labels)} labels are as precise as {worth}"


def _worth(result: Judges, best: JudgeRow) -> str:
    """Return the judge that saves most labels, without prices."""
    if best.r is None or best.r <= 0:
        found_r = _agreement(result, best)
        return f"No judge agrees with human labels. The closest is {name(best.judge)} {found_r}."
    text = (
        f"{name(best.judge)} agrees best with human labels {_agreement(result, best)}. With "
        f"it, {_worth_labels(best)}"
    )
    if best.r_ci is not None and best.r_ci.low <= 0:
        return f"{text}, but its agreement is not significant."
    if result.best_pvalue is None:
        return f"{text}."
    p = p_is(result.best_pvalue)
    if result.best_pvalue <= 1 - result.confidence_level:
        return f"{text}. It is significantly better than every other judge ({p})."
    return f"{text}. It is not significantly better than every other judge ({p})."


def _paid(result: Judges, best: JudgeRow) -> str:
    """Return the judge that saves most, given prices."""
    if best.relative_cost is None or best.relative_cost >= 1:
        return (
            "No judge pays off at these prices: labels alone are cheaper. The best judge is "
            f"{name(best.judge)} {_agreement(result, best)}."
        )
    ci = "CI unknown"
    if best.relative_cost_ci is not None:
        ci = f"{coverage(result.confidence_level)} CI {_percents(best.relative_cost_ci)}"
    text = (
        f"With {name(best.judge)}, the same precision costs {_percent(best.relative_cost)} of "
        f"labels alone ({ci})."
    )
    others = [j for j in result.judges if j.judge != best.judge and j.relative_cost is not None]
    costs = [
        f"{'no lower' if j.relative_cost == 1 else _percent(j.relative_cost)} with {name(j.judge)}"
        for j in sorted(others, key=lambda j: j.relative_cost or 0)[:3]
    ]
    return f"{text} The cost is {join_words(costs)}." if costs else text


def _between(result: Judges) -> str:
    """Return the agreement of judges with each other, if labels are too few."""
    judges_text = (
        f"{len(result.judges)} judges" if len(result.judges) > 1 else name(result.judges[0].judge)
    )
    end = (
        f"The labels of {items(result.n_labels)} are too few or too similar to evaluate the "
        "judges. Label 150 items at random."
        if result.n_labels
        else (
            "No item has human labels for every model, so accuracy is unknown. Label 150 "
            "items at random."
        )
    )
    if not result.pairs:
        return f"{judges_text} judged {items(result.n_items)}. {end}"
    worst = min(result.pairs, key=lambda p: p.agreement.kappa or 0.0)
    pair_text = f"{name(worst.judge_a)} and {name(worst.judge_b)}"
    qualifier = "" if len(result.pairs) == 1 else " least,"
    kappa = f"κ = {_plain(worst.agreement.kappa)}"
    ci = worst.agreement.kappa_ci
    kappa += f", {coverage(result.confidence_level)} CI {_ends(ci)}" if ci else ""
    same = (
        ""
        if worst.agreement.share is None
        else f" on {_percent(worst.agreement.share)} of answers"
    )
    return f"{pair_text} agree{qualifier}{same} ({kappa}). {end}"


def _headline(result: Judges) -> str:
    best = next((j for j in result.judges if j.judge == result.best_judge), None)
    if best is None:
        return _between(result)
    return _worth(result, best) if result.cost_label is None else _paid(result, best)


def _bias(result: Judges, people: RaterAgreement) -> tuple[str, str]:
    size = gap(result, people.bias, sign=True, column=True)
    return size, span(result, people.bias_ci, column=True)


def _judge_row(result: Judges, row: JudgeRow) -> tuple[str, ...]:
    people = row.agreement
    label = name(row.judge, limit=18)
    if people is None:
        return (label, *["–"] * 7)
    return (
        label,
        _percent(people.share),
        _plain(people.kappa),
        _plain(row.r),
        _ends(row.r_ci),
        *_bias(result, people),
        "–" if row.gain is None else f"{'≤ ' if _is_fully_labeled(row) else ''}{_times(row)}×",
    )


def _rows(result: Judges) -> tuple[JudgeRow, ...]:
    extra_rows = () if result.combined is None else (result.combined,)
    return (*result.judges, *extra_rows)


def _marked(result: Judges) -> int | None:
    return next((k for k, j in enumerate(result.judges) if j.judge == result.best_judge), None)


def _against_people(result: Judges) -> TextTable:
    conf = coverage(result.confidence_level)
    return TextTable(
        title=f"Judges against human labels ({count(result.n_labels)} of {items(result.n_items)} "
        "labeled; bias: judge − label)",
        header=("", "agree", "κ", "r", f"{conf} CI", "bias", f"{conf} CI", "worth"),
        rows=tuple(_judge_row(result, row) for row in _rows(result)),
        marked=_marked(result),
    )


def _prices(result: Judges) -> TextTable:
    rows = tuple(
        (
            name(j.judge, limit=18),
            "–" if j.cost is None else money(j.cost),
            "–"
            if j.break_even_cost is None
            else money(j.break_even_cost * (result.cost_label or 0.0)),
            _percent(j.relative_cost),
            _percents(j.relative_cost_ci),
            "–" if j.relative_cost in (None, 1.0) else _percent(j.label_share),
        )
        for j in _rows(result)
    )
    return TextTable(
        title=f"Cost of the same precision, with labels at {money(result.cost_label or 0.0)} each",
        header=(
            "",
            "price per judgment",
            "break-even price",
            "cost vs labels alone",
            f"{coverage(result.confidence_level)} CI",
            "share to label",
        ),
        rows=rows,
        marked=_marked(result),
    )


def _pair_row(pair: JudgePair) -> tuple[str, ...]:
    b = pair.agreement
    return (
        f"{name(pair.judge_a, limit=14)}, {name(pair.judge_b, limit=14)}",
        count(b.n_answers),
        _percent(b.share),
        _plain(b.kappa),
        _ends(b.kappa_ci),
        _plain(pair.r),
        _ends(pair.r_ci),
    )


def _among(result: Judges) -> TextTable:
    conf = coverage(result.confidence_level)
    return TextTable(
        title=f"Agreement between judges (r on {_what(result)})",
        header=("", "answers", "agree", "κ", f"{conf} CI", "r", f"{conf} CI"),
        rows=tuple(_pair_row(pair) for pair in result.pairs),
    )


def _sd(result: Judges, value: float | None) -> str:
    return "–" if value is None else gap(result, max(value, 0.0) ** 0.5, column=True)


def _sd_ends(result: Judges, ends: Interval | None) -> str:
    if ends is None:
        return "–"
    low, high = (gap(result, float(v) ** 0.5, column=True) for v in ends)
    return f"{low.removesuffix(' pp')} to {high}"


def _parts(result: Judges) -> TextTable:
    """Return the components of the variance, their share of the error, and how to reduce each."""
    parts, shares = result.variances, result.variance_shares
    assert parts is not None  # noqa: S101 asked for only then
    assert shares is not None  # noqa: S101
    cross_label = "item × judge" if parts.repeat2 is not None else "item × judge, repeats"
    table = [
        ("item", parts.item2, parts.item_ci, shares.item, "items"),
        ("judge", parts.judge2, parts.judge_ci, shares.judge, "judges"),
        (cross_label, parts.cross2, parts.cross_ci, shares.cross, "items, judges"),
        ("repeat", parts.repeat2, parts.repeat_ci, shares.repeat, "items, judges, repeats"),
    ]
    subject = "gap between two models" if len(result.models) > 1 else "mean"
    return TextTable(
        title=f"Standard error of a {subject} by judges alone, by source",
        header=(
            "source of variance",
            "SD",
            f"{coverage(result.confidence_level)} CI",
            "share",
            "reduced by more",
        ),
        rows=tuple(
            (label, _sd(result, v), _sd_ends(result, ci), _percent(part), remedy)
            for label, v, ci, part, remedy in table
            if v is not None
        ),
    )


def _judged_note(result: Judges) -> Iterator[str]:
    """Yield the meaning of ``worth``, if there are labels."""
    if result.best_judge is not None and result.cost_label is None:
        known = [j for j in result.judges if j.break_even_cost is not None]
        texts = [
            f"{name(j.judge)} {_percent(j.break_even_cost)}" for j in known[:_MAX_JUDGES_SHOWN]
        ]
        yield (
            "Break-even price of one judgment, as a share of the price of one label: "
            f"{join_words(texts)}. To compare costs, set {arg('cost_judge')} and "
            f"{arg('cost_label')}."
        )


def _few_note(result: Judges) -> Iterator[str]:
    if result.best_judge is not None and result.n_labels < _MIN_LABELS_WITH_JUDGE:
        yield (
            f"There are only {count(result.n_labels)} labeled items; nstar compare judged uses a "
            f"judge only with at least {_MIN_LABELS_WITH_JUDGE} labels."
        )


def _youden_note(result: Judges) -> Iterator[str]:
    texts = [
        f"{name(j.judge)} {_plain(j.agreement.youden)} ({_ends(j.agreement.youden_ci)})"
        for j in result.judges
        if j.agreement is not None and j.agreement.youden is not None
    ]
    if texts:
        judges = join_words(texts[:_MAX_JUDGES_SHOWN])
        yield (
            "Youden's J, the factor by which a gap shrinks if a judge's error rates are the same "
            f"for all models: {judges}."
        )


def _notes(result: Judges) -> Iterator[str]:
    if result.selection_pvalue is not None and result.selection_pvalue < _CHOSEN:
        yield (
            "Based on a judge's scores, the labeled items are not a random sample "
            f"({p_is(result.selection_pvalue)}), so agreement on them may not generalize. Label a "
            "random subset."
        )
    yield from _few_note(result)
    texts = []
    for j in result.judges:
        if (
            j.gap_bias_ci is None
            or j.gap_bias is None
            or j.gap_bias_ci.low <= 0 <= j.gap_bias_ci.high
        ):
            continue
        whom = result.models[int((j.gap_bias > 0) == result.lower_is_better)]
        ci = beside(result, j.gap_bias_ci, j.gap_bias)
        size = f"{gap(result, abs(j.gap_bias))} ({span(result, ci)})"
        texts.append(f"{name(j.judge)} favors {name(whom)} by {size}")
    if texts:
        yield f"Judge bias ({coverage(result.confidence_level)} CI): {'; '.join(texts[:4])}."
    if result.variances is not None and result.variance_shares is not None:
        s, parts = result.variance_shares, result.variances
        shares = [f"unlimited items would remove {_percent(s.removable_by_items)}"]
        if parts.judge2 is not None:
            shares.append(f"unlimited similar judges {_percent(s.removable_by_judges)}")
        if parts.repeat2 is not None:
            shares.append(f"unlimited repeats {_percent(s.removable_by_repeats)}")
        yield (
            f"The SE is {gap(result, result.se)}. Of its variance, {join_words(shares)}. Errors "
            "that all judges share are visible only in a comparison with labels."
        )
    yield from _judged_note(result)
    yield from _youden_note(result)
    yield from (f.text for f in result.findings)


def _grids(result: Judges) -> tuple[tuple[TextTable, ...], tuple[TextTable, ...]]:
    """Return the tables of one screen, and all tables."""
    people = [_against_people(result)] if result.best_judge is not None else []
    prices = (
        [_prices(result)]
        if result.best_judge is not None and result.cost_label is not None
        else []
    )
    among = [_among(result)] if result.pairs else []
    parts = [_parts(result)] if result.variance_shares is not None else []
    key = [*people, *(prices or parts)] if people else [*among, *parts]
    if len(result.judges) > _MAX_JUDGES_SHOWN:
        key = key[:1]
    return tuple(key), (*people, *prices, *among, *parts)


def _basis(result: Judges) -> str:
    if result.best_judge is None:
        return "independent items; agreement between judges is not accuracy."
    return f"{RANDOM_LABELS}independent items."


def _assumptions(result: Judges) -> tuple[str, ...]:
    return (
        "Items are independent. Agreement between judges is not accuracy."
        if result.best_judge is None
        else "Labels are correct and cover a random subset of the items; items are independent.",
        "CIs use Student's t with jackknife standard errors over items; those of r and κ are "
        "computed on Fisher's scale.",
        "Agreement and κ refer to single judgments; r and worth refer to the mean of a judge's "
        "repeats.",
        "Variance components are estimated from mean squares and treat the judges as a random "
        f"sample. Their CIs assume normality and are imprecise with only {len(result.judges)} "
        "judges.",
    )


def document(result: Judges) -> Document:
    """Return the report: headline, judges against labels, costs, agreement, and variance."""
    key, grids = _grids(result)
    return Document(
        headline=_headline(result),
        key=key,
        grids=grids,
        notes=tuple(_notes(result)),
        basis=_basis(result),
        assumptions=_assumptions(result),
    )


def paragraph(result: Judges) -> str:
    """Return a paragraph for a paper."""
    texts = []
    for j in result.judges:
        if j.agreement is None or j.r is None:
            continue
        agree = "" if j.agreement.share is None else f"{_percent(j.agreement.share)} agreement, "
        texts.append(
            f"{name(j.judge)} {agree}κ = {share(j.agreement.kappa)}, r = {share(j.r)} on "
            f"{_what(result)} ({coverage(result.confidence_level)} CI {_ends(j.r_ci)})"
        )
    where = f" of {name(result.task)}" if result.task else ""
    start = (
        f"{len(result.judges)} judges scored answers of {len(result.models)} models to "
        f"{items(result.n_items)}{where}"
    )
    if not texts:
        return f"{start}; none were labeled by humans. {_headline(result)}"
    return (
        f"{start}, of which {count(result.n_labels)} were labeled by humans. Compared with the "
        f"labels: {'; '.join(texts)}. CIs are from the jackknife over items."
    )
