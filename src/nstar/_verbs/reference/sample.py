"""Combine the items that a new model ran on with the scores of known models on all items."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from nstar import stats
from nstar._base.types import Array, BoolArray
from nstar._data.findings import Finding, abbreviate, find
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.compare.sample import refuse_conflicts
from nstar._verbs.judged.sample import limits_of
from nstar.errors import DataError, arg, by_interface

FEWEST = 30
"""Minimum number of sampled items."""
FEWEST_RARE = 10
"""Number of sampled items with the rarer score below which residuals underestimate the error."""
_CHOSEN = 0.001
"""Level of the test of a random sample: one random sample in a thousand gets a warning."""
_WHOLE = 0.95
"""Share of the items that the best known model must have to be the default."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KnownSample:
    """Sample of a new model's items, with the scores of known models."""

    b: str
    """Name of the known model."""
    new: Array
    """Scores of the new model, (N,); NaN for items that it did not run on."""
    old: Array
    """Scores of the known model, (N,)."""
    others: Array
    """Scores of all known models, (M, N); NaN for missing ones."""
    at: int
    """Row of the known model in ``others``."""

    @property
    def sampled(self) -> BoolArray:
        """Return the items that the new model ran on."""
        return ~np.isnan(self.new)

    @property
    def score_range(self) -> tuple[float, float]:
        """Return the worst and best possible score: 0 and 1, or the observed ones."""
        return limits_of(self.others, self.new[None])

    @property
    def rare_scores(self) -> int:
        """Return the sampled items with the rarer score, for the model with fewer.

        Scores are divided at the middle of the range, so that graded scores count like pass and
        fail.
        """
        high = np.stack([self.new, self.old])[:, self.sampled] > sum(self.score_range) / 2
        counts = np.count_nonzero(high, axis=1)
        return int(np.minimum(counts, high.shape[1] - counts).min())

    @property
    def unseen(self) -> float:
        """Return the size of a difference that the sample may have missed.

        This is the range of the scores if they have two values, and half of it for graded scores.
        """
        low, high = self.score_range
        values = np.append(self.others, self.new)
        graded = (~np.isnan(values) & (values != low) & (values != high)).any()
        return (high - low) / (2 if graded else 1)


def known_sample(matrix: ScoreMatrix, new: str, b: str | None) -> KnownSample:
    """Combine a new model and known ones from a matrix.

    Raise DataError if the new model has items that no known model has, all items, or too few
    items.
    """
    refuse_conflicts(matrix)
    names = tuple(name for name in matrix.models if name != new)
    y, others = matrix.row(new), np.stack([matrix.row(name) for name in names])
    _refuse_strangers(matrix, new, y, others)
    if b is None:
        b = _best(names, others, lower_is_better=matrix.lower_is_better)
    at = names.index(b)
    in_reference = ~np.isnan(others[at])
    sample = KnownSample(
        b=b,
        new=y[in_reference],
        old=others[at, in_reference],
        others=others[:, in_reference],
        at=at,
    )
    _refuse_size(sample, new, int(np.count_nonzero(~np.isnan(y))))
    return sample


def _refuse_strangers(matrix: ScoreMatrix, new: str, y: Array, others: Array) -> None:
    strange = np.flatnonzero(~np.isnan(y) & np.isnan(others).all(axis=0))
    if strange.size:
        examples = abbreviate([str(matrix.items[k])[:40] for k in strange[:4]], 3)
        n_scored = int(np.count_nonzero(~np.isnan(y)))
        msg = (
            f"{strange.size:,} of {n_scored:,} items of {new} are not among those of the known "
            f"models: {examples}. The items of {new} must be a subset with the same ids."
        )
        raise DataError(msg)


