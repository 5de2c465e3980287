"""Criteria, and the rules that turn numbers into verdicts."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from nstar._base import checks
from nstar._base.parameter_types import Alternative
from nstar._base.types import Array, BoolArray, Sides
from nstar.stats.critical import z_alpha

GapSize: TypeAlias = Literal["below", "borderline", "above"]
ClaimVerdict: TypeAlias = Literal["supported", "not_supported", "depends"]

BORDERLINE = (0.5, 1.5)
"""Multiples of the MDE between which a gap is borderline, within 50% of the MDE."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria:
    """Level, power, and alternative of a test, stored in every result.

    Examples
    --------
    >>> Criteria(alpha=0.01).power
    0.8
    """

    alpha: float = 0.05
    """Significance level, over both tails for a two-sided test."""
    power: float = 0.8
    """Target probability of detecting a true gap."""
    alternative: Alternative = "two-sided"
    """Alternative hypothesis about the gap, A minus B."""

    def __post_init__(self) -> None:
        checks.fraction("alpha", self.alpha)
        checks.fraction("power", self.power)
        checks.require(self.power > self.alpha, "power", "above alpha", self.power)
        checks.choice("alternative", self.alternative, get_args(Alternative))

    @property
    def sides(self) -> Sides:
        """Return the number of tails of the test."""
        return 2 if self.alternative == "two-sided" else 1

    @property
    def sign(self) -> Literal[-1, 1]:
        """Return the sign of the gap that a one-sided test can detect; 1 for a two-sided test."""
        return -1 if self.alternative == "less" else 1

    def can_detect(self, gap: float) -> bool:
        """Return whether the test can reject for a gap of this sign.

        Examples
        --------
        >>> Criteria().can_detect(-0.1), Criteria(alternative="greater").can_detect(-0.1)
        (True, False)
        """
        return self.sides == 2 or self.sign * gap > 0

    def excludes_zero(self, low: float | Array, high: float | Array) -> bool:
        """Return whether 0 is outside an interval, on a side that the alternative covers.

        Examples
        --------
        >>> [Criteria(alternative=x).excludes_zero(-3, -1) for x in ("less", "greater")]
        [True, False]
        """
        return bool(
            (low > 0 and self.alternative != "less")
            or (high < 0 and self.alternative != "greater")
        )

    @property
    def z(self) -> float:
        """Return the critical value of the test."""
        return float(z_alpha(self.alpha, sides=self.sides))


def judge_against_mde(delta: float, mde_low: float, mde_high: float) -> GapSize:
    """Judge a gap against the MDE, which is known only to lie in [mde_low, mde_high].

    The verdict is ``"below"`` or ``"above"`` if it is the same for the whole range, and borderline
    otherwise.

    >>> judge_against_mde(0.008, 0.031, 0.044)
    'below'
    """
    size = abs(delta)
    if size < BORDERLINE[0] * mde_low:
        return "below"
    if size > BORDERLINE[1] * mde_high:
        return "above"
    return "borderline"


def judge_discordance(largest: int | None, min_count: int, max_count: int) -> ClaimVerdict:
    """Judge whether a test rejects for all, for no, or for some feasible discordant counts.

    ``largest`` is the largest discordant count at which the test rejects; None if it never
    rejects.

    >>> judge_discordance(2412, 96, 5318)
    'depends'
    """
    if largest is None or largest < min_count:
        return "not_supported"
    return "supported" if largest >= max_count else "depends"


def judge_bounds(smallest: float, largest: float, alpha: float) -> ClaimVerdict:
    """Judge whether a p-value is at most alpha in all, none, or some of its range.

    ``smallest`` and ``largest`` have the bounds of the p-value over all values that were not
    reported.

    >>> judge_bounds(0.003, 0.21, 0.05)
    'depends'
    """
    if largest <= alpha:
        return "supported"
    return "not_supported" if smallest > alpha else "depends"


PrintedWord: TypeAlias = Literal["fits", "fits none", "impossible", "not checked"]
"""Verdict on a reported p-value or interval, given the reported accuracies."""


