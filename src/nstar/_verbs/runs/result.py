"""Result for repeated runs: a ModelRuns for each model, and the gap if there are two."""

from dataclasses import dataclass, field

from nstar._base.codec import derived
from nstar._base.result import Result
from nstar._base.types import FloatOrInf, Interval, IntervalOrInf
from nstar._data.findings import Finding
from nstar._verbs.compare import RunRange, TaskComparison
from nstar._verbs.runs.costs_result import CostSummary
from nstar._verbs.runs.rule_result import PassRule
from nstar._verbs.verdict import Criteria, PairWord
from nstar.stats import ComponentIntervals, PassCurve, RunComponents


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRow:
    """One task of one model; fields that need 0/1 scores are None for graded ones."""

    task: str
    """Name of the task."""
    n_runs: int
    """Number of runs with a score."""
    mean: float
    """Mean score over these runs."""
    variance: float | None
    """Run-to-run variance, unbiased; None for one run."""
    n_passed: int | None
    """Number of runs that passed."""
    ci: Interval | None
    """Exact (Clopper–Pearson) interval of the success rate; runs are independent trials."""
    flip_probability: float | None
    """Probability that two runs disagree, unbiased; None for one run."""
    next_flip_probability: float | None
    """Probability that the next run differs from the majority so far (Jeffreys' prior)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRuns:
    """One model over its tasks; fields that need 0/1 scores are None for graded ones."""

    model: str
    """Name of the model."""
    is_binary: bool
    """Whether every score is 0 or 1, where 1 is a pass."""
    score_range: tuple[float, float]
    """Worst and best possible score: 0 and 1, or the observed ones if some lie outside."""
    n_runs: RunRange
    """Number of runs per task."""
    n_scores: int
    """Total number of scores."""
    mean: float
    """Mean over tasks of the mean over runs."""
    se: float | None
    """Standard error of the mean, with tasks as units; None for one task or without variance."""
    ci: Interval | None
    """Interval of the mean for tasks like these; None for one task or graded scores without
    variance."""
    components: RunComponents | None
    """Variance components between tasks, within a task, and shared by a run; None for one task."""
    removable_share: float | None
    """Share of the squared standard error that unlimited runs would remove, in [0, 1]; None if it
    is not identified."""
    shared_variance: float
    """Variance of the effect that a run shares over all tasks, if detected (p <= 0.01); else 0."""
    n_repeated: int
    """Number of tasks with two runs or more."""
    flip_probability: float | None
    """Probability that two runs of a task disagree, mean over repeated tasks."""
    n_mixed: int | None
    """Number of repeated tasks with runs that passed and runs that failed."""
    n_all_passed: int | None
    """Number of tasks that passed every run."""
    n_none_passed: int | None
    """Number of tasks that passed no run."""
    max_failure_rate: float | None
    """If every run of every task passed: one-sided upper limit of the mean failure rate of these
    tasks; None after any failure."""
    pass_at: PassCurve | None
    """pass@k for k up to the fewest runs of a task; None for one task, which has no interval."""
    pass_hat: PassCurve | None
    """pass^k for k up to the fewest runs of a task; None for one task."""
    tasks: tuple[TaskRow, ...] = field(repr=False)
    """Statistics of every task with a score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStep:
    """Precision with a number of runs of each model on each of the shared tasks."""

    n_runs: FloatOrInf
    """Runs per task of each model; infinite for the limit."""
    se: float
    """Standard error of the gap."""
    mde: float | None
    """Gap detectable with these runs; None if none is."""
    mde_ci: IntervalOrInf | None
    """Interval of the MDE, from that of the variance; an infinite end if no gap is detectable.
    None if an effect shared by a run counts, because few runs say little about its size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunGap:
    """Gap of two models and the components of its error, in score units."""

    comparison: TaskComparison
    """Comparison on the shared tasks, with the task as the unit."""
    component_intervals: ComponentIntervals | None
    """Intervals of the variance components; None for fewer than two shared tasks."""
    data_se: float | None
    """Data noise: the component of the standard error between tasks; None if it is not identified.
    """
    prediction_se: float | None
    """Prediction noise: the component from run to run, task by task."""
    prediction_se_by_model: tuple[float, float] | None
    """Prediction noise of each model."""
    shared_se: float
    """Component from the effect that a run shares over all tasks, if detected; else 0."""
    se: float | None
    """All components together; above the observed standard error if the component between tasks
    was estimated below 0 or a run shares an effect. None as above."""
    mde: float | None
    """Gap detectable with these runs, with all components; None if none is."""
    removable_share: float | None
    """Share of the squared error that unlimited runs would remove."""
    steps: tuple[RunStep, ...]
    """Precision of the same tasks with other numbers of runs, unlimited runs last; empty if the
    components are not identified or the tasks are too few for any test."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Runs(Result):
    """Analysis of repeated runs of one or two models on the same tasks."""

    task: str
    """Name of the benchmark."""
    metric: str
    """Name of the metric."""
    lower_is_better: bool
    """Whether lower is better; then no run counts as a pass."""
    confidence_level: float
    """Coverage of the intervals of each model."""
    criteria: Criteria
    """Level, power, and alternative hypothesis of the gap."""
    model_runs: tuple[ModelRuns, ...]
    """Statistics of one or two models."""
    estimate: RunGap | None
    """Gap, first minus second; None for one model."""
    findings: tuple[Finding, ...] = ()
    """Findings about the data."""
    costs: CostSummary | None = None
    """Costs of the runs; None if the logs have none."""
    pass_rules: tuple[PassRule, ...] = ()
    """Errors of a rule for every task, by model; empty without a rule."""

    @property
    def score_range(self) -> tuple[float, float]:
        """Return the worst and best possible score of either model."""
        low, high = zip(*(m.score_range for m in self.model_runs), strict=True)
        return min(low), max(high)

    @derived
    def models(self) -> tuple[str, ...]:
        """Return the names of the models."""
        return tuple(m.model for m in self.model_runs)

    @derived
    def gap(self) -> float | None:
        """Return the gap, first minus second; None for one model."""
        return None if self.estimate is None else self.estimate.comparison.gap

    @derived
    def ci(self) -> Interval | None:
        """Return the interval of the gap; None for one model."""
        return None if self.estimate is None else self.estimate.comparison.ci

    @derived
    def pvalue(self) -> float | None:
        """Return the p-value of a zero gap; None for one model."""
        return None if self.estimate is None else self.estimate.comparison.pvalue

    @derived
    def mde(self) -> float | None:
        """Return the gap that these runs can detect; None for one model, or if there is none."""
        return None if self.estimate is None else self.estimate.mde

    @derived
    def n_star(self) -> FloatOrInf | None:
        """Return the tasks needed to detect a gap of the observed size; None for one model."""
        return None if self.estimate is None else self.estimate.comparison.n_star

    @derived
    def verdict(self) -> PairWord | None:
        """Return the verdict about the first model; None for one model."""
        return None if self.estimate is None else self.estimate.comparison.verdict
