"""A Subset in words: the gaps that some items of a benchmark detect."""

import math

from nstar._verbs.shrink import About, Against, Subset
from nstar.errors import by_interface
from nstar.report.documents import Document, TextTable
from nstar.report.prose.comparison.notes import findings
from nstar.report.prose.gap import coverage, gap
from nstar.report.prose.numbers import count, items, level, percent, probability, ratio

_ROWS: dict[Against, str] = {"new": "two new models", "known": "new vs known model"}
_COLUMNS: dict[About, str] = {
    "benchmark": "full-benchmark score",
    "questions": "similar questions",
}
_MIN_ITEMS_FOR_NORMALITY = 100
"""Items below which formulas for many items are rough."""
_FEW_ITEMS = (
    f"With fewer than {_MIN_ITEMS_FOR_NORMALITY} items these formulas are approximate: the "
    "detectable gaps may be larger."
)


def _part(found: Subset, n: int) -> str:
    return percent(n / found.n_items_total, 0)


def _fine(found: Subset, value: float) -> str:
    """A detectable gap, to two decimals of a point."""
    return gap(found, value, column=True)


def _power(found: Subset) -> str:
    return f"{probability(found.criteria.power)} power"


def _given(found: Subset) -> tuple[str, str]:
    """Return what so many items detect."""
    if found.n_items == found.n_items_total:
        detected = gap(found, found.resolution("new", "questions").mde)
        return (
            f"All {count(found.n_items_total)} items give the full-benchmark score itself.",
            f"For similar questions in general, they detect a {detected} gap between two models "
            f"({_power(found)}).",
        )
    own, known, general, both = (gap(found, r.mde) for r in found.resolutions)
    return (
        f"{count(found.n_items)} of {items(found.n_items_total)} detect a {own} gap between two "
        f"new models in the full-benchmark score ({_power(found)}).",
        f"Against a model scored on all items: {known}. For similar questions in general: "
        f"{general} and {both}.",
    )


def _asked(found: Subset, delta: float) -> tuple[str, str]:
    """Return the items that a gap takes."""
    wanted = gap(found, delta)
    own, known = (found.resolution(who, "benchmark").n_star or 0 for who in ("new", "known"))
    first = (
        f"Detecting a {wanted} gap between two new models in the full-benchmark score takes "
        f"{count(own)} of {items(found.n_items_total)} ({_part(found, own)}; {_power(found)})."
    )
    if own >= found.n_items_total:
        first = (
            f"Detecting {wanted} between two new models takes all {items(found.n_items_total)}; "
            "no subset is enough."
        )
    against = f"Against a model scored on all items: {count(known)} ({_part(found, known)})."
    return first, f"{against} {_general(found, wanted)}"


def _general(found: Subset, wanted: str) -> str:
    """Return the items for similar questions, or that the benchmark has too few."""
    new = found.resolution("new", "questions")
    if new.n_star is not None and new.n_star <= found.n_items_total:
        known = found.resolution("known", "questions").n_star or 0
        return f"For similar questions in general: {count(new.n_star)} and {count(known)}."
    return (
        f"For similar questions in general, {wanted} takes {items(new.n_star or math.inf)}; all "
        f"{count(found.n_items_total)} detect {gap(found, new.mde_floor)}."
    )


def _grid(found: Subset) -> TextTable:
    asked = found.delta is not None
    header = [
        "comparison",
        "for",
        f"{count(found.n_items)} items",
        f"all {count(found.n_items_total)}",
    ]
    header += [f"items for {gap(found, found.delta)}"] if asked else []

    def need(n: int | None) -> str:
        is_more = n is not None and n > found.n_items_total
        return count(n) + (" (more than available)" if is_more else "")

    return TextTable(
        title=f"MDE ({_power(found)})",
        header=tuple(header),
        rows=tuple(
            (
                _ROWS[r.against],
                _COLUMNS[r.about],
                _fine(found, r.mde) if r.mde > 0 else "any gap",
                _fine(found, r.mde_floor) if r.mde_floor > 0 else "any gap",
                *((need(r.n_star),) if asked else ()),
            )
            for r in found.resolutions
        ),
    )


