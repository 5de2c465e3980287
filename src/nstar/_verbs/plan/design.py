"""Design of an evaluation: noise of one comparison, family of comparisons, and clusters.

Corrections do not multiply. The family gives one critical value, few clusters widen it once (t
instead of z), and clustering shrinks the effective number of items. The kernel then receives a
single level and a single n.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

import numpy as np
from scipy import special

from nstar import stats
from nstar._base import checks
from nstar._base.codec import derived
from nstar._base.types import Array, FloatLike, LossUnit
from nstar._verbs.plan.noise import Graded, Noise, NoiseLevel, PairedPsi, PairedRho, Unpaired
from nstar._verbs.verdict import Criteria
from nstar.errors import InfeasibleError, ParameterError, QuestionError, arg
from nstar.stats._roots import first_whole
from nstar.stats.arms import ladder_shift, selection_lead

BoardGoal: TypeAlias = Literal["all-pairs", "adjacent", "control", "best"]
"""Goal: prove all pairs, adjacent pairs fixed in advance, or all against one; or select the best.
"""
GOALS: tuple[BoardGoal, ...] = ("all-pairs", "adjacent", "control", "best")

_MIN_COUNT_NORMAL = 25
"""Discordant items from which on the normal limit of McNemar's test is accurate."""
_MAX_NORMAL_QUANTILE = 37.0
"""Normal quantile whose tail is the smallest that a double can hold."""


