"""An Items in words: what is dead, what decides, what to look at."""

import math

from nstar._verbs.items import Items
from nstar.report.documents import Document
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
from nstar.report.prose.numbers import count, items, listed, name, percent

_FIRST, _ALL = 5, 20
"""Items to look at on one screen, and in the whole report."""


def _dead(result: Items) -> str:
    """How many items tell nobody apart."""
    every = result.item_counts
    who = "both models" if every.n_models == 2 else f"all {count(every.n_models)} models"
    same = (
        who
        if result.is_complete or result.n_items_left_out
        else f"{who}, or those that have the item,"
    )
    if not every.n_non_discriminating:
        return f"None of {items(every.n_items)} is dead among {who}"
    kinds = (
        (every.n_all_correct, "right"),
        (every.n_all_wrong, "wrong"),
        (every.n_all_equal, "in between"),
    )
    how = listed([f"{count(n)} {word}" for n, word in kinds if n])
    share = percent(every.n_non_discriminating / every.n_items, 1)
    is_ = "is" if every.n_non_discriminating == 1 else "are"
    return (
        f"{count(every.n_non_discriminating)} of {items(every.n_items)} ({share}) {is_} dead so "
        f"far: {same} score "
        f"the same ({how})"
    )


def _among(result: Items) -> str:
    """The same of the best models."""
    top = result.item_counts_top
    if top.n_models == result.item_counts.n_models:
        return ""
    share = percent(
        top.n_non_discriminating / top.n_items,
        0 if top.n_non_discriminating > 0.02 * top.n_items else 1,
    )
    if not top.n_non_discriminating:
        return f", nor among the top {top.n_models}"
    verb = f"it is {share}" if result.item_counts.n_non_discriminating else f"{share} are"
    return f"; among the top {top.n_models} {verb}"


def _deciding(result: Items) -> str:
    """What is left for the two best."""
    first = result.pairs
    a, b = name(first.model_a[0], limit=40), name(first.model_b[0], limit=40)
    live, mde = int(first.n_discordant[0]), float(first.mde[0])
    if not live:
        return f"No item tells {a} and {b}, the two best, apart."
    verb = "decides" if live == 1 else "decide"
    tail = "" if math.isnan(mde) else f" and can detect a gap of {gap(result, mde)}"
    return f"{items(live)} {verb} between {a} and {b}, the two best,{tail}.".replace(",.", ".")


def _kinds(result: Items) -> str:
    """Whether the gap of the two best depends on the kind of item, if that was asked."""
    found = result.split
    if found is None:
        return ""
    if not found.pairs:
        return "No two neighbors share two items of each kind, so their gaps cannot be split."
    first, by = found.pairs[0], name(found.column, limit=32)
    a, b = (name(x, limit=40) for x in (first.model_a, first.model_b))
    seen = " and ".join(
        f"{gap(result, x, sign=True)} ({name(kind, limit=32)})"
        for x, kind in zip((first.gap_first, first.gap_second), found.labels, strict=True)
    )
    ends = first.gap_change_ci
    opening = (
        f"The gap between {a} and {b}, the best two, changes with {by}"
        if ends is not None and (ends.low > 0 or ends.high < 0)
        else f"These items do not show that the gap between {a} and {b}, the best two, changes "
        f"with {by}"
    )
    return (
        f"{opening}: {seen}, a change of {gap(result, first.gap_change, sign=True)} "
        f"({coverage(1 - result.criteria.alpha)} interval {span(result, first.gap_change_ci)}, "
        "this "
        "pair alone)."
    )


def document(result: Items) -> Document:
    """Headline, dead items, keys to look at, and what not to conclude."""
    dead = f"{_dead(result)}{_among(result)}."
    told = [x for x in (_kinds(result), dead, _deciding(result), wrong_keys(result)) if x]
    return Document(
        headline=" ".join(told),
        opening=told[0],
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
