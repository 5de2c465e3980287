"""Compute the statistics of ``compare`` for many pairs at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from nstar import stats
from nstar._base.types import Array
from nstar._engine.pairs import ItemDesign, PairStats
from nstar._verbs.audit.family import SignificanceRule, align_with_test
from nstar._verbs.audit.tables import PairTable
from nstar._verbs.audit.tiles import Tile, pvalues
from nstar._verbs.audit.verdicts import CountingRules, equivalent_pairs
from nstar._verbs.compare.independent import unanimous_interval
from nstar._verbs.verdict import UNDERPOWERED, VERDICT_OF_STATE, Criteria
from nstar.stats._null_variance import strata_half

Needs: TypeAlias = dict[str, Any]

_MOST_CONF = 1 - 2.0**-52
"""Largest coverage of one interval, below 1."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairSetting:
    """Settings that all pairs of an audit share."""

    names: tuple[str, ...]
    """Models in rank order."""
    design: ItemDesign
    """Sampling design of the items."""
    criteria: Criteria
    """Level and power."""
    limits: tuple[float, float]
    """Worst and best possible score."""
    offset: float
    """Offset that was subtracted from graded scores before summation."""
    counting: CountingRules
    """Rules for counting, and the rule of the verdicts."""
    delta: float | None
    """Smallest gap that matters."""

    @property
    def width(self) -> float:
        """Return the largest possible gap."""
        return self.limits[1] - self.limits[0]

    @property
    def conf(self) -> float:
        """Return the coverage of intervals."""
        return 1 - self.criteria.alpha


def _tango(pairs: PairStats, conf: float) -> tuple[Array, Array]:
    """Return Tango's interval for 0/1 scores; NaN without a shared item."""
    low, high = np.full((2, *pairs.n.shape), np.nan)
    has_items = pairs.n > 0
    n10, n01 = (x[has_items] for x in pairs.gram.discordant)
    low[has_items], high[has_items] = stats.paired_interval(
        n10, n01, pairs.n[has_items], conf=conf
    )
    return low, high


def _interval(pairs: PairStats, setting: PairSetting, alpha: float) -> tuple[Array, Array]:
    """Return unadjusted intervals with coverage 1 - alpha."""
    conf, width = min(1 - alpha, _MOST_CONF), setting.width
    if setting.design.kind == "independent" and pairs.gram.binary:
        return _tango(pairs, conf)
    df = np.where(np.asarray(pairs.df) > 0, pairs.df, np.inf)  # infinite without an error
    half = -np.asarray(stats.t_quantile(alpha / 2, df)) * pairs.se
    if setting.design.kind == "strata" and pairs.gram.binary:
        half = strata_half(half, pairs.se, pairs.n)
    low, high = pairs.delta - half, pairs.delta + half
    if setting.design.kind != "independent":
        low, high = np.maximum(low, -width), np.minimum(high, width)
    units = np.broadcast_to(pairs.units, pairs.n.shape)
    for k in np.flatnonzero((pairs.se == 0) | (pairs.n == 1)).tolist():
        low[k], high[k] = unanimous_interval(float(pairs.delta[k]), int(units[k]), width, conf)
    return low, high


def _adjusted_interval(tile: Tile, setting: PairSetting) -> tuple[Array, Array]:
    """Return intervals that agree with the verdicts.

    They are simultaneous, except for pairs that only a later step of a step-down method rejects.
    These have the level of the last step.
    """
    counting = setting.counting
    last = counting.rulers[counting.verdict].p
    low, high = _interval(tile.pairs, setting, counting.interval)
    later = (tile.p > counting.interval) & (tile.p <= last)
    if later.any():
        low[later], high[later] = _interval(tile.pairs.take(later), setting, last)
    return align_with_test(low, high, tile.delta, tile.p <= last)


def _mde(pairs: PairStats, setting: PairSetting, rule: SignificanceRule) -> Array:
    """Return the MDE; NaN if no possible gap is detectable, or without a standard error."""
    out = rule.mde(pairs)
    largest = 1.0 if setting.limits == (0.0, 1.0) else np.inf
    return np.where(np.isfinite(out) & (out <= largest), out, np.nan)


def _counts(pairs: PairStats) -> dict[str, Any]:
    keys = ("pvalue_midp", "pvalue_exact", "n11", "n10", "n01", "n00", "psi")
    g, n = pairs.gram, pairs.n
    if not g.binary:
        return dict.fromkeys(keys)
    n10, n01 = (np.asarray(x, dtype=np.int64) for x in g.discordant)
    n11 = g.first.astype(np.int64) - n10
    return {
        "pvalue_midp": stats.mcnemar_pvalue(n10, n01),
        "pvalue_exact": stats.mcnemar_pvalue(n10, n01, method="exact"),
        "n11": n11,
        "n10": n10,
        "n01": n01,
        "n00": n - n11 - n10 - n01,
        "psi": np.divide(g.gap2, n, out=np.full(n.shape, np.nan), where=n > 0),
    }


