"""The three claims of a gate about one task, as p-values or as e-values."""

from typing import NamedTuple

from nstar._base.record import record
from nstar._base.types import Interval


class LogEValues(NamedTuple):
    """Logs of e-values against the null of each claim."""

    not_worse: float | None
    """Against "worse by the margin or more"; None without a margin."""
    worse: float
    """Against "not worse"."""
    better: float
    """Against "not better"."""


@record()
class GateEvidence:
    """What the scores of one task say about the three claims of a gate, each one-sided."""

    ci: Interval
    """Interval of the gap, candidate minus baseline: each end is a one-sided bound at alpha, at
    the worst of the missing scores. At one look its coverage is 1 - 2 alpha; of a sequence each
    end holds at all looks at once."""
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
    """Shown at alpha: not worse by the margin."""
    is_shown_worse_unadjusted: bool
    """Shown at alpha, this task alone: worse."""
    is_shown_better: bool
    """Shown at alpha: better."""
    holds_for_any_missing_scores: bool
    """A claim that holds with the missing scores all for, and all against, the candidate holds
    whatever they would have been; else only those two were tried."""
    evaluations_conflict: bool = False
    """Evaluations gathered show both a loss and its absence, and this one alone does not: no claim
    counts."""
