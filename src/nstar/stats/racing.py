"""Racing: run many models on the same items, and drop those that are not the best.

Model j is dropped once some rival i is shown to be better than it, by the half of McNemar's
e-process that bets on i. If j is the best, that half has mean 1 or less at every look, so each of
M - 1 rivals ever brings it to (M - 1) / alpha with probability alpha / (M - 1) at most (Ville
1939), and all together with alpha. While i is ahead, the half is nearly twice the whole, so the
whole one drops at (M - 1) / (2 alpha). With two models the level is shared by both directions, so
that equal models are separated with probability alpha, too.
"""

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array, BoolArray, FloatLike, IntArray
from nstar.stats._blocks import map_blocks
from nstar.stats.eprocess import least_leads, mcnemar_log_e

__all__ = ["race_leads", "race_log_threshold"]

_TIE = 1e-12
"""Slack in log E at the threshold, far above rounding error."""
_MIN_PROBABILITY = 1e-290
"""Probability below which the limit far behind is used."""


def _log_half(b: Array, c: Array, a: Array) -> Array:
    """Return the log of E times twice the probability that a Beta(a + b, a + c) is above ½."""
    above = special.betainc(a + c, a + b, 0.5)
    with np.errstate(divide="ignore"):
        direct = mcnemar_log_e(b, c, a=a) + np.log(2.0) + np.log(above)
    asymptotic = np.log(2.0) - special.betaln(0.5, a) - np.log(np.maximum(c - b, 1.0))
    return np.asarray(np.where(above > _MIN_PROBABILITY, direct, asymptotic))


def lead_log_e(n10: FloatLike, n01: FloatLike, *, a: FloatLike = 0.5) -> Array:
    """Return the log of the e-value against "the first model is not better", from counts.

    The half of :func:`mcnemar_log_e` that bets on the first model: 2 E · P(theta > ½), where theta
    has a Beta(a + n10, a + n01) distribution. It equals :func:`gap_log_e` for ``null=0,
    tail="above"``, without an integral.

    Ville (1939), Étude critique de la notion de collectif.
    """
    checks.counts(n10=n10, n01=n01)

    def block(b: Array, c: Array, shape: Array) -> Array:
        checks.positive("a", shape)
        return _log_half(b, c, shape)

    return map_blocks(block, n10, n01, a)


def race_log_threshold(models: FloatLike, *, alpha: FloatLike = 0.05) -> Array:
    """Return the log of the e-value (:func:`mcnemar_log_e`) at which a race drops a model.

    ln((M - 1) / (2 alpha)); the half that bets on one model drops the other
    at twice that e-value. For two models ln(1 / alpha), as for a monitored pair.

    Parameters
    ----------
    models : array_like
        Models M at the start of the race, at least 2.
    alpha : array_like, default 0.05
        Probability that the best one is ever dropped, in (0, 1).

    Returns
    -------
    Array
        Log e-value. Inputs broadcast.

    References
    ----------
    Methods: Interim looks.

    Examples
    --------
    >>> round(float(race_log_threshold(28)), 3), round(float(race_log_threshold(2)), 3)
    (5.598, 2.996)
    """

    def block(m: Array, level: Array) -> Array:
        checks.within("models", m, (2, np.inf), "at least 2", ends=(True, False))
        checks.fraction("alpha", level)
        return np.log(np.maximum(m - 1, 2.0)) - np.log(2 * level)

    return map_blocks(block, models, alpha)


def race_leads(items: int, models: int, alpha: float = 0.05, a: float = 0.5) -> IntArray:
    """Return the smallest leads that drop a model after 0 … ``items`` discordant items of a pair.

    Parameters
    ----------
    items : int
        Discordant items at the end, a whole number, at least 0.
    models : int
        Models at the start of the race, at least 2.
    alpha : float, default 0.05
        Probability that the best one is ever dropped, in (0, 1).
    a : float, default 0.5
        Beta(a, a) mixture, > 0.

    Returns
    -------
    IntArray
        Leads after 0, 1, …, ``items`` discordant items, of the same parity as these; beyond their
        number where no lead is enough.

    References
    ----------
    Methods: Interim looks.

    Examples
    --------
    With 28 models, at least eleven consecutive wins are needed to drop a model:

    >>> race_leads(12, models=28)
    array([ 2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 11, 12])
    """
    checks.counts(items=items)
    limit = float(race_log_threshold(models, alpha=alpha)) + np.log(2.0) - _TIE
    n = np.arange(items + 1, dtype=np.float64)

    def reached(lead: Array) -> BoolArray:
        wins = (n + lead) / 2
        return np.asarray(lead_log_e(wins, n - wins, a=a) >= limit)

    return least_leads(n, reached)
