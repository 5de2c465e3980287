"""A gap that may hide losses too rare to have shown.

A t interval of graded scores is as narrow as the differences seen, and says nothing of a candidate
that fails wholly on one item of a hundred before such an item has come. So the null "worse by the
margin" is taken in its least visible form: the differences seen, and a share of items that lose
the whole scale, just large enough to bring the mean down to the null. Its variance is that of
such a mixture. Where no difference was seen this is the score bound of 0 out of n, where losses
are all or nothing it is Wilson's.

Gains, standard errors and widths are in score units; n counts items. All take arrays.
"""

import numpy as np

from nstar._typing import Array, FloatLike

__all__ = ["lower_bound", "room_needed", "standardised"]


def lower_bound(
    gain: FloatLike, se: FloatLike, n: FloatLike, *, width: FloatLike, quantile: FloatLike
) -> Array:
    """One-sided lower bound of the gain.

    Parameters
    ----------
    gain, se
        Mean difference, positive = better, and its standard error.
    n
        Items.
    width
        Best minus worst score.
    quantile
        Standard errors of a one-sided bound.

    Examples
    --------
    >>> round(float(lower_bound(0.0, 0.0, 300, width=1.0, quantile=1.645)), 5)
    -0.00894
    >>> round(float(lower_bound(0.0, 0.01, 300, width=1.0, quantile=1.645)), 5)
    -0.02128
    """
    gain, se, n = (np.asarray(x, dtype=np.float64) for x in (gain, se, n))
    t2 = np.square(np.asarray(quantile, dtype=np.float64))
    width = np.asarray(width, dtype=np.float64)
    most = np.maximum(gain + width, np.finfo(np.float64).tiny)
    variance = n * se**2
    linear = t2 * (most - variance / most)
    below = (linear + np.sqrt(linear**2 + 4 * (n + t2) * t2 * variance)) / (2 * (n + t2))
    return np.asarray(np.maximum(gain - below, -width))


def standardised(
    gain: FloatLike, se: FloatLike, n: FloatLike, *, width: FloatLike, margin: FloatLike
) -> Array:
    """How many standard errors under the null the gain lies above -margin.

    Below the null the error is the one seen. The statistic equals ``quantile`` where
    :func:`lower_bound` equals -margin.

    Examples
    --------
    >>> round(float(standardised(0.0, 0.0, 268, width=1.0, margin=0.01)), 4)
    1.6453
    """
    gain, se, n = (np.asarray(x, dtype=np.float64) for x in (gain, se, n))
    width, margin = (np.asarray(x, dtype=np.float64) for x in (width, margin))
    above = gain + margin
    most = np.maximum(gain + width, np.finfo(np.float64).tiny)
    share = np.clip(above / most, 0.0, 1.0)
    error = np.sqrt((1 - share) * se**2 + share * (1 - share) * most**2 / n)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(above == 0, 0.0, above / error)


def room_needed(se: FloatLike, n: FloatLike, *, left: FloatLike, quantile: FloatLike) -> Array:
    """How far above -margin a gain must lie to be shown above it.

    Parameters
    ----------
    se
        Standard error of the gain.
    n
        Items.
    left
        Width of the scale beyond the margin; 0 for a test that fears no rare losses.
    quantile
        Standard errors of a one-sided bound.

    Examples
    --------
    >>> round(float(room_needed(0.01, 300, left=0.99, quantile=1.645)), 4)
    0.0215
    """
    z2 = np.square(np.asarray(quantile, dtype=np.float64))
    half = z2 * np.asarray(left) / (2 * np.asarray(n))
    return np.asarray(half + np.sqrt(half**2 + z2 * np.square(np.asarray(se))))
