"""Ratings and votes: convert Elo gaps to win rates, and compute the votes that they need.

In a vote, a person or a judge compares two models' answers, and the outcome is a win, a tie, or a
loss. A direct test examines whether wins outnumber losses, so it depends on δ = P(win) - P(loss).
A tie corresponds to an item on which both models agree in McNemar's test, so the discordance is
psi = 1 - ties. A gap in Elo is converted to δ on one of two scales, on which ties have opposite
effects:

* ``"score"`` (default): the expected score, where a tie counts half, as arenas publish it.
  s = 1 / (1 + 10^(-elo / 400)) and δ = 2s - 1, whatever the ties; they only reduce the noise;
* ``"decisive"``: the win rate p among votes that are not ties, p = 1 / (1 + 10^(-elo / 400)) and
  δ = (1 - ties)(2p - 1); ties carry no information.
"""

from typing import Literal, TypeAlias

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array, FloatLike, Sides
from nstar.errors import arg
from nstar.stats.power import PairedMethod, paired_mde, paired_n_star

__all__ = [
    "EloScale",
    "battles_mde",
    "battles_n_star",
    "delta_from_elo",
    "elo_from_delta",
    "elo_from_score",
    "score_from_elo",
]

EloScale: TypeAlias = Literal["score", "decisive"]
"""Scale of a gap in Elo: expected scores, in which ties count ½, or decisive votes."""

_SCALES = ("score", "decisive")
_LOGIT = np.log(10) / 400
"""One point of Elo as a difference of logits."""
_ROUNDING = 1e-12


def score_from_elo(elo: FloatLike) -> Array:
    """Return the expected score of the first model for a gap in Elo, where 400 means 10 to 1.

    Parameters
    ----------
    elo : array_like
        Rating of the first model minus that of the second, in points. It may be infinite.

    Returns
    -------
    Array
        Expected score (wins and half of the ties), a proportion, in the shape of ``elo``.

    References
    ----------
    Elo (1978), The Rating of Chessplayers.
    Methods: Votes between models.

    Examples
    --------
    >>> score_from_elo([0, 20, 400]).round(4).tolist()
    [0.5, 0.5288, 0.9091]
    """
    checks.number("elo", elo)
    return np.asarray(special.expit(_LOGIT * np.asarray(elo, dtype=np.float64)))[()]


def elo_from_score(score: FloatLike) -> Array:
    """Return the gap in Elo for which the first model has this expected score.

    Parameters
    ----------
    score : array_like
        Expected score, a proportion in [0, 1].

    Returns
    -------
    Array
        Gap in points, first minus second. It is infinite for a score of 0 or 1.

    References
    ----------
    Elo (1978), The Rating of Chessplayers.
    Methods: Votes between models.

    Examples
    --------
    >>> elo_from_score([0.5, 0.55, 1.0]).round(1).tolist()
    [0.0, 34.9, inf]
    """
    checks.probability("score", score)
    return np.asarray(special.logit(np.asarray(score, dtype=np.float64)) / _LOGIT)[()]


def _decisive(ties: FloatLike) -> Array:
    """Return the share of votes that are not ties: the discordance of a direct test."""
    checks.within("ties", ties, (0, 1), "a proportion in [0, 1)", ends=(True, False))
    return 1 - np.asarray(ties, dtype=np.float64)


def _refuse_above(delta: Array, psi: Array, elo: FloatLike) -> None:
    """Raise InfeasibleError if the share of ties does not allow the gap."""
    gap, max_gap, points = np.broadcast_arrays(np.abs(delta), psi, np.asarray(elo))
    over = gap > max_gap + _ROUNDING
    if over.any():
        i = tuple(np.argwhere(over)[0])
        max_elo = float(elo_from_score((1 + max_gap[i]) / 2))
        checks.feasible(
            ok=False,
            message=(
                f"{arg('elo', f'{points[i]:g}')} is impossible with "
                f"{arg('ties', f'{1 - max_gap[i]:g}')}: wins would exceed losses by {gap[i]:.3g} "
                f"of all votes, but only {max_gap[i]:.3g} of the votes are not ties. With this "
                f"share of ties, the gap is at most {max_elo:.0f} Elo."
            ),
        )


def delta_from_elo(elo: FloatLike, *, ties: FloatLike = 0.0, scale: EloScale = "score") -> Array:
    """Return the net win rate, P(win) - P(loss), of direct votes for a gap in Elo.

    Parameters
    ----------
    elo : array_like
        Rating of the first model minus that of the second, in points.
    ties : array_like, default 0.0
        Share of votes that are ties, in [0, 1).
    scale : {"score", "decisive"}, default "score"
        ``"score"`` for a gap of expected scores, in which ties count ½. ``"decisive"`` for a gap
        of win rates among decisive votes. See the module docstring.

    Returns
    -------
    Array
        Net win rate, a proportion in [-(1 - ties), 1 - ties], first minus second. Inputs
        broadcast.

    Raises
    ------
    InfeasibleError
        A gap of expected scores is larger than the share of decisive votes.

    References
    ----------
    Elo (1978), The Rating of Chessplayers.
    Methods: Votes between models.

    Examples
    --------
    >>> (
    ...     delta_from_elo(20, ties=0.4).round(4),
    ...     delta_from_elo(20, ties=0.4, scale="decisive").round(4),
    ... )
    (np.float64(0.0575), np.float64(0.0345))
    """
    checks.choice("scale", scale, _SCALES)
    psi = _decisive(ties)
    checks.number("elo", elo)
    lead = np.tanh(_LOGIT * np.asarray(elo, dtype=np.float64) / 2)  # 2s - 1, exact near 0
    if scale == "decisive":
        return np.asarray(psi * lead)[()]
    _refuse_above(lead, psi, elo)
    return np.asarray(np.broadcast_arrays(lead, psi)[0])[()]


