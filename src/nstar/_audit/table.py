"""Every number of a list of pairs: what ``compare`` says of one, for many at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nstar import stats
from nstar._audit.counting import Counting, equivalent_pairs
from nstar._audit.family import Ruler, freedom
from nstar._audit.parts import Pairs
from nstar._audit.tiles import Tile
from nstar._compare.reading import unanimous_interval
from nstar._compare.resolution import least_items
from nstar._pairs import Design, PairStats
from nstar._typing import Array, IntArray
from nstar._verdict import AUDIT_WORDS, Criteria

__all__ = ["Setting", "describe"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Setting:
    """What is the same for every pair of an audit."""

    names: tuple[str, ...]
    """Models in rank order."""
    design: Design
    """How items come about."""
    criteria: Criteria
    """Level, power."""
    limits: tuple[float, float]
    """Worst and best possible score."""
    offset: float
    """What was taken off graded scores in sums."""
    counting: Counting
    """Rulers, and which of them verdicts follow."""
    delta0: float | None
    """Smallest gap of interest."""

    @property
    def width(self) -> float:
        """Largest possible gap."""
        return self.limits[1] - self.limits[0]

    @property
    def conf(self) -> float:
        """Coverage of intervals."""
        return 1 - self.criteria.alpha


def _tango(pairs: PairStats, conf: float) -> tuple[Array, Array]:
    """Of 0/1 scores; NaN without a common item."""
    low, high = np.full((2, *pairs.n.shape), np.nan)
    some = pairs.n > 0
    n10, n01 = (x[some] for x in pairs.gram.discordant)
    low[some], high[some] = stats.paired_interval(n10, n01, pairs.n[some], conf=conf)
    return low, high


def _usable(df: Any) -> Array:
    """Infinite where there are none, for no error goes with them."""
    return np.where(np.asarray(df) > 0, df, np.inf)


def _few(pairs: PairStats, design: Design) -> Any:
    """Degrees of freedom for planning, as in ``compare``: items are many, clusters are not."""
    return np.inf if design.kind in {"items", "strata"} else _usable(pairs.df)


def _interval(pairs: PairStats, setting: Setting) -> tuple[Array, Array]:
    conf, width = setting.conf, setting.width
    if setting.design.kind == "items" and pairs.gram.binary:
        return _tango(pairs, conf)
    half = np.asarray(stats.t_quantile((1 + conf) / 2, _usable(pairs.df))) * pairs.se
    low, high = pairs.delta - half, pairs.delta + half
    if setting.design.kind != "items":
        low, high = np.maximum(low, -width), np.minimum(high, width)
    units = np.broadcast_to(pairs.units, pairs.n.shape)
    for k in np.flatnonzero((pairs.se == 0) | (pairs.n == 1)).tolist():
        low[k], high[k] = unanimous_interval(float(pairs.delta[k]), int(units[k]), width, conf)
    return low, high


def _reach(pairs: PairStats, setting: Setting, ruler: Ruler) -> Any:
    """Standard errors that a gap must span to be detectable, Student's with few clusters."""
    df = _few(pairs, setting.design)
    return ruler.critical(df) + np.asarray(stats.t_quantile(setting.criteria.power, df))


def _mde(pairs: PairStats, setting: Setting, ruler: Ruler) -> Array:
    """NaN where no gap that can be is detectable, or no error was measured."""
    rule, out = setting.criteria, np.full(pairs.n.shape, np.nan)
    alpha, power = rule.alpha, rule.power
    seen = pairs.se > 0
    if setting.design.kind != "items":
        out = np.where(seen, _reach(pairs, setting, ruler) * pairs.se, np.nan)
    elif pairs.gram.binary:
        seen = pairs.gram.gap2 > 0
        psi = pairs.gram.gap2[seen] / pairs.n[seen]
        out[seen] = stats.paired_mde(pairs.n[seen], psi=psi, alpha=alpha, power=power)
    else:
        seen &= pairs.n >= least_items(rule.alpha, binary=False, sides=2)
        sigma = pairs.se[seen] * np.sqrt(pairs.n[seen])
        out[seen] = stats.t_mde(pairs.n[seen], sigma=sigma, alpha=alpha, power=power)
    largest = 1.0 if setting.limits == (0.0, 1.0) else np.inf
    return np.where(np.isfinite(out) & (out <= largest), out, np.nan)


def _counts(pairs: PairStats) -> dict[str, Any]:
    keys = ("p_midp", "p_exact", "n11", "n10", "n01", "n00", "psi")
    g, n = pairs.gram, pairs.n
    if not g.binary:
        return dict.fromkeys(keys)
    n10, n01 = pairs.gram.discordant
    n11 = g.first.astype(np.int64) - n10
    return {
        "p_midp": stats.mcnemar_pvalue(n10, n01),
        "p_exact": stats.mcnemar_pvalue(n10, n01, method="exact"),
        "n11": n11,
        "n10": n10,
        "n01": n01,
        "n00": n - n11 - n10 - n01,
        "psi": np.divide(g.gap2, n, out=np.full(n.shape, np.nan), where=n > 0),
    }


