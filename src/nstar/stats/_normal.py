"""Convert between a number of items and a multiple of the standard error."""

import numpy as np

from nstar._base import checks
from nstar._base.types import Array


def span(n: Array, sigma: Array, factor: Array) -> Array:
    """Return ``factor`` · sigma / √n: a half-width if the factor is z, and an MDE if it is K."""
    checks.positive("n", n)
    checks.positive("sigma", sigma)
    return factor * sigma / np.sqrt(n)


def needed(delta: Array, sigma: Array, factor: Array) -> Array:
    """Return (``factor`` · sigma / delta)²: the items for a gap of ``factor`` standard errors."""
    checks.positive("sigma", sigma)
    checks.finite("delta", delta)
    with np.errstate(divide="ignore"):
        ratio = factor * sigma / delta
    return ratio * ratio
