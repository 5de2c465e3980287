"""Verdicts of ``compare`` as tests: better or worse, resolved, and equivalent.

Items are treated as independent, as if neither strata nor clusters were declared.
"""

import numpy as np

from nstar import stats
from nstar._base import checks
from nstar._base.types import Array, BoolArray
from nstar._verbs.simulate.procedures.base import (
    TESTS,
    as_counts,
    counts_as,
    is_binary,
    mean_and_sd,
)
from nstar._verbs.simulate.procedures.counts import mcnemar
from nstar._verbs.simulate.procedures.graded import sign_flip
from nstar._verbs.simulate.procedures.intervals import t, t_statistic, tango
from nstar._verbs.simulate.sample import Counts, Scores, SimulatedSample
from nstar._verbs.verdict import PAIR_STATES, judge_pairs
from nstar.errors import ParameterError


def _of_its_scale(sample: SimulatedSample) -> SimulatedSample:
    """Return counts if all scores are 0 or 1, else the scores."""
    if isinstance(sample, Scores) and is_binary(sample.d):
        return as_counts(sample, "a verdict")
    return sample


def _significant(sample: SimulatedSample, alpha: float, rng: np.random.Generator) -> BoolArray:
    """Return the decisions of nstar's default test."""
    return (mcnemar if isinstance(sample, Counts) else sign_flip)(sample, alpha, rng)


def default_interval(
    sample: SimulatedSample, conf: float, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Return nstar's default interval; if differences do not vary, the score limits."""
    if isinstance(sample, Counts):
        return tango(sample, conf, rng)
    low, high = t(sample, conf, rng)
    mean, sd = mean_and_sd(sample)
    z2, width = float(stats.z_conf(conf)) ** 2, sample.limits[1] - sample.limits[0]
    share = np.where(sd == 0, z2 / (sample.items + z2), 0.0)
    with np.errstate(invalid="ignore"):
        down, up = share * (width + mean), share * (width - mean)
    return np.where(sd == 0, mean - down, low), np.where(sd == 0, mean + up, high)


def margin_interval(
    sample: SimulatedSample, conf: float, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Return the interval that is compared with a margin, within the range of scores."""
    if isinstance(sample, Counts):
        return tango(sample, conf, rng)
    mean, sd = mean_and_sd(sample)
    n, width = sample.items, np.full_like(mean, sample.limits[1] - sample.limits[0])
    free = ~np.isfinite(width)
    width[free] = np.abs(sample.d[free]).max(axis=1)
    return stats.margin_interval(mean, sd / np.sqrt(n), n, df=n - 1, width=width, conf=conf)


@TESTS.add
def better(sample: SimulatedSample, alpha: float, rng: np.random.Generator) -> BoolArray:
    """Verdict “better” or “worse”: the test rejects, and the interval excludes 0."""
    sample = _of_its_scale(sample)
    low, high = default_interval(sample, 1 - alpha, rng)
    return np.asarray(_significant(sample, alpha, rng) & ((low > 0) | (high < 0)))


def _resolved(sample: SimulatedSample, alpha: float) -> BoolArray:
    """Return whether q ≥ 1; False without a standard error."""
    stat = t_statistic(sample)
    has_error = np.isfinite(stat)
    if isinstance(sample, Counts):
        lead = np.abs(sample.n10 - sample.n01).astype(np.float64)
        discordant = (sample.n10 + sample.n01).astype(np.float64)
        return has_error & stats.McNemarTest(alpha=alpha).resolves(lead, discordant, sample.items)
    test = stats.GradedTest(alpha=alpha)
    is_sufficient = np.abs(np.where(has_error, stat, 0.0)) >= test.reach(sample.items - 1)
    return np.asarray(has_error & is_sufficient & (sample.items >= test.least))


@TESTS.add
def resolved(sample: SimulatedSample, alpha: float, rng: np.random.Generator) -> BoolArray:
    """Verdict “resolved”: significant, and q is at least 1 at 80% power."""
    sample = _of_its_scale(sample)
    significant = _significant(sample, alpha, rng)
    code = judge_pairs(significant=significant, resolved=_resolved(sample, alpha))
    return np.asarray(code == PAIR_STATES.index("significant"))


@TESTS.add
@counts_as("equivalence")
def equivalent(
    sample: SimulatedSample, alpha: float, rng: np.random.Generator, *, margin: float | None = None
) -> BoolArray:
    """Verdict “equivalent”: not significant, and within ± the margin.

    This is two one-sided tests at alpha, or equivalently the interval with coverage 1 - 2 alpha.
    For graded scores, it allows for losses too rare to be observed.
    """
    if margin is None:
        msg = (
            "equivalent needs a margin (largest gap without practical effect). Use "
            "equivalent:0.02."
        )
        raise ParameterError(msg)
    checks.positive("margin", margin)
    checks.require(alpha < 0.5, "alpha", "below 0.5 for a test of equivalence", alpha)
    sample = _of_its_scale(sample)
    low, high = margin_interval(sample, 1 - 2 * alpha, rng)
    code = judge_pairs(
        significant=_significant(sample, alpha, rng),
        resolved=_resolved(sample, alpha),
        equivalent=np.asarray((low > -margin) & (high < margin)),
    )
    return np.asarray(code == PAIR_STATES.index("equivalent"))
