"""What a set of results holds and lacks, task by task and model by model."""

from dataclasses import dataclass

from nstar._base.record import record
from nstar._base.result import Result
from nstar._data.findings import Finding
from nstar._data.table import Source


@record()
class ModelSummary:
    """One model on one task."""

    model: str
    """Name."""
    n_items: int
    """Items with a score."""
    n_missing: int
    """Items of other models without one."""
    n_unscored: int
    """Rows without a score: errors, NaN."""
    mean: float | None
    """Mean over its own items."""
    mean_common: float | None
    """Mean over the items that every model has."""
    mean_low: float | None
    """Its mean over all items, had the missing ones all got the lowest score."""
    mean_high: float | None
    """Likewise with the highest score."""


@record()
class TaskSummary:
    """One task and metric."""

    task: str
    """Name."""
    metric: str
    """What the scores measure."""
    n_rows: int
    """Rows read."""
    n_items: int
    """Items that some model has."""
    n_items_common: int
    """Items that every model has."""
    n_runs: tuple[int, int]
    """Fewest and most runs of a cell that is there."""
    is_binary: bool
    """Scores are 0 or 1, one run each."""
    n_groups: dict[str, int]
    """Number of groups, by group column."""
    models: tuple[ModelSummary, ...]
    """Each model, the highest mean first."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Coverage(Result):
    """Everything said by ``nstar read``."""

    tasks: tuple[TaskSummary, ...]
    """One per task and metric."""
    sources: tuple[Source, ...]
    """The logs."""
    findings: tuple[Finding, ...]
    """What is worth saying, gravest first."""
