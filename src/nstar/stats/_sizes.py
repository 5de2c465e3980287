"""Find the numbers of items for which reported accuracies are possible (GRIM in reverse)."""

import numpy as np

from nstar._base.types import IntArray

_MOST_DIGITS = 5
"""Number of decimals of a proportion up to which all numbers of items are checked."""


def sizes_that_print(shares: tuple[float, ...], decimals: tuple[int, ...]) -> IntArray:
    """Return the numbers of items below 10^decimals for which all accuracies are possible.

    A half may be rounded up or down. Here, decimals is that of the accuracy with the most digits.
    From 10^decimals on, every number of items is possible for that accuracy.

    >>> sizes_that_print((0.8571, 0.7143), (4, 4))[:4].tolist()
    [7, 14, 21, 28]
    """
    n_stop = 10 ** min(max(decimals), _MOST_DIGITS)
    n = np.arange(1, n_stop, dtype=np.float64)
    fits = np.ones(n.shape, dtype=bool)
    for p, digits in zip(shares, decimals, strict=True):
        half = 0.5 * 10.0**-digits * (1 + 1e-9)
        fits &= np.floor((p + half) * n) >= np.ceil((p - half) * n)
    return np.flatnonzero(fits).astype(np.int64) + 1
