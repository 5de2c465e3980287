"""Several judges: agreement with people and with each other, and cost of a judge.

Items are the units: answers of several models to one item, and repeated judgments of one answer,
belong together. Intervals are Student's on jackknife errors over items, on Fisher's scale for
correlations and kappas. The only assumption is that items are independent.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array, BoolArray, FloatLike, Interval
from nstar.stats._task_limits import mean_limits
from nstar.stats.critical import t_quantile
from nstar.stats.mcnemar import P_FLOOR

__all__ = [
    "DifferenceAgreement",
    "JudgeParts",
    "RaterAgreement",
    "agreements_differ",
    "difference_agreement",
    "judge_components",
    "rater_agreement",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterAgreement:
    """Agreement of two raters on the same answers. The second rater may be people."""

    n_items: int
    """Number of items with an answer that both raters rated."""
    n_answers: int
    """Number of answers that both raters rated."""
    share: float | None
    """Share of answers for which one judgment of each rater is equal. None unless all scores are 0
    or 1.
    """
    share_ci: Interval | None
    """Interval of ``share``."""
    kappa: float | None
    """Agreement beyond chance: Cohen's kappa for 0/1 scores. For other scores, the same with
    squared distances, which is Lin's concordance. None if neither rater varies."""
    kappa_ci: Interval | None
    """Interval of ``kappa``. Also None if both raters always agree."""
    r: float | None
    """Pearson's correlation of mean judgments over answers. None if either rater does not vary."""
    r_ci: Interval | None
    """Interval of ``r``. Also None for a correlation of 1."""
    bias: float
    """Mean of the first rater minus that of the second."""
    bias_ci: Interval | None
    """Interval of ``bias``; None if the bias is the same on all items, so that no error is known.
    """
    youden: float | None
    """Sensitivity + specificity - 1 of the first rater, with the second as reference; None unless
    all scores are 0 or 1 and the second rater gives both."""
    youden_ci: Interval | None
    """Interval of ``youden``. Also None for a value of 1."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DifferenceAgreement:
    """Correlation of two raters on differences between models."""

    r: float | None
    """Correlation over all pairs of models; None if either rater's differences do not vary over
    items."""
    ci: Interval | None
    """Interval of ``r``. Also None for a correlation of 1."""
    items: int
    """Number of items for which both raters rated every model's answer."""
    influence: Array = field(repr=False)
    """Contribution of each item to the error of atanh r, 0 for missing items. The sum of squares
    is the squared standard error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeParts:
    """Components of the variance of a gap between two models, or of one model's mean.

    Values are squared score units, averaged over pairs of models. A component that is not
    identified is None and is part of the component above it.
    """

    item2: float
    """Items: models differ more on some than on others. Unbiased and possibly negative, as are all
    components here. With one judge, it includes what only that judge finds in an item."""
    judge2: float | None
    """Judges: some find the gap larger than others do, on all items. None for one judge."""
    cross2: float | None
    """Items x judges: a judge's deviation on an item, including noise if there are no repeats."""
    repeat2: float | None
    """Repeats of one judge on one item. None without repeats."""
    item_ci: Interval
    """Interval of item2, with items as units."""
    judge_ci: Interval | None
    """Interval of judge2, assuming normal judges."""
    cross_ci: Interval | None
    """Interval of cross2, with items as units."""
    repeat_ci: Interval | None
    """Interval of repeat2, with items as units."""
    items: int
    """Number of items with a score of every model by every judge."""
    judges: int
    """Number of judges."""
    repeats: float
    """Number of repeats of a judgment, as a harmonic mean."""

    def variance(self, items: float, judges: float, repeats: float) -> float:
        """Return the squared standard error for other numbers, with components of at least 0.

        Numbers may be infinite. The judges are treated as a sample of judges, so an error that all
        of them share is not included.
        """
        parts = ((self.judge2, judges), (self.cross2, items * judges))
        repeat_part = (self.repeat2, items * judges * repeats)
        return sum(max(v or 0.0, 0.0) / n for v, n in ((self.item2, items), *parts, repeat_part))


class _Jackknifed(NamedTuple):
    """An estimate with its standard error, and each item's contribution to it."""

    value: float
    se: float
    influence: Array


