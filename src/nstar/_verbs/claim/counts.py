"""Right answers that print as the two accuracies do."""

from dataclasses import dataclass

import numpy as np

from nstar import stats
from nstar.stats._feasible import Feasible, feasible
from nstar.stats.printed import Grim


@dataclass(frozen=True, slots=True, kw_only=True)
class RightAnswers:
    """Right answers that print as the two accuracies do, larger model first."""

    low: tuple[int, int]
    """Counts with the smallest gap."""
    high: tuple[int, int]
    """Counts with the largest gap."""

    @property
    def gaps(self) -> tuple[int, int]:
        """Smallest and largest gap in items; 0 if the two may be equal."""
        return max(self.low[0] - self.low[1], 0), self.high[0] - self.high[1]

    def most_discordant(self, n: int) -> int:
        """Most items of n on which the two can disagree, whichever of these counts they have."""
        least, most = self.low[0] + self.high[1], self.high[0] + self.low[1]
        right = min(max(n, least), most)
        return max(min(right, 2 * n - right), self.gaps[1])


def grims_of(
    p_a: float, p_b: float, n: int, decimals: tuple[int, int] | None
) -> tuple[Grim, Grim] | None:
    """Whether each accuracy can be a whole number of right answers; None if taken as exact."""
    if decimals is None:
        return None
    return stats.grim(p_a, n, decimals=decimals[0]), stats.grim(p_b, n, decimals=decimals[1])


def counts_of(p_a: float, p_b: float, n: int, grims: tuple[Grim, Grim] | None) -> RightAnswers:
    """The range of both, or the nearest ones where an accuracy cannot be a share of n."""
    more, less = max(p_a, p_b), min(p_a, p_b)
    if grims is None or not all(g.possible for g in grims):
        gap = max(round((more - less) * n), 1)
        right = min(max(round(more * n), gap), n)
        nominal = right, right - gap
        return RightAnswers(low=nominal, high=nominal)
    first, second = grims if p_a > p_b else grims[::-1]
    return RightAnswers(low=(first.low, second.high), high=(first.high, second.low))


def most_discordant(right: tuple[int, int], n: int) -> int:
    """Most items on which two models with so many right answers can disagree."""
    return max(min(sum(right), 2 * n - sum(right)), right[0] - right[1])


def tables_of(p_a: float, p_b: float, n: int, grims: tuple[Grim, Grim] | None) -> Feasible | None:
    """Every pair of counts that prints so; None if an accuracy cannot be a share of n."""
    if grims is not None:
        if not all(g.possible for g in grims):
            return None
        first, second = ((g.low, g.high) for g in grims)
        return feasible(first, second, n)

    def around(p: float) -> tuple[int, int]:
        exact = round(p * n, 6)
        return int(np.floor(exact)), int(np.ceil(exact))

    return feasible(around(p_a), around(p_b), n)


def tables_as_printed(p_a: float, p_b: float, n: int) -> Feasible:
    """One pair of counts, with the gap that was printed."""
    gap = max(round(abs(p_a - p_b) * n), 1)
    less = max(min(int(min(p_a, p_b) * n), n - gap), 0)
    pair = (less + gap, less) if p_a > p_b else (less, less + gap)
    return feasible((pair[0], pair[0]), (pair[1], pair[1]), n)
