"""Pairs as small binary files, one per model with all later ones, checked against the audit.

A file is deflated. It holds columns one after the other, each with one value per later model in
the order of ranks, lowest bytes of all values first, then the next ones.
"""

import math
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np
from scipy import special

from nstar import stats
from nstar._base.types import Array, BoolArray, IntArray
from nstar._verbs.audit import Audit
from nstar._verbs.audit.pair_analysis import MOST_HELD
from nstar._verbs.audit.ranking import tiers
from nstar._verbs.audit.tiles import TILE
from nstar._verbs.verdict import PAIR_STATES, UNDERPOWERED, count_verdicts
from nstar.report.page._array_encoding import ArrayKind, planes
from nstar.report.site._pair_bands import PairBand
from nstar.report.site._source import AuditFolder, refuse

_LEVEL = 6
_RTOL = 1e-9
_ROUNDED = 1e-6
"""How far p-values may be off that were computed alone, or among others."""


def _tail(t: Any, df: Any) -> Any:
    """Two-sided p-value of a |t|."""
    with np.errstate(invalid="ignore"):
        return 2 * np.where(np.isinf(df), special.ndtr(-t), special.stdtr(df, -t))


def _behind(critical: float, freedom: Array) -> float:
    """The p-value whose critical |t|, in the middle of some degrees of freedom, is this one."""
    ordered, half = np.sort(freedom), len(freedom) // 2
    two = ordered[[half, ~half]]
    low, high = np.sort(_tail(critical, two))
    for _ in range(100):
        p = math.sqrt(low * high)
        if float(np.mean(-np.asarray(stats.t_quantile(p / 2, two)))) > critical:
            low = p
        else:
            high = p
    return float(high)


@dataclass(slots=True, kw_only=True, eq=False)
class _SignificanceCutoff:
    """The largest significant p-value of an audit, as it says and as its verdicts show.

    An audit tells the critical |t| of its family, which with few degrees of freedom is the middle
    one of all pairs; the p-value behind it is found from theirs. The verdicts bear it out: each
    says on which side of the threshold its pair lies.
    """

    audit: Audit
    low: float = 0.0
    """It is at least this, by the verdicts."""
    high: float = 1.0
    """It is at most this."""
    _freedom: list[Array] = field(default_factory=list)

    def see(self, columns: Mapping[str, Any], neighbors: Any) -> None:
        """Learn from some pairs; ``neighbors`` are the places of neighbors among them."""
        codes, p = columns["verdict"], columns["pvalue"]
        self.low = max(self.low, float(p[codes <= 1].max(initial=0.0)))
        self.high = min(self.high, float(p[codes > 1].min(initial=1.0)))
        if self.audit.adjust == "none":
            return
        df = np.asarray(columns.get("df", math.inf))
        self._remember(np.where(df > 0, df, math.inf), neighbors)

    def _remember(self, df: Array, neighbors: Any) -> None:
        """Degrees of freedom that the audit took the middle of: all, or of the first pairs."""
        if not df.ndim:
            self._freedom = [np.array([math.inf])]
        elif len(self.audit) <= MOST_HELD:
            self._freedom.append(df)
        elif not self._freedom:
            self._freedom.append(df[neighbors[: TILE - 1]])

    def value(self) -> float | None:
        """The threshold; None if the verdicts do not follow it."""
        audit = self.audit
        if audit.adjust == "none":
            p = audit.criteria.alpha
        elif audit.critical_value is None:
            return None
        else:
            p = _behind(audit.critical_value, np.concatenate(self._freedom))
        return p if self.low * (1 - _RTOL) <= p <= self.high * (1 + _RTOL) else None


def _unsigned(max_value: int) -> ArrayKind:
    return "u1" if max_value < 1 << 8 else "u2" if max_value < 1 << 16 else "u4"


