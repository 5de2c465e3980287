"""Bradley–Terry strengths from pairwise votes on models, with ties as half a win.

In a vote between two answers, p = σ(β_a - β_b) is the expected score of the first. If ties count
½, this is a quasi-likelihood. Its strengths are those that arenas publish. In Davidson's model,
strengths are also determined by the wins plus half the ties. Errors come from a sandwich estimator
(:mod:`nstar.stats.vote_errors`) and never from the information alone. The latter would give
intervals that are too wide for ties, and too narrow for votes that share prompts or judges.
"""

from dataclasses import dataclass

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array, BoolArray, FloatLike, IntArray
from nstar.stats._votes import (
    VoteRows,
    VoteSums,
    across,
    along,
    assembled,
    lifted,
    newton,
    predictor,
    with_prior,
)

__all__ = [
    "VoteFit",
    "VoteRows",
    "bradley_terry_fit",
    "information_inverse",
    "resistance",
    "strong_components",
    "vote_cells",
]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VoteFit:
    """Fitted strengths of models, with effects that all votes share."""

    strengths: Array
    """β in log odds, (M,). Strengths add up to 0."""
    effects: Array
    """Effect of each covariate in log odds per unit, (q,)."""
    log_tie: float | None
    """log ν of Davidson's model. None for other models."""
    information: Array
    """Information of all parameters, (P, P): strengths, effects, log ν. It is singular, because a
    common shift of the strengths changes nothing.
    """
    steps: int
    """Number of Newton steps."""

    @property
    def theta(self) -> Array:
        """Return all parameters in one array, (P,)."""
        tie = [] if self.log_tie is None else [self.log_tie]
        return np.concatenate([self.strengths, self.effects, tie])


def vote_cells(rows: VoteRows) -> VoteRows:
    """Combine votes with the same models, score, and covariates into one row.

    The cost of ten million votes between a thousand models is then that of their distinct rows.

    Parameters
    ----------
    rows : VoteRows
        Votes without covariates.

    Returns
    -------
    VoteRows
        At most M (M - 1) rows for each score that occurs, sorted by models and score.

    References
    ----------
    Methods: Votes between models

    Examples
    --------
    >>> cells = vote_cells(VoteRows.of([0, 0, 1], [1, 1, 0], [1, 1, 0.5]))
    >>> cells.weight.tolist(), cells.score.tolist()
    ([2.0, 1.0], [1.0, 0.5])
    """
    checks.require(rows.covariates.shape[1] == 0, "covariates", "absent", rows.covariates.shape[1])
    scores = np.unique(rows.score)
    level = np.searchsorted(scores, rows.score)
    place = (rows.first * rows.models + rows.second) * scores.size + level
    size = rows.models * rows.models * scores.size
    if size > 8 * len(rows) + 1024:  # few votes among many models, so no table of all cells
        cell_codes, place = np.unique(place, return_inverse=True)
        size = cell_codes.size
    else:
        cell_codes = np.arange(size)
    weight, squares = (
        np.asarray(np.bincount(place, weights=w, minlength=size), np.float64)
        for w in (rows.weight, rows.squares)
    )
    has_votes = weight > 0
    pair, kind = np.divmod(cell_codes[has_votes], scores.size)
    return VoteRows(
        first=pair // rows.models,
        second=pair % rows.models,
        score=scores[kind],
        weight=weight[has_votes],
        squares=squares[has_votes],
        covariates=np.zeros((int(has_votes.sum()), 0)),
        models=rows.models,
    )


def bradley_terry_sums(rows: VoteRows, theta: FloatLike) -> VoteSums:
    """Return gradient and information of the quasi-likelihood over some votes.

    Bradley and Terry (1952), Biometrika 39.

    >>> sums = bradley_terry_sums(VoteRows.of([0, 0], [1, 1], [1, 0]), [0, 0])
    >>> sums.gradient.tolist(), sums.information.tolist()
    ([0.0, 0.0], [[0.5, -0.5], [-0.5, 0.5]])
    """
    at = np.asarray(theta, dtype=np.float64)
    p = special.expit(predictor(rows, at))
    residual, spread = rows.weight * (rows.score - p), rows.weight * p * (1 - p)
    z = rows.covariates
    cross = np.array([along(rows, spread * c) for c in z.T]).reshape(-1, rows.models).T
    return VoteSums(
        gradient=np.concatenate([along(rows, residual), residual @ z]),
        information=assembled(across(rows, spread), cross, z.T @ (z * spread[:, None])),
    )


