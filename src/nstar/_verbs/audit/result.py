"""Result of an audit: an Audit with a TaskAudit for each task."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any, Literal, TypeAlias, TypeVar

from nstar._base.codec import derived, same
from nstar._base.of_task import OfTask, only_task
from nstar._base.parameter_types import Adjust, ItemChoice
from nstar._base.result import Result
from nstar._base.types import Count, IntArray
from nstar._data.findings import Finding
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.audit.pair_analysis import PairAnalysis
from nstar._verbs.audit.tables import (
    NO_PAIRS,
    GapBin,
    LeaveOneGroupOut,
    MedianRange,
    OrderFlip,
    PairTable,
    RankTable,
    SensitivityRow,
    ShortcutCheck,
    TaskSample,
)
from nstar._verbs.board_changes import BoardChanges
from nstar._verbs.compare import Comparison, compare_board
from nstar._verbs.compare.question import CompareQuestion
from nstar._verbs.judged import JudgedRanking
from nstar._verbs.verdict import BoardVerdict, Criteria
from nstar.errors import DataError

T = TypeVar("T")

Averaged: TypeAlias = Literal["macro", "micro", "weighted"]


class _Ranked:
    """What the audits of a task and of all tasks share.

    An audit drops its analysis when it is copied or pickled, because the analysis holds packed
    rows of this process.
    """

    __slots__ = ()

    ranking: RankTable
    adjacent: PairTable

    def __len__(self) -> int:
        """Return the number of models."""
        return len(self.ranking)

    @derived
    def n_tiers(self) -> int:
        """Return the number of tiers, between which all orders are significant."""
        return self.ranking.n_tiers

    @derived
    def resolvable_gap(self) -> MedianRange | None:
        """Return the detectable gap: the MDE of a typical adjacent pair under ``adjust``."""
        return self.adjacent.resolvable_gap()

    @derived
    def significant_gap(self) -> MedianRange | None:
        """Return the smallest observed gap that is significant for a typical adjacent pair."""
        return self.adjacent.significant_gap()

    def __reduce__(self) -> tuple[Any, ...]:
        """Return all fields except the analysis."""
        names = [f.name for f in fields(self) if f.name != "survey"]  # type: ignore[arg-type]
        return partial(type(self), **{name: getattr(self, name) for name in names}), ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class TaskAudit(_Ranked):  # noqa: PLW1641 arrays are not hashable
    """Ranking of the models on one task, with the conclusions that the task supports."""

    task: str
    """Name of the benchmark."""
    metric: str
    """Name of the metric."""
    statistic: str | None = None
    """Metric that is not an average of item scores, such as F1; None for mean scores."""
    is_binary: bool
    """Whether every score is 0 or 1 with one run per item; otherwise, scores are graded."""
    lower_is_better: bool
    """Whether lower scores are better. The ranking accounts for it; gaps are always first minus
    second.
    """
    binary_values: tuple[float, float]
    """The two original scores if all scores had one of two values other than 0 and 1, such as 0
    and 100. All other fields refer to 0/1 scores, so a gap of 1 is their difference.
    """
    score_range: tuple[float, float]
    """Worst and best possible score: 0 and 1, or the observed extremes if some scores lie outside.
    """
    criteria: Criteria
    """Level, power, and alternative hypothesis."""
    confidence_level: float
    """Joint coverage of all adjusted intervals, and coverage of each unadjusted one."""
    design: str
    """Declared sampling design: ``items``, ``strata:COLUMN``, ``cluster:COLUMN``."""
    item_set: ItemChoice
    """Items that are compared: ``common`` for items that every model has, ``pairwise`` for items
    that both models of a pair have.
    """
    n_items: Count
    """Number of audited items: shared by all models, or answered by any model."""
    n_items_left_out: Count
    """Number of items that some models have and that ``items="common"`` leaves out."""
    is_complete: bool
    """Whether every model has every audited item."""
    adjust: Adjust
    """Multiple-comparison adjustment of p-values and verdicts."""
    adjust_reason: str | None
    """Reason why the adjustment differs from the requested one, if it does."""
    rank_method: Adjust
    """Family-wise method of ranks and tiers: ``maxt`` or ``holm``, or ``none`` with too few tasks
    as units.
    """
    critical_value: float | None
    """Absolute t at which a gap is significant in this family."""
    interval_alpha: float
    """Level of one adjusted interval of a gap, whose marginal coverage is 1 - ``interval_alpha``.
    Under a step-down method, a significant pair with a larger p-value has the level of the last
    step.
    """
    n_draws: Count | None
    """Number of max-T draws; None without max-T."""
    seed: Count
    """Random seed of the draws."""
    delta: float | None
    """Smallest gap that matters, declared in advance."""
    margin: float | None
    """Largest gap that does not matter, declared in advance."""
    ranking: RankTable
    """Models from best to worst, with rank ranges and tiers."""
    pairs: PairTable
    """Requested pairs in addition to adjacent ones: pairs among the top k, or all; empty if they
    are too many for memory.
    """
    pairs_requested: str
    """Requested pairs: ``adjacent``, ``top:K`` or ``all``."""
    adjacent: PairTable
    """Pairs of adjacent models."""
    verdict_counts: dict[BoardVerdict, Count]
    """Number of pairs by verdict, over all pairs."""
    n_underpowered: Count
    """Number of significant pairs with less than the target power."""
    n_pairs: Count
    """Number of pairs of models."""
    n_top: Count
    """Number of models in the ``top`` family of the sensitivity analysis."""
    sensitivity: tuple[SensitivityRow, ...]
    """Number of unresolved pairs under each assumption, for each family of pairs."""
    gap_bins: tuple[GapBin, ...]
    """Unresolved pairs by size of the gap."""
    rho: MedianRange | None
    """Item correlation between two models, over all pairs."""
    pairing_gain: MedianRange | None
    """Ratio of the items that unpaired and paired models would need, over all pairs."""
    shortcut_check: ShortcutCheck
    """Result of the one-arm shortcut for the same pairs."""
    leave_one_group_out: tuple[LeaveOneGroupOut, ...]
    """Adjacent verdicts when one group of items is left out at a time, with one entry per column.
    """
    order_flips: tuple[OrderFlip, ...]
    """Models that are adjacent by mean and whose order is reversed on their shared items."""
    n_groups: dict[str, Count]
    """Number of groups of the audited items, for each column."""
    judge_correction: JudgedRanking | None = None
    """Correction of a judge's scores by labels; None for uncorrected scores."""
    n_effective: float | None = None
    """Effective number of items with unequal weights, (Σw)² / Σw²; None for equal weights."""
    task_sample: TaskSample | None = None
    """Tasks as the unit, and ranks by each measure; None for an audit of items. The tasks then
    take the place of the items.
    """
    caution: str | None = None
    """Reason why these numbers are approximate, if they are, such as few clusters."""
    engine: str = "numkong"
    """Library that counted common items: NumKong or numpy."""
    matrix: ScoreMatrix | None = field(default=None, compare=False)
    """Scores, for :meth:`compare`."""
    columns: IntArray | None = field(default=None, compare=False)
    """Columns of the matrix with audited items; None for all."""
    survey: PairAnalysis | None = field(default=None, compare=False)
    """Analysis of all pairs, for reports in which the reader can choose; None if it was not kept.
    """

    @property
    def listed(self) -> PairTable:
        """Return the requested pairs, or the adjacent ones if no others were requested."""
        return self.pairs if len(self.pairs) else self.adjacent

    def compare(self, a: str, b: str) -> Comparison:
        """Compare two models as :func:`nstar.compare` does, under the declared design."""
        if self.matrix is None:
            msg = "This audit does not contain the scores. Run it again from the scores."
            raise DataError(msg)
        kind, _, column = self.design.partition(":")
        matrix = self.matrix
        if self.columns is not None:
            matrix = matrix.part((a, b), self.columns)
        for name in (a, b):
            matrix.index(name)
        question = CompareQuestion(
            strata=column if kind == "strata" else None,
            cluster=column if kind == "cluster" else None,
            delta=self.delta,
            margin=self.margin,
            criteria=self.criteria,
        )
        return compare_board([matrix], (a, b), question)

    def __eq__(self, other: object) -> bool:
        return same(self, other) if type(self) is type(other) else NotImplemented

    def __repr__(self) -> str:
        return f"<TaskAudit: {len(self):,} models on {self.n_items:,} items, {self.task!r}>"


