"""``plan_labels``: find labels, judged items, gap, or power.

The test is that of ``compare_judged``: t with n - 2 degrees of freedom of the labels' mean,
adjusted by the judge, which allows for disagreements of judge and labels too rare to be observed.
Without a judge, or with fewer than 30 labels, it is t with n - 1 on labels alone. For several
models, all labeled on the same items, it is the same t at the level of one pair in the family.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import special

from nstar import stats
from nstar._base import checks
from nstar._base.types import Array
from nstar._verbs.board_outcomes import FEWEST_ITEMS
from nstar._verbs.judged.plan_result import (
    JudgedCountSource,
    LabelMix,
    LabelPilot,
    LabelPlan,
    LabelScenario,
    LabelsSolvedFor,
)
from nstar._verbs.judged.sample import FEWEST
from nstar._verbs.plan.design import Design, check_room, designed, ratio
from nstar._verbs.plan.noise import Graded, Noise, Unpaired
from nstar._verbs.verdict import Criteria
from nstar.errors import ParameterError, QuestionError, arg
from nstar.stats._roots import bisect
from nstar.stats.arms import selection_lead
from nstar.stats.judge import departure_variance

R_GRID = (0.0, 0.3, 0.5, 0.7, 0.9)
"""Correlations shown next to the assumed one, because one number hides the assumption."""
_MORE = (1, 2, 5, 10)
"""Multiples of the fewest judged items that are shown if the given ones are too few."""
_MIN_LABELS = 3
"""Smallest number of labels with a test."""
_SEARCH_SHARE = 0.1
"""Range of the search for the cheapest number of labels, as a share of the closed form."""
_TRIED = 20_000
"""Largest number of label counts that are evaluated."""
_BEST = 1 - 1e-12
"""Correlation that stands for a judge that is always right."""
_SMALLEST = 1e-7
"""Smallest gap that is planned for, in standard deviations; below, label counts are meaningless.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCosts:
    """Costs of an item, for all models' answers."""

    label: float
    """Cost of a label."""
    judge: float
    """Cost of a judgment."""

    def of(self, labels: float, judged: float) -> float:
        """Return the cost of these numbers of labels and judgments."""
        return self.label * labels + self.judge * judged


