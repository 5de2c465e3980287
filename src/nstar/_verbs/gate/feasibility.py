"""Feasibility of a gate before any run: probability of a PASS, and of detecting a loss.

Exact for 0/1 scores of independent items. Given d discordant items the verdict depends on the
candidate's wins alone, and bisection finds both limits; d is binomial.
"""

import math
from dataclasses import dataclass

import numpy as np

from nstar import stats
from nstar._base import checks
from nstar._base.codec import derived
from nstar._base.result import Result
from nstar._base.types import Array, BoolArray, FloatOrInf
from nstar._verbs.gate.fixed_look import least_items
from nstar._verbs.gate.question import check_level
from nstar._verbs.plan import PairedPsi, PairedRho
from nstar._verbs.verdict import Criteria
from nstar.errors import InfeasibleError
from nstar.stats._binomial import log_pmf, upper_tail
from nstar.stats.equivalence import least_wins

_WINDOW = 10.0
"""Standard deviations from the mean beyond which discordant counts are left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerProbabilities:
    """Probability of each verdict if the true gap were ``delta``."""

    delta: float
    """Candidate minus baseline, a proportion."""
    psi: float
    """Share of items on which exactly one model is right; of repeated runs the mean square of a
    task's difference, which is the same for one run each."""
    pass_probability: float
    """Probability of PASS."""
    regression_probability: float
    """Probability of REGRESSION; the rest is INCONCLUSIVE."""

    @derived
    def inconclusive_probability(self) -> float:
        """Return the probability of INCONCLUSIVE."""
        return max(1 - self.pass_probability - self.regression_probability, 0.0)


@dataclass(frozen=True, slots=True)
class _PassThreshold:
    """The claim "better" as a function of wins; it holds from some number of wins on."""

    alpha: float

    def holds(self, wins: Array, d: Array, n: int) -> BoolArray:
        """Return whether the tests of ``nstar compare`` on 0/1 scores show the claim."""
        z = float(stats.z_alpha(self.alpha, sides=1))
        above = stats.tango_statistic(wins, d - wins, n) > z
        p = stats.mcnemar_default_pvalue(wins, d - wins, n)
        return np.asarray(above & (wins > d - wins) & (p <= 2 * self.alpha))


def _min_wins(threshold: _PassThreshold, d: Array, n: int) -> Array:
    """Return the smallest number of wins among d discordant items that pass.

    D + 1 if none does.
    """
    low, high = np.full_like(d, -1.0), d + 1
    while (high - low > 1).any():
        midpoint = np.floor((low + high) / 2)
        holds = threshold.holds(np.clip(midpoint, 0, d), d, n)
        low, high = np.where(holds, low, midpoint), np.where(holds, midpoint, high)
    return high


def chances(
    n: int, *, psi: float, delta: float, margin: float, alpha: float = 0.05
) -> AnswerProbabilities:
    """Return the probability of each verdict for ``n`` items, one task, 0/1 scores.

    ``psi`` is the share of items on which exactly one model is right, at least ``|delta|``.

    >>> c = chances(2000, psi=0.1, delta=0.0, margin=0.02)
    >>> round(c.pass_probability, 3), round(c.regression_probability, 3)
    (0.878, 0.05)
    """
    checks.require(n >= 1, "items", "at least 1", n)
    checks.require(0 < margin < 1, "margin", "in (0, 1)", margin)
    checks.require(0 < psi <= 1, "psi", "in (0, 1]", psi)
    checks.feasible(abs(delta) <= psi, f"A gap of {delta:g} needs psi of at least {abs(delta):g}.")
    mean, sd = n * psi, math.sqrt(n * psi * (1 - psi))
    low, high = max(math.floor(mean - _WINDOW * sd - 10), 0), math.ceil(mean + _WINDOW * sd + 10)
    d = np.arange(low, min(high, n) + 1, dtype=np.float64)
    if psi < 1:
        weight = np.exp(log_pmf(d, np.full_like(d, float(n)), psi))
    else:
        weight = np.where(d == n, 1.0, 0.0)
    passes = least_wins(d, n, margin=margin, alpha=alpha)
    losses = _min_wins(_PassThreshold(alpha), d, n)
    regression = np.minimum(d - losses, passes - 1)
    theta = min(max((psi + delta) / (2 * psi), 0.0), 1.0)
    up = np.where(passes <= d, _upper(passes, d, theta), 0.0)
    down = np.where(regression >= 0, 1 - _upper(regression + 1, d, theta), 0.0)
    return AnswerProbabilities(
        delta=delta,
        psi=psi,
        pass_probability=min(float(weight @ up), 1.0),
        regression_probability=min(float(weight @ down), 1.0),
    )


def _upper(k: Array, d: Array, theta: float) -> Array:
    """Return P(wins >= k) of d."""
    if theta in (0.0, 1.0):
        return np.where(k <= (d if theta == 1 else 0.0), 1.0, 0.0)
    return np.where(k > d, 0.0, upper_tail(np.clip(k, 0, d), np.maximum(d, 1), theta))