def fields_of(source: AuditFolder) -> tuple[tuple[str, ArrayKind], ...]:
    """Columns of a row file and their types."""
    audit = source.audit
    count_type = _unsigned(audit.n_items)
    if source.counted and audit.is_complete:
        return (("gap2", count_type),)
    if source.counted:
        return (
            ("n_items", count_type),
            ("n10", count_type),
            ("n01", count_type),
            ("n11", count_type),
        )
    fields: list[tuple[str, ArrayKind]] = [("se", "f6"), ("df", "f6")]
    if source.design == "cluster":
        fields.append(("n_clusters", _unsigned(audit.n_items)))
        if audit.margin is not None:
            fields.append(("n_exposed", "f6"))
    if audit.is_complete:
        return (*fields, ("gap2", count_type)) if audit.is_binary else tuple(fields)
    fields += [("n_items", count_type), ("mean_a", "f6"), ("mean_b", "f6"), ("gap", "f6")]
    if audit.is_binary:
        fields += [("n10", count_type), ("n01", count_type)]
    return tuple(fields)


def _sums(source: AuditFolder) -> IntArray:
    """Right answers of each model."""
    return np.rint(source.audit.ranking.mean * source.audit.ranking.n_items).astype(np.int64)


@dataclass(slots=True, kw_only=True, eq=False)
class PairRows:
    """Row files of one audit, and what is counted while they are made."""

    source: AuditFolder
    beats: IntArray = field(init=False)
    """Models that each one is significantly better than."""
    beaten: IntArray = field(init=False)
    """Models that are significantly better than each."""
    reach: IntArray = field(init=False)
    """Last place that each model is not significantly better than, its own at least."""
    threshold: _SignificanceCutoff = field(init=False)
    """From which p-value on a pair is significant."""
    _by_state: IntArray = field(init=False)

    def __post_init__(self) -> None:
        m = len(self.source.audit)
        self.beats, self.beaten = np.zeros((2, m), dtype=np.int64)
        self.reach = np.arange(m)
        self._by_state = np.zeros(len(PAIR_STATES), dtype=np.int64)
        self.threshold = _SignificanceCutoff(audit=self.source.audit)

    def files(self, band: PairBand) -> Iterator[tuple[int, bytes]]:
        """Place of each model of a band, and its file."""
        columns = dict(band.columns)
        neighbors = np.array([band.row(i).start for i in range(band.start, band.stop)])
        self._check(band)
        self._check_neighbors(band, neighbors)
        self._count(band, neighbors)
        self.threshold.see(columns, neighbors)
        if "n10" in columns:
            columns["gap2"] = columns["n10"] + columns["n01"]
        if self.source.counted and not self.source.audit.is_complete:
            columns["n11"] = self._both(band)
        fields = [(columns[name], kind) for name, kind in fields_of(self.source)]
        for i in range(band.start, band.stop):
            part = band.row(i)
            raw = b"".join(planes(values[part], kind) for values, kind in fields)
            yield i, zlib.compress(raw, _LEVEL)

    def finish(self) -> float:
        """The threshold of significance; DataError if verdicts and ranks are of other audits."""
        threshold = self.threshold.value()
        audit, by_state = self.source.audit, self._by_state.tolist()
        counts = (count_verdicts(by_state), by_state[UNDERPOWERED])
        if counts != (audit.verdict_counts, audit.n_underpowered) or threshold is None:
            refuse(self.source.folder, "audit.json and pairs belong to different audits")
        self._check_ranks()
        return threshold

    def _check_ranks(self) -> None:
        """Rank sets and tiers follow from the verdicts, if both are by one method."""
        audit, ranks, m = self.source.audit, self.source.audit.ranking, len(self.source.audit)
        if audit.adjust != audit.rank_method:
            return
        sets = (ranks.rank_low == 1 + self.beaten) & (ranks.rank_high == m - self.beats)
        for fits, quantity in ((sets, "rank set"), (ranks.tier == tiers(self.reach), "tier")):
            if not fits.all():
                name = ranks.model[int(np.argmin(fits))]
                _other(self.source, f"the {quantity} of {name!r:.40}", self.source.pairs.name)

    def _both(self, band: PairBand) -> Array:
        """Items both got right, from the mean of the first over the items both have."""
        c = band.columns
        right = np.nan_to_num(c["mean_a"]) * c["n_items"]
        n11 = np.rint(right).astype(np.int64) - c["n10"]
        neither = c["n_items"] - n11 - c["n10"] - c["n01"]
        if (np.abs(right - np.rint(right)) > 1e-3).any() or (n11 < 0).any() or (neither < 0).any():
            refuse(band.path, "contains counts that do not add up")
        return n11

    def _check(self, band: PairBand) -> None:
        audit, c = self.source.audit, band.columns
        n = c["n_items"]
        if (
            (n < 0).any()
            or (n > audit.n_items).any()
            or (audit.is_complete and (n != audit.n_items).any())
        ):
            refuse(band.path, "has a number of items that differs from audit.json")
        if "n10" in c and ((c["n10"] < 0) | (c["n01"] < 0) | (c["n10"] + c["n01"] > n)).any():
            refuse(band.path, "contains counts that do not add up")
        if np.isnan(c["pvalue"]).any() or (c["pvalue"] < 0).any() or (c["pvalue"] > 1).any():
            refuse(band.path, "contains impossible p-values")
        if audit.is_complete:
            first, second = band.places()
            gap = audit.ranking.mean[first] - audit.ranking.mean[second]
            if not self._same_gaps(c["gap"], gap).all():
                refuse(self.source.folder, "audit.json and pairs belong to different audits")

    def _check_neighbors(self, band: PairBand, neighbors: IntArray) -> None:
        """What audit.json tells of neighbors is what the pairs do."""
        pairs, rows, c = self.source.audit.adjacent, slice(band.start, band.stop), band.columns
        words = np.array([PAIR_STATES.index(state) for state in pairs.states[rows]])
        fits = {
            "items": c["n_items"][neighbors] == pairs.n_items[rows],
            "gap": self._same_gaps(c["gap"][neighbors], pairs.gap[rows]),
            "verdict": c["verdict"][neighbors] == words,
            "p-value": np.isclose(
                c["pvalue"][neighbors], pairs.pvalue[rows], rtol=_ROUNDED, atol=0
            ),
            "adjusted p-value": np.isclose(
                c["pvalue_adjusted"][neighbors], pairs.pvalue_adjusted[rows], rtol=_ROUNDED, atol=0
            ),
        }
        for quantity, same in fits.items():
            if not same.all():
                k = band.start + int(np.argmin(same))
                whose = f"{pairs.model_a[k]!r:.40} and {pairs.model_b[k]!r:.40}"
                _other(self.source, f"the {quantity} of {whose}", band.path.name)

    def _same_gaps(self, values: Array, expected: Array) -> BoolArray:
        low, high = self.source.audit.score_range
        return np.isclose(values, expected, rtol=0, atol=_RTOL * (high - low), equal_nan=True)

    def _count(self, band: PairBand, neighbors: IntArray) -> None:
        codes, delta = band.columns["verdict"], band.columns["gap"]
        self._by_state += np.bincount(codes, minlength=len(PAIR_STATES))
        better = -1 if self.source.audit.lower_is_better else 1
        wins = (codes <= 1) & (delta * better > 0)
        losses = (codes <= 1) & (delta * better < 0)
        m = len(self.source.audit)
        first, second = band.places()
        self.beats += np.bincount(first[wins], minlength=m) + np.bincount(
            second[losses], minlength=m
        )
        self.beaten += np.bincount(second[wins], minlength=m) + np.bincount(
            first[losses], minlength=m
        )
        last = np.where(wins, first, second)
        self.reach[band.start : band.stop] = np.maximum.reduceat(last, neighbors)


def _other(source: AuditFolder, quantity: str, where: str) -> NoReturn:
    reason = (
        f"differs from {where} in {quantity}, so the files belong to different audits or one was "
        "changed"
    )
    refuse(source.folder / "audit.json", reason)


def model_columns(source: AuditFolder) -> tuple[tuple[str, ArrayKind, Any], ...]:
    """What a page must know of every model: name, type and values of each column."""
    audit, ranks = source.audit, source.audit.ranking
    place = _unsigned(len(audit))
    columns: list[tuple[str, ArrayKind, Any]] = [
        ("rank", place, ranks.rank),
        ("lo", place, ranks.rank_low),
        ("hi", place, ranks.rank_high),
        ("tier", place, ranks.tier),
        ("own", _unsigned(audit.n_items), ranks.n_items),
    ]
    if audit.is_binary:
        return (*columns, ("right", _unsigned(audit.n_items), _sums(source)))
    return (*columns, ("mean", "f8", ranks.mean))
