"""``claim``: what two printed accuracies can and cannot support, without per-item data."""

from dataclasses import dataclass

import numpy as np

from nstar import stats
from nstar._benchmarks import TYPICAL, TypicalRho
from nstar._show import Shown
from nstar._typing import Interval
from nstar._verdict import ClaimWord, Criteria, Significance, judge_against_mde, judge_discordance
from nstar.stats import _check
from nstar.stats._roots import first_whole
from nstar.stats.printed import Grim, PrintedP
from nstar.stats.shortcut import FormulaMatch

__all__ = [
    "Claim",
    "ClaimRow",
    "IntervalCheck",
    "PValueCheck",
    "Printed",
    "SizeCheck",
    "claim",
]


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
    discordant: int | None
    """The number of items on which the models then disagree."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalCheck:
    """A printed interval against the accuracies and the printed p."""

    implied: PrintedP
    """Standard error and p-value that its width implies."""
    contains_gap: bool
    """Whether it contains the printed gap."""
    centred: bool
    """Whether the gap lies near its middle."""
    possible: bool
    """Some feasible item correlation gives this standard error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeCheck:
    """A printed sample size against the formulas in circulation."""

    printed: float
    """As printed."""
    rho: float
    """Item correlation at which formulas were tried."""
    right: float
    """What the paired formula needs there."""
    rho_right: float | None
    """Item correlation at which the printed size is right; None if there is none."""
    rho_half: float | None
    """Item correlation at which it is half of what is needed."""
    matches: tuple[FormulaMatch, ...]
    """Formulas that reproduce it at ``rho``, the closest first."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Claim(Shown):
    """Everything that follows from two accuracies on the same n items."""

    p_a: float
    """Printed accuracy of the first model."""
    p_b: float
    """Printed accuracy of the second model."""
    items: int
    """Items both models answered."""
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
    gaps: tuple[int, int]
    """Smallest and largest gap in items that prints as these accuracies do."""
    discordant: tuple[int, int]
    """Fewest and most items on which the models can disagree."""
    discordant_significant: int | None
    """Most of them at which the mid-p test still finds the gap significant; None if never."""
    rho_significant: float | None
    """Item correlation at that count; None if none or all are significant."""
    significance: Significance
    """Whether the gap is significant for every, no or some feasible discordant count."""
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
    ci_check: IntervalCheck | None
    """Printed interval against accuracies and p."""
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
    return [] if bounds is None else sorted({_inside(r, bounds) for r in rhos})


def _inside(rho: float, bounds: Interval | None) -> float:
    return rho if bounds is None else float(np.clip(rho, bounds.low, bounds.high))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Figures:
    """What every check needs."""

    p_a: float
    p_b: float
    n: int
    rule: Criteria
    counts: "_Counts"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counts:
    """Right answers that print as the two accuracies do, larger model first."""

    low: tuple[int, int]
    """Counts with the smallest gap."""
    high: tuple[int, int]
    """Counts with the largest gap."""

    @property
    def gaps(self) -> tuple[int, int]:
        """Smallest and largest gap in items; 0 if the two may be equal."""
        return max(self.low[0] - self.low[1], 0), self.high[0] - self.high[1]


def _grims(
    p_a: float, p_b: float, n: int, decimals: tuple[int, int] | None
) -> tuple[Grim, Grim] | None:
    if decimals is None:
        return None
    return stats.grim(p_a, n, decimals=decimals[0]), stats.grim(p_b, n, decimals=decimals[1])


def _counts(p_a: float, p_b: float, n: int, grims: tuple[Grim, Grim] | None) -> _Counts:
    more, less = max(p_a, p_b), min(p_a, p_b)
    if grims is None or not all(g.possible for g in grims):
        gap = max(round((more - less) * n), 1)
        right = min(max(round(more * n), gap), n)
        nominal = right, right - gap
        return _Counts(low=nominal, high=nominal)
    first, second = grims if p_a > p_b else grims[::-1]
    return _Counts(low=(first.low, second.high), high=(first.high, second.low))


def _most(right: tuple[int, int], n: int) -> int:
    """Most items on which two models with so many right answers can disagree."""
    return max(min(sum(right), 2 * n - sum(right)), right[0] - right[1])


def _significance(counts: _Counts, n: int, rule: Criteria) -> Significance:
    """For every, for no or for some counts that the printed accuracies allow."""
    least, largest = counts.gaps
    if _significant_up_to(largest, largest, n, rule) is None:
        return "never"
    most = _most(counts.low, n)
    worst = judge_discordance(_significant_up_to(least, most, n, rule), least, most)
    return "always" if worst == "always" else "depends"


def _t_range(counts: _Counts, n: int) -> tuple[float, float]:
    """Smallest and largest |T| that the printed digits allow."""
    (a, b), (c, d) = counts.low, counts.high
    low = stats.t_bounds(a / n, b / n, n).low if a > b else 0.0
    return float(low), float(stats.t_bounds(c / n, d / n, n).high)


def _significant_up_to(gap: int, most: int, n: int, rule: Criteria) -> int | None:
    """Largest n10 + n01 at which n10 - n01 = gap is significant by the test nstar prints."""
    if gap == 0:
        return None

    def rejects(lost: int) -> bool:
        p = float(stats.mcnemar_default_pvalue(gap + lost, lost, n))
        return (p if rule.sides == 2 else p / 2) <= rule.alpha

    if not rejects(0):
        return None
    first = first_whole(lambda lost: not rejects(int(lost)), 0, (most - gap) // 2 + 1)
    return gap + 2 * (int(first) - 1)


def _rho_at(p_a: float, p_b: float, psi: float) -> float | None:
    """Item correlation at a discordance, None if infeasible or undefined."""
    low, high = (float(v) for v in stats.psi_bounds(p_a, p_b))
    if not (low <= psi <= high and 0 < p_a < 1 and 0 < p_b < 1):
        return None
    return float(stats.rho_from_psi(p_a, p_b, psi))


def _psi_for_t(delta: float, n: int, t: float) -> float:
    return n * (delta / t) ** 2 + delta * delta


def _t_of_p(p: float, rule: Criteria, *, behind: bool) -> float:
    """|T| that a printed p stands for; NaN where a one-sided p cannot be."""
    if rule.sides == 2:
        return stats.t_from_p(p)
    tail = 1 - p if behind else p  # a model that trails has a one-sided p above one half
    return stats.t_from_p(2 * tail) if 0 < tail <= 0.5 else float("nan")


def _check_p(printed: float, figures: "_Figures") -> PValueCheck:
    _check.probability("p", printed)
    if printed == 0:
        return PValueCheck(p=printed, t=None, possible=False, rho=None, discordant=None)
    t = _t_of_p(printed, figures.rule, behind=figures.p_a < figures.p_b)
    low, high = _t_range(figures.counts, figures.n)
    slack = 0.02 * max(t, 1.0)  # a printed p is rounded
    psi = _psi_for_t(figures.p_a - figures.p_b, figures.n, t) if t > 0 else np.inf
    rho = _rho_at(figures.p_a, figures.p_b, psi)
    return PValueCheck(
        p=printed,
        t=None if np.isnan(t) else t,
        possible=low - slack <= t <= high + slack,
        rho=rho,
        discordant=None if rho is None else round(psi * figures.n),
    )


def _check_interval(printed: Printed, figures: "_Figures") -> IntervalCheck | None:
    if printed.interval is None:
        return None
    delta = figures.p_a - figures.p_b
    low, high = float(printed.interval.low), float(printed.interval.high)
    implied = stats.p_from_interval(delta, printed.interval, p=printed.p, conf=printed.conf)
    t_low, t_high = _t_range(figures.counts, figures.n)
    return IntervalCheck(
        implied=implied,
        contains_gap=low <= delta <= high,
        centred=abs((low + high) / 2 - delta) <= 0.1 * (high - low),
        possible=0.95 * t_low <= implied.t <= 1.05 * t_high,
    )


def _rho_for_size(p_a: float, p_b: float, size: float, rule: Criteria) -> float | None:
    """Item correlation at which N* equals ``size`` (it grows with psi)."""
    gap = abs(p_a - p_b)
    k = float(stats.k_factor(rule.alpha, rule.power, sides=rule.sides))
    return _rho_at(p_a, p_b, size * (gap / k) ** 2 + gap * gap)


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
    return SizeCheck(
        printed=printed,
        rho=rho,
        right=float(right),
        rho_right=_rho_for_size(p_a, p_b, printed, rule),
        rho_half=_rho_for_size(p_a, p_b, 2 * printed, rule),
        matches=tuple(matches),
    )


def claim(
    p_a: float,
    p_b: float,
    items: int,
    *,
    typical: TypicalRho = TYPICAL,
    printed: Printed | None = None,
    criteria: Criteria | None = None,
) -> Claim:
    """Bounds, detectable gap and checks for two accuracies printed for the same items.

    Parameters
    ----------
    p_a, p_b
        Printed accuracies, proportions; the claim is p_a - p_b.
    items
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
    n = items
    _check.counts(items=n)
    _check.require(n >= 2, "items", "at least 2", n)
    _check.feasible(
        p_a != p_b,
        f"both accuracies are {p_a:g}: there is no gap to judge; to show that two models are "
        "equally good see nstar plan --margin",
    )
    inner = 0 < p_a < 1 and 0 < p_b < 1
    bounds = stats.rho_bounds(p_a, p_b) if inner else None
    t_low, t_high = (abs(float(v)) for v in stats.t_bounds(p_a, p_b, n))
    inside = _feasible((typical.low, typical.mean, typical.high), bounds)
    shown = _feasible((0.0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, *inside), bounds)
    rows = tuple(_row(p_a, p_b, n, r, rule) for r in shown)
    core = [r for r in rows if r.rho in inside]
    mdes, needs = [r.mde for r in core], [r.n_star for r in core]
    if not core:  # one model is right (or wrong) on every item: psi can only be |delta|
        mde, need = _constant_model(abs(p_a - p_b), n, rule)
        mdes, needs = [mde], [need]
    variance = p_a * (1 - p_a) + p_b * (1 - p_b)
    grims = _grims(p_a, p_b, n, extra.decimals)
    counts = _counts(p_a, p_b, n, grims)
    figures = _Figures(p_a=p_a, p_b=p_b, n=n, rule=rule, counts=counts)
    gap = max(round(abs(p_a - p_b) * n), 1)
    most = _most((round(max(p_a, p_b) * n), round(max(p_a, p_b) * n) - gap), n)
    behind = rule.sides == 1 and p_a < p_b  # "A is better" cannot be shown
    significance = "never" if behind else _significance(counts, n, rule)
    largest = None if behind else _significant_up_to(gap, most, n, rule)
    return Claim(
        p_a=p_a,
        p_b=p_b,
        items=n,
        delta=p_a - p_b,
        criteria=rule,
        typical=typical,
        rho_bounds=bounds,
        t_min=t_low,
        t_max=t_high,
        t_independent=float(np.sqrt(n / variance) * abs(p_a - p_b)) if variance else np.inf,
        gaps=counts.gaps,
        discordant=(min(counts.gaps[0], gap), max(_most(counts.low, n), most)),
        discordant_significant=largest,
        rho_significant=(
            _rho_at(p_a, p_b, max((largest or 0) / n, abs(p_a - p_b)))
            if significance == "depends"
            else None
        ),
        significance=significance,
        mde=Interval(min(mdes), max(mdes)),
        n_star=Interval(min(needs), max(needs)),
        verdict=judge_against_mde(p_a - p_b, min(mdes), max(mdes)),
        rows=rows,
        grim=grims,
        p_check=None if extra.p is None else _check_p(extra.p, figures),
        ci_check=_check_interval(extra, figures),
        printed=extra,
        size_check=(
            None
            if extra.n is None
            else _check_size(p_a, p_b, extra.n, _inside(typical.mean, bounds), rule)
        ),
    )
