"""Question of a race, fixed before its first item."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Literal, TypeAlias

from nstar._base import checks
from nstar._base.codec import derived
from nstar._verbs.watch.question import WatchScale
from nstar.errors import DataError, ParameterError, arg
from nstar.stats.racing import race_log_threshold

RaceMethod: TypeAlias = Literal["e-process", "bets"]

MIXTURE = 0.5
"""Beta(a, a) mixture of a race's e-processes: ½ drops weak models early, and needs no plan."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceQuestion:
    """The question that a race answers.

    >>> ask = RaceQuestion(models=("wren", "heron", "ibis"), items=500)
    >>> ask.method, round(ask.log_e_value_threshold, 3)
    ('e-process', 3.689)
    """

    models: tuple[str, ...]
    """All models of the race, two or more; none can join later."""
    items: int
    """Number of items of the benchmark, the largest length of the race."""
    alpha: float = 0.05
    """Probability that the best model is ever dropped, for any number of looks."""
    margin: float | None = None
    """Gap that does not matter, a proportion: the race ends once all remaining models are shown to
    be within it of each other. None continues until one is left or the items are used up."""
    scale: WatchScale = "binary"
    """``binary`` for scores of 0 and 1, ``graded`` for others in [0, 1]."""
    lower_is_better: bool = False
    """Whether lower is better."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "models", _named(self.models))
        for part in ("alpha", "margin"):
            checks.instance(part, getattr(self, part), Real, "a number")
        checks.counts(items=self.items)
        checks.require(self.items >= 2, "items", "at least 2", self.items)
        checks.fraction("alpha", self.alpha)
        checks.choice("scale", self.scale, ("binary", "graded"))
        checks.truth(lower_is_better=self.lower_is_better)
        if self.margin is not None:
            checks.within("margin", self.margin, (0, 1), "in (0, 1)", ends=(False, False))

    @derived
    def method(self) -> RaceMethod:
        """Return the kind of evidence."""
        return "e-process" if self.scale == "binary" else "bets"

    @derived
    def log_e_value_threshold(self) -> float:
        """Return the log of the e-value for "i is better than j" that drops j."""
        return _limit(len(self.models), self.alpha)

    @property
    def rivals(self) -> float:
        """Return the number of rivals that share alpha, a factor on p-values."""
        return float(max(len(self.models) - 1, 2))

    @property
    def n_answers_planned(self) -> int:
        """Return the answers of all models to all items."""
        return len(self.models) * self.items

    def checked(self, score: float | None, item: str | None, model: str) -> float | None:
        """Return the score if the scale allows it; None for a missing score."""
        if score is None or score != score:  # noqa: PLR0124 NaN
            return None
        if score in (0, 1) or (self.scale == "graded" and 0 <= score <= 1):
            return float(score)
        inside = 0 <= score <= 1
        allowed = "0 or 1" if self.scale == "binary" else "in [0, 1]"
        fix = (
            f". For scores between 0 and 1, set {arg('scale', 'graded')}."
            if inside
            else f". Divide scores by their range and set {arg('scale', 'graded')}."
        )
        where = "" if item is None else f" for item {item[:80]!r}"
        msg = f"The score of {model[:80]}{where} must be {allowed}; got {score:g}{fix}"
        raise DataError(msg)


def _limit(models: int, alpha: float) -> float:
    """Return the threshold of the half that bets on one model: twice the e-value of the whole."""
    return float(race_log_threshold(models, alpha=alpha / 2))


def _named(models: Sequence[str]) -> tuple[str, ...]:
    names = tuple(models) if not isinstance(models, str) else (models,)
    if len(names) < 2 or not all(isinstance(name, str) for name in names):
        msg = f"{arg('models')} must be at least two names; got {models!r:.80}"
        raise ParameterError(msg)
    twice = [name for k, name in enumerate(names) if name in names[:k]]
    if twice:
        msg = f"{arg('models')} must be different names; got {twice[0][:80]!r} twice"
        raise ParameterError(msg)
    return names