def elo_from_delta(delta: FloatLike, *, ties: FloatLike = 0.0, scale: EloScale = "score") -> Array:
    """Return the gap in Elo, on either scale, for a net win rate P(win) - P(loss).

    Parameters
    ----------
    delta : array_like
        Net win rate, a proportion, |delta| ≤ 1 - ties.
    ties : array_like, default 0.0
        Share of votes that are ties, in [0, 1).
    scale : {"score", "decisive"}, default "score"
        Scale of the gap, as in :func:`nstar.stats.delta_from_elo`.

    Returns
    -------
    Array
        Gap in points, first minus second. It is infinite if every vote, or every decisive vote, is
        a win. Inputs broadcast.

    Raises
    ------
    InfeasibleError
        |delta| is larger than 1 - ties.

    References
    ----------
    Elo (1978), The Rating of Chessplayers.
    Methods: Votes between models.

    Examples
    --------
    >>> (
    ...     elo_from_delta(0.06, ties=0.4).round(1),
    ...     elo_from_delta(0.06, ties=0.4, scale="decisive").round(1),
    ... )
    (np.float64(20.9), np.float64(34.9))
    """
    checks.choice("scale", scale, _SCALES)
    psi = _decisive(ties)
    checks.number("delta", delta)
    gap = np.asarray(delta, dtype=np.float64)
    checks.feasible(
        np.abs(gap) <= psi + _ROUNDING,
        f"{arg('delta')} must be at most the share of decisive votes, 1 - {arg('ties')}",
    )
    lead = np.clip(gap / (psi if scale == "decisive" else np.ones_like(psi)), -1.0, 1.0)
    with np.errstate(divide="ignore"):
        return np.asarray(2 * np.arctanh(lead) / _LOGIT)[()]


def battles_n_star(
    elo: FloatLike,
    *,
    ties: FloatLike = 0.0,
    scale: EloScale = "score",
    method: PairedMethod = "connor",
    alpha: FloatLike = 0.05,
    power: FloatLike = 0.8,
    sides: Sides = 2,
) -> Array:
    """Return the number of votes between two models needed to detect a gap in Elo.

    Votes are assumed to be independent, and the test is McNemar's test of wins against losses.

    Parameters
    ----------
    elo : array_like
        Gap to detect, in points. Its sign is ignored.
    ties : array_like, default 0.0
        Share of votes that are ties, in [0, 1).
    scale : {"score", "decisive"}, default "score"
        Scale of the gap, as in :func:`nstar.stats.delta_from_elo`.
    method : {"connor", "wald", "miettinen", "default"}, default "connor"
        Formula, as in :func:`nstar.stats.paired_n_star`.
    alpha : array_like, default 0.05
        Level of the test, in (0, 1).
    power : array_like, default 0.8
        Target power: probability of detecting the gap, in (0, 1).
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only a gap > 0 is of interest.

    Returns
    -------
    Array
        Number of votes, including ties, not rounded up. It is ``inf`` for a gap of 0. Inputs
        broadcast.

    Raises
    ------
    InfeasibleError
        The gap is impossible with this share of ties.

    References
    ----------
    Connor (1987), Biometrics 43. Methods: Votes between models.

    Examples
    --------
    >>> round(float(battles_n_star(20, ties=0.4)))
    1422
    >>> round(float(battles_n_star(20, ties=0.4, scale="decisive")))
    3954
    """
    delta = delta_from_elo(elo, ties=ties, scale=scale)
    return paired_n_star(
        delta, psi=_decisive(ties), method=method, alpha=alpha, power=power, sides=sides
    )


def battles_mde(
    n: FloatLike,
    *,
    ties: FloatLike = 0.0,
    method: PairedMethod = "connor",
    alpha: FloatLike = 0.05,
    power: FloatLike = 0.8,
    sides: Sides = 2,
) -> Array:
    """Return the smallest net win rate that ``n`` votes between two models detect.

    Parameters
    ----------
    n : array_like
        Number of independent votes, including ties, > 0.
    ties : array_like, default 0.0
        Share of votes that are ties, in [0, 1).
    method : {"connor", "wald", "miettinen", "default"}, default "connor"
        Formula, as in :func:`nstar.stats.paired_mde`.
    alpha : array_like, default 0.05
        Level of the test, in (0, 1).
    power : array_like, default 0.8
        Target power: probability of detecting the gap, in (0, 1).
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only a gap > 0 is of interest.

    Returns
    -------
    Array
        Net win rate P(win) - P(loss), a proportion, which is twice the gap in expected scores. It
        is ``inf`` if no gap is detected. :func:`nstar.stats.elo_from_delta` converts it to Elo.
        Inputs broadcast.

    References
    ----------
    Connor (1987), Biometrics 43.
    Methods: Votes between models.

    Examples
    --------
    >>> delta = battles_mde(1000, ties=0.4)
    >>> round(0.5 + float(delta) / 2, 4), round(float(elo_from_delta(delta, ties=0.4)), 1)
    (0.5343, 23.9)
    """
    return paired_mde(n, psi=_decisive(ties), method=method, alpha=alpha, power=power, sides=sides)
