"""Write the report of a subset of a benchmark."""

import math

from nstar._verbs.shrink import Against, Scope, Subset
from nstar.errors import by_interface
from nstar.report.documents import Document, TextTable
from nstar.report.prose.comparison.notes import findings
from nstar.report.prose.gap import coverage, gap
from nstar.report.prose.numbers import count, items, level, percent, probability, ratio
from nstar.report.prose.plan_terms import with_article

_ROWS: dict[Against, str] = {"new": "two new models", "known": "new vs known model"}
_COLUMNS: dict[Scope, str] = {
    "benchmark": "full-benchmark score",
    "questions": "similar questions",
}
_MIN_ITEMS_FOR_NORMALITY = 100
"""Number of items below which large-sample formulas are approximate."""
_FEW_ITEMS = (
    f"With fewer than {_MIN_ITEMS_FOR_NORMALITY} items, these formulas are approximate, and the "
    "detectable gaps may be larger."
)


def _part(subset: Subset, n: int) -> str:
    return percent(n / subset.n_items_total, 0)


def _fine(subset: Subset, value: float) -> str:
    """Return a detectable gap with two decimals of a point."""
    return gap(subset, value, column=True)


def _power(subset: Subset) -> str:
    return f"{probability(subset.criteria.power)} power"


def _given(subset: Subset) -> tuple[str, str]:
    """Return the gap that the given items detect."""
    if subset.n_items == subset.n_items_total:
        detected = gap(subset, subset.resolution("new", "questions").mde)
        return (
            f"All {count(subset.n_items_total)} items give the full-benchmark score itself.",
            f"For similar questions in general, they detect {with_article(detected)} gap between "
            f"two models ({_power(subset)}).",
        )
    new_text, known, general, known_general = (gap(subset, r.mde) for r in subset.resolutions)
    return (
        f"{count(subset.n_items)} of {items(subset.n_items_total)} detect "
        f"{with_article(new_text)} gap between two new models in the full-benchmark score "
        f"({_power(subset)}).",
        f"Against a model scored on all items, they detect a gap of {known}. For similar "
        f"questions in general, they detect gaps of {general} and {known_general}, respectively.",
    )


def _asked(subset: Subset, delta: float) -> tuple[str, str]:
    """Return the items that the requested gap needs."""
    gap_text = gap(subset, delta)
    n_new, known = (
        subset.resolution(observer, "benchmark").n_star or 0 for observer in ("new", "known")
    )
    first = (
        f"Detecting {with_article(gap_text)} gap between two new models in the full-benchmark "
        f"score takes {count(n_new)} of {items(subset.n_items_total)} ({_part(subset, n_new)}; "
        f"{_power(subset)})."
    )
    if n_new >= subset.n_items_total:
        first = (
            f"Detecting {gap_text} between two new models takes all "
            f"{items(subset.n_items_total)}; no subset is enough."
        )
    against = (
        f"Against a model scored on all items, it takes {count(known)} ({_part(subset, known)})."
    )
    return first, f"{against} {_general(subset, gap_text)}"


def _general(subset: Subset, gap_text: str) -> str:
    """Return the items for similar questions, or that the benchmark has too few."""
    new = subset.resolution("new", "questions")
    if new.n_star is not None and new.n_star <= subset.n_items_total:
        known = subset.resolution("known", "questions").n_star or 0
        return (
            f"For similar questions in general, it takes {count(new.n_star)} and "
            f"{count(known)}, respectively."
        )
    return (
        f"For similar questions in general, {gap_text} takes {items(new.n_star or math.inf)}; all "
        f"{items(subset.n_items_total)} detect {gap(subset, new.mde_floor)}."
    )


def _grid(subset: Subset) -> TextTable:
    has_gap = subset.delta is not None
    header = [
        "comparison",
        "for",
        f"{count(subset.n_items)} items",
        f"all {count(subset.n_items_total)}",
    ]
    header += [f"items for {gap(subset, subset.delta)}"] if has_gap else []

    def need(n: int | None) -> str:
        is_more = n is not None and n > subset.n_items_total
        return count(n) + (" (more than available)" if is_more else "")

    return TextTable(
        title=f"MDE ({_power(subset)})",
        header=tuple(header),
        rows=tuple(
            (
                _ROWS[r.against],
                _COLUMNS[r.scope],
                _fine(subset, r.mde) if r.mde > 0 else "any gap",
                _fine(subset, r.mde_floor) if r.mde_floor > 0 else "any gap",
                *((need(r.n_star),) if has_gap else ()),
            )
            for r in subset.resolutions
        ),
    )


