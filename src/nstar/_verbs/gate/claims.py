"""The three one-sided claims of a gate about one task, as p-values or e-values."""

from dataclasses import dataclass
from typing import NamedTuple

from nstar import stats
from nstar._base.types import Interval
from nstar._verbs.compare import TaskComparison


class LogEValues(NamedTuple):
    """Logs of e-values against the null of each claim."""

    not_worse: float | None
    """Against "worse by the margin or more"; None without a margin."""
    worse: float
    """Against "not worse"."""
    better: float
    """Against "not better"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateEvidence:
    """Evidence of one task for the three one-sided claims of a gate."""

    ci: Interval
    """Interval of the gap, candidate minus baseline: each end is a one-sided bound at alpha, for
    the worst values of missing scores. At one look its coverage is 1 - 2 alpha; for a sequence
    each end holds at all looks simultaneously."""
    confidence_level: float
    """1 - 2 alpha."""
    pvalue_method: str
    """The tests behind the p-values."""
    pvalue_not_worse: float | None
    """p-value of "worse by the margin or more"; None without a margin."""
    pvalue_worse: float
    """p-value of "not worse"."""
    pvalue_better: float
    """p-value of "not better"."""
    is_shown_not_worse: bool
    """Whether the candidate is non-inferior at alpha."""
    is_shown_worse_unadjusted: bool
    """Whether the candidate is worse at alpha, unadjusted for other tasks."""
    is_shown_better: bool
    """Whether the candidate is better at alpha."""
    holds_for_any_missing_scores: bool
    """Whether a claim that holds for the best and the worst missing scores holds for any values;
    otherwise only these two were evaluated."""
    evaluations_conflict: bool = False
    """Whether pooled evaluations show both a loss and its absence, which this one alone does not.
    No claim counts then."""


class EValueTuning(NamedTuple):
    """Size for which e-values are optimal, fixed before the scores are known."""

    units: float
    """Planned number of items, or of clusters if declared."""
    psi: float
    """Share of items on which exactly one model is right."""
    alpha: float
    """Level."""

    @property
    def mixture(self) -> float:
        """Return the parameter of the mixture of bets on a gap."""
        return max(float(stats.tuned_beta(self.psi * self.units, alpha=self.alpha)), 0.5)


def units_of(pair: TaskComparison) -> int:
    """Return the number of independent units: items, or clusters."""
    d = pair.estimate
    return d.n_groups if d.kind == "cluster" and d.n_groups else pair.n_items
