"""Draw results as standalone SVG figures. Each has a caption, a description, and a table."""

from importlib import import_module
from typing import Literal, TypeAlias

from nstar._base.result import Result
from nstar.errors import ParameterError
from nstar.report.charts._figure import Figure
from nstar.report.charts._style import STYLE

__all__ = ["KINDS", "STYLE", "Figure", "FigureKind", "figure", "kinds"]

FigureKind: TypeAlias = Literal[
    "ladder",
    "forest",
    "matrix",
    "groups",
    "power",
    "mde",
    "rates",
    "passes",
    "money",
    "gaps",
    "evidence",
    "race",
    "heat",
]

KINDS: dict[str, dict[str, tuple[str, str]]] = {
    "Audit": {
        "ladder": ("ladder", "ladder"),
        "forest": ("forest", "forest"),
    },
    "Battles": {
        "ladder": ("ladder", "ladder"),
        "matrix": ("win_matrix", "win_matrix"),
    },
    "Comparison": {
        "forest": ("forest", "forest"),
        "groups": ("groups", "groups"),
    },
    "Items": {"heat": ("heat", "heat")},
    "Judged": {"forest": ("forest", "forest")},
    "Known": {"forest": ("forest", "forest")},
    "Plan": {"power": ("plans", "power_curve")},
    "Runs": {"passes": ("pass_curves", "pass_curves")},
    "TaskPlan": {"money": ("plans", "mde_by_money")},
    "BoardPlan": {"gaps": ("board_plan", "gaps_by_items")},
    "RaceResult": {"race": ("race", "lifelines")},
    "WatchResult": {"evidence": ("evidence", "evidence_path")},
    "Simulation": {
        "rates": ("rates", "rate_curves"),
        "ladder": ("ladder", "ladder"),
    },
    "Study": {"rates": ("rates", "study_curves")},
    "Subset": {"mde": ("subset", "mde_by_items")},
}
"""Module and function for each result and kind of figure. The first kind is the default."""

_PLACED = ("ladder", "groups")
"""Kinds that can highlight a model or a task."""


def kinds(result: Result) -> tuple[str, ...]:
    """Return the kinds of figure that a result has."""
    return tuple(KINDS.get(type(_result_to_draw(result)).__name__, ()))


def _result_to_draw(result: Result) -> Result:
    """Return the result to draw. For a board plan made from assumptions, this is the plan."""
    return getattr(result, "assumed", None) or result


def figure(
    result: Result,
    kind: FigureKind | None = None,
    *,
    where: str | None = None,
) -> Figure:
    """Draw a chart of a result.

    Parameters
    ----------
    result : Result
        Result of a function such as :func:`nstar.audit` or :func:`nstar.compare`, or
        :attr:`nstar.Watch.result` or :attr:`nstar.Race.result`.
    kind : str, optional
        Kind of chart. Default: the first kind listed here for the result. ``ladder`` or ``forest``
        of a ranking; ``ladder`` or ``matrix`` of votes; ``forest`` or ``groups`` of a comparison;
        ``forest`` of a judged comparison or of one with a known model; ``power`` of a plan;
        ``money`` of a budget; ``gaps`` of a board plan from a pilot; ``passes`` of runs;
        ``evidence`` of a watch; ``race`` of a race; ``heat`` of items; ``mde`` of a subset;
        ``rates`` of a simulation, or ``ladder`` of a simulated leaderboard.
    where : str, optional
        Model to highlight in a ladder, or task whose groups are drawn.

    Returns
    -------
    Figure
        A figure with ``svg``, ``title``, ``caption``, ``alt`` and ``table``. Its ``save`` writes a
        file.

    Examples
    --------
    >>> import nstar
    >>> plan = nstar.plan(nstar.PairedRho(baseline=0.7, rho=0.4), delta=0.02)
    >>> figure(plan).title
    'Power to detect a 2 pp gap, by number of items'
    """
    result = _result_to_draw(result)
    offered = kinds(result)
    if not offered:
        msg = f"No figure is available for {type(result).__name__}."
        raise ParameterError(msg)
    chosen = kind or offered[0]
    if chosen not in offered:
        type_name = type(result).__name__
        allowed = offered[0] if len(offered) == 1 else f"one of {', '.join(offered)}"
        msg = f"kind must be {allowed} for {type_name}; got {kind!r}"
        raise ParameterError(msg)
    if where is not None and chosen not in _PLACED:
        msg = f"where applies to {' and '.join(_PLACED)} figures, not to {chosen}."
        raise ParameterError(msg)
    module, function = KINDS[type(result).__name__][chosen]
    draw = getattr(import_module(f"nstar.report.charts.{module}"), function)
    chart: Figure = draw(result) if where is None else draw(result, where=where)
    return chart
