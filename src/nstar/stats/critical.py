"""Critical values: z for a level, K = z_alpha + z_power, Student's t, sample-size inflation."""

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array, FloatLike, Sides
from nstar.stats._blocks import map_blocks
from nstar.stats._roots import mixture_root

__all__ = [
    "anytime_critical",
    "inflation",
    "k_factor",
    "t_quantile",
    "z_alpha",
    "z_conf",
    "z_power",
]

_SMALLEST_TAIL = float(np.finfo(np.float64).tiny)


def z_alpha(alpha: FloatLike = 0.05, *, sides: Sides = 2) -> Array:
    """Return the critical value of a standard normal test at level ``alpha``.

    Parameters
    ----------
    alpha : array_like, default 0.05
        Level of the test, in (0, 1), over both tails when ``sides`` is 2.
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only a gap > 0 is of interest, with all of ``alpha`` in one
        tail.

    Returns
    -------
    Array
        Critical value of |z|, or of z if ``sides`` is 1, in standard errors, in the shape of
        ``alpha``. It is negative for a one-sided level above 0.5.

    References
    ----------
    Methods: Notation.

    Examples
    --------
    >>> round(float(z_alpha(0.05)), 6)
    1.959964
    >>> round(float(z_alpha(0.05, sides=1)), 6)
    1.644854
    """
    checks.fraction("alpha", alpha)
    checks.choice("sides", sides, (1, 2))
    return np.asarray(-special.ndtri(np.asarray(alpha, dtype=np.float64) / sides))[()]


def z_conf(conf: FloatLike = 0.95) -> Array:
    """Return the half-width of a two-sided normal interval, in standard errors.

    Parameters
    ----------
    conf : array_like, default 0.95
        Coverage, in (0, 1).

    Returns
    -------
    Array
        Number of standard errors, > 0, in the shape of ``conf``.

    References
    ----------
    Methods: Notation.

    Examples
    --------
    >>> round(float(z_conf(0.9)), 6)
    1.644854
    """
    checks.fraction("conf", conf)
    return z_alpha(1 - np.asarray(conf, dtype=np.float64))


def z_power(power: FloatLike = 0.8) -> Array:
    """Return the normal quantile of the target power.

    Parameters
    ----------
    power : array_like, default 0.8
        Target power: probability of detecting the gap, in (0, 1).

    Returns
    -------
    Array
        Number of standard errors, in the shape of ``power``. It is negative for a power below 0.5.

    References
    ----------
    Methods: Notation.

    Examples
    --------
    >>> round(float(z_power(0.8)), 6)
    0.841621
    """
    checks.fraction("power", power)
    return np.asarray(special.ndtri(np.asarray(power, dtype=np.float64)))[()]


def k_factor(alpha: FloatLike = 0.05, power: FloatLike = 0.8, *, sides: Sides = 2) -> Array:
    """Return K = z_alpha + z_power, the size of a detectable effect in standard errors.

    Parameters
    ----------
    alpha : array_like, default 0.05
        Level of the test, in (0, 1).
    power : array_like, default 0.8
        Target power: probability of detecting the gap, in (0, 1).
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only a gap > 0 is of interest.

    Returns
    -------
    Array
        Number of standard errors. It is 0 if ``power`` is alpha / sides, and negative below.
        Inputs broadcast.

    References
    ----------
    Methods: Notation.

    Examples
    --------
    >>> round(float(k_factor()), 6), round(float(k_factor() ** 2), 6)
    (2.801585, 7.84888)
    """
    return np.asarray(z_alpha(alpha, sides=sides) + z_power(power))[()]