def _jackknife(stat: Callable[[Array], Array], moments: Array) -> _Jackknifed:
    """Apply the jackknife to a function of mean moments over items, (items, moments).

    NaN where undefined.
    """
    n = len(moments)
    mean = moments.mean(axis=0)
    without = mean + (mean - moments) / (n - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        value, left = float(stat(mean)), np.asarray(stat(without))
        influence = np.sqrt((n - 1) / n) * (left - left.mean())
    return _Jackknifed(value, float(np.sqrt(influence @ influence)), influence)


def _limits(estimate: _Jackknifed, conf: float) -> Interval | None:
    """Return Student's interval, or None if the error is unknown."""
    if not np.isfinite([estimate.value, estimate.se]).all():
        return None
    half = float(t_quantile((1 + conf) / 2, estimate.influence.size - 1)) * estimate.se
    return Interval(estimate.value - half, estimate.value + half)


def _on_fisher(
    stat: Callable[[Array], Array], moments: Array, conf: float
) -> tuple[float | None, Interval | None]:
    """Return a quantity in [-1, 1], with its interval on Fisher's scale."""
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(stat(moments.mean(axis=0)))
    if np.isnan(value):
        return None, None
    if abs(value) > 1 - _ROUNDING or len(moments) < _MIN_ITEMS:
        return float(np.clip(value, -1, 1)), None
    limits = _limits(_jackknife(lambda m: np.arctanh(stat(m)), moments), conf)
    return value, limits and Interval(*(float(np.tanh(end)) for end in limits))


_ROUNDING = 1e-12
_MIN_ITEMS = 3
"""Smallest number of items with an interval."""
_X, _Y, _XX, _YY, _XY, _MX, _MY = range(7)
"""Means, mean squares of one judgment, product, mean squares of mean judgments."""


def _kappa(m: Array) -> Array:
    x, y = m[..., _X], m[..., _Y]
    joint = m[..., _XY] - x * y
    disagreement = m[..., _XX] - x * x + m[..., _YY] - y * y + np.square(x - y)
    return np.asarray(2 * joint / np.where(disagreement > _ROUNDING, disagreement, np.nan))


def _pearson(m: Array) -> Array:
    x, y = m[..., _X], m[..., _Y]
    spread = (m[..., _MX] - x * x) * (m[..., _MY] - y * y)
    return np.asarray(
        (m[..., _XY] - x * y) / np.sqrt(np.where(spread > _ROUNDING**2, spread, np.nan))
    )


def _slope(m: Array) -> Array:
    """Return the slope of the first rater on the second, Youden's index for 0/1 scores."""
    x, y = m[..., _X], m[..., _Y]
    spread = m[..., _YY] - y * y
    return np.asarray((m[..., _XY] - x * y) / np.where(spread > _ROUNDING, spread, np.nan))


def _ratings(name: str, values: FloatLike) -> Array:
    """Return scores of shape (items, answers, repeats)."""
    x = np.asarray(values, dtype=np.float64)
    checks.require(x.ndim in {2, 3}, f"number of axes of {name}", "2 or 3", x.ndim)
    checks.finite(name, x[~np.isnan(x)])
    return x if x.ndim == 3 else x[:, :, None]


def _mean(x: Array) -> Array:
    """Return the mean of the existing values over the last axis, or NaN if there are none."""
    count = np.count_nonzero(~np.isnan(x), axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.nansum(x, axis=-1) / count)


def rater_agreement(first: FloatLike, second: FloatLike, *, conf: float = 0.95) -> RaterAgreement:
    """Return the agreement of two raters on the same answers: two judges, or a judge and people.

    Parameters
    ----------
    first, second : array_like
        Scores of shape (items, answers) or (items, answers, repeats), with NaN for missing scores.
        The answers are those of models. Both raters have the same items and answers, but may have
        different repeats. All items have equal weight, for any number of their answers that both
        raters rated.
    conf : float, default 0.95
        Coverage of the intervals, in (0, 1).

    Returns
    -------
    RaterAgreement
        Agreement. The share, kappa, and Youden's index are those of one judgment of each rater.
        The correlation is that of means over repeats.

    Raises
    ------
    ParameterError
        There are fewer than 2 items that both raters rated.

    References
    ----------
    Cohen (1960), Educational and Psychological Measurement 20. Lin (1989), Biometrics 45. Efron
    and Stein (1981), Annals of Statistics 9, for the jackknife. Methods: Judges

    Examples
    --------
    >>> agreement = rater_agreement(
    ...     [[1, 0], [1, 1], [0, 0], [1, 0]], [[1, 0], [1, 0], [0, 0], [1, 1]]
    ... )
    >>> agreement.n_answers, agreement.share, agreement.kappa, agreement.bias
    (8, 0.75, 0.5, 0.0)
    """
    checks.fraction("conf", conf)
    x, y = _ratings("first", first), _ratings("second", second)
    checks.require(x.shape[:2] == y.shape[:2], "size of second", "that of first", y.size)
    binary = all(bool((np.isnan(v) | (v == 0) | (v == 1)).all()) for v in (x, y))
    unit = 1.0
    if not binary:
        x, y, unit = _standardized(x, y)
    moments, answers = _moments(x, y)
    share = share_ci = youden = youden_ci = None
    if binary:
        same = 1 - moments[:, _X] - moments[:, _Y] + 2 * moments[:, _XY]
        share = float(same.mean())
        share_ci = Interval(*(float(end) for end in mean_limits(same, conf=conf)))
        youden, youden_ci = _on_fisher(_slope, moments, conf)
    kappa, kappa_ci = _on_fisher(_kappa, moments, conf)
    r, r_ci = _on_fisher(_pearson, moments, conf)
    differences = unit * (moments[:, _X] - moments[:, _Y])
    return RaterAgreement(
        n_items=len(moments),
        n_answers=answers,
        share=share,
        share_ci=share_ci,
        kappa=kappa,
        kappa_ci=kappa_ci,
        r=r,
        r_ci=r_ci,
        bias=float(differences.mean()),
        bias_ci=_mean_limits(differences, conf),
        youden=youden,
        youden_ci=youden_ci,
    )


def _standardized(x: Array, y: Array) -> tuple[Array, Array, float]:
    """Scale both to [-1, 1] and return the unit, because squares of large scores lose digits."""
    low, high = min(np.nanmin(x), np.nanmin(y)), max(np.nanmax(x), np.nanmax(y))
    unit = float(high - low) / 2 or 1.0
    center = (low + high) / 2
    return (x - center) / unit, (y - center) / unit, unit


def _moments(x: Array, y: Array) -> tuple[Array, int]:
    """Moments of each item that both rated, averaged over its answers, and those answers."""
    mx, my = _mean(x), _mean(y)
    cells = [mx, my, _mean(x * x), _mean(y * y), mx * my, mx * mx, my * my]
    both_rated: BoolArray = ~np.isnan(mx * my)
    keep_mask = both_rated.any(axis=1)
    items = int(np.count_nonzero(keep_mask))
    checks.require(items >= 2, "items that both rated", "at least 2", items)
    rated_cells = np.where(both_rated[..., None], np.stack(cells, axis=-1), np.nan)[keep_mask]
    return _mean(np.moveaxis(rated_cells, 1, -1)), int(np.count_nonzero(both_rated))


def _mean_limits(values: Array, conf: float) -> Interval | None:
    """Return Student's interval of a mean, or None if the values do not vary."""
    if np.ptp(values) == 0:
        return None
    half = float(t_quantile((1 + conf) / 2, values.size - 1)) * values.std(ddof=1)
    half /= values.size**0.5
    return Interval(float(values.mean() - half), float(values.mean() + half))


def difference_agreement(
    first: FloatLike, second: FloatLike, *, conf: float = 0.95
) -> DifferenceAgreement:
    """Return the correlation of two raters on the differences between models.

    It measures how useful a judge is in a comparison. A judge that only separates easy items from
    hard items has a high correlation on answers, but none on differences.

    Parameters
    ----------
    first, second : array_like
        Mean scores of shape (items, models), for 2 or more models, with NaN for missing scores.
        Only items for which both raters rated every model are used.
    conf : float, default 0.95
        Coverage of the interval, in (0, 1).

    Returns
    -------
    DifferenceAgreement
        Of two models, Pearson's correlation of both raters' differences over items; of more, that
        pooled over all pairs of models, each about its own mean.

    Raises
    ------
    ParameterError
        There are fewer than 3 such items, or fewer than 2 models.

    References
    ----------
    Efron and Stein (1981), Annals of Statistics 9, for the jackknife. Methods: Judges

    Examples
    --------
    >>> people = [[1, 0], [1, 1], [0, 0], [0, 1], [1, 0]]
    >>> judge = [[1, 0], [1, 0], [0, 0], [0, 1], [1, 1]]
    >>> round(difference_agreement(judge, people).r, 4)
    0.6429
    """
    checks.fraction("conf", conf)
    x, y = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    checks.require(x.ndim == 2, "number of axes of first", "2", x.ndim)
    checks.require(x.shape[1] >= 2, "number of models of first", "at least 2", x.shape[1])
    checks.require(x.shape == y.shape, "size of second", "that of first", y.size)
    keep_mask = ~np.isnan(x * y).any(axis=1)
    n = int(np.count_nonzero(keep_mask))
    checks.require(
        n >= _MIN_ITEMS, "items with every model rated by both", f"at least {_MIN_ITEMS}", n
    )
    moments = _difference_moments(x[keep_mask], y[keep_mask])
    r, ci = _on_fisher(_difference_r, moments, conf)
    influence = np.zeros(len(x))
    if ci is not None:
        jackknifed = _jackknife(lambda m: np.arctanh(_difference_r(m)), moments)
        influence[keep_mask] = jackknifed.influence
    return DifferenceAgreement(r=r, ci=ci, items=n, influence=influence)


def _difference_moments(x: Array, y: Array) -> Array:
    """Return each item's deviations of both raters and sums of products over models."""
    out = []
    for v in (x, y):
        centered = v - v.mean(axis=1, keepdims=True)
        spread = np.abs(centered - centered.mean(axis=0)).max()
        out.append((centered - centered.mean(axis=0)) / (spread or 1.0))
    a, b = out
    products = [(p * q).sum(axis=1, keepdims=True) for p, q in ((a, a), (b, b), (a, b))]
    return np.concatenate([*products, a, b], axis=1)


def _difference_r(m: Array) -> Array:
    """Return the correlation about the means of models, from mean moments."""
    models = (m.shape[-1] - 3) // 2
    a, b = m[..., 3 : 3 + models], m[..., 3 + models :]
    aa = m[..., 0] - (a * a).sum(axis=-1)
    bb = m[..., 1] - (b * b).sum(axis=-1)
    spread = np.where(np.minimum(aa, bb) > _ROUNDING, aa * bb, np.nan)
    return np.asarray((m[..., 2] - (a * b).sum(axis=-1)) / np.sqrt(spread))


def agreements_differ(first: DifferenceAgreement, second: DifferenceAgreement) -> float | None:
    """Return the p-value for the null hypothesis that two judges agree equally on differences.

    Parameters
    ----------
    first, second : DifferenceAgreement
        Agreement of each judge with the same people, on the same items in the same order.

    Returns
    -------
    float | None
        Two-sided p-value by Student's t for the difference of atanh r. Its error allows for both
        judges having the same items. None if either error is unknown.

    References
    ----------
    Efron and Stein (1981), Annals of Statistics 9, for the jackknife. Methods: Judges

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> people = rng.normal(size=(200, 2))
    >>> good, poor = (people + sd * rng.normal(size=(200, 2)) for sd in (0.5, 2))
    >>> one, two = (difference_agreement(judge, people) for judge in (good, poor))
    >>> agreements_differ(one, two) < 1e-4
    True
    """
    if first.r is None or second.r is None or first.ci is None or second.ci is None:
        return None
    sizes = first.influence.size, second.influence.size
    checks.require(
        sizes[0] == sizes[1],
        "number of items of second",
        f"{sizes[0]}, the number of items of first",
        sizes[1],
    )
    error = float(np.linalg.norm(first.influence - second.influence))
    gap = float(np.arctanh(first.r) - np.arctanh(second.r))
    if error == 0:
        return 1.0 if gap == 0 else None
    df = min(first.items, second.items) - 1
    return float(np.clip(2 * special.stdtr(df, -abs(gap) / error), P_FLOOR, 1.0))


def judge_cost(r: FloatLike, *, cost_label: FloatLike, cost_judge: FloatLike) -> Array:
    """Return the cost of a given precision with judge and labels, relative to labels alone.

    The relative cost is (√(1 - r²) + |r| √(judge / label))², with the best share of labeled items
    (:func:`label_share`). It is 1 if the judge costs more than it saves.

    Cochran (1977), Sampling Techniques, §12.7.
    """
    checks.correlation("r", r)
    checks.positive("cost_label", cost_label)
    checks.positive("cost_judge", cost_judge)
    size = np.abs(np.asarray(r, dtype=np.float64))
    cost, label = (np.asarray(x, dtype=np.float64) for x in (cost_judge, cost_label))
    price = np.sqrt(cost / label)
    return np.minimum(np.square(np.sqrt(1 - size * size) + size * price), 1.0)[()]


def judge_break_even(r: FloatLike) -> Array:
    """Return the largest price of a judgment, relative to a label, at which a judge saves money.

    The price is ((1 - √(1 - r²)) / r)².

    Cochran (1977), Sampling Techniques, §12.7.
    """
    checks.correlation("r", r)
    size = np.abs(np.asarray(r, dtype=np.float64))
    return np.square(size / (1 + np.sqrt(1 - size * size)))[()]


def judge_components(scores: FloatLike, *, conf: float = 0.95) -> JudgeParts:
    """Return the components of the variance of a gap: item, judge, item x judge, and repeat.

    They are estimated by the method of moments from the mean squares of a two-way layout, so they
    are unbiased for any scores.

    Parameters
    ----------
    scores : array_like
        Models x items x judges x repeats, NaN where there is none. Items count that every judge
        scored for every model, at least 2. With one model the parts are of its mean.
    conf : float, default 0.95
        Coverage of the intervals, in (0, 1).

    Returns
    -------
    JudgeParts
        Components for the difference of two models, or averaged over all pairs of several models.

    References
    ----------
    Searle, Casella and McCulloch (1992), Variance Components, ch. 4.
    Brennan (2001), Generalizability Theory, ch. 3.
    Williams (1962), Biometrika 49, 278–281, for ``judge_ci``.
    Methods: Judges

    Examples
    --------
    Two judges, of whom the second finds the gap one point larger on every item:

    >>> a = np.array([[3.0, 4], [5, 6], [4, 5]])
    >>> agreement = judge_components(np.stack([a, np.full((3, 2), 2.0)])[..., None])
    >>> round(agreement.item2, 3), agreement.judge2, agreement.cross2
    (1.0, 0.5, 0.0)
    """
    checks.fraction("conf", conf)
    y = np.asarray(scores, dtype=np.float64)
    checks.require(y.ndim == 4, "number of axes of scores", "4", y.ndim)
    checks.finite("scores", y[~np.isnan(y)])
    count = np.count_nonzero(~np.isnan(y), axis=-1)
    keep_mask = (count > 0).all(axis=(0, 2))
    items = int(np.count_nonzero(keep_mask))
    checks.require(items >= 2, "items scored by every judge", "at least 2", items)
    layout = _Layout.of(y[:, keep_mask], count[:, keep_mask])
    item2, judge2, cross2, repeat2 = (float(v) for v in layout.parts(layout.moments.mean(axis=0)))
    has_many_judges, repeated = layout.judges > 1, layout.repeated
    return JudgeParts(
        item2=item2,
        judge2=judge2 if has_many_judges else None,
        cross2=cross2 if has_many_judges else None,
        repeat2=repeat2 if repeated else None,
        item_ci=layout.limits(0, conf),
        judge_ci=layout.judge_limits(conf) if has_many_judges else None,
        cross_ci=layout.limits(2, conf) if has_many_judges else None,
        repeat_ci=layout.limits(3, conf) if repeated else None,
        items=items,
        judges=layout.judges,
        repeats=1 / layout.over,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Layout:
    """Items x judges of every model, as moments of each item."""

    models: int
    judges: int
    over: float
    """Mean of 1 / repeats."""
    moments: Array
    """(items, …): sums of squares of item means and of cells, within cells and how many cells
    have repeats, then cells."""

    @classmethod
    def of(cls, y: Array, count: Array) -> "_Layout":
        """Build from models x items x judges x repeats, and the number of repeats."""
        cells = _mean(y)
        squares = np.nansum(np.square(y - cells[..., None]), axis=-1)
        is_repeated = count > 1
        within = np.where(is_repeated, squares / np.maximum(count - 1, 1), 0.0)
        if len(y) > 1:
            cells = cells - cells.mean(axis=0)
        cells = cells - cells.mean(axis=(1, 2), keepdims=True)
        judges = y.shape[2]
        sums = [
            judges * np.square(cells.mean(axis=2)).sum(axis=0),
            np.square(cells).sum(axis=(0, 2)),
            within.sum(axis=(0, 2)),
            is_repeated.sum(axis=(0, 2)),
        ]
        flat = np.moveaxis(cells, 1, 0).reshape(y.shape[1], -1)
        moments = np.column_stack([*sums, flat])
        return cls(models=len(y), judges=judges, over=float((1 / count).mean()), moments=moments)

    @property
    def repeated(self) -> bool:
        """Return whether any judgment was repeated."""
        return bool(self.moments[:, 3].any())

    def _mean_squares(self, m: Array) -> tuple[Array, Array, Array]:
        """Mean squares of items, judges, and items x judges, of a gap between two models."""
        n = len(self.moments) - (m.ndim - 1)  # all items, or all but one
        judges = self.judges
        cells = m[..., 4:].reshape(*m.shape[:-1], self.models, judges)
        level = judges * np.square(cells.mean(axis=-1)).sum(axis=-1)
        scale = (2 / (self.models - 1) if self.models > 1 else 1.0) * n
        by_item = m[..., 0] - level
        by_judge = np.square(cells).sum(axis=(-2, -1)) - level
        rest = np.maximum(m[..., 1] - level - by_item - by_judge, 0.0)
        df = max(judges - 1, 1)
        return (
            np.asarray(scale * by_item / (n - 1)),
            np.asarray(scale * by_judge / df),
            np.asarray(scale * rest / ((n - 1) * df)),
        )

    def parts(self, m: Array) -> tuple[Array, Array, Array, Array]:
        """Return the variances of item, judge, item x judge, and repeat, from mean moments."""
        n = len(self.moments) - (m.ndim - 1)
        item, judge, cross = self._mean_squares(m)
        with np.errstate(invalid="ignore", divide="ignore"):
            within = np.where(m[..., 3] > 0, m[..., 2] / m[..., 3], 0.0)
        within = (2.0 if self.models > 1 else 1.0) * within
        noise = within * self.over
        if self.judges == 1:
            return np.asarray(item - noise), judge * 0, cross * 0, np.asarray(within)
        item_variance = (item - cross) / self.judges
        return (
            np.asarray(item_variance),
            np.asarray((judge - cross) / n),
            cross - noise,
            np.asarray(within),
        )

    def limits(self, part: int, conf: float) -> Interval:
        """Return the interval of one component, with items as units, from 0.

        None for two items.
        """
        if len(self.moments) < _MIN_ITEMS:
            return Interval(0.0, np.inf)
        interval = _limits(_jackknife(lambda m: self.parts(m)[part], self.moments), conf)
        assert interval is not None  # noqa: S101 variances are finite
        return Interval(max(interval.low, 0.0), max(interval.high, 0.0))

    def judge_limits(self, conf: float) -> Interval:
        """Return Tukey's and Williams's interval, for normal judges."""
        _, shared, error = (float(v) for v in self._mean_squares(self.moments.mean(axis=0)))
        free = max(self.models - 1, 1) * (self.judges - 1)
        n, ends = len(self.moments), []
        for p in ((1 + conf) / 2, (1 - conf) / 2):
            noise = error * special.fdtri(free, free * (n - 1), p)
            ends.append(free * (shared - noise) / (n * special.chdtri(free, 1 - p)))
        low, high = (max(float(end), 0.0) for end in ends)
        return Interval(low, high)
