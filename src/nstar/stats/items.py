"""Items across models: item-rest correlation, reliability, and the effect of wrong keys.

A score matrix has models as rows and items as columns. No function assumes a response model. None
of these quantities measures how small a gap between two models is detectable. For this, see the
minimum detectable effect in :mod:`nstar.stats.power`.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from nstar._base import checks
from nstar._base.types import Array, FloatLike, Interval, Sides
from nstar.errors import ParameterError
from nstar.stats._blocks import map_blocks, map_blocks2
from nstar.stats._item_rest import RestScore
from nstar.stats.power import paired_n_star

__all__ = [
    "LabelNoise",
    "change_interval",
    "cronbach_alpha",
    "item_rest",
    "label_noise",
    "reliability_at",
]


def _totals(x: Array, totals: FloatLike | None, counts: FloatLike | None) -> tuple[Array, Array]:
    """Return the sum and the number of each model's scores, as passed or computed from ``x``."""
    if (totals is None) != (counts is None):
        msg = (
            "totals and counts must be set together: the sums of scores over all items, and the "
            "numbers of these items."
        )
        raise ParameterError(msg)
    if totals is None:
        return np.nansum(x, axis=1), np.count_nonzero(~np.isnan(x), axis=1).astype(np.float64)
    arrays = np.asarray(totals, dtype=np.float64), np.asarray(counts, dtype=np.float64)
    for name, value in zip(("totals", "counts"), arrays, strict=True):
        if value.shape != (len(x),):
            msg = f"{name} must be one number for each of {len(x)} models; got {value.shape}"
            raise ParameterError(msg)
    return arrays


def item_rest(
    scores: FloatLike, *, totals: FloatLike | None = None, counts: FloatLike | None = None
) -> Array:
    """Return the correlation of an item's scores with the models' means over the other items.

    r(x_i, (T - x_i) / (n - 1)) over the models that have the item, where T and n are a model's
    total and its number of items. Without missing scores this is r(x_i, T - x_i), psych's
    ``r.drop``. An item that better models answer incorrectly has a negative correlation.

    Parameters
    ----------
    scores : array_like
        Scores of shape (models, items), with NaN for missing scores.
    totals, counts : array_like, optional
        Sum and number of each model's scores over all items, if ``scores`` contains only some of
        the items.

    Returns
    -------
    Array
        Correlations in [-1, 1], one for each item. NaN if the item, or the mean over the others,
        is the same for all models, or if fewer than 2 models have the item.

    References
    ----------
    Lord and Novick (1968), Statistical Theories of Mental Test Scores, § 15. Methods: Items

    Examples
    --------
    >>> item_rest([[1, 1, 1, 0], [1, 1, 0, 0], [0, 0, 1, 0]]).round(3).tolist()
    [0.5, 0.5, -0.5, nan]
    """
    x = np.asarray(scores, dtype=np.float64)
    if x.ndim != 2:
        msg = f"scores must have 2 dimensions (models, items); got shape {x.shape}"
        raise ParameterError(msg)
    total, n = _totals(x, totals, counts)
    present = ~np.isnan(x)
    center = float(total.sum() / max(n.sum(), 1.0))  # to preserve the digits of sums of squares
    x = np.where(present, x - center, 0.0)
    return RestScore(total - n * center, n).correlation(x, None if present.all() else present)


def _alpha(n: Array, items: Array, total: Array) -> Array:
    checks.within("n", n, (2, np.inf), "at least 2 items", ends=(True, False))
    checks.nonnegative("item_variance", items)
    checks.positive("total_variance", total)
    return n / (n - 1) * (1 - items / total)


def cronbach_alpha(n: FloatLike, *, item_variance: FloatLike, total_variance: FloatLike) -> Array:
    """Return Cronbach's alpha of a total score, which is Kuder–Richardson 20 for 0/1 scores.

    It is N / (N - 1) (1 - sum of the items' variances / variance of the totals), where variances
    are over models with divisor M. It increases with the spread of the models. Models with
    accuracies from 20% to 70% make any test look reliable, so it does not describe a comparison of
    two models with similar scores.

    Parameters
    ----------
    n : array_like
        Number of items, at least 2.
    item_variance : array_like
        Sum over items of the variance of their scores, in squared score units.
    total_variance : array_like
        Variance of the models' totals, in squared score units, > 0.

    Returns
    -------
    Array
        Reliability, at most 1, and negative if items disagree. Inputs broadcast.

    References
    ----------
    Kuder and Richardson (1937), Psychometrika 2; Cronbach (1951), Psychometrika 16. Methods: Items

    Examples
    --------
    >>> x = np.array([[1, 1, 1], [1, 1, 0], [0, 0, 0], [1, 0, 0]])
    >>> within, total = x.var(axis=0).sum(), x.sum(axis=1).var()
    >>> round(float(cronbach_alpha(3, item_variance=within, total_variance=total)), 3)
    0.75
    """
    return map_blocks(_alpha, n, item_variance, total_variance)


def _spearman_brown(reliability: Array, n: Array, now: Array) -> Array:
    checks.within("reliability", reliability, (0, 1), "in (0, 1]", ends=(False, True))
    checks.positive("n", n)
    checks.positive("of", now)
    times = n / now
    return times * reliability / (1 + (times - 1) * reliability)


