"""``claim``: what two printed accuracies can and cannot support, without per-item data."""

from dataclasses import dataclass

import numpy as np

from nstar import stats
from nstar._benchmarks import TYPICAL, TypicalRho
from nstar._typing import Interval
from nstar._verdict import ClaimWord, Criteria, Significance, judge_against_mde, judge_bounds
from nstar.stats import _check
from nstar.stats.printed import Grim, PrintedP
from nstar.stats.shortcut import FormulaMatch

__all__ = ["Claim", "ClaimRow", "PValueCheck", "Printed", "SizeCheck", "claim"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """Figures a paper printed beside its two accuracies; all optional."""

    p: float | None = None
    """p-value."""
    interval: Interval | None = None
    """Interval of the gap, proportions."""
    conf: float = 0.95
    """Coverage of that interval."""
    n: float | None = None
    """Sample size said to be needed for this gap."""
    decimals: tuple[int, int] | None = None
    """Digits after the point of each accuracy as a proportion (71.4 % has 3)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimRow:
    """The claim at one item correlation."""

    rho: float
    """Item correlation."""
    psi: float
    """Share of items on which exactly one model is right."""
    t: float
    """Gap in standard errors."""
    mde: float
    """Smallest gap this benchmark detects, in the direction of the claim."""
    n_star: float
    """Items that would detect the claimed gap."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PValueCheck:
    """A printed p-value against what the accuracies allow."""

    p: float
    """As printed."""
    t: float | None
    """|T| it stands for; None for an impossible p of 0."""
    possible: bool
    """Some feasible item correlation gives this p."""
    rho: float | None
    """The item correlation that gives it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeCheck:
    """A printed sample size against the formulas in circulation."""

    printed: float
    """As printed."""
    rho: float
    """Item correlation at which it was checked."""
    right: float
    """What the paired formula needs there."""
    matches: tuple[FormulaMatch, ...]
    """Formulas that reproduce it, the closest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Everything that follows from two accuracies on the same n items."""

    p_a: float
    """Printed accuracy of the first model."""
    p_b: float
    """Printed accuracy of the second model."""
    n: int
    """Items."""
    delta: float
    """Gap, first minus second."""
    criteria: Criteria
    """Level, power, sides."""
    typical: TypicalRho
    """Item correlations taken as typical."""
    rho_bounds: Interval | None
    """Feasible item correlations; None when an accuracy is 0 or 1."""
    t_min: float
    """|T| at the least favourable feasible correlation."""
    t_max: float
    """|T| at the most favourable one."""
    t_independent: float
    """|T| if the models had answered different items."""
    rho_significant: float | None
    """Smallest correlation at which the gap is significant; None if none or all are."""
    significance: Significance
    """Whether the gap is significant for every, no or some feasible correlation."""
    mde: Interval
    """Detectable gap over the typical correlations."""
    n_star: Interval
    """Items that would detect the claimed gap, over the typical correlations."""
    verdict: ClaimWord
    """The claim against the MDE: below, borderline (within 50 %) or above."""
    rows: tuple[ClaimRow, ...]
    """The claim at several correlations."""
    grim: tuple[Grim, Grim] | None
    """Whether each accuracy can be a whole number of right answers."""
    p_check: PValueCheck | None
    """Printed p against the accuracies."""
    ci_check: PrintedP | None
    """Printed p against the printed interval."""
    printed: Printed
    """What was printed."""
    size_check: SizeCheck | None
    """Printed sample size against the formulas."""


def _row(p_a: float, p_b: float, n: int, rho: float, rule: Criteria) -> ClaimRow:
    delta = p_a - p_b
    psi = float(stats.psi_from_rho(p_a, p_b, rho))
    sigma = float(stats.sigma_from_psi(psi, delta))
    mde = stats.paired_mde_from_rate(
        n,
        p_b=p_b,
        rho=rho,
        direction="up" if delta >= 0 else "down",
        alpha=rule.alpha,
        power=rule.power,
        sides=rule.sides,
    )
    n_star = stats.paired_n_star(
        delta, psi=psi, alpha=rule.alpha, power=rule.power, sides=rule.sides
    )
    return ClaimRow(
        rho=rho,
        psi=psi,
        t=abs(delta) * np.sqrt(n) / sigma if sigma > 0 else np.inf,
        mde=float(mde),
        n_star=float(np.ceil(n_star)),
    )


def _constant_model(gap: float, n: int, rule: Criteria) -> tuple[float, float]:
    """MDE and N* when one model never loses an item: psi is the gap itself."""
    mde = stats.paired_mde_fixed_loss(
        n, p01=0.0, alpha=rule.alpha, power=rule.power, sides=rule.sides
    )
    need = stats.paired_n_star(gap, psi=gap, alpha=rule.alpha, power=rule.power, sides=rule.sides)
    return float(mde), float(np.ceil(need))


def _feasible(rhos: tuple[float, ...], bounds: Interval | None) -> list[float]:
    """Correlations inside the bounds; those outside are moved to the nearest bound."""
    if bounds is None:
        return []
    return sorted({float(np.clip(r, bounds.low, bounds.high)) for r in rhos})


def _inside(rho: float, bounds: Interval | None) -> float:
    return rho if bounds is None else float(np.clip(rho, bounds.low, bounds.high))


def _rho_for_t(p_a: float, p_b: float, n: int, t: float) -> float | None:
    """Item correlation at which |T| equals ``t``, None if infeasible."""
    delta = p_a - p_b
    psi = n * (delta / t) ** 2 + delta * delta
    low, high = stats.psi_bounds(p_a, p_b)
    if not (float(low) <= psi <= float(high)) or not (0 < p_a < 1 and 0 < p_b < 1):
        return None
    return float(stats.rho_from_psi(p_a, p_b, psi))


def _check_p(p_a: float, p_b: float, n: int, p: float) -> PValueCheck:
    _check.probability("p", p)
    if p == 0:
        return PValueCheck(p=p, t=None, possible=False, rho=None)
    t = stats.t_from_p(p)
    low, high = (abs(float(v)) for v in stats.t_bounds(p_a, p_b, n))
    # a printed p is rounded: allow the T of p ± half a unit in its second figure
    slack = 0.02 * max(t, 1.0)
    possible = low - slack <= t <= high + slack
    return PValueCheck(p=p, t=t, possible=possible, rho=_rho_for_t(p_a, p_b, n, t) if t else None)


def _check_size(p_a: float, p_b: float, printed: float, rho: float, rule: Criteria) -> SizeCheck:
    low, gap = min(p_a, p_b), abs(p_a - p_b)
    matches: list[FormulaMatch] = []
    if low > 0 and gap < 1:
        matches = stats.match_sample_size(
            printed, p=low, delta=gap, rho=rho, alpha=rule.alpha, power=rule.power
        )
    constant = low == 0 or max(p_a, p_b) == 1
    psi = gap if constant else float(stats.psi_from_rho(p_a, p_b, rho))
    right = stats.paired_n_star(gap, psi=psi, alpha=rule.alpha, power=rule.power, sides=rule.sides)
    return SizeCheck(printed=printed, rho=rho, right=float(right), matches=tuple(matches))


def claim(
    p_a: float,
    p_b: float,
    n: int,
    *,
    typical: TypicalRho = TYPICAL,
    printed: Printed | None = None,
    criteria: Criteria | None = None,
) -> Claim:
    """Bounds, detectable gap and checks for two accuracies printed for the same ``n`` items.

    Parameters
    ----------
    p_a, p_b
        Printed accuracies, proportions; the claim is p_a - p_b.
    n
        Items both models answered.
    typical
        Item correlations to expect; decides the MDE range and so the verdict.
    printed
        p, interval, sample size and digits to check for consistency.

    Examples
    --------
    >>> c = claim(0.783, 0.775, 12032)
    >>> round(c.t_min, 2), round(c.t_max, 2), c.significance, c.verdict
    (1.32, 9.85, 'depends', 'borderline')
    """
    rule, extra = criteria or Criteria(), printed or Printed()
    _check.probability("p_a", p_a)
    _check.probability("p_b", p_b)
    _check.counts(n=n)
    _check.require(n >= 2, "n", "at least 2 items", n)
    _check.require(p_a != p_b, "p_a", "different from p_b: there is no gap to judge", p_a)
    inner = 0 < p_a < 1 and 0 < p_b < 1
    bounds = stats.rho_bounds(p_a, p_b) if inner else None
    t_low, t_high = (abs(float(v)) for v in stats.t_bounds(p_a, p_b, n))
    inside = _feasible((typical.low, typical.mean, typical.high), bounds)
    core = [_row(p_a, p_b, n, r, rule) for r in inside]
    shown = _feasible((0.0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, *inside), bounds)
    mdes, needs = [r.mde for r in core], [r.n_star for r in core]
    if not core:  # one model is right (or wrong) on every item: psi can only be |delta|
        mde, need = _constant_model(abs(p_a - p_b), n, rule)
        mdes, needs = [mde], [need]
    variance = p_a * (1 - p_a) + p_b * (1 - p_b)
    significance = judge_bounds(t_low, t_high, rule.z)
    return Claim(
        p_a=p_a,
        p_b=p_b,
        n=n,
        delta=p_a - p_b,
        criteria=rule,
        typical=typical,
        rho_bounds=bounds,
        t_min=t_low,
        t_max=t_high,
        t_independent=float(np.sqrt(n / variance) * abs(p_a - p_b)) if variance else np.inf,
        rho_significant=_rho_for_t(p_a, p_b, n, rule.z) if significance == "depends" else None,
        significance=significance,
        mde=Interval(min(mdes), max(mdes)),
        n_star=Interval(min(needs), max(needs)),
        verdict=judge_against_mde(p_a - p_b, min(mdes), max(mdes)),
        rows=tuple(_row(p_a, p_b, n, r, rule) for r in shown),
        grim=(
            None
            if extra.decimals is None
            else (
                stats.grim(p_a, n, decimals=extra.decimals[0]),
                stats.grim(p_b, n, decimals=extra.decimals[1]),
            )
        ),
        p_check=None if extra.p is None else _check_p(p_a, p_b, n, extra.p),
        ci_check=(
            None
            if extra.interval is None
            else stats.p_from_interval(p_a - p_b, extra.interval, p=extra.p, conf=extra.conf)
        ),
        printed=extra,
        size_check=(
            None if extra.n is None else _check_size(p_a, p_b, extra.n, typical.mean, rule)
        ),
    )
