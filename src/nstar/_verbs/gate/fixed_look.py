"""One look at a task: its claims, the probability of a PASS, and what would decide it.

The tests and the interval are those of ``nstar compare``: "worse" and "better" by its default
test, "not worse by the margin" by its margin test, which allows for losses too rare to be observed
unless counts of 0/1 scores determine the result.
"""

import math
from collections.abc import Sequence

from nstar import stats
from nstar._base.types import Interval
from nstar._verbs.compare import TaskComparison
from nstar._verbs.compare.margin import MarginTest, PlannedMargin
from nstar._verbs.gate import threshold
from nstar._verbs.gate.claims import GateEvidence
from nstar._verbs.gate.question import GateGoal
from nstar._verbs.gate.result import NeededToDecide, TaskGate
from nstar._verbs.verdict import Criteria
from nstar.stats.margin import margin_least_items


def gain_of(pair: TaskComparison) -> float:
    """Return how much better the candidate is, in score units."""
    return -pair.gap if pair.lower_is_better else pair.gap


def width_of(pair: TaskComparison) -> float:
    """Return the best minus the worst score."""
    return pair.score_range[1] - pair.score_range[0]


def _margin_test(pair: TaskComparison) -> MarginTest:
    """Return the test of "not worse by the margin", oriented so that higher is better."""
    test = MarginTest(
        delta=pair.gap,
        width=width_of(pair),
        reading=pair.estimate,
        items=pair.n_items,
        counts=pair.counts,
    )
    return test.turned() if pair.lower_is_better else test


def wins_of(pair: TaskComparison) -> tuple[int, int, int] | None:
    """Return the items that only the candidate and only the baseline solved, and all items."""
    c = _margin_test(pair).counted
    return None if c is None else (c.n10, c.n01, c.n)


def _bounds(pair: TaskComparison, *, margin: bool) -> tuple[float, float]:
    """Return one-sided bounds of the gain; the lower one is for the margin, if there is any."""
    low, high = (float(v) for v in pair.ci)
    low, high = (-high, -low) if pair.lower_is_better else (low, high)
    if margin:
        low = float(_margin_test(pair).interval(pair.confidence_level).low)
    return low, high


def _method(pair: TaskComparison, *, margin: bool) -> str:
    cluster_text = " of whole clusters" if pair.estimate.whole_clusters is not None else ""
    rare = f", with rare losses{cluster_text} at the margin's end" * (
        margin and wins_of(pair) is None
    )
    return f"{pair.estimate.ci_method} interval{rare}, {pair.estimate.pvalue_method} test"


def fixed(pair: TaskComparison, margin: float | None, alpha: float) -> GateEvidence:
    """Return the claims at one look; p-value and interval must agree, as in ``nstar compare``."""
    if pair.threshold is not None:
        return threshold.fixed_claims(pair, margin, alpha)
    gain, has_margin = gain_of(pair), margin is not None
    low, high = _bounds(pair, margin=has_margin)
    p_worse = pair.pvalue / 2 if gain < 0 else 1 - pair.pvalue / 2
    p_better = pair.pvalue / 2 if gain > 0 else 1 - pair.pvalue / 2
    return GateEvidence(
        ci=Interval(-high, -low) if pair.lower_is_better else Interval(low, high),
        confidence_level=pair.confidence_level,
        pvalue_method=_method(pair, margin=has_margin),
        pvalue_not_worse=None if margin is None else _margin_test(pair).pvalue(margin, sides=1),
        pvalue_worse=p_worse,
        pvalue_better=p_better,
        is_shown_not_worse=margin is not None and low > -margin,
        is_shown_worse_unadjusted=p_worse <= alpha and high < 0,
        is_shown_better=p_better <= alpha and low > 0,
        holds_for_any_missing_scores=wins_of(pair) is not None,
    )


_HALVINGS = 60


def least_items(margin: float, width: float, alpha: float) -> int | None:
    """Return the fewest items at which identical scores show "not worse by the margin".

    None if the margin is as wide as the scale.

    >>> least_items(0.01, 1.0, 0.05)
    268
    """
    if not 0 < margin < width:
        return None
    return int(margin_least_items(margin, width=width, alpha=alpha))


def chance_of_pass(
    pair: TaskComparison, goal: GateGoal, margin: float | None, rule: Criteria
) -> float | None:
    """Return the probability of a PASS if the models are equal, at this noise and size."""
    if goal == "superiority" or margin is None:
        return rule.alpha
    if pair.estimate.se == 0:
        return None
    if pair.threshold is not None:
        return threshold.pass_probability(pair, margin, rule)
    return _margin_test(pair).power(margin, pair.n_items, rule, PlannedMargin(sides=1))