def bradley_terry_fit(rows: VoteRows, *, prior: float = 0.0) -> VoteFit:
    """Fit strengths by Newton's method, with ties as half a win each.

    Parameters
    ----------
    rows : VoteRows
        Votes, or cells of votes. Every model must be reached from every other by a chain of points
        scored (see :func:`strong_components`), unless there is a prior.
    prior : float, default 0.0
        Weight λ ≥ 0 of a tie that is added to each pair *with votes*. It keeps strengths finite if
        one side won all votes, and slightly shrinks all strengths.

    Returns
    -------
    VoteFit
        Strengths that add up to 0, effects of the covariates, and the information.

    Raises
    ------
    InfeasibleError
        Strengths are infinite, because the votes do not connect all models or a covariate
        determines them.

    References
    ----------
    Bradley and Terry (1952), Biometrika 39. Ford (1957), American Mathematical Monthly 64.
    Methods: Votes between models

    Examples
    --------
    Three wins in four votes between two models are log odds of log 3:

    >>> fit = bradley_terry_fit(VoteRows.of([0, 0, 0, 1], [1, 1, 1, 0], [1, 1, 1, 1]))
    >>> round(float(fit.strengths[0] - fit.strengths[1]), 6)
    1.098612
    """
    rows = with_prior(rows, prior)
    q = rows.covariates.shape[1]
    theta, sums, steps = newton(lambda at: bradley_terry_sums(rows, at), rows.models, q)
    return VoteFit(
        strengths=theta[: rows.models],
        effects=theta[rows.models :],
        log_tie=None,
        information=sums.information,
        steps=steps,
    )