def inflation(critical: FloatLike, *, alpha: FloatLike = 0.05, power: FloatLike = 0.8) -> Array:
    """Return the factor by which N* increases for the critical value ``critical``.

    The factor is ((c + z_power) / K)², relative to z_alpha. The critical value must already
    include every correction, such as those for families and looks, because factors of separate
    corrections do not multiply.

    Parameters
    ----------
    critical : array_like
        Critical value c of |z|, in standard errors, > 0.
    alpha : array_like, default 0.05
        Level of the test, in (0, 1), two-sided.
    power : array_like, default 0.8
        Target power: probability of detecting the gap, in (0, 1); above alpha / 2.

    Returns
    -------
    Array
        Factor, which is 1 at z_alpha. Inputs broadcast.

    References
    ----------
    Methods: Families of comparisons.

    Examples
    --------
    Bonferroni over 40 comparisons:

    >>> round(float(inflation(z_alpha(0.05 / 40))), 3)
    2.109
    """

    def block(c: Array, z_b: Array, k: Array) -> Array:
        checks.positive("critical", c)
        ratio = (c + z_b) / k
        return ratio * ratio

    return map_blocks(block, critical, z_power(power), k_factor(alpha, power))


def anytime_critical(alpha: FloatLike = 0.05) -> Array:
    """Return the |t| to reach at N items if one may look after every item and stop at any time.

    This is the boundary at N of the normal mixture that is tuned to N, which is the lowest
    possible at N: √[(1 + 1/r) ln((1 + r) / alpha²)] with r = -W₋₁(-alpha²/e) - 1.

    Parameters
    ----------
    alpha : array_like, default 0.05
        Level of the test, in (0, 1), two-sided.

    Returns
    -------
    Array
        Number of standard errors, in the shape of ``alpha``. It does not depend on N.

    References
    ----------
    Robbins (1970), Ann. Math. Stat. 41. Howard, Ramdas, McAuliffe, Sekhon (2021), Ann. Stat. 49.
    Methods: Interim looks.

    Examples
    --------
    >>> round(float(anytime_critical(0.05)), 4)
    3.0351
    """

    def block(level: Array) -> Array:
        checks.fraction("alpha", level)
        r = mixture_root(level)
        return np.sqrt((1 + 1 / r) * (np.log1p(r) - 2 * np.log(level)))

    return map_blocks(block, alpha)


def normal_equivalent(t: FloatLike, df: FloatLike) -> Array:
    """Return the normal score with the same tail probability as Student's t."""

    def block(stat: Array, nu: Array) -> Array:
        checks.finite("t", stat)
        checks.require(nu > 0, "df", "> 0", nu)
        finite = np.where(np.isfinite(nu), nu, 1.0)
        tail = np.maximum(special.stdtr(finite, -np.abs(stat)), _SMALLEST_TAIL)
        return np.where(np.isfinite(nu), np.copysign(special.ndtri(tail), stat), stat)

    return map_blocks(block, t, df)


def t_quantile(p: FloatLike, df: FloatLike) -> Array:
    """Return the quantile of Student's t at probability ``p`` with ``df`` degrees of freedom.

    It is computed from the inverse incomplete beta function, which is accurate to 14 digits.
    ``stdtrit`` of older SciPy versions is accurate to 10.

    Parameters
    ----------
    p : array_like
        Probability, in (0, 1).
    df : array_like
        Degrees of freedom, > 0. For ``inf``, the result is the normal quantile.

    Returns
    -------
    Array
        Quantile, which is 0 at p = ½ and negative below. Inputs broadcast.

    References
    ----------
    Student (1908), Biometrika 6.
    Methods: Graded scores.

    Examples
    --------
    >>> round(float(t_quantile(0.975, 13)), 6)
    2.160369
    """

    def block(prob: Array, nu: Array) -> Array:
        checks.fraction("p", prob)
        checks.require(nu > 0, "df", "> 0", nu)
        finite = np.where(np.isfinite(nu), nu, 1.0)
        tail = 2 * np.minimum(prob, 1 - prob)
        small = special.betaincinv(finite / 2, 0.5, tail)  # df / (df + t²)
        size = np.sqrt(finite * special.betainccinv(0.5, finite / 2, tail) / small)
        t = np.where(prob < 0.5, -size, size)
        return np.where(np.isfinite(nu), t, special.ndtri(prob))

    return map_blocks(block, p, df)
