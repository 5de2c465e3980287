"""Posterior of the spread of true scores over models, for pilots that may not show any spread.

A point estimate of the spread, which is the variance minus the noise, is often 0. All models would
then be treated as equal, and every forecast would be certain. The posterior has no mass at 0.
"""

from dataclasses import dataclass

import numpy as np

from nstar._base.types import Array, FloatLike

_STEP = 0.01
"""Step of the logarithm of the spread. It is smaller than the posterior standard deviation for up
to 5,000 models, which makes the trapezoidal rule exact to ten digits.
"""
_BELOW, _ABOVE = -21.0, 14.0
"""Logarithms of the spread, relative to the noise or to the largest score, outside of which the
posterior and its mean have less than 1e-8.
"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SpreadPosterior:
    """Distribution of the standard deviation of true scores over models, on a grid."""

    logs: Array
    """Logarithms of the spread, in ascending order."""
    weights: Array
    """Posterior probability of each grid point. The sum is 1."""

    @property
    def mean(self) -> float:
        """Return the posterior mean."""
        return float(np.exp(self.logs) @ self.weights)

    def quantile(self, prob: FloatLike) -> Array:
        """Return the spread that is not exceeded with probability ``prob``."""
        below = np.cumsum(self.weights) - self.weights / 2
        return np.exp(np.interp(np.asarray(prob, dtype=np.float64), below, self.logs))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CenteredMeans:
    """Means of models minus their common level, in directions with independent errors."""

    values: Array
    """Deviation from the common level in each direction, (M - 1,)."""
    variances: Array
    """Error variance in each direction."""
    basis: Array
    """Directions, (M, M - 1)."""

    @classmethod
    def of(cls, means: Array, covariance: Array) -> "CenteredMeans":
        """Build from means and the covariance of their errors.

        >>> centered = CenteredMeans.of(np.array([0.7, 0.6, 0.5]), 0.01 * np.eye(3))
        >>> (
        ...     round(float(centered.values @ centered.values), 3),
        ...     centered.variances.round(3).tolist(),
        ... )
        (0.02, [0.01, 0.01])
        """
        m = means.size
        contrasts = np.linalg.qr(np.column_stack([np.ones(m), np.eye(m)[:, :-1]]))[0][:, 1:]
        variances, turn = np.linalg.eigh(contrasts.T @ covariance @ contrasts)
        basis = contrasts @ turn
        return cls(values=means @ basis, variances=np.maximum(variances, 0.0), basis=basis)

    @property
    def plug_in(self) -> float:
        """Return the root of variance minus noise, or 0 if the variance is smaller."""
        excess = float(np.square(self.values).mean() - self.variances.mean())
        return float(np.sqrt(max(excess, 0.0)))

    def spread(self) -> SpreadPosterior:
        """Return the posterior of the spread for normal true scores and a half-Cauchy prior.

        The scale of the prior (Gelman 2006) is the standard error of a mean, which is the root of
        the mean error variance. A pilot cannot show a much smaller spread.

        >>> means, noise = np.array([0.71, 0.69, 0.74, 0.70, 0.66]), 0.045**2 * np.eye(5)
        >>> centered = CenteredMeans.of(means, noise)
        >>> centered.plug_in, round(centered.spread().mean, 6)
        (0.0, 0.022123)
        """
        scale = float(np.sqrt(self.variances.mean()))
        largest = max(float(np.abs(self.values).max()) / scale, 1.0)
        logs = np.arange(_BELOW, np.log(largest) + _ABOVE, _STEP)
        square = np.exp(2 * logs)
        values, variances = np.square(self.values / scale), self.variances / scale**2
        density = logs - np.log1p(square)  # the prior per unit of the logarithm
        for value, variance in zip(values.tolist(), variances.tolist(), strict=True):
            total = square + variance
            density -= 0.5 * (np.log(total) + value / total)
        weights = np.exp(density - density.max())
        return SpreadPosterior(logs=logs + np.log(scale), weights=weights / weights.sum())
