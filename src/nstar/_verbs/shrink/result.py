"""Subset of a benchmark: items drawn by difficulty, with the gaps that they can detect."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from nstar._base.result import Result
from nstar._base.types import FloatOrInf
from nstar._data.findings import Finding
from nstar._verbs.verdict import Criteria

Against: TypeAlias = Literal["new", "known"]
"""Comparison: two models that both run on the subset only (``new``), or one of them with a model
that has scores on all items (``known``).
"""
Scope: TypeAlias = Literal["benchmark", "questions"]
"""Scope of a claim: the score over all items of the benchmark, or similar questions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubsetResolution:
    """Detectable gap of the subset for one comparison and scope."""

    against: Against
    """Models that are compared."""
    scope: Scope
    """Scope of the claim about the gap."""
    mde: float
    """Smallest gap that the subset can detect, in score units; 0 if it contains all items."""
    n_star: int | None
    """Number of items that the requested gap needs; above ``n_items_total`` if the benchmark is
    too small; None if no gap was requested.
    """
    mde_floor: float
    """Smallest gap that all items of the benchmark can detect, in score units."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenItem:
    """An item of the subset."""

    task: str
    """Name of the task; empty if it has no name."""
    item: str
    """Id of the item."""
    stratum: int
    """Stratum of difficulty; 1 is the hardest."""
    weight: float
    """Number of items of the benchmark that the item represents: the size of its stratum divided
    by the number drawn.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelVariances:
    """Differences between models over items, on which the detectable gaps are based."""

    n_models: int
    """Number of models used: all, or a sample evenly spaced by their scores."""
    sd: float
    """Standard deviation of the per-item difference between two models, in score units: the median
    over all pairs.
    """
    known_factor: float
    """Factor by which the variance of a gap is smaller if one model is known on all items, by
    regression on the scores of all other models: the median over adjacent pairs. It is 1 if
    regression does not help.
    """
    r2: float
    """Share of the variance that regression removes, 1 - 1 / known_factor."""
    score_r2: float
    """Share of a new model's variance over items that other models explain, cross-validated: the
    median over models.
    """
    score_sd: float
    """Standard deviation of one model's scores over items: the median over models."""
    score_factor: FloatOrInf
    """Ratio of the items that simple random sampling needs to those drawn by strata, for the same
    error of a new model's score: the median over models.
    """
    gap_factor: float | None
    """The same ratio for the gap between two new adjacent models; None for fewer than three
    models.
    """


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Subset(Result):
    """Items of a benchmark drawn at random by difficulty, with the gaps that they can detect."""

    tasks: tuple[str, ...]
    """Tasks of the items."""
    metric: str
    """Name of the metric."""
    lower_is_better: bool
    """Whether lower is better."""
    score_range: tuple[float, float]
    """Worst and best possible score."""
    criteria: Criteria
    """Level and power. The test is two-sided."""
    n_models: int
    """Number of models whose scores define difficulty."""
    n_items_total: int
    """Number of items of the benchmark that all these models have."""
    delta: float | None
    """Requested gap, in score units; None if the number of items was set."""
    n_items: int
    """Number of selected items."""
    resolutions: tuple[SubsetResolution, ...]
    """Detectable gaps between two new models and against a known model, for the benchmark's own
    score and for similar questions.
    """
    half_width: float
    """Half-width of the interval of a new model's score on the benchmark itself, in score units.
    """
    variances: ModelVariances
    """Variances on which the detectable gaps are based."""
    n_strata: int
    """Number of strata of difficulty."""
    seed: int
    """Random seed of the draw."""
    sha256: str
    """SHA-256 of the list as a CSV file, as ``sha256sum subset.csv`` computes it."""
    items: tuple[ChosenItem, ...] = field(repr=False)
    """Items, sorted by task and id."""
    findings: tuple[Finding, ...] = ()
    """Findings about the data."""

    def resolution(self, against: Against, scope: Scope) -> SubsetResolution:
        """Return the detectable gap for one comparison and scope."""
        return next(r for r in self.resolutions if (r.against, r.scope) == (against, scope))
