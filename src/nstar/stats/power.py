"""Items needed N*, minimum detectable effect, and power, from one identity.

The identity is ``|delta| √n = z_alpha · sd under H0 + z_power · sd under H1``. For a known sd of
the difference the two sds agree (``normal_*``). For paired 0/1 scores they do not, and the
formulas differ by how they treat that (``paired_*``, ``method=``):

* ``"wald"``: sd sqrt(psi - delta²) in both places;
* ``"connor"`` (default): sqrt(psi) under H0 — Connor 1987, = Miettinen 1968 first order. Never
  below the need of the mid-p test in the enumerated cases;
* ``"miettinen"``: Miettinen 1968 second order as given by Lachin 1992;
* ``"default"``: the need of the test of :func:`nstar.compare` (mid-p, exact where more than 80%
  of the items are discordant): Connor's, about 2 / |delta| more where the exact test applies, and
  never fewer items than bring enough discordant ones for any rejection. By enumeration, its power
  is at most two points below the target wherever the target is 80% or more.

``alpha`` is the level over all ``sides``. Results are real numbers, not yet rounded up; ``inf``
means "no number of items" (or, for an MDE, "no effect that these assumptions allow").
"""

from typing import Literal, TypeAlias

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array, BoolArray, Direction, FloatLike, Sides
from nstar.stats._blocks import map_blocks
from nstar.stats._normal import needed, span
from nstar.stats._roots import smallest
from nstar.stats.critical import k_factor, z_alpha, z_power
from nstar.stats.mcnemar import PSI_EXACT
from nstar.stats.paired import psi_from_rho, rate_range

__all__ = [
    "PairedMethod",
    "normal_mde",
    "normal_n_star",
    "normal_power",
    "paired_mde",
    "paired_mde_fixed_loss",
    "paired_mde_from_rate",
    "paired_n_star",
    "paired_n_star_from_rates",
    "paired_power",
]

PairedMethod: TypeAlias = Literal["connor", "wald", "miettinen", "default"]
_METHODS = ("connor", "wald", "miettinen", "default")
_TINY = 1e-170
"""Replacement for 0 where 0/0 must not occur; its square is 0."""
_NEAR_EXACT = 0.3
"""Distance below the threshold of the exact test at which that test is hardly ever used."""


def normal_n_star(
    delta: FloatLike,
    *,
    sigma: FloatLike,
    alpha: FloatLike = 0.05,
    power: FloatLike = 0.8,
    sides: Sides = 2,
) -> Array:
    """Return the number of items, K² sigma² / delta², for a known sd of the per-item difference.

    Parameters
    ----------
    delta : array_like
        Gap to detect, in score units. Its sign is ignored.
    sigma : array_like
        Standard deviation of the per-item difference, in score units, > 0.
    alpha : array_like, default 0.05
        Level of the test, in (0, 1).
    power : array_like, default 0.8
        Target power: probability of detecting the gap, in (0, 1).
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only a gap > 0 is of interest.

    Returns
    -------
    Array
        Number of items, not rounded up. It is ``inf`` for delta = 0, and 0 if chance alone rejects
        often enough (K ≤ 0). Inputs broadcast.

    References
    ----------
    Methods: Items, MDE and power

    Examples
    --------
    >>> round(float(normal_n_star(0.01, sigma=0.12)), 1)
    1130.2
    """
    k = np.maximum(k_factor(alpha, power, sides=sides), _TINY)  # chance alone rejects: N* is 0
    return map_blocks(needed, delta, sigma, k)


def normal_mde(
    n: FloatLike,
    *,
    sigma: FloatLike,
    alpha: FloatLike = 0.05,
    power: FloatLike = 0.8,
    sides: Sides = 2,
) -> Array:
    """Return the minimum detectable effect K sigma / √n.

    Parameters
    ----------
    n : array_like
        Number of items, > 0.
    sigma : array_like
        Standard deviation of the per-item difference, in score units, > 0.
    alpha : array_like, default 0.05
        Level of the test, in (0, 1).
    power : array_like, default 0.8
        Target power: probability of detecting the gap, in (0, 1).
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only a gap > 0 is of interest.

    Returns
    -------
    Array
        Size of the gap, in score units. It is 0 if chance alone rejects often enough (K ≤ 0).
        Inputs broadcast.

    References
    ----------
    Methods: Items, MDE and power

    Examples
    --------
    >>> round(float(normal_mde(1000, sigma=0.12)), 5)
    0.01063
    """
    k = np.maximum(k_factor(alpha, power, sides=sides), 0.0)
    return map_blocks(span, n, sigma, k)