@dataclass(frozen=True, slots=True, kw_only=True)
class _LabelTest:
    """Test of labels and a judge that is planned."""

    r: float
    noise: Noise
    test: stats.StudentTest
    """Test of one pair, at its level in the family of all pairs."""
    few: stats.StudentTest
    """The same test for labels that are too few to estimate how gaps are correlated."""
    departure: float
    """Size of unobserved disagreements of judge and labels that the test allows for."""
    models: int | None = None
    """Number of models of which the best is picked without a test; None for tests."""

    def by(self, labels: float) -> stats.StudentTest:
        """Return the test that the comparison of so many labels uses."""
        return self.few if labels < FEWEST_ITEMS else self.test

    def error(self, sigma: float, labels: float, judged: float) -> tuple[float, float]:
        """Return the standard error of the gap for a given SD of a difference, and its freedom."""
        label_se = sigma / math.sqrt(labels)
        if self.r == 0 or labels < FEWEST:
            return label_se, labels - 1.0
        rr = self.r * self.r
        unseen = departure_variance(labels, judged=judged, departure=self.departure)
        known = sigma * sigma * ((1 - rr) / labels + rr / judged)
        return min(math.sqrt(known + float(unseen)), label_se), labels - 2.0

    def power(self, delta: float, labels: float, judged: float) -> float:
        """Return the probability of detecting a gap."""
        error, df = self.error(self.noise.sigma(delta), labels, judged)
        if self.models is not None:
            return float(stats.selection_power(abs(delta), sigma=error, n=1, models=self.models))
        return float(self.by(labels).power_at(delta / error, df))

    def mde(self, labels: float, judged: float) -> float:
        """Return the smallest detectable gap; infinite if there is none."""

        def reach(gap: float) -> float:
            error, df = self.error(self.noise.sigma(gap), labels, judged)
            return float(self.by(labels).reach(df)) * error

        if isinstance(self.noise, Graded):
            return reach(0.0)
        max_gap = self.noise.room() * (1 - 1e-9)
        if reach(max_gap) > max_gap:
            return math.inf
        reach_of = np.vectorize(reach, otypes=[float])
        return float(bisect(lambda d: reach_of(d) > d, 0.0, max_gap))

    def alone(self, delta: float) -> float:
        """Return the labels needed without a judge."""

        def need(test: stats.StudentTest) -> float:
            n = stats.t_n_star(delta, sigma=self.noise.sigma(delta), **_level(test))
            return max(float(np.ceil(n)), _MIN_LABELS)

        return self._fewest(need)

    def _fewest(self, need: Callable[[stats.StudentTest], float]) -> float:
        """Return the labels needed, by the test that so many labels allow."""
        n = need(self.test)
        return n if n >= FEWEST_ITEMS else min(need(self.few), float(FEWEST_ITEMS))

    def labels(self, delta: float, judged: float) -> float:
        """Return the labels needed, at least 30 if a judge is used."""
        if self.r == 0:
            need = self.alone(delta)
        else:
            options: dict[str, Any] = {"sigma": self.noise.sigma(delta), "r": self.r}
            options |= {"judged": judged, "departure": self.departure}
            need = self._fewest(
                lambda test: float(stats.labels_needed(delta, **options, **_level(test)))
            )
        return need if need <= judged else math.inf

    def possible(self, delta: float, judged: float) -> bool:
        """Return whether any number of labels among these judged items suffices."""
        return self.labels(delta, judged) < math.inf

    def fewest(self, delta: float) -> float:
        """Return the fewest judged items if all are labeled."""
        need = self.alone(delta)
        return need if self.possible(delta, need) else need + 1

    def seen(self, pilot: LabelPilot) -> "_LabelTest":
        """Return the test with a judge as good as in a pilot."""
        return replace(self, r=min(max(pilot.r, 0.0), _BEST))

    def judged(self, delta: float, labels: float) -> float:
        """Return the judged items that these labels need; infinite if the labels are too few."""
        if self.r == 0 or labels < FEWEST:
            return labels if labels >= self.alone(delta) else math.inf
        return float(self._judged(delta, np.asarray([labels]))[0])

    def cheapest(self, delta: float, costs: JudgeCosts) -> LabelMix:
        """Return the cheapest labels and judged items.

        Labels alone if the judge costs too much.
        """
        n = self.alone(delta)
        labels_only = LabelMix(n_labels=n, n_judged=0.0, cost=costs.of(n, 0))
        if self.r == 0 or n < FEWEST:
            return labels_only
        share = float(stats.label_share(self.r, cost_label=costs.label, cost_judge=costs.judge))
        n_approx = max(n * (1 - self.r**2 * (1 - share)), FEWEST)
        reach = float(self.test.reach(n_approx))
        extra = 2 * math.sqrt(2) * self.departure * reach / abs(delta)  # what departures may add
        low, high = (
            max((1 - _SEARCH_SHARE) * n_approx, FEWEST),
            (1 + _SEARCH_SHARE) * n_approx + extra + 5,
        )
        tried = np.unique(np.linspace(low, high, min(int(high - low) + 2, _TRIED)).round())
        judged = self._judged(delta, tried)
        money = costs.label * tried + costs.judge * judged
        best = int(np.argmin(money))
        if money[best] >= labels_only.cost:
            return labels_only
        return LabelMix(
            n_labels=float(tried[best]), n_judged=float(judged[best]), cost=float(money[best])
        )

    def _judged(self, delta: float, labels: Array) -> Array:
        """Return the judged items that the labels need, a whole number, at least the labels.

        T = (σ² r² - c) / (δ²/K² - (σ² (1 - r²) + c)/n), with c = 2 w²/(n - 2) for departures.
        """
        rr, variance = self.r * self.r, self.noise.sigma(delta) ** 2
        max_variance = np.square(delta / self.test.reach(labels - 2))
        unseen = 2 * self.departure**2 / (labels - 2)
        variance_left = max_variance - (variance * (1 - rr) + unseen) / labels
        with np.errstate(divide="ignore"):
            need = np.where(
                variance_left > 0, np.ceil((variance * rr - unseen) / variance_left - 1e-9), np.inf
            )
        return np.maximum(np.where(variance / labels <= max_variance, labels, need), labels)


def _level(test: stats.StudentTest) -> dict[str, Any]:
    return {"alpha": test.alpha, "power": test.power, "sides": test.sides}


def _tests(design: Design, rule: Criteria) -> tuple[stats.StudentTest, stats.StudentTest]:
    """Return the test of one pair, with many and with few labels."""
    if design.goal == "best":  # no test: one whose requirement is the lead over each rival
        lead = float(selection_lead(design.models, prob=1 - rule.alpha)) / math.sqrt(2)
        power = float(special.ndtr(lead - float(stats.z_alpha(rule.alpha, sides=1))))
        picked = stats.StudentTest(alpha=rule.alpha, power=power, sides=1)
        return picked, picked
    power, alpha = design.each_power(rule), design.tail(rule) * rule.sides
    many = stats.StudentTest(alpha=alpha, power=power, sides=rule.sides)
    return many, replace(many, alpha=rule.alpha / design.n_comparisons)