def judge_printed(*, possible: bool, checked: bool, fits: bool) -> PrintedWord:
    """Judge whether a usual method can give a reported figure.

    Only a value that no method can give, such as a p-value of 0, is impossible, because the
    authors may have used a method that was not tried.

    Parameters
    ----------
    possible : bool
        Whether any method could give such a number.
    checked : bool
        Whether there are counts that round to the accuracies.
    fits : bool
        Whether a usual method gives the number for some of these counts.

    Examples
    --------
    >>> judge_printed(possible=True, checked=True, fits=False)
    'fits none'
    """
    if not possible:
        return "impossible"
    if not checked:
        return "not checked"
    return "fits" if fits else "fits none"


BoardVerdict: TypeAlias = Literal["significant", "equivalent", "inconclusive"]
"""Verdict on a pair of models of a leaderboard."""

PairState: TypeAlias = Literal[
    "significant", "significant, underpowered", "equivalent", "inconclusive"
]
"""Verdict on a pair of models of a leaderboard, and whether the pair is underpowered, as text."""

PAIR_STATES: tuple[PairState, ...] = get_args(PairState)
"""States in the order of the codes that :func:`judge_pairs` returns."""

VERDICT_OF_STATE: tuple[BoardVerdict, ...] = (
    "significant",
    "significant",
    "equivalent",
    "inconclusive",
)
"""Verdict of each state."""

UNDERPOWERED = PAIR_STATES.index("significant, underpowered")
"""Code of a pair that is significant with less than the target power."""


def pair_states(
    verdicts: Iterable[BoardVerdict], underpowered: Iterable[bool]
) -> tuple[PairState, ...]:
    """Return the state of each pair from its verdict and whether it is underpowered.

    >>> pair_states(["significant", "inconclusive"], [True, False])
    ('significant, underpowered', 'inconclusive')
    """
    state_pairs = zip(verdicts, underpowered, strict=True)
    return tuple(PAIR_STATES[UNDERPOWERED] if less else verdict for verdict, less in state_pairs)


def count_verdicts(by_state: Iterable[int]) -> dict[BoardVerdict, int]:
    """Return the number of pairs with each verdict, from those with each state.

    >>> count_verdicts([2, 1, 0, 3])
    {'significant': 3, 'equivalent': 0, 'inconclusive': 3}
    """
    counts: dict[BoardVerdict, int] = dict.fromkeys(get_args(BoardVerdict), 0)
    for verdict, n in zip(VERDICT_OF_STATE, by_state, strict=True):
        counts[verdict] += n
    return counts


PairWord: TypeAlias = Literal["better", "worse", "equivalent", "borderline", "inconclusive"]

GateVerdict: TypeAlias = Literal["pass", "regression", "inconclusive", "invalid_data"]

EXIT_STATUS: dict[GateVerdict, int] = {
    "pass": 0,
    "regression": 1,
    "inconclusive": 3,
    "invalid_data": 4,
}
"""Exit status for each verdict of a gate. Status 2 is reserved for usage errors."""

FEW_ITEMS = 10
"""Number of items below which a comparison is hardly useful, whatever the test shows."""

HEADLINE_GROUPS = 5
"""Minimum number of groups for a grouping to appear in a headline, unless it is declared."""

ABSURD = 1e9
"""Number of items above which advice is not useful."""


def is_resolved(q: float | None) -> bool:
    """Return whether the current items are enough for a replication: q ≥ 1.

    >>> is_resolved(1.2), is_resolved(None)
    (True, False)
    """
    return q is not None and q >= 1


def is_underpowered(verdict: PairWord, q: float | None) -> bool:
    """Return whether a gap is significant although a replication needs more items: q < 1.

    >>> is_underpowered("better", 0.7), is_underpowered("inconclusive", 0.7)
    (True, False)
    """
    return verdict in ("better", "worse") and q is not None and not is_resolved(q)


def judge_pair(
    delta: float,
    *,
    p: float,
    alpha: float,
    excludes_zero: bool,
    p_adjusted: float | None = None,
    equivalent: bool = False,
) -> PairWord:
    """Return the verdict of a paired comparison about the first model.

    ``"better"`` and ``"worse"`` require that the test rejects and the interval excludes 0. If only
    one of the two holds, the verdict is borderline. A gap that is not significant and inside a
    declared margin is equivalent. Any other gap is inconclusive, never "no difference".

    Parameters
    ----------
    delta : float
        Gap, first minus second.
    p : float
        Unadjusted p-value of this comparison, which corresponds to its interval.
    alpha : float
        Level.
    excludes_zero : bool
        Whether the interval excludes 0, on the side of the alternative if the test is one-sided.
    p_adjusted : float, optional
        p-value adjusted for a family of comparisons, if there is one. It takes precedence.
    equivalent : bool, default False
        Whether the gap was shown to lie inside a margin declared in advance.

    Examples
    --------
    >>> judge_pair(0.06, p=1e-9, alpha=0.05, excludes_zero=True)
    'better'
    >>> judge_pair(0.02, p=0.03, alpha=0.05, excludes_zero=True, p_adjusted=0.12)
    'inconclusive'
    """
    significant = (p if p_adjusted is None else p_adjusted) <= alpha
    if significant and excludes_zero:
        return "better" if delta > 0 else "worse"
    if equivalent and not significant:
        return "equivalent"
    return "borderline" if (p <= alpha) != excludes_zero else "inconclusive"


