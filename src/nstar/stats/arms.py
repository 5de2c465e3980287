"""Sample sizes for several models: select the best, compare with a control, or compare all pairs.

All models answer the same items. The difference of any two models has standard deviation sigma per
item, and any two differences from one model have correlation ½, as they do if models are equally
noisy and equally similar. Selection needs no test: the model with the highest mean is selected,
and it is the best with probability P if its true lead is delta. A test also needs a critical
value: Dunnett's for comparisons with a control, or Tukey's
(:func:`nstar.stats.adjust.tukey_critical`) for all pairs.
"""

from collections.abc import Callable

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array, FloatLike, Sides
from nstar.stats._blocks import map_blocks
from nstar.stats._normal import needed, span
from nstar.stats._roots import bisect, bracketed
from nstar.stats.adjust import bonferroni_critical
from nstar.stats.critical import z_alpha

__all__ = [
    "dunnett_critical",
    "ladder_power",
    "selection_mde",
    "selection_n_star",
    "selection_power",
]

_NODES = np.linspace(-10.0, 10.0, 401)
"""Nodes for integrals over a normal density. The trapezoidal rule is spectrally accurate on
them.
"""
_WEIGHTS = np.exp(-_NODES * _NODES / 2) * (_NODES[1] - _NODES[0]) / np.sqrt(2 * np.pi)
_ROWS = 512
"""Number of integrals per block, so that their nodes stay in cache."""
_FARTHEST = 60.0
"""Lead that is larger than any number of models and any float64 probability requires."""
_STEADY = 1e-14
"""Relative change of a density below which its shape is treated as constant."""
_LADDER = np.linspace(-6.5, 6.5, 1301)
"""Nodes for the error of a mean in its standard errors, for the chain of adjacent models."""


def _miss(lead: Array, others: Array) -> Array:
    """Return 1 - ∫ Φ(x + lead)^others φ(x) dx, with full relative accuracy if it is small."""
    out = np.empty(lead.shape)
    for i in range(0, lead.size, _ROWS):
        at = slice(i, i + _ROWS)
        each = special.log_ndtr(_NODES + lead[at, None])
        out[at] = -np.expm1(others[at, None] * each) @ _WEIGHTS
    return out


def _by_models(models: FloatLike, solve: Callable[[Array], Array]) -> Array:
    """Apply ``solve`` to the distinct numbers of models, and return the shape of the caller."""
    distinct, place = np.unique(np.asarray(models, dtype=np.float64), return_inverse=True)
    out = np.asarray(solve(distinct), dtype=np.float64)[place]
    return np.asarray(out.reshape(np.shape(models)))[()]


def _check_models(name: str, models: FloatLike, min_models: int) -> None:
    checks.counts(**{name: models})
    checks.require(np.asarray(models) >= min_models, name, f"at least {min_models}", models)


def selection_lead(models: FloatLike, *, prob: float = 0.95) -> Array:
    """Return the lead h at which the best of k models is selected with probability ``prob``.

    The lead solves ∫ Φ(x + h)^(k-1) φ(x) dx = prob. The best model leads all others by h standard
    errors of one model's mean. This configuration is the least favorable one among those with at
    least this lead (indifference zone). The lead is √2 times as large in standard errors of one
    mean as in those of a difference.

    Bechhofer (1954), Ann. Math. Stat. 25.
    """
    checks.fraction("prob", prob)
    _check_models("models", models, 2)
    min_models = np.min(np.asarray(models, dtype=np.float64), initial=np.inf)
    checks.require(prob > 1 / min_models, "prob", "above 1 / models, which is chance", prob)

    def solve(k: Array) -> Array:
        return bisect(lambda h: _miss(h, k - 1) > 1 - prob, np.zeros(k.size), _FARTHEST, steps=56)

    return _by_models(models, solve)


