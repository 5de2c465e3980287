"""Davidson's model of votes with ties: P(win) ∝ e^{d/2}, P(loss) ∝ e^{-d/2}, P(tie) ∝ ν.

The model predicts wins, ties, and losses. Wins plus half the ties are sufficient statistics for
its strengths, so it ranks models like the Bradley–Terry model in which ties count ½. Its scale is
that of decisive votes, which is about 1 / (1 - share of ties) times as wide.
"""

import numpy as np

from nstar._base import checks
from nstar._base.types import Array, FloatLike
from nstar.stats._votes import (
    VoteRows,
    VoteSums,
    across,
    along,
    assembled,
    newton,
    predictor,
    with_prior,
)
from nstar.stats.bradley_terry import VoteFit

__all__ = ["davidson_fit", "davidson_probabilities"]


def davidson_probabilities(gap: FloatLike, log_tie: FloatLike) -> tuple[Array, Array, Array]:
    """Return the probabilities of a win of the first model, a tie, and a win of the second.

    Parameters
    ----------
    gap : array_like
        d = β_a - β_b plus effects of covariates, in log odds among decisive votes.
    log_tie : array_like
        log ν. For a gap of 0, the share of ties is ν / (2 + ν).

    Returns
    -------
    tuple[Array, Array, Array]
        Three probabilities that add up to 1.

    References
    ----------
    Davidson (1970), J. Am. Stat. Assoc. 65.
    Methods: Votes between models

    Examples
    --------
    >>> [round(float(p), 3) for p in davidson_probabilities(0.5, 0.0)]
    [0.419, 0.326, 0.254]
    """
    checks.finite("gap", gap)
    checks.finite("log_tie", log_tie)
    half = np.asarray(gap, dtype=np.float64) / 2
    tie = np.asarray(log_tie, dtype=np.float64)
    top = np.maximum(np.abs(half), tie)
    win, draw, loss = np.exp(half - top), np.exp(tie - top), np.exp(-half - top)
    total = win + draw + loss
    return win / total, draw / total, loss / total


def davidson_sums(rows: VoteRows, theta: FloatLike) -> VoteSums:
    """Return gradient and information of the likelihood over some votes, for a Newton step.

    Davidson (1970), J. Am. Stat. Assoc. 65.

    >>> sums = davidson_sums(VoteRows.of([0, 0, 0], [1, 1, 1], [1, 0.5, 0]), [0, 0, 0])
    >>> sums.gradient.round(12).tolist()
    [0.0, 0.0, 0.0]
    """
    at = np.asarray(theta, dtype=np.float64)
    win, tie, _ = davidson_probabilities(predictor(rows, at), at[-1])
    w, mean = rows.weight, win + tie / 2
    residual, tied = w * (rows.score - mean), w * ((rows.score == 0.5) - tie)
    spread = w * (win + tie / 4 - mean * mean)
    score_tie_cov, tie_variance = w * tie * (0.5 - mean), w * tie * (1 - tie)
    z, q = rows.covariates, rows.covariates.shape[1]
    # the covariance of ties and scores is ``score_tie_cov``, and the variance of ties is
    # ``tie_variance``
    cross = np.stack([along(rows, c) for c in (*(spread * z.T), score_tie_cov)], axis=1)
    shared = np.empty((q + 1, q + 1))
    shared[:q, :q] = z.T @ (z * spread[:, None])
    shared[q, :q] = shared[:q, q] = z.T @ score_tie_cov
    shared[q, q] = tie_variance.sum()
    return VoteSums(
        gradient=np.concatenate([along(rows, residual), residual @ z, [tied.sum()]]),
        information=assembled(across(rows, spread), cross, shared),
    )


def davidson_fit(rows: VoteRows, *, prior: float = 0.0) -> VoteFit:
    """Fit strengths among decisive votes, and the tendency of votes to tie.

    Parameters
    ----------
    rows : VoteRows
        Votes, or cells of votes, with scores of 1, 0.5, or 0. They must include ties and decisive
        votes.
    prior : float, default 0.0
        Weight λ ≥ 0 of a tie that is added to each pair with votes. See
        :func:`nstar.stats.bradley_terry.bradley_terry_fit`.

    Returns
    -------
    VoteFit
        Strengths that add up to 0, effects of the covariates, log ν, and the information.

    Raises
    ------
    InfeasibleError
        Strengths are infinite.

    References
    ----------
    Davidson (1970), J. Am. Stat. Assoc. 65. Methods: Votes between models

    Examples
    --------
    >>> fit = davidson_fit(VoteRows.of([0] * 5, [1] * 5, [1, 1, 0.5, 0.5, 0]))
    >>> round(float(fit.strengths[0] - fit.strengths[1]), 3), round(fit.log_tie, 3)
    (0.693, 0.347)
    """
    plain = np.isin(rows.score, (0, 0.5, 1))
    checks.require(plain, "score", "0, 0.5 or 1 in a model of ties", rows.score)
    share = float(rows.weight[rows.score == 0.5].sum() / rows.weight.sum())
    checks.require(0 < share < 1, "share of ties", "between 0 and 1", share)
    rows = with_prior(rows, prior)
    q, m = rows.covariates.shape[1], rows.models
    start = np.zeros(m + q + 1)
    start[-1] = np.log(2 * share / (1 - share))
    theta, sums, steps = newton(lambda at: davidson_sums(rows, at), m, q + 1, start=start)
    return VoteFit(
        strengths=theta[:m],
        effects=theta[m:-1],
        log_tie=float(theta[-1]),
        information=sums.information,
        steps=steps,
    )