def reliability_at(reliability: FloatLike, n: FloatLike, *, of: FloatLike) -> Array:
    """Return the reliability of n items, given that of a similar test (Spearman–Brown).

    k r / (1 + (k - 1) r) with k = n / of, the same as 1 / (1 + (1 - r) of / (r n)).

    Parameters
    ----------
    reliability : array_like
        Reliability of the test, in (0, 1].
    n : array_like
        Number of items n, > 0.
    of : array_like
        Number of items in the test, > 0.

    Returns
    -------
    Array
        Reliability, in (0, 1]. Inputs broadcast.

    References
    ----------
    Spearman (1910), Brown (1910), British Journal of Psychology 3.
    Methods: Items

    Examples
    --------
    >>> round(float(reliability_at(0.9993, 100, of=12002)), 3)
    0.922
    """
    return map_blocks(_spearman_brown, reliability, n, of)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelNoise:
    """Effect of wrong keys on a gap, as proportions."""

    delta: Array
    """Observed gap."""
    psi: Array
    """Observed discordance."""
    n_star: Array
    """Number of items that the observed gap needs."""
    inflation: Array
    """This number divided by the number of items that the gap needs with correct keys."""


def label_noise(
    delta: FloatLike,
    *,
    psi: FloatLike,
    error: FloatLike,
    chance: FloatLike = 0.0,
    alpha: FloatLike = 0.05,
    power: FloatLike = 0.8,
    sides: Sides = 2,
) -> LabelNoise:
    """Return the effect on a gap between two models if some items have a wrong key.

    On these items, an answer is scored as correct by chance, independently for both models. The
    observed gap is (1 - e) delta and the observed discordance (1 - e) psi + 2 e w (1 - w). Wrong
    keys therefore reduce differences, but they do not set a lower limit to detectable differences.
    This does not hold for models that agree with wrong keys because they learned them, which
    causes a bias of up to e.

    Parameters
    ----------
    delta : array_like
        True gap, a proportion. A gap of 0 needs infinitely many items.
    psi : array_like
        True discordance, at least that gap, at most 1.
    error : array_like
        Share e of items whose key is wrong, in [0, 1).
    chance : array_like, default 0.0
        Probability w that an answer to such an item is scored as correct, in [0, 1].
    alpha : array_like
        Significance level of the test whose items are counted, by Connor's formula.
    power : array_like
        Target power of that test.
    sides : {1, 2}
        Sides of that test.

    Returns
    -------
    LabelNoise
        Observed gap and discordance, and the number of items they need. Inputs broadcast.

    References
    ----------
    Connor (1987), Biometrics 43. Methods: Items

    Examples
    --------
    >>> noise = label_noise(0.03, psi=0.2, error=0.1, chance=0.1)
    >>> round(float(noise.delta), 4), round(float(noise.inflation), 3)
    (0.027, 1.223)
    """
    checks.within("error", error, (0, 1), "a share in [0, 1)", ends=(True, False))
    checks.probability("chance", chance)
    e, w = (np.asarray(v, dtype=np.float64) for v in (error, chance))
    gap = (1 - e) * np.asarray(delta, dtype=np.float64)
    differ = (1 - e) * np.asarray(psi, dtype=np.float64) + 2 * e * w * (1 - w)
    rule: dict[str, Any] = {"alpha": alpha, "power": power, "sides": sides}
    observed = paired_n_star(gap, psi=differ, **rule)
    true = paired_n_star(delta, psi=psi, **rule)
    with np.errstate(divide="ignore", invalid="ignore"):
        limit = np.where(differ > 0, differ / ((1 - e) ** 2 * np.asarray(psi, float)), 1.0)
        usual = np.isfinite(true) & (np.asarray(true) > 0)
        times = np.where(usual, observed / true, limit)  # gaps too small to count items
    shape = np.broadcast_shapes(gap.shape, differ.shape, np.shape(observed))
    filled = (np.array(np.broadcast_to(v, shape))[()] for v in (gap, differ, observed, times))
    return LabelNoise(**dict(zip(("delta", "psi", "n_star", "inflation"), filled, strict=True)))


def change_interval(
    first: FloatLike, ci: Interval, second: FloatLike, other: Interval
) -> Interval:
    """Return an interval for the difference of two independent estimates (MOVER).

    Square-and-add combines the distances to the limits as if they were standard errors, so that
    asymmetric intervals, such as Tango's, keep their shape.

    Parameters
    ----------
    first : array_like
        First estimate, such as the gap on public items.
    ci : Interval
        Confidence interval of ``first``. Its coverage is that of the result.
    second : array_like
        Second estimate, from other items, such as private ones.
    other : Interval
        Confidence interval of ``second``, with the same coverage.

    Returns
    -------
    Interval
        Limits of first minus second, in the units of the estimates. Inputs broadcast.

    References
    ----------
    Newcombe (1998), Stat. Med. 17; Zou and Donner (2008), Stat. Med. 27. Methods: Items

    Examples
    --------
    >>> low, high = change_interval(0.06, Interval(0.02, 0.1), 0.01, Interval(-0.02, 0.04))
    >>> round(float(low), 3), round(float(high), 3)
    (0.0, 0.1)
    """

    def limits(x: Array, a: Array, b: Array, y: Array, c: Array, d: Array) -> tuple[Array, Array]:
        checks.require((a <= x) & (x <= b), "first", "inside its interval", x)
        checks.require((c <= y) & (y <= d), "second", "inside its interval", y)
        gap = x - y
        return gap - np.hypot(x - a, d - y), gap + np.hypot(b - x, y - c)

    return Interval(*map_blocks2(limits, first, ci.low, ci.high, second, other.low, other.high))
