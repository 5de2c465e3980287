"""The three claims of a gate at one look, at a size fixed in advance.

The tests and the interval are those of ``nstar compare``: "worse" and "better" by its default
test, "not worse by the margin" by its test of a margin, which allows for losses too rare to have
shown wherever counts of 0/1 scores do not decide.
"""

from nstar._base.types import Interval
from nstar._verbs.compare import Pair
from nstar._verbs.compare.margin import MarginTest
from nstar._verbs.gate.claims import GateEvidence


def gain_of(pair: Pair) -> float:
    """How much better the candidate is, in score units."""
    return -pair.delta if pair.lower_is_better else pair.delta


def width_of(pair: Pair) -> float:
    """Best minus worst score."""
    return pair.limits[1] - pair.limits[0]


def margin_test(pair: Pair) -> MarginTest:
    """The test of "not worse by the margin": more is better."""
    test = MarginTest(
        delta=pair.delta,
        width=width_of(pair),
        reading=pair.design,
        items=pair.n,
        counts=pair.counts,
    )
    return test.turned() if pair.lower_is_better else test


def wins_of(pair: Pair) -> tuple[int, int, int] | None:
    """Items only the candidate, only the baseline did well on, and all, where counts decide."""
    c = margin_test(pair).counted
    return None if c is None else (c.n10, c.n01, c.n)


def _bounds(pair: Pair, *, margin: bool) -> tuple[float, float]:
    """One-sided bounds of the gain; the lower one is for the margin, if there is any."""
    low, high = (float(v) for v in pair.ci)
    low, high = (-high, -low) if pair.lower_is_better else (low, high)
    if margin:
        low = float(margin_test(pair).interval(pair.conf).low)
    return low, high


def _method(pair: Pair, *, margin: bool) -> str:
    rare = ", with rare losses at the margin's end" if margin and wins_of(pair) is None else ""
    return f"{pair.design.ci_method} interval{rare}, {pair.design.p_method} test"


def fixed(pair: Pair, margin: float | None, alpha: float) -> GateEvidence:
    """The claims at one look: p-value and interval must both speak, as in ``nstar compare``."""
    gain, given = gain_of(pair), margin is not None
    low, high = _bounds(pair, margin=given)
    p_worse = pair.p / 2 if gain < 0 else 1 - pair.p / 2
    p_better = pair.p / 2 if gain > 0 else 1 - pair.p / 2
    return GateEvidence(
        ci=Interval(-high, -low) if pair.lower_is_better else Interval(low, high),
        conf=pair.conf,
        method=_method(pair, margin=given),
        p_within=None if margin is None else margin_test(pair).pvalue(margin, sides=1),
        p_worse=p_worse,
        p_better=p_better,
        shown_within=margin is not None and low > -margin,
        shown_worse=p_worse <= alpha and high < 0,
        shown_better=p_better <= alpha and low > 0,
        any_filling=wins_of(pair) is not None,
    )
