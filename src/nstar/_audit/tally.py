"""What is counted over all pairs, tile by tile. Tallies add, so none is ever large."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np

from nstar._audit.counting import Counting
from nstar._audit.family import finite_t, freedom
from nstar._audit.middle import Middle, Scale
from nstar._audit.parts import GapBin
from nstar._audit.tiles import Tile
from nstar._pairs import PairStats
from nstar._typing import Array, BoolArray, IntArray
from nstar._verdict import AUDIT_WORDS, AuditWord

__all__ = ["Tally"]

_RHO = Scale(low=-1.0, high=1.0, bins=2000)
_SAVING = Scale(low=0.1, high=1e4, bins=2000, log=True)
_NEED = Scale(low=1.0, high=1e12, bins=8192, log=True, open=True)


@dataclass(slots=True, kw_only=True, eq=False)
class Tally:
    """Counts over some tiles."""

    pairs: int
    unresolved: dict[str, int]
    insignificant: dict[str, int]
    words: IntArray
    beats: IntArray
    """Models that each one beats, (M,)."""
    beaten: IntArray
    """Models that beat each one, (M,)."""
    reach: IntArray
    """Last place that each model fails to beat, itself included, (M,)."""
    beats_alone: IntArray
    beaten_alone: IntArray
    above: IntArray
    """Pairs with a gap of at least each edge."""
    short: IntArray
    """Those of them with q < 1, alone."""
    needs: list[IntArray]
    """How much more each bin's unresolved pairs need, by scale."""
    worst: Array
    correlation: Middle
    saving: Middle

    @classmethod
    def of(cls, tile: Tile, what: Counting) -> "Tally":
        """Count one tile."""
        t, df = finite_t(tile.pairs), freedom(tile.pairs)
        unresolved, insignificant = {}, {}
        for reading, r in what.rulers.items():
            significant = tile.p <= r.p
            settled = significant & (t >= r.needed(df))
            unresolved[reading] = int(t.size - np.count_nonzero(settled))
            insignificant[reading] = int(t.size - np.count_nonzero(significant))
        words = np.bincount(what.codes(tile).reshape(-1), minlength=len(AUDIT_WORDS))
        wins, losses, reach = _wins(tile, what, what.significant(what.ranking, tile), reach=True)
        wins_alone, losses_alone, _ = _wins(tile, what, tile.p <= what.alone)
        above, short, needs, worst = _bins(tile.pairs, t, what.significant("", tile), what)
        rho, saving = tile.pairs.pairing()
        return cls(
            pairs=t.size,
            unresolved=unresolved,
            insignificant=insignificant,
            words=words,
            beats=wins,
            beaten=losses,
            reach=reach,
            beats_alone=wins_alone,
            beaten_alone=losses_alone,
            above=above,
            short=short,
            needs=needs,
            worst=worst,
            correlation=Middle.of(_RHO, rho),
            saving=Middle.of(_SAVING, saving),
        )

    def __iadd__(self, other: "Tally") -> Self:
        """Both sets of tiles."""
        self.pairs += other.pairs
        for mine, more in (
            (self.unresolved, other.unresolved),
            (self.insignificant, other.insignificant),
        ):
            for key, value in more.items():
                mine[key] += value
        for name in ("words", "beats", "beaten", "beats_alone", "beaten_alone", "above", "short"):
            getattr(self, name).__iadd__(getattr(other, name))
        self.needs = [a + b for a, b in zip(self.needs, other.needs, strict=True)]
        np.maximum(self.reach, other.reach, out=self.reach)
        np.maximum(self.worst, other.worst, out=self.worst)
        self.correlation += other.correlation
        self.saving += other.saving
        return self

    @classmethod
    def total(cls, parts: "Iterable[Tally]") -> "Tally":
        """All of them."""
        rest = iter(parts)
        total = next(rest)
        for part in rest:
            total += part
        return total

    def word_counts(self) -> dict[AuditWord, int]:
        """Verdicts over all pairs."""
        return dict(zip(AUDIT_WORDS, self.words.tolist(), strict=True))

    def _middle(self, k: int) -> float:
        """Median of what the unresolved pairs of a bin need, to 0.3 %; never above the most."""
        return min(_NEED.median(self.needs[k]), float(self.worst[k]))

    def bins(self, edges: tuple[float, ...]) -> tuple[GapBin, ...]:
        """Pairs by size of the gap."""
        ends = (*edges[1:], np.inf)
        pairs, short = (x - np.append(x[1:], 0) for x in (self.above, self.short))
        return tuple(
            GapBin(
                low=edges[k],
                high=ends[k],
                pairs=int(pairs[k]),
                unresolved=int(short[k]),
                need_median=self._middle(k) if short[k] else None,
                need_worst=float(self.worst[k]) if short[k] else None,
            )
            for k in range(len(edges))
        )


def _wins(
    tile: Tile, what: Counting, significant: BoolArray, *, reach: bool = False
) -> tuple[IntArray, IntArray, IntArray]:
    """Wins and losses of every model in this tile, and the last place each fails to beat."""
    m = what.models
    up = tile.pairs.delta * what.better > 0
    win, lose = significant & up, significant & ~up
    first, second = tile.first, tile.second
    wins, losses = np.zeros(m, dtype=np.int64), np.zeros(m, dtype=np.int64)
    last = np.arange(m) if reach else np.zeros(0, dtype=np.int64)
    if first.ndim == 2:
        rows, columns = first[:, 0], second[0]
        wins[rows] += np.count_nonzero(win, axis=1)
        losses[rows] += np.count_nonzero(lose, axis=1)
        losses[columns] += np.count_nonzero(win, axis=0)
        wins[columns] += np.count_nonzero(lose, axis=0)
        if reach:
            fails = ~win
            place = columns[-1] - np.argmax(fails[:, ::-1], axis=1)
            some = fails.any(axis=1)
            last[rows[some]] = place[some]
        return wins, losses, last
    for flags, a, b in ((win, first, second), (lose, second, first)):
        wins += np.bincount(a[flags], minlength=m)
        losses += np.bincount(b[flags], minlength=m)
    if reach:
        np.maximum.at(last, first[~win], second[~win])
    return wins, losses, last


def _bins(
    pairs: PairStats, t: Array, significant: BoolArray, what: Counting
) -> tuple[IntArray, IntArray, list[IntArray], Array]:
    size, edges = np.abs(pairs.delta), np.asarray(what.edges)
    above = np.array([np.count_nonzero(size >= e) for e in edges])
    needed = what.rulers[""].needed()
    low = np.nonzero(~(significant & (t >= needed)))
    place = np.searchsorted(edges, size[low], side="right") - 1
    place[np.isnan(size[low])] = -1
    with np.errstate(divide="ignore"):
        need = np.maximum(np.square(needed / t[low]), 1.0)
    short = np.array([np.count_nonzero(size[low] >= e) for e in edges])
    needs = [_NEED.count(need[place == k]) for k in range(len(edges))]
    worst = np.array([need[place == k].max(initial=0.0) for k in range(len(edges))])
    return above, short, needs, worst