def normal_power(
    delta: FloatLike,
    *,
    sigma: FloatLike,
    n: FloatLike,
    alpha: FloatLike = 0.05,
    sides: Sides = 2,
) -> Array:
    """Return the probability of rejecting in the right direction for a known sd.

    The far tail (rejecting in the wrong direction) is not counted as power.

    Parameters
    ----------
    delta : array_like
        True gap, in score units. Its sign is ignored.
    sigma : array_like
        Standard deviation of the per-item difference, in score units, > 0.
    n : array_like
        Number of items, > 0.
    alpha : array_like, default 0.05
        Level of the test, in (0, 1).
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only a gap > 0 is of interest.

    Returns
    -------
    Array
        Probability, which is alpha / sides for delta = 0. Inputs broadcast.

    References
    ----------
    Methods: Items, MDE and power

    Examples
    --------
    >>> round(float(normal_power(0.02, sigma=0.12, n=285)), 3)
    0.803
    """
    z = z_alpha(alpha, sides=sides)

    def block(gap: Array, sd: Array, items: Array, crit: Array) -> Array:
        checks.positive("n", items)
        checks.positive("sigma", sd)
        checks.finite("delta", gap)
        return np.asarray(special.ndtr(np.abs(gap) * np.sqrt(items) / sd - crit))

    return map_blocks(block, delta, sigma, n, z)


def _check_pair(delta: Array, psi: Array) -> None:
    over = np.abs(delta) - psi
    if not (np.maximum.reduce(over) <= 1e-12 and np.maximum.reduce(psi) <= 1):
        checks.within("delta", delta, (-1, 1), "a proportion in [-1, 1]")
        ok = (over <= 1e-12) & (psi <= 1)
        i = int(np.argmin(ok))
        checks.feasible(
            ok,
            f"delta = {delta[i]:.6g} with psi = {psi[i]:.6g} is impossible: "
            "|delta| <= psi <= 1 must hold",
        )


def _sqrt_terms(gap2: Array, psi: Array, method: PairedMethod) -> tuple[Array, Array]:
    """Return the standard deviations per item under H0 and H1."""
    var = np.maximum(psi - gap2, 0.0)
    if method == "wald":
        sd = np.sqrt(var)
        return sd, sd
    if method == "connor":
        return np.sqrt(psi), np.sqrt(var)
    with np.errstate(divide="ignore", invalid="ignore"):
        second = np.maximum(psi - gap2 * (3 + psi) / (4 * psi), 0.0)
    return np.sqrt(psi), np.sqrt(np.where(psi > 0, second, 0.0))


def _exact_part(delta: Array, psi: Array, n: Array) -> Array:
    """Return the items that the exact test needs beyond mid-p, weighted by its frequency."""
    with np.errstate(divide="ignore", invalid="ignore"):
        over = (psi - PSI_EXACT) * np.sqrt(n / (psi * (1 - psi)))
        return np.asarray(special.ndtr(over) * (2 / np.abs(delta) + 2))


def _discordant_needed(z_a: Array, z_b: Array) -> Array:
    """Return the expected discordant items that allow a rejection with the target probability.

    If all favor one model they give a mid-p of 2⁻ᵏ. The count is Poisson, for rare discordance,
    which needs more items than a binomial count. One number if all levels and powers are the same.
    """
    if all(z.size and (z == z.flat[0]).all() for z in (z_a, z_b)):
        z_a, z_b = np.asarray(z_a.flat[0]), np.asarray(z_b.flat[0])
    fewest = np.maximum(np.ceil(-np.log2(2 * special.ndtr(-z_a)) - 1e-9), 1.0)
    return np.asarray(special.gammaincinv(fewest, special.ndtr(z_b)))


def _default_n_star(delta: Array, psi: Array, z_a: Array, z_b: Array) -> Array:
    delta, psi = np.broadcast_arrays(delta, psi)
    n = _n_star(delta, psi, z_a, z_b, "connor")
    dense = psi > PSI_EXACT - _NEAR_EXACT
    if dense.any():
        gap, share, items = delta[dense], psi[dense], n[dense]
        with np.errstate(divide="ignore"):
            extra = _exact_part(gap, share, items + 1 / np.abs(gap))
        n[dense] = np.where(np.isfinite(items), items + extra, np.inf)
    with np.errstate(divide="ignore"):
        return np.maximum(n, _discordant_needed(z_a, z_b) / psi)


