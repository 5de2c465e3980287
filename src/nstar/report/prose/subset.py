"""A Subset in words: what some items of a benchmark will resolve."""

from nstar._verbs.shrink import About, Against, Subset
from nstar.errors import by_interface
from nstar.report.documents import Document, TextTable
from nstar.report.prose.comparison.notes import findings
from nstar.report.prose.gap import gap
from nstar.report.prose.numbers import count, items, level, percent, probability, ratio

_ROWS: dict[Against, str] = {"new": "two new models", "known": "new against known"}
_COLUMNS: dict[About, str] = {"benchmark": "own score", "questions": "such questions"}
_ABOUT: dict[About, str] = {
    "benchmark": "this benchmark's own score",
    "questions": "a claim about such questions",
}
_MIN_ITEMS_FOR_NORMALITY = 100
"""Items below which formulas for many items are rough."""
_FEW_ITEMS = "So few items are too few for these formulas: true gaps must be larger to be found."


def _part(found: Subset, n: int) -> str:
    return f"{count(n)} ({percent(n / found.n_items_total, 0)})"


def _fine(found: Subset, value: float) -> str:
    """A resolved gap, to two decimals of a point."""
    return gap(found, value, column=True)


def _rule(found: Subset) -> str:
    criteria = found.criteria
    return f"{probability(criteria.power)} power, {level(criteria.alpha, 2)}"


def _given(found: Subset) -> str:
    """What so many items resolve."""
    if found.n_items == found.n_items_total:
        return (
            f"All {count(found.n_items_total)} items give {_ABOUT['benchmark']}, whatever the "
            "gap; as "
            f"{_ABOUT['questions']} they tell two models apart that differ by "
            f"{_fine(found, found.resolution('new', 'questions').mde)} ({_rule(found)})."
        )
    own, known, claim, both = (_fine(found, r.mde) for r in found.resolutions)
    return (
        f"{count(found.n_items)} of these {count(found.n_items_total)} items tell two new models "
        "apart that "
        f"differ by {own} in {_ABOUT['benchmark']}, and a new model from one known on all items "
        f"at {known} ({_rule(found)}). As {_ABOUT['questions']} it takes {claim} and {both}."
    )


def _asked(found: Subset, resolve: float) -> str:
    """What a gap takes."""
    wanted = gap(found, resolve)
    own, known = (found.resolution(who, "benchmark").n_star or 0 for who in ("new", "known"))
    first = (
        f"{_part(found, own)} of these {count(found.n_items_total)} items tell two new models "
        "apart that "
        f"differ by {wanted} in {_ABOUT['benchmark']}, and {_part(found, known)} a new model from "
        f"one known on all items ({_rule(found)})."
    )
    if own >= found.n_items_total:
        first = (
            f"To resolve {wanted} between two new models takes all {count(found.n_items_total)} "
            "items: "
            "this benchmark cannot be made smaller."
        )
    return f"{first} {_claimed(found, wanted)}"


def _claimed(found: Subset, wanted: str) -> str:
    """The same as a claim, or that the benchmark is too small for it, and what would do."""
    new = found.resolution("new", "questions")
    if new.n_star is not None and new.n_star <= found.n_items_total:
        known = found.resolution("known", "questions").n_star or 0
        return f"As {_ABOUT['questions']} it takes {count(new.n_star)} and {count(known)}."
    return (
        f"{count(found.n_items_total)} items cannot resolve {wanted} as {_ABOUT['questions']}: "
        "that takes "
        f"{count(new.n_star)}; all of these resolve {_fine(found, new.mde_floor)}."
    )


def _grid(found: Subset) -> TextTable:
    asked = found.delta is not None
    header = [
        "compared",
        "as",
        f"{count(found.n_items)} items",
        f"all {count(found.n_items_total)}",
    ]
    header += [f"items for {gap(found, found.delta)}"] if asked else []

    def need(n: int | None) -> str:
        return count(n) + (" (more than all)" if n is not None and n > found.n_items_total else "")

    return TextTable(
        title="Smallest true gap that is found",
        header=tuple(header),
        rows=tuple(
            (
                _ROWS[r.against],
                _COLUMNS[r.about],
                _fine(found, r.mde) if r.mde > 0 else "any",
                _fine(found, r.mde_floor) if r.mde_floor > 0 else "any",
                *((need(r.n_star),) if asked else ()),
            )
            for r in found.resolutions
        ),
    )