def _of_task(read: Callable[[TaskAudit], T]) -> OfTask[T]:
    return OfTask(read)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Audit(_Ranked, Result):
    """Models ranked on one or several tasks, with the conclusions that the ranking supports.

    With one task, an Audit has the attributes of its :class:`TaskAudit`: ``result.n_items`` is
    ``result.tasks[0].n_items``. With several tasks, these attributes raise ``SeveralTasksError``,
    and the ranking is by the average.
    """

    tasks: tuple[TaskAudit, ...]
    """Audit of each task, at least one."""
    average: Averaged | None
    """Kind of average: ``macro`` if tasks count equally; ``micro`` if items count equally, or by
    weight; ``weighted`` if tasks count by weight; None for one task.
    """
    weights: dict[str, float]
    """Weight of each task in the average, by name. Weights sum to 1."""
    criteria: Criteria
    """Level, power, and alternative hypothesis."""
    adjust: Adjust
    """Multiple-comparison adjustment of p-values and verdicts."""
    adjust_reason: str | None
    """Reason why the adjustment differs from the requested one, if it does."""
    rank_method: Adjust
    """Family-wise method of ranks and tiers: ``maxt`` or ``holm``, or ``none`` with too few tasks
    as units.
    """
    critical_value: float | None
    """Absolute t at which a gap is significant in the family of all pairs."""
    interval_alpha: float
    """Level of one adjusted interval of a gap, whose marginal coverage is 1 - ``interval_alpha``.
    Under a step-down method, a significant pair with a larger p-value has the level of the last
    step.
    """
    n_draws: Count | None
    """Number of max-T draws; None without max-T."""
    seed: Count
    """Random seed of the draws."""
    ranking: RankTable
    """Models from best to worst: those of the task or, for several tasks, those that all tasks
    have, by average. For an average, ``n_items`` counts the items of all tasks.
    """
    adjacent: PairTable
    """Pairs of adjacent models. For an average, intervals and tests are Student's."""
    models_left_out: tuple[str, ...]
    """Models without a rank because some task lacks them."""
    findings: tuple[Finding, ...] = ()
    """Findings about the data."""
    changes: BoardChanges | None = None
    """Changes since an older snapshot; None without one."""
    survey: PairAnalysis | None = field(default=None, compare=False)
    """Analysis of all pairs, for reports in which the reader can choose; None if it was not kept.
    """

    task = _of_task(lambda task: task.task)
    metric = _of_task(lambda task: task.metric)
    statistic = _of_task(lambda task: task.statistic)
    is_binary = _of_task(lambda task: task.is_binary)
    lower_is_better = _of_task(lambda task: task.lower_is_better)
    binary_values = _of_task(lambda task: task.binary_values)
    score_range = _of_task(lambda task: task.score_range)
    confidence_level = _of_task(lambda task: task.confidence_level)
    design = _of_task(lambda task: task.design)
    item_set = _of_task(lambda task: task.item_set)
    n_items = _of_task(lambda task: task.n_items)
    n_items_left_out = _of_task(lambda task: task.n_items_left_out)
    is_complete = _of_task(lambda task: task.is_complete)
    delta = _of_task(lambda task: task.delta)
    margin = _of_task(lambda task: task.margin)
    pairs = _of_task(lambda task: task.pairs)
    pairs_requested = _of_task(lambda task: task.pairs_requested)
    verdict_counts = _of_task(lambda task: task.verdict_counts)
    n_underpowered = _of_task(lambda task: task.n_underpowered)
    n_pairs = _of_task(lambda task: task.n_pairs)
    n_top = _of_task(lambda task: task.n_top)
    sensitivity = _of_task(lambda task: task.sensitivity)
    gap_bins = _of_task(lambda task: task.gap_bins)
    rho = _of_task(lambda task: task.rho)
    pairing_gain = _of_task(lambda task: task.pairing_gain)
    shortcut_check = _of_task(lambda task: task.shortcut_check)
    leave_one_group_out = _of_task(lambda task: task.leave_one_group_out)
    order_flips = _of_task(lambda task: task.order_flips)
    n_groups = _of_task(lambda task: task.n_groups)
    judge_correction = _of_task(lambda task: task.judge_correction)
    n_effective = _of_task(lambda task: task.n_effective)
    caution = _of_task(lambda task: task.caution)
    engine = _of_task(lambda task: task.engine)
    matrix = _of_task(lambda task: task.matrix)
    columns = _of_task(lambda task: task.columns)

    @property
    def task_sample(self) -> TaskSample | None:
        """Return the tasks as a sample; None for an audit of items."""
        return self.tasks[0].task_sample

    @classmethod
    def of_task(cls, task: TaskAudit, findings: tuple[Finding, ...] = ()) -> "Audit":
        """Return the audit of one task."""
        shared = {f.name for f in fields(TaskAudit)} & {f.name for f in fields(cls)}
        return cls(
            tasks=(task,),
            average=None,
            weights={task.task: 1.0},
            models_left_out=(),
            findings=findings,
            **{name: getattr(task, name) for name in shared},
        )

    @property
    def listed(self) -> PairTable:
        """Return the requested pairs, or the adjacent ones if no others were requested."""
        return self.adjacent if len(self.tasks) > 1 else self.tasks[0].listed

    def to_columns(self) -> dict[str, Any]:
        """Return the requested or adjacent pairs as columns for pandas, Polars, or pyarrow."""
        return self.listed.columns()

    def without_pairs(self) -> "Audit":
        """Return the audit with only adjacent pairs, for saving next to all pairs."""
        tasks = (replace(t, pairs=NO_PAIRS, pairs_requested="adjacent") for t in self.tasks)
        return replace(self, tasks=tuple(tasks))

    def compare(self, a: str, b: str) -> Comparison:
        """Compare two models as :func:`nstar.compare` does, under the declared design."""
        comparison = only_task(self, "compare").compare(a, b)
        return replace(comparison, findings=(*self.findings, *comparison.findings))
