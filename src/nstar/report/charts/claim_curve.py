"""Chart of the p-value of a claim, by item correlation."""

import math

from nstar import stats
from nstar._verbs.claim import Claim
from nstar._verbs.claim.evaluate import p_of_about
from nstar.report.charts._canvas import Canvas, num
from nstar.report.charts._curves import LEFT, RIGHT, TALL, line
from nstar.report.charts._figure import Figure
from nstar.report.charts._scale import AxisScale, axis, height, linear
from nstar.report.documents import TextTable
from nstar.report.prose.numbers import pvalue

__all__ = ["claim_curve"]

_POINTS = 120
_LOWEST = 1e-4
"""Smallest p-value on the axis."""


def _points(claim: Claim) -> list[tuple[float, float]]:
    """Return item correlations with their p-values; none where a model is constant."""
    if claim.rho_bounds is None:
        return []
    low, high = (float(end) for end in claim.rho_bounds)
    low = max(low, 0.0) if high > 0 else low
    rhos = [low + (high - low) * k / (_POINTS - 1) for k in range(_POINTS)]
    psis = [float(stats.psi_from_rho(claim.mean_a, claim.mean_b, rho)) for rho in rhos]
    ps = [p_of_about(claim.gap, psi, claim.n_items, claim.criteria) for psi in psis]
    return list(zip(rhos, ps, strict=True))


def claim_curve(claim: Claim) -> Figure | None:
    """Draw the p-value of a claim by item correlation; None if only one is possible."""
    points = _points(claim)
    if len(points) < 2:
        return None
    alpha, typical = claim.criteria.alpha, claim.rho_assumed
    canvas = Canvas()
    title = "p-value by item correlation (rho)"
    y = canvas.head(title, "A higher correlation means that the models disagree on fewer items.")
    at = linear([rho for rho, _ in points], LEFT, RIGHT, n_ticks=5, snug=True)
    decades = (1.0, 0.1, 0.01, 0.001, _LOWEST)
    up = AxisScale(low=_LOWEST, high=1, start=y + TALL, stop=y, ticks=decades, log=True)
    start, end = at(typical.low), at(typical.high)
    if end > start:
        canvas.path([f"M{num(start)} {num(y)}H{num(end)}V{num(y + TALL)}H{num(start)}z"], "band")
        canvas.text((start + end) / 2, y + TALL - 12, "typical", "s", "middle")
    axis(canvas, at, y, y + TALL)
    height(canvas, up, LEFT, RIGHT, lambda p: f"{p:g}")
    canvas.path([f"M{num(LEFT)} {num(up(alpha))}H{num(RIGHT)}"], "level")
    canvas.text(LEFT + 6, up(alpha) + 12, f"α = {alpha:g}", "s")
    canvas.path([line([at(rho) for rho, _ in points], [up(p) for _, p in points])], "curve")
    canvas.text((LEFT + RIGHT) / 2, y + TALL + 26, "item correlation (rho)", "s", "middle")
    ends = [pvalue(p) for _, p in (points[0], points[-1])]
    alt = (
        f"{title}: p is {ends[0]} at rho = {points[0][0]:.2f} and {ends[1]} at rho = "
        f"{points[-1][0]:.2f}."
    )
    step = max(math.ceil(_POINTS / 12), 1)
    rows = tuple((f"{rho:.2f}", pvalue(p)) for rho, p in points[::step])
    table = TextTable(title=title, header=("rho", "p"), rows=rows)
    return canvas.figure(y + TALL + 42, title=title, alt=alt, table=table)
