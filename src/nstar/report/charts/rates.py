"""Chart of simulated rates against items or gaps, with their Monte Carlo error."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from nstar._verbs.simulate.result import Meaning, Rate, Simulation, promised
from nstar._verbs.simulate.study import Study
from nstar.errors import ParameterError
from nstar.report.charts._canvas import EDGE, WIDTH, Canvas, num
from nstar.report.charts._curves import LEFT, RIGHT, line
from nstar.report.charts._figure import Figure
from nstar.report.charts._labels import LabelCurve, Rectangle, place
from nstar.report.charts._scale import AxisScale, axis, height, linear
from nstar.report.charts._text import shorten, shorten_all
from nstar.report.documents import TextTable
from nstar.report.prose import simulation as words
from nstar.report.prose import study as study_words
from nstar.report.prose.numbers import percent
from nstar.report.prose.simulation.rates import (
    decimals,
    format_parameter,
    rate_text,
    value_of,
    values_of,
)

__all__ = ["rate_curves", "study_curves"]

_TALL = 150.0
_FIRST = LEFT + 14
"""Left end of curves, chosen so that the first tick label does not touch the other axis."""
_PANELS = 8
_STYLES = ("curve", "second", "axis w2", "rule w2")
"""Line styles of procedures, which differ in dashes so that they differ in gray too."""
_WORDS = 150.0
"""Maximum width of a curve's label."""
_BAND = 2
"""Half the width of the band around a curve, in standard errors."""
_LINES = 9
"""Maximum number of curves that a reader can distinguish in one panel."""
_FULL = 0.99
"""Power threshold: a panel is not drawn if all its powers are above it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _PanelLine:
    """Rates of one procedure along the axis."""

    procedure: str
    """Name of the procedure."""
    words: str
    """Parameter that distinguishes the line from others; empty if there is none."""
    rates: tuple[Rate, ...]
    """Rates in order of the axis."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _ChartPanel:
    """Curves in one panel."""

    title: str
    """Parameters that are fixed in the panel."""
    what: Meaning
    """Meaning of the rates."""
    lines: tuple[_PanelLine, ...]
    """Curves of the panel."""

    @property
    def rates(self) -> list[Rate]:
        """Return all rates in the panel."""
        return [r for line in self.lines for r in line.rates]


def _axis_of(simulation: Simulation) -> str:
    """Return the parameter on the axis: items, or the gap if it has more values."""
    sizes = {n: len(values_of(simulation, n)) for n in simulation.varied}
    numbers = [
        n
        for n in simulation.varied
        if all(type(v) in (int, float) for v in values_of(simulation, n))
    ]
    if not numbers:
        msg = (
            "Nothing to draw: this simulation has one cell. Simulate several values of one "
            "parameter."
        )
        raise ParameterError(msg)
    if "delta" in numbers and sizes["delta"] > sizes.get("items", 0):
        return "delta"
    return "items" if "items" in numbers else numbers[0]


def _split(simulation: Simulation, axis: str) -> tuple[str | None, list[str]]:
    """Return the parameter that distinguishes lines, and those that distinguish panels."""
    free = [n for n in simulation.varied if n != axis]
    sizes = {n: len(values_of(simulation, n)) for n in free}
    procedures = len({r.procedure for r in simulation.rates})
    candidates = [n for n in free if sizes[n] * procedures <= _LINES]
    of_lines = min(candidates, key=lambda n: sizes[n], default=None)
    return of_lines, [n for n in free if n != of_lines]


def _kind(rates: list[Rate]) -> Meaning:
    """Return the meaning of a line, which is power if any of its rates is."""
    kinds = {r.meaning for r in rates}
    return "power" if "power" in kinds else kinds.pop()


def _lines(simulation: Simulation, axis: str) -> Iterator[tuple[str, Meaning, _PanelLine]]:
    """Yield each line with the title of its panel and its meaning."""
    of_lines, panel_parameters = _split(simulation, axis)
    rates_by_line: dict[tuple[Any, ...], list[Rate]] = {}
    for r in simulation.rates:
        fixed = tuple(value_of(r, n) for n in panel_parameters)
        value = None if of_lines is None else value_of(r, of_lines)
        rates_by_line.setdefault((fixed, value, r.kind, r.procedure), []).append(r)
    for (fixed, value, _, procedure), rates in rates_by_line.items():
        title = ", ".join(
            f"{n} {format_parameter(v)}" for n, v in zip(panel_parameters, fixed, strict=True)
        )
        words = "" if of_lines is None else f"{of_lines} {format_parameter(value)}"
        along = tuple(sorted(rates, key=lambda r: value_of(r, axis)))
        yield title, _kind(rates), _PanelLine(procedure=procedure, words=words, rates=along)


