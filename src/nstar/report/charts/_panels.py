"""Simulated rates sorted into panels of curves: what runs along the axis, what is a line."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from nstar._verbs.simulate.result import Meaning, Rate, Simulation
from nstar.errors import ParameterError
from nstar.report.words.simulation.rates import said, value_of, values_of

_LINES = 9
"""Curves of one panel that can be told apart."""
_FULL = 0.99
"""A panel in which all powers are above this is not drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelLine:
    """Rates of one procedure along the axis."""

    procedure: str
    """Its name."""
    words: str
    """The parameter that tells it from other lines; empty if there is none."""
    rates: tuple[Rate, ...]
    """From left to right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartPanel:
    """Curves in one field."""

    title: str
    """What is fixed in it."""
    what: Meaning
    """What its rates are."""
    lines: tuple[PanelLine, ...]
    """Curves."""

    @property
    def rates(self) -> list[Rate]:
        """All rates in it."""
        return [r for line in self.lines for r in line.rates]


def axis_of(simulation: Simulation) -> str:
    """What runs along the axis: items, or the gap where it has more values."""
    sizes = {n: len(values_of(simulation, n)) for n in simulation.varied}
    numbers = [
        n
        for n in simulation.varied
        if all(type(v) in (int, float) for v in values_of(simulation, n))
    ]
    if not numbers:
        msg = "rates need several items, gaps or other numbers to be drawn over; this has one cell"
        raise ParameterError(msg)
    if "delta" in numbers and sizes["delta"] > sizes.get("items", 0):
        return "delta"
    return "items" if "items" in numbers else numbers[0]


def _split(simulation: Simulation, axis: str) -> tuple[str | None, list[str]]:
    """The parameter of the lines, and those of the panels."""
    free = [n for n in simulation.varied if n != axis]
    sizes = {n: len(values_of(simulation, n)) for n in free}
    procedures = len({r.procedure for r in simulation.rates})
    few = [n for n in free if sizes[n] * procedures <= _LINES]
    of_lines = min(few, key=lambda n: sizes[n], default=None)
    return of_lines, [n for n in free if n != of_lines]


def _kind(rates: list[Rate]) -> Meaning:
    """One meaning for a line: power if any of its rates is."""
    kinds = {r.meaning for r in rates}
    return "power" if "power" in kinds else kinds.pop()


def _lines(simulation: Simulation, axis: str) -> Iterator[tuple[str, Meaning, PanelLine]]:
    """Each with the title of its panel and its meaning."""
    of_lines, apart = _split(simulation, axis)
    found: dict[tuple[Any, ...], list[Rate]] = {}
    for r in simulation.rates:
        fixed = tuple(value_of(r, n) for n in apart)
        value = None if of_lines is None else value_of(r, of_lines)
        found.setdefault((fixed, value, r.kind, r.procedure), []).append(r)
    for (fixed, value, _, procedure), rates in found.items():
        title = ", ".join(f"{n} {said(v)}" for n, v in zip(apart, fixed, strict=True))
        words = "" if of_lines is None else f"{of_lines} {said(value)}"
        along = tuple(sorted(rates, key=lambda r: value_of(r, axis)))
        yield title, _kind(rates), PanelLine(procedure=procedure, words=words, rates=along)


def panels(simulation: Simulation, axis: str) -> tuple[list[ChartPanel], list[str]]:
    """Panels to be drawn, and the titles of those left out because nothing happens in them."""
    found: dict[tuple[str, Meaning], list[PanelLine]] = {}
    for title, what, one in _lines(simulation, axis):
        found.setdefault((title, what), []).append(one)
    every = [ChartPanel(title=t, what=w, lines=tuple(some)) for (t, w), some in found.items()]
    flat = [p for p in every if p.what == "power" and min(r.rate for r in p.rates) > _FULL]
    if len(flat) == len(every):
        flat = []
    return [p for p in every if p not in flat], [p.title for p in flat]