def selection_power(
    delta: FloatLike, *, sigma: FloatLike, n: FloatLike, models: FloatLike
) -> Array:
    """Return the probability that the best of k models has the highest mean over n shared items.

    Parameters
    ----------
    delta : array_like
        Lead of the best over every other model, at least 0, in score units.
    sigma : array_like
        Standard deviation of the per-item difference of two models, > 0, in score units.
    n : array_like
        Number of items, > 0.
    models : array_like
        Number of models k, whole, at least 2.

    Returns
    -------
    Array
        Probability, which is 1 / k without a lead. Inputs broadcast.

    References
    ----------
    Bechhofer (1954), Ann. Math. Stat. 25.
    Methods: Families of comparisons.

    Examples
    --------
    >>> round(float(selection_power(0.02, sigma=0.21**0.5, n=3068, models=10)), 4)
    0.95
    """
    _check_models("models", models, 2)

    def block(gap: Array, sd: Array, items: Array, k: Array) -> Array:
        checks.nonnegative("delta", gap)
        checks.positive("sigma", sd)
        checks.positive("n", items)
        return 1 - _miss(gap * np.sqrt(2 * items) / sd, k - 1)

    return map_blocks(block, delta, sigma, n, models)


def selection_n_star(
    delta: FloatLike, *, sigma: FloatLike, models: FloatLike, prob: float = 0.95
) -> Array:
    """Return the items with which the best of k models is selected, h² sigma² / (2 delta²).

    Parameters
    ----------
    delta : array_like
        Lead of the best model over the second, in score units. Its sign is ignored.
    sigma : array_like
        Standard deviation of the per-item difference of two models, > 0, in score units.
    models : array_like
        Number of models k, whole, at least 2.
    prob : float, default 0.95
        Target probability of choosing the best, above 1 / k and below 1.

    Returns
    -------
    Array
        Number of items, not rounded up. It is ``inf`` without a lead. Inputs broadcast.

    References
    ----------
    Bechhofer (1954), Ann. Math. Stat. 25. Methods: Families of comparisons.

    Examples
    --------
    >>> round(float(selection_n_star(0.02, sigma=0.21**0.5, models=10)), 1)
    3067.0
    """
    return map_blocks(needed, delta, sigma, selection_lead(models, prob=prob) / np.sqrt(2))


def selection_mde(
    n: FloatLike, *, sigma: FloatLike, models: FloatLike, prob: float = 0.95
) -> Array:
    """Return the lead at which n items select the best of k models with probability ``prob``.

    Parameters
    ----------
    n : array_like
        Number of items, > 0.
    sigma : array_like
        Standard deviation of the per-item difference of two models, > 0, in score units.
    models : array_like
        Number of models k, whole, at least 2.
    prob : float, default 0.95
        Target probability of choosing the best, above 1 / k and below 1.

    Returns
    -------
    Array
        Lead over the second model, in score units. Inputs broadcast.

    References
    ----------
    Bechhofer (1954), Ann. Math. Stat. 25. Methods: Families of comparisons.

    Examples
    --------
    >>> round(float(selection_mde(800, sigma=0.5, models=20)), 4)
    0.0465
    """
    return map_blocks(span, n, sigma, selection_lead(models, prob=prob) / np.sqrt(2))


def _none_beyond(c: Array, others: Array, sides: Sides) -> Array:
    """Return P(no difference from the control exceeds c), ∫ [Φ(√2 c + x) - …]^m φ(x) dx."""
    edge = np.sqrt(2) * c[:, None]
    inside = special.ndtr(_NODES + edge)
    if sides == 2:
        inside = inside - special.ndtr(_NODES - edge)
    return np.asarray(np.power(inside, others[:, None]) @ _WEIGHTS)


def dunnett_critical(others: FloatLike, *, alpha: float = 0.05, sides: Sides = 2) -> Array:
    """Return Dunnett's critical value of |z| for m models and one control, with known variances.

    It is exact if all models, including the control, have the same variance and all pairs have the
    same correlation, so that differences from the control have correlation ½. Otherwise, simulate
    it by :func:`nstar.stats.maxt.max_t_critical` with the pairs of the control.

    Parameters
    ----------
    others : array_like
        Number of models m besides the control, whole, at least 1.
    alpha : float, default 0.05
        Family-wise level, in (0, 1), over both tails when ``sides`` is 2.
    sides : {1, 2}, default 2
        Sides of the test: 2, or 1 if only models better than the control are of interest.

    Returns
    -------
    Array
        Critical value in standard errors, in the shape of ``others``. For one model, it is that of
        one comparison, :func:`z_alpha`.

    References
    ----------
    Dunnett (1955), J. Am. Stat. Assoc. 50. Methods: Families of comparisons.

    Examples
    --------
    >>> [round(float(c), 4) for c in dunnett_critical([1, 9, 27])]
    [1.96, 2.6862, 2.9831]
    """
    checks.fraction("alpha", alpha)
    checks.choice("sides", sides, (1, 2))
    _check_models("others", others, 1)

    def solve(m: Array) -> Array:
        low = np.full(m.size, float(z_alpha(alpha, sides=sides)))
        high = bonferroni_critical(m * (2 if sides == 1 else 1), alpha=alpha) + 1e-9
        high = np.maximum(high, low)
        return bisect(lambda c: _none_beyond(c, m, sides) < 1 - alpha, low, high, steps=56)

    return _by_models(others, solve)


