"""Evaluate a claim: correct answers, bounds, detectable gap, and checks of reported figures."""

from dataclasses import dataclass

import numpy as np

from nstar import stats
from nstar._base import checks
from nstar._base.types import Interval
from nstar._verbs.benchmarks import TYPICAL, TypicalRho
from nstar._verbs.claim.method_matches import check_interval, check_p
from nstar._verbs.claim.printed import PrintedFigures
from nstar._verbs.claim.result import Claim, ClaimRow, CountRange, SizeCheck
from nstar._verbs.verdict import ClaimVerdict, Criteria, judge_against_mde, judge_discordance
from nstar.stats._feasible import Feasible, feasible
from nstar.stats._roots import first_whole
from nstar.stats.printed import Grim
from nstar.stats.shortcut import FormulaMatch, match_sample_size


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectCounts:
    """Numbers of correct answers that round to the two accuracies, larger accuracy first."""

    low: tuple[int, int]
    """Counts with the smallest gap."""
    high: tuple[int, int]
    """Counts with the largest gap."""

    @property
    def gaps(self) -> tuple[int, int]:
        """Smallest and largest gap in items; 0 if both numbers may be equal."""
        return max(self.low[0] - self.low[1], 0), self.high[0] - self.high[1]

    def most_discordant(self, n: int) -> int:
        """Return the largest number of items on which the models can disagree."""
        min_items, max_items = self.low[0] + self.high[1], self.high[0] + self.low[1]
        right = min(max(n, min_items), max_items)
        return max(min(right, 2 * n - right), self.gaps[1])


def _grims_of(
    p_a: float, p_b: float, n: int, decimals: tuple[int, int] | None
) -> tuple[Grim, Grim] | None:
    """Return whether each accuracy can be an integer number of correct answers; None if exact."""
    if decimals is None:
        return None
    return stats.grim(p_a, n, decimals=decimals[0]), stats.grim(p_b, n, decimals=decimals[1])


def counts_of(p_a: float, p_b: float, n: int, grims: tuple[Grim, Grim] | None) -> CorrectCounts:
    """Return the possible counts of both models, or the nearest ones if there are none."""
    better_p, less = max(p_a, p_b), min(p_a, p_b)
    if grims is None or not all(g.possible for g in grims):
        gap = max(round((better_p - less) * n), 1)
        right = min(max(round(better_p * n), gap), n)
        nominal = right, right - gap
        return CorrectCounts(low=nominal, high=nominal)
    first, second = grims if p_a > p_b else grims[::-1]
    return CorrectCounts(low=(first.low, second.high), high=(first.high, second.low))


def most_discordant(right: tuple[int, int], n: int) -> int:
    """Return the largest number of items on which models with these counts can disagree."""
    return max(min(sum(right), 2 * n - sum(right)), right[0] - right[1])


def _t_range(
    p_a: float, p_b: float, n: int, grims: tuple[Grim, Grim] | None, counts: CorrectCounts
) -> tuple[float, float]:
    """Return the range of |T| over all discordances and counts that round to the accuracies."""
    low = high = (p_a, p_b)
    if grims is not None and all(g.possible for g in grims):
        low, high = ((k[0] / n, k[1] / n) for k in (counts.low, counts.high))
    min_t = abs(float(stats.t_bounds(*low, n).low)) if counts.gaps[0] else 0.0
    return min_t, abs(float(stats.t_bounds(*high, n).high))


def _tables_of(p_a: float, p_b: float, n: int, grims: tuple[Grim, Grim] | None) -> Feasible | None:
    """Return all pairs of counts that round to the accuracies; None if one fits no count."""
    if grims is not None:
        if not all(g.possible for g in grims):
            return None
        first, second = ((g.low, g.high) for g in grims)
        return feasible(first, second, n)

    def around(p: float) -> tuple[int, int]:
        exact = round(p * n, 6)
        return int(np.floor(exact)), int(np.ceil(exact))

    return feasible(around(p_a), around(p_b), n)


def _tables_as_printed(p_a: float, p_b: float, n: int) -> Feasible:
    """Return one pair of counts with the reported gap."""
    gap = max(round(abs(p_a - p_b) * n), 1)
    less = max(min(int(min(p_a, p_b) * n), n - gap), 0)
    pair = (less + gap, less) if p_a > p_b else (less, less + gap)
    return feasible((pair[0], pair[0]), (pair[1], pair[1]), n)


def nearest_rho(rho: float, bounds: Interval | None) -> float:
    """Return the correlation, or the nearest feasible one."""
    return rho if bounds is None else float(np.clip(rho, bounds.low, bounds.high))


