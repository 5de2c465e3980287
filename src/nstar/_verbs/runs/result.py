"""Result for repeated runs: a ModelRuns for each model, and the gap if there are two."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from nstar._base.codec import derived
from nstar._base.result import Result
from nstar._base.types import FloatOrInf, Interval, IntervalOrInf
from nstar._data.findings import Finding
from nstar._verbs.compare import RunRange, TaskComparison
from nstar._verbs.verdict import Criteria, PairWord
from nstar.stats import ComponentIntervals, PassCurve, RunComponents

Measure: TypeAlias = Literal["standard error", "MDE"]
"""Quantity to reduce."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCosts:
    """Costs of the runs of one model, in the currency of the logs."""

    model: str
    """Name of the model."""
    n_runs: int
    """Number of runs with a score and a known cost."""
    n_runs_scored: int
    """Number of runs with a score."""
    n_tasks: int
    """Number of tasks with such runs, the unit of the intervals."""
    cost: float
    """Total cost of these runs."""
    cost_unscored: float
    """Cost of runs without a score, not included elsewhere."""
    cost_per_run: float
    """Mean over tasks of the mean cost of a run."""
    cost_per_run_ci: Interval | None
    """Interval of cost_per_run, on the log scale; None for one task."""
    cost_per_success: float | None
    """Cost per run divided by the mean success rate of the same runs: expected cost of a run that
    passes. None for graded scores, or if no run passed."""
    cost_per_success_ci: Interval | None
    """Interval of cost_per_success, on the log scale; None for one task."""
    n_passed: int | None
    """Number of runs that passed, of those with a known cost; None for graded scores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MoreTasks:
    """The same precision from more tasks of the same kind, with as many runs each."""

    n_tasks: float
    """Total number of tasks."""
    cost: float
    """Additional cost."""
    cost_ci: Interval | None
    """Interval of the cost, by leaving each task out in turn; None if runs share an effect or one
    task dominates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MoreRuns:
    """The same precision from more runs of each model on the same tasks."""

    n_runs: float
    """Total runs per task of the first model; those of the second are in proportion."""
    run_ratio: float
    """Factor on the current runs."""
    cost: float
    """Additional cost, without an interval, which would be too wide near the limit that runs
    cannot reduce."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrecisionCost:
    """Cost of one step of precision."""

    measure: Measure
    """Quantity to reduce: the standard error of the mean, or for two models the detectable gap."""
    current: float
    """Its current size, in score units."""
    reduction: float
    """Reduction in score units: one point, or less if that is more than half of the size."""
    more_tasks: MoreTasks | None
    """Cost by more tasks; None if no number suffices."""
    more_runs: MoreRuns | None
    """Cost by more runs of the same tasks; None if no number suffices or the noise of runs is not
    identified."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CostSummary:
    """Costs of the runs, and of more precision."""

    model_costs: tuple[ModelCosts, ...]
    """Costs of models whose logs have them."""
    models_with_negative_costs: tuple[str, ...]
    """Models whose logs have negative costs, which are not used."""
    cost_ratio: float | None
    """Cost per success of the first over that of the second, on tasks that both have; None
    without two models, passes of both, or scores that can pass."""
    cost_ratio_ci: Interval | None
    """Interval of cost_ratio, paired by task; None for one task."""
    precision_cost: PrecisionCost | None
    """Cost of precision of the mean, or of the gap of two models; None without an error to reduce,
    or if a model's cost is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRuleRow:
    """One task under the rule."""

    task: str
    """Name of the task."""
    n_runs: int
    """Number of runs with a score."""
    n_passed: int
    """Number of runs that passed."""
    meets_rule: bool
    """Whether the share that passed meets the rule."""
    miss_probability: float
    """Probability that it misses the rule when run again, unchanged: its rate has a Beta
    posterior, with a prior that all tasks share."""
    miss_probability_ci: Interval
    """This probability at the exact limits of its own rate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassRule:
    """Errors of a rule for every task, on tasks that do not change."""

    model: str
    """Name of the model."""
    n_passes_needed: int
    """Number of runs that must pass."""
    n_runs: int
    """Number of runs of each task."""
    n_met: int
    """Number of tasks that meet the rule so far."""
    n_lost_expected: float
    """Expected number of these tasks that miss it when run again, unchanged."""
    n_lost_range: tuple[int, int]
    """Range of this number, with the coverage of the intervals."""
    any_lost_probability: float
    """Probability that at least one of them misses it."""
    n_gained_expected: float
    """Expected number of other tasks that meet it when run again, unchanged."""
    tasks: tuple[TaskRuleRow, ...] = field(repr=False)
    """Results of every task."""


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