def _frozen(found: Subset) -> str:
    how = by_interface(python='save("subset.csv")', command="--out subset.csv")
    return (
        f"{how} writes the list: {items(found.n_items)} from {found.n_strata} strata of "
        "difficulty, "
        f"seed {found.seed}, SHA-256 as CSV {found.sha256}. Freeze all three before a new model "
        "runs, and never choose again after looking."
    )


def _used(found: Subset) -> str:
    if found.n_items == found.n_items_total:
        return "Every item is in the list; the scores of two models are then compared as usual."
    how = by_interface(
        python='compare(…, weights="subset.csv")', command="compare --weights subset.csv"
    )
    known = by_interface(
        python="compare_known(new, known)", command="compare known NEW PATH, without weights,"
    )
    return (
        f"On the list {how} tests the gap as a claim about such questions, and a note gives the "
        f"gap in the benchmark's own score. Against a model known on all items {known} gives "
        "the smaller gaps: it uses what is known of the items left out."
    )


def _saved(found: Subset) -> str:
    spread = found.variances
    text = (
        f"One new model's score comes with ±{_fine(found, found.half_width)} (95%): these strata "
        f"divide its variance by {ratio(spread.score_factor)}, so that {count(found.n_items)} "
        "items "
        f"are worth {count(_worth(found))} drawn without them"
    )
    if found.criteria.alpha != 0.05:
        text = text.replace("(95%)", f"({percent(1 - found.criteria.alpha)})")
    if spread.gap_factor is None:
        return f"{text}."
    return (
        f"{text}. Between two new models they gain next to nothing (the variance is divided by "
        f"{ratio(spread.gap_factor)}), and no gain is counted: pairing has already removed "
        "what other models could explain."
    )


def _worth(found: Subset) -> float:
    """Items drawn without strata that give a score the same error in this benchmark."""
    left = (1 / found.n_items - 1 / found.n_items_total) / found.variances.score_factor
    return 1 / (left + 1 / found.n_items_total)


def _assumptions(found: Subset) -> tuple[str, ...]:
    spread = found.variances
    pairs = spread.n_models * (spread.n_models - 1) // 2
    some = (
        f"of {count(spread.n_models)} of the {count(found.n_models)} models, evenly spaced by "
        "score, "
        if spread.n_models < found.n_models
        else ""
    )
    return (
        f"A new model differs from others as these {count(found.n_models)} do: {some}the standard "
        f"deviation over items of two models' difference is {spread.sd:.3g} (median of "
        f"{count(pairs)} {'pair' if pairs == 1 else 'pairs'}), and regression on known scores "
        f"divides its variance by {ratio(spread.known_factor)} (R² {spread.r2:.2f}; median of "
        "neighbors, cross-validated).",
        "Every model answers every item once and its answer is taken as it is; runs that vary "
        "add their own noise.",
        f"Other models explain {percent(max(spread.score_r2, 0.0), 0)} of a new model's variance "
        "over items (cross-validated R², median); a new model unlike all of these gains less, "
        "and its interval stays right.",
    )


def document(found: Subset) -> Document:
    """Headline, the four readings, how to freeze and use the list, what it rests on."""
    told = _given(found) if found.delta is None else _asked(found, found.delta)
    rough = (_FEW_ITEMS,) if found.n_items < _MIN_ITEMS_FOR_NORMALITY else ()
    return Document(
        headline=told,
        opening=f"{told.partition('). ')[0]})." if "). " in told else "",
        grids=(_grid(found),),
        notes=(
            *rough,
            _frozen(found),
            _used(found),
            *((_saved(found),) if found.n_items < found.n_items_total else ()),
            *findings(found.findings, ("fatal", "warning")),
        ),
        detail=tuple(findings(found.findings, ("note",))),
        assumptions=_assumptions(found),
    )


def paragraph(found: Subset) -> str:
    """What was chosen, how, and what it resolves, for a paper."""
    own, claim = (found.resolution("new", about).mde for about in ("benchmark", "questions"))
    return (
        f"Models were evaluated on {count(found.n_items)} of {count(found.n_items_total)} items, "
        "drawn at "
        f"random from {found.n_strata} strata of difficulty by the scores of "
        f"{count(found.n_models)} earlier models (seed {found.seed}; SHA-256 of the list "
        f"as CSV {found.sha256}), before any of them was run. Between two new models the list "
        f"resolves {_fine(found, own)} in the score of the whole benchmark and "
        f"{_fine(found, claim)} as a claim about such questions ({_rule(found)})."
    )
