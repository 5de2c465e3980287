"""Registries of tests and intervals, and conversions of a sample to the data that they need."""

import inspect
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, TypeAlias, TypeVar

import numpy as np

from nstar import stats
from nstar._base.types import Array, BoolArray, IntArray
from nstar._verbs.simulate.registry import Registry
from nstar._verbs.simulate.result import ProcedureKind
from nstar._verbs.simulate.sample import Counts, Scores, SimulatedSample
from nstar.errors import ParameterError

Test: TypeAlias = Callable[[Any, float, np.random.Generator], BoolArray]
"""Function ``test(sample, alpha, rng)`` that returns in which replications the test rejects a zero
gap; for a Board, which pairs of each.
"""
IntervalProcedure: TypeAlias = Callable[[Any, float, np.random.Generator], tuple[Array, Array]]
"""Function ``interval(sample, conf, rng)`` that returns the limits in each replication; for a
Board, for each model.
"""

TESTS: Registry[Test] = Registry("test", settable=True)
"""Tests by name. ``name:value`` sets a parameter."""
INTERVALS: Registry[IntervalProcedure] = Registry("interval", settable=True)
"""Intervals by name."""

F = TypeVar("F", bound=Callable[..., Any])


def counts_as(kind: ProcedureKind) -> Callable[[F], F]:
    """Mark a procedure whose counted events are not rejections or covered gaps."""

    def marked(procedure: F) -> F:
        procedure.kind = kind  # type: ignore[attr-defined]
        return procedure

    return marked


def takes(sample: str) -> Callable[[F], F]:
    """Mark a procedure that takes other samples than those of two models."""

    def marked(procedure: F) -> F:
        procedure.takes = sample  # type: ignore[attr-defined]
        return procedure

    return marked


def kind_of_test(name: str) -> ProcedureKind:
    """Return the kind of event that is counted for a test."""
    return getattr(TESTS.plain(name), "kind", "test")


def kind_of_interval(name: str) -> ProcedureKind:
    """Return the kind of event that is counted for an interval."""
    return getattr(INTERVALS.plain(name), "kind", "interval")


@cache
def draws(procedure: Callable[..., Any]) -> bool:
    """Return whether a procedure needs random numbers.

    One that does not has an argument ``_rng``.
    """
    return "_rng" not in inspect.signature(procedure).parameters


def is_binary(d: Array) -> bool:
    """Return whether all differences are those of 0/1 scores."""
    return bool(np.all((d == 0) | (np.abs(d) == 1)))


def as_counts(sample: SimulatedSample, procedure: str) -> Counts:
    """Return the discordant items of 0/1 scores; raise ParameterError for other scores."""
    if isinstance(sample, Counts):
        return sample
    won, lost = sample.d == 1, sample.d == -1
    n10, n01 = np.count_nonzero(won, axis=1), np.count_nonzero(lost, axis=1)
    if np.count_nonzero(sample.d) != n10.sum() + n01.sum():
        msg = (
            f"{procedure} needs 0/1 scores, but this scenario has graded scores. Use t or "
            "sign-flip."
        )
        raise ParameterError(msg)
    return Counts(items=sample.items, n10=n10, n01=n01, truth=sample.truth)


def clustered(
    sample: SimulatedSample, procedure: str, groups: str = "clusters"
) -> tuple[Scores, IntArray]:
    """Return per-item differences and the sizes of clusters or strata."""
    if isinstance(sample, Scores) and sample.sizes is not None:
        return sample, sample.sizes
    msg = f"{procedure} needs {groups}, which this scenario lacks. Use the scenario {groups}."
    raise ParameterError(msg)


def cluster_mean_and_se(sample: SimulatedSample) -> tuple[Array, Array, float]:
    """Return the mean over items, its cluster-robust (CR2) error, and its degrees of freedom."""
    scores, sizes = clustered(sample, "cluster-cr2")
    sums = scores.cluster_sums
    error = np.sqrt(stats.cluster_variance(sums, sizes))
    return sums.sum(axis=1) / scores.items, error, float(stats.bell_mccaffrey_df(sizes))


def strata_mean_and_se(sample: SimulatedSample) -> tuple[Array, Array, int]:
    """Return the mean over items, its standard error for fixed groups, and degrees of freedom.

    Strata with a single item are pooled, as in the variance.
    """
    scores, sizes = clustered(sample, "strata-t", "strata")
    variance = stats.strata_variance(scores.cluster_sums, scores.cluster_squares, sizes)
    single, multiple = int((sizes == 1).sum()), int((sizes > 1).sum())
    strata = multiple + (single > 1 or multiple == 0)
    return scores.mean, np.sqrt(variance), scores.items - strata


def mean_and_sd(sample: SimulatedSample) -> tuple[Array, Array]:
    """Return the mean difference and its standard deviation (ddof 1), in each replication."""
    if isinstance(sample, Scores):
        return sample.mean, sample.sd
    n = sample.items
    gap, discordant = sample.n10 - sample.n01, sample.n10 + sample.n01
    squares = discordant - gap * (gap / n)
    return gap / n, np.sqrt(np.maximum(squares, 0.0) / (n - 1))


@lru_cache(maxsize=1024)
def t_critical(alpha: float, df: float) -> float:
    """Return the two-sided critical value of Student's t."""
    return float(stats.t_quantile(1 - alpha / 2, df))
