"""Result for several judges: agreement with people and each other, and value.

Scores are in their own units; biases are judge minus label.
"""

from dataclasses import dataclass

from nstar._base.codec import derived
from nstar._base.record import record
from nstar._base.result import Result
from nstar._base.types import Count, FloatOrInf, Interval
from nstar._data.findings import Finding
from nstar.stats import JudgeParts, RaterAgreement


@record()
class JudgeRow:
    """One judge; fields that need labels are None without any."""

    judge: str
    """Name of the judge."""
    n_items: Count
    """Number of items that it scored for every model."""
    n_judgments: Count
    """Number of its judgments."""
    mean_repeats: float
    """Mean number of judgments of one answer."""
    mean: float
    """Mean score over answers."""
    agreement: RaterAgreement | None
    """Agreement with labels; None below 2 labeled items."""
    n_labels: Count
    """Number of items with a label of every model that it scored too."""
    r: float | None
    """Correlation with labels on differences between models, or on the answers of one model."""
    r_ci: Interval | None
    """Interval of r."""
    gap_bias: float | None
    """Bias for the first of two models: its gap less that of the labels."""
    gap_bias_ci: Interval | None
    """Interval of gap_bias."""
    gain: float | None
    """Variance of labels alone over that of labels and judge: the factor of labels saved."""
    gain_ci: Interval | None
    """Interval of the gain, from that of ``r``."""
    gain_unlimited: FloatOrInf | None
    """Gain with unlimited judged items: 1 / (1 - r²)."""
    break_even_cost: float | None
    """Price of judging an answer up to which the judge saves money, relative to a label."""
    cost: float | None
    """Price of judging an answer with all repeats; None if unknown."""
    relative_cost: float | None
    """Cost of a given precision relative to labels alone; 1: the judge saves nothing."""
    relative_cost_ci: Interval | None
    """Interval of relative_cost, from that of ``r``."""
    label_share: float | None
    """Share of judged items to label, at those prices."""


@record()
class JudgePair:
    """Two judges of the same answers."""

    judge_a: str
    """First judge."""
    judge_b: str
    """Second judge."""
    agreement: RaterAgreement
    """Agreement of the two; bias is first minus second."""
    r: float | None
    """Correlation on differences between models, or on the answers of one model."""
    r_ci: Interval | None
    """Interval of r."""


@record()
class VarianceShares:
    """Shares of the squared standard error by component, and what more units would remove."""

    item: float
    """Share of items."""
    judge: float
    """Share of judges."""
    cross: float
    """Share of a judge's deviations on an item."""
    repeat: float
    """Share of repeats."""

    @derived
    def removable_by_items(self) -> float:
        """Return the share that unlimited items would remove."""
        return self.item + self.cross + self.repeat

    @derived
    def removable_by_judges(self) -> float:
        """Return the share that unlimited similar judges would remove."""
        return self.judge + self.cross + self.repeat

    @derived
    def removable_by_repeats(self) -> float:
        """Return the share that unlimited repeats would remove."""
        return self.repeat


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Judges(Result):
    """Comparison of judges of the same answers, with or without human labels."""

    models: tuple[str, ...]
    """Names of the models whose answers were judged."""
    task: str
    """Name of the benchmark."""
    confidence_level: float
    """Coverage of every interval."""
    score_range: tuple[float, float]
    """Worst and best possible score: 0 and 1, or the observed ones if some lie outside."""
    lower_is_better: bool
    """Whether lower is better."""
    n_items: Count
    """Number of items with any judgment."""
    n_labels: Count
    """Number of items with a label of every model; 0 without labels."""
    judges: tuple[JudgeRow, ...]
    """Result for each judge, by its name in the data."""
    combined: JudgeRow | None
    """Mean of all judges as one judge; None for one judge."""
    pairs: tuple[JudgePair, ...]
    """Pairs of judges."""
    best_judge: str | None
    """Most valuable judge: at these prices, or by its correlation without prices."""
    best_pvalue: float | None
    """Largest p-value of the hypothesis that another judge correlates as well on differences; None
    if unknown, or for one judge."""
    selection_pvalue: float | None
    """p-value of randomly selected labels, by every judge's scores; None if unknown."""
    cost_label: float | None
    """Price of a label; None if unknown."""
    variances: JudgeParts | None
    """Components of the variance of the gap between two models (or of the mean of one); None below
    2 items that every judge scored."""
    se: float | None
    """Standard error of that gap by these judges, as if they were a random sample of unbiased
    judges."""
    variance_shares: VarianceShares | None
    """Its square by component; None without any error."""
    findings: tuple[Finding, ...] = ()
    """Findings about the data."""
