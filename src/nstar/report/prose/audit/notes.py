"""Write the notes on an Audit, one sentence each."""

from collections.abc import Iterator
from typing import cast

import numpy as np

from nstar import stats
from nstar._base.units import join_words
from nstar._data.findings import Finding
from nstar._verbs.audit import Audit, LeaveOneGroupOut, OrderFlip, PairTable, TaskAudit
from nstar._verbs.compare.task_comparison import ReadingKind
from nstar._verbs.verdict import FEW_ITEMS
from nstar.errors import arg
from nstar.report.prose.audit.assumptions import METHODS
from nstar.report.prose.audit.ranking import Ranking
from nstar.report.prose.audit.tables import gap_scale, read_as
from nstar.report.prose.comparison.notes import findings
from nstar.report.prose.design import two_values, undeclared
from nstar.report.prose.gap import declared_gap, gap, points, score, unit
from nstar.report.prose.judged_ranking import judged_notes
from nstar.report.prose.numbers import count, items, name, percent, ratio

_MAX_FLIPS_DETAILED = 5

_NOISE = 5e-4
"""Share of the score range below which a gap does not get its own sentence."""


def _told(audit: Audit) -> tuple[Finding, ...]:
    """Return the findings, without those that the audit itself reports in more detail."""
    has_own_note = audit.order_flips or audit.item_set == "common"
    return tuple(f for f in audit.findings if not (has_own_note and f.code == "order-flips"))


def _flip(audit: TaskAudit, f: OrderFlip) -> str:
    """Return a clause about one adjacent pair."""
    first, second = (
        percent(x, 2) if points(audit) else score(audit, x) for x in (f.own_mean_a, f.own_mean_b)
    )
    return (
        f"{name(f.model_a)} outscores {name(f.model_b)} on its own items ({first} vs {second}) "
        f"but trails by {gap(gap_scale(audit), abs(f.gap))} on the {f.n_items:,} shared items"
    )


def flips(audit: TaskAudit) -> Iterator[str]:
    """Yield notes on adjacent pairs whose order is reversed on shared items.

    A few pairs are listed individually, largest gap first. If there are many, for example because
    every model lacks some items, only their number and the largest gap are given. Gaps that round
    to zero are only counted.
    """
    width = audit.score_range[1] - audit.score_range[0]
    wide = sorted(
        (f for f in audit.order_flips if abs(f.gap) >= _NOISE * width), key=lambda f: -abs(f.gap)
    )
    in_detail = wide if len(audit.order_flips) <= _MAX_FLIPS_DETAILED else ()
    yield from (f"{_flip(audit, f)}." for f in in_detail)
    rest = len(audit.order_flips) - len(in_detail)
    if rest:
        subject = "adjacent pair reverses" if rest == 1 else "adjacent pairs reverse"
        more_text = "more " if in_detail else ""
        widest_text = (
            f" The largest reversal: {_flip(audit, wide[0])}." if wide and not in_detail else ""
        )
        yield f"{rest:,} {more_text}{subject} order on shared items.{widest_text}"


def own_items(ranking: Ranking) -> str:
    """Return which items means and gaps are computed on, if models have different items."""
    fewest, max_items = int(ranking.ranks.n_items.min()), int(ranking.ranks.n_items.max())
    return (
        f"Models have {count(fewest)} to {count(max_items)} items. Means use all items of a "
        "model, and gaps use shared items. To rank all models on the same items, set "
        f"{arg('items', 'common')}."
    )


def underpowered(ranking: Ranking, power: float) -> Iterator[str]:
    """Yield the meaning of the verdict "underpowered", if it occurs."""
    if ranking.words()["significant, underpowered"]:
        yield (
            f'"Underpowered" means less than {percent(power)} power if the true gap equals the '
            "observed gap."
        )


def _at_later_steps(result: Audit, pairs: PairTable) -> Iterator[tuple[str, str]]:
    for a, b, word, p in zip(
        pairs.model_a, pairs.model_b, pairs.verdict, pairs.pvalue, strict=True
    ):
        if word == "significant" and p > result.interval_alpha:
            yield a, b


