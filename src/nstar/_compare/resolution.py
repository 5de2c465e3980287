"""What the benchmark can resolve: MDE, q and N*, from one standard error."""

import math
from dataclasses import dataclass

from nstar import stats
from nstar._compare.parts import Counts, Reading
from nstar._typing import Interval, Sides
from nstar._verdict import ABSURD, Criteria

__all__ = ["Resolution", "detectable", "items_missing", "q_at", "resolution"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """q = n / n_star at a gap, with intervals from t ± margin."""

    q: float | None
    q_ci: Interval | None
    n_star: float
    n_star_ci: Interval


def resolution(reading: Reading, n: int, sides: Sides) -> Resolution:
    """At the observed gap: (t / k)², a p-value in other units.

    With normal quantiles these are :func:`nstar.stats.q_hat`, ``q_interval`` and
    ``n_star_interval``; few clusters have Student's instead. When only "the first is better" is
    of interest a gap the other way counts as none.
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
        n_star=_needed(n, q),
        n_star_ci=Interval(_needed(n, high), _needed(n, low)),
    )


def _needed(n: int, q: float) -> float:
    return n / q if q > 0 else math.inf


def q_at(delta0: float, reading: Reading) -> float | None:
    """At a gap declared in advance: it uses the standard error only."""
    return (delta0 / (reading.k * reading.se)) ** 2 if reading.se > 0 else None


def _least(n: int, criteria: Criteria) -> float:
    """Gap detectable when one model never loses an item: psi is the gap itself."""
    return float(
        stats.paired_mde_fixed_loss(
            n, p01=0.0, alpha=criteria.alpha, power=criteria.power, sides=criteria.sides
        )
    )


def detectable(
    reading: Reading, counts: Counts | None, n: int, criteria: Criteria
) -> tuple[float | None, float | None]:
    """MDE under this reading, and the least gap that could have one where it has none."""
    alpha, power, sides = criteria.alpha, criteria.power, criteria.sides
    mde = math.inf
    if reading.kind != "items":
        mde = reading.k * reading.se if reading.se > 0 else math.inf
    elif counts is not None and counts.psi > 0:
        mde = float(stats.paired_mde(n, psi=counts.psi, alpha=alpha, power=power, sides=sides))
    elif counts is None and reading.se > 0:
        sigma = reading.se * math.sqrt(n)
        mde = float(stats.t_mde(n, sigma=sigma, alpha=alpha, power=power, sides=sides))
    if math.isfinite(mde):
        return mde, None
    least = _least(n, criteria) if counts is not None and reading.kind == "items" else math.inf
    return None, least if math.isfinite(least) else None


def items_missing(n_star: float, n: int) -> int | None:
    """Items still missing to ``n_star``; None when that is no sensible number."""
    return None if n_star > ABSURD else max(math.ceil(n_star - 1e-9) - n, 0)
