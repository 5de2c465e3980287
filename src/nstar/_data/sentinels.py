"""Sentinels: numbers that represent a missing score, such as -1 among 0 and 1.

A sentinel is one of a few numbers that programs write in place of a missing score. It must lie
outside the scale of all other scores. In two cases, -1 is a score. In the first, all scores are -1
or 1 (right or wrong, win or loss). In the second, scores are -1, 0, and 1 (loss, tie, and win),
and at least a fifth of every model's scores are -1. If losses are rarer, the user must choose,
because a sentinel that is treated as a score gives a wrong verdict.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from nstar._base.parameter_types import Coded
from nstar._base.types import Array, BoolArray
from nstar.errors import DataError, arg

CODES = (-99999.0, -9999.0, -999.0, -99.0, -9.0, -1.0, 99.0, 999.0, 9999.0, 99999.0, 999999.0)
"""Numbers that programs write in place of a score."""
_LOSSES = 0.2
"""Smallest share of -1 in every model's scores for which -1, 0, and 1 are losses, ties, and
wins.
"""
_TOPS = (1.0, 100.0)
"""Upper limits of the scales with known sentinels: fractions and percentages."""
_PERCENT = 20.0
"""Smallest maximum for which a model's scores may be percentages if those of others are at most
1.
"""


def two_units(rows: Iterable[Array]) -> tuple[int, int] | None:
    """Return the numbers of a model with percentages and of a model with proportions.

    Every model must have one of the two. A model with only zeros can have either.

    >>> two_units([np.array([0.5, 0.0, 1.0]), np.array([40.0, 0.0, 90.0])])
    (1, 0)
    >>> two_units([np.array([5.0, 2.0]), np.array([3.0, 90.0])])  # both on a scale to 100
    """
    shares: list[int] = []
    percents: list[int] = []
    for k, row in enumerate(rows):
        low, high = (float(f(row, initial=0.0)) for f in (np.fmin.reduce, np.fmax.reduce))
        if low < 0 or high > 100 or 1 < high < _PERCENT:
            return None
        if high > 0:
            (shares if high <= 1 else percents).append(k)
    return (percents[0], shares[0]) if shares and percents else None


@dataclass(slots=True)
class SentinelScan:
    """Summary of the scores of one task, updated while rows are read.

    >>> scan = SentinelScan()
    >>> scan.add(np.array([1, 0, 1, 0, 0, -1.0]), np.zeros(6, np.int32))
    >>> scan.codes({0: 6})
    (-1.0,)
    """

    low: float = np.inf
    """Lowest score that is not a sentinel."""
    high: float = -np.inf
    """Highest score that is not a sentinel."""
    graded: bool = False
    """Whether any score is neither 0, 1, nor a sentinel."""
    counts: dict[tuple[float, int], int] = field(default_factory=dict)
    """Number of rows by sentinel and model."""

    def add(self, scores: npt.NDArray[Any], models: npt.NDArray[Any]) -> None:
        """Add scores without NaN, with the number of the model of each score."""
        if not scores.size:
            return
        if scores.min() < 0 or scores.max() > 1:
            odd: BoolArray = np.isin(scores, CODES)
            pairs, rows = np.unique(
                np.stack([scores[odd], models[odd]]), axis=1, return_counts=True
            )
            for (code, model), n in zip(pairs.T.tolist(), rows.tolist(), strict=True):
                key = (float(code), int(model))
                self.counts[key] = self.counts.get(key, 0) + n
            scores = scores[~odd]
        if scores.size:
            self.low = min(self.low, float(scores.min()))
            self.high = max(self.high, float(scores.max()))
            self.graded = self.graded or not bool(((scores == 0) | (scores == 1)).all())

    def codes(self, rows: dict[int, int]) -> tuple[float, ...]:
        """Return the sentinels, given the number of scores of each model."""
        candidates = {code for code, _ in self.counts}
        top = next((t for t in _TOPS if self.high <= t), None)
        if not candidates or self.low < 0 or top is None or self.low > self.high:
            return ()
        if candidates == {-1.0} and (self.low == self.high == 1 or self._losses(rows)):
            return ()
        return tuple(sorted(code for code in candidates if code < 0 or code > top))

    def _losses(self, rows: dict[int, int]) -> bool:
        """Return whether -1 is frequent enough to be a loss."""
        shares = [self.counts.get((-1.0, model), 0) / n for model, n in rows.items() if n]
        return not self.graded and min(shares, default=0.0) >= _LOSSES

    def by_model(self, codes: Collection[float]) -> dict[float, dict[int, int]]:
        """Return the number of rows with these sentinels, by model."""
        out: dict[float, dict[int, int]] = {code: {} for code in codes}
        for (code, model), n in self.counts.items():
            if code in out:
                out[code][model] = n
        return out


def replace_sentinels(
    scores: npt.NDArray[Any], codes: Collection[float], errors: Coded
) -> npt.NDArray[Any]:
    """Return a copy in which the sentinels are replaced according to ``errors``.

    >>> replace_sentinels(np.array([1.0, -1.0]), (-1.0,), "missing").tolist()
    [1.0, nan]
    """
    if errors not in {"missing", "zero"}:
        return scores.copy()
    return np.where(np.isin(scores, list(codes)), np.nan if errors == "missing" else 0.0, scores)


def complaint(codes: Collection[float], rows: int) -> str:
    """Return a message that scores look like sentinels, and how to resolve it."""
    return (
        f"{rows:,} score{'s' * (rows > 1)} of {' or '.join(f'{c:g}' for c in codes)} look"
        f"{'s' * (rows == 1)} like a code for a missing score, because all other scores are on "
        f"another scale. Use NaN for missing scores, or set {arg('errors')} to missing, zero, or "
        "keep (if this is a score)."
    )


def resolve_sentinels(
    scores: npt.NDArray[Any], models: npt.NDArray[Any], errors: Coded
) -> npt.NDArray[Any]:
    """Replace sentinels in scores. Raise DataError if the user has not chosen how.

    ``models`` has the number of the model of each score.

    >>> resolve_sentinels(np.array([1, 0, 0, 0, 0, -1.0]), np.zeros(6, np.int64), "zero").tolist()
    [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    present = ~np.isnan(scores)
    scan = SentinelScan()
    scan.add(scores[present], models[present])
    codes = scan.codes(dict(enumerate(np.bincount(models[present]).tolist())))
    if codes and errors == "harness":
        counts = [n for by in scan.by_model(codes).values() for n in by.values()]
        raise DataError(complaint(codes, sum(counts)))
    return replace_sentinels(scores, codes, errors)