def judge_pairs(
    *, significant: BoolArray, resolved: BoolArray, equivalent: BoolArray | None = None
) -> npt.NDArray[np.uint8]:
    """Return the verdict of many pairs, as codes into ``PAIR_STATES``.

    Parameters
    ----------
    significant : ndarray of bool
        Whether the gap is significant in its family.
    resolved : ndarray of bool
        Whether q ≥ 1 with the critical value of that family.
    equivalent : ndarray of bool, optional
        Whether the gap was shown to lie inside a margin declared in advance.

    Examples
    --------
    >>> codes = judge_pairs(significant=np.array([1, 1, 0]) > 0, resolved=np.array([1, 0, 0]) > 0)
    >>> [PAIR_STATES[k] for k in codes]
    ['significant', 'significant, underpowered', 'inconclusive']
    """
    code = np.full(significant.shape, 3, dtype=np.uint8)
    if equivalent is not None:
        code[equivalent] = 2
    code[significant] = 1
    code[significant & resolved] = 0
    return code


def judge_gate(*, meets_goal: bool, worse: bool, within: bool) -> GateVerdict:
    """Return the verdict of one task of a release gate.

    Parameters
    ----------
    meets_goal : bool
        Whether the goal of a PASS was shown: not worse by the margin, or better.
    worse : bool
        Whether the model was shown to be worse, after adjustment for a family of tasks.
    within : bool
        Whether the model was shown not to be worse by the margin.

    Examples
    --------
    A loss that is significant but within the margin passes:

    >>> judge_gate(meets_goal=True, worse=True, within=True)
    'pass'
    >>> judge_gate(meets_goal=False, worse=False, within=False)
    'inconclusive'
    """
    if meets_goal:
        return "pass"
    return "regression" if worse and not within else "inconclusive"


def judge_tasks(words: Iterable[GateVerdict]) -> GateVerdict:
    """Return the verdict of a gate on several tasks.

    One REGRESSION decides; a PASS needs every task.

    >>> judge_tasks(["pass", "inconclusive"])
    'inconclusive'
    """
    verdicts = set(words)
    if "regression" in verdicts:
        return "regression"
    return "pass" if verdicts == {"pass"} else "inconclusive"


RaceWord: TypeAlias = Literal["winner", "within", "tied", "open"]
"""Verdict on several models in a race."""


def judge_race(survivors: int, *, within: bool, left: int) -> RaceWord:
    """Return the verdict of a race.

    ``within`` says whether all remaining models were shown to be within the margin of each other.
    ``left`` is the number of items of the benchmark that have not been scored.

    >>> judge_race(1, within=False, left=300), judge_race(2, within=False, left=0)
    ('winner', 'tied')
    """
    if survivors == 1:
        return "winner"
    if within:
        return "within"
    return "open" if left else "tied"


WatchWord: TypeAlias = Literal["better", "worse", "noninferior", "equivalent", "futile", "open"]
"""Verdict about the first model while a run is monitored."""


def judge_watch(
    delta: float, *, differs: bool, within: bool, equivalence: bool = False
) -> WatchWord | None:
    """Return the verdict about the first model after the items so far, or None.

    A loss that was shown to be inside the margin does not give the verdict "worse".

    ``differs`` says whether the gap was shown not to be 0. ``within`` says whether the gap was
    shown to be inside the margin, on the side or sides of the question.

    >>> judge_watch(0.02, differs=True, within=False)
    'better'
    >>> judge_watch(-0.001, differs=False, within=True)
    'noninferior'
    """
    if differs and delta > 0:
        return "better"
    if within:
        return "equivalent" if equivalence else "noninferior"
    return "worse" if differs else None
