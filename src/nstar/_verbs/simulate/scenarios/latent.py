"""Compute the correlation of latent normals from the correlation of scores.

In nstar, ``rho`` is always the correlation of scores. Scenarios that generate scores from normals
convert it, because scores have a lower correlation than the normals.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array, FloatLike
from nstar._verbs.simulate.scenarios.quantiles import beta_quantiles
from nstar.stats._roots import bisect

_NODES = np.linspace(-9.0, 9.0, 3601)
_DENSITY = np.exp(-_NODES * _NODES / 2) * (_NODES[1] - _NODES[0]) / np.sqrt(2 * np.pi)
_TERMS = 60
"""Number of terms of a Hermite series. Those of smooth scores decrease quickly."""
_ROUNDING = 1e-9


def latent_rho(rho: float, of_scores: Callable[[float], float]) -> float:
    """Return the correlation of normals at which scores have the correlation ``rho``.

    Parameters
    ----------
    rho : float
        Correlation of scores.
    of_scores : callable
        Correlation of scores at a correlation of normals from -1 to 1; increasing.

    Raises
    ------
    InfeasibleError
        No correlation of normals gives this correlation of scores.
    """
    checks.correlation("rho", rho)
    if rho == 0:
        return 0.0
    end = float(np.sign(rho))
    limit = of_scores(end)
    checks.feasible(
        abs(rho) <= abs(limit) + _ROUNDING,
        f"rho = {rho:.6g} is impossible for these scores, whose correlation "
        f"{'is at most' if rho > 0 else 'is at least'} {limit:.4f}.",
    )
    if abs(rho) >= abs(limit) - _ROUNDING:
        return end
    low, high = sorted((0.0, end))
    return float(bisect(lambda x: np.asarray(of_scores(float(x)) < rho), low, high, steps=50))


def orthant(h: FloatLike, k: FloatLike, rho: float) -> Array:
    """Return P(Z1 < h, Z2 < k) for standard normals with correlation ``rho``, elementwise."""
    h, k = np.broadcast_arrays(np.asarray(h, dtype=np.float64), np.asarray(k, dtype=np.float64))
    below_h, below_k = special.ndtr(h), special.ndtr(k)
    if rho >= 1:
        return np.asarray(np.minimum(below_h, below_k))
    if rho <= -1:
        return np.asarray(np.maximum(below_h + below_k - 1, 0.0))
    opposite = (h * k < 0) | ((h * k == 0) & (h + k < 0))
    probability = (below_h + below_k - opposite) / 2 - _corner(h, k, rho) - _corner(k, h, rho)
    probability = np.where((h == 0) & (k == 0), 0.25 + np.arcsin(rho) / (2 * np.pi), probability)
    return np.asarray(np.where(np.isinf(h) | np.isinf(k), below_h * below_k, probability))


def _corner(h: Array, k: Array, rho: float) -> Array:
    """Return Owen's T of h toward k, the part of the plane between the lines through (h, k)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = (k - rho * h) / (h * np.sqrt(1 - rho * rho))
    part = special.owens_t(h, np.where(h == 0, 0.0, slope))
    return np.asarray(np.where(h == 0, 0.25 * np.sign(k), part))


# --- scores that are smooth functions of a normal -----------------------------------------------


def _hermite(score: Array) -> Array:
    """Return the coefficients of a function given at the nodes, starting with its mean."""
    before, now = np.zeros_like(_NODES), np.ones_like(_NODES)
    out = np.empty(_TERMS)
    for k in range(_TERMS):
        out[k] = (score * _DENSITY) @ now
        before, now = now, (_NODES * now - np.sqrt(k) * before) / np.sqrt(k + 1)
    return out


def _moments(first: Array, second: Array, rho: float) -> tuple[float, float, float]:
    """Return the product moment of two series at a correlation of normals, and both variances."""
    products = float((first * second) @ np.power(float(rho), np.arange(_TERMS)))
    return products, float(first[1:] @ first[1:]), float(second[1:] @ second[1:])


