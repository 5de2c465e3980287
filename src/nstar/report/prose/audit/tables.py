"""Write the tables of an Audit: sensitivity analysis, gaps by size, and pairs."""

import math
from collections.abc import Iterator

import numpy as np

from nstar._base.types import Interval
from nstar._verbs.audit import Audit, GapBin, PairTable, SensitivityRow, TaskAudit
from nstar._verbs.audit.tables import FamilyName
from nstar._verbs.compare.task_comparison import ReadingKind
from nstar._verbs.verdict import ABSURD, pair_states
from nstar.report.documents import TextTable
from nstar.report.prose.cross_references import as_json
from nstar.report.prose.design import plural
from nstar.report.prose.gap import (
    HasScale,
    Scale,
    coverage,
    declared_gap,
    gap,
    header_unit,
    span,
    unit,
)
from nstar.report.prose.numbers import count, name, pvalue, ratio

_PAIRS = 200
"""Maximum number of pairs in the text."""
_MAX_NAME_WIDTH_IN_PAIR = 28
"""Maximum width of a name next to another name."""

_POLICIES = {
    "bonferroni": "Bonferroni",
    "holm": "Holm",
    "maxt": "max-T, step-down",
    "bh": "false discoveries (BH)",
    "anytime": "anytime-valid",
}
_TINY = 1e-15
"""Smallest p-value that a table prints as a number."""


def _resolution(q: float) -> str:
    """Return a resolution ratio as text; a dash if the standard error is 0."""
    return "–" if math.isnan(q) else "<0.01" if 0 < q < 0.01 else ratio(q)


def _p(p: float, draws: int | None) -> str:
    """Return an adjusted p-value as text, not below the precision of the draws."""
    min_p = 0.0 if draws is None else 1 / (draws + 1)
    if p <= min_p * (1 + 1e-9):
        return f"≤ {min_p:.0e}"
    return f"<{_TINY:.0e}" if p < _TINY else pvalue(p)


def interval_header(conf: float, *, adjusted: bool) -> str:
    """Return the header of a column of intervals, which says whether they are adjusted."""
    return f"{'adjusted' if adjusted else 'unadjusted'} {coverage(conf)} CI"


def gap_scale(audit: Audit | TaskAudit) -> Scale:
    """Return the scale of an audit, with the typical standard error of its adjacent gaps."""
    se = audit.adjacent.se
    typical = float(np.median(se[np.isfinite(se)])) if np.isfinite(se).any() else math.nan
    return Scale(audit.score_range, audit.lower_is_better, typical, audit.metric)


def pair_header(label: str, scale: HasScale, conf: float, *, adjusted: bool) -> tuple[str, ...]:
    """Return the headers of the columns of :func:`pair_cells`."""
    tests = ("adj. p", "adj. q") if adjusted else ("p", "q")
    return (
        f"{label}{header_unit(scale)}",
        interval_header(conf, adjusted=adjusted),
        *tests,
        "verdict",
    )


def pair_cells(
    pairs: PairTable, i: int, scale: HasScale, *, draws: int | None = None
) -> tuple[str, ...]:
    """Return the gap, adjusted interval, p, q, and verdict of one pair."""
    interval = Interval(pairs.ci_adjusted_low[i], pairs.ci_adjusted_high[i])
    return (
        _gap(pairs, i, scale),
        span(scale, interval, column=True).removesuffix(unit(scale)),
        _p(float(pairs.pvalue_adjusted[i]), draws),
        _resolution(float(pairs.q_adjusted[i])),
        *pair_states(pairs.verdict[i : i + 1], [bool(pairs.is_underpowered[i])]),
    )


def _gap(pairs: PairTable, i: int, scale: HasScale) -> str:
    return gap(scale, float(pairs.gap[i]), sign=True, column=True).removesuffix(unit(scale))


def maxt_draws(audit: Audit | TaskAudit) -> int | None:
    """Return the number of draws for the adjusted p-values; None if they are exact."""
    return audit.n_draws if audit.adjust == "maxt" else None


def read_as(reading: str) -> str:
    """Return an assumption as text: ``strata:subject`` is "strata by subject"."""
    kinds: dict[str, ReadingKind] = {"strata": "strata", "cluster": "cluster"}
    kind, _, column = reading.partition(":")
    if kind in kinds:
        return f"{plural(kinds[kind])} by {name(column, limit=32)}"
    return _POLICIES.get(reading, "independent items")


def _critical(rows: list[SensitivityRow]) -> str:
    """Return the absolute t that is significant: one number, or its range over the families."""
    values = [f"{row.critical_value:.2f}" for row in rows if row.critical_value is not None]
    ends = dict.fromkeys((min(values, key=float), max(values, key=float))) if values else ["–"]
    return "–".join(ends)


def _inflation(
    rows: dict[FamilyName, SensitivityRow], declared: dict[FamilyName, SensitivityRow]
) -> str:
    """Return the growth of N* by an adjustment: one number, or its range over the families."""
    reaches = (
        (row.t_resolved, declared[family].t_resolved)
        for family, row in rows.items()
        if family in declared
    )
    growth = sorted((strict / plain) ** 2 for strict, plain in reaches if strict and plain)
    return "–".join(dict.fromkeys(f"{growth[k]:.2f}" for k in (0, -1))) if growth else "–"