def ladder_power(shift: float, *, models: int, critical: float) -> float:
    """Return the probability that all pairs of k equally spaced models are significant.

    Each model is better than the next by ``shift`` standard errors of a difference. Each model
    must lead the next one by more than ``critical`` standard errors, which implies the same for
    all other pairs. The density of one model's error is propagated to the next model, without
    simulation.

    Parameters
    ----------
    shift : float
        Gap between adjacent models, divided by the standard error of a difference, at least 0.
    models : int
        Number of models k, at least 2.
    critical : float
        Critical value of |z| of every pair, > 0.

    Returns
    -------
    float
        Probability that every pair is significant, in the right direction.

    References
    ----------
    Ramsey (1978), J. Am. Stat. Assoc. 73: all-pairs power. Methods: Families of comparisons.

    Examples
    --------
    With Tukey's critical value and 80% power for each pair, three models and ten:

    >>> c3, c10 = 2.3437, 3.1637
    >>> [round(ladder_power(c + 0.8416, models=k, critical=c), 3) for k, c in ((3, c3), (10, c10))]
    [0.608, 0.08]
    """
    checks.nonnegative("shift", shift)
    checks.positive("critical", critical)
    _check_models("models", models, 2)
    step = float(_LADDER[1] - _LADDER[0])
    density = np.exp(-_LADDER * _LADDER / 2) / np.sqrt(2 * np.pi)
    lag = np.sqrt(2) * (shift - critical)
    current_density, total = density, float(density.sum())
    for left in range(int(models) - 2, -1, -1):
        after = density * _carried(current_density, step, lag)
        sum_after = float(after.sum())
        if sum_after <= 0:
            return 0.0
        ratio = sum_after / total
        steady = bool(np.abs(after - ratio * current_density).max() <= _STEADY * after.max())
        current_density, total = after, sum_after
        if steady:  # each additional model multiplies the density by the same ratio
            total *= ratio**left
            break
    return float(np.clip(total * step, 0.0, 1.0))


def _carried(density: Array, step: float, lag: float) -> Array:
    """Integrate ``density`` up to each node + lag (corrected trapezoid, cubic between nodes)."""
    total = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) * (step / 2))])
    total -= step * step / 12 * np.gradient(density, step)
    whole_steps = np.floor(lag / step)
    t = lag / step - whole_steps
    at = np.arange(density.size) + int(np.clip(whole_steps, -density.size, density.size))
    left, right = np.clip(at, 0, density.size - 1), np.clip(at + 1, 0, density.size - 1)
    h00, h10 = (1 + 2 * t) * (1 - t) ** 2, t * (1 - t) ** 2
    h01, h11 = t * t * (3 - 2 * t), t * t * (t - 1)
    values = h00 * total[left] + h01 * total[right]
    return np.asarray(values + step * (h10 * density[left] + h11 * density[right]))


def ladder_shift(power: float = 0.8, *, models: int, critical: float) -> float:
    """Return the spacing for which all pairs of k models are significant with the given power.

    The spacing is in standard errors of a difference.

    Ramsey (1978), J. Am. Stat. Assoc. 73.
    """
    checks.fraction("power", power)

    def short(shift: Array) -> Array:
        return np.asarray(ladder_power(float(shift), models=models, critical=critical) - power)

    upper = critical + float(-special.ndtri((1 - power) / models)) + 1
    if short(np.asarray(0.0)) > 0:
        return 0.0
    return float(bracketed(short, 0.0, upper, tol=1e-10))