@dataclass(frozen=True, slots=True, kw_only=True)
class _LabelPlanInput:
    """Given quantities of the plan."""

    delta: float | None
    labels: int | None
    judged: int | None
    costs: JudgeCosts | None

    @property
    def solved_for(self) -> LabelsSolvedFor:
        """Return the quantity to compute."""
        if self.labels is None:
            return "labels"
        if self.delta is None:
            return "mde"
        return "judged" if self.judged is None else "power"


def _row(tested: _LabelTest, question: _LabelPlanInput, judged: float) -> LabelScenario:
    """Return the plan at one correlation."""
    r, delta, labels, costs = tested.r, question.delta, question.labels, question.costs
    if delta is not None and labels is None and question.judged is None and costs is not None:
        mix = tested.cheapest(delta, costs)
        return LabelScenario(judge_r=r, n_judged=mix.n_judged, n_star=mix.n_labels, cost=mix.cost)
    if question.solved_for == "judged" and delta is not None and labels is not None:
        judged = tested.judged(delta, labels)
    need = None if delta is None else tested.labels(delta, judged)
    used = labels if labels is not None else need
    can = labels is not None and judged < math.inf
    return LabelScenario(
        judge_r=r,
        n_judged=judged,
        n_star=need,
        mde=tested.mde(labels, judged) if can and labels is not None else None,
        power=(
            tested.power(delta, labels, judged)
            if can and labels is not None and delta is not None
            else None
        ),
        cost=None if costs is None or used is None else costs.of(used, judged if r else 0.0),
    )


def _rows(
    tested: _LabelTest, question: _LabelPlanInput, judged: float, pilot: LabelPilot | None
) -> Iterator[LabelScenario]:
    """Plan with other judges, and with more judged items if the given ones are too few."""
    delta = question.delta
    if delta is not None and question.judged is not None and not tested.possible(delta, judged):
        fewest = tested.fewest(delta)
        for size in (times * fewest for times in _MORE):
            need = tested.labels(delta, size)
            cost = None if question.costs is None else question.costs.of(need, size)
            yield LabelScenario(judge_r=tested.r, n_judged=size, n_star=need, cost=cost)
        return
    correlations = R_GRID if pilot is None else (0.0, tested.seen(pilot).r)
    for r in sorted({*correlations, tested.r}):
        row = _row(replace(tested, r=r), question, judged)
        yield replace(row, is_headline=r == tested.r)


def _departure(noise: Noise, pilot: LabelPilot | None) -> float:
    """Return the size of a disagreement of judge and labels; for two-valued labels, the scale."""
    if not isinstance(noise, Graded):
        return 1.0
    return noise.width if pilot is not None and pilot.is_binary else noise.width / 2


def _size(
    labels: int | None, judged: int | None, costs: JudgeCosts | None, pilot: LabelPilot | None
) -> tuple[int | None, JudgedCountSource]:
    """Return the number of judged items, unless it is computed, and its source."""
    if judged is not None:
        return judged, "given"
    if pilot is not None and (costs is None or labels is not None):
        return pilot.n_items, "pilot"
    if labels is not None:
        return None, "solved"
    if costs is None:
        msg = (
            f"Set {arg('judged')} (number of items that the judge scores), or {arg('cost_label')} "
            f"and {arg('cost_judge')} (to find the cheapest mix)."
        )
        raise QuestionError(msg)
    return None, "cheapest"


def _check(question: _LabelPlanInput, r: float, design: Design, rule: Criteria) -> None:
    allowed = "at least 0 (the judge is useless) and less than 1 (no labels are needed)"
    checks.within("judge_r", r, (0, 1), allowed, ends=(True, False))
    if isinstance(design.noise, Unpaired):
        msg = f"Labels are planned for two models on the same items. Remove {arg('unpaired')}."
        raise ParameterError(msg)
    if question.costs is not None:
        checks.positive("cost_label", question.costs.label)
        checks.positive("cost_judge", question.costs.judge)
    _check_numbers(question.labels, question.judged)
    if question.delta is not None:
        _check_gap(question.delta, design.noise, rule)
    elif question.labels is None or question.judged is None:
        msg = (
            f"Set {arg('delta')} (to get the number of labels), or {arg('labels')} and "
            f"{arg('judged')} (to get the detectable gap)."
        )
        raise QuestionError(msg)


