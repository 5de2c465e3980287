"""What the benchmark can resolve: MDE, q and N*, from one standard error."""

import math
from dataclasses import dataclass

from nstar import stats
from nstar._compare.parts import Counts, Reading
from nstar._typing import Interval, Sides
from nstar._verdict import ABSURD, Criteria

__all__ = ["Resolution", "detectable", "items_missing", "least_items", "q_at", "resolution"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """q = n / n_star at a gap, with intervals from t ± margin."""

    q: float | None
    q_ci: Interval | None
    n_star: float
    n_star_ci: Interval


def least_items(alpha: float, *, binary: bool, sides: Sides) -> int:
    """Fewest items, all in favour of one model, at which the default test rejects at all.

    McNemar's mid-p is then 2⁻ⁿ (half of it one-sided), the sign-flip p twice that.

    Examples
    --------
    >>> least_items(0.05, binary=True, sides=2), least_items(0.05, binary=False, sides=2)
    (5, 6)
    """
    halvings = math.log2(1 / alpha) + (0 if binary else 1) - (2 - sides)
    return max(math.ceil(halvings - 1e-9), 1)


def resolution(reading: Reading, n: int, sides: Sides, least: int) -> Resolution:
    """At the observed gap: (t / k)², a p-value in other units.

    These are :func:`nstar.stats.q_hat`, ``q_interval`` and ``n_star_interval``; with few clusters
    the intervals have Student's quantile. When only "the first is better" is of interest a gap
    the other way counts as none. No fewer items than ``least`` can do.
    """
    if reading.se == 0:
        return Resolution(
            q=None, q_ci=None, n_star=math.inf, n_star_ci=Interval(math.inf, math.inf)
        )
    size = abs(reading.t) if sides == 2 else reading.t
    q, low, high = (
        (max(size + shift, 0.0) / reading.k) ** 2
        for shift in (0.0, -reading.margin, reading.margin)
    )
    return Resolution(
        q=q,
        q_ci=Interval(low, high),
        n_star=_needed(n, q, least),
        n_star_ci=Interval(_needed(n, high, least), _needed(n, low, least)),
    )


def _needed(n: int, q: float, least: int) -> float:
    return max(n / q, least) if q > 0 else math.inf


def _reach(reading: Reading, power: float) -> float:
    """Standard errors that a gap must span to be detectable: with few clusters, Student's."""
    if reading.kind != "cluster":
        return reading.k
    return reading.margin + float(stats.t_quantile(power, reading.df))


def q_at(delta0: float, reading: Reading, power: float) -> float | None:
    """At a gap declared in advance: it uses the standard error only."""
    return (delta0 / (_reach(reading, power) * reading.se)) ** 2 if reading.se > 0 else None


def _least(n: int, criteria: Criteria) -> float:
    """Gap detectable when one model never loses an item: psi is the gap itself."""
    return float(
        stats.paired_mde_fixed_loss(
            n, p01=0.0, alpha=criteria.alpha, power=criteria.power, sides=criteria.sides
        )
    )


def detectable(
    reading: Reading, counts: Counts | None, n: int, criteria: Criteria, largest: float
) -> tuple[float | None, float | None]:
    """MDE under this reading, and the least gap that could have one where it has none.

    A gap beyond ``largest``, the largest there can be, is none.
    """
    alpha, power, sides = criteria.alpha, criteria.power, criteria.sides
    mde = math.inf
    if reading.kind != "items":
        mde = _reach(reading, power) * reading.se if reading.se > 0 else math.inf
    elif counts is not None and counts.psi > 0:
        mde = float(stats.paired_mde(n, psi=counts.psi, alpha=alpha, power=power, sides=sides))
    elif counts is None and reading.se > 0 and n >= least_items(alpha, binary=False, sides=sides):
        sigma = reading.se * math.sqrt(n)
        mde = float(stats.t_mde(n, sigma=sigma, alpha=alpha, power=power, sides=sides))
    if math.isfinite(mde) and mde <= largest:
        return mde, None
    least = _least(n, criteria) if counts is not None and reading.kind == "items" else math.inf
    return None, least if math.isfinite(least) else None


def items_missing(n_star: float, n: int) -> int | None:
    """Items still missing to ``n_star``; None when that is no sensible number."""
    return None if n_star > ABSURD else max(math.ceil(n_star - 1e-9) - n, 0)