def _frozen(found: Subset) -> str:
    how = by_interface(python='save("subset.csv")', command="--out subset.csv")
    return (
        f"{how} saves the {items(found.n_items)} ({found.n_strata} difficulty strata, seed "
        f"{found.seed}, SHA-256 {found.sha256}). Freeze them before running a new model; do not "
        "redraw."
    )


def _used(found: Subset) -> str:
    if found.n_items == found.n_items_total:
        return "The list contains every item, so compare models as usual, without weights."
    how = by_interface(
        python='compare(new_a, new_b, weights="subset.csv")',
        command="nstar compare NEW_A NEW_B --weights subset.csv",
    )
    known = by_interface(
        python="compare_known(new, known)", command="nstar compare known NEW KNOWN"
    )
    return (
        f"Run new models on these items only. Test two of them with {how}; against a known model "
        f"use {known}, which is more precise."
    )


def _saved(found: Subset) -> str:
    spread = found.variances
    conf = coverage(1 - found.criteria.alpha)
    text = (
        f"A new model's score has a {conf} CI of ±{gap(found, found.half_width)}: with difficulty "
        f"strata, these {items(found.n_items)} are worth {count(_worth(found))} random items."
    )
    if spread.gap_factor is None:
        return text
    return (
        f"{text} Strata barely help to compare two new models (variance divided by "
        f"{ratio(spread.gap_factor)}), so that gain is not counted."
    )


def _worth(found: Subset) -> float:
    """Items drawn without strata that give a score the same error in this benchmark."""
    left = (1 / found.n_items - 1 / found.n_items_total) / found.variances.score_factor
    return 1 / (left + 1 / found.n_items_total)


def _basis(found: Subset) -> str:
    return (
        f"new models differ as these {count(found.n_models)} do; one answer per item; "
        f"{level(found.criteria.alpha, 2)}."
    )


def _assumptions(found: Subset) -> tuple[str, ...]:
    spread = found.variances
    pairs = spread.n_models * (spread.n_models - 1) // 2
    sampled = (
        f" of {count(spread.n_models)} of the {count(found.n_models)} models, evenly spaced"
        if spread.n_models < found.n_models
        else ""
    )
    basis = _basis(found)
    return (
        basis[0].upper() + basis[1:],
        f"The SD over items of the difference between two models is {spread.sd:.3g} (median of "
        f"{count(pairs)} {'pair' if pairs == 1 else 'pairs'}{sampled}).",
        f"Regression on known scores divides the variance of that difference by "
        f"{ratio(spread.known_factor)} (R² {spread.r2:.2f}; median of adjacent models, "
        "cross-validated).",
        "Run-to-run noise is not included; it raises every MDE.",
        f"Other models explain {percent(max(spread.score_r2, 0.0), 0)} of a new model's variance "
        "over items (cross-validated R², median). A model unlike these gains less, but its CI "
        "remains valid.",
    )


def document(found: Subset) -> Document:
    """Headline, detectable gaps, how to freeze and use the list, assumptions."""
    first, second = _given(found) if found.delta is None else _asked(found, found.delta)
    rough = (_FEW_ITEMS,) if found.n_items < _MIN_ITEMS_FOR_NORMALITY else ()
    return Document(
        headline=f"{first} {second}",
        opening=first,
        grids=(_grid(found),),
        notes=(
            *rough,
            *findings(found.findings, ("fatal", "warning")),
            _used(found),
            _frozen(found),
        ),
        detail=(
            *((_saved(found),) if found.n_items < found.n_items_total else ()),
            *findings(found.findings, ("note",)),
        ),
        basis=_basis(found),
        assumptions=_assumptions(found),
    )


def paragraph(found: Subset) -> str:
    """What was chosen, how, and what it resolves, for a paper."""
    own, general = (found.resolution("new", about).mde for about in ("benchmark", "questions"))
    return (
        f"Models were evaluated on {count(found.n_items)} of {items(found.n_items_total)}, drawn "
        f"at random from {found.n_strata} difficulty strata based on the scores of "
        f"{count(found.n_models)} earlier models (seed {found.seed}; SHA-256 of the list as CSV "
        f"{found.sha256}), before any of the new models was run. Between two new models, these "
        f"items detect a gap of {gap(found, own)} in the full-benchmark score and of "
        f"{gap(found, general)} for similar questions in general ({_power(found)}, "
        f"{level(found.criteria.alpha, 2)})."
    )
