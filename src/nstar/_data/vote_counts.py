"""Counts of votes by pair and outcome, to check that a growing file loses no votes."""

from dataclasses import dataclass

import numpy as np

from nstar._base.types import IntArray
from nstar._data.votes import Votes


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairVoteCounts:
    """Votes by pair and outcome.

    >>> before = PairVoteCounts.of(Votes.of(["x", "y"], ["y", "z"], [1, 0.5]))
    >>> now = PairVoteCounts.of(Votes.of(["a", "x", "x"], ["y", "y", "y"], [0, 1, 1]))
    >>> now.lacks(before), before.lacks(before)
    (1, 0)
    """

    models: tuple[str, ...]
    counts: IntArray
    """Votes by model shown first, model shown second, and outcome for the first: loss, tie, or
    win.
    """

    @classmethod
    def of(cls, votes: Votes) -> "PairVoteCounts":
        """Count the votes by pair."""
        m = len(votes.models)
        lean = (np.sign(votes.score - 0.5) + 1).astype(np.int64)
        place = (votes.first.astype(np.int64) * m + votes.second) * 3 + lean
        return cls(models=votes.models, counts=np.bincount(place, minlength=m * m * 3))

    def lacks(self, before: "PairVoteCounts") -> int:
        """Return the number of earlier votes that are missing here."""
        at = {name: k for k, name in enumerate(self.models)}
        place = np.array([at.get(name, -1) for name in before.models])
        m, known = len(self.models), place >= 0
        new_counts = np.zeros((len(place), len(place), 3), np.int64)
        positions = np.ix_(known, known)
        new_counts[positions] = self.counts.reshape(m, m, 3)[np.ix_(place[known], place[known])]
        then = before.counts.reshape(new_counts.shape)
        return int(np.maximum(then - new_counts, 0).sum())
