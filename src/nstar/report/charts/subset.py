"""The smallest gap that some items of a benchmark detect, by their number."""

from nstar._verbs.shrink import About, Against, Subset
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
"""Share of the items at which curves begin; below, they are off the paper."""
_CURVES: tuple[tuple[Against, About, str, str], ...] = (
    ("new", "benchmark", "curve", "two new models, full-benchmark score"),
    ("known", "benchmark", "second", "new vs known model, full-benchmark score"),
    ("new", "questions", "rule w2", "two new models, similar questions"),
)


def _curve(found: Subset, against: Against, about: About, n: list[float]) -> list[float]:
    mde = subset_mde if about == "benchmark" else subset_claim_mde
    gaps = mde(
        n,
        sigma=found.variances.sd,
        r2=found.variances.r2 if against == "known" else 0.0,
        total=found.n_items_total,
        alpha=found.criteria.alpha,
        power=found.criteria.power,
    )
    return [float(g) for g in gaps]


def _sizes(found: Subset) -> list[float]:
    first = min(max(_FIRST * found.n_items_total, 20.0), float(found.n_items))
    rest = found.n_items_total - first
    # closer toward the end, where a benchmark's own score becomes exact all at once
    return [found.n_items_total - rest * (1 - k / (_POINTS - 1)) ** 2 for k in range(_POINTS)]


def mde_by_items(found: Subset) -> Figure:
    """Own score of two new models and against a known one, and the claim about such questions."""
    units = GapUnits(graded=not points(found))
    title = f"MDE by subset size ({count(found.n_items_total)} items in total)"
    canvas = Canvas()
    y = canvas.head(
        title,
        f"{probability(found.criteria.power)} power, {level(found.criteria.alpha, 2)}. With all "
        "items the full-benchmark score has no error; a score on similar questions has.",
    )
    keys = [(words, [(["M-8 0H8"], style)]) for *_, style, words in _CURVES]
    y = canvas.legend(y, [*keys, ("chosen", [(["M0 -7V7"], "rule")])])
    sizes = _sizes(found)
    curves = [_curve(found, who, what, sizes) for who, what, *_ in _CURVES]
    at = linear([0.0, float(found.n_items_total)], LEFT, RIGHT, wanted=5, snug=True)
    top = 1.05 * units.factor * max(max(c) for c in curves)
    up = linear((0.0, top), y + TALL, y, wanted=4, snug=True)
    axis(canvas, at, y, y + TALL)
    height(canvas, up, LEFT, RIGHT, lambda v: f"{v:g}{units.after}")
    for (*_, style, _), gaps in zip(_CURVES, curves, strict=True):
        xs, ys = [at(n) for n in sizes], [up(units.factor * g) for g in gaps]
        canvas.path([line(xs, ys)], style)
    here, own = at(found.n_items), found.resolution("new", "benchmark").mde
    canvas.path([f"M{num(here)} {num(y)}V{num(y + TALL)}"], "rule")
    note(canvas, here, y + 14, f"{count(found.n_items)} items: {gap(found, own)}")
    canvas.text((LEFT + RIGHT) / 2, y + TALL + 26, "items", "s", "middle")
    rows = tuple(
        (count(n), *(gap(found, c[k], column=True) for c in curves))
        for k, n in enumerate(sizes)
        if k % 8 == 0 or n == found.n_items_total
    )
    table = TextTable(title=title, header=("items", *(w for *_, w in _CURVES)), rows=rows)
    alt = (
        f"{title}: {count(found.n_items)} items detect {gap(found, own)} between two new models "
        "in the full-benchmark score. The curve falls to 0 at all items and, for similar "
        f"questions, to {gap(found, found.resolution('new', 'questions').mde_floor)}."
    )
    return canvas.figure(y + TALL + 42, title=title, alt=alt, table=table)
