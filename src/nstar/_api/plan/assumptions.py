"""What a plan assumes about two models: how noisy the difference of their scores is."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from nstar._base.verb import exactly_one, needs
from nstar.errors import QuestionError, arg

if TYPE_CHECKING:
    from nstar._verbs.plan import Noise

NOISE = exactly_one(
    baseline="accuracy, for 0/1 scores",
    psi="share of items on which exactly one model is right",
    sd="for graded scores",
    sd_diff="for graded scores",
)
"""The ways to say how noisy the difference between two models is."""
RHO = needs("rho", baseline="accuracy, for 0/1 scores", sd="for graded scores")
"""The correlation matters where the noise is that of one model."""


def listed(value: Any) -> tuple[Any, ...]:
    """Return one value or several as a tuple, empty for None."""
    if value is None:
        return ()
    return tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else (value,)


def two_models(
    noise: Mapping[str, Any], rho: float | str | None = None, *, width: float = 1.0
) -> "tuple[Noise, str]":
    """Return how noisy one comparison is, and the source of that figure.

    Parameters
    ----------
    noise : mapping
        One of baseline, psi, sd, and sd_diff; the others are None.
    rho : float or str, optional
        Item correlation, name of a benchmark, or ``"unpaired"``.
    width : float
        Best minus worst score, for graded scores.
    """
    from nstar._verbs.benchmarks import BENCHMARKS, TYPICAL
    from nstar._verbs.plan import Graded, PairedPsi, PairedRho, Unpaired

    if noise["sd_diff"] is not None:
        return Graded(sd=noise["sd_diff"], width=width), "given"
    if noise["psi"] is not None:
        return PairedPsi(psi=noise["psi"]), "given"
    if rho == "unpaired":
        if noise["sd"] is not None:
            unpaired, zero = arg("rho", "unpaired"), arg("rho", 0)
            msg = f"{unpaired} is for 0/1 scores; with {arg('sd')} set {zero}."
            raise QuestionError(msg)
        return Unpaired(baseline=noise["baseline"]), "given"
    source = "given"
    if isinstance(rho, str):
        known = BENCHMARKS[rho]
        rho = known.mean
        source = (
            f"mean for {known.name}, quartiles {known.low:g} and {known.high:g}, {known.source}"
        )
    elif rho is None:
        rho, source = TYPICAL.mean, "assumed; published means run from 0.41 to 0.69"
    if noise["sd"] is not None:
        return Graded(sd=noise["sd"], rho=rho, width=width), source
    return PairedRho(baseline=noise["baseline"], rho=rho), source
