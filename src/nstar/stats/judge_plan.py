"""Plan labels for a judge: number of labels, cheapest design, and effect of judge errors.

With σ the standard deviation of an item's true difference and r the correlation of judge and truth
*on those differences*, n labels among T judged items have the variance σ² ((1 - r²)/n + r²/T),
plus the variance of unobserved disagreements of judge and labels.

A judge that agrees well with each model's answers (r of .77 for one model) agrees less with their
differences (.65, or .48 for models that resemble each other), and the differences matter.
"""

from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from nstar._base import checks
from nstar._base.types import Array, BoolArray, FloatLike, Sides
from nstar.stats.adjust import tukey_critical
from nstar.stats.arms import dunnett_critical, selection_lead
from nstar.stats.critical import k_factor, z_power
from nstar.stats.designs import StudentTest
from nstar.stats.judge import LEAST_LABELS, departure_variance

__all__ = [
    "LabelMethod",
    "NeymanLabels",
    "RoganGladen",
    "Youden",
    "judge_gain",
    "judge_mde",
    "judged_rate",
    "label_share",
    "labels_needed",
    "neyman_labels",
    "rogan_gladen",
    "youden",
]

LabelMethod: TypeAlias = Literal["t", "z"]
"""Test that will be used: t with n - 2 degrees of freedom, or its normal limit."""
_METHODS = ("t", "z")
LabelFamily: TypeAlias = Literal["all-pairs", "control", "best"]
"""Comparisons: all pairs of models, all against one control, or the selection of the best."""
_MIN_LABELS = 3
"""Smallest number of labels for which a test exists."""


class _JudgeAgreement(NamedTuple):
    """Correlations of a judge with random errors, for one model and for a difference of two."""

    r_difference: Array
    """Correlation of judge and truth on differences of two models."""
    r_single: Array
    """Correlation on one model's answers."""
    gain: Array
    """1 / (1 - r²) of the differences: factor by which a judge of unlimited items reduces the
    number of labels.
    """


class _BoardLabels(NamedTuple):
    """Number of items to label for each of several models."""

    factor: Array
    """Size of a detectable gap in standard errors, for the critical value of the family and the
    power.
    """
    labels: Array
    """Number of items, each labeled for all models, not rounded."""


class NeymanLabels(NamedTuple):
    """Labels by strata of the judge's scores."""

    share: Array
    """Share of the labels in each stratum. The shares add up to 1."""
    variance: float
    """Variance within strata of the mean with this allocation."""
    gain: float
    """Variance under proportional labels divided by this variance."""


class RoganGladen(NamedTuple):
    """A pass rate corrected by a judge's known errors."""

    rate: Array
    """(p̂ + specificity - 1) / J, which may lie outside [0, 1]."""
    se: Array
    """Standard error of the rate by the delta method."""
    clipped: Array
    """The rate, clipped to [0, 1]."""


class Youden(NamedTuple):
    """J = sensitivity + specificity - 1, which is 1 for a perfect and 0 for a useless judge."""

    j: Array
    """J, in [-1, 1]."""
    se: Array
    """Standard error of J."""


def judged_rate(p: FloatLike, *, miss: FloatLike, false_pass: FloatLike) -> Array:
    """Return the pass rate that a judge with these errors reports.

    Parameters
    ----------
    p : array_like
        True pass rate, a proportion.
    miss : array_like
        Share of correct answers that the judge fails.
    false_pass : array_like
        Share of wrong answers that the judge passes.

    Returns
    -------
    Array
        Reported pass rate, p (1 - miss) + (1 - p) false_pass. Inputs broadcast.

    References
    ----------
    Rogan and Gladen (1978), American Journal of Epidemiology 107.
    Methods: Judges

    Examples
    --------
    A true gap of 5 points is reported as -2 if the judge passes more of the second model's
    failures:

    >>> a = judged_rate(0.75, miss=0.1, false_pass=0.1)
    >>> b = judged_rate(0.70, miss=0.1, false_pass=0.3)
    >>> round(float(a - b), 3)
    -0.02
    """
    checks.probability("p", p)
    checks.probability("miss", miss)
    checks.probability("false_pass", false_pass)
    share, lost, let = (np.asarray(x, dtype=np.float64) for x in (p, miss, false_pass))
    return (share * (1 - lost) + (1 - share) * let)[()]


