"""What several judges are worth: each against people, against each other, and what they add.

Scores in their own units; biases are judge minus label.
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
    """One judge; what needs labels is None without any."""

    judge: str
    """Judge."""
    n_items: Count
    """Items that it scored for every model."""
    n_judgments: Count
    """Its judgments in all."""
    mean_repeats: float
    """Judgments of one answer, mean."""
    mean: float
    """Its mean score, over answers."""
    agreement: RaterAgreement | None
    """How far it agrees with labels; None below 2 items that have some."""
    n_labels: Count
    """Items with a label of every model that it scored too."""
    r: float | None
    """Correlation with labels on differences between models, or on the answers of one model."""
    r_ci: Interval | None
    """Its interval."""
    gap_bias: float | None
    """How far it favors the first of two models: its gap less that of the labels."""
    gap_bias_ci: Interval | None
    """Its interval."""
    gain: float | None
    """Variance of labels alone over that of labels and judge: what it saves, as a factor."""
    gain_ci: Interval | None
    """Its interval, from that of ``r``."""
    gain_unlimited: FloatOrInf | None
    """The same with endless judged items: 1 / (1 - r²)."""
    break_even_cost: float | None
    """Price of judging an answer up to which it saves money, in labels."""
    cost: float | None
    """Price of judging an answer, all repeats; None if it was not told."""
    relative_cost: float | None
    """Cost of a precision with it, over that of labels alone; 1: it does not earn its price."""
    relative_cost_ci: Interval | None
    """Its interval, from that of ``r``."""
    label_share: float | None
    """Share of judged items to label, at those prices."""


@record()
class JudgePair:
    """Two judges of the same answers."""

    judge_a: str
    """One judge."""
    judge_b: str
    """The other."""
    agreement: RaterAgreement
    """How far they agree; bias is first minus second."""
    r: float | None
    """Correlation on differences between models, or on the answers of one model."""
    r_ci: Interval | None
    """Its interval."""


@record()
class VarianceShares:
    """Shares of the squared standard error by part, and what endless numbers would remove."""

    item: float
    """Items."""
    judge: float
    """Judges."""
    cross: float
    """A judge's opinion of an item."""
    repeat: float
    """Repeats."""

    @derived
    def removable_by_items(self) -> float:
        """Share that ever more items would remove."""
        return self.item + self.cross + self.repeat

    @derived
    def removable_by_judges(self) -> float:
        """Share that ever more judges like these would remove."""
        return self.judge + self.cross + self.repeat

    @derived
    def removable_by_repeats(self) -> float:
        """Share that ever more repeats would remove."""
        return self.repeat


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Judges(Result):
    """Judges of the same answers, with people's labels or without."""

    models: tuple[str, ...]
    """Whose answers were judged."""
    task: str
    """Benchmark."""
    confidence_level: float
    """Coverage of every interval."""
    score_range: tuple[float, float]
    """Worst and best possible score: 0 and 1, or those seen if some lie outside."""
    lower_is_better: bool
    """Less is better."""
    n_items: Count
    """Items with any judgment."""
    n_labels: Count
    """Items with a label of every model; 0 without labels."""
    judges: tuple[JudgeRow, ...]
    """Each judge, as the data name them."""
    combined: JudgeRow | None
    """The mean of all judges taken for one; None for one judge."""
    pairs: tuple[JudgePair, ...]
    """Judges against each other."""
    best_judge: str | None
    """Judge that is worth most: at these prices, or without any by its correlation."""
    best_pvalue: float | None
    """Largest p-value of the best one knowing no more of differences than another; None if it
    cannot be told, or for one judge."""
    selection_pvalue: float | None
    """p-value of labeled items being like the others to every judge; None if it is not known."""
    cost_label: float | None
    """Price of a label; None if it was not told."""
    variances: JudgeParts | None
    """Parts of the variance of the gap between two models (or of the mean of one); None below 2
    items that every judge scored."""
    se: float | None
    """Standard error of that gap by these judges, as if they were a sample of judges and right
    on average."""
    variance_shares: VarianceShares | None
    """Its square by part; None without any error."""
    findings: tuple[Finding, ...] = ()
    """What was found in the data before."""
