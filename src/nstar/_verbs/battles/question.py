"""Question about votes between models."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from nstar._base import checks
from nstar._base.parameter_types import RankBy, TiesAs
from nstar._verbs.verdict import Criteria
from nstar.errors import ParameterError, arg
from nstar.stats._contrasts import rank_to_reject

FamilyBy: TypeAlias = Literal["maxt", "holm", "anytime"]
"""Multiple-comparison adjustment; ``anytime`` is valid at every look, by Bonferroni."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BattlesQuestion:
    """Model of the votes, adjustments, and level of the ranking."""

    ties: TiesAs = "half"
    """Ties as ``half`` a win for both, as arenas count them; as an outcome of their own
    (``davidson``); or not at all (``drop``). The rating scale depends on this treatment."""
    cluster: tuple[str, ...] = ()
    """Groups of votes that are a sample (prompts, judges, sessions), at most two."""
    control: tuple[str, ...] = ()
    """Covariates that the ratings are adjusted for: ``length``, or another one."""
    position: bool | None = None
    """Whether the advantage of the first answer is estimated; None: if the order is known."""
    prior: float = 0.0
    """Weight of a tie that is added to each pair that met, which keeps all ratings finite. A
    weight that would bias ratings by more than their intervals allow is reduced."""
    anchor: tuple[str, float] | None = None
    """A model and its rating; None: the mean of all rated models is 1000."""
    adjust: RankBy = "maxt"
    """Multiple-comparison adjustment of ranks and verdicts."""
    planned: int | None = None
    """Total number of planned votes, if results are inspected while votes come in. The result then
    holds at every look and is tuned for this number. None: votes are inspected once, at their end.
    """
    next: int | None = None
    """Number of votes to choose next; None for none."""
    top: int | None = None
    """Number of best models that the next votes separate from the others; None: all ranks."""
    criteria: Criteria = field(default_factory=Criteria)
    """Level and power; the test is two-sided."""
    draws: int | None = None
    """Draws of max-T; None for a number that depends on the level."""
    seed: int = 0
    """Seed of these draws."""
    ranks_only: bool = False
    """Whether to omit the effects of groups that are not declared."""
    use_max_t: bool = True
    """Whether to use max-T where it is available, as in an audit."""

    def __post_init__(self) -> None:
        checks.choice("ties", self.ties, get_args(TiesAs))
        checks.choice("adjust", self.adjust, get_args(RankBy))
        checks.nonnegative("prior", self.prior)
        if len(self.cluster) > 2:
            msg = f"{arg('cluster')} accepts at most two groupings; got {len(self.cluster)}"
            raise ParameterError(msg)
        for name in ("cluster", "control"):
            values = getattr(self, name)
            if len(set(values)) < len(values):
                msg = f"{arg(name)} contains {values[0]!r:.60} twice. Remove one of the two."
                raise ParameterError(msg)
        if self.anchor is not None:
            checks.finite("anchor", self.anchor[1])
        if self.planned is not None:
            checks.counts(planned=self.planned)
            checks.require(self.planned >= 1, "planned", "at least 1 vote", self.planned)
        if self.draws is not None:
            rank_to_reject(self.criteria.alpha, self.draws)

    @property
    def scale(self) -> Literal["score", "decisive"]:
        """Return the meaning of 400 points (10:1): of expected scores, or of decisive votes."""
        return "score" if self.ties == "half" else "decisive"
