"""Planning for precision: items that make an interval as narrow as wanted."""

from typing import Literal

from nstar._typing import Array, FloatLike
from nstar.stats import _check
from nstar.stats._blocks import map_blocks
from nstar.stats._normal import span
from nstar.stats._roots import bisect
from nstar.stats._wilson import wilson_half
from nstar.stats.critical import z_conf

__all__ = ["half_width", "n_for_difference", "n_for_proportion", "wilson_half_width"]


def half_width(n: FloatLike, *, sigma: FloatLike, conf: FloatLike = 0.95) -> Array:
    """Half-width z sigma / √n of an interval for a mean (or a mean difference).

    Note that a gap equal to the half-width is detected only half of the time; the MDE at
    80 % power is 1.43 times as large.

    Examples
    --------
    >>> round(float(half_width(1000, sigma=0.405)), 4)
    0.0251
    """
    z = z_conf(conf)
    return map_blocks(span, n, sigma, z)


def n_for_difference(width: FloatLike, *, sigma: FloatLike, conf: FloatLike = 0.95) -> Array:
    """Items for an interval of half-width ``width`` around a mean difference: (z sigma/width)².

    Examples
    --------
    >>> round(float(n_for_difference(0.01, sigma=0.405)))
    6301
    """
    z = z_conf(conf)

    def block(half: Array, sd: Array, crit: Array) -> Array:
        _check.positive("width", half)
        _check.positive("sigma", sd)
        ratio = crit * sd / half
        return ratio * ratio

    return map_blocks(block, width, sigma, z)


def wilson_half_width(n: FloatLike, *, p: FloatLike, conf: FloatLike = 0.95) -> Array:
    """Half-width of the Wilson interval of one accuracy expected at ``p``.

    Examples
    --------
    >>> round(float(wilson_half_width(216, p=0.74)), 4)
    0.0581
    """
    z = z_conf(conf)

    def block(items: Array, rate: Array, crit: Array) -> Array:
        _check.positive("n", items)
        _check.probability("p", rate)
        return wilson_half(items, rate, crit)

    return map_blocks(block, n, p, z)


def n_for_proportion(
    width: FloatLike,
    *,
    p: FloatLike,
    conf: FloatLike = 0.95,
    method: Literal["wilson", "wald"] = "wilson",
) -> Array:
    """Items for an interval of half-width ``width`` around one model's accuracy ``p``.

    Wald's z² p (1 - p) / width² promises 0 items at p = 0 or 1; Wilson's (default, solved by
    bisection) does not. The half-width is in (0, 0.5).

    Examples
    --------
    >>> round(float(n_for_proportion(0.03, p=0.74)))
    819
    >>> round(float(n_for_proportion(0.03, p=1.0)))
    60
    """
    _check.choice("method", method, ("wilson", "wald"))
    z = z_conf(conf)

    def block(half: Array, rate: Array, crit: Array) -> Array:
        _check.within("width", half, (0, 0.5), "in (0, 0.5)", ends=(False, False))
        _check.probability("p", rate)
        wald = crit * crit * rate * (1 - rate) / (half * half)
        if method == "wald":
            return wald
        high = wald + crit * crit / half + 1
        return bisect(lambda m: wilson_half(m, rate, crit) > half, 1e-9, high)

    return map_blocks(block, width, p, z)
