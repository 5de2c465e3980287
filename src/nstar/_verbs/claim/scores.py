"""Evaluate two reported values with a reported ±, for every possible meaning of ±."""

from dataclasses import dataclass
from itertools import product

import numpy as np

from nstar import stats
from nstar._base import checks
from nstar._base.codec import derived
from nstar._base.parameter_types import PlusMinusKind
from nstar._base.result import Result
from nstar._base.types import FloatOrInf, Interval, IntervalOrInf
from nstar._verbs.benchmarks import TYPICAL, TypicalRho
from nstar._verbs.verdict import ClaimVerdict, Criteria, judge_bounds
from nstar.stats._printed_errors import (
    PmReading,
    Welch,
    gap_error,
    more_than_binomial,
    printed_around,
    r_needed,
    se_factor,
    t_pvalue,
    welch,
)
from nstar.stats.critical import t_quantile, z_conf

_READINGS: dict[PlusMinusKind, tuple[PmReading, ...]] = {
    "sd": ("sd", "sd-n"),
    "se": ("se",),
    "ci": ("ci-t", "ci-z"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedScore:
    """One reported value in its own unit. Accuracies are proportions."""

    value: float
    """Reported value."""
    pm: float
    """Reported ±."""
    n_seeds: int | None = None
    """Number of runs that are averaged; None for one run with an error over items."""
    n_items: int | None = None
    """Number of items, if known."""
    half: float = 0.0
    """Half a unit of the last digit of the value; 0 if exact."""
    pm_half: float = 0.0
    """Half a unit of the last digit of ±; 0 if exact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlusMinusRow:
    """Claim under one meaning of ±."""

    reading: PmReading
    """Meaning of ±."""
    se_a: float
    """Standard error of the first value."""
    se_b: float
    """Standard error of the second value."""
    df: FloatOrInf
    """Degrees of freedom of Welch's test."""
    t: FloatOrInf
    """Absolute gap divided by its standard error if the two errors are independent (Welch)."""
    pvalue: float
    """p-value of Welch's test."""
    pvalue_bounds: Interval
    """Range of this p-value over all numbers that round to the reported ones."""
    verdict_independent: ClaimVerdict
    """Whether the gap is significant for independent errors, over all numbers that round to the
    reported ones.
    """
    t_min: float
    """Absolute gap divided by its standard error if the errors have a correlation of -1."""
    t_max: FloatOrInf
    """Absolute gap divided by its standard error if the errors have a correlation of 1."""
    r_significant: float | None
    """Smallest correlation of the errors at which the gap is significant; None if there is none.
    """
    verdict: ClaimVerdict
    """Whether the gap is significant for all, some, or no correlations, over all numbers that
    round to the reported ones.
    """
    pvalue_typical: Interval | None
    """p-value at typical correlations; None if errors are over seeds."""
    exceeds_binomial: bool | None
    """Whether runs vary more than independent answers can; None if unknown."""
    t_items: IntervalOrInf | None
    """Absolute gap divided by a standard error that includes the noise of items, at typical
    correlations.
    """


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class ScoreClaim(Result):
    """Check of a gap between two reported scores with reported errors."""

    first: PrintedScore
    """First value."""
    second: PrintedScore
    """Second value."""
    gap: float
    """Gap, first minus second."""
    is_accuracy: bool
    """Whether the values are accuracies, as proportions."""
    is_unpaired: bool
    """Whether neither items nor seeds are shared, so that errors are independent."""
    pm_is: PlusMinusKind | None
    """Meaning of ± according to the paper; None if not stated."""
    confidence_level: float
    """Coverage if ± is half an interval."""
    criteria: Criteria
    """Level and alternative hypothesis."""
    rho_assumed: TypicalRho
    """Item correlations that are assumed as typical."""
    scenarios: tuple[PlusMinusRow, ...]
    """Claim under each meaning of ±."""
    se_items: Interval | None
    """Standard error of one run's gap due to items alone, at typical correlations."""
    like_items: tuple[str, ...]
    """Errors due to items alone that equal both ±: of one run, or of all runs; empty if none do.
    """

    @derived
    def verdict_independent(self) -> ClaimVerdict:
        """Return whether the gap is significant for independent errors, over all meanings of ±."""
        return _joint([row.verdict_independent for row in self.scenarios])

    @derived
    def verdict(self) -> ClaimVerdict:
        """Return whether the gap is significant, over all meanings of ± and correlations."""
        return _joint([row.verdict for row in self.scenarios])


def _joint(words: list[ClaimVerdict]) -> ClaimVerdict:
    return words[0] if len(set(words)) == 1 else "depends"


@dataclass(frozen=True, slots=True, kw_only=True)
class _ScoreClaimInput:
    """Claim with the values that all meanings of ± share."""

    first: PrintedScore
    second: PrintedScore
    rule: Criteria
    conf: float
    unpaired: bool
    typical: TypicalRho
    item_ses: tuple[float, ...]

    @property
    def over_seeds(self) -> bool:
        return self.first.n_seeds is not None

    @property
    def degrees(self) -> tuple[float, float]:
        a, b = (
            np.inf if s.n_seeds is None else s.n_seeds - 1.0 for s in (self.first, self.second)
        )
        return a, b

    @property
    def delta(self) -> float:
        return self.first.value - self.second.value

    @property
    def pairs(self) -> float:
        """Return the degrees of freedom of differences by seed."""
        return min(self.degrees)


def _p_bounds(claim: _ScoreClaimInput, factors: tuple[float, float], r: float | None) -> Interval:
    """Return the range of p over rounding; ``r`` None stands for any correlation."""
    slack = claim.first.half + claim.second.half
    rounded = [
        [f * float(x) for x in printed_around(s.pm, s.pm_half)]
        for s, f in zip((claim.first, claim.second), factors, strict=True)
    ]
    (a_low, a_high), (b_low, b_high) = rounded
    size, sides = abs(claim.delta), claim.rule.sides
    sign = 1.0 if claim.rule.can_detect(claim.delta) else -1.0
    gaps = max(size - slack, 0.0), size + slack
    if r is not None:
        corners = product(gaps, (a_low, a_high), (b_low, b_high))
        tests = [welch(gap, a, b, *claim.degrees) for gap, a, b in corners]
    else:
        errors = a_high + b_high, max(a_low - b_high, b_low - a_high, 0.0)
        tests = [
            Welch(0.0 if gap == 0 else np.inf if error == 0 else gap / error, claim.pairs)
            for gap, error in zip(gaps, errors, strict=True)
        ]
    ends = [t_pvalue(sign * test.t, test.df, sides=sides) for test in tests]
    return Interval(min(ends), max(ends))


def _row(claim: _ScoreClaimInput, reading: PmReading) -> PlusMinusRow:
    value_pair = claim.first, claim.second
    units = [s.n_seeds if claim.over_seeds else s.n_items for s in value_pair]
    factors = tuple(se_factor(reading, n, conf=claim.conf) for n in units)
    se_a, se_b = (f * s.pm for f, s in zip(factors, value_pair, strict=True))
    rule, size = claim.rule, abs(claim.delta)
    t, df = welch(claim.delta, se_a, se_b, *claim.degrees)
    independent_bounds = _p_bounds(claim, (factors[0], factors[1]), 0.0)
    all_bounds = (
        independent_bounds if claim.unpaired else _p_bounds(claim, (factors[0], factors[1]), None)
    )
    critical = float(t_quantile(1 - rule.alpha / rule.sides, claim.pairs))
    behind = not rule.can_detect(claim.delta)
    needed = None if behind else r_needed(size, se_a, se_b, critical)
    apart_error = abs(se_a - se_b)
    return PlusMinusRow(
        reading=reading,
        se_a=se_a,
        se_b=se_b,
        df=df,
        t=abs(t),
        pvalue=t_pvalue(rule.sign * t, df, sides=rule.sides),
        pvalue_bounds=independent_bounds,
        verdict_independent=judge_bounds(
            float(independent_bounds.low), float(independent_bounds.high), rule.alpha
        ),
        t_min=size / (se_a + se_b),
        t_max=size / apart_error if apart_error > 1e-12 * (se_a + se_b) else np.inf,
        r_significant=None if claim.unpaired else needed,
        verdict=judge_bounds(float(all_bounds.low), float(all_bounds.high), rule.alpha),
        pvalue_typical=_p_typical(claim, se_a, se_b),
        exceeds_binomial=_exceeds_binomial(claim, factors),
        t_items=_t_items(claim, se_a, se_b),
    )


def _p_typical(claim: _ScoreClaimInput, se_a: float, se_b: float) -> Interval | None:
    if claim.over_seeds or claim.unpaired:
        return None
    pvalues = []
    for r in (claim.typical.low, claim.typical.high):
        error = gap_error(se_a, se_b, r)
        t = claim.delta / error if error > 0 else np.sign(claim.delta) * np.inf
        pvalues.append(t_pvalue(claim.rule.sign * t, np.inf, sides=claim.rule.sides))
    return Interval(min(pvalues), max(pvalues))


def _exceeds_binomial(claim: _ScoreClaimInput, factors: tuple[float, ...]) -> bool | None:
    """Return whether either variation over seeds is more than independent answers have."""
    if not claim.over_seeds or not claim.item_ses:
        return None
    for score, factor in zip((claim.first, claim.second), factors, strict=True):
        if score.n_seeds is None or score.n_items is None:
            return None
        sd = factor * max(score.pm - score.pm_half, 0.0) * float(np.sqrt(score.n_seeds))
        if more_than_binomial(sd, score.value, score.n_items, score.n_seeds):
            return True
    return False


def _t_items(claim: _ScoreClaimInput, se_a: float, se_b: float) -> Interval | None:
    """Return t with the noise of one run's items, which is a lower bound of theirs."""
    if not claim.over_seeds or not claim.item_ses:
        return None
    seeds = gap_error(se_a, se_b, 0.0)
    errors = [float(np.hypot(seeds, item)) for item in claim.item_ses]
    t_values = [abs(claim.delta) / e if e > 0 else np.inf for e in errors]
    return Interval(min(t_values), max(t_values))


def _item_errors(
    first: PrintedScore, second: PrintedScore, typical: TypicalRho, *, unpaired: bool
) -> tuple[float, ...]:
    """Return standard errors of one run's gap over items; empty if they are unknown."""
    n, m = first.n_items, second.n_items
    if n is None or m is None:
        return ()
    a, b = first.value, second.value
    if unpaired or n != m:
        return (float(np.sqrt(a * (1 - a) / n + b * (1 - b) / m)),)
    if not (0 < a < 1 and 0 < b < 1):
        gap = abs(a - b)
        return (float(np.sqrt(max(gap - gap * gap, 0.0) / n)),)
    low, high = (float(x) for x in stats.rho_bounds(a, b))
    psis = [
        float(stats.psi_from_rho(a, b, float(np.clip(r, low, high))))
        for r in (typical.low, typical.high)
    ]
    return tuple(float(np.sqrt(max(psi - (a - b) ** 2, 0.0) / n)) for psi in psis)


_ITEM_ERRORS = ("run-se", "run-ci", "runs-se", "runs-ci")
"""Error of one run over its items, half its interval, and the same for all runs combined."""


def _like_items(first: PrintedScore, second: PrintedScore, conf: float) -> tuple[str, ...]:
    """Return the item errors that equal both ±; none if digits were not reported."""
    out = []
    z = float(z_conf(conf))
    for name in _ITEM_ERRORS:
        fits = []
        for s in (first, second):
            if s.n_items is None or s.pm_half == 0:
                return ()
            runs = (s.n_seeds or 1) if name.startswith("runs") else 1
            error = float(np.sqrt(s.value * (1 - s.value) / (s.n_items * runs)))
            error *= z if name.endswith("ci") else 1.0
            low, high = printed_around(s.pm, s.pm_half)
            fits.append(float(low) <= error * (1 + 1e-9) and error * (1 - 1e-9) <= float(high))
        if all(fits) and not (name.startswith("runs") and first.n_seeds is None):
            out.append(name)
    return tuple(out)


def _readings(pm_is: PlusMinusKind | None, claim: _ScoreClaimInput) -> list[PmReading]:
    """Return the possible meanings of ±, given whether errors are over seeds or items."""
    if claim.over_seeds:
        return [r for kind in _READINGS if pm_is in (None, kind) for r in _READINGS[kind]]
    if pm_is == "sd":
        return ["sd"]
    known: tuple[tuple[PmReading, PlusMinusKind], ...] = (("se", "se"), ("ci-z", "ci"))
    return [reading for reading, kind in known if pm_is in (None, kind)]


def _checked(first: PrintedScore, second: PrintedScore, *, share: bool) -> None:
    for name, score in (("first", first), ("second", second)):
        checks.finite(name, score.value)
        checks.nonnegative("pm", score.pm)
        if score.n_seeds is not None:
            checks.counts(seeds=score.n_seeds)
            checks.require(score.n_seeds >= 2, "seeds", "at least 2", score.n_seeds)
        if score.n_items is not None:
            checks.counts(items=score.n_items)
            checks.require(score.n_items >= 2, "items", "at least 2", score.n_items)
        if share:
            checks.probability(name, score.value)
    checks.feasible(
        (first.n_seeds is None) == (second.n_seeds is None),
        "One score is a mean over seeds and the other is not, so their errors cannot be compared.",
    )
    checks.feasible(
        first.value != second.value,
        f"Both scores are {first.value:g}, so there is no gap.",
    )
    checks.feasible(
        max(first.pm, second.pm) > 0,
        "Both errors are ±0, so they were rounded to zero. Report them with more digits.",
    )


def judged_scores(
    first: PrintedScore,
    second: PrintedScore,
    *,
    share: bool = False,
    unpaired: bool = False,
    pm_is: PlusMinusKind | None = None,
    typical: TypicalRho = TYPICAL,
    conf: float = 0.95,
    criteria: Criteria | None = None,
) -> ScoreClaim:
    """Evaluate the gap between two reported values for all possible meanings of ±.

    ``first`` and ``second`` have the values with their ±. Either both are over seeds, or neither.
    ``pm_is`` is the meaning of ± according to the paper. ``"sd"`` over items requires the number
    of items.

    >>> a = PrintedScore(value=71.4, pm=0.5, n_seeds=5)
    >>> c = judged_scores(a, PrintedScore(value=70.6, pm=0.4, n_seeds=5))
    >>> [(row.reading, round(row.pvalue, 3)) for row in c.scenarios]
    [('sd', 0.025), ('sd-n', 0.038), ('se', 0.248), ('ci-t', 0.009), ('ci-z', 0.041)]
    >>> c.verdict_independent, c.verdict
    ('depends', 'depends')
    """
    _checked(first, second, share=share)
    rule = criteria or Criteria()
    # different numbers of runs cannot be paired
    is_unpaired = unpaired or first.n_seeds != second.n_seeds
    errors = _item_errors(first, second, typical, unpaired=unpaired) if share else ()
    claim = _ScoreClaimInput(
        first=first,
        second=second,
        rule=rule,
        conf=conf,
        unpaired=is_unpaired,
        typical=typical,
        item_ses=errors,
    )
    over_items = claim.over_seeds or not errors
    return ScoreClaim(
        first=first,
        second=second,
        gap=claim.delta,
        is_accuracy=share,
        is_unpaired=is_unpaired,
        pm_is=pm_is,
        confidence_level=conf,
        criteria=rule,
        rho_assumed=typical,
        scenarios=tuple(_row(claim, reading) for reading in _readings(pm_is, claim)),
        se_items=Interval(min(errors), max(errors)) if errors and over_items else None,
        like_items=_like_items(first, second, conf) if share else (),
    )
