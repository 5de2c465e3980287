"""Subset: items of a benchmark drawn by difficulty, and what they resolve."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from nstar._base.record import record
from nstar._base.result import Result
from nstar._base.types import FloatOrInf
from nstar._data.findings import Finding
from nstar._verbs.verdict import Criteria

Against: TypeAlias = Literal["new", "known"]
"""Two models that both run on the subset only, or one of them against a model with scores on all
items."""
Scope: TypeAlias = Literal["benchmark", "questions"]
"""Score over all items of the benchmark, or questions like them."""


@record()
class SubsetResolution:
    """Resolution of the subset for one comparison and scope."""

    against: Against
    """Models that are compared."""
    scope: Scope
    """Scope of the statement about the gap."""
    mde: float
    """Smallest gap that the subset resolves, in score units; 0 if every item is in it."""
    n_star: int | None
    """Items that the requested gap needs; above ``n_items_total`` if the benchmark is too small.
    None without such a gap."""
    mde_floor: float
    """Smallest gap that all items of the benchmark resolve, in score units."""


@record()
class ChosenItem:
    """An item of the subset."""

    task: str
    """Name of its task; empty without a name."""
    item: str
    """Id of the item."""
    stratum: int
    """Stratum of difficulty, 1 the hardest."""
    weight: float
    """Number of items of the benchmark that it represents: items of its stratum over those drawn.
    """


@record()
class ModelVariances:
    """Differences of models over items, on which the resolutions are based."""

    n_models: int
    """Number of models used: all, or a sample evenly spaced by their scores."""
    sd: float
    """Standard deviation of the per-item difference of two models, the median over all pairs, in
    score units."""
    known_factor: float
    """How much less variance a gap has against a model known on all items, by regression on the
    scores of all other models: the median over neighbors in the ranking; 1 for nothing."""
    r2: float
    """Known factor as a share of the variance, 1 - 1 / known_factor."""
    score_r2: float
    """Share of a new model's variance over items that the others explain, cross-validated; the
    median over models."""
    score_sd: float
    """Standard deviation of one model's scores over items, the median over models."""
    score_factor: FloatOrInf
    """Factor on the items that simple random sampling would need for the same error of a score:
    each model in turn new, strata by the others, the median."""
    gap_factor: float | None
    """This factor for the gap of two adjacent models, both new; None for fewer than three models.
    """


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Subset(Result):
    """Items of a benchmark, drawn at random by difficulty, and what they resolve."""

    tasks: tuple[str, ...]
    """Benchmarks of the items."""
    metric: str
    """Name of the metric."""
    lower_is_better: bool
    """Whether lower is better."""
    score_range: tuple[float, float]
    """Worst and best possible score."""
    criteria: Criteria
    """Level and power; the test is two-sided."""
    n_models: int
    """Number of models whose scores define difficulty."""
    n_items_total: int
    """Number of items of the benchmark that all these models have."""
    delta: float | None
    """Requested gap, in score units; None if the number of items was set."""
    n_items: int
    """Number of selected items."""
    resolutions: tuple[SubsetResolution, ...]
    """Resolutions between two new models and against a known one, for the benchmark's own score
    and for a claim about such questions."""
    half_width: float
    """Half-width of the interval of one new model's score, as the benchmark's own, in score units.
    """
    variances: ModelVariances
    """Variances that the resolutions are based on."""
    n_strata: int
    """Number of strata of difficulty."""
    seed: int
    """Seed of the draw."""
    sha256: str
    """SHA-256 of the list as a CSV file, as ``sha256sum subset.csv`` computes it."""
    items: tuple[ChosenItem, ...] = field(repr=False)
    """The items, by task and id."""
    findings: tuple[Finding, ...] = ()
    """Findings about the data."""

    def resolution(self, against: Against, scope: Scope) -> SubsetResolution:
        """Return one of the four resolutions."""
        return next(r for r in self.resolutions if (r.against, r.scope) == (against, scope))