def _share(name: str, hits: FloatLike, total: FloatLike) -> tuple[Array, Array]:
    checks.counts(**{name: hits, f"{name} of": total})
    k, n = np.asarray(hits, dtype=np.float64), np.asarray(total, dtype=np.float64)
    checks.require(n >= 1, f"total of {name}", "at least 1", n)
    checks.at_most(k, n, name, "at most its total")
    return k / n, n


def youden(
    true_pos: FloatLike, positives: FloatLike, true_neg: FloatLike, negatives: FloatLike
) -> Youden:
    """Return Youden's J, the share of a gap that a judge preserves.

    Parameters
    ----------
    true_pos, positives : array_like
        Numbers of correct answers that the judge passed, and of all labeled correct answers.
    true_neg, negatives : array_like
        Numbers of wrong answers that the judge failed, and of all labeled wrong answers.

    Returns
    -------
    Youden
        J = sensitivity + specificity - 1. For models with the same judge errors, the reported gap
        is J times the true gap.

    References
    ----------
    Youden (1950), Cancer 3. Methods: Judges

    Examples
    --------
    >>> youden(90, 100, 70, 100).j.round(3).tolist()
    0.6
    """
    se, n1 = _share("true_pos", true_pos, positives)
    sp, n0 = _share("true_neg", true_neg, negatives)
    return Youden((se + sp - 1)[()], np.sqrt(se * (1 - se) / n1 + sp * (1 - sp) / n0)[()])


def rogan_gladen(
    passed: FloatLike,
    total: FloatLike,
    *,
    true_pos: FloatLike,
    positives: FloatLike,
    true_neg: FloatLike,
    negatives: FloatLike,
) -> RoganGladen:
    """Return a pass rate corrected for a judge's errors that were measured on other items.

    Use it for labels that are *not* a random sample of the judged items. For a random sample,
    :func:`judge_corrected` makes fewer assumptions and is more precise. The errors must be
    measured for this model, because they usually differ between models.

    Parameters
    ----------
    passed, total : array_like
        Numbers of items that the judge passed, and of all judged items.
    true_pos, positives : array_like
        Numbers of correct answers in the calibration set that the judge passed, and of all of
        them.
    true_neg, negatives : array_like
        Numbers of wrong answers in the calibration set that the judge failed, and of all of them.

    Returns
    -------
    RoganGladen
        Rate, error and clipped rate.

    Raises
    ------
    InfeasibleError
        J ≤ 0.2. The judge hardly distinguishes correct from wrong answers, so no correction is
        possible.

    References
    ----------
    Rogan and Gladen (1978), American Journal of Epidemiology 107. Lang and Reiczigel (2014),
    Preventive Veterinary Medicine 113. Methods: Judges

    Examples
    --------
    >>> result = rogan_gladen(820, 1000, true_pos=90, positives=100, true_neg=70, negatives=100)
    >>> round(float(result.rate), 4), round(float(result.se), 4)
    (0.8667, 0.0489)
    """
    p, n = _share("passed", passed, total)
    se, n1 = _share("true_pos", true_pos, positives)
    sp, n0 = _share("true_neg", true_neg, negatives)
    j = se + sp - 1
    checks.feasible(
        j > _LEAST_J,
        f"The judge barely discriminates: sensitivity + specificity - 1 is at most {_LEAST_J:g}, "
        "so its pass rate cannot be corrected.",
    )
    rate = (p + sp - 1) / j
    variance = (
        p * (1 - p) / n + rate**2 * se * (1 - se) / n1 + (1 - rate) ** 2 * sp * (1 - sp) / n0
    )
    return RoganGladen(rate[()], (np.sqrt(variance) / j)[()], np.clip(rate, 0, 1)[()])


