"""Normal critical values: z for a level, K = z_alpha + z_power, and what a larger z costs."""

import numpy as np
from scipy import special

from nstar._typing import Array, FloatLike, Sides
from nstar.stats import _check

__all__ = ["inflation", "k_factor", "z_alpha", "z_power"]


def z_alpha(alpha: FloatLike = 0.05, *, sides: Sides = 2) -> Array:
    """Critical value of a standard normal test at level ``alpha`` (a probability).

    Parameters
    ----------
    alpha
        Total level in (0, 1), over both tails when ``sides`` is 2.
    sides
        2 (default) splits ``alpha`` between the tails; 1 puts all of it in one.

    Examples
    --------
    >>> round(float(z_alpha(0.05)), 6)
    1.959964
    >>> round(float(z_alpha(0.05, sides=1)), 6)
    1.644854
    """
    _check.fraction("alpha", alpha)
    _check.choice("sides", sides, (1, 2))
    return np.asarray(-special.ndtri(np.asarray(alpha, dtype=np.float64) / sides))[()]


def z_power(power: FloatLike = 0.8) -> Array:
    """Normal quantile of the wanted power (a probability in (0, 1)).

    Examples
    --------
    >>> round(float(z_power(0.8)), 6)
    0.841621
    """
    _check.fraction("power", power)
    return np.asarray(special.ndtri(np.asarray(power, dtype=np.float64)))[()]


def k_factor(alpha: FloatLike = 0.05, power: FloatLike = 0.8, *, sides: Sides = 2) -> Array:
    """K = z_alpha + z_power: the standard errors an effect must span to be detectable.

    Examples
    --------
    >>> round(float(k_factor()), 6), round(float(k_factor() ** 2), 6)
    (2.801585, 7.84888)
    """
    return np.asarray(z_alpha(alpha, sides=sides) + z_power(power))[()]


def inflation(critical: FloatLike, *, alpha: FloatLike = 0.05, power: FloatLike = 0.8) -> Array:
    """Factor by which N* grows when the critical value is ``critical`` instead of z_alpha.

    ((c + z_power) / K)². The critical value must already account for everything at once
    (family, looks …): factors of separate corrections do not multiply.

    Examples
    --------
    Bonferroni over 40 comparisons:

    >>> round(float(inflation(z_alpha(0.05 / 40))), 3)
    2.109
    """
    _check.positive("critical", critical)
    ratio = (np.asarray(critical) + z_power(power)) / k_factor(alpha, power)
    return np.asarray(ratio * ratio)[()]
