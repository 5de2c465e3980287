"""One pair of an audit as cells of a table."""

import math

from nstar._base.types import Interval
from nstar._verbs.audit import Audit, Leaderboard, Pairs
from nstar.report.words.gap import Scaled, coverage, gap, points, span
from nstar.report.words.numbers import pvalue, ratio

_TINY = 1e-15
"""A p-value in a table need not be smaller."""


def _resolution(q: float) -> str:
    """A resolution ratio; a dash where no error was measured."""
    return "–" if math.isnan(q) else "<0.01" if 0 < q < 0.01 else ratio(q)


def _p(p: float, draws: int | None) -> str:
    """An adjusted p-value, never below what the draws can show."""
    least = 0.0 if draws is None else 1 / (draws + 1)
    if p <= least * (1 + 1e-9):
        return f"≤ {least:.0e}"
    return f"<{_TINY:.0e}" if p < _TINY else pvalue(p)


def pair_header(what: str, scale: Scaled, conf: float, *, adjusted: bool) -> tuple[str, ...]:
    """Names of the columns of :func:`pair_cells`."""
    unit = " pp" if points(scale) else ""
    tests = ("adj. p", "adj. q") if adjusted else ("p", "q")
    return (f"{what}{unit}", f"{coverage(conf)} interval", *tests, "verdict")


def pair_cells(
    pairs: Pairs, i: int, scale: Scaled, *, draws: int | None = None
) -> tuple[str, ...]:
    """Gap, interval, p, q and verdict of one pair."""
    interval = Interval(pairs.ci_low[i], pairs.ci_high[i])
    return (
        gap(scale, float(pairs.delta[i]), sign=True, column=True).removesuffix(" pp"),
        span(scale, interval, column=True).removesuffix(" pp"),
        _p(float(pairs.p_adjusted[i]), draws),
        _resolution(float(pairs.q_adjusted[i])),
        pairs.verdict[i],
    )


def drawn(audit: Audit | Leaderboard) -> int | None:
    """Draws from which the adjusted p-values of an audit come, if they do."""
    return audit.draws if audit.adjust == "maxt" else None
