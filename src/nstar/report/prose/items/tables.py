"""Write the tables of items."""

from collections.abc import Iterator

import numpy as np

from nstar._verbs.items import Items
from nstar._verbs.items.result import UninformativeItems
from nstar.report.documents import TextTable
from nstar.report.prose.gap import coverage, gap, score, span
from nstar.report.prose.numbers import count, name, percent, ratio, share, two_names

_GROUPS = 20
"""Maximum number of groups of a column that are listed."""


def _cohort_row(label: str, counts: UninformativeItems, *, alike: bool) -> tuple[str, ...]:
    return (
        label,
        count(counts.n_all_correct),
        count(counts.n_all_wrong),
        *((count(counts.n_all_equal),) if alike else ()),
        percent(counts.n_non_discriminating / counts.n_items, 1),
        count(counts.n_discriminating),
    )


def cohorts(result: Items) -> TextTable:
    """Return the items that discriminate among all models, the top models, and the top two."""
    all_counts, top, first = result.item_counts, result.item_counts_top, result.pairs
    alike = bool(all_counts.n_all_equal or top.n_all_equal)
    rows = [_cohort_row(f"all {count(all_counts.n_models)} models", all_counts, alike=alike)]
    if top.n_models < all_counts.n_models:
        rows.append(_cohort_row(f"top {top.n_models}", top, alike=alike))
    if all_counts.n_models > 2 and top.n_models > 2:
        dead = percent(1 - float(first.psi[0]), 1)
        rows.append(
            ("top two", "", "", *(("",) if alike else ()), dead, count(first.n_discordant[0]))
        )
    words = ("all right", "all wrong") if result.is_binary else ("all best", "all worst")
    equal = ("all equal",) if alike else ()
    header = ("among", *words, *equal, "non-discriminating", "discriminating")
    of = f" of {name(result.task)}" if result.task else ""
    return TextTable(
        title=f"{count(result.n_items)} items{of} [{name(result.metric)}]",
        header=header,
        rows=tuple(rows),
    )


def suspects(result: Items, max_rows: int) -> Iterator[TextTable]:
    """Yield the items that better models answer incorrectly, lowest correlation first."""
    table = result.table
    place = np.flatnonzero(table.suspicion_rank > 0)
    chosen = place[np.argsort(table.suspicion_rank[place])][:max_rows].tolist()
    if not chosen:
        return
    grouped = table.group is not None
    yield TextTable(
        title="Check the answer key (lowest item–rest correlation)",
        header=(
            "item",
            *(("group",) if grouped else ()),
            "correct" if result.is_binary else "mean",
            "item–rest r",
        ),
        rows=tuple(
            (
                name(table.item[k], limit=36),
                *((name(table.group[k], limit=28),) if table.group is not None else ()),
                score(result, float(table.mean[k])),
                f"{table.r[k]:.2f}".replace("-", "−"),
            )
            for k in chosen
        ),
    )


def pairs(result: Items) -> TextTable:
    """Return the adjacent pairs among the top models, with the gaps that they can show."""
    leading_pairs = result.pairs
    rows = []
    for k in range(len(leading_pairs)):
        a, b = two_names((leading_pairs.model_a[k], leading_pairs.model_b[k]), 22)
        rows.append(
            (
                a,
                b,
                gap(result, float(leading_pairs.gap[k]), sign=True, column=True),
                count(leading_pairs.n_discordant[k]),
                share(float(leading_pairs.psi[k])),
                gap(result, float(leading_pairs.significant_gap[k]), column=True),
                gap(result, float(leading_pairs.mde[k]), column=True),
            )
        )
    return TextTable(
        title="Adjacent pairs among the top models (ψ: share of items on which they differ)",
        header=("better", "next", "gap", "items", "ψ", "significant from", "MDE"),
        rows=tuple(rows),
    )


def splits(result: Items) -> Iterator[TextTable]:
    """Yield the gaps on two kinds of items."""
    split = result.split
    if split is None:
        return
    kinds = [name(label, limit=24) for label in split.labels]
    of = " and ".join(f"{count(n)} {x}" for n, x in zip(split.n_items, kinds, strict=True))
    labels = two_names(split.labels, 13)
    wide = 21 if max(map(len, labels)) <= 9 else 17  # keeps a row within 100 columns
    rows = []
    for pair in split.pairs:
        a, b = two_names((pair.model_a, pair.model_b), wide)
        gaps = (gap(result, x, sign=True, column=True) for x in (pair.gap_first, pair.gap_second))
        change = gap(result, pair.gap_change, sign=True, column=True)
        rows.append((a, b, *gaps, change, span(result, pair.gap_change_ci, column=True)))
    conf = coverage(1 - result.criteria.alpha)
    yield TextTable(
        title=f"Gaps by {name(split.column, limit=32)} ({of})",
        header=("better", "next", *labels, "change", f"{conf} CI"),
        rows=tuple(rows),
    )


def keys(result: Items) -> Iterator[TextTable]:
    """Yield the effects of wrong keys."""
    if not result.label_error_impacts or result.label_error_share is None:
        return
    first = float(result.pairs.mde[0])
    yield TextTable(
        title=f"A true gap of {gap(result, first)} between the top two models if "
        f"{percent(result.label_error_share)} of keys are wrong",
        header=("correct on a wrong key", "observed gap", "observed ψ", "items needed"),
        rows=tuple(
            (
                percent(row.correct_probability),
                gap(result, row.mde_observed, column=True),
                share(row.psi_observed),
                f"{ratio(row.n_star_ratio)}×",
            )
            for row in result.label_error_impacts
        ),
    )


def groups(result: Items) -> Iterator[TextTable]:
    """Yield the discriminating items by group, fewest first."""
    columns = dict.fromkeys(g.column for g in result.groups)
    top = result.item_counts_top.n_models
    for column in columns:
        group_rows = [g for g in result.groups if g.column == column]
        group_rows.sort(key=lambda g: (g.n_discriminating_top / g.n_items, g.group))
        overflow_text = (
            f", the first {_GROUPS} of {len(group_rows)}" if len(group_rows) > _GROUPS else ""
        )
        yield TextTable(
            title=f"Discriminating items by {name(column, limit=32)}, fewest first{overflow_text}",
            header=("group", "items", "mean", "discriminating", f"among the top {top}"),
            rows=tuple(
                (
                    name(g.group, limit=36),
                    count(g.n_items),
                    score(result, g.mean),
                    percent(g.n_discriminating / g.n_items, 1),
                    percent(g.n_discriminating_top / g.n_items, 1),
                )
                for g in group_rows[:_GROUPS]
            ),
        )