def later_steps(result: Audit, ranking: Ranking) -> Iterator[str]:
    """Yield a note on the displayed intervals that are not simultaneous, if any."""
    if result.adjust not in ("holm", "maxt"):
        return
    tables = (result.adjacent, result.listed)
    later = {pair for table in tables for pair in _at_later_steps(result, table)}
    if later:
        one = len(later) == 1
        gaps = "1 gap" if one else f"{len(later):,} gaps"
        whose = "Its adjusted CI uses" if one else "Their adjusted CIs use"
        method_text = "Holm's method" if result.adjust == "holm" else "Step-down max-T"
        yield (
            f"{method_text} finds {gaps} significant only at a later step. {whose} "
            "the level of that step; the other adjusted CIs hold simultaneously."
        )
    if result.adjust == "holm":
        yield from _last_step(result, ranking)


def _last_step(result: Audit, ranking: Ranking) -> Iterator[str]:
    """Yield why an inconclusive gap may have a wide interval, if a later step tests it."""
    simultaneous = float(stats.z_alpha(result.interval_alpha))
    is_later = result.critical_value is not None and result.critical_value < simultaneous - 0.01
    if is_later and "inconclusive" in result.adjacent.verdict:
        note = (
            "Verdicts and thresholds use the last step of Holm's method. The adjusted CIs of "
            "inconclusive gaps hold simultaneously (Bonferroni), so they are wider."
        )
        if (mde := result.resolvable_gap) is not None:
            low, high = (gap(ranking.scale, x) for x in (mde.low, mde.high))
            low = low.removesuffix(unit(ranking.scale))
            note += f" By pair, the MDE is {low} to {high}." if mde.low < mde.high else ""
        yield note


def _why_not(audit: Audit) -> Iterator[str]:
    """Yield why the method differs from the requested one, and why a design has no numbers."""
    if audit.adjust_reason is not None:
        yield f"The adjustment method is {METHODS[audit.adjust]} ({audit.adjust_reason})."
    absent: dict[str, list[str]] = {}
    for row in audit.sensitivity:
        if row.family == "all" and row.reason and row.reason != audit.adjust_reason:
            absent.setdefault(row.reason, []).append(read_as(row.assumption))
    for reason, readings in absent.items():
        yield f"Not computed for {join_words(readings)}: {reason}."


def _stability(s: LeaveOneGroupOut) -> str:
    keep = "keeps its" if s.n_stable == 1 else "keep their"
    text = (
        f"If one {name(s.column)} at a time is left out, {s.n_stable:,} of {s.n_pairs:,} adjacent "
        f"pairs {keep} order and stay resolved or not resolved (unadjusted)"
    )
    worst = s.groups[0] if s.groups else None
    if worst is not None and worst.n_changed + worst.n_reversed:
        moved = join_words([*_moved(worst.n_changed, "state"), *_moved(worst.n_reversed, "order")])
        text += (
            f". The most influential is {name(worst.group)} ({items(worst.n_items)}): without "
            f"it, {moved}"
        )
    return text + "."


def _moved(pairs: int, change: str) -> Iterator[str]:
    if pairs:
        yield f"{pairs:,} change{'s' if pairs == 1 else ''} {change}"


def _pairing(audit: Audit) -> Iterator[str]:
    if audit.rho is not None and audit.pairing_gain is not None:
        r, s = audit.rho, audit.pairing_gain
        low, median, high = (
            f"{round(x, 2) + 0.0:.2f}".replace("-", "−") for x in (r.low, r.median, r.high)
        )
        yield (
            f"The median rho between models is {median} ({low} to {high}). Without pairing, "
            f"{ratio(s.median)}× as many items would be needed ({ratio(s.low)} to "
            f"{ratio(s.high)})."
        )


def _shortcut(audit: Audit) -> Iterator[str]:
    s = audit.shortcut_check
    if s.ratio is None:
        return
    pairs = f"{s.n_pairs:,} adjacent pairs"
    wrong = f"wrongly calls {s.n_false_resolved:,} of {pairs} resolved (unadjusted)"
    if not s.n_false_resolved:
        wrong = f"changes no verdict on {pairs}"
    yield (
        "A calculator that uses one model's variance, (1 − rho) K²/h² with Cohen's h, gives "
        f"{ratio(s.ratio)}× the items needed and {wrong}."
    )


def _hardly(audit: Audit) -> Iterator[str]:
    """Yield the note of ``compare`` on few items. Sign flips may disagree with the t test."""
    if audit.n_items >= FEW_ITEMS:
        return
    rough = ""
    if not audit.is_binary:
        rough = " The t tests assume near-normal means; nstar compare adds a sign-flip test."
    verb = "is" if audit.n_items == 1 else "are"
    yield (
        f"There {verb} only {items(audit.n_items)}; one more or one fewer could change the "
        f"ranking.{rough}"
    )


