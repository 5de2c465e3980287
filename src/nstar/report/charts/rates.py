"""Simulated rates over items or the gap, with their Monte Carlo error."""

from collections.abc import Sequence

from nstar._verbs.simulate.result import Rate, Simulation, promised
from nstar._verbs.simulate.study import Study
from nstar.errors import ParameterError
from nstar.report.charts._canvas import EDGE, WIDTH, Canvas, num
from nstar.report.charts._curves import LEFT, RIGHT, line
from nstar.report.charts._figure import Figure
from nstar.report.charts._labels import Box, Curve, place
from nstar.report.charts._panels import ChartPanel, axis_of, panels
from nstar.report.charts._scale import AxisScale, axis, height, linear
from nstar.report.charts._text import shorten, shorten_all
from nstar.report.documents import Grid
from nstar.report.words import simulation as words
from nstar.report.words import study as study_words
from nstar.report.words.numbers import percent
from nstar.report.words.simulation.rates import decimals, rate_text, said, value_of

__all__ = ["rate_curves", "study_curves"]

_TALL = 150.0
_FIRST = LEFT + 14
"""Where curves begin: their first number stands clear of those of the other axis."""
_PANELS = 8
_STYLES = ("curve", "second", "axis w2", "rule w2")
"""Procedures: colour and dashes, so that they differ in grey too."""
_WORDS = 150.0
"""Room for the words of a curve."""
_BAND = 2
"""Standard errors on either side of a curve."""


def _across(panel: ChartPanel, along: str) -> AxisScale:
    xs = sorted({_x(r, along) for r in panel.rates})
    wide = linear(xs, _FIRST, RIGHT - EDGE, wanted=5, snug=True)
    if along != "items" or xs[-1] < 8 * xs[0]:
        return wide
    return AxisScale(
        low=xs[0], high=xs[-1], start=_FIRST, stop=RIGHT - EDGE, ticks=tuple(xs), log=True
    )


def _x(rate: Rate, along: str) -> float:
    return float(value_of(rate, along))


def _up(panel: ChartPanel, alpha: float, y: float) -> AxisScale:
    """Rates of error on a scale on which they can be read."""
    ends = [r.rate + s * _BAND * r.se for r in panel.rates for s in (-1, 1)]
    if panel.what in ("type I error", "family-wise error"):
        return linear((0.0, max(2 * alpha, *ends)), y + _TALL, y, wanted=4, snug=True)
    if panel.what == "coverage":
        return linear((min(1 - 2 * alpha, *ends), 1.0), y + _TALL, y, wanted=4, snug=True)
    return AxisScale(low=0, high=1, start=y + _TALL, stop=y, ticks=(0, 0.25, 0.5, 0.75, 1))


def _heading(panel: ChartPanel, alpha: float) -> str:
    """What a panel shows, and what is promised."""
    level = promised(panel.what, alpha)
    promise = "" if level is None else f", {percent(level)} promised"
    no_gap = panel.what == "type I error" and all(r.kind == "test" for r in panel.rates)
    what = f"{panel.what}, no true gap" if no_gap else panel.what
    told = ": ".join(filter(None, (panel.title, what + promise)))
    return shorten(told, WIDTH - 2 * EDGE, 14)


def _promised(canvas: Canvas, panel: ChartPanel, alpha: float, up: AxisScale) -> None:
    """A line at the level."""
    level = promised(panel.what, alpha)
    if level is not None:
        y = num(up(level))
        canvas.path([f"M{num(LEFT)} {y}H{num(RIGHT)}"], "axis")


def _field(up: AxisScale) -> Box:
    return Box(LEFT + 4, up.stop, RIGHT, up.start)


def _name(canvas: Canvas, panel: ChartPanel, curves: list[Curve], up: AxisScale) -> None:
    """Words beside the curves; once for all procedures where a legend tells them apart."""
    once = _keyed([panel]) or len(_styles(panel)) == 1
    texts = [
        one.words if once and one.words else f"{one.words} {one.procedure}".strip()
        for one in panel.lines
    ]
    texts = shorten_all(texts, _WORDS, 12)
    told, taken = set[str](), list[Box]()
    for k, text in enumerate(texts):
        if text in told:
            continue
        others = [c for i, c in enumerate(curves) if i != k]
        rivals = [c for c, other in zip(curves, texts, strict=True) if other != text]
        spot = place(text, curves[k], others, rivals=rivals, taken=taken, field=_field(up))
        if spot is not None:
            told.add(text)
            taken.append(spot.box)
            canvas.text(spot.x, spot.y, text, "s", spot.anchor)


