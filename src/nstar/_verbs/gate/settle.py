"""Could this task pass at all, how likely, and what would settle it if it did not?"""

import math

from nstar import stats
from nstar._verbs.compare import Pair
from nstar._verbs.compare.margin import PlannedMargin
from nstar._verbs.gate.one_look import gain_of, margin_test, width_of
from nstar._verbs.gate.question import Aim
from nstar._verbs.gate.result import Settle
from nstar._verbs.verdict import Criteria

_HALVINGS = 60


def least_items(margin: float, width: float, alpha: float) -> int | None:
    """Fewest items at which identical scores of both models show "not worse by the margin".

    None if the margin is as wide as the scale.

    Examples
    --------
    >>> least_items(0.01, 1.0, 0.05)
    268
    """
    if not 0 < margin < width:
        return None
    return int(stats.margin_least_items(margin, width=width, alpha=alpha))


def chance_of_pass(pair: Pair, aim: Aim, margin: float | None, rule: Criteria) -> float | None:
    """Chance of a PASS were the models equal, at this noise and size."""
    if aim == "superiority" or margin is None:
        return rule.alpha
    if pair.design.se == 0:
        return None
    return margin_test(pair).power(margin, pair.n, rule, PlannedMargin(sides=1))


def _whole(items: float) -> float:
    return float(math.ceil(items - 1e-9)) if math.isfinite(items) else math.inf


def _items(room: float, sigma: float, rule: Criteria) -> float:
    """Items at which a gap of ``room`` is shown not to be 0, one-sided, by the normal formula."""
    if room <= 0:
        return math.inf
    return float(
        stats.noninferiority_n_star(room, sigma=sigma, alpha=rule.alpha, power=rule.power)
    )


def _allowed(pair: Pair, slack: float, rule: Criteria) -> float:
    """Largest variance of one item's difference at which the gain as seen is shown."""
    gain, test = gain_of(pair), margin_test(pair)
    low, high = 0.0, width_of(pair)
    for _ in range(_HALVINGS):
        sigma = (low + high) / 2
        if slack > 0 and gain > -slack:
            reached = stats.margin_power(
                slack, sigma=sigma, n=pair.n, width=test.width, delta=gain, alpha=rule.alpha
            )
            enough = bool(reached >= rule.power)
        else:
            enough = _items(abs(gain), sigma, rule) <= pair.n
        low, high = (sigma, high) if enough else (low, sigma)
    return low * low


def _runs(pair: Pair, slack: float, rule: Criteria) -> int | None:
    """Runs per item of each model, on these items, at which the gap as seen leads to an answer."""
    r = pair.runs
    if r is None or r.sigma_b2 is None or r.sigma_wa2 is None or r.sigma_wb2 is None:
        return None
    allowed = _allowed(pair, slack, rule) - r.sigma_b2
    if allowed <= 0:
        return None
    return max(math.ceil((r.sigma_wa2 + r.sigma_wb2) / allowed - 1e-9), 1)


def settle(pair: Pair, aim: Aim, margin: float | None, rule: Criteria) -> Settle:
    """Items, or runs, at which the gap as seen, or a gap of 0, leads to an answer."""
    gain, sigma, test = gain_of(pair), pair.design.se * math.sqrt(pair.n), margin_test(pair)
    slack = margin if aim == "non-inferiority" and margin is not None else 0.0
    passes = gain > -slack
    if sigma == 0:
        return Settle(items_if_equal=math.inf, items_if_observed=math.inf, towards=None, runs=None)
    if passes and slack > 0:
        need = test.needed(slack, rule, PlannedMargin(delta=gain, sides=1))
    else:
        need = _items(gain if passes else -gain, sigma, rule)
    if_equal = test.needed(slack, rule, PlannedMargin(sides=1)) if slack > 0 else math.inf
    return Settle(
        items_if_equal=_whole(if_equal),
        items_if_observed=_whole(need),
        towards=("PASS" if passes else "REGRESSION") if math.isfinite(need) else None,
        runs=_runs(pair, slack, rule) if pair.design.kind == "items" else None,
    )