def pairs_of(models: int, goal: BoardGoal) -> int:
    """Return the number of pairs that are compared simultaneously."""
    return models * (models - 1) // 2 if goal == "all-pairs" else models - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """Assumptions of a plan other than level and power.

    Examples
    --------
    >>> from nstar import PairedRho
    >>> Design(noise=PairedRho(baseline=0.7, rho=0.4), models=10).n_comparisons
    45
    """

    noise: Noise
    """Noise of the per-item difference."""
    models: int = 2
    """Models on the leaderboard, a control among them; 2 is a single comparison."""
    goal: BoardGoal = "all-pairs"
    """Goal with more than two models: simultaneous comparisons, or the best model."""
    joint: bool = False
    """Whether the power is that of detecting every comparison, not one given comparison."""
    icc: float = 0.0
    """Intra-cluster correlation of the per-item difference."""
    cluster_size: float | None = None
    """Items per cluster, when more items means more clusters of this size."""
    clusters: int | None = None
    """Number of clusters when it is fixed, so that more items means larger clusters."""
    loss: LossUnit = "cluster"
    """For a margin: whether whole clusters outside the sample may fail, or only single items, as
    in ``gate``."""
    source: str = "given"
    """Source of the noise, for the assumptions."""

    def __post_init__(self) -> None:
        checks.require(self.models >= 2, "models", "at least 2", self.models)
        checks.choice("goal", self.goal, GOALS)
        checks.truth(joint=self.joint)
        if self.joint and self.goal == "best":
            msg = (
                "joint applies to tests, but picking the best is a single decision. Remove joint."
            )
            raise ParameterError(msg)
        checks.within("icc", self.icc, (-1, 1), "in [-1, 1)", ends=(True, False))
        if self.icc < 0 and self.cluster_size is not None:
            min_icc = -1 / max(self.cluster_size - 1, 1)
            checks.require(
                self.icc >= min_icc,
                "icc",
                f"at least {min_icc:.4g} in clusters of this size",
                self.icc,
            )
        if self.cluster_size is not None:
            checks.within("cluster_size", self.cluster_size, (1, 1e15), "from 1 to 1e15")
        if self.clusters is not None:
            checks.require(self.clusters >= 2, "clusters", "at least 2", self.clusters)
        if self.icc and self.cluster_size is None and self.clusters is None:
            msg = (
                "icc also needs cluster_size (if clusters can be added) or clusters (if their "
                "number is fixed)."
            )
            raise ParameterError(msg)
        checks.choice("loss", self.loss, ("cluster", "item"))
        if self.icc or self.goal == "best":
            check_unpooled(self.noise, "clusters" if self.icc else "selecting the best")

    @derived
    def n_comparisons(self) -> int:
        """Return the number of comparisons in the family."""
        return pairs_of(self.models, self.goal)

    def df(self, items: float) -> float:
        """Return the degrees of freedom: clusters - 1 with clusters, else infinite."""
        if not self.icc:
            return np.inf
        models = 2 if isinstance(self.noise, Unpaired) else 1  # each model has its own clusters
        return models * (self.groups(items) - 1)

    @property
    def whole_clusters(self) -> bool:
        """Return whether items come in clusters, correlated or not, that may fail entirely."""
        declared = self.clusters is not None or self.cluster_size is not None
        return declared and self.loss == "cluster" and not isinstance(self.noise, Unpaired)

    def groups(self, items: float) -> float:
        """Return the number of clusters of these items."""
        number = self.clusters or items / (self.cluster_size or 1.0)
        if number < 2:
            msg = (
                f"{items:g} items in clusters of {self.cluster_size:g} make fewer than two "
                "clusters. Use more items or smaller clusters."
            )
            raise InfeasibleError(msg)
        return float(number)

    def quantile(self, criteria: Criteria, items: float) -> float:
        """Return the critical value of the test: t instead of the joint z for few clusters."""
        return -float(stats.t_quantile(self.tail(criteria), self.df(items)))

    def critical_value(self, criteria: Criteria) -> float:
        """Return the joint critical value of one comparison within the family (normal scale)."""
        if self.n_comparisons == 1:
            return criteria.z
        if self.goal == "all-pairs" and criteria.sides == 2:
            return float(stats.tukey_critical(self.models, alpha=criteria.alpha))
        if self.goal == "control":
            others = self.models - 1
            return float(
                stats.dunnett_critical(others, alpha=criteria.alpha, sides=criteria.sides)
            )
        return float(stats.z_alpha(criteria.alpha / self.n_comparisons, sides=criteria.sides))

    def each_power(self, criteria: Criteria) -> float:
        """Return the power that one comparison must have."""
        if not self.joint or self.n_comparisons == 1:
            return criteria.power
        c = self.critical_value(criteria)
        if self.goal == "control":
            lead = float(selection_lead(self.models, prob=criteria.power))
            return float(special.ndtr(lead / np.sqrt(2)))
        shift = ladder_shift(criteria.power, models=self.models, critical=c)
        return float(special.ndtr(shift - c))

    def joint_power(self, each: float, criteria: Criteria) -> float:
        """Return the power of detecting every comparison if each has power ``each``.

        Adjacent models are one gap apart, or all models are one gap from the control. Errors are
        normal, equally large, and equally correlated.
        """
        if self.n_comparisons == 1:
            return each
        c, beyond = (
            self.critical_value(criteria),
            float(np.clip(special.ndtri(each), -_MAX_NORMAL_QUANTILE, _MAX_NORMAL_QUANTILE)),
        )
        if self.goal == "control":
            return _all_beyond(np.sqrt(2) * beyond, self.models - 1)
        return stats.ladder_power(max(c + beyond, 0.0), models=self.models, critical=c)

    def tail(self, criteria: Criteria) -> float:
        """Return the level of one comparison within the family, in each tail."""
        return float(special.ndtr(-self.critical_value(criteria)))

    def level(self, criteria: Criteria, items: float = np.inf) -> NoiseLevel:
        """Return level and power for the kernel, including family and small-sample effects.

        With few clusters the gap must span K standard errors of a noncentral t with clusters - 1
        degrees of freedom. The level is set so that the normal formula gives the same requirement.
        """
        alpha, power = self.tail(criteria) * criteria.sides, self.each_power(criteria)
        df = self.df(items)
        if np.isfinite(df):
            groups = df + 1
            k = stats.t_mde(
                groups, sigma=1.0, alpha=alpha, power=power, sides=criteria.sides
            ) * np.sqrt(groups)
            z = min(float(k) - float(stats.z_power(power)), _MAX_NORMAL_QUANTILE)
            alpha = float(special.ndtr(-z)) * criteria.sides
        return NoiseLevel(
            alpha=alpha,
            power=power,
            sides=criteria.sides,
            clustered=bool(self.icc),
        )

    def power(self, normal: float, criteria: Criteria, items: float, level: NoiseLevel) -> float:
        """Return the power of the test whose normal approximation at ``level`` is ``normal``."""
        df = self.df(items)
        if np.isinf(df):
            return normal
        z = float(stats.z_alpha(level.alpha, sides=criteria.sides))
        shift = max(
            float(np.clip(special.ndtri(normal), -_MAX_NORMAL_QUANTILE, _MAX_NORMAL_QUANTILE)) + z,
            0.0,
        )
        alpha = self.tail(criteria) * criteria.sides
        groups = df + 1
        return float(
            stats.t_power(
                shift / np.sqrt(groups), sigma=1.0, n=groups, alpha=alpha, sides=criteria.sides
            )
        )

    def effective(self, items: FloatLike) -> Array:
        """Return the effective number of independent items."""
        n = np.asarray(items, dtype=np.float64)
        return n / self.design_effect(n)

    def design_effect(self, items: FloatLike) -> Array:
        """Return Kish's 1 + (m - 1) icc, never below 1 in planning."""
        n = np.asarray(items, dtype=np.float64)
        if self.clusters:
            size: FloatLike = n / self.clusters
        else:
            size = self.cluster_size or 1.0
        return np.maximum(1 + (np.asarray(size) - 1) * self.icc, 1.0)

    def items(self, effective: FloatLike) -> Array:
        """Return the clustered items with this effective number; ``inf`` if there are none."""
        n = np.asarray(effective, dtype=np.float64)
        if not self.icc or not self.clusters:
            return n * self.design_effect(n)
        remaining = 1 - n * self.icc / self.clusters
        with np.errstate(divide="ignore", invalid="ignore"):
            grown = np.where(remaining > 0, n * (1 - self.icc) / remaining, np.inf)
        return np.maximum(n, grown)


