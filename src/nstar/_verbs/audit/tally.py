"""Count verdicts, wins, and medians over all pairs, tile by tile. Tallies can be added.

A tile and its counts refer only to the models in its rows and columns, so the size of a tally does
not depend on the number of models.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from nstar._base.types import Array, BoolArray, IntArray
from nstar._engine.pairs import PairStats, pairing
from nstar._verbs.audit.tables import GapBin, ItemsFactor, MedianRange
from nstar._verbs.audit.tiles import CountedTile, Tile
from nstar._verbs.audit.verdicts import CountingRules
from nstar._verbs.verdict import PAIR_STATES, UNDERPOWERED, BoardVerdict, count_verdicts


@dataclass(slots=True, kw_only=True, eq=False)
class WinCounts:
    """Counts by model, in ranges of models that do not overlap.

    Counts of different tiles can be added.
    """

    stretches: dict[int, IntArray] = field(default_factory=dict)
    """Wins, losses, and reach of the models of a range, (3, models), by its first model."""

    @classmethod
    def of(cls, tile: Tile | CountedTile, significant: BoolArray, better: int) -> "WinCounts":
        """Return the counts of one tile; ``better`` is 1, or -1 if lower scores are better."""
        counts = cls()
        if not significant.size:
            return counts
        up = tile.delta * better > 0
        win, lose = significant & up, significant & ~up
        if tile.first.ndim == 2:
            counts._rectangle(tile.first[:, 0], tile.second[0], win, lose)
        else:
            counts._triangle(tile.first, tile.second, win, lose)
        return counts

    def _stretch(self, start: int, size: int) -> IntArray:
        new = np.zeros((3, size), dtype=np.int64)
        new[2] = np.arange(start, start + size)
        self.stretches[start] = new
        return new

    def _rectangle(
        self, rows: IntArray, columns: IntArray, win: BoolArray, lose: BoolArray
    ) -> None:
        """Count some models against others that all come later."""
        mine = self._stretch(int(rows[0]), len(rows))
        theirs = self._stretch(int(columns[0]), len(columns))
        if win.all():
            mine[0], theirs[1] = len(columns), len(rows)
            return
        mine[0], mine[1] = np.count_nonzero(win, axis=1), np.count_nonzero(lose, axis=1)
        theirs[0], theirs[1] = np.count_nonzero(lose, axis=0), np.count_nonzero(win, axis=0)
        fails = ~win
        has_failures = fails.any(axis=1)
        mine[2, has_failures] = (columns[-1] - np.argmax(fails[:, ::-1], axis=1))[has_failures]

    def _triangle(
        self, first: IntArray, second: IntArray, win: BoolArray, lose: BoolArray
    ) -> None:
        """Count some models among themselves."""
        start = int(first[0])
        first, second = first - start, second - start
        size = int(second.max()) + 1
        mine = self._stretch(start, size)
        for flags, a, b in ((win, first, second), (lose, second, first)):
            mine[0] += np.bincount(a[flags], minlength=size)
            mine[1] += np.bincount(b[flags], minlength=size)
        np.maximum.at(mine[2], first[~win], second[~win] + start)

    def __iadd__(self, other: "WinCounts") -> Self:
        """Add the counts of other tiles."""
        for start, other_counts in other.stretches.items():
            mine = self.stretches.get(start)
            if mine is None:
                self.stretches[start] = other_counts.copy()
            else:
                mine[:2] += other_counts[:2]
                np.maximum(mine[2], other_counts[2], out=mine[2])
        return self

    def arrays(self) -> dict[str, IntArray]:
        """Return plain arrays for a file."""
        starts = sorted(self.stretches)
        parts = [self.stretches[k] for k in starts]
        return {
            "starts": np.array(starts, dtype=np.int64),
            "sizes": np.array([p.shape[1] for p in parts], dtype=np.int64),
            "counts": np.concatenate([np.zeros((3, 0), dtype=np.int64), *parts], axis=1),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, IntArray]) -> "WinCounts":
        """Rebuild the counts from :meth:`arrays`."""
        ends = np.cumsum(arrays["sizes"])
        cuts = zip(
            arrays["starts"].tolist(),
            (ends - arrays["sizes"]).tolist(),
            ends.tolist(),
            strict=True,
        )
        return cls(stretches={k: arrays["counts"][:, a:b].copy() for k, a, b in cuts})

    def whole(self, models: int) -> tuple[IntArray, IntArray, IntArray]:
        """Return the wins and losses of each model, and the last rank that it fails to beat.

        A model never beats itself.
        """
        out = np.zeros((3, models), dtype=np.int64)
        out[2] = np.arange(models)
        for start, part in self.stretches.items():
            out[:, start : start + part.shape[1]] = part
        return out[0], out[1], out[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class BinScale:
    """Scale with equal bins, on a logarithmic axis if ``log``."""

    low: float
    high: float
    bins: int
    log: bool = False
    open: bool = False
    """Return whether the last bin has no upper limit."""

    def count(self, values: Array) -> IntArray:
        """Return the number of values in each bin. Values outside are in the first or last bin."""
        place = values.astype(np.float32)  # the precision lost is a thousandth of a bin
        if self.log:
            np.log(place, out=place)
        place -= np.float32(self._low)
        place *= np.float32(self.bins / (self._high - self._low))
        np.clip(place, 0, self.bins - 1, out=place)
        return np.bincount(place.astype(np.int32).reshape(-1), minlength=self.bins)

    @property
    def _low(self) -> float:
        return float(np.log(self.low)) if self.log else self.low

    @property
    def _high(self) -> float:
        return float(np.log(self.high)) if self.log else self.high

    def median(self, counts: IntArray) -> float:
        """Return the middle of the bin that contains the median."""
        place = int(np.searchsorted(np.cumsum(counts), counts.sum() / 2))
        if self.open and place == self.bins - 1:
            return np.inf
        value = self._low + (place + 0.5) * (self._high - self._low) / self.bins
        return float(np.exp(value)) if self.log else float(value)


@dataclass(slots=True, kw_only=True, eq=False)
class BinnedMedian:
    """Median and range of one number per pair."""

    scale: BinScale
    counts: IntArray
    low: float = np.inf
    high: float = -np.inf

    @classmethod
    def of(cls, scale: BinScale, values: Array) -> "BinnedMedian":
        if not np.isfinite(values).all():
            values = values[np.isfinite(values)]
        low, high = (
            (float(values.min()), float(values.max())) if values.size else (np.inf, -np.inf)
        )
        return cls(scale=scale, counts=scale.count(values), low=low, high=high)

    def __iadd__(self, other: "BinnedMedian") -> Self:
        self.counts += other.counts
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)
        return self

    def spread(self) -> MedianRange | None:
        if not self.counts.sum():
            return None
        median = float(np.clip(self.scale.median(self.counts), self.low, self.high))
        return MedianRange(median=median, low=self.low, high=self.high)


_RHO = BinScale(low=-1.0, high=1.0, bins=2000)
_SAVING = BinScale(low=0.1, high=1e4, bins=2000, log=True)
_NEED = BinScale(low=1.0, high=1e12, bins=8192, log=True, open=True)


@dataclass(slots=True, kw_only=True, eq=False)
class PairTally:
    """Counts of pairs over some tiles."""

    pairs: int
    unresolved: dict[str, int]
    insignificant: dict[str, int]
    words: IntArray
    wins: WinCounts
    """Wins in the family of the rank ranges."""
    alone: WinCounts
    """Wins if only one model is of interest."""
    above: IntArray
    """Number of pairs with a gap of at least each edge."""
    short: IntArray
    """Number of these pairs with q < 1, unadjusted."""
    needs: list[IntArray]
    """Items that each bin's unresolved pairs need, by scale."""
    worst: Array
    correlation: BinnedMedian
    saving: BinnedMedian

    @classmethod
    def of(cls, tile: Tile, rules: CountingRules) -> "PairTally":
        """Return the counts of one tile."""
        beaten = rules.significant(rules.ranking, tile)
        return cls._counted(tile, tile, rules, beaten, tile.p <= rules.alone)

    @classmethod
    def of_counts(cls, tile: CountedTile, rules: CountingRules) -> "PairTally":
        """Return the counts of one tile of 0/1 scores. Only pairs near a threshold are tested."""
        is_decisive = tile.far(rules.beyond.lead, rules.beyond.fewest)
        near_pairs = tile.some(~is_decisive)
        beaten, marginal = is_decisive.copy(), is_decisive.copy()
        beaten[~is_decisive] = rules.significant(rules.ranking, near_pairs)
        marginal[~is_decisive] = near_pairs.p <= rules.alone
        return cls._counted(tile, near_pairs, rules, beaten, marginal)

    @classmethod
    def _counted(
        cls,
        tile: Tile | CountedTile,
        tested: Tile,
        rules: CountingRules,
        beaten: BoolArray,
        marginal: BoolArray,
    ) -> "PairTally":
        """Return the counts of a tile, whose pairs that are not tested are all significant."""
        settled = {reading: rules.settled(reading, tested) for reading in rules.rulers}
        significant = {reading: rules.significant(reading, tested) for reading in rules.rulers}
        codes = rules.codes(tested, settled[rules.verdict])
        words = np.bincount(codes.reshape(-1), minlength=len(PAIR_STATES))
        words[PAIR_STATES.index("significant")] += beaten.size - tested.p.size
        short, needs, worst = _unresolved_by_gap(tested.pairs, settled[""], rules)
        size = np.abs(tile.delta)
        rho, saving = pairing(tile.gram)
        return cls(
            pairs=beaten.size,
            unresolved={k: int(np.count_nonzero(~v)) for k, v in settled.items()},
            insignificant={k: int(np.count_nonzero(~v)) for k, v in significant.items()},
            words=words,
            wins=WinCounts.of(tile, beaten, rules.better),
            alone=WinCounts.of(tile, marginal, rules.better),
            above=np.array([np.count_nonzero(size >= e) for e in rules.edges]),
            short=short,
            needs=needs,
            worst=worst,
            correlation=BinnedMedian.of(_RHO, rho),
            saving=BinnedMedian.of(_SAVING, saving),
        )

    def __iadd__(self, other: "PairTally") -> Self:
        """Add the counts of other tiles."""
        self.pairs += other.pairs
        for mine, theirs in (
            (self.unresolved, other.unresolved),
            (self.insignificant, other.insignificant),
        ):
            for key, value in theirs.items():
                mine[key] += value
        for name in ("words", "wins", "alone", "above", "short"):
            getattr(self, name).__iadd__(getattr(other, name))
        for k, need in enumerate(other.needs):
            self.needs[k] += need
        np.maximum(self.worst, other.worst, out=self.worst)
        self.correlation += other.correlation
        self.saving += other.saving
        return self

    def arrays(self) -> dict[str, Any]:
        """Return plain arrays for a file."""
        wins = {f"wins.{k}": v for k, v in self.wins.arrays().items()}
        marginal = {f"alone.{k}": v for k, v in self.alone.arrays().items()}
        spread = {
            f"{name}.{part}": np.asarray(getattr(getattr(self, name), part))
            for name in ("correlation", "saving")
            for part in ("counts", "low", "high")
        }
        return {
            "pairs": np.array(self.pairs),
            "readings": np.array(list(self.unresolved)),
            "unresolved": np.array(list(self.unresolved.values())),
            "insignificant": np.array(list(self.insignificant.values())),
            "needs": np.stack(self.needs),
            **{name: getattr(self, name) for name in ("words", "above", "short", "worst")},
            **wins,
            **marginal,
            **spread,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Any]) -> "PairTally":
        """Rebuild the tally from :meth:`arrays`."""

        def below(name: str) -> dict[str, Any]:
            head = f"{name}."
            return {k.removeprefix(head): v for k, v in arrays.items() if k.startswith(head)}

        def median_of(name: str, scale: BinScale) -> BinnedMedian:
            part = below(name)
            low, high = float(part["low"]), float(part["high"])
            return BinnedMedian(scale=scale, counts=part["counts"], low=low, high=high)

        readings = arrays["readings"].tolist()
        return cls(
            pairs=int(arrays["pairs"]),
            unresolved=dict(zip(readings, arrays["unresolved"].tolist(), strict=True)),
            insignificant=dict(zip(readings, arrays["insignificant"].tolist(), strict=True)),
            needs=list(arrays["needs"]),
            wins=WinCounts.from_arrays(below("wins")),
            alone=WinCounts.from_arrays(below("alone")),
            correlation=median_of("correlation", _RHO),
            saving=median_of("saving", _SAVING),
            **{name: arrays[name] for name in ("words", "above", "short", "worst")},
        )

    def verdict_counts(self) -> dict[BoardVerdict, int]:
        """Return the number of pairs with each verdict."""
        return count_verdicts(self.words.tolist())

    @property
    def underpowered(self) -> int:
        """Return the number of significant pairs with less than the target power."""
        return int(self.words[UNDERPOWERED])

    def _need(self, k: int) -> ItemsFactor:
        """Return the median need of a bin's unresolved pairs, to 0.3%, at most the largest."""
        worst = float(self.worst[k])
        return ItemsFactor(median=min(_NEED.median(self.needs[k]), worst), worst=worst)

    def bins(self, edges: tuple[float, ...]) -> tuple[GapBin, ...]:
        """Return the pairs by size of the gap."""
        ends = (*edges[1:], np.inf)
        pairs, short = (x - np.append(x[1:], 0) for x in (self.above, self.short))
        return tuple(
            GapBin(
                low=edges[k],
                high=ends[k],
                n_pairs=int(pairs[k]),
                n_unresolved=int(short[k]),
                items_factor=self._need(k) if short[k] else None,
            )
            for k in range(len(edges))
        )


def _unresolved_by_gap(
    pairs: PairStats, settled: BoolArray, rules: CountingRules
) -> tuple[IntArray, list[IntArray], Array]:
    """Return the pairs with q < 1, and the items that they need, by the size of their gap."""
    low, edges = np.nonzero(~settled), np.asarray(rules.edges)
    short_pairs = pairs.take(low)
    size = np.abs(short_pairs.delta)
    place = np.searchsorted(edges, size, side="right") - 1
    place[np.isnan(size)] = -1
    need = rules.rulers[""].needed(short_pairs, size) / short_pairs.n
    need = np.maximum(np.where(np.isnan(need), np.inf, need), 1.0)
    short = np.array([np.count_nonzero(size >= e) for e in edges])
    needs = [_NEED.count(need[place == k]) for k in range(len(edges))]
    worst = np.array([need[place == k].max(initial=0.0) for k in range(len(edges))])
    return short, needs, worst