def _n_star(delta: Array, psi: Array, z_a: Array, z_b: Array, method: PairedMethod) -> Array:
    if method == "default":
        return _default_n_star(delta, psi, z_a, z_b)
    gap2 = delta * delta
    sd0, sd1 = _sqrt_terms(gap2, psi, method)
    span = np.maximum(z_a * sd0 + z_b * sd1, 0.0)  # 0: chance alone rejects often enough
    with np.errstate(divide="ignore", invalid="ignore"):
        n = span * span / gap2
    return n if np.minimum.reduce(gap2, axis=None) > 0 else np.where(gap2 > 0, n, np.inf)


def paired_n_star(
    delta: FloatLike,
    *,
    psi: FloatLike,
    method: PairedMethod = "connor",
    alpha: FloatLike = 0.05,
    power: FloatLike = 0.8,
    sides: Sides = 2,
) -> Array:
    """Return the number of items needed to detect gap ``delta`` at discordance ``psi``.

    Parameters
    ----------
    delta : array_like
        Gap to detect, a proportion in [-psi, psi]. Its sign is ignored.
    psi : array_like
        Share of items on which exactly one model is right, in [0, 1].
    method : {"connor", "wald", "miettinen", "default"}, default "connor"
        Formula, as described in the module docstring. Exact tests need about 2 / |delta| more.
    alpha : array_like, default 0.05
        Level of the test, in (0, 1).
    power : array_like, default 0.8
        Target power: probability of detecting the gap, in (0, 1).
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only a gap > 0 is of interest.

    Returns
    -------
    Array
        Number of items, not rounded up. It is ``inf`` for delta = 0. Inputs broadcast.

    Raises
    ------
    InfeasibleError
        The condition |delta| ≤ psi ≤ 1 does not hold.

    References
    ----------
    Connor (1987), Biometrics 43.
    Miettinen (1968), Biometrics 24.
    Lachin (1992), Stat. Med. 11.
    Methods: Items, MDE and power

    Examples
    --------
    >>> round(float(paired_n_star(0.05, psi=0.2)), 1)
    625.5
    >>> paired_n_star([0.02, 0.05], psi=[[0.1], [0.2]]).shape
    (2, 2)
    """
    checks.choice("method", method, _METHODS)

    def block(gap: Array, share: Array, z_a: Array, z_b: Array) -> Array:
        _check_pair(gap, share)
        return _n_star(gap, share, z_a, z_b, method)

    return map_blocks(block, delta, psi, z_alpha(alpha, sides=sides), z_power(power))


def paired_n_star_from_rates(
    p_a: FloatLike,
    p_b: FloatLike,
    rho: FloatLike,
    *,
    method: PairedMethod = "connor",
    alpha: FloatLike = 0.05,
    power: FloatLike = 0.8,
    sides: Sides = 2,
) -> Array:
    """Return the number of items needed from two accuracies and the item correlation.

    Parameters
    ----------
    p_a, p_b : array_like
        Accuracies, proportions in (0, 1).
    rho : array_like
        Item correlation, within :func:`nstar.stats.rho_bounds`.
    method : {"connor", "wald", "miettinen", "default"}, default "connor"
        Formula, as described in the module docstring.
    alpha : array_like, default 0.05
        Level of the test, in (0, 1).
    power : array_like, default 0.8
        Target power: probability of detecting the gap, in (0, 1).
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only a gap > 0 is of interest.

    Returns
    -------
    Array
        Number of items, not rounded up. It is ``inf`` for equal accuracies. Inputs broadcast.

    Raises
    ------
    InfeasibleError
        ``rho`` is infeasible. The message contains the feasible range.

    References
    ----------
    Connor (1987), Biometrics 43.
    Methods: Items, MDE and power

    Examples
    --------
    One point at 70% and rho = 0.4 takes twice what the one-arm shortcut (9,888) says:

    >>> round(float(paired_n_star_from_rates(0.71, 0.70, 0.4)))
    19592
    """
    psi = psi_from_rho(p_a, p_b, rho)
    delta = np.subtract(p_a, p_b, dtype=np.float64)
    return paired_n_star(delta, psi=psi, method=method, alpha=alpha, power=power, sides=sides)


def _mde_closed(n: Array, psi: Array, z_a: Array, z_b: Array, method: PairedMethod) -> Array:
    if method == "wald":
        k2 = (z_a + z_b) ** 2
        return np.sqrt(k2 * psi / (n + k2))
    inner = n + z_b * z_b - z_a * z_a
    root = np.sqrt(psi) * (z_a * np.sqrt(n) + z_b * np.sqrt(np.maximum(inner, 0.0)))
    return root / (n + z_b * z_b)


