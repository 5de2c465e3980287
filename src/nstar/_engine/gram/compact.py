"""CompactGram: compact counts of 0/1 scores, for tiles that are used again."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from nstar._engine.gram.gram import Gram, of_counts


def _small(counts: Any) -> Any:
    """Return counts of every pair in two bytes each if they are small enough, else unchanged."""
    if np.ndim(counts) < 2 or 1 in counts.shape or counts.max(initial=0) > np.iinfo(np.uint16).max:
        return counts
    return counts.astype(np.uint16)


def _large(counts: Any) -> Any:
    return counts.astype(np.int32) if getattr(counts, "dtype", None) == np.uint16 else counts


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CompactGram:
    """Counts from which a binary Gram is rebuilt. Complete data take two bytes per pair.

    >>> from nstar._data.matrix import ScoreMatrix
    >>> g = Gram.of(ScoreMatrix.from_arrays([[1, 0, 1], [1, 1, 0]], models=["a", "b"]))
    >>> compact = CompactGram.of(g)
    >>> compact.nbytes, compact.whole().gap2.tolist() == g.gap2.tolist()
    (24, True)
    """

    n: Any
    first: Any
    second: Any
    gap2: Any

    @classmethod
    def of(cls, g: Gram) -> "CompactGram":
        """Return the counts of a Gram."""
        return cls(
            n=_small(g.n), first=_small(g.first), second=_small(g.second), gap2=_small(g.gap2)
        )

    @property
    def nbytes(self) -> int:
        """Return the size of the counts in bytes."""
        return sum(getattr(x, "nbytes", 0) for x in (self.n, self.first, self.second, self.gap2))

    def whole(self) -> Gram:
        """Rebuild the Gram."""
        return of_counts(
            n=_large(self.n),
            first=_large(self.first),
            second=_large(self.second),
            gap2=_large(self.gap2),
        )
