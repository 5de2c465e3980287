"""The registries of tests and intervals, and how a sample becomes what they need."""

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
"""``test(sample, alpha, rng)``: which replications it rejects "no gap" in; of a Board, which
pairs of each."""
IntervalProcedure: TypeAlias = Callable[[Any, float, np.random.Generator], tuple[Array, Array]]
"""``interval(sample, conf, rng)``: its limits in each replication; of a Board, for each model."""

TESTS: Registry[Test] = Registry("test", settable=True)
"""Tests by name; ``name:value`` sets a parameter."""
INTERVALS: Registry[IntervalProcedure] = Registry("interval", settable=True)
"""Intervals by name."""

F = TypeVar("F", bound=Callable[..., Any])


def counts_as(kind: ProcedureKind) -> Callable[[F], F]:
    """Mark a procedure of which something else is counted than rejections or held gaps."""

    def marked(procedure: F) -> F:
        procedure.kind = kind  # type: ignore[attr-defined]
        return procedure

    return marked


def takes(sample: str) -> Callable[[F], F]:
    """Mark a procedure that is for other samples than those of two models."""

    def marked(procedure: F) -> F:
        procedure.takes = sample  # type: ignore[attr-defined]
        return procedure

    return marked


def kind_of_test(name: str) -> ProcedureKind:
    """What is counted of a test."""
    return getattr(TESTS.plain(name), "kind", "test")


def kind_of_interval(name: str) -> ProcedureKind:
    """What is counted of an interval."""
    return getattr(INTERVALS.plain(name), "kind", "interval")


@cache
def draws(procedure: Callable[..., Any]) -> bool:
    """Whether a procedure needs random numbers; one that does not names them ``_rng``."""
    return "_rng" not in inspect.signature(procedure).parameters


def is_binary(d: Array) -> bool:
    """Whether all differences are those of 0/1 scores."""
    return bool(np.all((d == 0) | (np.abs(d) == 1)))


def as_counts(sample: SimulatedSample, procedure: str) -> Counts:
    """Discordant items of 0/1 scores, or ParameterError."""
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
    """Per-item differences and the sizes of their clusters or strata, or ParameterError."""
    if isinstance(sample, Scores) and sample.sizes is not None:
        return sample, sample.sizes
    msg = f"{procedure} needs {groups}, which this scenario lacks. Use the scenario {groups}."
    raise ParameterError(msg)


def cluster_mean_and_se(sample: SimulatedSample) -> tuple[Array, Array, float]:
    """Mean over items, its cluster-robust (CR2) standard error, and degrees of freedom."""
    scores, sizes = clustered(sample, "cluster-cr2")
    sums = scores.cluster_sums
    error = np.sqrt(stats.cluster_variance(sums, sizes))
    return sums.sum(axis=1) / scores.items, error, float(stats.bell_mccaffrey_df(sizes))


def strata_mean_and_se(sample: SimulatedSample) -> tuple[Array, Array, int]:
    """Mean over items, its standard error if groups are fixed, and degrees of freedom.

    Strata of one item are pooled, as the variance pools them.
    """
    scores, sizes = clustered(sample, "strata-t", "strata")
    variance = stats.strata_variance(scores.cluster_sums, scores.cluster_squares, sizes)
    single, multiple = int((sizes == 1).sum()), int((sizes > 1).sum())
    strata = multiple + (single > 1 or multiple == 0)
    return scores.mean, np.sqrt(variance), scores.items - strata


def mean_and_sd(sample: SimulatedSample) -> tuple[Array, Array]:
    """Mean difference and its standard deviation (ddof 1) over items, in each replication."""
    if isinstance(sample, Scores):
        return sample.mean, sample.sd
    n = sample.items
    gap, discordant = sample.n10 - sample.n01, sample.n10 + sample.n01
    squares = discordant - gap * (gap / n)
    return gap / n, np.sqrt(np.maximum(squares, 0.0) / (n - 1))


@lru_cache(maxsize=1024)
def t_critical(alpha: float, df: float) -> float:
    """Two-sided critical value of Student's t."""
    return float(stats.t_quantile(1 - alpha / 2, df))
