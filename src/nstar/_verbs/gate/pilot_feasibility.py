"""Simulate a gate from a pilot: tasks that the baseline ran several times each.

The noise between two equal models is that of the runs, which a pilot of the baseline measures.
Observed success rates of tasks vary more than true ones, by the noise of their runs, so they are
shrunk toward their mean. Planned tasks are drawn from these rates, runs of both models from the
tasks, and the tests of the gate are applied. A worse candidate loses each success with the same
probability on every task. With a rule for every task ("at least 4 of 5 runs pass") scores are 0 or
1, and the probabilities are exact.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from nstar import stats
from nstar._base import checks
from nstar._base.types import Array, BoolArray, IntArray
from nstar._verbs.gate.feasibility import (
    AnswerProbabilities,
    GateFeasibility,
    PilotNoise,
    PilotStep,
    chances,
    gate_feasibility,
)
from nstar._verbs.gate.fixed_look import least_items
from nstar._verbs.gate.question import GateQuestion
from nstar._verbs.plan import PairedPsi
from nstar._verbs.runs.rule import TaskRule
from nstar._verbs.runs.table import RunTable
from nstar._verbs.verdict import Criteria
from nstar.errors import DataError, arg, by_interface
from nstar.stats.repeated_runs import rule_failure
from nstar.stats.spread import alike_spread_interval

DRAWS = 10_000
"""Number of simulated gates for each true gap."""
_GAPS = (0.0, 0.5, 1.0, 2.0)
"""True losses, in margins."""
_STEPS = (1, 2, 3, 5, 10, 20, 50)
"""Numbers of runs for which the probability of a PASS is reported."""
_CLOSE = 1e-6
_CELLS = 1_000_000
"""Number of scores in memory."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Pilot:
    """Statistics of the pilot."""

    rates: Array
    """Success rates of tasks, shrunk to the variance of the true ones."""
    runs: int
    """Most frequent number of runs of a task."""
    scores: Array
    """Tasks x runs."""

    @property
    def mean(self) -> float:
        return float(self.rates.mean())

    @property
    def flip(self) -> float:
        """Return the probability that two runs of a task differ."""
        return float(2 * (self.rates * (1 - self.rates)).mean())

    def spread(self, runs: float) -> float:
        """Return the variance of a task's difference between equal models with these runs."""
        return self.flip / runs

    def rates_at(self, loss: float) -> Array:
        """Return the rates of a candidate that is worse by ``loss`` on average."""
        out: Array = self.rates * (1 - loss / self.mean)
        return out


def _pilot(table: RunTable) -> _Pilot:
    scores = table.scores[table.answered]
    known_scores = scores[~np.isnan(scores)]
    if not ((known_scores == 0) | (known_scores == 1)).all() or table.lower_is_better:
        aa_test = by_interface(python="nstar.gate_aa", command="nstar gate aa")
        msg = (
            "A pilot needs runs that pass or fail, but these scores are not 0/1. For graded runs, "
            f"use {aa_test}."
        )
        raise DataError(msg)
    if len(scores) < 2:
        msg = f"A pilot needs at least 2 tasks; found {len(scores)}."
        raise DataError(msg)
    runs: IntArray = (~np.isnan(scores)).sum(axis=1)
    if not (runs >= 2).any():
        msg = (
            "No task in the pilot was run twice, so run-to-run noise is unknown. Run the baseline "
            f"again and pass both logs, or set {arg('psi')}."
        )
        raise DataError(msg)
    return _Pilot(rates=_rates(scores, runs), runs=int(np.median(runs)), scores=scores)


def _rates(scores: Array, runs: IntArray) -> Array:
    """Return observed rates, shrunk toward their mean by the noise of their runs."""
    observed = np.nansum(scores, axis=1) / runs
    mean, spread = float(observed.mean()), float(observed.var())
    is_repeated = runs >= 2
    off = np.nansum(np.square(scores - observed[:, None]), axis=1)
    within = float((off[is_repeated] / (runs[is_repeated] - 1)).mean())
    target_variance = max(mean * (1 - mean) - within, 0.0)
    shrink = math.sqrt(target_variance / spread) if spread > 0 else 0.0
    out: Array = np.clip(mean + shrink * (observed - mean), 0.0, 1.0)
    return out


