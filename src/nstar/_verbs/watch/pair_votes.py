"""Votes between two models, as the scores that a watch takes."""

from dataclasses import dataclass

import numpy as np

from nstar._base.types import Array
from nstar._data.votes import Votes
from nstar._verbs.watch.ledger import ItemPair
from nstar.errors import DataError

_ORDER_IMBALANCE_Z = 4.0
"""Number of standard errors from one half at which the order of answers is unbalanced."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairVotes:
    """Votes between two models, in the order of the file."""

    score: Array
    """Score of the first model, (N,): 1 for a win, 0 for a loss, 0.5 for a tie, values in between
    for graded preferences.
    """
    shown_first: int | None
    """Number of votes in which the first model's answer was shown first; None if the order is
    unknown.
    """
    weighted: bool
    """Whether votes have weights, which a watch ignores."""

    @classmethod
    def of(cls, votes: Votes, a: str, b: str) -> "PairVotes":
        """Return the votes between ``a`` and ``b``; empty if one of them has no vote yet.

        >>> votes = Votes.of(["x", "y", "z"], ["y", "x", "x"], [1, 0.5, 1])
        >>> pair_votes = PairVotes.of(votes, "y", "x")
        >>> (
        ...     pair_votes.score.tolist(),
        ...     [(p.a, p.b) for p in pair_votes.pairs()],
        ...     pair_votes.shown_first,
        ... )
        ([0.0, 0.5], [(0.0, 1.0), (0.0, 0.0)], 1)
        """
        places = [votes.models.index(name) if name in votes.models else -1 for name in (a, b)]
        ahead = (votes.first == places[0]) & (votes.second == places[1])
        behind = (votes.first == places[1]) & (votes.second == places[0])
        keep_mask = ahead | behind
        score = np.where(ahead, votes.score, 1 - votes.score)[keep_mask]
        first = int(np.count_nonzero(ahead)) if votes.ordered else None
        return cls(score=score, shown_first=first, weighted=votes.weight is not None)

    def __len__(self) -> int:
        return int(self.score.size)

    @property
    def unbalanced(self) -> bool:
        """Return whether one answer was shown first more often than chance explains."""
        if self.shown_first is None or not len(self):
            return False
        return abs(2 * self.shown_first - len(self)) > _ORDER_IMBALANCE_Z * len(self) ** 0.5

    def pairs(self, start: int = 0, *, cost: float | None = None) -> list[ItemPair]:
        """Return scores of both models from a vote on: 1 and 0 for a win, 0 and 0 for a tie."""
        score = self.score[start:]
        tied = score == 0.5
        a, b = np.where(tied, 0.0, score), np.where(tied, 0.0, 1 - score)
        score_pairs = zip(a.tolist(), b.tolist(), strict=True)
        return [ItemPair(item=None, a=x, b=y, group=None, cost=cost) for x, y in score_pairs]

    def new_since(
        self, before: "PairVotes | None", *, cost: float | None = None
    ) -> list[ItemPair]:
        """Return the scores of new votes.

        Raise DataError if the votes do not start with the earlier votes.
        """
        n = 0 if before is None else len(before)
        if before is not None and not np.array_equal(self.score[:n], before.score):
            msg = (
                f"The first {n:,} votes between the two differ from the votes counted earlier. "
                "Was the vote restarted, or was the table reordered?"
            )
            raise DataError(msg)
        return self.pairs(n, cost=cost)
