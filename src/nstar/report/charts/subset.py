"""Chart of the smallest gap that a subset of a benchmark can detect, by its size."""

from nstar._verbs.shrink import Against, Scope, Subset
from nstar.report.charts._canvas import Canvas, num
from nstar.report.charts._curves import LEFT, RIGHT, TALL, GapUnits, line, note
from nstar.report.charts._figure import Figure
from nstar.report.charts._scale import axis, height, linear
from nstar.report.documents import TextTable
from nstar.report.prose.gap import gap, points
from nstar.report.prose.numbers import count, level, probability
from nstar.stats import subset_claim_mde, subset_mde

__all__ = ["mde_by_items"]

_POINTS = 80
_FIRST = 0.04
"""Share of the items at which curves begin. To the left of it, they would leave the plot area."""
_CURVES: tuple[tuple[Against, Scope, str, str], ...] = (
    ("new", "benchmark", "curve", "two new models, full-benchmark score"),
    ("known", "benchmark", "second", "new vs known model, full-benchmark score"),
    ("new", "questions", "rule w2", "two new models, similar questions"),
)


def _curve(subset: Subset, against: Against, scope: Scope, n: list[float]) -> list[float]:
    mde = subset_mde if scope == "benchmark" else subset_claim_mde
    gaps = mde(
        n,
        sigma=subset.variances.sd,
        r2=subset.variances.r2 if against == "known" else 0.0,
        total=subset.n_items_total,
        alpha=subset.criteria.alpha,
        power=subset.criteria.power,
    )
    return [float(g) for g in gaps]


def _sizes(subset: Subset) -> list[float]:
    first = min(max(_FIRST * subset.n_items_total, 20.0), float(subset.n_items))
    rest = subset.n_items_total - first
    # Points are denser toward the end, where the error of the full-benchmark score falls to 0
    # quickly.
    return [subset.n_items_total - rest * (1 - k / (_POINTS - 1)) ** 2 for k in range(_POINTS)]


def mde_by_items(subset: Subset) -> Figure:
    """Draw the detectable gap by subset size, for two new models and for a new and a known one."""
    units = GapUnits(graded=not points(subset))
    title = f"MDE by subset size ({count(subset.n_items_total)} items in total)"
    canvas = Canvas()
    y = canvas.head(
        title,
        f"{probability(subset.criteria.power)} power, {level(subset.criteria.alpha, 2)}. With all "
        "items, only a score on similar questions has an error.",
    )
    keys = [(words, [(["M-8 0H8"], style)]) for *_, style, words in _CURVES]
    y = canvas.legend(y, [*keys, ("chosen", [(["M0 -7V7"], "rule")])])
    sizes = _sizes(subset)
    curves = [_curve(subset, against, scope, sizes) for against, scope, *_ in _CURVES]
    at = linear([0.0, float(subset.n_items_total)], LEFT, RIGHT, n_ticks=5, snug=True)
    top = 1.05 * units.factor * max(max(c) for c in curves)
    up = linear((0.0, top), y + TALL, y, n_ticks=4, snug=True)
    axis(canvas, at, y, y + TALL)
    height(canvas, up, LEFT, RIGHT, lambda v: f"{v:g}{units.after}")
    for (*_, style, _), gaps in zip(_CURVES, curves, strict=True):
        xs, ys = [at(n) for n in sizes], [up(units.factor * g) for g in gaps]
        canvas.path([line(xs, ys)], style)
    x_items, own_mde = at(subset.n_items), subset.resolution("new", "benchmark").mde
    canvas.path([f"M{num(x_items)} {num(y)}V{num(y + TALL)}"], "rule")
    note(canvas, x_items, y + 14, f"{count(subset.n_items)} items: {gap(subset, own_mde)}")
    canvas.text((LEFT + RIGHT) / 2, y + TALL + 26, "items", "s", "middle")
    rows = tuple(
        (count(n), *(gap(subset, c[k], column=True) for c in curves))
        for k, n in enumerate(sizes)
        if k % 8 == 0 or n == subset.n_items_total
    )
    table = TextTable(title=title, header=("items", *(w for *_, w in _CURVES)), rows=rows)
    alt = (
        f"{title}: {count(subset.n_items)} items detect {gap(subset, own_mde)} between two new "
        "models in the full-benchmark score. The curve falls to 0 at all items and, for similar "
        f"questions, to {gap(subset, subset.resolution('new', 'questions').mde_floor)}."
    )
    return canvas.figure(y + TALL + 42, title=title, alt=alt, table=table)