def _answers(gains: Array, runs: int, question: GateQuestion) -> tuple[BoolArray, BoolArray]:
    """Return which draws, with tasks in rows, pass, and which are a regression.

    The tests are those of the gate, with the normal limit of its sign flips, which keep Σ D² and
    change Σ D in steps of two runs.
    """
    margin, alpha, n = question.margin or 0.0, question.criteria.alpha, gains.shape[1]
    mean, se = gains.mean(axis=1), gains.std(axis=1, ddof=1) / math.sqrt(n)
    low, _ = stats.margin_interval(mean, se, n, df=n - 1.0, width=1.0, conf=1 - 2 * alpha)
    passes: BoolArray = low > -margin
    behind = mean + float(special.stdtrit(n - 1, 1 - alpha)) * se < 0
    flips = float(stats.z_alpha(alpha, sides=1)) * np.sqrt(np.square(gains).sum(axis=1))
    return passes, behind & (gains.sum(axis=1) + 1 / runs <= -flips) & ~passes


def _simulated(
    rates: tuple[Array, Array], runs: int, tasks: int, question: GateQuestion, draws: int
) -> tuple[float, float]:
    """Return the shares of PASS and REGRESSION over draws of tasks and of runs."""
    rng = np.random.default_rng(question.seed)
    size, totals = max(_CELLS // tasks, 1), np.zeros(2)
    for start in range(0, draws, size):
        at = rng.integers(0, len(rates[0]), (min(size, draws - start), tasks))
        a, b = (rng.binomial(runs, p[at]) / runs for p in rates)
        totals += [outcomes.sum() for outcomes in _answers(a - b, runs, question)]
    return float(totals[0] / draws), float(totals[1] / draws)


def _chances(
    pilot: _Pilot, tasks: int, loss: float, question: GateQuestion, draws: int
) -> AnswerProbabilities:
    """Return the verdicts for tasks drawn from the pilot's; exact for one run of each model."""
    worse = pilot.rates_at(loss)
    moved = float(np.square(worse - pilot.rates).mean())
    noise = float((worse * (1 - worse) + pilot.rates * (1 - pilot.rates)).mean())
    psi = min(moved + noise / pilot.runs, 1.0)
    if pilot.runs == 1 and psi > 0:
        rule = {"margin": question.margin or 0.0, "alpha": question.criteria.alpha}
        return chances(tasks, psi=psi, delta=0.0 - loss, **rule)
    passes, regression = _simulated((worse, pilot.rates), pilot.runs, tasks, question, draws)
    return AnswerProbabilities(
        delta=0.0 - loss, psi=psi, pass_probability=passes, regression_probability=regression
    )


def _passes(margin: float, sigma: float, tasks: int, alpha: float) -> float:
    """Return the probability of a PASS of equal models, for normal differences."""
    if sigma == 0:
        return float(tasks >= (least_items(margin, 1.0, alpha) or math.inf))
    power = stats.margin_power(margin, sigma=sigma, n=tasks, width=1.0, alpha=alpha)
    return float(power)


def _steps(pilot: _Pilot, tasks: int, margin: float, rule: Criteria) -> tuple[PilotStep, ...]:
    out = []
    for runs in sorted({*_STEPS, pilot.runs}):
        ends = alike_spread_interval(
            pilot.scores, rho=1.0, runs_a=runs, runs_b=runs, conf=1 - 2 * rule.alpha
        )
        low, high = (
            _passes(margin, math.sqrt(float(v)), tasks, rule.alpha) for v in reversed(ends)
        )
        probability = _passes(margin, math.sqrt(pilot.spread(runs)), tasks, rule.alpha)
        out.append(
            PilotStep(
                n_runs=runs,
                pass_probability=probability,
                pass_probability_low=min(low, probability),
                pass_probability_high=max(high, probability),
            )
        )
    return tuple(out)


def _smallest(is_sufficient: Callable[[float], bool]) -> float:
    """Return the smallest sufficient number in (0, 1]; 1 if none is."""
    low, high = 0.0, 1.0
    while high - low > _CLOSE:
        midpoint = (low + high) / 2
        low, high = (low, midpoint) if is_sufficient(midpoint) else (midpoint, high)
    return high


def _meets_rule_probability(rates: Array, rule: TaskRule) -> Array:
    """Return the probability that a task with this success rate meets the rule."""
    out: Array = 1 - rule_failure(rates, needed=rule.needed, runs=rule.runs)
    return out


def _met_at(pilot: _Pilot, rule: TaskRule, loss: float) -> Array:
    """Return these probabilities for a candidate that meets the rule on fewer tasks.

    The share of tasks is smaller by ``loss``.
    """
    target_share = float(_meets_rule_probability(pilot.rates, rule).mean()) - loss

    def meets(factor: float) -> bool:
        return float(_meets_rule_probability(factor * pilot.rates, rule).mean()) >= target_share

    return _meets_rule_probability((_smallest(meets) if loss else 1.0) * pilot.rates, rule)


def _under_rule(
    pilot: _Pilot, rule: TaskRule, tasks: int, margin: float, criteria: Criteria
) -> GateFeasibility:
    """Return exact probabilities under a rule, which makes scores 0 or 1."""
    met = _meets_rule_probability(pilot.rates, rule)
    rows = []
    for loss in (share * margin for share in _GAPS):
        if loss > met.mean():
            continue
        worse = _met_at(pilot, rule, loss)
        psi = float((worse * (1 - met) + met * (1 - worse)).mean())
        psi = min(max(psi, loss, _CLOSE), 1.0)
        gap = {"delta": 0.0 - loss, "margin": margin, "alpha": criteria.alpha}
        rows.append(chances(tasks, psi=psi, **gap))
    if not rows:
        msg = f"No task in the pilot can meet {arg('at_least')}. Require fewer passing runs."
        raise DataError(msg)
    noise = PairedPsi(psi=rows[0].psi)
    plan = gate_feasibility(tasks, margin=margin, noise=noise, criteria=criteria, source="pilot")
    pilot_noise = PilotNoise(
        n_tasks=len(pilot.scores),
        n_runs=rule.runs,
        mean=pilot.mean,
        flip_probability=pilot.flip,
        n_draws=0,
        steps=(),
        n_passes_needed=rule.needed,
        rule_met_share=float(met.mean()),
    )
    return replace(plan, noise=pilot_noise, scenarios=tuple(rows))


def rehearsed(
    table: RunTable,
    *,
    margin: float,
    items: int | None,
    criteria: Criteria,
    draws: int = DRAWS,
    at_least: TaskRule | None = None,
) -> GateFeasibility:
    """Compute the verdicts of a gate of ``items`` tasks with as many runs as the pilot.

    Parameters
    ----------
    table : RunTable
        Repeated runs of the baseline, 0/1 scores.
    margin : float
        Largest loss that does not matter, a proportion.
    items : int or None
        Number of planned tasks. Default: those of the pilot.
    criteria : Criteria
        One-sided level and target probability of a PASS.
    draws : int, default 10000
        Number of simulated gates for each true gap.
    at_least : TaskRule, optional
        Rule by which a task scores 1 or 0, with its number of runs; None for mean scores.
    """
    pilot = _pilot(table)
    tasks = len(pilot.scores) if items is None else items
    checks.require(tasks >= 2, "items", "at least 2", tasks)
    checks.require(0 < margin < 1, "margin", "in (0, 1)", margin)
    if pilot.mean == 0:
        msg = "No run in the pilot passed, so no candidate can be worse. Choose easier tasks."
        raise DataError(msg)
    question = GateQuestion(margin=margin, criteria=criteria)
    if at_least is not None:
        return _under_rule(pilot, at_least, tasks, margin, criteria)
    sigma = math.sqrt(pilot.spread(pilot.runs))
    need = math.inf
    if sigma > 0:
        need = stats.margin_n_star(
            margin, sigma=sigma, width=1.0, alpha=criteria.alpha, power=criteria.power
        )
    rows = [
        _chances(pilot, tasks, share * margin, question, draws)
        for share in _GAPS
        if share * margin <= pilot.mean
    ]
    return GateFeasibility(
        n_items=tasks,
        margin=margin,
        criteria=criteria,
        noise=PilotNoise(
            n_tasks=len(pilot.scores),
            n_runs=pilot.runs,
            mean=pilot.mean,
            flip_probability=pilot.flip,
            n_draws=draws,
            steps=_steps(pilot, tasks, margin, criteria),
        ),
        noise_source="pilot",
        min_items_to_pass=least_items(margin, 1.0, criteria.alpha) or 1,
        n_star=need if sigma > 0 else float(least_items(margin, 1.0, criteria.alpha) or 1),
        n_star_stable=need if sigma > 0 else float(least_items(margin, 1.0, criteria.alpha) or 1),
        min_margin=_smallest(lambda m: _passes(m, sigma, tasks, criteria.alpha) >= criteria.power),
        scenarios=tuple(rows),
    )
