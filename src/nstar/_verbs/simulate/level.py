"""Does a procedure err as often as it says? Rates of error held against their level."""

import math
from typing import Literal, TypeAlias

from scipy.special import bdtr, bdtrc, ndtri

from nstar._verbs.simulate.result import Rate, Simulation

Meaning: TypeAlias = Literal["type I error", "family-wise error", "power", "coverage"]
Level: TypeAlias = Literal["holds", "errs more", "errs less"]

_NO_GAP = 1e-12
"""A true gap below this is none."""
FAMILY = 0.05
"""Chance of any mark in a simulation of procedures that keep their level exactly."""


def meaning(rate: Rate) -> Meaning:
    """What a rate is the rate of."""
    if rate.kind in ("interval", "resolution", "ranks"):
        return "coverage"
    if rate.kind == "family":
        return "family-wise error"
    if rate.margin is not None:
        return "type I error" if abs(rate.truth) > rate.margin - _NO_GAP else "power"
    return "type I error" if abs(rate.truth) < _NO_GAP else "power"


def promised(what: Meaning, alpha: float) -> float | None:
    """The rate that a level promises; None for power."""
    if what == "power":
        return None
    return 1 - alpha if what == "coverage" else alpha


def errors_of(rate: Rate) -> int | None:
    """Replications in which the procedure erred; None for power, of which none is promised."""
    what = meaning(rate)
    if what == "power":
        return None
    return rate.reps - rate.events if what == "coverage" else rate.events


def _judged(rate: Rate, errors: int, alpha: float, share: float) -> Level:
    """Binomial tails, each held against its share of the chance of a mark."""
    if float(bdtrc(errors - 1, rate.reps, alpha)) < share and errors > 0:
        return "errs more"
    return "errs less" if float(bdtr(errors, rate.reps, alpha)) < share else "holds"


def levels(simulation: Simulation) -> tuple[Level | None, ...]:
    """A word for every rate of error; None for power.

    ``holds`` means within Monte Carlo error of the level. The exact binomial tails are held
    against a level divided by the number of rates, so that procedures which err exactly as often
    as they say get any other word with a chance of at most :data:`FAMILY`, whether or not cells
    share their random numbers.
    """
    errors = [errors_of(r) for r in simulation.rates]
    share = FAMILY / (2 * max(1, sum(e is not None for e in errors)))
    return tuple(
        None if e is None else _judged(r, e, simulation.alpha, share)
        for r, e in zip(simulation.rates, errors, strict=True)
    )


def unseen(simulation: Simulation) -> float | None:
    """How far a rate of error may be from its level and still be within Monte Carlo error."""
    found = [r.reps for r in simulation.rates if errors_of(r) is not None]
    if not found:
        return None
    z = -float(ndtri(FAMILY / (2 * len(found))))
    return z * math.sqrt(simulation.alpha * (1 - simulation.alpha) / min(found))
