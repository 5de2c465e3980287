"""Chart of pass@k and pass^k against k, with their intervals over tasks."""

from nstar._verbs.runs import ModelRuns, Runs
from nstar.errors import ParameterError
from nstar.report.charts._canvas import EDGE, WIDTH, Canvas
from nstar.report.charts._curves import LEFT, RIGHT, TALL, line
from nstar.report.charts._figure import Figure
from nstar.report.charts._scale import AxisScale, axis, height
from nstar.report.charts._text import shorten_all
from nstar.report.documents import TextTable
from nstar.report.prose.gap import coverage
from nstar.report.prose.numbers import name, percent
from nstar.report.prose.runs.tables import shown_k
from nstar.stats import PassCurve

__all__ = ["pass_curves"]

_TITLE = "pass@k and pass^k, by number of runs"


def _curves(model: ModelRuns) -> list[tuple[str, PassCurve]]:
    """Return the curves of a model with their styles; empty if there is nothing to draw."""
    if model.pass_at is None or model.pass_hat is None or len(model.pass_at.k) < 2:
        return []
    return [("curve", model.pass_at), ("second", model.pass_hat)]


def _draw(canvas: Canvas, model: ModelRuns, y: float) -> float:
    """Draw one panel from ``y`` downwards; return where its axis ends."""
    curves = _curves(model)
    last = len(curves[0][1].k)
    many = last > 30
    across = AxisScale(
        low=1,
        high=last,
        start=LEFT + 14,
        stop=RIGHT,
        ticks=tuple(float(k) for k in shown_k(last)),
        log=many,
    )
    up = AxisScale(low=0, high=1, start=y + TALL, stop=y, ticks=(0, 0.25, 0.5, 0.75, 1))
    axis(canvas, across, y, y + TALL)
    height(canvas, up, LEFT, RIGHT, lambda v: f"{100 * v:.0f}%")
    xs = [across(float(k)) for k in curves[0][1].k]
    for _, curve in curves:
        top, low = ([up(float(v)) for v in ends] for ends in (curve.high, curve.low))
        canvas.path([line(xs + xs[::-1], top + low[::-1]) + "z"], "ribbon")
    for style, curve in curves:
        canvas.path([line(xs, [up(float(v)) for v in curve.estimate])], style)
    return y + TALL + 18


def _table(models: list[ModelRuns]) -> TextTable:
    rows = []
    for model in models:
        at, hat = (curve for _, curve in _curves(model))
        for k in shown_k(len(at.k)):
            cells = (percent(float(c.estimate[k - 1]), 1) for c in (at, hat))
            rows.append((name(model.model), f"{k:,}", *cells))
    return TextTable(title=_TITLE, header=("model", "k", "pass@k", "pass^k"), rows=tuple(rows))


def pass_curves(result: Runs) -> Figure:
    """Draw the probability that at least one, and that all, of k runs pass, for each model."""
    models = [m for m in result.model_runs if _curves(m)]
    if not models:
        msg = "Nothing to draw: pass@k needs 0/1 scores and at least two runs of every task."
        raise ParameterError(msg)
    canvas = Canvas()
    y = canvas.head(
        _TITLE,
        f"Shares of tasks, unbiased; bands are {coverage(result.confidence_level)} intervals for "
        "tasks like these, each k alone.",
    )
    y = canvas.legend(
        y,
        [
            ("at least one of k passes (pass@k)", [(["M-8 0H8"], "curve")]),
            ("all of k pass (pass^k)", [(["M-8 0H8"], "second")]),
        ],
    )
    sentences = []
    names = shorten_all([m.model for m in models], WIDTH - 2 * EDGE, 14)
    for model, label in zip(models, names, strict=True):
        canvas.text(EDGE, y + 4, label, "b")
        y = _draw(canvas, model, y + 22)
        at, hat = (curve for _, curve in _curves(model))
        ends = [percent(float(c.estimate[-1]), 1) for c in (at, hat)]
        sentences.append(
            f"{label}: from {percent(model.mean, 1)} at k = 1 pass@k rises to {ends[0]} and "
            f"pass^k falls to {ends[1]} at k = {len(at.k)}"
        )
        y += 12
    canvas.text((LEFT + RIGHT) / 2, y, "runs k", "s", "middle")
    alt = f"{'; '.join(sentences)}."
    return canvas.figure(y + 16, title=_TITLE, alt=alt, table=_table(models))