_LEAST_J = 0.2
"""Youden's J below which no rate is corrected."""


def judge_gain(r: FloatLike, *, labels: FloatLike, judged: FloatLike) -> Array:
    """Return the factor by which a judge reduces the variance, and thus the number of labels.

    Parameters
    ----------
    r : array_like
        Correlation of judge and truth on differences, in [-1, 1].
    labels : array_like
        Number of labeled items, n.
    judged : array_like
        Number of judged items, T ≥ n, including the labeled ones. It may be infinite.

    Returns
    -------
    Array
        Factor 1 / (1 - r² (1 - n/T)).

    References
    ----------
    Angelopoulos, Duchi and Zrnic (2023), arXiv:2311.01453. Methods: Judges

    Examples
    --------
    >>> judge_gain([0.3, 0.5, 0.7], labels=100, judged=float("inf")).round(2).tolist()
    [1.1, 1.33, 1.96]
    """
    rr, n, t = _design(r, labels, judged)
    with np.errstate(divide="ignore"):
        return (1 / (1 - rr * (1 - n / t)))[()]


def _design(r: FloatLike, labels: FloatLike, judged: FloatLike) -> tuple[Array, Array, Array]:
    checks.correlation("r", r)
    checks.positive("labels", labels)
    checks.require(np.asarray(judged) > 0, "judged", "positive", judged)
    n, t = np.asarray(labels, dtype=np.float64), np.asarray(judged, dtype=np.float64)
    checks.at_most(n, t, "labels", "at most the items judged")
    return np.square(np.asarray(r, dtype=np.float64)), n, t


def judge_mde(  # noqa: PLR0913 one keyword per parameter
    labels: FloatLike,
    *,
    judged: FloatLike,
    sigma: FloatLike,
    r: FloatLike,
    departure: FloatLike = 0.0,
    alpha: float = 0.05,
    power: float = 0.8,
    sides: Sides = 2,
    method: LabelMethod = "t",
) -> Array:
    """Return the smallest true gap that labels and judge together detect.

    Parameters
    ----------
    labels : array_like
        Number of labeled items, n ≥ 3.
    judged : array_like
        Number of judged items, T ≥ n.
    sigma : array_like
        Standard deviation of an item's true difference.
    r : array_like
        Correlation of judge and truth on differences; 0 for labels without a judge.
    departure : array_like, default 0.0
        As in :func:`labels_needed`.
    alpha : float, default 0.05
        Significance level.
    power : float, default 0.8
        Target power.
    sides : {1, 2}, default 2
        Sides of the test.
    method : {"t", "z"}, default "t"
        ``"t"`` is the test of the comparison, with n - 2 degrees of freedom. It does not use the
        judge with fewer than :data:`LEAST_LABELS` labels, or if the judge increases the error.
        ``"z"`` always uses the judge.

    Returns
    -------
    Array
        Gap in the units of ``sigma``.

    References
    ----------
    Methods: Judges

    Examples
    --------
    >>> round(float(judge_mde(1715, judged=10_000, sigma=0.55, r=0.65, method="z")), 4)
    0.03
    """
    checks.choice("method", method, _METHODS)
    checks.positive("sigma", sigma)
    rr, n, t = _design(r, labels, judged)
    checks.require(n >= _MIN_LABELS, "labels", f"at least {_MIN_LABELS}", n)
    test = StudentTest(alpha=alpha, power=power, sides=sides)
    rr = np.where((n >= LEAST_LABELS) | (method == "z"), rr, 0.0)
    reach = test.reach(n - 2 if method == "t" else np.inf)
    score_variance = np.square(np.asarray(sigma, dtype=np.float64))
    variance = score_variance * ((1 - rr) / n + rr / t) + (rr > 0) * _unseen(
        n, t, departure, method
    )
    if method == "t":  # a judge that increases the error is not used
        variance = np.minimum(variance, score_variance / n)
    return (reach * np.sqrt(variance))[()]