def _whole(items: float) -> float:
    return float(math.ceil(items - 1e-9)) if math.isfinite(items) else math.inf


def _items(gap: float, sigma: float, rule: Criteria) -> float:
    """Return the items at which a gap is significant, one-sided, by the normal formula."""
    if gap <= 0:
        return math.inf
    return float(stats.noninferiority_n_star(gap, sigma=sigma, alpha=rule.alpha, power=rule.power))


def _allowed(pair: TaskComparison, slack: float, rule: Criteria) -> float:
    """Return the largest variance of a difference at which the observed gain is significant."""
    gain, test = gain_of(pair), _margin_test(pair)
    low, high = 0.0, width_of(pair)
    for _ in range(_HALVINGS):
        sigma = (low + high) / 2
        if slack > 0 and gain > -slack:
            reached = stats.margin_power(
                slack, sigma=sigma, n=pair.n_items, width=test.width, delta=gain, alpha=rule.alpha
            )
            is_sufficient = bool(reached >= rule.power)
        else:
            is_sufficient = _items(abs(gain), sigma, rule) <= pair.n_items
        low, high = (sigma, high) if is_sufficient else (low, sigma)
    return low * low


def _runs(pair: TaskComparison, slack: float, rule: Criteria) -> int | None:
    """Return the runs per item of each model at which the observed gap gives a verdict."""
    r = pair.run_variance
    if r is None or r.sigma_b2 is None or r.sigma_wa2 is None or r.sigma_wb2 is None:
        return None
    allowed = _allowed(pair, slack, rule) - r.sigma_b2
    if allowed <= 0:
        return None
    return max(math.ceil((r.sigma_wa2 + r.sigma_wb2) / allowed - 1e-9), 1)


def settle(
    pair: TaskComparison, goal: GateGoal, margin: float | None, rule: Criteria
) -> NeededToDecide:
    """Return the items, or runs, at which the observed gap, or a gap of 0, gives a verdict."""
    if pair.threshold is not None:
        return threshold.needed(pair, margin, rule)
    gain, sigma, test = (
        gain_of(pair),
        pair.estimate.se * math.sqrt(pair.n_items),
        _margin_test(pair),
    )
    slack = margin if goal == "non-inferiority" and margin is not None else 0.0
    passes = gain > -slack
    if sigma == 0:
        return NeededToDecide(
            n_items_if_equal=math.inf,
            n_items_if_observed=math.inf,
            verdict_if_observed=None,
            n_runs=None,
        )
    if passes and slack > 0:
        need = test.needed(slack, rule, PlannedMargin(delta=gain, sides=1))
    else:
        need = _items(gain if passes else -gain, sigma, rule)
    if_equal = test.needed(slack, rule, PlannedMargin(sides=1)) if slack > 0 else math.inf
    return NeededToDecide(
        n_items_if_equal=_whole(if_equal),
        n_items_if_observed=_whole(need),
        verdict_if_observed=("pass" if passes else "regression") if math.isfinite(need) else None,
        n_runs=_runs(pair, slack, rule) if pair.estimate.kind == "independent" else None,
    )


def upper_bounds(tasks: Sequence[TaskGate], alpha: float) -> list[float]:
    """Return upper bounds of the gain of each task, one-sided at Holm's level of the task.

    A task that is shown to be worse is tested at the level of its step. The level of the other
    tasks is alpha over the number of tasks.
    """
    order = sorted(range(len(tasks)), key=lambda k: tasks[k].pvalue_worse)
    steps = {k: step for step, k in enumerate(order) if tasks[k].is_shown_worse}
    return [
        _upper_bound(check.comparison, alpha, alpha / (len(tasks) - steps.get(k, 0)))
        for k, check in enumerate(tasks)
    ]


def _upper_bound(pair: TaskComparison, alpha: float, level: float) -> float:
    """Return the bound by counts, or that at ``alpha`` with the critical value of ``level``."""
    if pair.threshold is not None:
        return threshold.upper_bound(pair, level)
    test = _margin_test(pair)
    if test.counted is not None:
        return float(test.interval(1 - 2 * level).high)
    df, gain = pair.estimate.df, gain_of(pair)
    ratio = stats.t_quantile(1 - level, df) / stats.t_quantile(1 - alpha, df)
    return gain + float(ratio) * (_bounds(pair, margin=False)[1] - gain)