def _if_any(text: str | None) -> tuple[str, ...]:
    return () if text is None else (text,)


def notes(audit: Audit, ranking: Ranking) -> Iterator[str]:
    """Yield the notes, most important first: data, order, inconclusive gaps, and method."""
    yield from findings(_told(audit), ("fatal", "warning"))
    yield from findings(f for f in audit.findings if f.code == "weighted-items")
    if audit.caution:
        yield f"{audit.caution.removesuffix('.')}."
    yield from _hardly(audit)
    yield from _if_any(ranking.astray())
    if audit.judge_correction is not None:
        yield from judged_notes(audit.judge_correction, audit, audit.ranking.model)
    yield from flips(audit.tasks[0])
    if audit.margin is not None:
        equal = audit.verdict_counts.get("equivalent", 0)
        yield (
            f"{equal:,} of {audit.n_pairs:,} pairs are equivalent within "
            f"±{declared_gap(audit, audit.margin)}; inconclusive pairs are not shown to be "
            "equivalent."
        )
    yield from _if_any(ranking.needs())
    yield from underpowered(ranking, audit.criteria.power)
    yield from later_steps(audit, ranking)
    yield from two_values(audit.binary_values)
    if audit.item_set == "common" and audit.n_items_left_out:
        yield f"Excluded: {items(audit.n_items_left_out)} that not every model answered."
    elif not audit.is_complete:
        yield own_items(ranking)
    if audit.pairs_requested != "adjacent" and not len(audit.pairs):
        out = arg("out", "DIR")
        yield (
            f"There are too many requested pairs ({audit.pairs_requested}) to list. To write "
            f"them to files, set {out}."
        )
    same = [i for i, s in enumerate(audit.adjacent.se) if s == 0]
    if same:
        first, second = (x[same[0]] for x in (audit.adjacent.model_a, audit.adjacent.model_b))
        overflow_text = f" (and {len(same) - 1:,} more adjacent pairs)" if len(same) > 1 else ""
        yield (
            f"{name(first)} and {name(second)}{overflow_text} differ by a constant, so no "
            "standard error can be estimated."
        )


def _exaggerated(audit: Audit) -> Iterator[str]:
    """Yield how much underpowered gaps are exaggerated."""
    ratios = audit.adjacent.exaggeration
    if np.isfinite(ratios).any():
        worst = percent(float(np.nanmax(ratios)) - 1, 0)
        yield (
            "If the true gaps equal the observed gaps, significant results exaggerate the "
            f"underpowered gaps by up to {worst} on average."
        )


def detail(audit: Audit) -> Iterator[str]:
    """Yield the other notes, mainly about the tables."""
    yield (
        "In the sensitivity analysis, rows above the line are unadjusted. Rows below the line are "
        "adjusted for the pairs in their column; the last row also allows for a "
        "test after every item. N* × is the factor by which an adjustment increases N*."
    )
    yield from _exaggerated(audit)
    if audit.adjust not in ("none", audit.rank_method):
        yield (
            f"Verdicts use {METHODS[audit.adjust]}, but rank ranges and tiers use "
            f"{METHODS[audit.rank_method]}, so they can disagree."
        )
    if audit.adjust == "none":
        yield (
            "Verdicts are unadjusted and can include false positives; rank ranges and tiers are "
            f"adjusted for all pairs ({METHODS[audit.rank_method]})."
        )
    by_column: dict[str, list[ReadingKind]] = {}
    for row in audit.sensitivity:
        kind, _, column = row.assumption.partition(":")
        if column and row.assumption != audit.design and row.family == "adjacent":
            by_column.setdefault(column, []).append(cast("ReadingKind", kind))
    alike: dict[tuple[ReadingKind, ...], list[str]] = {}
    for column, kinds in by_column.items():
        alike.setdefault(tuple(kinds), []).append(column)
    for same, columns in alike.items():
        sizes = [audit.n_groups.get(column) for column in columns]
        columns_text = [f"{name(c)} ({count(n)})" for c, n in zip(columns, sizes, strict=True)]
        if len(columns) == 1:
            yield undeclared(name(columns[0]), ((kind, sizes[0]) for kind in same))
        else:
            yield undeclared(join_words(columns_text), ((kind, None) for kind in same))
    yield from (_stability(s) for s in audit.leave_one_group_out)
    yield from _why_not(audit)
    yield from _pairing(audit)
    yield from _shortcut(audit)
    yield from findings((f for f in _told(audit) if f.code != "weighted-items"), ("note",))
