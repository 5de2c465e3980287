"""Write the report of Items: non-discriminating items, the top two models, and keys to check."""

import math

from nstar._verbs.items import Items
from nstar.report.documents import Document
from nstar.report.prose.comparison.headline import thresholds
from nstar.report.prose.gap import coverage, gap, span
from nstar.report.prose.items.notes import assumptions, basis, detail, notes, wrong_keys
from nstar.report.prose.items.tables import (
    cohorts,
    groups,
    keys,
    pairs,
    splits,
    suspects,
)
from nstar.report.prose.numbers import count, items, name, percent

_FIRST, _ALL = 5, 20
"""Maximum number of keys to check, on one screen and in the full report."""


def _non_discriminating(result: Items) -> str:
    """Return the number of non-discriminating items, and their scores."""
    counts = result.item_counts
    models = "both models" if counts.n_models == 2 else f"all {count(counts.n_models)} models"
    if not counts.n_non_discriminating:
        return f"All {items(counts.n_items)} discriminate: none has the same score for {models}."
    if not (result.is_complete or result.n_items_left_out):
        models = "all models that answered them"
    words = ("right", "wrong") if result.is_binary else ("at the best score", "at the worst score")
    kinds = (
        (counts.n_all_correct, words[0]),
        (counts.n_all_wrong, words[1]),
        (counts.n_all_equal, "at the same score in between"),
    )
    outcomes_text = " or ".join(f"{word} ({count(n)})" for n, word in kinds if n)
    share = percent(counts.n_non_discriminating / counts.n_items, 1)
    verb = "does" if counts.n_non_discriminating == 1 else "do"
    return (
        f"{count(counts.n_non_discriminating)} of {items(counts.n_items)} ({share}) {verb} not "
        f"discriminate: {models} are {outcomes_text}."
    )


def _separating(result: Items) -> str:
    """Return the number of items on which the top two models differ, and their gaps."""
    first = result.pairs
    a, b = name(first.model_a[0], limit=40), name(first.model_b[0], limit=40)
    n, mde = int(first.n_discordant[0]), float(first.mde[0])
    if not n:
        return f"The top two models, {a} and {b}, do not differ on any item."
    difference = f"The top two models, {a} and {b}, differ on {items(n)}."
    if math.isnan(mde):
        return difference
    significant = float(first.significant_gap[0])
    text = thresholds(
        result,
        result.criteria,
        "Between them, an",
        None if math.isnan(significant) else significant,
        mde,
    )
    return f"{difference} {text}"


def _kinds(result: Items) -> str:
    """Return whether the gap between the top two depends on the kind of item."""
    split = result.split
    if split is None:
        return ""
    if not split.pairs:
        return (
            "No two adjacent models share two items of each kind, so no gap can be compared "
            "by kind."
        )
    first, by = split.pairs[0], name(split.column, limit=32)
    a, b = (name(x, limit=40) for x in (first.model_a, first.model_b))
    gaps = " vs ".join(
        f"{gap(result, x, sign=True)} ({name(kind, limit=32)})"
        for x, kind in zip((first.gap_first, first.gap_second), split.labels, strict=True)
    )
    ends = first.gap_change_ci
    change = (
        f"a change of {gap(result, first.gap_change, sign=True)} "
        f"({coverage(1 - result.criteria.alpha)} CI {span(result, ends)})"
    )
    if ends is not None and (ends.low > 0 or ends.high < 0):
        return f"The gap between {a} and {b} differs by {by}: {gaps}, {change}."
    return f"The gap between {a} and {b} does not change significantly by {by}: {gaps}, {change}."


def document(result: Items) -> Document:
    """Return the report: headline, non-discriminating items, keys to check, and caveats."""
    sentences = (
        _kinds(result),
        _non_discriminating(result),
        _separating(result),
        wrong_keys(result),
    )
    texts = [text for text in sentences if text]
    return Document(
        headline=" ".join(texts),
        opening=texts[0],
        key=(cohorts(result), *splits(result), *suspects(result, _FIRST)),
        grids=(
            cohorts(result),
            *splits(result),
            *suspects(result, _ALL),
            pairs(result),
            *keys(result),
            *groups(result),
        ),
        notes=tuple(notes(result)),
        detail=tuple(detail(result)),
        basis=basis(result),
        assumptions=tuple(assumptions(result)),
    )
