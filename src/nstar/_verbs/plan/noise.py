"""Noise of one comparison: the assumption that turns a gap into a number of items.

Each class provides items needed, detectable gap, power, the SD of the per-item difference, and the
largest gain. Everything else in planning (families, clusters, curves) uses these.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from nstar import stats
from nstar._base import checks
from nstar._base.types import Array, Direction, FloatLike, Interval, Sides
from nstar.errors import ParameterError, arg


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseLevel:
    """Level and power for the kernel, including family and small-sample effects."""

    alpha: float
    """Level per comparison, over both tails if ``sides`` is 2."""
    power: float
    """Power that the formula uses."""
    sides: Sides
    """Number of tails."""
    clustered: bool = False
    """Whether the test is a cluster-robust t test, with the observed variance and a level that
    includes the t of few clusters."""

    @property
    def rule(self) -> dict[str, Any]:
        """Return level, power, and sides as kernel functions take them."""
        return {"alpha": self.alpha, "power": self.power, "sides": self.sides}

    @property
    def method(self) -> stats.PairedMethod:
        """Return the test of 0/1 scores: McNemar's as in ``compare``, or a t test."""
        return "wald" if self.clustered else "default"

    @property
    def mcnemar(self) -> stats.McNemarTest:
        """Return the test for two 0/1 scores per item."""
        return stats.McNemarTest(**self.rule)

    @property
    def graded(self) -> stats.GradedTest:
        """Return the test for graded scores."""
        return stats.GradedTest(**self.rule)

    def paired_power(self, delta: FloatLike, psi: FloatLike, n: FloatLike) -> Array:
        """Return the power for 0/1 scores, by McNemar's test or a t test for clusters."""
        if not self.clustered:
            return self.mcnemar.power_at(delta, psi=psi, n=n)
        return stats.paired_power(
            delta, psi=psi, n=n, method="wald", alpha=self.alpha, sides=self.sides
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedRho:
    """Two 0/1 scores per item, with a baseline accuracy and an item correlation."""

    baseline: float
    """Accuracy of the second (reference) model, in (0, 1)."""
    rho: float
    """Item correlation between the two models."""

    def __post_init__(self) -> None:
        checks.require(0 < self.baseline < 1, "baseline", "in (0, 1)", self.baseline)
        checks.require(-1 < self.rho < 1, "rho", "in (-1, 1)", self.rho)

    def psi(self, delta: FloatLike) -> Array:
        """Return the discordance at each gap."""
        return stats.psi_from_rho(np.add(self.baseline, delta), self.baseline, self.rho)

    def room(self) -> float:
        """Return the largest gain that these assumptions allow."""
        return float(stats.rate_range(self.baseline, self.rho).high) - self.baseline

    def n_star(self, delta: FloatLike, level: NoiseLevel) -> Array:
        """Return the unrounded items needed to detect ``delta``; ``inf`` if none suffice."""
        return stats.paired_n_star(
            delta,
            psi=self.psi(delta),
            method=level.method,
            **level.rule,
        )

    def mde(self, n: FloatLike, level: NoiseLevel, direction: Direction) -> Array:
        """Return the smallest detectable gap, a positive size; ``inf`` if there is none."""
        return stats.paired_mde_from_rate(
            n,
            p_b=self.baseline,
            rho=self.rho,
            direction=direction,
            method=level.method,
            **level.rule,
        )

    def power(self, delta: FloatLike, n: FloatLike, level: NoiseLevel) -> Array:
        """Return the probability of detecting ``delta`` with ``n`` items."""
        return level.paired_power(delta, self.psi(delta), n)

    def sigma(self, delta: float) -> float:
        """Return the standard deviation of the per-item difference at gap ``delta``."""
        return float(stats.sigma_from_psi(self.psi(delta), delta))

    def rho_interval(self, items: int) -> Interval:
        """Return a 95% interval for the correlation, measured on these items.

        Fisher's interval assumes normal scores, and is too short near 0% and 100%.
        """
        one = float(self.psi(0.0)) / 2
        shares = (self.baseline - one, one, one, 1 - self.baseline - one)
        low, high = stats.phi_interval(*(max(round(items * share), 0) for share in shares))
        return Interval(float(low), float(high))

    def with_rho(self, rho: float) -> "PairedRho":
        """Return the same baseline with another item correlation."""
        return replace(self, rho=rho)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedPsi:
    """Two 0/1 scores per item, with a fixed share of discordant items."""

    psi: float
    """Share of items that exactly one model answers correctly, in (0, 1]."""

    def __post_init__(self) -> None:
        checks.require(0 < self.psi <= 1, "psi", "in (0, 1]", self.psi)

    def room(self) -> float:
        """Return the largest gain that these assumptions allow."""
        return self.psi

    def n_star(self, delta: FloatLike, level: NoiseLevel) -> Array:
        """Return the unrounded items needed to detect ``delta``; ``inf`` if none suffice."""
        return stats.paired_n_star(
            delta,
            psi=self.psi,
            method=level.method,
            **level.rule,
        )

    def mde(self, n: FloatLike, level: NoiseLevel, direction: Direction) -> Array:
        """Return the smallest detectable gap in either direction; ``inf`` if there is none."""
        del direction
        return stats.paired_mde(
            n,
            psi=self.psi,
            method=level.method,
            **level.rule,
        )

    def power(self, delta: FloatLike, n: FloatLike, level: NoiseLevel) -> Array:
        """Return the probability of detecting ``delta`` with ``n`` items."""
        return level.paired_power(delta, self.psi, n)

    def sigma(self, delta: float) -> float:
        """Return the standard deviation of the per-item difference at gap ``delta``."""
        return float(stats.sigma_from_psi(self.psi, delta))


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """Graded scores: the SD of the per-item differences, or the SD of the scores and rho."""

    sd: float
    """Standard deviation of the per-item difference if ``rho`` is None, else of each model's
    scores; in score units.
    """
    rho: float | None = None
    """Item correlation between the two models' scores."""
    width: float = 1.0
    """Best minus worst score. A margin test allows for a loss of this size on items too rare to be
    observed; plans for a difference do not use it."""
    auroc: float | None = None
    """Area under the ROC curve that the models have, if it is the metric."""
    positives: float | None = None
    """Share of positive items, if the metric is the area under the ROC curve."""

    @classmethod
    def of_auroc(cls, auroc: float, positives: float, rho: float) -> "Graded":
        """Return the noise of pseudo-values of the area under the ROC curve."""
        checks.fraction("auroc", auroc)
        if auroc <= 0.5:
            msg = (
                f"{arg('auroc')} must be above 0.5, the AUROC of random scores; got {auroc:g}. "
                "If lower scores mean the positive class, reverse their sign."
            )
            raise ParameterError(msg)
        checks.fraction("positives", positives)
        n = 1e9  # n times the squared error hardly depends on n
        se = stats.auroc_se(auroc, positives * n, (1 - positives) * n)
        return cls(sd=float(se * np.sqrt(n)), rho=rho, auroc=auroc, positives=positives)

    def __post_init__(self) -> None:
        checks.positive("sd", self.sd)
        checks.positive("width", self.width)
        if self.rho is not None:
            checks.require(-1 <= self.rho < 1, "rho", "in [-1, 1)", self.rho)

    def sigma(self, delta: float = 0.0) -> float:
        """Return the standard deviation of the per-item difference, for any gap."""
        del delta
        if self.rho is None:
            return self.sd
        return float(stats.sigma_from_sds(self.sd, self.sd, self.rho))

    def room(self) -> float:
        """Return the largest gain that these assumptions allow."""
        return np.inf

    def n_star(self, delta: FloatLike, level: NoiseLevel) -> Array:
        """Return the unrounded items needed to detect ``delta``; ``inf`` if none suffice."""
        if level.clustered:
            return stats.normal_n_star(delta, sigma=self.sigma(), **level.rule)
        return np.maximum(
            stats.t_n_star(delta, sigma=self.sigma(), **level.rule), level.graded.least
        )

    def mde(self, n: FloatLike, level: NoiseLevel, direction: Direction) -> Array:
        """Return the smallest detectable gap in either direction; ``inf`` if there is none."""
        del direction
        if level.clustered:
            return stats.normal_mde(n, sigma=self.sigma(), **level.rule)
        is_sufficient = np.asarray(n) >= level.graded.least
        return np.where(is_sufficient, stats.t_mde(n, sigma=self.sigma(), **level.rule), np.inf)[
            ()
        ]

    def power(self, delta: FloatLike, n: FloatLike, level: NoiseLevel) -> Array:
        """Return the probability of detecting ``delta`` with ``n`` items."""
        if level.clustered:
            return stats.normal_power(
                delta, sigma=self.sigma(), n=n, alpha=level.alpha, sides=level.sides
            )
        return level.graded.flip_power(np.divide(delta, self.sigma()), n)

    def rho_interval(self, items: int) -> Interval:
        """Return Fisher's 95% interval for the correlation, measured on these items."""
        low, high = stats.rho_interval(self.rho or 0.0, items)
        return Interval(float(low), float(high))

    def with_rho(self, rho: float) -> "Graded":
        """Return the same scores with another item correlation."""
        return replace(self, rho=rho)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpaired:
    """Two models on different items, n items each (equal to paired items with rho = 0)."""

    baseline: float
    """Accuracy of the second (reference) model, in (0, 1)."""
    pooled: bool = False
    """Whether the z test uses the pooled variance of both models."""

    def __post_init__(self) -> None:
        checks.require(0 < self.baseline < 1, "baseline", "in (0, 1)", self.baseline)
        checks.truth(pooled=self.pooled)

    @property
    def method(self) -> Literal["pooled", "unpooled"]:
        """Return the formula of the kernel."""
        return "pooled" if self.pooled else "unpooled"

    def room(self) -> float:
        """Return the largest gain that these assumptions allow."""
        return 1 - self.baseline

    def n_star(self, delta: FloatLike, level: NoiseLevel) -> Array:
        """Return the items per model that detect ``delta``, unrounded; ``inf`` if none do."""
        return stats.unpaired_n_star(
            np.add(self.baseline, delta),
            self.baseline,
            method=self.method,
            **level.rule,
        )

    def mde(self, n: FloatLike, level: NoiseLevel, direction: Direction) -> Array:
        """Return the smallest detectable gap, a positive size; ``inf`` if there is none."""
        return stats.unpaired_mde(
            n,
            p=self.baseline,
            direction=direction,
            method=self.method,
            **level.rule,
        )

    def power(self, delta: FloatLike, n: FloatLike, level: NoiseLevel) -> Array:
        """Return the probability of detecting ``delta`` with ``n`` items."""
        return stats.unpaired_power(
            np.add(self.baseline, delta),
            self.baseline,
            n1=n,
            method=self.method,
            alpha=level.alpha,
            sides=level.sides,
        )

    def sigma(self, delta: float) -> float:
        """Return the root of the summed variances of one score of each model."""
        a, b = self.baseline + delta, self.baseline
        return float(np.sqrt(a * (1 - a) + b * (1 - b)))

    def null_sigma(self, delta: float) -> float:
        """Return the same for the standard error of the z test, which may be pooled."""
        if not self.pooled:
            return self.sigma(delta)
        mean = self.baseline + delta / 2
        return float(np.sqrt(2 * mean * (1 - mean)))


Noise: TypeAlias = PairedRho | PairedPsi | Graded | Unpaired
"""Assumption about the per-item difference."""
