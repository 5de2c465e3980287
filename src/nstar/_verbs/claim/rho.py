"""Item correlations that two accuracies allow."""

import numpy as np

from nstar import stats
from nstar._base.types import Interval


def nearest_rho(rho: float, bounds: Interval | None) -> float:
    """The correlation itself, or the nearest one that is feasible."""
    return rho if bounds is None else float(np.clip(rho, bounds.low, bounds.high))


def nearest_rhos(rhos: tuple[float, ...], bounds: Interval | None) -> list[float]:
    """Correlations inside the bounds; those outside are moved to the nearest bound."""
    return [] if bounds is None else sorted({nearest_rho(r, bounds) for r in rhos})


def rho_at(p_a: float, p_b: float, psi: float) -> float | None:
    """Item correlation at a discordance, None if infeasible or undefined."""
    low, high = (float(v) for v in stats.psi_bounds(p_a, p_b))
    if not (low <= psi <= high and 0 < p_a < 1 and 0 < p_b < 1):
        return None
    return float(stats.rho_from_psi(p_a, p_b, psi))