def _unseen(n: Array, t: Array, departure: FloatLike, method: LabelMethod) -> Array:
    """Return the variance of unobserved departures; 2 w²/n² in the normal limit."""
    if method == "t":
        return np.asarray(departure_variance(n, judged=t, departure=departure))
    checks.nonnegative("departure", departure)
    return 2 * np.square(np.asarray(departure, dtype=np.float64) / n)


def labels_needed(  # noqa: PLR0913 one keyword per parameter
    delta: FloatLike,
    *,
    sigma: FloatLike,
    r: FloatLike,
    judged: FloatLike,
    departure: FloatLike = 0.0,
    alpha: float = 0.05,
    power: float = 0.8,
    sides: Sides = 2,
    method: LabelMethod = "t",
) -> Array:
    """Return the number of labels among judged items needed to detect a true gap.

    The number is n = (a + √(a² + 8 w² V)) / (2 V), with a = σ² (1 - r²) and V = δ²/K² - σ² r²/T.

    Parameters
    ----------
    delta : array_like
        Gap to detect, not 0.
    sigma : array_like
        Standard deviation of an item's true difference.
    r : array_like
        Correlation of judge and truth on differences; 0 for labels without a judge.
    judged : array_like
        Number of judged items, T, which may be infinite.
    departure : array_like, default 0.0
        Size w of departures that the test allows for: 1 for 0/1 scores, half of the scale for
        graded ones; by default 0, none. Labels without a judge have none.
    alpha : float, default 0.05
        Significance level.
    power : float, default 0.8
        Target power.
    sides : {1, 2}, default 2
        Sides of the test.
    method : {"t", "z"}, default "t"
        ``"t"`` returns whole labels for the test of the comparison, with n - 2 degrees of freedom.
        It does not use the judge with fewer than :data:`LEAST_LABELS` labels, or if the judge
        increases the error. ``"z"`` returns the closed form, not rounded.

    Returns
    -------
    Array
        Number of labels. It is infinite if this number of judged items cannot detect the gap even
        if all are labeled.

    References
    ----------
    Methods: Judges

    Examples
    --------
    A judge of r = 0.65 saves a third of the labels:

    >>> labels_needed(0.03, sigma=0.55, r=[0, 0.65], judged=10_000, method="z").round(1).tolist()
    [2638.1, 1714.6]
    >>> float(labels_needed(0.03, sigma=0.55, r=0.65, judged=10_000, departure=1))
    1727.0
    """
    checks.choice("method", method, _METHODS)
    checks.finite("delta", delta)
    checks.require(np.asarray(delta) != 0, "delta", "not 0", delta)
    checks.positive("sigma", sigma)
    checks.nonnegative("departure", departure)
    rr, _, t = _design(r, 1, judged)
    search = _LabelSearch(
        effect=np.square(np.asarray(delta, dtype=np.float64) / np.asarray(sigma)),
        unseen=2 * np.square(np.asarray(departure, dtype=np.float64) / np.asarray(sigma)),
        judged=t,
    )
    if method == "z":
        return search.closed(k_factor(alpha, power, sides=sides), rr)[()]
    test = StudentTest(alpha=alpha, power=power, sides=sides)
    n = np.maximum(search.whole(test, rr), LEAST_LABELS)
    n_without_judge = search.whole(test, np.zeros_like(rr))
    return np.minimum(np.where(n > t, np.inf, n), n_without_judge)[
        ()
    ]  # a judge that increases the number of labels is not used


