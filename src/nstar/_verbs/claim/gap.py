"""Evaluate a reported gap by its interval and p-value, without the accuracies."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from scipy import special

from nstar import stats
from nstar._base import checks
from nstar._base.result import Result
from nstar._base.types import CountOrInf, Interval
from nstar._verbs.claim.printed import PrintedPValue, read_p
from nstar._verbs.verdict import ClaimVerdict, Criteria, judge_bounds
from nstar.errors import QuestionError, arg
from nstar.stats.mcnemar import P_FLOOR

Agreement: TypeAlias = Literal["consistent", "zero", "one-sided", "inconsistent"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class GapClaim(Result):
    """Check of a reported gap by its reported interval and p-value."""

    gap: float
    """Reported gap, first minus second."""
    n_items: int | None
    """Number of items; None if not stated."""
    ci: Interval | None
    """Reported interval of the gap."""
    confidence_level: float
    """Coverage of the interval."""
    reported_pvalue: str | None
    """Reported p-value, such as ``"= 0.04"``; None without one."""
    criteria: Criteria
    """Level, power, and alternative hypothesis."""
    se: float | None
    """Standard error of the gap that the interval implies, or the p-value without an interval."""
    pvalue: Interval
    """Range of the p-value that the figures imply for the level and alternative of the report."""
    agreement: Agreement | None
    """Relation of the reported p-value to the interval; None unless both are reported."""
    contains_gap: bool
    """Whether the interval contains the gap."""
    psi: float | None
    """Share of items that exactly one model answered correctly, if the standard error is that of a
    paired comparison of 0/1 scores; None if unknown, above 1 if that is impossible.
    """
    mde: float | None
    """Smallest true gap that a study with this standard error detects."""
    n_star: CountOrInf | None
    """Number of items that would detect the reported gap; None without a number of items."""
    verdict: ClaimVerdict
    """Whether the figures show that the gap is significant; ``depends`` if the interval does not
    contain the gap.
    """


def judged_gap(
    gap: float,
    *,
    ci: Interval | None = None,
    p: float | str | None = None,
    items: int | None = None,
    conf: float = 0.95,
    criteria: Criteria | None = None,
) -> GapClaim:
    """Return what a reported gap with its interval or p-value supports (normal theory).

    >>> claim = judged_gap(-0.0234, ci=Interval(-0.1109, 0.062), p=0.71, items=216)
    >>> claim.verdict, claim.agreement, round(claim.se, 3), round(claim.mde, 3)
    ('not_supported', 'one-sided', 0.044, 0.124)
    """
    rule = criteria or Criteria()
    checks.finite("gap", gap)
    checks.fraction("confidence_level", conf)
    if ci is None and p is None:
        msg = (
            f"A gap needs its interval ({arg('ci')}) or its p-value ({arg('p')}). Without them, "
            "pass both accuracies and the number of items."
        )
        raise QuestionError(msg)
    printed = None if p is None else read_p(p)
    se, two_sided, agreement = _implied(gap, ci, printed, conf)
    k = float(stats.k_factor(rule.alpha, rule.power, sides=rule.sides))
    n_star, psi = None, None
    if items is not None and se is not None:
        n_star = float(np.ceil(items * (k * se / gap) ** 2)) if gap else np.inf
        psi = items * se * se + gap * gap
    ends = [_sided(float(end), gap, rule) for end in two_sided]
    bounds = Interval(min(ends), max(ends))
    contains_gap = ci is None or float(ci.low) <= gap <= float(ci.high)
    verdict = judge_bounds(float(bounds.low), float(bounds.high), rule.alpha)
    return GapClaim(
        gap=gap,
        n_items=items,
        ci=ci,
        confidence_level=conf,
        reported_pvalue=None if printed is None else printed.text,
        criteria=rule,
        se=se,
        pvalue=bounds,
        agreement=agreement,
        contains_gap=contains_gap,
        psi=psi,
        mde=None if se is None else se * k,
        n_star=n_star,
        verdict=verdict if contains_gap else "depends",
    )


def _implied(
    gap: float, ci: Interval | None, printed: PrintedPValue | None, conf: float
) -> tuple[float | None, Interval, Agreement | None]:
    """Return the standard error, the range of the two-sided p, and how p and interval agree."""
    window = Interval(0.0, 1.0)
    if printed is not None and printed.possible:
        window = Interval(max(printed.window.low, P_FLOOR), min(printed.window.high, 1.0))
    is_exact = printed is not None and printed.possible and printed.text.startswith("=")
    midpoint = (float(window.low) + float(window.high)) / 2
    if ci is None:
        z = float(-special.ndtri(midpoint / 2)) if is_exact and midpoint < 1 else 0.0
        return (abs(gap) / z if z * abs(gap) > 0 else None), window, None
    implied = stats.p_from_interval(gap, ci, p=midpoint if is_exact else None, conf=conf)
    p = implied.p_two_sided
    agreement: Agreement | None = implied.verdict if is_exact else None
    if printed is not None and not printed.possible:
        agreement = "zero"
    elif printed is not None and not is_exact:
        agreement = "consistent" if window.low <= p <= window.high else "inconsistent"
    if agreement == "inconsistent":
        return implied.se, Interval(min(p, window.low), max(p, window.high)), agreement
    return implied.se, Interval(p, p), agreement


def _sided(p: float, gap: float, rule: Criteria) -> float:
    """Return the p-value for the alternative from a two-sided one."""
    if rule.sides == 2:
        return p
    return p / 2 if rule.can_detect(gap) else 1 - p / 2