def prior_limit(rows: VoteRows) -> float:
    """Return the largest weight of prior ties whose bias the intervals of strengths still cover.

    Ties of weight λ on m pairs reduce the distance of a model with n votes from its opponents by a
    share λ m / n. The standard error of about 2 / √n does not include this bias. Ties with a total
    weight of √n / 4 keep the bias at an eighth of the error for a distance of one log odds. The
    result is the smallest √n / (4 m) of all models, with m opponents.
    """
    low, high = np.minimum(rows.first, rows.second), np.maximum(rows.first, rows.second)
    met = np.unique(low * rows.models + high)
    pairs = np.bincount(met // rows.models, minlength=rows.models)
    pairs = pairs + np.bincount(met % rows.models, minlength=rows.models)
    count = np.square(rows.weight) / rows.squares
    votes = np.bincount(rows.first, weights=count, minlength=rows.models)
    votes += np.bincount(rows.second, weights=count, minlength=rows.models)
    has_met = pairs > 0
    return float(np.min(np.sqrt(votes[has_met]) / (4 * pairs[has_met])))


def information_inverse(information: FloatLike, *, models: int) -> Array:
    """Return the inverse of the information for strengths that add up to 0.

    For strengths alone it is the pseudo-inverse. It gives the variance of differences between
    strengths only if votes are independent and follow the model exactly, without ties that count ½
    and without shared prompts. Otherwise, it is the bread of a sandwich estimator.

    Parameters
    ----------
    information : array_like
        Information of all parameters, strengths first, (P, P).
    models : int
        Number of strengths M ≤ P.

    Returns
    -------
    Array
        Matrix (P, P), in squared log odds.

    References
    ----------
    Methods: Votes between models

    Examples
    --------
    >>> information_inverse([[0.5, -0.5], [-0.5, 0.5]], models=2).tolist()
    [[0.5, -0.5], [-0.5, 0.5]]
    """
    h = np.asarray(information, dtype=np.float64)
    checks.require(h.ndim == 2, "number of axes of information", "2", h.ndim)
    checks.require(h.shape == (len(h),) * 2, "information", "square", h.size)
    checks.require(1 <= models <= len(h), "models", f"from 1 to {len(h)}", models)
    lifted_information, level = lifted(h, models)
    checks.require(level > 0, "information", "the information of votes between models", level)
    out = np.linalg.inv(lifted_information)
    out[:models, :models] -= 1 / (models * level)
    return np.asarray((out + out.T) / 2)


def resistance(inverse: FloatLike, *, pairs: FloatLike) -> Array:
    """Return the effective resistance between models, (e_i - e_j)ᵀ H⁺ (e_i - e_j).

    Its inverse is the number of direct votes, each counted with p (1 - p), that would estimate the
    gap as precisely as all votes together, if Bradley–Terry held exactly.

    Parameters
    ----------
    inverse : array_like
        Result of :func:`information_inverse`, or a covariance of strengths, (P, P), with models
        first. For a covariance, the result is the variance of each difference.
    pairs : array_like
        Indices (first, second), (K, 2).

    Returns
    -------
    Array
        (K,), in squared log odds.

    References
    ----------
    Klein and Randić (1993), Journal of Mathematical Chemistry 12. Methods: Votes between models

    Examples
    --------
    >>> resistance([[0.5, -0.5], [-0.5, 0.5]], pairs=[[0, 1]]).tolist()
    [2.0]
    """
    v = np.asarray(inverse, dtype=np.float64)
    p = np.asarray(pairs)
    checks.counts(pairs=p)
    checks.require(p.ndim == 2, "number of axes of pairs", "2", p.ndim)
    checks.require(p < len(v), "pairs", f"indices below {len(v)}", p)
    i, j = p.astype(np.int64).T
    return np.asarray(v[i, i] + v[j, j] - 2 * v[i, j])


def direct_battles(
    gap: FloatLike,
    resistances: FloatLike,
    *,
    information: FloatLike,
    reach: FloatLike,
    inflation: FloatLike = 1,
) -> Array:
    """Return the additional votes between two models that detect a gap between them.

    The number is m = (K² / Δ² - 1 / R) / I by the Sherman–Morrison formula, because a direct vote
    adds its information I to the information about the gap. If the variance is inflated by a
    factor f, it is m = f (K² / Δ² - 1 / (f R)) / I. The number is 0 if the existing votes suffice.
    R is infinite for a pair without votes.
    """
    d, r, one = (np.asarray(x, dtype=np.float64) for x in (gap, resistances, information))
    factor = np.asarray(inflation, dtype=np.float64)
    checks.positive("gap", d)
    checks.positive("information", one)
    required_reach = np.asarray(reach, dtype=np.float64)
    checks.positive("reach", required_reach)
    checks.require(r > 0, "resistances", "above 0", r)
    checks.positive("inflation", factor)
    # factor⁻¹/R + m p q / factor must be K²/Δ²
    missing = (required_reach / d) ** 2 - 1 / (factor * r)
    return np.maximum(0.0, factor * missing / one)


def strong_components(rows: VoteRows) -> tuple[IntArray, BoolArray]:
    """Return the components of models that are connected by points in both directions.

    Strengths exist if and only if there is one component (Ford 1957). A model that won all its
    votes is a separate component, above those of its opponents.

    Parameters
    ----------
    rows : VoteRows
        Votes, or cells of votes.

    Returns
    -------
    tuple[IntArray, BoolArray]
        The first array, (M,), is the component of each model. A component that only scored against
        another one has the smaller number. The second array, (C, C), is true at [c, d] if members
        of c scored against members of d, but not vice versa. A tie is a point for both.

    References
    ----------
    Ford (1957), American Mathematical Monthly 64. Methods: Votes between models

    Examples
    --------
    >>> label, above = strong_components(VoteRows.of([0, 1, 2], [1, 2, 1], [1, 1, 1]))
    >>> label.tolist(), above.astype(int).tolist()
    ([0, 1, 1], [[0, 1], [0, 0]])
    """
    from scipy.sparse import coo_array  # noqa: PLC0415 takes longer to load than the kernel
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    forth, back = rows.score > 0, rows.score < 1
    winner = np.concatenate([rows.first[forth], rows.second[back]])
    loser = np.concatenate([rows.second[forth], rows.first[back]])
    shape = (rows.models, rows.models)
    scored = coo_array((np.ones(winner.size, np.int8), (winner, loser)), shape=shape).tocsr()
    count, label = connected_components(scored, connection="strong")
    label = label.astype(np.int64)
    edges = np.stack(np.divmod(np.unique(label[winner] * count + label[loser]), count), axis=1)
    edges = edges[edges[:, 0] != edges[:, 1]]
    depth = np.zeros(count, np.int64)  # longest chain of components above each one
    while edges.size:
        deeper = depth.copy()
        np.maximum.at(deeper, edges[:, 1], depth[edges[:, 0]] + 1)
        if np.array_equal(deeper, depth):
            break
        depth = deeper
    smallest = np.full(count, rows.models)
    np.minimum.at(smallest, label, np.arange(rows.models))
    place = np.empty(count, np.int64)
    place[np.lexsort([smallest, depth])] = np.arange(count)
    above = np.zeros((count, count), np.bool_)
    above[place[edges[:, 0]], place[edges[:, 1]]] = True
    return place[label], above
