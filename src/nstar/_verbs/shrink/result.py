"""Subset: some items of a benchmark, drawn by difficulty, and what they will resolve."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from nstar._base.record import record
from nstar._base.result import Result
from nstar._base.types import FloatOrInf
from nstar._data.findings import Finding
from nstar._verbs.verdict import Criteria

Against: TypeAlias = Literal["new", "known"]
"""Two models that both run on the part only, or one of them against a model with scores on all
items."""
Scope: TypeAlias = Literal["benchmark", "questions"]
"""The score that all items of the benchmark would give, or questions like them."""


@record()
class SubsetResolution:
    """What the part resolves in one reading, and what the gap asked for takes in it."""

    against: Against
    """Who is compared."""
    scope: Scope
    """What the gap is a statement about."""
    mde: float
    """Smallest gap that the part resolves, in score units; 0 if every item is in it."""
    n_star: int | None
    """Items that the gap asked for takes; above ``total`` if the benchmark is too small. None
    without such a gap."""
    mde_floor: float
    """Smallest gap that all items of the benchmark resolve, in score units."""


@record()
class ChosenItem:
    """An item of the part."""

    task: str
    """Its task; empty if there is no name for it."""
    item: str
    """Its id."""
    stratum: int
    """Stratum of difficulty, 1 the hardest."""
    weight: float
    """Items of the benchmark that it stands for: items of its stratum over those drawn of it."""


@record()
class ModelVariances:
    """How models differ over items: what the promises rest on."""

    n_models: int
    """Models that were looked at: all, or so many of them, evenly spaced by their scores."""
    sd: float
    """Standard deviation of the per-item difference of two models, the median over all pairs, in
    score units."""
    known_factor: float
    """How much less variance a gap has against a model known on all items, by regression on the
    scores of all other models: the median over neighbors in the ranking; 1 for nothing."""
    r2: float
    """The same as a share of the variance, 1 - 1 / known_factor."""
    score_r2: float
    """Share of a new model's variance over items that the others explain, cross-validated; the
    median over models."""
    score_sd: float
    """Standard deviation of one model's scores over items, the median over models."""
    score_factor: FloatOrInf
    """How many times as many items drawn without strata would give the same error of a score:
    each model in turn new, strata by the others, the median."""
    gap_factor: float | None
    """The same for the gap of two neighbors, both new; None for fewer than three models."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Subset(Result):
    """Some items of a benchmark, drawn at random by difficulty, and what they will resolve."""

    tasks: tuple[str, ...]
    """Benchmarks whose items were drawn from."""
    metric: str
    """What the scores measure."""
    lower_is_better: bool
    """Less is better."""
    score_range: tuple[float, float]
    """Worst and best possible score."""
    criteria: Criteria
    """Level and power; two-sided."""
    n_models: int
    """Models whose scores say how hard an item is."""
    n_items_total: int
    """Items of the benchmark that all these models have."""
    delta: float | None
    """Gap asked for, in score units; None if items were."""
    n_items: int
    """Items chosen."""
    resolutions: tuple[SubsetResolution, ...]
    """What they resolve: between two new models and against a known one, as the benchmark's own
    score and as a claim about such questions."""
    half_width: float
    """Half of the interval of one new model's score, as the benchmark's own, in score units."""
    variances: ModelVariances
    """What the promises rest on."""
    n_strata: int
    """Strata of difficulty."""
    seed: int
    """Seed by which items were drawn."""
    sha256: str
    """SHA-256 of the list as a CSV file: ``sha256sum subset.csv`` prints the same."""
    items: tuple[ChosenItem, ...] = field(repr=False)
    """The items, by task and id."""
    findings: tuple[Finding, ...] = ()
    """What was found when the scores were read."""

    def resolution(self, against: Against, scope: Scope) -> SubsetResolution:
        """One of the four readings."""
        return next(r for r in self.resolutions if (r.against, r.scope) == (against, scope))
