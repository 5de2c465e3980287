"""Spans of a normal mean: so many standard errors."""

import numpy as np

from nstar._typing import Array
from nstar.stats import _check

__all__ = ["span"]


def span(n: Array, sigma: Array, factor: Array) -> Array:
    """``factor`` · sigma / √n: a half-width if the factor is z, an MDE if it is K."""
    _check.positive("n", n)
    _check.positive("sigma", sigma)
    return factor * sigma / np.sqrt(n)
