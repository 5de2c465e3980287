"""Simulated evaluations by a judge of all items and labels of some, as sufficient sums."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nstar._base.types import Array, IntArray
from nstar.stats.judge import departure_variance


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroupedSums:
    """Sums of the same replications by cluster, (R, G) each."""

    sizes: IntArray
    """Number of items of each cluster, (G,)."""
    labels: Array
    """Number of labeled items of each cluster."""
    truth: Array
    """Sum of the labels."""
    judged: Array
    """Sum of the judge's scores of labeled items."""
    every: Array
    """Sum of the judge's scores of all items."""

    @classmethod
    def of(cls, truth: Array, judged: Array, codes: IntArray, sizes: IntArray) -> "GroupedSums":
        """Return the sums of differences (R, T), with labeled items first, by cluster."""
        reps, n = truth.shape
        at = codes + sizes.size * np.arange(reps)[:, None]

        def added(values: Array, n_items: int) -> Array:
            cells = at[:, :n_items].ravel()
            out = np.bincount(cells, values.ravel(), minlength=reps * sizes.size)
            return np.asarray(out.reshape(reps, sizes.size), dtype=np.float64)

        return cls(
            sizes=sizes,
            labels=added(np.ones_like(truth), n),
            truth=added(truth, n),
            judged=added(judged[:, :n], n),
            every=added(judged, judged.shape[1]),
        )


@dataclass(frozen=True, kw_only=True, eq=False)  # cached_property needs a __dict__
class JudgedSums:
    """Replications of two models with a judge's scores of all items and labels of some.

    Labels D and judgments f are differences, first minus second. For independent items, procedures
    need only sums, (R,) each.
    """

    items: int
    """Number of judged items, T."""
    labels: int
    """Number of items in the random labeled part, n."""
    d: Array
    """Sum of D over labeled items."""
    dd: Array
    """Sum of D²."""
    f: Array
    """Sum of f over labeled items."""
    ff: Array
    """Sum of f²."""
    df: Array
    """Sum of D f."""
    every: Array
    """Sum of f over all items."""
    squares: Array
    """Sum of f² over all items."""
    truth: float
    """True gap: that of labels, if all items in the population had one."""
    binary: bool = False
    """Whether scores are 0 or 1. Otherwise they are graded, on a scale from 0 to 1."""
    sigma: float | None = None
    """True standard deviation of D; None if unknown."""
    r: float | None = None
    """True correlation of D and f; None if unknown."""
    groups: GroupedSums | None = None
    """Sums by cluster; None if items are independent."""

    @classmethod
    def of(
        cls,
        d: Array,
        f: Array,
        *,
        truth: float,
        groups: GroupedSums | None = None,
        binary: bool = False,
    ) -> "JudgedSums":
        """Return the sums of labels of the first items, (R, n), and of all judgments, (R, T)."""
        n = d.shape[1]
        f_labeled = f[:, :n]
        return cls(
            items=f.shape[1],
            labels=n,
            d=d.sum(axis=1),
            dd=np.vecdot(d, d),
            f=f_labeled.sum(axis=1),
            ff=np.vecdot(f_labeled, f_labeled),
            df=np.vecdot(d, f_labeled),
            every=f.sum(axis=1),
            squares=np.vecdot(f, f),
            truth=truth,
            groups=groups,
            binary=binary,
        )

    def __len__(self) -> int:
        """Return the number of replications."""
        return len(self.d)

    @cached_property
    def slope(self) -> Array:
        """Return λ of each replication; 0 if the judge does not vary on labeled items."""
        spread = self.ff - self.f * self.f / self.labels
        shared = self.df - self.d * self.f / self.labels
        has_spread = spread > 1e-12 * self.ff
        return np.where(has_spread, shared / np.where(has_spread, spread, 1.0), 0.0)

    @property
    def discordant(self) -> tuple[Array, Array]:
        """Return the labeled items that only the first, and only the second, model solved."""
        return (self.dd + self.d) / 2, (self.dd - self.d) / 2

    @property
    def unseen(self) -> float:
        """Return the variance of departures, as :func:`nstar.stats.judge.departure_variance`."""
        size = 1.0 if self.binary else 0.5
        return float(departure_variance(self.labels, judged=self.items, departure=size))

    @property
    def label_mean(self) -> Array:
        """Return the mean of the labels."""
        return self.d / self.labels

    @cached_property
    def label_variance(self) -> Array:
        """Return the variance of D (ddof 1)."""
        rest = self.dd - self.d * self.d / self.labels
        return np.maximum(rest, 0.0) / (self.labels - 1)

    @cached_property
    def corrected(self) -> tuple[Array, Array]:
        """Return the corrected gap and its standard error.

        The standard error allows for unobserved disagreements of judge and labels.
        """
        n, t, lam = self.labels, self.items, self.slope
        mean = self.label_mean + lam * (self.every / t - self.f / n)
        shared = self.df - self.d * self.f / n
        left = self.label_variance * (n - 1) - lam * shared
        residual = np.maximum(left, 0.0) / (n - 2)
        known = residual * (1 / n - 1 / t) + self.label_variance / t
        return mean, np.sqrt(known + self.unseen)

    def influence(self, slope: Array, *, fitted: int = 0) -> tuple[Array, IntArray]:
        """Return sums of ψ by cluster, (R, G), and sizes."""
        g = self.groups
        if g is None:
            msg = "This scenario has no clusters."
            raise ValueError(msg)
        lam, n, t = slope[:, None], self.labels, self.items
        label, judge = self.label_mean[:, None], (self.f / n)[:, None]
        left = g.truth - g.labels * label - lam * (g.judged - g.labels * judge)
        left *= np.sqrt(n / (n - fitted * (1 - n / t)))
        return left * (t / n) + lam * (g.every - g.sizes * (self.every / t)[:, None]), g.sizes