def _all_beyond(lead: float, others: int) -> float:
    """Return ∫ Φ(x + lead)^others φ(x) dx."""
    x = np.linspace(-10.0, 10.0, 401)
    density = np.exp(-x * x / 2) / np.sqrt(2 * np.pi)
    return float((special.ndtr(x + lead) ** others) @ density * (x[1] - x[0]))


CURVE_POINTS = 61
"""Number of points of a power curve."""


def designed(design: Design | Noise) -> Design:
    """Return a design; a bare noise assumption is one comparison of independent items."""
    return design if isinstance(design, Design) else Design(noise=design)


def implied_items(design: Design, items: int | None) -> int | None:
    """Return the given items, or those of a fixed number of clusters; None if neither is set."""
    if items is not None:
        checks.counts(items=items)
        checks.require(items >= 2, "items", "at least 2", items)
        if design.icc and design.clusters:
            checks.require(
                items >= design.clusters,
                "items",
                f"at least {design.clusters}, the number of clusters",
                items,
            )
        return int(items)
    if design.clusters and design.cluster_size:
        return round(design.clusters * design.cluster_size)
    return None


def least_items(design: Design) -> float:
    """Return the fewest useful items: two, or two clusters."""
    if not design.icc:
        return 2.0
    return float(design.clusters or np.ceil(2 * (design.cluster_size or 1.0)))


def worth(design: Design, items: float) -> float:
    """Return the effective number of clustered items, also if infinitely many."""
    if np.isfinite(items):
        return float(design.effective(items))
    return design.clusters / design.icc  # type: ignore[operator]


def check_unpooled(noise: Noise, question: str) -> None:
    """Refuse pooled variance for a question that it does not apply to."""
    if isinstance(noise, Unpaired) and noise.pooled:
        msg = (
            f"{arg('pooled')} applies to the z test of a difference, not to "
            f"{question}. Remove {arg('pooled')}."
        )
        raise QuestionError(msg)


def check_room(noise: Noise, deltas: Sequence[float]) -> None:
    """Check that a gap leaves the other model an accuracy strictly between 0 and 1."""
    if isinstance(noise, PairedRho | Unpaired):
        for delta in deltas:
            other = noise.baseline + delta
            checks.feasible(
                0 < other < 1,
                f"A gap of {delta:+.6g} from a baseline of {noise.baseline:.6g} gives an accuracy "
                f"of {other:.6g}, which is not between 0 and 1. Use a smaller gap or another "
                "baseline.",
            )


def discordance(noise: Noise, delta: FloatLike) -> Array:
    """Return the share of items on which exactly one model is right, for 0/1 scores."""
    if isinstance(noise, PairedPsi):
        return np.full(np.shape(delta), noise.psi)
    return cast("PairedRho", noise).psi(delta)


def settled(design: Design, need: Callable[[float], float]) -> float:
    """Return the smallest number of items that suffices for the t of its own number of clusters.

    With clusters of a given size more items means more clusters, a smaller t and a smaller need,
    so ``need(items) - items`` falls, and bisection finds the root.
    """
    low = max(need(np.inf), 2.0, design.clusters or 0 if design.icc else 0)  # z, not t
    if not design.icc or design.clusters or not np.isfinite(low):
        return low
    low = max(low, np.ceil(2 * (design.cluster_size or 1.0)))
    high = need(low)  # sufficient, because need(high) <= need(low)
    if high <= low:
        return low
    return first_whole(lambda items: need(items) <= items, low, high)


def ratio(items: int | None, n_star: float | None) -> float | None:
    """Return q = N / N*, if both are numbers."""
    if items is None or n_star is None or not np.isfinite(n_star):
        return None
    return items / n_star


def significant_gap(design: Design, criteria: Criteria, items: float, delta: float) -> float:
    """Return the smallest significant observed gap, for the noise expected at a true gap."""
    n, critical = float(design.effective(items)), design.quantile(criteria, items)
    noise = design.noise
    if isinstance(noise, Graded):
        if not design.icc:
            critical = -float(stats.t_quantile(design.tail(criteria), n - 1))
        return critical * noise.sigma() / float(np.sqrt(n))
    if isinstance(noise, Unpaired):
        return critical * noise.null_sigma(delta) / float(np.sqrt(n))
    psi = float(discordance(noise, delta))
    if not design.icc and psi * items < _MIN_COUNT_NORMAL:
        alpha = design.tail(criteria) * criteria.sides
        test = stats.McNemarTest(alpha=alpha, power=criteria.power, sides=criteria.sides)
        return float(test.significant_gap(np.round(psi * items), items))
    return critical * float(np.sqrt(psi / (n + critical**2 * bool(design.icc))))
