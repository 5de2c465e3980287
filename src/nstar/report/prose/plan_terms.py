"""Words that all plans share: the gap, the baseline, the criteria, the noise assumed."""

import math

from nstar._verbs.plan import Design, Graded, PairedPsi, PairedRho
from nstar._verbs.verdict import Criteria
from nstar.report.prose.numbers import level, percent, pp, probability


def gap(design: Design, value: float | None, *, column: bool = False) -> str:
    """A gap in points for accuracies, in score units for graded scores."""
    if isinstance(design.noise, Graded) and value is not None and math.isfinite(value):
        return f"{value:.4f}" if column else f"{value:.3g}"
    return pp(value, column=column)


def baseline(design: Design) -> str:
    """Where a gap starts from, if that was said."""
    base = getattr(design.noise, "baseline", None)
    return "" if base is None else f" from a baseline of {percent(base)}"


def condition(design: Design) -> str:
    """The assumption about noise, as a clause."""
    noise = design.noise
    how = " (assumed)" if design.source.startswith("assumed") else ""
    if isinstance(noise, PairedRho):
        return f"if the two models correlate rho = {noise.rho:g} over items{how}"
    if isinstance(noise, PairedPsi):
        return f"if they disagree on {percent(noise.psi)} of the items"
    if isinstance(noise, Graded) and noise.rho is not None:
        return f"if scores have sd {noise.sd:g} and correlate rho = {noise.rho:g} over items{how}"
    if isinstance(noise, Graded):
        return f"if the per-item difference has sd {noise.sd:g}"
    return "with different items for each model"


def criteria(rule: Criteria) -> str:
    """Power, alternative, and level."""
    return f"{probability(rule.power)} power, {level(rule.alpha, rule.sides)}"


def score_units(limits: tuple[float, float]) -> str | None:
    """The units of gaps, where scores of a pilot do not run from 0 to 1."""
    if limits == (0.0, 1.0):
        return None
    low, high = limits
    return f"The pilot's scores run from {low:g} to {high:g}; gaps are in these units."


def noise_assumption(design: Design) -> str:
    """The assumption about noise, as a sentence."""
    noise = design.noise
    where = "" if design.source == "given" else f" ({design.source})"
    if isinstance(noise, PairedRho):
        return (
            f"Both models answer the same items, scored 0/1, with item correlation "
            f"rho = {noise.rho:g}{where}."
        )
    if isinstance(noise, PairedPsi):
        return (
            f"Both models answer the same items, scored 0/1, and exactly one is right on "
            f"{percent(noise.psi)} of them{where}."
        )
    if isinstance(noise, Graded):
        rho = "" if noise.rho is None else f": sd {noise.sd:g} per model at rho = {noise.rho:g}"
        return (
            f"Both models answer the same items, graded; the per-item difference has sd "
            f"{noise.sigma():.4g}{rho}{where}."
        )
    return "Each model answers its own items, scored 0/1; nothing is paired."