def _frozen(subset: Subset) -> str:
    command = by_interface(python='save("subset.csv")', command="--out subset.csv")
    return (
        f"{command} saves the {items(subset.n_items)} ({subset.n_strata} difficulty strata, seed "
        f"{subset.seed}, SHA-256 {subset.sha256}). Freeze this list before running a new "
        "model, and do not draw it again."
    )


def _used(subset: Subset) -> str:
    if subset.n_items == subset.n_items_total:
        return "The list contains every item, so compare models as usual, without weights."
    command = by_interface(
        python='compare(new_a, new_b, weights="subset.csv")',
        command="nstar compare NEW_A NEW_B --weights subset.csv",
    )
    known = by_interface(
        python="compare_known(new, known)", command="nstar compare known NEW KNOWN"
    )
    return (
        f"Run new models on these items only. To test two of them, use {command}. To test one "
        f"against a known model, use {known}, which is more precise."
    )


def _saved(subset: Subset) -> str:
    spread = subset.variances
    conf = coverage(1 - subset.criteria.alpha)
    text = (
        f"The score of a new model has a {conf} CI of ±{gap(subset, subset.half_width)}. With "
        f"difficulty strata, these {items(subset.n_items)} are as precise as "
        f"{count(_worth(subset))} random items."
    )
    if spread.gap_factor is None:
        return text
    return (
        f"{text} The strata barely help to compare two new models (they divide the variance by "
        f"{ratio(spread.gap_factor)}), so this gain is not counted."
    )


def _worth(subset: Subset) -> float:
    """Return the number of items without strata that give the score the same error."""
    left = (1 / subset.n_items - 1 / subset.n_items_total) / subset.variances.score_factor
    return 1 / (left + 1 / subset.n_items_total)


def _basis(subset: Subset) -> str:
    return (
        "gaps between new models vary over items as much as those between these "
        f"{count(subset.n_models)} models; one answer per item; {level(subset.criteria.alpha, 2)}."
    )


def _assumptions(subset: Subset) -> tuple[str, ...]:
    spread = subset.variances
    pairs = spread.n_models * (spread.n_models - 1) // 2
    sampled = (
        f" of {count(spread.n_models)} of the {count(subset.n_models)} models, evenly spaced"
        if spread.n_models < subset.n_models
        else ""
    )
    basis = _basis(subset)
    return (
        basis[0].upper() + basis[1:],
        f"The SD over items of the difference between two models is {spread.sd:.3g} (median of "
        f"{count(pairs)} {'pair' if pairs == 1 else 'pairs'}{sampled}).",
        f"Regression on known scores divides the variance of that difference by "
        f"{ratio(spread.known_factor)} (R² {spread.r2:.2f}; median of adjacent models, "
        "cross-validated).",
        "Run-to-run noise is not included; it raises every MDE.",
        f"Other models explain {percent(max(spread.score_r2, 0.0), 0)} of a new model's variance "
        "over items (cross-validated R², median). A model unlike these benefits less, but its CI "
        "remains valid.",
    )


def document(subset: Subset) -> Document:
    """Return the report: headline, detectable gaps, use of the list, and assumptions."""
    first, second = _given(subset) if subset.delta is None else _asked(subset, subset.delta)
    rough = (_FEW_ITEMS,) if subset.n_items < _MIN_ITEMS_FOR_NORMALITY else ()
    return Document(
        headline=f"{first} {second}",
        opening=first,
        grids=(_grid(subset),),
        notes=(
            *rough,
            *findings(subset.findings, ("fatal", "warning")),
            _used(subset),
            _frozen(subset),
        ),
        detail=(
            *((_saved(subset),) if subset.n_items < subset.n_items_total else ()),
            *findings(subset.findings, ("note",)),
        ),
        basis=_basis(subset),
        assumptions=_assumptions(subset),
    )


def paragraph(subset: Subset) -> str:
    """Return a paragraph for a paper: the items, their selection, and the detectable gap."""
    own_gap, general = (
        subset.resolution("new", scope).mde for scope in ("benchmark", "questions")
    )
    return (
        f"Models were evaluated on {count(subset.n_items)} of {items(subset.n_items_total)}, "
        f"drawn at random from {subset.n_strata} difficulty strata based on the scores of "
        f"{count(subset.n_models)} earlier models (seed {subset.seed}; SHA-256 of the list as CSV "
        f"{subset.sha256}), before any of the new models was run. Between two new models, these "
        f"items detect a gap of {gap(subset, own_gap)} in the full-benchmark score and of "
        f"{gap(subset, general)} for similar questions in general ({_power(subset)}, "
        f"{level(subset.criteria.alpha, 2)})."
    )
