"""The words of a plan: what is known, what is wanted, money."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from nstar._base.parameter_types import PlanAlternative
from nstar._base.question import Question, is_given
from nstar._base.record import record
from nstar.errors import arg

if TYPE_CHECKING:
    from nstar._base.types import LossUnit
    from nstar._verbs.plan import Design, Noise
    from nstar._verbs.plan.grid_result import PlanAxis
    from nstar._verbs.verdict import Criteria

Numbers: TypeAlias = float | Sequence[float] | None
"""One number, or several."""

GRID_AXES: "tuple[PlanAxis, ...]" = ("items", "delta", "rho")
"""Words that take several values each, in the order of a grid's rows and columns."""


def listed(value: Any) -> tuple[Any, ...]:
    """One number or several as a tuple; empty for None."""
    if value is None:
        return ()
    return tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else (value,)


@record()
class PlanParameters(Question):
    """All that can be said to ``nstar plan``, whether or not it makes a question."""

    design: "Design | Noise | None" = None
    """Noise, family and clusters, instead of the words for them."""
    baseline: float | None = None
    """Accuracy, or success rate, that one starts from; a proportion."""
    delta: Numbers = None
    """Gap to detect, first minus second, in score units; several make a table."""
    items: int | Sequence[int] | None = None
    """Items both models answer; several make a table."""
    rho: Numbers = None
    """Correlation of the models over items or tasks; several make a table."""
    psi: float | None = None
    """Share of items on which exactly one model is right."""
    odds_ratio: float | None = None
    """Items gained per item lost, with ``psi``."""
    benchmark: str | None = None
    """Name of a benchmark whose published correlation is taken."""
    sd: float | None = None
    """Standard deviation of one model's graded scores."""
    sd_diff: float | None = None
    """Standard deviation of the per-item difference of graded scores."""
    unpaired: bool = False
    """Different items, or tasks, for each model."""
    icc: float | None = None
    """Intra-cluster correlation of the per-item difference."""
    cluster_size: float | None = None
    """Items per cluster."""
    clusters: int | None = None
    """Clusters, if their number is fixed."""
    margin: float | None = None
    """Largest harmless gap, in score units."""
    non_inferiority: bool = False
    """With ``margin``: only that the first model is not worse by it."""
    loss: "LossUnit | None" = None
    """With ``margin`` and clusters: what may fail outside the sample; None: clusters."""
    half_width: float | None = None
    """Half-width of the interval that is wanted for the gap, in score units."""
    score_range: tuple[float, float] | None = None
    """Worst and best possible score."""
    alpha: float = 0.05
    """Level of the test."""
    power: float = 0.8
    """Wanted probability of detecting the gap."""
    alternative: PlanAlternative = "two-sided"
    """Alternative hypothesis: a gap either way, or only a gain."""

    def given(self, *names: str) -> list[str]:
        """Those of the words that were said, as a message names them."""
        return [arg(name) for name in names if is_given(getattr(self, name))]

    @property
    def deltas(self) -> tuple[float, ...]:
        """Gaps, that of the headline first."""
        return listed(self.delta)

    @property
    def rhos(self) -> tuple[float, ...]:
        """Correlations, that of the headline first."""
        return listed(self.rho)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of items, in the order written."""
        return listed(self.items)

    @property
    def size(self) -> int | None:
        """The number of items, where there is one at most."""
        return self.sizes[0] if self.sizes else None

    @property
    def several(self) -> "tuple[PlanAxis, ...]":
        """Words with several values, in the order of a grid's rows and columns."""
        values = {"items": self.sizes, "delta": self.deltas, "rho": self.rhos}
        return tuple(name for name in GRID_AXES if len(values[name]) > 1)

    @property
    def is_grid(self) -> bool:
        """Whether each value is planned by itself: several items, or two words with several."""
        return "items" in self.several or len(self.several) > 1

    @property
    def criteria(self) -> "Criteria":
        """Level, power, and alternative hypothesis."""
        from nstar._verbs.verdict import Criteria

        return Criteria(alpha=self.alpha, power=self.power, alternative=self.alternative)
