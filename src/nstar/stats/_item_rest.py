"""Item-rest correlations from sums over models."""

from typing import Any

import numpy as np

from nstar._base.types import Array

_ROUNDING = 1e-12
"""What subtraction leaves of equal scores, as a share of their squares."""


class RestScore:
    """What each model scores on its other items: ``level - share * x``, for any of its x.

    Level and share are its total and 1, over its items less one; a model of one item has none.
    """

    def __init__(self, totals: Array, counts: Array) -> None:
        enough = counts > 1
        share = np.where(enough, 1 / np.maximum(counts - 1, 1.0), 0.0)
        level = totals * share
        if enough.any():
            level = level - level[enough].mean()  # a shift changes no correlation
        self.enough, self.level, self.share = enough, np.where(enough, level, 0.0), share
        self.alike = bool((counts == counts[0]).all() and enough.all())
        """Every model has as many items."""

    def correlation(self, x: Any, there: Any = None) -> Array:
        """Of each item, (models, items); ``x`` is 0 where absent, and bytes if it is 0 or 1.

        ``there`` says which scores there are; None if all are.
        """
        level, share = self.level, self.share
        if there is not None or not self.enough.all():
            there = self.enough[:, None] if there is None else there & self.enough[:, None]
            there = np.broadcast_to(there, x.shape).astype(np.float64)
        binary = x.dtype == np.uint8
        x = x.astype(np.float64) if there is None else x * there
        if self.alike:
            k = float(share[0])
            by_level, sums = level @ x, x.sum(axis=0)
            own = sums if binary else np.einsum("ij,ij->j", x, x)
            by_share, by_both, own_share, own_share2 = k * sums, k * by_level, k * own, k * k * own
        else:
            weights = np.stack([np.ones_like(level), level, share, level * share, share * share])
            sums, by_level, by_share, by_both, square = weights @ x
            own, own_share, own_share2 = sums, by_share, square
            if not binary:
                own, own_share, own_share2 = weights[[0, 2, 4]] @ np.square(x)
        if there is None:
            m, levels, levels2 = float(len(x)), float(level.sum()), float(level @ level)
        else:
            m, levels, levels2 = np.stack([np.ones_like(level), level, level * level]) @ there
        rest, rest2 = levels - by_share, levels2 - 2 * by_both + own_share2
        with np.errstate(divide="ignore", invalid="ignore"):
            both = (by_level - own_share) - sums * rest / m
            var_x, var_rest = own - sums * sums / m, rest2 - rest * rest / m
            r = both / np.sqrt(var_x * var_rest)
        seen = (np.asarray(m) >= 2) & (var_x > _ROUNDING * own) & (var_rest > _ROUNDING * rest2)
        return np.where(seen, np.clip(r, -1.0, 1.0), np.nan)
