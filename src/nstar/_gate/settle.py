"""Could this task pass at all, how likely, and what would settle it if it did not?"""

import math
from dataclasses import dataclass

from scipy import special

from nstar import stats
from nstar._compare import Pair
from nstar._gate.one_look import gain_of, margin_test, width_of, wins_of
from nstar._gate.question import Aim
from nstar._gate.result import Settle
from nstar._verdict import ABSURD, Criteria
from nstar.stats._roots import first_whole

__all__ = ["chance_of_pass", "least_items", "settle"]

_HALVINGS = 60


def least_items(margin: float, width: float, alpha: float) -> int | None:
    """Fewest items at which identical scores of both models show "not worse by the margin".

    Of n items without a difference the score bound of the gap is -width z² / (n + z²); for 0/1
    scores this is Tango's. None if the margin is as wide as the scale.

    Examples
    --------
    >>> least_items(0.01, 1.0, 0.05)
    268
    """
    if not 0 < margin < width:
        return None
    z2 = float(stats.z_alpha(alpha, sides=1)) ** 2
    return math.floor(z2 * (width - margin) / margin) + 1


def _room(se: float, n: float, left: float, z: float) -> float:
    """How far above -margin a gain must lie to be shown above it."""
    return float(stats.margin_room(se, n, width=left, margin=0.0, quantile=z)) if left else z * se


@dataclass(frozen=True, slots=True)
class _Test:
    """A one-sided test of the gain, planned by the normal approximation."""

    rule: Criteria
    left: float
    """Scale beyond the margin that rare losses may take; 0 if the test fears none."""

    def shows(self, room: float, se: float, n: float) -> bool:
        """Whether a distance of ``room`` from the null is shown with the wanted power."""
        z = float(stats.z_alpha(self.rule.alpha, sides=1))
        need = _room(se, n, self.left, z)
        return room >= need + float(special.ndtri(self.rule.power)) * se

    def items(self, room: float, sigma: float) -> float:
        """Items at which it is; infinite if none would do."""
        if room <= 0:
            return math.inf
        rule = self.rule
        n = float(
            stats.noninferiority_n_star(room, sigma=sigma, alpha=rule.alpha, power=rule.power)
        )
        if self.left <= 0 or n > ABSURD:
            return n
        low, high = max(math.ceil(n) - 1, 0), max(math.ceil(n), 1)
        while not self.shows(room, sigma / math.sqrt(high), high):
            low, high = high, 2 * high
        return first_whole(lambda k: self.shows(room, sigma / math.sqrt(k), k), low, high)

    def variance(self, room: float, n: float) -> float:
        """Largest variance of one item's difference at which it is; 0 if none is small enough."""
        low, high = 0.0, room
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.shows(room, middle, n) else (low, middle)
        return n * low * low


def _of_margin(pair: Pair, margin: float, rule: Criteria) -> _Test:
    return _Test(rule, max(width_of(pair) - margin, 0.0) if wins_of(pair) is None else 0.0)


def chance_of_pass(pair: Pair, aim: Aim, margin: float | None, rule: Criteria) -> float | None:
    """Chance of a PASS were the models equal, at this noise and size (normal approximation)."""
    if aim == "superiority" or margin is None:
        return rule.alpha
    se = pair.design.se
    if se == 0:
        return None
    z = float(stats.z_alpha(rule.alpha, sides=1))
    left = _of_margin(pair, margin, rule).left
    need = _room(se, margin_test(pair).exposed, left, z)
    return float(special.ndtr((margin - need) / se))


def _runs(pair: Pair, room: float, test: _Test) -> int | None:
    """Runs per item of each model, on these items, at which ``room`` is shown."""
    r = pair.runs
    if r is None or r.sigma_b2 is None or r.sigma_wa2 is None or r.sigma_wb2 is None or room <= 0:
        return None
    allowed = test.variance(room, pair.n) - r.sigma_b2
    if allowed <= 0:
        return None
    return max(math.ceil((r.sigma_wa2 + r.sigma_wb2) / allowed - 1e-9), 1)


def settle(pair: Pair, aim: Aim, margin: float | None, rule: Criteria) -> Settle:
    """Items, or runs, at which the gap as seen, or a gap of 0, leads to an answer."""
    gain, sigma = gain_of(pair), pair.design.se * math.sqrt(pair.n)
    slack = margin if aim == "non-inferiority" and margin is not None else 0.0
    passes = gain > -slack
    room = gain + slack if passes else -gain
    identified = pair.runs is not None and pair.runs.identified
    if sigma == 0:
        return Settle(
            if_equal=None, if_observed=None, towards=None, runs=None, runs_identified=identified
        )
    plain = _Test(rule, 0.0)
    margin_test = _of_margin(pair, slack, rule) if slack > 0 else plain
    test = margin_test if passes else plain
    need = test.items(room, sigma)
    return Settle(
        if_equal=margin_test.items(slack, sigma),
        if_observed=need,
        towards=("PASS" if passes else "REGRESSION") if math.isfinite(need) else None,
        runs=_runs(pair, room, test) if pair.design.kind == "items" else None,
        runs_identified=identified,
    )
