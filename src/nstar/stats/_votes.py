"""Common parts of vote models: rows, sums over rows, Newton's method, and the gauge.

Parameters are the strengths β of M models, followed by effects that all votes share: those of
covariates, and of ties in Davidson's model. Only differences of strengths matter, so strengths add
up to 0. A vote between the models a and b has the row x = e_a - e_b of strengths and a few shared
columns. A fit or a covariance needs only sums over votes, which can be computed in parts.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from nstar._base import checks
from nstar._base.types import Array, BoolArray, FloatLike, IntArray
from nstar.errors import InfeasibleError

_STEP = 5.0
"""Largest step of a strength, in log odds, which limits Newton's method at the start."""
_STEPS = 100
_STILL = 1e-11
"""Largest step at which a fit has converged."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VoteRows:
    """Votes in the form that the kernel uses: one row each, or one per set of identical votes."""

    first: IntArray
    """Index of the first model, (N,)."""
    second: IntArray
    """Index of the second model, (N,)."""
    score: Array
    """Score of the first model in [0, 1]: 1 for a win, 0.5 for a tie, (N,)."""
    weight: Array
    """Sum of the weights of the votes in the row, (N,)."""
    squares: Array
    """Sum of the squared weights, (N,)."""
    covariates: Array
    """Covariates of a vote, first minus second, (N, q)."""
    models: int
    """Number of models M."""

    @classmethod
    def of(
        cls,
        first: FloatLike,
        second: FloatLike,
        score: FloatLike,
        *,
        models: int | None = None,
        weight: FloatLike | None = None,
        covariates: FloatLike | None = None,
    ) -> Self:
        """Build rows, one for each vote.

        Parameters
        ----------
        first, second : array_like
            Indices of the models of each vote, whole numbers from 0, (N,).
        score : array_like
            Score of the first model in [0, 1], (N,): 1 for a win, 0.5 for a tie, 0 for a loss.
        models : int, optional
            Number of models M. The default is one more than the largest index.
        weight : array_like, optional
            Weight of each vote, > 0, (N,). The default is 1.
        covariates : array_like, optional
            Covariates of the first answer minus those of the second, (N,) or (N, q).

        Returns
        -------
        VoteRows
            The votes, after checks.
        """
        a, b = np.asarray(first), np.asarray(second)
        checks.counts(first=a, second=b)
        y = np.asarray(score, dtype=np.float64)
        checks.require(a.ndim == 1, "number of axes of first", "1", a.ndim)
        for name, values in (("second", b), ("score", y)):
            checks.require(
                values.shape == a.shape,
                f"length of {name}",
                f"{a.size}, the length of first",
                values.size,
            )
        checks.require(a.size >= 1, "number of votes", "at least 1", a.size)
        checks.probability("score", y)
        checks.require(a != b, "second", "another model than the first", b)
        count = int(max(a.max(), b.max())) + 1 if models is None else int(models)
        checks.require(np.maximum(a, b) < count, "first and second", f"below {count}", a)
        w = np.ones(y.shape) if weight is None else np.asarray(weight, dtype=np.float64)
        checks.positive("weight", w)
        votes = f"{y.size}, the number of votes"
        checks.require(w.shape == y.shape, "number of weights", votes, w.size)
        z = np.zeros((y.size, 0)) if covariates is None else np.asarray(covariates, np.float64)
        z = z[:, None] if z.ndim == 1 else z
        checks.require(len(z) == y.size, "number of rows of covariates", votes, len(z))
        checks.finite("covariates", z)
        return cls(
            first=a.astype(np.int64, copy=False),
            second=b.astype(np.int64, copy=False),
            score=y,
            weight=w,
            squares=w * w,
            covariates=z,
            models=count,
        )

    def __len__(self) -> int:
        """Return the number of rows."""
        return self.first.size

    def part(self, rows: "slice | IntArray | BoolArray") -> Self:
        """Return some of the rows."""
        names = ("first", "second", "score", "weight", "squares", "covariates")
        return replace(self, **{name: getattr(self, name)[rows] for name in names})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VoteSums:
    """Gradient and information of a log-likelihood over some votes. Sums over parts add."""

    gradient: Array
    """First derivatives with respect to all parameters, (P,)."""
    information: Array
    """Expected second derivatives with the opposite sign, (P, P)."""

    def __add__(self, other: "VoteSums") -> "VoteSums":
        """Return the sums over both parts."""
        return VoteSums(
            gradient=self.gradient + other.gradient,
            information=self.information + other.information,
        )


def along(rows: VoteRows, value: Array) -> Array:
    """Return Σ value · x over votes: gains as first model minus gains as second model, (M,)."""
    plus = np.bincount(rows.first, weights=value, minlength=rows.models)
    return np.asarray(plus - np.bincount(rows.second, weights=value, minlength=rows.models))


def across(rows: VoteRows, value: Array) -> Array:
    """Return Σ value · x xᵀ over votes, a Laplacian matrix, (M, M)."""
    m = rows.models
    place = rows.first * m + rows.second
    between = np.bincount(place, weights=value, minlength=m * m).reshape(m, m)
    between = between + between.T
    return np.asarray(np.diag(between.sum(axis=1)) - between)


def assembled(strengths: Array, cross: Array, shared: Array) -> Array:
    """Return a symmetric matrix of all parameters from its blocks (M, M), (M, k), and (k, k)."""
    return np.block([[strengths, cross], [cross.T, shared]])


def predictor(rows: VoteRows, theta: Array) -> Array:
    """Return β_a - β_b + γᵀz of each row, in log odds."""
    d = theta[rows.first] - theta[rows.second]
    q = rows.covariates.shape[1]
    return d + rows.covariates @ theta[rows.models : rows.models + q] if q else d


def lifted(information: Array, models: int) -> tuple[Array, float]:
    """Return a matrix made definite for a common shift of all strengths, and the added amount."""
    level = float(np.trace(information[:models, :models])) / models
    out = information.copy()
    out[:models, :models] += level / models
    return out, level


def newton(
    sums: Callable[[Array], VoteSums], models: int, shared: int, *, start: Array | None = None
) -> tuple[Array, VoteSums, int]:
    """Return the parameters with zero gradient, the sums there, and the number of steps.

    ``shared`` is the number of parameters that all votes share.
    """
    theta = np.zeros(models + shared) if start is None else start.copy()
    now, before, damping = sums(theta), np.inf, 1.0
    for iteration in range(_STEPS):
        size = float(np.abs(now.gradient).max())
        damping = damping / 2 if size > before else min(1.0, 2 * damping)
        before = size
        try:
            step = np.linalg.solve(lifted(now.information, models)[0], now.gradient)
        except np.linalg.LinAlgError:
            break
        step *= damping * min(1.0, _STEP / max(float(np.abs(step).max()), 1e-300))
        if not np.isfinite(step).all():
            break
        theta = theta + step
        theta[:models] -= theta[:models].mean()
        now = sums(theta)
        if damping == 1 and float(np.abs(step).max()) < _STILL * (1 + float(np.abs(theta).max())):
            return theta, now, iteration + 1
    msg = (
        "The fit did not converge. Either a covariate predicts every vote or is a sum of other "
        "covariates, or some models won or lost all their votes against the rest. Remove the "
        "covariate or these models."
    )
    raise InfeasibleError(msg)


def with_prior(rows: VoteRows, prior: float) -> VoteRows:
    """Add one tie of weight ``prior`` for each pair with votes, without a covariate."""
    checks.nonnegative("prior", prior)
    if not prior:
        return rows
    low, high = np.minimum(rows.first, rows.second), np.maximum(rows.first, rows.second)
    met = np.unique(low * rows.models + high)
    prior_weight = np.full(met.size, float(prior))
    return VoteRows(
        first=np.concatenate([rows.first, met // rows.models]),
        second=np.concatenate([rows.second, met % rows.models]),
        score=np.concatenate([rows.score, np.full(met.size, 0.5)]),
        weight=np.concatenate([rows.weight, prior_weight]),
        squares=np.concatenate([rows.squares, prior_weight * prior_weight]),
        covariates=np.concatenate(
            [rows.covariates, np.zeros((met.size, rows.covariates.shape[1]))]
        ),
        models=rows.models,
    )


def pooled(rows: VoteRows) -> VoteRows:
    """Combine neighboring rows of the same models and covariates, with their mean score.

    This is sufficient for Bradley and Terry's likelihood, but squared residuals are lost.
    """
    same = (rows.first[1:] == rows.first[:-1]) & (rows.second[1:] == rows.second[:-1])
    same &= (rows.covariates[1:] == rows.covariates[:-1]).all(axis=1)
    begins = np.flatnonzero(np.append(True, ~same))
    weight = np.add.reduceat(rows.weight, begins)
    score = np.add.reduceat(rows.weight * rows.score, begins) / weight
    squares = np.add.reduceat(rows.squares, begins)
    return replace(rows.part(begins), score=score, weight=weight, squares=squares)


def definite(matrix: Array) -> Array:
    """Return the matrix without its negative eigenvalues."""
    value, vector = np.linalg.eigh(matrix)
    return np.asarray((vector * np.maximum(value, 0)) @ vector.T)
