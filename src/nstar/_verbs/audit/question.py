"""What is asked of a leaderboard."""

from dataclasses import dataclass, field, replace
from typing import Any

from nstar._engine.pairs import Kind
from nstar._engine.work import Where, check_executor
from nstar._verbs.audit.mosaic import Progress
from nstar._verbs.audit.tables import Adjust, ItemChoice
from nstar._verbs.verdict import Criteria
from nstar.errors import ParameterError
from nstar.stats._contrasts import rank_to_reject

_CHOICES = {
    "adjust": ("maxt", "holm", "bonferroni", "bh", "none"),
    "items": ("common", "pairwise"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """See :func:`nstar.audit` for what each means."""

    strata: str | None = None
    cluster: str | None = None
    delta: float | None = None
    margin: float | None = None
    criteria: Criteria = field(default_factory=Criteria)
    adjust: Adjust = "maxt"
    pairs: str = "adjacent"
    items: ItemChoice = "pairwise"
    top: int = 10
    draws: int | None = None
    seed: int = 0
    workers: int = 0
    executor: Where = "local"
    progress: Progress | None = None
    out: str | None = None
    work: str | None = None

    def __post_init__(self) -> None:
        if self.strata is not None and self.cluster is not None:
            msg = (
                "give strata= or cluster=, not both: strata define the benchmark, clusters are a "
                "sample of what could have been in it"
            )
            raise ParameterError(msg)
        if self.criteria.sides != 2:
            msg = "an audit is two-sided: which model of a pair is better is not known in advance"
            raise ParameterError(msg)
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                msg = f"{name} must be one of {', '.join(choices)}; got {getattr(self, name)!r}"
                raise ParameterError(msg)
        for name, least in (("top", 2), ("seed", 0), ("workers", 0)):
            value = getattr(self, name)
            if not isinstance(value, int) or value < least:
                msg = f"{name} must be a whole number of at least {least}; got {value!r}"
                raise ParameterError(msg)
        check_executor(self.executor)
        if self.draws is not None:
            rank_to_reject(self.criteria.alpha, self.draws)
        self.best  # noqa: B018 refuses what cannot be read

    @property
    def kind(self) -> Kind:
        """How items come about."""
        if self.strata is not None:
            return "strata"
        return "items" if self.cluster is None else "cluster"

    @property
    def column(self) -> str | None:
        """Group column; None for independent items."""
        return self.cluster if self.strata is None else self.strata

    @property
    def best(self) -> int | None:
        """K of ``top:K``, 0 for all pairs, None for adjacent ones."""
        if self.pairs in ("adjacent", "all"):
            return None if self.pairs == "adjacent" else 0
        head, _, number = self.pairs.partition(":")
        whole = number.isascii() and number.isdigit() and len(number) < 10
        if head == "top" and whole and int(number) > 1:
            return int(number)
        msg = f"pairs must be adjacent, all or top:K with K above 1; got {self.pairs!r}"
        raise ParameterError(msg)

    def in_units_of(self, unit: float) -> "Question":
        """The same about scores that were divided by ``unit``."""
        if unit == 1:
            return self
        delta, margin = (None if x is None else x / unit for x in (self.delta, self.margin))
        return replace(self, delta=delta, margin=margin)

    def check_gaps(self, limits: tuple[float, float]) -> None:
        """Gaps asked about must fit the scale."""
        largest = limits[1] - limits[0]
        gaps: tuple[tuple[str, Any], ...] = (("delta", self.delta), ("margin", self.margin))
        for name, gap in gaps:
            if gap is None:
                continue
            if not isinstance(gap, int | float) or not 0 < gap < largest:
                hint = ", such as 0.01 for one point" if largest == 1 else ""
                msg = f"{name} must be a gap between 0 and {largest:g}{hint}; got {gap!r}"
                raise ParameterError(msg)
