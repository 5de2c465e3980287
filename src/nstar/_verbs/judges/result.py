"""Result for several judges: agreement with labels and each other, and value.

Scores are in their own units. Biases are judge minus label.
"""

from dataclasses import dataclass

from nstar._base.codec import derived
from nstar._base.result import Result
from nstar._base.types import Count, FloatOrInf, Interval
from nstar._data.findings import Finding
from nstar.stats import JudgeParts, RaterAgreement


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRow:
    """Result for one judge. Fields that need labels are None without labels."""

    judge: str
    """Name of the judge."""
    n_items: Count
    """Number of items that the judge scored for every model."""
    n_judgments: Count
    """Number of the judge's judgments."""
    mean_repeats: float
    """Mean number of judgments per answer."""
    mean: float
    """Mean score over answers."""
    agreement: RaterAgreement | None
    """Agreement with labels; None for fewer than 2 labeled items."""
    n_labels: Count
    """Number of items with a label of every model that the judge also scored."""
    r: float | None
    """Correlation with labels of differences between models, or of the answers of one model."""
    r_ci: Interval | None
    """Interval of r."""
    gap_bias: float | None
    """Bias in favor of the first of two models: the judge's gap minus the labels' gap."""
    gap_bias_ci: Interval | None
    """Interval of gap_bias."""
    gain: float | None
    """Variance with labels alone divided by that with labels and judge: the factor by which fewer
    labels are needed.
    """
    gain_ci: Interval | None
    """Interval of the gain, from that of ``r``."""
    gain_unlimited: FloatOrInf | None
    """Gain with unlimited judged items: 1 / (1 - r²)."""
    break_even_cost: float | None
    """Price of judging an answer, relative to a label, up to which the judge saves money."""
    cost: float | None
    """Price of judging an answer with all its repeats; None if unknown."""
    relative_cost: float | None
    """Cost of a given precision relative to labels alone. At 1, the judge saves nothing."""
    relative_cost_ci: Interval | None
    """Interval of relative_cost, from that of ``r``."""
    label_share: float | None
    """Optimal share of judged items to label at these prices."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgePair:
    """Two judges of the same answers."""

    judge_a: str
    """First judge."""
    judge_b: str
    """Second judge."""
    agreement: RaterAgreement
    """Agreement of the two judges. Bias is first minus second."""
    r: float | None
    """Correlation of differences between models, or of the answers of one model."""
    r_ci: Interval | None
    """Interval of r."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceShares:
    """Shares of the squared standard error by component."""

    item: float
    """Share due to items."""
    judge: float
    """Share due to judges."""
    cross: float
    """Share due to interactions of judges and items."""
    repeat: float
    """Share due to repeats."""

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
    """Comparison of judges that score the same answers, with or without human labels."""

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
    """Number of items with a label of every model."""
    judges: tuple[JudgeRow, ...]
    """Result for each judge, by its name in the data."""
    combined: JudgeRow | None
    """Result for the mean of all judges; None if there is only one judge."""
    pairs: tuple[JudgePair, ...]
    """Pairs of judges."""
    best_judge: str | None
    """Most valuable judge, at these prices or, without prices, by correlation."""
    best_pvalue: float | None
    """Largest p-value for the null hypotheses that another judge has the same correlation of
    differences; None if unknown, or for one judge.
    """
    selection_pvalue: float | None
    """p-value for the null hypothesis that labeled items were chosen at random, from all judges'
    scores; None if unknown.
    """
    cost_label: float | None
    """Price of a label; None if unknown."""
    variances: JudgeParts | None
    """Components of the variance of the gap between two models, or of the mean of one; None for
    fewer than 2 items that every judge scored.
    """
    se: float | None
    """Standard error of that gap, if these judges are a random sample of unbiased judges."""
    variance_shares: VarianceShares | None
    """Share of each component in its square; None if the error is 0."""
    findings: tuple[Finding, ...] = ()
    """Findings about the data."""