def _unresolved(row: SensitivityRow | None) -> str:
    if row is None or row.n_unresolved is None:
        return "–"
    return f"{row.n_unresolved:,} of {row.n_pairs:,}"


def stress(audit: Audit) -> TextTable:
    """Return the inconclusive pairs under each assumption and adjustment."""
    families: dict[FamilyName, str] = {
        "adjacent": "adjacent",
        "top_adjacent": f"adjacent in top {audit.n_top}",
        "top": f"top {audit.n_top}",
        "all": "all",
    }
    if audit.n_top >= len(audit):
        del families["top"], families["top_adjacent"]
    if len(audit) == 2:
        del families["all"]
    by_reading: dict[str, dict[FamilyName, SensitivityRow]] = {}
    for row in audit.sensitivity:
        by_reading.setdefault(row.assumption, {})[row.family] = row
    readings = list(by_reading)
    return TextTable(
        title="Sensitivity analysis: pairs not resolved (q < 1) under each assumption",
        header=("assumption", "critical |t|", "N* ×", *families.values()),
        rows=tuple(
            (
                read_as(reading),
                _critical([row for f, row in rows.items() if f in families]),
                _inflation(rows, by_reading.get(audit.design, {})) if reading in _POLICIES else "",
                *(_unresolved(rows.get(f)) for f in families),
            )
            for reading, rows in by_reading.items()
        ),
        lines=tuple(i for i, r in enumerate(readings) if r in _POLICIES)[:1],
    )


def requested_pairs(audit: Audit) -> Iterator[TextTable]:
    """Yield the pairs that were requested in addition to adjacent ones, as many as fit."""
    if len(audit.pairs):
        yield _asked(audit, audit.pairs)


def _asked(audit: Audit, p: PairTable) -> TextTable:
    scale = gap_scale(audit)
    n_shown = min(len(p), _PAIRS)
    rest = len(p) - n_shown
    overflow_text = f" ({rest:,} more in {as_json()})" if rest else ""
    return TextTable(
        title=f"Requested pairs ({audit.pairs_requested}){overflow_text}",
        header=(
            "first",
            "second",
            "items",
            *pair_header("gap", audit, audit.confidence_level, adjusted=audit.adjust != "none"),
        ),
        rows=tuple(
            (
                name(p.model_a[i], limit=_MAX_NAME_WIDTH_IN_PAIR),
                name(p.model_b[i], limit=_MAX_NAME_WIDTH_IN_PAIR),
                count(int(p.n_items[i])),
                *pair_cells(p, i, scale, draws=maxt_draws(audit)),
            )
            for i in range(n_shown)
        ),
    )


def unadjusted_pairs(result: Audit) -> Iterator[TextTable]:
    """Yield the listed pairs without adjustment; None if other tables are unadjusted."""
    if result.adjust == "none":
        return
    scale = gap_scale(result.tasks[0])
    p = result.listed
    n_shown = min(len(p), _PAIRS)
    rest = len(p) - n_shown
    overflow_text = f" ({rest:,} more in {as_json()})" if rest else ""
    conf = 1 - result.criteria.alpha
    yield TextTable(
        title=f"Unadjusted CIs and p-values, per pair{overflow_text}",
        header=(
            "first",
            "second",
            f"gap{header_unit(scale)}",
            interval_header(conf, adjusted=False),
            "p",
        ),
        rows=tuple(
            (
                name(p.model_a[i], limit=_MAX_NAME_WIDTH_IN_PAIR),
                name(p.model_b[i], limit=_MAX_NAME_WIDTH_IN_PAIR),
                _gap(p, i, scale),
                span(
                    scale,
                    Interval(p.ci_unadjusted_low[i], p.ci_unadjusted_high[i]),
                    column=True,
                ).removesuffix(unit(scale)),
                _p(float(p.pvalue[i]), None),
            )
            for i in range(n_shown)
        ),
    )


def _edges(audit: Audit, bin_: GapBin) -> str:
    low, high = (declared_gap(audit, x) for x in (bin_.low, bin_.high))
    if math.isinf(bin_.high):
        return f"{low} or more"
    return f"below {high}" if bin_.low == 0 else f"{low.removesuffix(unit(audit))} to {high}"


def _times(x: float) -> str:
    return f"{ratio(x)}×" if x <= ABSURD else "∞"


def bins(audit: Audit) -> TextTable:
    """Return a table of detected gaps by size."""
    return TextTable(
        title="All pairs by gap size (unadjusted)",
        header=("gap", "pairs", "q < 1", "items needed (median)", "worst"),
        rows=tuple(
            (
                _edges(audit, b),
                count(b.n_pairs),
                count(b.n_unresolved),
                *(
                    "––"
                    if b.items_factor is None
                    else (_times(b.items_factor.median), _times(b.items_factor.worst))
                ),
            )
            for b in audit.gap_bins
            if b.n_pairs
        ),
    )
