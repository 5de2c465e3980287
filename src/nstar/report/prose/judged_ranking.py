"""Write notes and a table on a judge's scores of several models, corrected by labels."""

from collections.abc import Iterator

from nstar._base.units import join_words
from nstar._verbs.judged import JudgedModelRow, JudgedRanking
from nstar.report.documents import TextTable
from nstar.report.prose.gap import HasScale, coverage, gap, score, span
from nstar.report.prose.item_choice import choice_sentence
from nstar.report.prose.numbers import count, items, name, pvalue

_NAMED = 3
"""Maximum number of models that are named as favored or disfavored by the judge."""

ASSUMED = "Labels are correct, and the labeled items are a random subset of the judged items."

RANDOM_LABELS = "labels are correct and cover a random subset; "
"""Assumption of random labels, as the first clause of a sentence."""
_RANDOM_IN_STRATA = "labels are correct and cover a random subset of each stratum; "


def random_labels(strata: int | None) -> str:
    """Return that assumption, for labels that may have been drawn by strata."""
    return RANDOM_LABELS if strata is None else _RANDOM_IN_STRATA


DEPARTURES = (
    "Standard errors allow for two unobserved disagreements between the judge and the labels."
)


def judged_items(judged: JudgedRanking) -> str:
    """Return the numbers of items and labels: ``800 judged items, 160 labeled``."""
    return f"{count(judged.n_items)} judged items, {count(judged.n_labels)} labeled"


def labeled_share(judged: JudgedRanking) -> str:
    """Return a note that additional items need labels in the same share."""
    items_per_label = judged.n_items / judged.n_labels
    return (
        "all labeled" if items_per_label < 1.05 else f"1 in {items_per_label:.2g} of them labeled"
    )


def _told(scale: HasScale, x: JudgedModelRow) -> str:
    whom = "favors" if x.bias > 0 else "disfavors"
    return f"{whom} {name(x.model)} by {gap(scale, abs(x.bias))}"


def favors(judged: JudgedRanking, scale: HasScale) -> str:
    """Return a sentence with the models that the judge favors significantly."""
    rows = judged.favored_models
    if not rows:
        return "The judge is not significantly biased toward or against any model."
    if len(judged.models) == 2:
        best, other = sorted(judged.models, key=lambda x: -x.bias)
        size = gap(scale, best.bias - other.bias)
        return f"The judge favors {name(best.model)} over {name(other.model)} by {size}."
    models_text = join_words([_told(scale, x) for x in rows[:_NAMED]])
    rest = len(rows) - _NAMED
    overflow_text = f"; {rest:,} more biases are significant" if rest > 0 else ""
    return f"Compared with the other models, the judge {models_text}{overflow_text}."


def _first(judged: JudgedRanking, ranked: tuple[str, ...]) -> Iterator[str]:
    """Yield the model that the judge alone would rank first, if it is a different one."""
    best = judged.models[0].model
    if ranked and best != ranked[0]:
        yield f"The judge alone would rank {name(best)} first."


def stretched_note(judge_range: tuple[float, float]) -> str:
    """Return a note that judge and labels have different scales."""
    low, high = judge_range
    return (
        f"The judge's scores range from {low:g} to {high:g}, a different scale from that of the "
        "labels. The judge's own gap and its bias are converted to the scale of the labels."
    )


REVERSED = "The judge and the labels are negatively correlated. Is one of the columns reversed?"


def strata_note(strata: int) -> str:
    """Return how labels were drawn, if not all items were equally likely."""
    return (
        f"Labels were drawn in {strata} strata of the judge's scores (column label_weight). They "
        "are weighted by their inverse probabilities."
    )


def choice_note(p: float) -> str:
    """Return whether labeled items look like a random sample to the judge."""
    return choice_sentence(
        p, scores="the judge's scores", item_kind="labeled", answer="the correction"
    )


def pair_slope(slope: float) -> str:
    """Return why the gap differs from that in an audit of more models."""
    slope_text = f"{slope:.2f}".replace("-", "−")
    return (
        f"The slope of labels on judgments (λ = {slope_text}) is estimated from these two "
        "models. An audit of more models uses one slope for all, so its gap can differ slightly."
    )


def judged_notes(
    judged: JudgedRanking, scale: HasScale, ranked: tuple[str, ...] = ()
) -> Iterator[str]:
    """Yield notes on the effect of the judge, its value, and excluded data."""
    yield " ".join((favors(judged, scale), *_first(judged, ranked)))
    if judged.n_items_left_out:
        yield (
            f"Excluded: {items(judged.n_items_left_out)} that the judge did not score for all "
            "models."
        )
    yield f"With the judge, the labels are as precise as {judged.gain:.2g}× as many labels alone."
    if len(judged.models) > 2:
        slope = f"{judged.slope:.2f}".replace("-", "−")
        yield (
            f"All models share one slope of labels on judgments (λ = {slope}), so that gaps add "
            "up. In contrast, nstar compare judged estimates the slope from two models, so its "
            "gap and CI can differ slightly."
        )
    if judged.slope < 0:
        yield REVERSED
    if judged.judge_score_range is not None:
        yield stretched_note(judged.judge_score_range)
    if judged.n_label_strata is not None:
        yield strata_note(judged.n_label_strata)
    if judged.selection_pvalue is not None:
        yield choice_note(judged.selection_pvalue)


def judged_grid(judged: JudgedRanking, scale: HasScale) -> TextTable:
    """Return the table of the judge by model."""
    return TextTable(
        title="Judge bias (judge − labels), relative to the mean over models",
        header=(
            "judge rank",
            "model",
            "judge",
            "labels",
            "bias",
            f"{coverage(judged.confidence_level)} CI",
            "p (Holm)",
        ),
        rows=tuple(
            (
                str(x.judge_rank),
                name(x.model, limit=32),
                score(scale, x.judge_mean),
                score(scale, x.label_mean),
                gap(scale, x.bias, sign=True, column=True),
                span(scale, x.bias_ci, column=True),
                pvalue(x.bias_pvalue),
            )
            for x in judged.models
        ),
    )
