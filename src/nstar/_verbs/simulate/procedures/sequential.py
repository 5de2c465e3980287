"""Tests that are applied repeatedly while items arrive, and that may stop early."""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from nstar import stats
from nstar._base import checks
from nstar._base.types import Array, BoolArray, IntArray
from nstar._verbs.simulate.procedures.base import TESTS, is_binary
from nstar._verbs.simulate.procedures.counts import limits
from nstar._verbs.simulate.sample import Counts, SimulatedSample
from nstar.errors import ParameterError
from nstar.stats.confseq import FIRST_LOOK, mixture_boundary

_FIRST_T = 10
"""Number of items at the first look of the t test."""
_ELEMENTS = 1 << 18
"""Number of differences from counted replications that are in memory at the same time."""


def _arriving(sample: SimulatedSample, rng: np.random.Generator) -> Iterator[tuple[slice, Array]]:
    """Yield the differences in the order of arrival, with counts of items in random order."""
    if not isinstance(sample, Counts):
        yield slice(0, len(sample)), sample.d
        return
    place = np.arange(sample.items)
    step = max(1, _ELEMENTS // sample.items)
    for start in range(0, len(sample), step):
        part = slice(start, min(start + step, len(sample)))
        won, met = sample.n10[part, None], (sample.n10 + sample.n01)[part, None]
        d = (place < won).astype(np.float64) - ((place >= won) & (place < met))
        yield part, rng.permuted(d, axis=1)


def _crosses(d: Array, lead: IntArray) -> BoolArray:
    """Return whether |wins - losses| ever reaches the limit for its number of discordant items."""
    step = d.astype(np.int32)
    wins = np.cumsum(step, axis=1)
    met = np.cumsum(np.abs(step), axis=1)
    return np.asarray((np.abs(wins) >= lead[met]).any(axis=1))


@lru_cache(maxsize=64)
def e_process_leads(items: int, alpha: float, a: float = 0.5) -> IntArray:
    """Return the smallest |wins - losses| with E >= 1 / alpha, by number of discordant items."""
    return stats.e_process_leads(items, alpha, a)


@TESTS.add
def e_process(
    sample: SimulatedSample, alpha: float, rng: np.random.Generator, *, a: float = 0.5
) -> BoolArray:
    """McNemar's e-process with a Beta(a, a) mixture, evaluated after every item (0/1 scores).

    The default of ½ needs no plan. If about n discordant items are planned, the best value is
    (0.122 n - 1) / 2, but at least ½.
    """
    checks.positive("a", a)
    lead = e_process_leads(sample.items, alpha, a)
    out = np.empty(len(sample), dtype=bool)
    for part, d in _arriving(sample, rng):
        if not is_binary(d):
            msg = "e-process needs 0/1 scores, but this scenario has graded scores. Use bets."
            raise ParameterError(msg)
        out[part] = _crosses(d, lead)
    return out


def _running(d: Array) -> tuple[Array, Array, Array]:
    """Return the number of items, the sum, and the sum of squared deviations after each item."""
    t = np.arange(1.0, d.shape[1] + 1)
    total = np.cumsum(d, axis=1)
    squares = np.cumsum(d * d, axis=1)
    spread = squares - total * total / t
    spread[spread <= 1e-14 * squares] = 0.0
    return t, total, spread


@lru_cache(maxsize=64)
def _t_criticals(items: int, alpha: float) -> Array:
    return stats.t_quantile(1 - alpha / 2, np.arange(1.0, items))


@TESTS.add
def naive_peeking(sample: SimulatedSample, alpha: float, rng: np.random.Generator) -> BoolArray:
    """Not recommended: repeat the mid-p test or t test after every item until it rejects."""
    out = np.empty(len(sample), dtype=bool)
    for part, d in _arriving(sample, rng):
        if is_binary(d):
            lead = 2 * limits(sample.items, "midp", alpha) - np.arange(sample.items + 1)
            out[part] = _crosses(d, lead)
        else:
            t, total, spread = (v[..., _FIRST_T - 1 :] for v in _running(d))
            critical = _t_criticals(d.shape[1], alpha)[_FIRST_T - 2 :]
            is_crossed = total * total * (t - 1) >= critical * critical * t * spread
            out[part] = np.asarray((is_crossed & (total != 0)).any(axis=1))
    return out


@lru_cache(maxsize=64)
def cs_boundary(items: int, alpha: float) -> Array:
    """Return |sum| / sd at which the sequence excludes 0 after each item, optimal for the last."""
    return mixture_boundary(np.arange(1.0, items + 1), tuned_at=items, alpha=alpha)


@TESTS.add
def asymptotic_cs(sample: SimulatedSample, alpha: float, rng: np.random.Generator) -> BoolArray:
    """Asymptotic confidence sequence, evaluated after every item from the 30th item on."""
    out = np.empty(len(sample), dtype=bool)
    boundary = np.square(cs_boundary(sample.items, alpha))[FIRST_LOOK - 1 :]
    for part, d in _arriving(sample, rng):
        t, total, spread = (v[..., FIRST_LOOK - 1 :] for v in _running(d))
        out[part] = ((total * total * t >= boundary * spread) & (total != 0)).any(axis=1)
    return out


def _capital_reaches(d: Array, limit: float, alpha: float) -> BoolArray:
    """Return in which replications bets against a mean of 0 ever reach a log capital."""
    x = (d + 1) / 2
    t = np.arange(1.0, d.shape[1] + 1)
    mean = (0.5 + np.cumsum(x, axis=1)) / (t + 1)
    variance = (0.25 + np.cumsum(np.square(x - mean), axis=1)) / (t + 1)
    before = np.concatenate([np.full((len(d), 1), 0.25), variance[:, :-1]], axis=1)
    stakes = np.sqrt(2 * np.log(2 / alpha) / (before * t * np.log(t + 1)))
    step = np.minimum(stakes, 1.0) * (x - 0.5)
    top = [np.cumsum(np.log1p(side), axis=1).max(axis=1) for side in (step, -step)]
    return np.asarray(np.maximum(*top) - np.log(2.0) >= limit)


@TESTS.add
def bets(sample: SimulatedSample, alpha: float, rng: np.random.Generator) -> BoolArray:
    """Betting test of scores from 0 to 1 after every item, as in nstar watch."""
    out = np.empty(len(sample), dtype=bool)
    for part, d in _arriving(sample, rng):
        if np.abs(d).max() > 1:
            msg = "bets needs scores in [0, 1]. Use asymptotic-cs for unbounded scores."
            raise ParameterError(msg)
        out[part] = _capital_reaches(d, -np.log(alpha) - 1e-12, alpha)
    return out
