"""Question of a watch, which is fixed before the first item."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from numbers import Real
from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np

from nstar._base import checks
from nstar._base.codec import derived
from nstar._base.types import FloatLike
from nstar.errors import DataError, ParameterError, arg, fill_parameters
from nstar.stats.confseq import FIRST_LOOK
from nstar.stats.eprocess import tuned_beta

WatchScale: TypeAlias = Literal["binary", "graded"]
WatchUnit: TypeAlias = Literal["items", "votes"]
Method: TypeAlias = Literal["e-process", "asymptotic", "bets"]

_ALLOWED: dict[Method, str] = {
    "e-process": "0 or 1",
    "bets": "in [0, 1]",
    "asymptotic": "finite",
}
_BETWEEN = ". For scores between 0 and 1, set {scale=graded}."
_BEYOND = (
    ". Divide scores by their range and set {scale=graded}. For unbounded scores, also set "
    "{asymptotic}."
)
_USUAL_PSI: dict[WatchUnit, float] = {"items": 0.2, "votes": 0.65}
"""Default of the planned discordance: for items, accuracies near 70% and rho ½; for votes, one
third ties.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchQuestion:
    """Question that a watch answers.

    >>> WatchQuestion(items=500).method, round(WatchQuestion(items=500).mixture, 2)
    ('e-process', 5.59)
    """

    items: int
    """Number of items of the benchmark, or of planned votes. The watch is tuned to this number,
    and ends there.
    """
    alpha: float = 0.05
    """Probability of any false verdict, for any number of looks."""
    margin: float | None = None
    """Largest loss that does not matter, as a proportion or in score units; None to test for a
    difference.
    """
    equivalence: bool = False
    """Whether the gap must be shown to lie inside the margin on both sides."""
    scale: WatchScale = "binary"
    """``binary`` for scores of 0 and 1, ``graded`` for others."""
    psi: float | None = None
    """Expected share of items that exactly one model answers correctly, 0.2 if None; for votes,
    the share that is not tied, 0.65 if None.
    """
    asymptotic: bool = False
    """Whether graded scores have no limits, so that a normal approximation replaces bets, which
    are valid for any distribution.
    """
    lower_is_better: bool = False
    """Whether lower is better, so that a positive gap is a loss."""
    power: float = 0.8
    """Target power for the smallest gap that is called detectable."""
    models: tuple[str, str] = ("first", "second")
    """The models, first minus second."""
    unit: WatchUnit = "items"
    """Unit that is counted: ``items`` that both models answered, or ``votes`` between the two,
    where a win scores 1 and 0, a loss 0 and 1, and a tie the same for both."""

    def __post_init__(self) -> None:
        self._refuse_other_kinds()
        checks.counts(items=self.items)
        checks.require(self.items >= 2, "items", "at least 2", self.items)
        checks.fraction("alpha", self.alpha)
        checks.fraction("power", self.power)
        checks.choice("scale", self.scale, ("binary", "graded"))
        checks.choice("unit", self.unit, get_args(WatchUnit))
        self._refuse_early_limit()
        if self.margin is not None:
            top = np.inf if self.method == "asymptotic" else 1.0
            allowed = "above 0" if self.method == "asymptotic" else "in (0, 1)"
            checks.within("margin", self.margin, (0, top), allowed, ends=(False, False))
        if self.psi is not None:
            checks.within("psi", self.psi, (0, 1), "in (0, 1]", ends=(False, True))
        if self.equivalence and self.margin is None:
            msg = f"{arg('equivalence')} also needs {arg('margin')}."
            raise ParameterError(msg)

    def _refuse_other_kinds(self) -> None:
        for flag in ("equivalence", "asymptotic", "lower_is_better"):
            if not isinstance(getattr(self, flag), bool):
                msg = f"{flag} must be true or false; got {getattr(self, flag)!r:.80}"
                raise ParameterError(msg)
        for part in ("alpha", "power", "margin", "psi"):
            if not isinstance(getattr(self, part), Real | None):
                msg = f"{part} must be a number; got {getattr(self, part)!r:.80}"
                raise ParameterError(msg)
        object.__setattr__(self, "models", tuple(self.models))
        if [type(n) for n in self.models] != [str, str]:
            msg = f"models must be two names; got {self.models!r:.80}"
            raise ParameterError(msg)

    def _refuse_early_limit(self) -> None:
        if self.asymptotic and self.scale == "binary":
            msg = (
                f"{arg('asymptotic')} needs {arg('scale', 'graded')}. Remove it for 0/1 scores, "
                "for which the e-process is exact."
            )
            raise ParameterError(msg)
        if self.asymptotic and self.items < FIRST_LOOK:
            msg = (
                f"{arg('asymptotic')} needs at least {FIRST_LOOK} items; got {self.items}. "
                "Rescale the scores to [0, 1], so that no approximation is needed."
            )
            raise ParameterError(msg)

    @derived
    def method(self) -> Method:
        """Return the kind of evidence, which the question fixes and never the scores."""
        if self.scale == "binary":
            return "e-process"
        return "asymptotic" if self.asymptotic else "bets"

    @derived
    def planned_psi(self) -> float:
        """Return the discordance that the evidence is tuned to."""
        return _USUAL_PSI[self.unit] if self.psi is None else self.psi

    @property
    def mixture(self) -> float:
        """Return the Beta(a, a) mixture of the e-process, tuned to psi · items."""
        return float(tuned_beta(self.planned_psi * self.items, alpha=self.alpha))

    @derived
    def log_e_value_threshold(self) -> float:
        """Return the log of the e-value that decides."""
        return -float(np.log(self.alpha))

    def checked(self, score: float, item: str | int | None = None) -> float:
        """Return the score if the scale allows it. Raise DataError if not."""
        if not self.allows(score):
            where = "" if item is None else f" of item {str(item)[:80]!r}"
            inside = 0 <= score <= 1
            fix = _BETWEEN if inside else "" if self.method == "asymptotic" else _BEYOND
            allowed = _ALLOWED[self.method]
            msg = f"The score{where} must be {allowed}; got {score:g}{fill_parameters(fix)}"
            raise DataError(msg)
        return score

    def allows(self, scores: FloatLike) -> bool:
        """Return whether the scale allows all of these scores."""
        s = np.asarray(scores)
        if self.method == "e-process":
            return bool(((s == 0) | (s == 1)).all())
        return bool(((s >= 0) & (s <= 1) if self.method == "bets" else np.isfinite(s)).all())

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return asdict(self) | {"models": list(self.models)}

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Self:
        """Restore and check the question of :meth:`to_dict`, which may come from a file."""
        try:
            return cls(**saved)
        except ParameterError:
            raise
        except (TypeError, ValueError, OverflowError) as error:
            msg = f"Cannot read the saved question: {error}"
            raise ParameterError(msg) from error

    def refuse_other(self, saved: "WatchQuestion") -> None:
        """Raise an error if evidence was collected for another question."""
        now, then = self.to_dict(), saved.to_dict()
        for name, value in now.items():
            if value != then[name]:
                msg = (
                    f"The saved state answers a different question: {name} was {then[name]!r} and "
                    f"is now {value!r}. Restore the old value or start a new {arg('state')} file."
                )
                raise ParameterError(msg)