@lru_cache(maxsize=64)
def _beta_series(mean: float, sd: float) -> Array:
    return _hermite(beta_quantiles(mean, sd)(_NODES))


@lru_cache(maxsize=64)
def _clipped_series(mean: float, sd: float) -> Array:
    return _hermite(np.clip(mean + sd * _NODES, 0.0, 1.0))


def _smooth(rho: float, first: Array, second: Array) -> float:
    def of_scores(latent: float) -> float:
        product, var_first, var_second = _moments(first, second, latent)
        return float((product - first[0] * second[0]) / np.sqrt(var_first * var_second))

    return latent_rho(rho, of_scores)


@lru_cache(maxsize=256)
def latent_of_clipped(rho: float, mean: float, delta: float, sd: float) -> float:
    """Return the latent correlation for clipped normal scores."""
    return _smooth(rho, _clipped_series(mean + delta, sd), _clipped_series(mean, sd))


@lru_cache(maxsize=256)
def latent_of_beta(rho: float, mean: float, delta: float, sd: float) -> float:
    """Return the latent correlation for Beta scores."""
    return _smooth(rho, _beta_series(mean + delta, sd), _beta_series(mean, sd))


# --- scores with steps --------------------------------------------------------------------------


def _step_covariance(first: Array, second: Array, latent: float) -> float:
    """Return the covariance of the numbers of steps below two normals."""
    h, k = first[:, None], second[None, :]
    return float((orthant(h, k, latent) - special.ndtr(h) * special.ndtr(k)).sum())


def latent_of_levels(rho: float, first: Array, second: Array) -> float:
    """Return the latent correlation for scores with levels that increase at these normals."""
    return _latent_of_levels(rho, tuple(first.tolist()), tuple(second.tolist()))


@lru_cache(maxsize=256)
def _latent_of_levels(rho: float, first: tuple[float, ...], second: tuple[float, ...]) -> float:
    a, b = np.array(first), np.array(second)
    scale = np.sqrt(_step_covariance(a, a, 1.0) * _step_covariance(b, b, 1.0))
    return latent_rho(rho, lambda latent: _step_covariance(a, b, latent) / scale)


# --- mixtures: which part a score comes from, and its value within that part --------------------


def _mixed(
    rho: float,
    limits: tuple[float, float],
    parts: tuple[tuple[Array, Array], tuple[Array, Array]],
) -> float:
    """Return the correlation of scores that are mixtures of two components.

    ``parts`` are the series of both components of the first model, then of the second.
    """
    shares = special.ndtr(np.array(limits))

    def moments(latent: float) -> float:
        p_both = float(orthant(*limits, latent))
        chances = (
            (p_both, float(shares[0]) - p_both),
            (float(shares[1]) - p_both, 1 - float(shares.sum()) + p_both),
        )
        return sum(
            chances[i][j] * _moments(parts[0][i], parts[1][j], latent)[0]
            for i in range(2)
            for j in range(2)
        )

    means, variances = [], []
    for share, (inside, outside) in zip(shares.tolist(), parts, strict=True):
        means.append(share * inside[0] + (1 - share) * outside[0])
        second = share * (inside @ inside) + (1 - share) * (outside @ outside)
        variances.append(second - means[-1] ** 2)
    scale = float(np.sqrt(variances[0] * variances[1]))
    return latent_rho(rho, lambda latent: (moments(latent) - means[0] * means[1]) / scale)


@lru_cache(maxsize=256)
def latent_of_zero_inflated(
    rho: float, zeros: float, means: tuple[float, float], sd: float
) -> float:
    """Return the latent correlation for Beta scores with a share of zeros."""
    limit = float(special.ndtri(zeros))
    none = np.zeros(_TERMS)
    first, second = (_beta_series(mean, sd) for mean in means)
    if zeros == 0:
        return _smooth(rho, first, second)
    return _mixed(rho, (limit, limit), ((none, first), (none, second)))


