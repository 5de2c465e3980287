"""What repeated runs say: a Runs of one ModelRuns each, and the gap if there are two."""

from dataclasses import dataclass, field

from nstar._base.codec import derived
from nstar._base.record import record
from nstar._base.result import Result
from nstar._base.types import FloatOrInf, Interval, IntervalOrInf
from nstar._data.findings import Finding
from nstar._verbs.compare import RunRange, TaskComparison
from nstar._verbs.runs.costs_result import CostSummary
from nstar._verbs.runs.rule_result import PassRule
from nstar._verbs.verdict import Criteria, PairWord
from nstar.stats import ComponentIntervals, PassCurve, RunComponents


@record()
class TaskRow:
    """One task of one model; what needs 0/1 scores is None for graded ones."""

    task: str
    """The task."""
    n_runs: int
    """Runs with a score."""
    mean: float
    """Mean score over them."""
    variance: float | None
    """Run-to-run variance, unbiased; None for one run."""
    n_passed: int | None
    """Runs that passed."""
    ci: Interval | None
    """Exact (Clopper–Pearson) interval of the success rate; runs are independent trials."""
    flip_probability: float | None
    """Chance that two runs disagree, unbiased; None for one run."""
    next_flip_probability: float | None
    """Chance that the next run differs from the majority so far (Jeffreys' prior)."""


@record()
class ModelRuns:
    """One model over its tasks; what needs 0/1 scores is None for graded ones."""

    model: str
    """The model."""
    is_binary: bool
    """Every score is 0 or 1, and 1 is a pass."""
    score_range: tuple[float, float]
    """Worst and best possible score: 0 and 1, or the observed ones if some lie outside."""
    n_runs: RunRange
    """Runs of a task."""
    n_scores: int
    """Scores in all."""
    mean: float
    """Mean over tasks of the mean over runs."""
    se: float | None
    """Its standard error, tasks as units; None for one task or without any spread."""
    ci: Interval | None
    """Its interval for tasks like these; None for one task or without spread of graded scores."""
    components: RunComponents | None
    """Variance between tasks, within a task, and what of it a run shares; None for one task."""
    removable_share: float | None
    """Share of the squared standard error that ever more runs would remove, in [0, 1]; None
    when it cannot be told."""
    shared_variance: float
    """Variance of what a run shares over all tasks, where it was seen (p <= 0.01); else 0."""
    n_repeated: int
    """Tasks with two runs or more."""
    flip_probability: float | None
    """Chance that two runs of a task disagree, mean over repeated tasks."""
    n_mixed: int | None
    """Repeated tasks with runs that passed and runs that failed."""
    n_all_passed: int | None
    """Tasks that passed every run."""
    n_none_passed: int | None
    """Tasks that passed no run."""
    max_failure_rate: float | None
    """If every run of every task passed: largest failure rate averaged over these tasks that is
    still possible, one-sided; None after any failure."""
    pass_at: PassCurve | None
    """pass@k for k up to the fewest runs of a task; None for one task, which has no interval."""
    pass_hat: PassCurve | None
    """pass^k likewise."""
    tasks: tuple[TaskRow, ...] = field(repr=False)
    """Every task with a score."""


@record()
class RunStep:
    """What so many runs of each model on each of the common tasks would give."""

    n_runs: FloatOrInf
    """Runs per task of each model; infinite for the limit."""
    se: float
    """Standard error of the gap."""
    mde: float | None
    """Gap detectable then; None if none is."""
    mde_ci: IntervalOrInf | None
    """Its interval, from that of the variance; an infinite end where no gap is detectable. None
    where an effect shared by a run counts: few runs say little of its size."""


@record()
class RunGap:
    """The gap of two models and where its error comes from, in score units."""

    comparison: TaskComparison
    """The comparison on the common tasks, the task being the unit."""
    component_intervals: ComponentIntervals | None
    """Intervals of the parts of the variance; None for fewer than two common tasks."""
    data_se: float | None
    """Data noise: the part of the standard error that is between tasks; None when it cannot be
    told from the other."""
    prediction_se: float | None
    """Prediction noise: the part that is run to run, task by task."""
    prediction_se_by_model: tuple[float, float] | None
    """The same of each model."""
    shared_se: float
    """The part from what a run shares over all tasks, where that was seen; else 0."""
    se: float | None
    """All parts together; above the standard error observed where the part between tasks was
    estimated below 0 or a run shares something. None as above."""
    mde: float | None
    """Gap detectable with these runs, all parts counted; None if none is."""
    removable_share: float | None
    """Share of the squared error that ever more runs would remove."""
    steps: tuple[RunStep, ...]
    """The same tasks with other numbers of runs, endless runs last; empty if the parts cannot be
    told apart or the tasks are too few for any test."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Runs(Result):
    """Repeated runs of one task set by one model or two."""

    task: str
    """Benchmark."""
    metric: str
    """What the scores measure."""
    lower_is_better: bool
    """Less is better; nothing is then called a pass."""
    confidence_level: float
    """Coverage of the intervals of each model."""
    criteria: Criteria
    """Level, power, and alternative hypothesis of the gap."""
    model_runs: tuple[ModelRuns, ...]
    """One or two."""
    estimate: RunGap | None
    """First minus second; None for one model."""
    findings: tuple[Finding, ...] = ()
    """What was found when the logs were read."""
    costs: CostSummary | None = None
    """What the runs cost; None if the logs do not tell."""
    pass_rules: tuple[PassRule, ...] = ()
    """How often a rule for every task is wrong about each model; empty if none was asked about."""

    @property
    def score_range(self) -> tuple[float, float]:
        """Worst and best possible score of either model."""
        low, high = zip(*(m.score_range for m in self.model_runs), strict=True)
        return min(low), max(high)

    @derived
    def models(self) -> tuple[str, ...]:
        """The models."""
        return tuple(m.model for m in self.model_runs)

    @derived
    def gap(self) -> float | None:
        """Gap, first minus second; None for one model."""
        return None if self.estimate is None else self.estimate.comparison.gap

    @derived
    def ci(self) -> Interval | None:
        """Its interval; None for one model."""
        return None if self.estimate is None else self.estimate.comparison.ci

    @derived
    def pvalue(self) -> float | None:
        """p-value of a zero gap; None for one model."""
        return None if self.estimate is None else self.estimate.comparison.pvalue

    @derived
    def mde(self) -> float | None:
        """Gap detectable with these runs; None for one model, or if no gap is."""
        return None if self.estimate is None else self.estimate.mde

    @derived
    def n_star(self) -> FloatOrInf | None:
        """Tasks that detect a gap of the observed size; None for one model."""
        return None if self.estimate is None else self.estimate.comparison.n_star

    @derived
    def verdict(self) -> PairWord | None:
        """What was shown about the first model; None for one model."""
        return None if self.estimate is None else self.estimate.comparison.verdict