def _check_numbers(labels: int | None, judged: int | None) -> None:
    for name, value in (("labels", labels), ("judged", judged)):
        if value is not None:
            checks.counts(**{name: value})
            checks.require(value >= _MIN_LABELS, name, f"at least {_MIN_LABELS}", value)
    if labels is not None and judged is not None:
        checks.at_most(labels, judged, "labels", f"at most the {judged:,} judged items")


def _check_gap(delta: float, noise: Noise, rule: Criteria) -> None:
    min_delta = _SMALLEST * noise.sigma(0.0)
    checks.require(min_delta <= abs(delta) < np.inf, "delta", f"at least {min_delta:.3g}", delta)
    if rule.sides == 1:
        checks.require(delta > 0, "delta", "positive if the test is one-sided", delta)
    check_room(noise, (delta,))


def plan_labels(
    design: Design | Noise,
    *,
    judge_r: float,
    delta: float | None = None,
    labels: int | None = None,
    judged: int | None = None,
    costs: JudgeCosts | None = None,
    criteria: Criteria | None = None,
    pilot: LabelPilot | None = None,
) -> LabelPlan:
    """Compute whichever of labels, judged items, detectable gap, and power is not given.

    Parameters
    ----------
    design : Design or Noise
        Noise of an item's true difference.
    judge_r : float
        Correlation of judge and labels on differences of two models, in [0, 1).
    delta : float, optional
        Gap to detect, first minus second, in score units.
    labels, judged : int, optional
        Number of items that people label, and of items that the judge scores, which include them.
        Without ``judged`` and ``labels``, the result is the cheapest mix, which requires
        ``costs``.
    costs : JudgeCosts, optional
        Prices of a label and of a judgment.
    criteria : Criteria, optional
        Level, power, and alternative hypothesis; ``Criteria()`` when None.
    pilot : LabelPilot, optional
        Source of ``judge_r`` and the design. Without ``judged`` and ``costs``, its judged items
        are those to label.

    Examples
    --------
    >>> from nstar import Graded
    >>> label_plan = plan_labels(Graded(sd=0.55), judge_r=0.65, judged=10_000, delta=0.03)
    >>> label_plan.n_star, label_plan.n_star_without_judge
    (1720.0, 2641.0)
    >>> costs = JudgeCosts(label=1, judge=0.01)
    >>> mix = plan_labels(Graded(sd=0.55), judge_r=0.65, delta=0.03, costs=costs)
    >>> mix.n_star, mix.n_judged, round(mix.cost)
    (1658.0, 14188.0, 1800)
    """
    full_design, rule = designed(design), criteria or Criteria()
    size, source = _size(labels, judged, costs, pilot)
    question = _LabelPlanInput(delta=delta, labels=labels, judged=size, costs=costs)
    _check(question, judge_r, full_design, rule)
    departure = _departure(full_design.noise, pilot)
    many, few_test = _tests(full_design, rule)
    is_choice = full_design.goal == "best"
    target = 1 - rule.alpha if is_choice else rule.power
    tested = _LabelTest(
        r=judge_r,
        noise=full_design.noise,
        test=many,
        few=few_test,
        departure=departure,
        models=full_design.models if is_choice else None,
    )
    at = _row(tested, question, math.inf if size is None else float(size))
    total = float(size) if size is not None else (at.n_judged or 0.0)
    n_without_judge = None if delta is None else tested.alone(delta)
    best = None if costs is None or delta is None else tested.cheapest(delta, costs)
    gap = at.mde if delta is None else delta
    return LabelPlan(
        solved_for=question.solved_for,
        n_star=at.n_star,
        n_star_pilot=None if pilot is None else _row(tested.seen(pilot), question, total).n_star,
        n_star_without_judge=n_without_judge,
        n_labels=labels,
        n_judged=total,
        n_judged_source=source,
        delta=delta,
        mde=at.mde,
        mde_floor=tested.mde(total, total) if 0 < total < math.inf else None,
        power=at.power if question.solved_for == "power" and at.power is not None else target,
        q=ratio(labels, at.n_star),
        judge_r=judge_r,
        sigma=full_design.noise.sigma(0.0 if gap is None or math.isinf(gap) else gap),
        is_proportion=not isinstance(full_design.noise, Graded)
        or (pilot is not None and pilot.score_range == (0.0, 1.0)),
        cost_label=None if costs is None else costs.label,
        cost_judge=None if costs is None else costs.judge,
        cost=at.cost,
        cost_without_judge=None
        if costs is None or n_without_judge is None
        else costs.of(n_without_judge, 0),
        cheapest=best,
        pilot=pilot,
        noise_design=full_design,
        criteria=rule,
        scenarios=tuple(_rows(tested, question, total, pilot)),
    )