def paired_mde(
    n: FloatLike,
    *,
    psi: FloatLike,
    method: PairedMethod = "connor",
    alpha: FloatLike = 0.05,
    power: FloatLike = 0.8,
    sides: Sides = 2,
) -> Array:
    """Return the minimum detectable gap on ``n`` items at fixed discordance ``psi``.

    This is the post-hoc MDE. psi comes from the data and does not depend on the gap.

    Parameters
    ----------
    n : array_like
        Number of items, > 0.
    psi : array_like
        Share of items on which exactly one model is right, in (0, 1].
    method : {"connor", "wald", "miettinen", "default"}, default "connor"
        Formula, as described in the module docstring.
    alpha : array_like, default 0.05
        Level of the test, in (0, 1).
    power : array_like, default 0.8
        Target power: probability of detecting the gap, in (0, 1). Meant for 0.5 or more, where a
        larger gap is always easier to detect.
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only a gap > 0 is of interest.

    Returns
    -------
    Array
        Size of the gap, a proportion. It is ``inf`` if even the largest possible gap, psi, would
        not be detected. Inputs broadcast.

    References
    ----------
    Connor (1987), Biometrics 43.
    Methods: Items, MDE and power

    Examples
    --------
    >>> round(float(paired_mde(1000, psi=0.168)), 4)
    0.0363
    >>> float(paired_mde(20, psi=0.1))
    inf
    """
    checks.choice("method", method, _METHODS)

    def block(items: Array, share: Array, z_a: Array, z_b: Array) -> Array:
        checks.positive("n", items)
        checks.within("psi", share, (0, 1), "in (0, 1]", ends=(False, True))
        if method in ("miettinen", "default"):
            return smallest(lambda d: _n_star(d, share, z_a, z_b, method) <= items, share)
        gap = _mde_closed(items, share, z_a, z_b, method)
        reach = gap <= share
        if method == "connor":  # squaring the identity has added a root that does not solve it
            reach &= z_a + z_b * np.sqrt(1 - share) <= np.sqrt(items * share)
        return gap if reach.all() else np.where(reach, gap, np.inf)

    z_a = z_alpha(alpha, sides=sides)
    z_b = np.maximum(z_power(power), -z_a)  # chance alone rejects often enough: MDE 0
    return map_blocks(block, n, psi, z_a, z_b)


def paired_mde_from_rate(
    n: FloatLike,
    *,
    p_b: FloatLike,
    rho: FloatLike,
    direction: Direction = "up",
    method: PairedMethod = "connor",
    alpha: FloatLike = 0.05,
    power: FloatLike = 0.8,
    sides: Sides = 2,
) -> Array:
    """Return the minimum detectable gap from accuracy ``p_b`` at fixed item correlation.

    This is the MDE for planning. As the accuracy of the other model changes, psi follows from rho.
    The results for the two directions differ because the variance of an accuracy depends on its
    value.

    Parameters
    ----------
    n : array_like
        Number of items, > 0.
    p_b : array_like
        Accuracy of B, a proportion in (0, 1).
    rho : array_like
        Item correlation, in (-1, 1).
    direction : {"up", "down"}, default "up"
        ``"up"`` if the other model is better, ``"down"`` if it is worse.
    method : {"connor", "wald", "miettinen", "default"}, default "connor"
        Formula, as described in the module docstring.
    alpha : array_like, default 0.05
        Level of the test, in (0, 1).
    power : array_like, default 0.8
        Target power: probability of detecting the gap, in (0, 1).
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only a gap > 0 is of interest.

    Returns
    -------
    Array
        Size of the gap, a proportion, positive in either direction. It is ``inf`` if no gap in
        this direction is both feasible for rho and detectable. Inputs broadcast.

    Raises
    ------
    InfeasibleError
        No two models with accuracies near ``p_b`` can have the correlation ``rho``.

    References
    ----------
    Connor (1987), Biometrics 43.
    Methods: Items, MDE and power

    Examples
    --------
    216 tasks at 74%, independent models: a gain of 10.8 points, but a loss of 12.5:

    >>> [
    ...     round(
    ...         float(paired_mde_from_rate(216, p_b=0.74, rho=0.0, direction=d, method="wald")), 3
    ...     )
    ...     for d in ("up", "down")
    ... ]
    [0.108, 0.125]
    """
    checks.choice("method", method, _METHODS)
    checks.choice("direction", direction, ("up", "down"))
    sign = 1.0 if direction == "up" else -1.0

    def block(items: Array, base: Array, corr: Array, z_a: Array, z_b: Array) -> Array:
        checks.positive("n", items)
        low, high = rate_range(base, corr)
        ok = (low <= base) & (base <= high)
        if not ok.all():
            i = int(np.argmin(ok))
            checks.feasible(
                ok,
                f"rho = {corr[i]:.6g} is impossible for two models with accuracies near "
                f"{base[i]:.6g}",
            )
        scale = 2 * corr * np.sqrt(base * (1 - base))

        def reach(gap: Array) -> BoolArray:
            p_a = np.clip(base + sign * gap, 0.0, 1.0)
            psi = p_a + base - 2 * p_a * base - scale * np.sqrt(p_a * (1 - p_a))
            return _n_star(gap, np.maximum(psi, gap), z_a, z_b, method) <= items

        return smallest(reach, high - base if sign > 0 else base - low)

    return map_blocks(block, n, p_b, rho, z_alpha(alpha, sides=sides), z_power(power))


