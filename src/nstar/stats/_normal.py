"""Convert between items and the width of a multiple of the standard error."""

import numpy as np

from nstar._base import checks
from nstar._base.types import Array


def span(n: Array, sigma: Array, factor: Array) -> Array:
    """``factor`` · sigma / √n: a half-width if the factor is z, an MDE if it is K."""
    checks.positive("n", n)
    checks.positive("sigma", sigma)
    return factor * sigma / np.sqrt(n)


def needed(delta: Array, sigma: Array, factor: Array) -> Array:
    """(``factor`` · sigma / delta)²: items for which a gap spans ``factor`` standard errors."""
    checks.positive("sigma", sigma)
    checks.finite("delta", delta)
    with np.errstate(divide="ignore"):
        ratio = factor * sigma / delta
    return ratio * ratio
