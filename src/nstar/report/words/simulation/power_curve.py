"""The power of a simulated test over items, for a terminal."""

from typing import Any

from nstar._verbs.simulate.result import Rate, Simulation
from nstar.report.documents import Chart
from nstar.report.words.numbers import count
from nstar.report.words.simulation.rates import settings, value_of, values_of

_WANTED = 0.8
"""Height of the line: the power that plans ask for."""


def _crossing(x: list[Any], y: list[float]) -> float | None:
    """Where a line through the points first reaches the wanted power."""
    for left, right, low, high in zip(x, x[1:], y, y[1:], strict=False):
        if low < _WANTED <= high:
            return float(left + (right - left) * (_WANTED - low) / (high - low))
    return None


def power_by_items(simulation: Simulation) -> Chart | None:
    """Power of one test over items, of the first combination that reaches what plans ask for."""
    sizes = values_of(simulation, "items")
    if len(sizes) < 3 or sizes != sorted(sizes):
        return None
    curves: dict[Any, list[Rate]] = {}
    others = [n for n in simulation.varied if n != "items"]
    for r in simulation.rates:
        if r.meaning == "power":
            which = (r.procedure, *(value_of(r, n) for n in others))
            curves.setdefault(which, []).append(r)
    for rates in curves.values():
        y = [r.rate for r in rates]
        x = _crossing(sizes, y)
        if x is not None:
            name = ", ".join(filter(None, (rates[0].procedure, settings(rates[0], others))))
            return Chart(
                title=f"Power by items: {name}",
                x=tuple(map(float, sizes)),
                y=tuple(y),
                x_labels=(count(sizes[0]), count(sizes[-1])),
                mark=(x, f"about {count(round(x, -1 if x < 1000 else -2))} items"),
                level=(_WANTED, f"{100 * _WANTED:.0f} %"),
            )
    return None