def _draw(canvas: Canvas, panel: ChartPanel, along: str, alpha: float, y: float) -> float:
    """One panel from ``y`` downwards; returns where its axis ends."""
    canvas.text(EDGE, y, _heading(panel, alpha), "b")
    y += 16
    at, up = _across(panel, along), _up(panel, alpha, y)
    axis(canvas, at, y, y + _TALL)
    height(canvas, up, LEFT, RIGHT, lambda v: f"{100 * v:.6g} %")
    styles = _styles(panel)
    curves, bands = [], []
    for one in panel.lines:
        xs = [at(_x(r, along)) for r in one.rates]
        ends = [[up(r.rate + s * _BAND * r.se) for r in one.rates] for s in (1, -1)]
        bands.append(line(xs + xs[::-1], ends[0] + ends[1][::-1]) + "z")
        curves.append(Curve(xs, [up(r.rate) for r in one.rates]))
    canvas.path(bands, "ribbon")
    _promised(canvas, panel, alpha, up)
    for one, curve in zip(panel.lines, curves, strict=True):
        canvas.path([line(list(curve.xs), list(curve.ys))], styles[one.procedure])
    _name(canvas, panel, curves, up)
    return y + _TALL + 18


def _styles(panel: ChartPanel) -> dict[str, str]:
    """Procedures of a panel by style."""
    names = list(dict.fromkeys(one.procedure for one in panel.lines))
    return {name: _STYLES[k % len(_STYLES)] for k, name in enumerate(names)}


def _keyed(drawn: Sequence[ChartPanel]) -> bool:
    """Whether the procedures of every panel can be told by their style."""
    return all(1 < len(_styles(p)) <= len(_STYLES) for p in drawn)


def _key(drawn: Sequence[ChartPanel]) -> list[tuple[str, list[tuple[list[str], str]]]]:
    """Entries of the legend: styles with the procedures they stand for, and the band."""
    names: dict[str, list[str]] = {}
    for panel in drawn if _keyed(drawn) else ():
        for procedure, style in _styles(panel).items():
            if procedure not in names.setdefault(style, []):
                names[style].append(procedure)
    out = [
        (shorten(" / ".join(some), _WORDS, 12), [(["M-8 0H8"], style)])
        for style, some in names.items()
    ]
    return [*out, ("± 2 Monte Carlo errors", [(["M-8 -6H8V6H-8z"], "ribbon")])]


def _table(title: str, parts: Sequence[Simulation], *, scenario: bool) -> Grid:
    varied = parts[0].varied
    digits = decimals([r for part in parts for r in part.rates])
    rows = []
    for part in parts:
        for r in part.rates:
            place_ = [said(value_of(r, n)) for n in varied]
            rate = rate_text(r, digits)
            rows.append((*([r.scenario] if scenario else []), *place_, r.procedure, rate))
    head = (*(["scores"] if scenario else []), *varied, "procedure", "percent")
    return Grid(title=title, header=head, rows=tuple(rows))


def _picture(
    parts: Sequence[Simulation], title: str, about: str, *, scenario: bool = False
) -> Figure:
    along, alpha = axis_of(parts[0]), parts[0].alpha
    drawn: list[tuple[str, ChartPanel]] = []
    left_out = []
    for part in parts:
        shown, flat = panels(part, along)
        drawn += [(f"{part.scenario} scores" if scenario else "", p) for p in shown]
        left_out += [f"{part.scenario} scores, {t}" if scenario else t for t in flat]
    if len(drawn) > _PANELS:
        msg = (
            f"{len(drawn)} panels are too many for one picture, which has at most {_PANELS}; "
            "simulate fewer values, or a parameter less"
        )
        raise ParameterError(msg)
    canvas = Canvas()
    y = canvas.head(title, about)
    y = canvas.legend(y, _key([p for _, p in drawn])) + 6
    for who, panel in drawn:
        titled = ChartPanel(
            title=", ".join(filter(None, (who, panel.title))), what=panel.what, lines=panel.lines
        )
        y = _draw(canvas, titled, along, alpha, y) + 18
    canvas.text(
        (LEFT + RIGHT) / 2, y - 10, "true gap" if along == "delta" else along, "s", "middle"
    )
    y += 14
    if left_out:
        y = canvas.notes(y, f"Not drawn, all above 99 %: {'; '.join(left_out)}.") + 4
    fields = "one panel" if len(drawn) == 1 else f"{len(drawn)} panels"
    alt = f"{title}: {fields} of curves over {along}. {about}"
    alt = alt if len(alt) < 690 else f"{alt[:690]}…."
    return canvas.figure(
        y - 4, title=title, alt=alt, table=_table(title, parts, scenario=scenario)
    )


def rate_curves(simulation: Simulation) -> Figure:
    """Rates over items or gaps, a line per procedure and parameter, panels for the others."""
    title = f"Simulated rates, scenario {simulation.scenario}"
    told = "; ".join(words.findings(simulation))
    return _picture([simulation], title, f"{told[0].upper()}{told[1:]}.")


def study_curves(study: Study) -> Figure:
    """The same for every scenario of a repeated study."""
    about = study_words.document(study).headline
    return _picture(study.simulations, "The embedding study, repeated", about, scenario=True)
