"""``plan_precision``: items to measure a gap precisely."""

from dataclasses import replace

import numpy as np

from nstar._plan.design import Design
from nstar._plan.given import designed, implied_items, ratio, settled
from nstar._plan.noise import Noise
from nstar._plan.result import Plan
from nstar._verdict import Criteria
from nstar.errors import ParameterError
from nstar.stats import _check

__all__ = ["plan_precision"]


def plan_precision(
    design: Design | Noise,
    *,
    half_width: float | None = None,
    items: int | None = None,
    criteria: Criteria | None = None,
) -> Plan:
    """Items for an interval of a wanted half-width around the gap, or the one items give.

    Parameters
    ----------
    design
        Noise, family and clusters; a noise assumption alone stands for one comparison.
    half_width
        Half of the interval's length that is wanted, a proportion > 0.
    items
        Items both models answer; alone, they are solved for the half-width.
    criteria
        The interval covers 1 - alpha; ``Criteria()`` when None.

    Examples
    --------
    >>> from nstar import Design, PairedPsi
    >>> plan_precision(Design(noise=PairedPsi(psi=0.164)), half_width=0.01).n_star
    6300.0
    """
    design, rule = designed(design), criteria or Criteria()
    sigma = design.noise.sigma(0.0)
    test = replace(rule, sides=2)
    size = implied_items(design, items)
    if half_width is not None:
        _check.positive("half_width", half_width)
    if half_width is None and size is None:
        msg = "give half_width (to get items) or items (to get the half-width)"
        raise ParameterError(msg)

    def needed(at: float) -> float:
        width = design.quantile(test, at) * sigma / (half_width or np.nan)
        return float(np.ceil(design.items(width * width)))

    n_star = None if half_width is None else settled(design, needed)
    reached = half_width
    if size is not None:
        reached = float(design.quantile(test, size) * sigma / np.sqrt(design.effective(size)))
    return Plan(
        question="precision",
        solved_for="items" if size is None else "half_width",
        criteria=rule,
        design=design,
        items=size,
        delta=None,
        margin=None,
        half_width=reached,
        n_star=n_star,
        mde=None,
        mde_down=None,
        power=None,
        q=ratio(size, n_star),
        floor=None,
    )