def _or_infinite(items: Array) -> Array:
    """Return the number of items, with infinity in place of NaN."""
    return np.where(np.isnan(items), np.inf, items)


def _resolution(pairs: PairStats, limits: tuple[Array, Array], counting: CountingRules) -> Needs:
    """Return q and N* of each pair, unadjusted with intervals, and q in its family.

    The limits of N* are the items needed at the limits of the gap. The upper limit is infinite if
    the interval contains 0.
    """
    unadjusted_rule, family = counting.rulers[""], counting.rulers[counting.verdict]
    turned = pairs.delta < 0
    low, high = (np.where(turned, -x, y) for x, y in (limits[::-1], limits))
    size = np.abs(pairs.delta)
    need, max_need, min_need = (
        unadjusted_rule.needed(pairs, np.maximum(x, 0.0)) for x in (size, low, high)
    )
    star, star_high, star_low = (_or_infinite(x) for x in (need, max_need, min_need))
    n = pairs.n
    return {
        "q": n / need,
        "q_low": n / max_need,
        "q_high": n / min_need,
        "n_star": star,
        "n_star_low": star_low,
        "n_star_high": star_high,
        "q_adjusted": n / family.needed(pairs, size),
    }


def _at_delta0(pairs: PairStats, setting: PairSetting, rule: SignificanceRule) -> Array | None:
    if setting.delta is None:
        return None
    return np.asarray(pairs.n / rule.needed(pairs, setting.delta))


def _additional_items(pairs: PairStats, setting: PairSetting, codes: Array, q: Array) -> Array:
    """Return the additional items needed in the family; 0 for resolved gaps."""
    counting = setting.counting
    at = _at_delta0(pairs, setting, counting.rulers[counting.verdict])
    with np.errstate(divide="ignore", invalid="ignore"):
        short = _or_infinite(pairs.n / (q if at is None else at)) - pairs.n
    settled = (codes == 0) | (codes == 2)
    return np.where(settled, 0.0, np.maximum(np.ceil(short - 1e-9), 0.0))


def describe(tile: Tile, p_adjusted: Array, setting: PairSetting) -> PairTable:
    """Return all statistics of a list of pairs."""
    pairs, counting = tile.pairs, setting.counting
    unadjusted_rule = counting.rulers[""]
    n, g = pairs.n, pairs.gram
    codes = counting.codes(tile)
    low, high = _interval(pairs, setting, setting.criteria.alpha)
    adjusted_low, adjusted_high = _adjusted_interval(tile, setting)
    needs = _resolution(pairs, (low, high), counting)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean_a, mean_b = (s / n + setting.offset for s in (g.first, g.second))
    return PairTable(
        model_a=_named(setting.names, tile.first),
        model_b=_named(setting.names, tile.second),
        n_items=np.asarray(n, dtype=np.int64),
        mean_a=mean_a,
        mean_b=mean_b,
        gap=pairs.delta,
        ci_adjusted_low=adjusted_low,
        ci_adjusted_high=adjusted_high,
        ci_unadjusted_low=low,
        ci_unadjusted_high=high,
        se=pairs.se,
        pvalue=_pvalue(tile, setting.design),
        pvalue_adjusted=p_adjusted,
        rho=pairs.pairing()[0],
        sigma=_sigma(pairs),
        significant_gap_adjusted=counting.rulers[counting.verdict].significant_gap(pairs),
        mde=_mde(pairs, setting, unadjusted_rule),
        mde_adjusted=_mde(pairs, setting, counting.rulers[counting.verdict]),
        **_counts(pairs),
        **needs,
        delta=None if setting.delta is None else np.full(n.shape, setting.delta),
        q_at_delta=_at_delta0(pairs, setting, unadjusted_rule),
        pvalue_equivalent=(
            None
            if counting.margin is None
            else equivalent_pairs(pairs, counting.margin, counting.width)
        ),
        verdict=tuple(VERDICT_OF_STATE[k] for k in codes.tolist()),
        is_underpowered=codes == UNDERPOWERED,
        more_items=_additional_items(pairs, setting, codes, needs["q_adjusted"]),
    )


def _pvalue(tile: Tile, design: ItemDesign) -> Array:
    """Return p-values with full precision. :class:`MidpTable` has fewer digits in the tails."""
    g = tile.pairs.gram
    if not g.binary or design.kind != "independent":
        return pvalues(tile.pairs, design)
    return np.asarray(stats.mcnemar_default_pvalue(*tile.pairs.gram.discordant, tile.pairs.n))


def _sigma(pairs: PairStats) -> Array:
    """Return the standard deviation of per-item differences, for independent items.

    The result is NaN for a single item.
    """
    g, n = pairs.gram, pairs.n
    units = n if g.binary else n - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.maximum(g.gap2 - np.square(g.gap, dtype=np.float64) / n, 0.0)
        return np.where(units > 0, np.sqrt(spread / units), np.nan)


def _named(names: tuple[str, ...], index: Sequence[int] | Any) -> tuple[str, ...]:
    return tuple(names[k] for k in np.asarray(index).tolist())
