"""Phrases that all plans share: the gap, the baseline, the criteria, and the assumed noise."""

import math
import re
from collections.abc import Iterable, Iterator

from nstar._verbs.plan import Design, Graded, PairedPsi, PairedRho, Unpaired
from nstar._verbs.verdict import Criteria
from nstar.report.prose.numbers import level, percent, pp, probability, ratio

MIN_COARSE_MDE = 0.014
"""Smallest detectable gap for which one decimal is sufficient: its standard error is 0.5 points.
"""
_TYPICAL_RHO = (0.4, 0.7)
"""Range of item correlations of most pairs of models."""


def gap(design: Design, value: float | None, *, digits: int | None = None) -> str:
    """Return a gap as text: in points for accuracies and AUROC, in score units for graded scores.

    A gap that the user set keeps its digits. A computed gap has ``digits`` decimals.
    """
    if is_graded(design) and value is not None and math.isfinite(value):
        return f"{value:.3g}"
    return points(value, digits)


def is_graded(design: Design) -> bool:
    """Return whether gaps are in score units. Gaps in AUROC are in points."""
    return isinstance(design.noise, Graded) and design.noise.auroc is None


def a_gap(design: Design, value: float | None) -> str:
    """Return ``a 1 pp gap`` for a gap that the user set."""
    return f"{with_article(gap(design, value))} gap"


_WITH_AN = re.compile(r"8|1[18](?!\d)")


def with_article(number: str) -> str:
    """Return a number with the article that fits its pronunciation.

    Examples
    --------
    >>> with_article("2 pp"), with_article("8.5 pp"), with_article("11 pp"), with_article("110 pp")
    ('a 2 pp', 'an 8.5 pp', 'an 11 pp', 'a 110 pp')
    """
    return f"{'an' if _WITH_AN.match(number) else 'a'} {number}"


def points(value: float | None, digits: int | None) -> str:
    """Return a gap in percentage points, with as many digits as needed if ``digits`` is None.

    Examples
    --------
    >>> points(0.0396, 1), points(0.02, None)
    ('4.0 pp', '2 pp')
    """
    if digits is None or value is None or not math.isfinite(value) or abs(value) < 5e-5:
        return pp(value)
    return f"{100 * value:.{digits}f} pp"


def precision(gaps: Iterable[float | None]) -> int:
    """Return the decimals of all computed gaps in a result."""
    known = [abs(g) for g in gaps if g is not None and math.isfinite(g)]
    return 1 if min(known, default=1.0) >= MIN_COARSE_MDE else 2


def is_typical_rho(rho: float) -> bool:
    """Return whether the correlation is typical of pairs of models."""
    low, high = _TYPICAL_RHO
    return low - 1e-9 <= rho <= high + 1e-9


def baseline(design: Design) -> str:
    """Return the baseline that a gap starts from, if it is known."""
    base = getattr(design.noise, "baseline", None)
    return "" if base is None else f" from a {percent(base)} baseline"


def is_assumed(design: Design) -> bool:
    """Return whether the noise is a default rather than a value of the user."""
    return design.source.startswith("assumed")


def condition(design: Design) -> str:
    """Return the assumed noise, for use in parentheses."""
    noise = design.noise
    suffix = ", assumed" if is_assumed(design) else ""
    if isinstance(noise, PairedRho):
        return f"rho = {noise.rho:g}{suffix}"
    if isinstance(noise, PairedPsi):
        return f"psi = {percent(noise.psi)}"
    if isinstance(noise, Graded) and noise.auroc is not None:
        return f"AUROC {noise.auroc:g}, rho = {noise.rho:g}{suffix}"
    if isinstance(noise, Graded) and noise.rho is not None:
        return f"SD {noise.sd:g}, rho = {noise.rho:g}{suffix}"
    if isinstance(noise, Graded):
        return f"SD of differences {noise.sd:g}"
    return f"unpaired, {noise.method} variance"


def criteria(rule: Criteria) -> str:
    """Return the power, and that the test is one-sided if it is."""
    side = ", one-sided" if rule.sides == 1 else ""
    return f"{probability(rule.power)} power{side}"


def resolution_ratio(q: float) -> str:
    """Return the resolution ratio of a plan, and what it means."""
    return f"The resolution ratio q = N/N* is {ratio(q)}; the gap is resolved if q ≥ 1."


def units(design: Design) -> str:
    """Return the unit of the sample size."""
    return "items per model" if isinstance(design.noise, Unpaired) else "items"


def score_units(limits: tuple[float, float]) -> Iterator[str]:
    """Yield the units of gaps if the scores of a pilot do not range from 0 to 1."""
    low, high = limits
    if limits != (0.0, 1.0):
        yield f"The pilot's scores range from {low:g} to {high:g}, and gaps are in the same units."


def sharing(design: Design) -> str:
    """Return a clause that says which items the models answer."""
    scored = "graded" if isinstance(design.noise, Graded) else "scored 0/1"
    if isinstance(design.noise, Unpaired):
        return f"each model answers its own random items, {scored}"
    models_text = "both" if design.models == 2 else "all"
    return f"{models_text} models answer the same items, {scored}"


def basis(design: Design, rule: Criteria) -> str:
    """Return the assumptions of a plan in one sentence."""
    groups = ""
    if design.icc:
        groups = f"; clusters are a random sample (ICC {design.icc:g})"
    elif not isinstance(design.noise, Unpaired):
        groups = "; items are independent"
    base = getattr(design.noise, "baseline", None)
    if base is not None and design.models > 2:
        groups += f"; {percent(base)} baseline"
    return f"{sharing(design)}{groups}; {level(rule.alpha, rule.sides)}."


def noise_assumption(design: Design) -> str:
    """Return the assumption about noise, as a sentence."""
    noise = design.noise
    where = "" if design.source == "given" else f" ({design.source})"
    shared = sharing(design)
    text = shared[0].upper() + shared[1:]
    if isinstance(noise, PairedRho):
        return f"{text}; the item correlation is rho = {noise.rho:g}{where}."
    if isinstance(noise, PairedPsi):
        return f"{text}; on {percent(noise.psi)} of the items, exactly one model is right{where}."
    if isinstance(noise, Graded) and noise.positives is not None:
        return (
            f"{text}; {percent(noise.positives)} of them are positive, and both models have an "
            f"AUROC of {noise.auroc:g}, with the standard error of Hanley and McNeil (1982); "
            f"rho = {noise.rho:g}{where}."
        )
    if isinstance(noise, Graded):
        rho = ""
        if noise.rho is not None:
            rho = f", from SD {noise.sd:g} per model and rho = {noise.rho:g}"
        return f"{text}; the per-item difference has SD {noise.sigma():.4g}{rho}{where}."
    return f"{text}."
