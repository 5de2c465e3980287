"""Sign flips and bootstrap resamples of many replications at once.

A few replications share a set of resamples, so that the sums are one matrix product. If g
replications share B resamples, the variance of a simulated rate grows by a share of about g / B,
which is 3% here.
"""

from collections.abc import Iterator

import numpy as np

from nstar._base.types import Array, BoolArray
from nstar._verbs.simulate.procedures.base import mean_and_sd
from nstar._verbs.simulate.sample import Counts, SimulatedSample
from nstar.errors import ParameterError

RESAMPLES = 999
"""Number of flips or resamples of a replication."""
_SHARING = 32
"""Number of replications that share a set of resamples."""
_TIE = 1e-12
"""Relative tolerance within which two sums count as equal."""


def sharing(reps: int) -> Iterator[slice]:
    """Yield the number of replications that share their resamples."""
    for start in range(0, reps, _SHARING):
        yield slice(start, min(start + _SHARING, reps))


def _times_drawn(items: int, rng: np.random.Generator) -> Array:
    """Return how often each item is drawn in each resample, (B, N)."""
    indices = rng.integers(0, items, size=(RESAMPLES, items))
    indices += np.arange(RESAMPLES)[:, None] * items
    counts = np.bincount(indices.reshape(-1), minlength=RESAMPLES * items)
    return counts.reshape(RESAMPLES, items).astype(np.float64)


def resampled_errors(
    sample: SimulatedSample, rng: np.random.Generator
) -> Iterator[tuple[slice, Array]]:
    """Yield means of bootstrap resamples minus the mean, (some replications, B) at a time."""
    for part in sharing(len(sample)):
        if isinstance(sample, Counts):
            n, n10, n01 = sample.items, sample.n10[part, None], sample.n01[part, None]
            cells = np.stack([n10, n01, n - n10 - n01], axis=-1) / n
            counts = rng.multinomial(n, cells, size=(len(cells), RESAMPLES))
            yield part, np.asarray((counts[..., 0] - counts[..., 1] - (n10 - n01)) / n)
        else:
            centered = sample.d[part] - sample.mean[part, None]
            yield part, np.asarray(centered @ _times_drawn(sample.items, rng).T / sample.items)


def significant(mean: Array, errors: Array, alpha: float) -> BoolArray:
    """Return whether (r + 1) / (B + 1) <= alpha, for r errors as large as the mean."""
    if alpha * (RESAMPLES + 1) * (1 + _TIE) < 1:
        msg = (
            f"{RESAMPLES} bootstrap resamples cannot reach alpha = {alpha:g}. Use at least 0.001."
        )
        raise ParameterError(msg)
    size, errors = np.abs(mean)[:, None], np.abs(errors)
    largest = np.maximum(size, errors.max(axis=1, keepdims=True))
    r = np.count_nonzero(errors >= size - _TIE * largest, axis=1)
    return np.asarray(r + 1 <= alpha * (RESAMPLES + 1) * (1 + _TIE))


def acceleration(sample: SimulatedSample) -> Array:
    """Return the constant of the BCa interval, skewness / (6 √N); 0 without variance."""
    n = sample.items
    mean, sd = mean_and_sd(sample)
    if isinstance(sample, Counts):
        rest = n - sample.n10 - sample.n01
        cubes = sample.n10 * (1 - mean) ** 3 - sample.n01 * (1 + mean) ** 3 - rest * mean**3
    else:
        cubes = ((sample.d - mean[:, None]) ** 3).sum(axis=1)
    squares = (n - 1) * sd * sd
    has_spread = squares > 0
    return np.where(has_spread, cubes / (6 * np.where(has_spread, squares, 1.0) ** 1.5), 0.0)
