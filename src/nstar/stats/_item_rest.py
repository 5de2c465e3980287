"""Compute item-rest correlations from sums over models."""

from typing import Any

import numpy as np
import numpy.typing as npt

from nstar._base.types import Array

_ROUNDING = 1e-12
"""Rounding error of the difference of equal scores, relative to their squares."""


class RestScore:
    """Mean score of each model over its other items: ``level - share * x`` for a score x.

    The level is the total divided by the number of items minus 1. The share is 1 divided by the
    same number. Both are undefined for a model with one item.
    """

    def __init__(self, totals: Array, counts: Array) -> None:
        has_rest = counts > 1
        share = np.where(has_rest, 1 / np.maximum(counts - 1, 1.0), 0.0)
        level = totals * share
        if has_rest.any():
            level = level - level[has_rest].mean()  # a shift does not change a correlation
        self.enough, self.level, self.share = has_rest, np.where(has_rest, level, 0.0), share
        self.alike = bool((counts == counts[0]).all() and has_rest.all())
        """Whether all models have the same number of items."""

    def correlation(self, x: npt.NDArray[Any], present: npt.NDArray[Any] | None = None) -> Array:
        """Return the correlation of each item, given scores ``x`` of shape (models, items).

        ``x`` is 0 for missing scores. ``present`` marks the existing scores. None means that none
        is missing.
        """
        level, share = self.level, self.share
        if present is not None or not self.enough.all():
            present = self.enough[:, None] if present is None else present & self.enough[:, None]
            present = np.broadcast_to(present, x.shape).astype(np.float64)
        binary = x.dtype == np.uint8
        x = x.astype(np.float64) if present is None else x * present
        if self.alike:
            k = float(share[0])
            by_level, sums = level @ x, x.sum(axis=0)
            sum_x2 = sums if binary else np.einsum("ij,ij->j", x, x)
            by_share, by_both, own_share, own_share2 = (
                k * sums,
                k * by_level,
                k * sum_x2,
                k * k * sum_x2,
            )
        else:
            weights = np.stack([np.ones_like(level), level, share, level * share, share * share])
            sums, by_level, by_share, by_both, square = weights @ x
            sum_x2, own_share, own_share2 = sums, by_share, square
            if not binary:
                sum_x2, own_share, own_share2 = weights[[0, 2, 4]] @ np.square(x)
        if present is None:
            m, levels, levels2 = float(len(x)), float(level.sum()), float(level @ level)
        else:
            m, levels, levels2 = np.stack([np.ones_like(level), level, level * level]) @ present
        rest, rest2 = levels - by_share, levels2 - 2 * by_both + own_share2
        with np.errstate(divide="ignore", invalid="ignore"):
            cov = (by_level - own_share) - sums * rest / m
            var_x, var_rest = sum_x2 - sums * sums / m, rest2 - rest * rest / m
            r = cov / np.sqrt(var_x * var_rest)
        is_defined = (
            (np.asarray(m) >= 2) & (var_x > _ROUNDING * sum_x2) & (var_rest > _ROUNDING * rest2)
        )
        return np.where(is_defined, np.clip(r, -1.0, 1.0), np.nan)
