"""Wilson's score interval (1927): half-width and limits."""

import numpy as np

from nstar._base.types import Array


def wilson_half(n: Array, p: Array, z: Array | float) -> Array:
    """Return the half-width at a share ``p`` of ``n`` items."""
    z2 = z * z
    return z / (1 + z2 / n) * np.sqrt(p * (1 - p) / n + z2 / (4 * n * n))


def wilson_limits(x: Array, n: Array, z: Array | float) -> tuple[Array, Array]:
    """Return the limits for ``x`` of ``n`` items, which are exactly 0 or 1 at the ends."""
    mid, half = (x + z * z / 2) / (n + z * z), wilson_half(n, x / n, z)
    return np.where(x == 0, 0.0, mid - half), np.where(x == n, 1.0, mid + half)