def _nearest_rhos(rhos: tuple[float, ...], bounds: Interval | None) -> list[float]:
    """Return the correlations, with infeasible ones moved to the nearest bound."""
    return [] if bounds is None else sorted({nearest_rho(r, bounds) for r in rhos})


def _rho_at(p_a: float, p_b: float, psi: float) -> float | None:
    """Return the item correlation at a discordance; None if infeasible or undefined."""
    low, high = (float(v) for v in stats.psi_bounds(p_a, p_b))
    if not (low <= psi <= high and 0 < p_a < 1 and 0 < p_b < 1):
        return None
    return float(stats.rho_from_psi(p_a, p_b, psi))


def _rho_for_size(p_a: float, p_b: float, size: float, rule: Criteria) -> float | None:
    """Return the item correlation at which N* equals ``size``. N* increases with psi."""
    gap = abs(p_a - p_b)
    k = float(stats.k_factor(rule.alpha, rule.power, sides=rule.sides))
    return _rho_at(p_a, p_b, size * (gap / k) ** 2 + gap * gap)


def _check_size(p_a: float, p_b: float, printed: float, rho: float, rule: Criteria) -> SizeCheck:
    """Return the formulas that give the size at ``rho``, and the rho at which it is right."""
    low, gap = min(p_a, p_b), abs(p_a - p_b)
    matches: list[FormulaMatch] = []
    if low > 0 and gap < 1:
        matches = match_sample_size(
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
        n_star=float(right),
        rho_right=_rho_for_size(p_a, p_b, printed, rule),
        rho_half=_rho_for_size(p_a, p_b, 2 * printed, rule),
        matches=tuple(matches),
    )


def _row(p_a: float, p_b: float, n: int, rho: float, rule: Criteria) -> ClaimRow:
    delta = p_a - p_b
    psi = float(stats.psi_from_rho(p_a, p_b, rho))
    sigma = float(stats.sigma_from_psi(psi, delta))
    mde = stats.paired_mde_from_rate(
        n,
        p_b=p_b,
        rho=rho,
        direction="up" if delta >= 0 else "down",
        method="default",
        alpha=rule.alpha,
        power=rule.power,
        sides=rule.sides,
    )
    test = stats.McNemarTest(alpha=rule.alpha, power=rule.power, sides=rule.sides)
    n_star = test.n_star(delta, psi=psi)
    return ClaimRow(
        rho=rho,
        psi=psi,
        t=abs(delta) * np.sqrt(n) / sigma if sigma > 0 else np.inf,
        pvalue=p_of_about(delta, psi, n, rule),
        mde=float(mde),
        n_star=float(np.ceil(n_star)),
    )


def p_of_about(delta: float, psi: float, n: int, rule: Criteria) -> float:
    """Return p by the default test, for the integer counts nearest to a gap and a discordance."""
    gap = max(round(abs(delta) * n), 1)
    lost = max(round((psi * n - gap) / 2), 0)
    won, lost = (gap + lost, lost) if rule.can_detect(delta) else (lost, gap + lost)
    return float(stats.McNemarTest(sides=rule.sides).pvalue(won, lost, n))


def _constant_model(gap: float, n: int, rule: Criteria) -> tuple[float, float]:
    """Return MDE and N* if one model never loses an item, so that psi equals the gap."""
    test = stats.McNemarTest(alpha=rule.alpha, power=rule.power, sides=rule.sides)
    return float(test.mde_unopposed(n)), float(np.ceil(test.n_star(gap, psi=gap)))


def _significance(counts: CorrectCounts, n: int, rule: Criteria) -> ClaimVerdict:
    """Return whether all, none, or some of the possible counts are significant."""
    min_gap, largest = counts.gaps
    if _significant_up_to(largest, largest, n, rule) is None:
        return "not_supported"
    max_discordant = most_discordant(counts.low, n)
    worst = judge_discordance(
        _significant_up_to(min_gap, max_discordant, n, rule), min_gap, max_discordant
    )
    return "supported" if worst == "supported" else "depends"


