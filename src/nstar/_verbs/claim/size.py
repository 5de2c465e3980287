"""A printed sample size, held against the formulas in circulation."""

from nstar import stats
from nstar._verbs.claim.result import SizeCheck
from nstar._verbs.claim.rho import rho_at
from nstar._verbs.verdict import Criteria
from nstar.stats.shortcut import FormulaMatch


def _rho_for_size(p_a: float, p_b: float, size: float, rule: Criteria) -> float | None:
    """Item correlation at which N* equals ``size`` (it grows with psi)."""
    gap = abs(p_a - p_b)
    k = float(stats.k_factor(rule.alpha, rule.power, sides=rule.sides))
    return rho_at(p_a, p_b, size * (gap / k) ** 2 + gap * gap)


def check_size(p_a: float, p_b: float, printed: float, rho: float, rule: Criteria) -> SizeCheck:
    """Which formula gives it at ``rho``, and at which rho it is right."""
    low, gap = min(p_a, p_b), abs(p_a - p_b)
    matches: list[FormulaMatch] = []
    if low > 0 and gap < 1:
        matches = stats.match_sample_size(
            printed,
            p=low,
            delta=gap,
            rho=rho,
            alpha=rule.alpha,
            power=rule.power,
            sides=rule.sides,
        )
    constant = low == 0 or max(p_a, p_b) == 1
    psi = gap if constant else float(stats.psi_from_rho(p_a, p_b, rho))
    right = stats.paired_n_star(gap, psi=psi, alpha=rule.alpha, power=rule.power, sides=rule.sides)
    return SizeCheck(
        printed=printed,
        rho=rho,
        right=float(right),
        rho_right=_rho_for_size(p_a, p_b, printed, rule),
        rho_half=_rho_for_size(p_a, p_b, 2 * printed, rule),
        matches=tuple(matches),
    )