def _panels(simulation: Simulation, axis: str) -> tuple[list[_ChartPanel], list[str]]:
    """Return the panels to draw, and the titles of panels left out as all powers are near 1."""
    lines_by_panel: dict[tuple[str, Meaning], list[_PanelLine]] = {}
    for title, meaning, one in _lines(simulation, axis):
        lines_by_panel.setdefault((title, meaning), []).append(one)
    all_panels = [
        _ChartPanel(title=t, what=w, lines=tuple(panel_lines))
        for (t, w), panel_lines in lines_by_panel.items()
    ]
    flat = [p for p in all_panels if p.what == "power" and min(r.rate for r in p.rates) > _FULL]
    if len(flat) == len(all_panels):
        flat = []
    return [p for p in all_panels if p not in flat], [p.title for p in flat]


def _horizontal_scale(panel: _ChartPanel, along: str) -> AxisScale:
    xs = sorted({_x(r, along) for r in panel.rates})
    wide = linear(xs, _FIRST, RIGHT - EDGE, n_ticks=5, snug=True)
    if along != "items" or xs[-1] < 8 * xs[0]:
        return wide
    return AxisScale(
        low=xs[0], high=xs[-1], start=_FIRST, stop=RIGHT - EDGE, ticks=tuple(xs), log=True
    )


def _x(rate: Rate, along: str) -> float:
    return float(value_of(rate, along))


def _vertical_scale(panel: _ChartPanel, alpha: float, y: float) -> AxisScale:
    """Return the vertical scale, which for error rates ends near the nominal level."""
    ends = [r.rate + s * _BAND * r.se for r in panel.rates for s in (-1, 1)]
    if panel.what in ("type I error", "family-wise error"):
        return linear((0.0, max(2 * alpha, *ends)), y + _TALL, y, n_ticks=4, snug=True)
    if panel.what == "coverage":
        return linear((min(1 - 2 * alpha, *ends), 1.0), y + _TALL, y, n_ticks=4, snug=True)
    return AxisScale(low=0, high=1, start=y + _TALL, stop=y, ticks=(0, 0.25, 0.5, 0.75, 1))


def _heading(panel: _ChartPanel, alpha: float) -> str:
    """Return a panel's heading, with the nominal level of its rates."""
    level = promised(panel.what, alpha)
    level_text = "" if level is None else f", nominal {percent(level)}"
    no_gap = panel.what == "type I error" and all(r.kind == "test" for r in panel.rates)
    meaning_text = f"{panel.what}, no true gap" if no_gap else panel.what
    heading = ": ".join(filter(None, (panel.title, meaning_text + level_text)))
    return shorten(heading, WIDTH - 2 * EDGE, 14)


def _promised(canvas: Canvas, panel: _ChartPanel, alpha: float, up: AxisScale) -> None:
    level = promised(panel.what, alpha)
    if level is not None:
        y = num(up(level))
        canvas.path([f"M{num(LEFT)} {y}H{num(RIGHT)}"], "axis")


def _name(canvas: Canvas, panel: _ChartPanel, curves: list[LabelCurve], up: AxisScale) -> None:
    """Draw the labels of the curves, once for all procedures if a legend distinguishes them."""
    once = _has_legend([panel]) or len(_styles(panel)) == 1
    texts = [
        one.words if once and one.words else f"{one.words} {one.procedure}".strip()
        for one in panel.lines
    ]
    texts = shorten_all(texts, _WORDS, 12)
    field = Rectangle(LEFT + 4, up.stop, RIGHT, up.start)
    used_texts, boxes = set[str](), list[Rectangle]()
    for k, text in enumerate(texts):
        if text in used_texts:
            continue
        others = [c for i, c in enumerate(curves) if i != k]
        rivals = [c for c, other in zip(curves, texts, strict=True) if other != text]
        spot = place(text, curves[k], others, rivals=rivals, obstacles=boxes, field=field)
        if spot is not None:
            used_texts.add(text)
            boxes.append(spot.box)
            canvas.text(spot.x, spot.y, text, "s", spot.anchor)


def _draw(canvas: Canvas, panel: _ChartPanel, along: str, alpha: float, y: float) -> float:
    """Draw one panel from ``y`` downwards; return where its axis ends."""
    canvas.text(EDGE, y, _heading(panel, alpha), "b")
    y += 16
    at, up = _horizontal_scale(panel, along), _vertical_scale(panel, alpha, y)
    axis(canvas, at, y, y + _TALL)
    height(canvas, up, LEFT, RIGHT, lambda v: f"{100 * v:.6g}%")
    styles = _styles(panel)
    curves, bands = [], []
    for one in panel.lines:
        xs = [at(_x(r, along)) for r in one.rates]
        ends = [[up(r.rate + s * _BAND * r.se) for r in one.rates] for s in (1, -1)]
        bands.append(line(xs + xs[::-1], ends[0] + ends[1][::-1]) + "z")
        curves.append(LabelCurve(xs, [up(r.rate) for r in one.rates]))
    canvas.path(bands, "ribbon")
    _promised(canvas, panel, alpha, up)
    for one, curve in zip(panel.lines, curves, strict=True):
        canvas.path([line(list(curve.xs), list(curve.ys))], styles[one.procedure])
    _name(canvas, panel, curves, up)
    return y + _TALL + 18