def paired_mde_fixed_loss(
    n: FloatLike,
    *,
    p01: FloatLike,
    method: PairedMethod = "connor",
    alpha: FloatLike = 0.05,
    power: FloatLike = 0.8,
    sides: Sides = 2,
) -> Array:
    """Return the minimum detectable gain for a fixed share of lost items, p01.

    It applies to a change that breaks a known share of items. psi = 2 p01 + delta increases with
    the gain.

    Parameters
    ----------
    n : array_like
        Number of items, > 0.
    p01 : array_like
        Share of items that only B gets right, in [0, 0.5).
    method : {"connor", "wald", "miettinen", "default"}, default "connor"
        Formula, as described in the module docstring.
    alpha : array_like, default 0.05
        Level of the test, in (0, 1).
    power : array_like, default 0.8
        Target power: probability of detecting the gap, in (0, 1).
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only a gap > 0 is of interest.

    Returns
    -------
    Array
        Gain, a proportion. It is ``inf`` if even the largest possible gain, 1 - 2 p01, would not
        be detected. Inputs broadcast.

    References
    ----------
    Connor (1987), Biometrics 43.
    Methods: Items, MDE and power

    Examples
    --------
    >>> round(float(paired_mde_fixed_loss(500, p01=0.02)), 4)
    0.034
    """
    checks.choice("method", method, _METHODS)

    def block(items: Array, loss: Array, z_a: Array, z_b: Array) -> Array:
        checks.positive("n", items)
        checks.within("p01", loss, (0, 0.5), "in [0, 0.5)", ends=(True, False))
        return smallest(
            lambda gap: _n_star(gap, 2 * loss + gap, z_a, z_b, method) <= items, 1 - 2 * loss
        )

    return map_blocks(block, n, p01, z_alpha(alpha, sides=sides), z_power(power))


def paired_power(
    delta: FloatLike,
    *,
    psi: FloatLike,
    n: FloatLike,
    method: PairedMethod = "connor",
    alpha: FloatLike = 0.05,
    sides: Sides = 2,
) -> Array:
    """Return the approximate probability of detecting gap ``delta``, right tail only.

    Inverse of :func:`paired_n_star` (with ``"default"``, where that is not the fewest items that
    can reject at all). For the exact value of a named test see :func:`nstar.stats.exact_power`.

    Parameters
    ----------
    delta : array_like
        True gap, a proportion in [-psi, psi]. Its sign is ignored.
    psi : array_like
        Share of items on which exactly one model is right, in [0, 1].
    n : array_like
        Number of items, > 0.
    method : {"connor", "wald", "miettinen", "default"}, default "connor"
        Formula, as described in the module docstring.
    alpha : array_like, default 0.05
        Level of the test, in (0, 1).
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only a gap > 0 is of interest.

    Returns
    -------
    Array
        Probability, which is alpha / sides for delta = 0, and 0 if psi is also 0. Inputs
        broadcast.

    Raises
    ------
    InfeasibleError
        The condition |delta| ≤ psi ≤ 1 does not hold.

    References
    ----------
    Connor (1987), Biometrics 43.
    Methods: Items, MDE and power

    Examples
    --------
    >>> round(float(paired_power(0.05, psi=0.2, n=626)), 4)
    0.8003
    """
    checks.choice("method", method, _METHODS)

    def block(gap: Array, share: Array, items: Array, z_a: Array) -> Array:
        checks.positive("n", items)
        _check_pair(gap, share)
        if method == "default":
            items = np.maximum(items - _exact_part(gap, share, items), 0.0)
        sd0, sd1 = _sqrt_terms(gap * gap, share, "connor" if method == "default" else method)
        excess = np.abs(gap) * np.sqrt(items) - z_a * sd0
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(sd1 > 0, excess / sd1, np.where(excess > 0, np.inf, -np.inf))
        return np.asarray(special.ndtr(z))

    return map_blocks(block, delta, psi, n, z_alpha(alpha, sides=sides))