@dataclass(frozen=True, slots=True, kw_only=True)
class PilotStep:
    """Equal models with a number of runs on every task."""

    n_runs: int
    """Number of runs of each model on each task."""
    pass_probability: float
    """Probability of PASS, for normal differences."""
    pass_probability_low: float
    """Lower limit of this probability, from the pilot's uncertainty about the noise."""
    pass_probability_high: float
    """Upper limit of this probability."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PilotNoise:
    """Run-to-run noise of the baseline, from a pilot of tasks x runs."""

    n_tasks: int
    """Number of tasks of the pilot."""
    n_runs: int
    """Planned runs of each model on each task: those of the pilot, median over tasks."""
    mean: float
    """Success rate of the baseline."""
    flip_probability: float
    """Probability that two runs of a task differ."""
    n_draws: int
    """Number of simulated gates for each true gap; 0 if probabilities are exact."""
    steps: tuple[PilotStep, ...]
    """Results by number of runs; empty with a rule, which fixes the number."""
    n_passes_needed: int | None = None
    """Passes among these runs that a task needs to score 1; None: the mean of runs counts."""
    rule_met_share: float | None = None
    """Expected share of tasks on which the baseline meets the rule; None without one."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class GateFeasibility(Result):
    """Verdicts to expect from a gate of this size, before it is run."""

    n_items: int
    """Number of planned items."""
    margin: float
    """Largest acceptable loss."""
    criteria: Criteria
    """Level of each one-sided test, and target probability of a PASS of equal models."""
    noise: PairedPsi | PairedRho | PilotNoise
    """Disagreement of the models, or of runs of the baseline."""
    noise_source: str
    """Source of this assumption."""
    min_items_to_pass: int
    """Number of items below which even identical answers do not pass."""
    n_star: FloatOrInf
    """Fewest items at which equal models pass with the target probability."""
    n_star_stable: FloatOrInf
    """Items from which on they always do, because probabilities are a sawtooth."""
    min_margin: float
    """Margin at which equal models pass with the target probability on the planned items."""
    scenarios: tuple[AnswerProbabilities, ...]
    """Verdicts by true gap: 0, and losses of half, one, and two margins, where possible."""
    settings_file: str | None = None
    """Settings file that set parts of the question; None without one."""

    @derived
    def can_pass(self) -> bool:
        """Return whether equal models can pass at all."""
        return self.scenarios[0].pass_probability > 0

    @derived
    def identical_scores_pass(self) -> bool:
        """Return whether identical answers pass.

        With fewer items only more wins than losses do.
        """
        return self.n_items >= self.min_items_to_pass

    @derived
    def is_sufficient(self) -> bool:
        """Return whether equal models pass with the target probability."""
        return self.scenarios[0].pass_probability >= self.criteria.power


def _psi_at(noise: PairedPsi | PairedRho, delta: float) -> float:
    return noise.psi if isinstance(noise, PairedPsi) else float(noise.psi(delta))


def gate_feasibility(
    items: int,
    *,
    margin: float,
    noise: PairedPsi | PairedRho,
    criteria: Criteria | None = None,
    source: str = "given",
) -> GateFeasibility:
    """Compute the probability of each verdict for this number of items.

    ``margin`` is the largest loss that does not matter, a proportion. ``criteria`` is the
    one-sided level and target probability of a PASS.

    >>> plan = gate_feasibility(200, margin=0.01, noise=PairedPsi(psi=0.1))
    >>> plan.identical_scores_pass, plan.min_items_to_pass, plan.n_star
    (False, 268, 6203.0)
    """
    rule = criteria or Criteria(alternative="greater")
    check_level(rule.alpha)
    checks.require(0 < margin < 1, "margin", "in (0, 1)", margin)
    min_items = least_items(margin, 1.0, rule.alpha) or 1
    rows = []
    for share in (0.0, 0.5, 1.0, 2.0):
        try:
            psi = _psi_at(noise, -share * margin)
            rows.append(
                chances(items, psi=psi, delta=-share * margin, margin=margin, alpha=rule.alpha)
            )
        except InfeasibleError:
            continue
    psi = _psi_at(noise, 0.0)
    need = stats.equivalence_exact_n_star(
        margin, psi=psi, alpha=rule.alpha, power=rule.power, sides=1
    )
    return GateFeasibility(
        n_items=items,
        margin=margin,
        criteria=rule,
        noise=noise,
        noise_source=source,
        min_items_to_pass=min_items,
        n_star=need.first,
        n_star_stable=need.steady,
        min_margin=stats.equivalence_exact_margin(
            items, psi=psi, alpha=rule.alpha, power=rule.power, sides=1
        ),
        scenarios=tuple(rows),
    )