@lru_cache(maxsize=256)
def latent_of_bimodal(
    rho: float, shares: tuple[float, float], modes: tuple[float, float], sd: float
) -> float:
    """Return the latent correlation for Beta scores around two modes."""
    low, high = (_beta_series(mode, sd) for mode in modes)
    first, second = (float(special.ndtri(share)) for share in shares)
    return _mixed(rho, (first, second), ((high, low), (high, low)))


# --- boards -------------------------------------------------------------------------------------


def _pair_products(limits: Array, latent: float, weights: Array) -> float:
    """Return the sum over ordered pairs of the weighted covariance of 0/1 scores.

    Models are conditionally independent, given the ease of an item.
    """
    chance = special.ndtr(
        (limits[:, None] - np.sqrt(latent) * _NODES) / np.sqrt(max(1 - latent, 1e-300))
    )
    chance *= weights[:, None]
    means = weights * special.ndtr(limits)
    shared = float((np.square(chance.sum(axis=0)) - np.square(chance).sum(axis=0)) @ _DENSITY)
    return shared - float(means.sum() ** 2 - means @ means)


def _mean_correlation(limits: Array, latent: float) -> float:
    """Return the mean correlation of 0/1 scores over pairs, at a correlation of normals."""
    rates, pairs = special.ndtr(limits), limits.size * (limits.size - 1)
    if latent < 1:
        return _pair_products(limits, latent, 1 / np.sqrt(rates * (1 - rates))) / pairs
    odds = np.sqrt(np.sort(rates) / (1 - np.sort(rates)))
    # the worse model is correct only where the better one is
    above = np.cumsum((1 / odds)[::-1])[::-1] - 1 / odds
    return float(2 * (odds @ above) / pairs)


def latent_of_board(rho: float, rates: Sequence[float] | Array) -> float:
    """Return the latent correlation at which 0/1 scores have the mean correlation ``rho``.

    Examples
    --------
    >>> round(latent_of_board(0.5, (0.5, 0.5)), 4)
    0.7071
    """
    checks.probability("rho", rho)
    return _latent_of_board(rho, tuple(np.asarray(rates, dtype=np.float64).tolist()))


@lru_cache(maxsize=256)
def _latent_of_board(rho: float, rates: tuple[float, ...]) -> float:
    limits = special.ndtri(np.array(rates))
    return latent_rho(rho, lambda latent: _mean_correlation(limits, latent))


def latent_icc_of_board(icc: float, rates: Sequence[float] | Array, latent: float) -> float:
    """Return the share of a model's own normal that the items of a cluster share.

    At this share, the difference of two models has the intra-cluster correlation ``icc``, which is
    the covariance of all pairs divided by their variance. ``latent`` is the correlation of
    normals.
    """
    if icc == 0 or latent >= 1:  # models that never differ have no individual noise
        return 0.0
    return _latent_icc(icc, tuple(np.asarray(rates, dtype=np.float64).tolist()), latent)


@lru_cache(maxsize=256)
def _latent_icc(icc: float, rates: tuple[float, ...], latent: float) -> float:
    p = np.array(rates)
    limits, others = special.ndtri(p), p.size - 1
    variance = others * float((p * (1 - p)).sum()) - _pair_products(
        limits, latent, np.ones(p.size)
    )

    def of_differences(share: float) -> float:
        shared = orthant(limits, limits, (1 - latent) * share) - p * p
        return others * float(shared.sum()) / variance

    limit = of_differences(1.0)
    checks.feasible(
        icc <= limit + _ROUNDING,
        f"icc = {icc:.6g} is impossible for these scores. The icc of their difference is at most "
        f"{limit:.4f}.",
    )
    return float(bisect(lambda x: np.asarray(of_differences(float(x)) < icc), 0.0, 1.0, steps=50))