def _significant_up_to(gap: int, max_discordant: int, n: int, rule: Criteria) -> int | None:
    """Return the largest n10 + n01 at which n10 - n01 = gap is significant."""
    if gap == 0:
        return None

    def rejects(lost: int) -> bool:
        p = float(stats.mcnemar_default_pvalue(gap + lost, lost, n))
        return (p if rule.sides == 2 else p / 2) <= rule.alpha

    if not rejects(0):
        return None
    first = first_whole(lambda lost: not rejects(int(lost)), 0, (max_discordant - gap) // 2 + 1)
    return gap + 2 * (int(first) - 1)


def judged(
    p_a: float,
    p_b: float,
    items: int,
    *,
    typical: TypicalRho = TYPICAL,
    printed: PrintedFigures | None = None,
    criteria: Criteria | None = None,
) -> Claim:
    """Return bounds, detectable gap, and checks for two reported accuracies on the same items.

    Parameters
    ----------
    p_a, p_b : float
        Reported accuracies as proportions. The claim is about p_a - p_b.
    items : int
        Number of items that both models answered.
    typical : TypicalRho
        Typical item correlations, which determine the range of the MDE and of N*.
    printed : PrintedFigures, optional
        Reported p-value, interval, sample size, and digits, which are checked for consistency.

    Examples
    --------
    >>> c = judged(0.783, 0.775, 12032)
    >>> round(c.t_min, 2), round(c.t_max, 2), c.verdict, c.gap_vs_mde
    (1.32, 9.85, 'depends', 'borderline')
    """
    rule, extra = criteria or Criteria(), printed or PrintedFigures()
    checks.probability("p_a", p_a)
    checks.probability("p_b", p_b)
    n = items
    checks.counts(items=n)
    checks.require(n >= 2, "items", "at least 2", n)
    checks.feasible(
        p_a != p_b,
        f"Both accuracies are {p_a:g}, so there is no gap. To show that two models are "
        "equivalent, plan a margin test.",
    )
    inner = 0 < p_a < 1 and 0 < p_b < 1
    bounds = stats.rho_bounds(p_a, p_b) if inner else None
    inside = _nearest_rhos((typical.low, typical.mean, typical.high), bounds)
    rhos = _nearest_rhos((0.0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, *inside), bounds)
    rows = tuple(_row(p_a, p_b, n, r, rule) for r in rhos)
    core = [r for r in rows if r.rho in inside]
    mdes, needs = [r.mde for r in core], [r.n_star for r in core]
    if not core:  # one model is correct (or incorrect) on all items, so psi equals |delta|
        mde, need = _constant_model(abs(p_a - p_b), n, rule)
        mdes, needs = [mde], [need]
    variance = p_a * (1 - p_a) + p_b * (1 - p_b)
    grims = _grims_of(p_a, p_b, n, extra.decimals)
    counts = counts_of(p_a, p_b, n, grims)
    t_low, t_high = _t_range(p_a, p_b, n, grims, counts)
    tables, as_printed = _tables_of(p_a, p_b, n, grims), _tables_as_printed(p_a, p_b, n)
    p_check, tests = (
        (None, []) if extra.pvalue is None else check_p(extra.pvalue, tables, as_printed)
    )
    gap = max(round(abs(p_a - p_b) * n), 1)
    max_discordant = most_discordant((round(max(p_a, p_b) * n), round(max(p_a, p_b) * n) - gap), n)
    behind = not rule.can_detect(p_a - p_b)  # the gap has the opposite sign
    significance = "not_supported" if behind else _significance(counts, n, rule)
    largest = None if behind else _significant_up_to(gap, max_discordant, n, rule)
    return Claim(
        mean_a=p_a,
        mean_b=p_b,
        n_items=n,
        gap=p_a - p_b,
        criteria=rule,
        rho_assumed=typical,
        rho_bounds=bounds,
        t_min=t_low,
        t_max=t_high,
        t_independent=float(np.sqrt(n / variance) * abs(p_a - p_b)) if variance else np.inf,
        gap_items=CountRange(*counts.gaps),
        n_discordant=CountRange(
            min(counts.gaps[0], gap), max(counts.most_discordant(n), max_discordant)
        ),
        n_discordant_significant=largest,
        rho_significant=(
            _rho_at(p_a, p_b, max((largest or 0) / n, abs(p_a - p_b)))
            if significance == "depends"
            else None
        ),
        verdict=significance,
        mde=Interval(min(mdes), max(mdes)),
        n_star=Interval(min(needs), max(needs)),
        gap_vs_mde=judge_against_mde(p_a - p_b, min(mdes), max(mdes)),
        scenarios=rows,
        grim=grims,
        pvalue_check=p_check,
        ci_check=check_interval(extra, p_a - p_b, tables, as_printed, tests),
        printed=extra,
        n_check=(
            None
            if extra.n is None
            else _check_size(p_a, p_b, extra.n, nearest_rho(typical.mean, bounds), rule)
        ),
    )
