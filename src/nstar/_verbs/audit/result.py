"""The result of an audit: an Audit with a TaskAudit for each task."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
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
)
from nstar._verbs.compare import Comparison, compare_board
from nstar._verbs.compare.question import CompareQuestion
from nstar._verbs.judged import JudgedRanking
from nstar._verbs.verdict import BoardVerdict, Criteria
from nstar.errors import DataError

T = TypeVar("T")

Averaged: TypeAlias = Literal["macro", "micro", "weighted"]


def _rebuild(kind: type, values: dict[str, Any]) -> Any:
    return kind(**values)


class _WithoutEngine:
    """A part of an audit that leaves its engine behind when it is copied or pickled."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        """All fields but the survey, which holds packed rows of this process."""
        names = [f.name for f in fields(self) if f.name != "survey"]  # type: ignore[arg-type]
        return _rebuild, (type(self), {name: getattr(self, name) for name in names})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class TaskAudit(_WithoutEngine):  # noqa: PLW1641 arrays are not hashable
    """The models on one task: what their ranking can and cannot support."""

    task: str
    """Benchmark."""
    metric: str
    """What the scores measure."""
    is_binary: bool
    """Whether every score is 0 or 1, with one run; otherwise scores are graded."""
    lower_is_better: bool
    """Less is better; models are ranked accordingly, gaps stay first minus second."""
    binary_values: tuple[float, float]
    """The scores that 0 and 1 stand for: others than these if all scores were one of two values,
    such as 0 and 100. All else is then of 0/1 scores, and a gap of 1 is their difference."""
    score_range: tuple[float, float]
    """Worst and best possible score: 0 and 1, or the observed ones if some lie outside."""
    criteria: Criteria
    """Level, power, and alternative hypothesis."""
    confidence_level: float
    """Coverage of all adjusted intervals together, and of each unadjusted one alone."""
    design: str
    """How items come about, as declared: ``items``, ``strata:COLUMN``, ``cluster:COLUMN``."""
    item_set: ItemChoice
    """``common``: items that every model has; ``pairwise``: of each pair, those both have."""
    n_items: Count
    """Items audited: those in common, or those that any model has."""
    n_items_left_out: Count
    """Items that some models have and the audit leaves out, with ``items="common"``."""
    is_complete: bool
    """Every model has every audited item."""
    adjust: Adjust
    """How p-values and verdicts allow for the number of comparisons."""
    adjust_reason: str | None
    """Why that is not what was asked for, if it is not."""
    rank_method: Adjust
    """Which family-wise method ranks and tiers rest on: ``maxt`` or ``holm``."""
    critical_value: float | None
    """|t| that a gap must reach in this family to be significant."""
    interval_alpha: float
    """Level of one adjusted interval of a gap: alone it has coverage 1 - ``interval_alpha``. Under
    a step-down method a significant pair with a larger p-value has the level of the last step."""
    n_draws: Count | None
    """Simulated draws of max-T; None without it."""
    seed: Count
    """Seed of those draws."""
    delta: float | None
    """Smallest gap of interest, declared in advance."""
    margin: float | None
    """Largest gap that does not matter, declared in advance."""
    ranking: RankTable
    """Models from best to worst, with rank sets and tiers."""
    pairs: PairTable
    """The pairs asked for beside the neighbors, among the top k or all; none of them if they are
    too many to be held."""
    pairs_requested: str
    """``adjacent``, ``top:K`` or ``all``."""
    adjacent: PairTable
    """Neighbors in rank."""
    verdict_counts: dict[BoardVerdict, Count]
    """Verdicts over all pairs."""
    n_underpowered: Count
    """Of the significant pairs, those with less power than wanted."""
    n_pairs: Count
    """Pairs of models."""
    n_top: Count
    """k of the ``top`` family in the stress table."""
    sensitivity: tuple[SensitivityRow, ...]
    """How many pairs stay unresolved under each reading, for each family of pairs."""
    gap_bins: tuple[GapBin, ...]
    """Unresolved pairs by size of the gap."""
    rho: MedianRange | None
    """Item correlation of two models, over all pairs."""
    pairing_gain: MedianRange | None
    """Items that unpaired models would need over those that paired ones do, over all pairs."""
    shortcut_check: ShortcutCheck
    """What the one-arm shortcut would have made of it."""
    leave_one_group_out: tuple[LeaveOneGroupOut, ...]
    """Adjacent verdicts with one group of items left out at a time, one entry per column."""
    order_flips: tuple[OrderFlip, ...]
    """Neighbors by raw mean that stand the other way on the items both have."""
    n_groups: dict[str, Count]
    """Groups of the items audited, by column."""
    judge_correction: JudgedRanking | None = None
    """How a judge's scores were corrected by labels; None for scores as measured."""
    n_effective: float | None = None
    """Of items that weigh unequally, items of equal weight that would be worth as much,
    (Σw)² / Σw²; None if they weigh the same."""
    caution: str | None = None
    """Why these numbers are a rough guide, if they are: few clusters."""
    engine: str = "numkong"
    """What counted common items: NumKong or numpy."""
    matrix: ScoreMatrix | None = field(default=None, compare=False)
    """The scores, for :meth:`compare`."""
    columns: IntArray | None = field(default=None, compare=False)
    """Which items of the matrix were audited; None for all."""
    survey: PairAnalysis | None = field(default=None, compare=False)
    """All pairs, for reports that let the reader choose; None if they were not kept."""

    def __len__(self) -> int:
        """Models."""
        return len(self.ranking)

    @derived
    def n_tiers(self) -> int:
        """Tiers: groups of models that are told apart for certain."""
        return self.ranking.n_tiers

    @derived
    def resolvable_gap(self) -> MedianRange | None:
        """The gap that is detected: the MDE of a typical pair of neighbors under ``adjust``."""
        return self.adjacent.resolvable_gap()

    @derived
    def significant_gap(self) -> MedianRange | None:
        """The observed gap from which a typical pair of neighbors is significant."""
        return self.adjacent.significant_gap()

    @property
    def listed(self) -> PairTable:
        """The pairs asked for, or the neighbors if there are no others."""
        return self.pairs if len(self.pairs) else self.adjacent

    def compare(self, a: str, b: str) -> Comparison:
        """Two models, as :func:`nstar.compare` reports them under the declared design."""
        if self.matrix is None:
            msg = "this audit was made without its scores"
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
class Audit(_WithoutEngine, Result):
    """Models ranked on one or several tasks, and what their ranking can and cannot support.

    With one task, it has the attributes of its :class:`TaskAudit`: ``result.n_items`` is
    ``result.tasks[0].n_items``. With several tasks, these raise ``SeveralTasksError``, and the
    ranking is that of their average.
    """

    tasks: tuple[TaskAudit, ...]
    """The models on each task, at least one."""
    average: Averaged | None
    """``macro``: tasks count equally; ``micro``: items do, or as they weigh; ``weighted``: tasks
    count as their weights say; None for one task."""
    weights: dict[str, float]
    """Weight of each task in the average, by name; they add up to 1."""
    criteria: Criteria
    """Level, power, and alternative hypothesis."""
    adjust: Adjust
    """How p-values and verdicts allow for the number of comparisons."""
    adjust_reason: str | None
    """Why that is not what was asked for, if it is not."""
    rank_method: Adjust
    """Which family-wise method ranks and tiers rest on: ``maxt`` or ``holm``."""
    critical_value: float | None
    """|t| that a gap must reach to be significant in the family of all pairs."""
    interval_alpha: float
    """Level of one adjusted interval of a gap: alone it has coverage 1 - ``interval_alpha``. Under
    a step-down method a significant pair with a larger p-value has the level of the last step."""
    n_draws: Count | None
    """Simulated draws of max-T; None without it."""
    seed: Count
    """Seed of those draws."""
    ranking: RankTable
    """Models from best to worst: those of the task, or those that all tasks have, by average. Then
    ``n_items`` counts the items of all tasks."""
    adjacent: PairTable
    """Neighbors in rank; those by average have Student's intervals and tests."""
    models_left_out: tuple[str, ...]
    """Models without a rank, because some task lacks them."""
    findings: tuple[Finding, ...] = ()
    """What was found in the data before."""
    survey: PairAnalysis | None = field(default=None, compare=False)
    """All pairs, for reports that let the reader choose; None if they were not kept."""

    task = _of_task(lambda task: task.task)
    metric = _of_task(lambda task: task.metric)
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

    @classmethod
    def of_task(cls, task: TaskAudit, findings: tuple[Finding, ...] = ()) -> "Audit":
        """The audit of one task."""
        shared = {f.name for f in fields(TaskAudit)} & {f.name for f in fields(cls)}
        return cls(
            tasks=(task,),
            average=None,
            weights={task.task: 1.0},
            models_left_out=(),
            findings=findings,
            **{name: getattr(task, name) for name in shared},
        )

    def __len__(self) -> int:
        """Models."""
        return len(self.ranking)

    @derived
    def n_tiers(self) -> int:
        """Tiers: groups of models that are told apart for certain."""
        return self.ranking.n_tiers

    @derived
    def resolvable_gap(self) -> MedianRange | None:
        """The gap that is detected: the MDE of a typical pair of neighbors under ``adjust``."""
        return self.adjacent.resolvable_gap()

    @derived
    def significant_gap(self) -> MedianRange | None:
        """The observed gap from which a typical pair of neighbors is significant."""
        return self.adjacent.significant_gap()

    @property
    def listed(self) -> PairTable:
        """The pairs requested, or the neighbors if there are no others."""
        return self.adjacent if len(self.tasks) > 1 else self.tasks[0].listed

    def to_columns(self) -> dict[str, Any]:
        """The pairs requested, or the neighbors, as columns for pandas, Polars or pyarrow."""
        return self.listed.columns()

    def without_pairs(self) -> "Audit":
        """The same as if only neighbors had been requested, to be saved beside all pairs."""
        tasks = (replace(t, pairs=NO_PAIRS, pairs_requested="adjacent") for t in self.tasks)
        return replace(self, tasks=tuple(tasks))

    def compare(self, a: str, b: str) -> Comparison:
        """Two models, as :func:`nstar.compare` reports them under the declared design."""
        comparison = only_task(self, "compare").compare(a, b)
        return replace(comparison, findings=(*self.findings, *comparison.findings))