class _LabelSearch(NamedTuple):
    """Search for the labels that detect a gap, in standard deviations of a difference."""

    effect: Array
    """Squared gap."""
    unseen: Array
    """2 w²."""
    judged: Array
    """T."""

    def closed(self, reach: FloatLike, share: Array) -> Array:
        """Return the labels for a gap of ``reach`` standard errors, with a judge of this r²."""
        max_variance = self.effect / np.square(reach) - share / self.judged
        unexplained, unseen = 1 - share, np.where(share > 0, self.unseen, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            n = (unexplained + np.sqrt(unexplained * unexplained + 4 * unseen * max_variance)) / (
                2 * max_variance
            )
        return np.where((max_variance > 0) & (n <= self.judged), n, np.inf)

    def enough(self, test: StudentTest, share: Array, n: Array) -> BoolArray:
        """Return whether the test detects the gap with n labels, and therefore with more."""
        variance = (1 - share) / n + share / self.judged
        unseen = np.where(share > 0, self.unseen, 0.0)
        variance = variance + unseen / (n - 2) * (1 / n - 1 / self.judged)
        return np.asarray(np.square(test.reach(n - 2)) * variance <= self.effect)

    def whole(self, test: StudentTest, share: Array) -> Array:
        """Return the fewest labels with which the test detects the gap, or infinity if none do."""
        parts = (self.judged, self.effect, self.unseen, share)
        max_labels = np.floor(
            np.broadcast_to(self.judged, np.broadcast_shapes(*map(np.shape, parts)))
        )
        fewest = self._replace(unseen=np.zeros_like(self.unseen))
        low = np.maximum(np.ceil(fewest.closed(test.reach(np.inf), share)), _MIN_LABELS)
        possible = np.isfinite(low) & (low <= max_labels)
        low = np.where(possible, low, _MIN_LABELS)
        guess = self.closed(test.reach(low - 2), share)
        high = np.where(np.isfinite(guess), np.ceil(guess) + _MIN_LABELS, 2 * low)
        max_labels = np.maximum(max_labels, low)
        high = np.minimum(np.maximum(high, low), max_labels)
        while np.any(short := possible & (high < max_labels) & ~self.enough(test, share, high)):
            high = np.where(short, np.minimum(2 * high, max_labels), high)
        possible = possible & self.enough(test, share, high)
        high = np.where(possible, high, low)
        while np.any(low < high):
            midpoint = np.floor((low + high) / 2)
            is_sufficient = self.enough(test, share, midpoint)
            low, high = (
                np.where(is_sufficient, low, midpoint + 1),
                np.where(is_sufficient, midpoint, high),
            )
            low = np.minimum(low, high)
        return np.where(possible, high, np.inf)


def board_labels(  # noqa: PLR0913 one keyword per parameter
    delta: FloatLike,
    *,
    models: FloatLike,
    family: LabelFamily,
    sigma: FloatLike,
    r: FloatLike,
    judged: FloatLike,
    departure: FloatLike = 0.0,
    alpha: float = 0.05,
    power: float = 0.8,
    prob: float = 0.95,
) -> _BoardLabels:
    """Return the number of items to label for several models, to detect gaps between them.

    The critical values are Tukey's and Dunnett's, and the lead is Bechhofer's, by the normal
    distribution with known variances.

    Dunnett (1955), J. Am. Stat. Assoc. 50. Bechhofer (1954), Ann. Math. Stat. 25.
    """
    checks.choice("family", family, ("all-pairs", "control", "best"))
    checks.finite("delta", delta)
    checks.require(np.asarray(delta) != 0, "delta", "not 0", delta)
    checks.positive("sigma", sigma)
    checks.nonnegative("departure", departure)
    rr, _, t = _design(r, 1, judged)
    if family == "best":
        factor = selection_lead(models, prob=prob) / np.sqrt(2)
    elif family == "control":
        checks.require(np.asarray(models) >= 2, "models", "at least 2", models)
        factor = dunnett_critical(np.asarray(models) - 1, alpha=alpha) + z_power(power)
    else:
        factor = tukey_critical(models, alpha=alpha) + z_power(power)
    search = _LabelSearch(
        effect=np.square(np.asarray(delta, dtype=np.float64) / np.asarray(sigma)),
        unseen=2 * np.square(np.asarray(departure, dtype=np.float64) / np.asarray(sigma)),
        judged=t,
    )
    return _BoardLabels(np.asarray(factor)[()], search.closed(factor, rr)[()])


def neyman_labels(share: FloatLike, sd: FloatLike, *, labels: FloatLike) -> NeymanLabels:
    """Allocate labels to strata of the judge's scores, with more labels where they vary more.

    Strata are, for instance, items on which the judge prefers the first model, neither, or the
    second.

    Parameters
    ----------
    share : array_like
        Share of the judged items in each stratum, (H,); they add up to 1.
    sd : array_like
        Standard deviation of the labels within each stratum, (H,). At least one is above 0.
    labels : array_like
        Total number of labeled items.

    Returns
    -------
    NeymanLabels
        Shares W S / Σ W S of the labels, the variance (Σ W S)² / n of the mean within strata, and
        the gain Σ W S² / (Σ W S)² over proportional labels.

    Notes
    -----
    These labels are not a random sample of all items. :func:`judge_corrected` does not apply to
    them, and :func:`label_choice` detects that they were selected.

    References
    ----------
    Neyman (1934), Journal of the Royal Statistical Society 97. Methods: Judges

    Examples
    --------
    >>> result = neyman_labels([0.15, 0.65, 0.2], [0.6, 0.3, 0.55], labels=300)
    >>> result.share.round(3).tolist(), round(result.gain, 3)
    ([0.228, 0.494, 0.278], 1.109)
    """
    weight, spread = (np.asarray(x, dtype=np.float64) for x in (share, sd))
    checks.require(
        weight.ndim == 1 and weight.shape == spread.shape, "sd", "one value per share", spread.size
    )
    checks.probability("share", weight)
    checks.require(abs(weight.sum() - 1) < 1e-9, "sum of share", "1", weight.sum())
    checks.nonnegative("sd", spread)
    checks.positive("labels", labels)
    weighted_sd = weight * spread
    total = float(weighted_sd.sum())
    checks.require(total > 0, "sd", "above 0 in some stratum", 0.0)
    return NeymanLabels(
        share=weighted_sd / total,
        variance=total * total / float(np.asarray(labels)),
        gain=float(weighted_sd @ spread) / (total * total),
    )


def label_share(r: FloatLike, *, cost_label: FloatLike, cost_judge: FloatLike) -> Array:
    """Return the share of judged items to label for the smallest error within a budget.

    Parameters
    ----------
    r : array_like
        Correlation of judge and truth on differences.
    cost_label, cost_judge : array_like
        Cost of labeling and of judging one item, > 0, in the same unit.

    Returns
    -------
    Array
        Share n / T = √((1 - r²) c_judge / (r² c_label)), at most 1, for which all items are
        labeled.

    References
    ----------
    Neyman (1938), JASA 33. Methods: Judges

    Examples
    --------
    >>> round(float(label_share(0.65, cost_label=1, cost_judge=0.01)), 3)
    0.117
    """
    checks.correlation("r", r)
    checks.positive("cost_label", cost_label)
    checks.positive("cost_judge", cost_judge)
    rr = np.square(np.asarray(r, dtype=np.float64))
    with np.errstate(divide="ignore"):
        share = np.sqrt((1 - rr) * np.asarray(cost_judge) / (rr * np.asarray(cost_label)))
    return np.minimum(share, 1.0)[()]


def judge_agreement(p: FloatLike, *, rho: FloatLike, error: FloatLike) -> _JudgeAgreement:
    """Return correlations of a judge with random errors, for one model and for a difference."""
    checks.fraction("p", p)
    checks.within("rho", rho, (-1, 1), "a correlation below 1", ends=(True, False))
    checks.within("error", error, (0, 0.5), "in [0, 1/2)", ends=(True, False))
    share, keep = np.asarray(p, dtype=np.float64), 1 - 2 * np.asarray(error, dtype=np.float64)
    label_variance = share * (1 - share)
    passed = share * keep + np.asarray(error)
    judged = passed * (1 - passed)
    pair = label_variance * np.asarray(rho)
    r = keep * np.sqrt((label_variance - pair) / (judged - keep**2 * pair))
    with np.errstate(divide="ignore"):
        return _JudgeAgreement(
            r[()], (keep * np.sqrt(label_variance / judged))[()], (1 / (1 - r * r))[()]
        )
