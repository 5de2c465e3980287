"""Variance components of the difference between two models on one task."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from nstar._base import checks
from nstar._verbs.budget.groups import GroupNoise
from nstar.errors import ParameterError, arg

Bounds: TypeAlias = Callable[[float, float], tuple[float, float]]
"""Function that returns an interval of the variance of the difference on one task, by the runs of
both models.
"""


def _task_variance(name: str, rate: float, flip: float) -> float:
    """Return the variance over tasks of the true success rate, for 0/1 scores."""
    checks.fraction(name, rate)
    checks.probability("flip", flip)
    max_flip = 2 * rate * (1 - rate)
    checks.feasible(
        flip <= max_flip * (1 + 1e-12),
        f"{arg('flip', f'{flip:.6g}')} is impossible at a success rate of {rate:.6g}, where two "
        f"runs of a task disagree with probability at most {max_flip:.6g}.",
    )
    return max(rate * (1 - rate) - flip / 2, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class PilotSummary:
    """Size of a pilot."""

    models: tuple[str, ...]
    """Names of one or two models."""
    n_tasks: int
    """Number of tasks that every model has."""
    n_runs: tuple[float, ...]
    """Runs per task of each model, harmonic mean."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskVariances:
    """Variances of the difference between two models on one task, in squared score units.

    Examples
    --------
    >>> spread = TaskVariances(sigma_b2=0.025, sigma_wa2=0.125, sigma_wb2=0.215)
    >>> round(spread.total(3, 2), 6)
    0.174167
    """

    sigma_b2: float
    """Variance over tasks of the true difference, or the total variance if ``is_split`` is False.
    """
    sigma_wa2: float
    """Run-to-run variance of the first model within a task."""
    sigma_wb2: float
    """Run-to-run variance of the second model within a task."""
    sigma_run_a2: float = 0.0
    """Variance of an effect that a run of the first model shares over all tasks."""
    sigma_run_b2: float = 0.0
    """Variance of an effect that a run of the second model shares over all tasks."""
    sigma_b2_raw: float | None = None
    """Unbiased estimate from a pilot, possibly negative. If it is negative, ``sigma_b2`` is 0."""
    source: str = "given"
    """Description of the source of the numbers, if it is not a pilot."""
    pilot: PilotSummary | None = None
    """Pilot that is the source of the numbers."""
    bounds: Bounds | None = field(default=None, repr=False, compare=False)
    """Interval of :meth:`total` from a pilot; None if the numbers were set or read from a file."""
    confidence_level: float | None = None
    """Confidence level of ``bounds``; None without an interval."""
    is_split: bool = True
    """Whether variances between and within tasks are known separately. If not, only one run each
    can be planned.
    """
    is_paired: bool = True
    """Whether both models have the same tasks."""
    sigma_b2_unpaired: float | None = None
    """Value of ``sigma_b2`` if each model has different tasks."""
    rho: float | None = None
    """Correlation over tasks of the two models' true scores, if it was assumed."""
    baseline: float | None = None
    """Assumed success rate, for 0/1 scores."""
    flip: float | None = None
    """Probability that two runs of one task disagree, if it was assumed."""
    groups: tuple[GroupNoise, ...] = ()
    """Groups of a pilot's tasks, for each column."""

    def __post_init__(self) -> None:
        for name in ("sigma_b2", "sigma_wa2", "sigma_wb2", "sigma_run_a2", "sigma_run_b2"):
            checks.nonnegative(name, getattr(self, name))
        checks.require(
            self.total(1, 1) > 0 or self.has_shared,
            "the variance of one task's difference",
            "above 0 (if the difference is the same on every task, no plan is needed)",
            self.total(1, 1),
        )
        if self.bounds is not None and self.confidence_level is None:
            msg = "bounds also needs confidence_level."
            raise ParameterError(msg)

    def total(self, runs_a: float, runs_b: float) -> float:
        """Return the variance of the difference of run means, without shared effects."""
        return self.sigma_b2 + self.sigma_wa2 / runs_a + self.sigma_wb2 / runs_b

    def shared(self, runs_a: float, runs_b: float) -> float:
        """Return the squared error of the gap due to effects that a run shares over all tasks."""
        return self.sigma_run_a2 / runs_a + self.sigma_run_b2 / runs_b

    @property
    def has_shared(self) -> bool:
        """Return whether a run shares an effect over all tasks."""
        return self.sigma_run_a2 + self.sigma_run_b2 > 0

    @classmethod
    def of_rates(
        cls, baseline: float, flip: float, rho: float, *, source: str = "given"
    ) -> "TaskVariances":
        """Return the variances for two equally noisy models on the same tasks with 0/1 scores.

        sigma_w² = flip / 2, sigma_task² = p (1 - p) - flip / 2 and sigma_b² =
        2 sigma_task² (1 - rho).

        Parameters
        ----------
        baseline : float
            Success rate p of both models, over tasks and runs, in (0, 1).
        flip : float
            Probability that two runs of one model on one task disagree, at most 2 p (1 - p).
        rho : float
            Correlation over tasks of the two models' true success rates, in [-1, 1].
        source : str, default "given"
            Source of the numbers.

        Examples
        --------
        >>> spread = TaskVariances.of_rates(0.5, 0.3, 0.6)
        >>> round(spread.sigma_b2, 4), spread.sigma_wa2, round(spread.total(1, 1), 4)
        (0.08, 0.15, 0.38)
        """
        checks.correlation("rho", rho)
        task = _task_variance("baseline", baseline, flip)
        return cls(
            sigma_b2=2 * task * (1 - rho),
            sigma_wa2=flip / 2,
            sigma_wb2=flip / 2,
            source=source,
            sigma_b2_unpaired=2 * task,
            rho=rho,
            baseline=baseline,
            flip=flip,
        )

    def room(self, sides: int = 2) -> float:
        """Return the largest gap from the baseline, in both directions if two-sided."""
        p = self.baseline
        if p is None:
            return math.inf
        return 1 - p if sides == 1 and self.flip is not None else max(p, 1 - p)

    def parts(self, gap: float, sides: int = 2) -> tuple[float, float, float]:
        """Return the variances over tasks and within runs if the models are ``gap`` apart.

        Only assumed rates depend on the gap. The second model then has the variance of its own
        rate, above or below the baseline, whichever gives more noise, with the same share of it
        within a task. The correlation is at most the largest that the rates allow. The noise is
        never less than at the baseline.
        """
        variances = (self.sigma_b2, self.sigma_wa2, self.sigma_wb2)
        if self.flip is None or self.baseline is None:
            return variances
        p = self.baseline
        rates = [p + gap] if sides == 1 else [p + gap, p - gap]
        return max([variances, *(self._against_rate(r) for r in rates if 0 < r < 1)], key=sum)

    def _against_rate(self, rate: float) -> tuple[float, float, float]:
        """Return the variances of the difference to a model with another success rate."""
        p = self.baseline or 0.0
        ratio = rate * (1 - rate) / (p * (1 - p))
        task = max(p * (1 - p) - self.sigma_wa2, 0.0)
        joint = 0.0
        if self.is_paired:
            max_joint = min(p, rate) * (1 - max(p, rate))
            joint = min((self.rho or 0.0) * task * math.sqrt(ratio), max_joint)
        return task * (1 + ratio) - 2 * joint, self.sigma_wa2, self.sigma_wb2 * ratio

    def most_rho(self, gap: float, sides: int = 2) -> float | None:
        """Return the largest correlation that the rates allow, if less than the assumed one."""
        p = self.baseline
        if self.flip is None or p is None or self.rho is None or not self.is_paired:
            return None
        task = max(p * (1 - p) - self.sigma_wa2, 0.0)
        max_rhos = []
        for rate in [p + gap] if sides == 1 else [p + gap, p - gap]:
            if 0 < rate < 1 and task > 0 and self._against_rate(rate) == self.parts(gap, sides):
                ratio = rate * (1 - rate) / (p * (1 - p))
                max_rhos.append(min(p, rate) * (1 - max(p, rate)) / (task * math.sqrt(ratio)))
        return max_rhos[0] if max_rhos and max_rhos[0] < self.rho else None

    def at_gap(self, gap: float, sides: int = 2) -> "TaskVariances":
        """Return fixed variances with the values at this gap.

        Examples
        --------
        >>> spread = TaskVariances.of_rates(0.95, 0.0, 0.5)
        >>> round(spread.total(1, 1), 4), round(spread.at_gap(0.1).total(1, 1), 4)
        (0.0475, 0.0972)
        """
        if self.flip is None:
            return self
        between, first, second = self.parts(gap, sides)
        return replace(
            self, sigma_b2=between, sigma_wa2=first, sigma_wb2=second, flip=None, rho=None
        )

    def with_rho(self, rho: float) -> "TaskVariances | None":
        """Return the variances at another correlation; None if none was assumed."""
        if self.rho is None or self.sigma_b2_unpaired is None:
            return None
        checks.correlation("rho", rho)
        between = self.sigma_b2_unpaired * (1 - rho)
        return replace(self, sigma_b2=between, rho=rho, bounds=None, confidence_level=None)

    def apart(self) -> "TaskVariances | None":
        """Return the variances for different tasks; None if task variances are unknown."""
        if self.sigma_b2_unpaired is None or not self.is_paired:
            return None
        return replace(
            self,
            sigma_b2=self.sigma_b2_unpaired,
            bounds=None,
            confidence_level=None,
            is_paired=False,
            rho=None,
        )