def _styles(panel: _ChartPanel) -> dict[str, str]:
    names = list(dict.fromkeys(one.procedure for one in panel.lines))
    return {name: _STYLES[k % len(_STYLES)] for k, name in enumerate(names)}


def _has_legend(panels: Sequence[_ChartPanel]) -> bool:
    """Return whether line styles distinguish the procedures of every panel."""
    return all(1 < len(_styles(p)) <= len(_STYLES) for p in panels)


def _key(panels: Sequence[_ChartPanel]) -> list[tuple[str, list[tuple[list[str], str]]]]:
    """Return the entries of the legend: the procedures of each style, and the band."""
    names: dict[str, list[str]] = {}
    for panel in panels if _has_legend(panels) else ():
        for procedure, style in _styles(panel).items():
            if procedure not in names.setdefault(style, []):
                names[style].append(procedure)
    out = [
        (shorten(" / ".join(procedures), _WORDS, 12), [(["M-8 0H8"], style)])
        for style, procedures in names.items()
    ]
    return [*out, ("±2 Monte Carlo SE", [(["M-8 -6H8V6H-8z"], "ribbon")])]


def _table(title: str, parts: Sequence[Simulation], *, scenario: bool) -> TextTable:
    varied = parts[0].varied
    digits = decimals([r for part in parts for r in part.rates])
    rows = []
    for part in parts:
        for r in part.rates:
            place_ = [format_parameter(value_of(r, n)) for n in varied]
            rate = rate_text(r, digits)
            rows.append((*([r.scenario] if scenario else []), *place_, r.procedure, rate))
    head = (*(["scores"] if scenario else []), *varied, "procedure", "percent")
    return TextTable(title=title, header=head, rows=tuple(rows))


def _picture(
    parts: Sequence[Simulation], title: str, subtitle: str, *, scenario: bool = False
) -> Figure:
    along, alpha = _axis_of(parts[0]), parts[0].alpha
    titled_panels: list[tuple[str, _ChartPanel]] = []
    left_out = []
    for part in parts:
        panels, flat = _panels(part, along)
        titled_panels += [(f"{part.scenario} scores" if scenario else "", p) for p in panels]
        left_out += [f"{part.scenario} scores, {t}" if scenario else t for t in flat]
    if len(titled_panels) > _PANELS:
        msg = (
            f"{len(titled_panels)} panels are too many for one figure (at most {_PANELS}). "
            "Simulate fewer values or parameters."
        )
        raise ParameterError(msg)
    canvas = Canvas()
    y = canvas.head(title, subtitle)
    y = canvas.legend(y, _key([p for _, p in titled_panels])) + 6
    for scenario_title, panel in titled_panels:
        titled = _ChartPanel(
            title=", ".join(filter(None, (scenario_title, panel.title))),
            what=panel.what,
            lines=panel.lines,
        )
        y = _draw(canvas, titled, along, alpha, y) + 18
    canvas.text(
        (LEFT + RIGHT) / 2, y - 10, "true gap" if along == "delta" else along, "s", "middle"
    )
    y += 14
    if left_out:
        y = canvas.notes(y, f"Not drawn, all above 99%: {'; '.join(left_out)}.") + 4
    fields = "one panel" if len(titled_panels) == 1 else f"{len(titled_panels)} panels"
    alt = f"{title}: {fields} of curves over {along}. {subtitle}"
    alt = alt if len(alt) < 690 else f"{alt[:690]}…."
    return canvas.figure(
        y - 4, title=title, alt=alt, table=_table(title, parts, scenario=scenario)
    )


def rate_curves(simulation: Simulation) -> Figure:
    """Draw rates against items or gaps, with a line per procedure and parameter, in panels."""
    title = f"Simulated rates, scenario {simulation.scenario}"
    findings_text = "; ".join(words.findings(simulation))
    return _picture([simulation], title, f"{findings_text[0].upper()}{findings_text[1:]}.")


def study_curves(study: Study) -> Figure:
    """Draw the rates of every scenario of a repeated study."""
    headline = study_words.document(study).headline
    return _picture(study.simulations, "The embedding study, repeated", headline, scenario=True)
