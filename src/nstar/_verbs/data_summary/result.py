"""Result of ``read``: contents and missing data by task and model."""

from dataclasses import dataclass

from nstar._base.result import Result
from nstar._data.findings import Finding
from nstar._data.table import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSummary:
    """Summary of one model on one task."""

    model: str
    """Name of the model."""
    n_items: int
    """Number of items with a score of this model."""
    n_missing: int
    """Number of items that other models have and this model lacks."""
    n_unscored: int
    """Number of rows without a score, because of errors or NaN."""
    mean: float | None
    """Mean over the model's own items."""
    mean_common: float | None
    """Mean over the items that every model has."""
    mean_low: float | None
    """Mean over all items if missing scores were the lowest possible."""
    mean_high: float | None
    """Mean over all items if missing scores were the highest possible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSummary:
    """Summary of one task and metric."""

    task: str
    """Name of the task."""
    metric: str
    """Name of the metric."""
    n_rows: int
    """Number of rows read."""
    n_items: int
    """Number of items that any model has."""
    n_items_common: int
    """Number of items that every model has."""
    n_runs: tuple[int, int]
    """Minimum and maximum number of runs of a cell with a score."""
    is_binary: bool
    """Whether scores are 0 or 1 with one run per item."""
    n_groups: dict[str, int]
    """Number of groups in each group column."""
    models: tuple[ModelSummary, ...]
    """Summary of each model, with the highest mean first."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Coverage(Result):
    """Summary of the contents of logs, which ``nstar read`` prints."""

    tasks: tuple[TaskSummary, ...]
    """Summary of each task and metric."""
    sources: tuple[Source, ...]
    """Metadata of the logs."""
    findings: tuple[Finding, ...]
    """Findings about the data, most severe first."""