def _ratio(t: Array, shift: Any, needed: Any) -> Array:
    """q at |t| + shift; NaN where no error was measured."""
    with np.errstate(invalid="ignore"):
        q = np.square(np.maximum(np.abs(t) + shift, 0.0) / needed)
    return np.where(np.isfinite(t), q, np.nan)


def _needed(n: IntArray, q: Array, least: int) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(q > 0, np.maximum(n / q, least), np.inf)


def _resolution(pairs: PairStats, setting: Setting) -> dict[str, Any]:
    """q and N* of each pair alone, with intervals, and q in its family."""
    counting, n = setting.counting, pairs.n
    alone, family = counting.rulers[""], counting.rulers[counting.verdict]
    t = np.where(pairs.se > 0, pairs.t, np.nan)
    half = alone.critical(_few(pairs, setting.design))
    q, low, high = (_ratio(t, s, alone.needed()) for s in (0.0, -half, half))
    least = 1
    if setting.design.kind == "items":
        least = least_items(setting.criteria.alpha, binary=pairs.gram.binary, sides=2)
    return {
        "q": q,
        "q_low": low,
        "q_high": high,
        "n_star": _needed(n, q, least),
        "n_star_low": _needed(n, high, least),
        "n_star_high": _needed(n, low, least),
        "q_adjusted": _ratio(t, 0.0, family.needed(freedom(pairs))),
    }


def _at_delta0(pairs: PairStats, setting: Setting, ruler: Ruler) -> Array | None:
    if setting.delta0 is None:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(
            pairs.se > 0,
            np.square(setting.delta0 / (_reach(pairs, setting, ruler) * pairs.se)),
            np.nan,
        )


def _more(pairs: PairStats, setting: Setting, codes: Array, q: Array) -> Array:
    """Items still missing in the family; 0 for what is settled."""
    counting = setting.counting
    at = _at_delta0(pairs, setting, counting.rulers[counting.verdict])
    short = _needed(pairs.n, q if at is None else at, 1) - pairs.n
    settled = (codes == 0) | (codes == 2)
    return np.where(settled, 0.0, np.maximum(np.ceil(short - 1e-9), 0.0))


def describe(tile: Tile, p_adjusted: Array, setting: Setting) -> Pairs:
    """A list of pairs in full."""
    pairs, counting = tile.pairs, setting.counting
    alone = counting.rulers[""]
    n, g = pairs.n, pairs.gram
    codes = counting.codes(tile)
    low, high = _interval(pairs, setting)
    found = _resolution(pairs, setting)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean_a, mean_b = (s / n + setting.offset for s in (g.first, g.second))
    return Pairs(
        a=_named(setting.names, tile.first),
        b=_named(setting.names, tile.second),
        n=n,
        mean_a=mean_a,
        mean_b=mean_b,
        delta=pairs.delta,
        ci_low=low,
        ci_high=high,
        se=pairs.se,
        t=pairs.t,
        p=_pvalue(tile, setting.design),
        p_adjusted=p_adjusted,
        rho=pairs.pairing()[0],
        sigma=_sigma(pairs),
        mde=_mde(pairs, setting, alone),
        **_counts(pairs),
        **found,
        delta0=None if setting.delta0 is None else np.full(n.shape, setting.delta0),
        q_delta0=_at_delta0(pairs, setting, alone),
        p_equivalent=(
            None
            if counting.margin is None
            else equivalent_pairs(pairs, counting.margin, counting.width)
        ),
        verdict=tuple(AUDIT_WORDS[k] for k in codes.tolist()),
        resolved=codes == 0,
        more_items=_more(pairs, setting, codes, found["q_adjusted"]),
    )


def _pvalue(tile: Tile, design: Design) -> Array:
    """To all digits, where the look-up of :class:`MidpTable` has fewer in deep tails."""
    g = tile.pairs.gram
    if not g.binary or design.kind != "items":
        return tile.p
    return np.asarray(stats.mcnemar_default_pvalue(*tile.pairs.gram.discordant, tile.pairs.n))


def _sigma(pairs: PairStats) -> Array:
    """Standard deviation of per-item differences, items independent."""
    g, n = pairs.gram, pairs.n
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.maximum(g.gap2 - np.square(g.gap, dtype=np.float64) / n, 0.0)
        return np.sqrt(spread / (n if g.binary else n - 1))


def _named(names: tuple[str, ...], index: Sequence[int] | Any) -> tuple[str, ...]:
    return tuple(names[k] for k in np.asarray(index).tolist())
