"""What is counted over all pairs, tile by tile. Tallies add, so none is ever large."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from nstar._base.types import Array, BoolArray, IntArray
from nstar._engine.pairs import PairStats
from nstar._verbs.audit.median import BinScale, Middle
from nstar._verbs.audit.tables import GapBin, Need
from nstar._verbs.audit.tiles import Tile
from nstar._verbs.audit.verdicts import Counting
from nstar._verbs.audit.wins import Wins
from nstar._verbs.verdict import AUDIT_WORDS, AuditWord

_RHO = BinScale(low=-1.0, high=1.0, bins=2000)
_SAVING = BinScale(low=0.1, high=1e4, bins=2000, log=True)
_NEED = BinScale(low=1.0, high=1e12, bins=8192, log=True, open=True)


@dataclass(slots=True, kw_only=True, eq=False)
class Tally:
    """Counts over some tiles."""

    pairs: int
    unresolved: dict[str, int]
    insignificant: dict[str, int]
    words: IntArray
    wins: Wins
    """Who beats whom in the family that ranks rest on."""
    alone: Wins
    """Likewise if only one model is asked about."""
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
        pairs = tile.p.size
        settled = {reading: what.settled(reading, tile) for reading in what.rulers}
        unresolved = {k: int(pairs - np.count_nonzero(v)) for k, v in settled.items()}
        insignificant = {
            k: int(pairs - np.count_nonzero(what.significant(k, tile))) for k in what.rulers
        }
        codes = what.codes(tile, settled[what.verdict])
        words = np.bincount(codes.reshape(-1), minlength=len(AUDIT_WORDS))
        above, short, needs, worst = _bins(tile.pairs, settled[""], what)
        rho, saving = tile.pairs.pairing()
        return cls(
            pairs=pairs,
            unresolved=unresolved,
            insignificant=insignificant,
            words=words,
            wins=Wins.of(tile, what.significant(what.ranking, tile), what.better),
            alone=Wins.of(tile, tile.p <= what.alone, what.better),
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
        for name in ("words", "wins", "alone", "above", "short"):
            getattr(self, name).__iadd__(getattr(other, name))
        for k, need in enumerate(other.needs):
            self.needs[k] += need
        np.maximum(self.worst, other.worst, out=self.worst)
        self.correlation += other.correlation
        self.saving += other.saving
        return self

    def arrays(self) -> dict[str, Any]:
        """As plain arrays, for a file."""
        wins = {f"wins.{k}": v for k, v in self.wins.arrays().items()}
        alone = {f"alone.{k}": v for k, v in self.alone.arrays().items()}
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
            **alone,
            **spread,
        }

    @classmethod
    def from_arrays(cls, found: Mapping[str, Any]) -> "Tally":
        """From what :meth:`arrays` made."""

        def below(name: str) -> dict[str, Any]:
            head = f"{name}."
            return {k.removeprefix(head): v for k, v in found.items() if k.startswith(head)}

        def middle(name: str, scale: BinScale) -> Middle:
            part = below(name)
            low, high = float(part["low"]), float(part["high"])
            return Middle(scale=scale, counts=part["counts"], low=low, high=high)

        readings = found["readings"].tolist()
        return cls(
            pairs=int(found["pairs"]),
            unresolved=dict(zip(readings, found["unresolved"].tolist(), strict=True)),
            insignificant=dict(zip(readings, found["insignificant"].tolist(), strict=True)),
            needs=list(found["needs"]),
            wins=Wins.from_arrays(below("wins")),
            alone=Wins.from_arrays(below("alone")),
            correlation=middle("correlation", _RHO),
            saving=middle("saving", _SAVING),
            **{name: found[name] for name in ("words", "above", "short", "worst")},
        )

    def word_counts(self) -> dict[AuditWord, int]:
        """Verdicts over all pairs."""
        return dict(zip(AUDIT_WORDS, self.words.tolist(), strict=True))

    def _need(self, k: int) -> Need:
        """What the unresolved pairs of a bin need: the median to 0.3 %, never above the most."""
        worst = float(self.worst[k])
        return Need(median=min(_NEED.median(self.needs[k]), worst), worst=worst)

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
                need=self._need(k) if short[k] else None,
            )
            for k in range(len(edges))
        )


def _bins(
    pairs: PairStats, settled: BoolArray, what: Counting
) -> tuple[IntArray, IntArray, list[IntArray], Array]:
    size, edges = np.abs(pairs.delta), np.asarray(what.edges)
    above = np.array([np.count_nonzero(size >= e) for e in edges])
    low = np.nonzero(~settled)
    place = np.searchsorted(edges, size[low], side="right") - 1
    place[np.isnan(size[low])] = -1
    some = pairs.take(low)
    need = what.rulers[""].needed(some, size[low]) / some.n
    need = np.maximum(np.where(np.isnan(need), np.inf, need), 1.0)
    short = np.array([np.count_nonzero(size[low] >= e) for e in edges])
    needs = [_NEED.count(need[place == k]) for k in range(len(edges))]
    worst = np.array([need[place == k].max(initial=0.0) for k in range(len(edges))])
    return above, short, needs, worst
