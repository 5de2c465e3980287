"""Wins: which models each one beats, counted tile by tile, a stretch of models at a time.

A tile knows nothing of models beyond its rows and columns, so neither do the counts that it makes:
tallies of 100,000 models are as small as those of 1,000.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from nstar._base.types import BoolArray, IntArray
from nstar._verbs.audit.tiles import Tile


@dataclass(slots=True, kw_only=True, eq=False)
class Wins:
    """Counts by model, in stretches that do not overlap. Wins of different tiles add."""

    stretches: dict[int, IntArray] = field(default_factory=dict)
    """By the first model of a stretch: wins, losses and reach of its models, (3, models)."""

    @classmethod
    def of(cls, tile: Tile, significant: BoolArray, better: int) -> "Wins":
        """Count one tile; ``better`` is 1 if more is better, -1 if less is."""
        found = cls()
        if not tile.p.size:
            return found
        up = tile.pairs.delta * better > 0
        win, lose = significant & up, significant & ~up
        if tile.first.ndim == 2:
            found._rectangle(tile.first[:, 0], tile.second[0], win, lose)
        else:
            found._triangle(tile.first, tile.second, win, lose)
        return found

    def _stretch(self, start: int, size: int) -> IntArray:
        new = np.zeros((3, size), dtype=np.int64)
        new[2] = np.arange(start, start + size)
        self.stretches[start] = new
        return new

    def _rectangle(
        self, rows: IntArray, columns: IntArray, win: BoolArray, lose: BoolArray
    ) -> None:
        """Some models with others that all come later."""
        mine = self._stretch(int(rows[0]), len(rows))
        theirs = self._stretch(int(columns[0]), len(columns))
        mine[0], mine[1] = np.count_nonzero(win, axis=1), np.count_nonzero(lose, axis=1)
        theirs[0], theirs[1] = np.count_nonzero(lose, axis=0), np.count_nonzero(win, axis=0)
        fails = ~win
        some = fails.any(axis=1)
        mine[2, some] = (columns[-1] - np.argmax(fails[:, ::-1], axis=1))[some]

    def _triangle(
        self, first: IntArray, second: IntArray, win: BoolArray, lose: BoolArray
    ) -> None:
        """Some models among themselves."""
        start = int(first[0])
        first, second = first - start, second - start
        size = int(second.max()) + 1
        mine = self._stretch(start, size)
        for flags, a, b in ((win, first, second), (lose, second, first)):
            mine[0] += np.bincount(a[flags], minlength=size)
            mine[1] += np.bincount(b[flags], minlength=size)
        np.maximum.at(mine[2], first[~win], second[~win] + start)

    def __iadd__(self, other: "Wins") -> Self:
        """Both sets of tiles."""
        for start, more in other.stretches.items():
            mine = self.stretches.get(start)
            if mine is None:
                self.stretches[start] = more.copy()
            else:
                mine[:2] += more[:2]
                np.maximum(mine[2], more[2], out=mine[2])
        return self

    def arrays(self) -> dict[str, IntArray]:
        """As plain arrays, for a file."""
        starts = sorted(self.stretches)
        parts = [self.stretches[k] for k in starts]
        return {
            "starts": np.array(starts, dtype=np.int64),
            "sizes": np.array([p.shape[1] for p in parts], dtype=np.int64),
            "counts": np.concatenate([np.zeros((3, 0), dtype=np.int64), *parts], axis=1),
        }

    @classmethod
    def from_arrays(cls, found: Mapping[str, IntArray]) -> "Wins":
        """From what :meth:`arrays` made."""
        ends = np.cumsum(found["sizes"])
        cuts = zip(
            found["starts"].tolist(), (ends - found["sizes"]).tolist(), ends.tolist(), strict=True
        )
        return cls(stretches={k: found["counts"][:, a:b].copy() for k, a, b in cuts})

    def whole(self, models: int) -> tuple[IntArray, IntArray, IntArray]:
        """Of every model: how many it beats, how many beat it, the last place it fails to beat.

        A model fails to beat itself.
        """
        out = np.zeros((3, models), dtype=np.int64)
        out[2] = np.arange(models)
        for start, part in self.stretches.items():
            out[:, start : start + part.shape[1]] = part
        return out[0], out[1], out[2]