def _best(names: tuple[str, ...], others: Array, *, lower_is_better: bool) -> str:
    """Return the known model with the best mean among those with nearly all items."""
    counts = (~np.isnan(others)).sum(axis=1)
    if not (counts >= _WHOLE * others.shape[1]).any():
        msg = (
            f"None of the {len(names)} known models has {100 * _WHOLE:.0f}% of the "
            f"{others.shape[1]:,} items. Choose one with {arg('b')}; its items then define the "
            "benchmark."
        )
        raise DataError(msg)
    mean = np.nansum(others, axis=1) / np.maximum(counts, 1) * (-1 if lower_is_better else 1)
    return names[int(np.argmax(np.where(counts >= _WHOLE * others.shape[1], mean, -np.inf)))]


def _refuse_size(sample: KnownSample, new: str, n_scored: int) -> None:
    n, total = int(np.count_nonzero(sample.sampled)), sample.new.size
    if n == total:
        plain = by_interface(python="nstar.compare", command="nstar compare")
        msg = f"{new} ran on all {total:,} items of {sample.b}, not on a sample. Use {plain}."
        raise DataError(msg)
    if n < FEWEST:
        lacks = f" ({sample.b} lacks {n_scored - n:,} of its {n_scored:,})" if n_scored > n else ""
        msg = (
            f"{new} ran on only {n} items of {sample.b}{lacks}; at least {FEWEST} are needed. Run "
            f"{new} on more randomly drawn items."
        )
        raise DataError(msg)
    gap = (sample.new - sample.old)[sample.sampled]
    if np.ptp(gap) == 0:
        msg = (
            f"All {n} sampled items have the same gap between {new} and {sample.b} ({gap[0]:g}), "
            f"so no standard error can be estimated. Run {new} on more items."
        )
        raise DataError(msg)


def choice(sample: KnownSample) -> tuple[float | None, tuple[Finding, ...]]:
    """Return the p-value of a random sample from known scores, and a warning if it is small."""
    if np.count_nonzero(~sample.sampled) < 2:
        return None, ()
    looks = {sample.b: sample.old}
    if len(sample.others) > 1:
        looks["the known models"] = np.nanmean(sample.others, axis=0)
    tests = [test for model, x in looks.items() for test in _compared(sample.sampled, x, model)]
    worst = min(tests, key=lambda x: x.p)
    p = min(1.0, len(tests) * worst.p)
    if p >= _CHOSEN:
        return p, ()
    text = (
        f"the sampled items do not look like the others: the {worst.what} is "
        f"{worst.sampled:.3g} on them and {worst.rest:.3g} on the rest (p = {p:.1g})"
    )
    return p, (find("chosen-items", text),)


@dataclass(frozen=True, slots=True, kw_only=True)
class _SampleTest:
    """Test of one property of known scores between sampled and other items."""

    what: str
    sampled: float
    rest: float
    p: float


def _compared(sampled: BoolArray, x: Array, model: str) -> Iterator[_SampleTest]:
    """Yield tests of the mean and of the spread around the median (Brown and Forsythe).

    The test of spread is omitted if the mean determines the spread.
    """
    mark = np.where(sampled, 0.0, np.nan)
    mean = stats.label_choice(mark, x)
    yield _SampleTest(what=f"mean of {model}", sampled=mean.labeled, rest=mean.unlabeled, p=mean.p)
    if np.unique(x).size > 2:
        spread = stats.label_choice(mark, np.abs(x - np.median(x)))
        yield _SampleTest(
            what=f"standard deviation of {model}",
            sampled=float(x[sampled].std()),
            rest=float(x[~sampled].std()),
            p=spread.p,
        )


def missing(sample: KnownSample, lost: int, new: str) -> tuple[Finding, ...]:
    """Return findings about scores that known models lack."""
    findings = []
    if lost:
        subject = "1 item" if lost == 1 else f"{lost:,} items"
        text = f"{subject} of {new}, which {sample.b} lacks, left out"
        findings.append(find("missing-items", text))
    lacking = int(np.isnan(sample.others).any(axis=1).sum())
    if lacking:
        subject = "model lacks" if lacking == 1 else "models lack"
        text = (
            f"{lacking:,} known {subject} scores of some items; averages of model "
            "and item stand there, which costs precision and no validity"
        )
        findings.append(find("reader", text))
    return tuple(findings)
