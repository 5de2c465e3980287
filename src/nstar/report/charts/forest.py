"""Forest plot of gaps with their intervals, compared with zero and the declared margin."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nstar._base.types import Interval
from nstar._verbs.audit import Audit, PairTable
from nstar._verbs.compare import Comparison
from nstar._verbs.judged import Judged, JudgedGap
from nstar._verbs.reference import Known, ReferenceGap
from nstar.errors import ParameterError, arg
from nstar.report.charts._board import board
from nstar.report.charts._canvas import (
    EDGE,
    VERDICTS,
    WIDTH,
    Canvas,
    draw_verdicts,
    num,
    verdict_key,
)
from nstar.report.charts._figure import Figure
from nstar.report.charts._scale import AxisScale, ChartRows, axis, linear, make_rows
from nstar.report.charts._text import clean, shorten_all, width
from nstar.report.documents import TextTable
from nstar.report.prose.audit.tables import interval_header
from nstar.report.prose.gap import (
    HasScale,
    coverage,
    declared_gap,
    gap,
    header_unit,
    points,
    span,
    unit,
)
from nstar.report.prose.judged import BY as JUDGED_BY
from nstar.report.prose.known import CLAIMS
from nstar.report.prose.numbers import name

__all__ = ["PairRows", "forest", "pair_rows"]


_MAX_TALL_ROWS = 40
"""Largest number of pairs with names above. With more, rows are thin and names stand beside."""
_BESIDE = 158.0
"""Left end of the plot area if names stand beside it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRows:
    """Rows of a chart with one pair of models per row."""

    pairs: Sequence[tuple[str, str]]
    """First and second model of each pair."""
    rows: ChartRows
    """Positions of the rows."""

    @property
    def above(self) -> bool:
        """Return whether names stand above the drawing of a pair."""
        return not self.rows.crowded

    @property
    def field(self) -> tuple[float, float]:
        """Return the left and right end of the plot area; a pair's numbers stand right of it."""
        return (EDGE + 6 if self.above else _BESIDE), WIDTH - EDGE - 62

    def __call__(self, i: float) -> float:
        """Return the vertical position of a pair's drawing."""
        return self.rows(i) + (9 if self.above else 0)

    def strips(self) -> list[tuple[float, float]]:
        """Return the vertical strips of grid lines, which must not cross names above the pairs."""
        if not self.above:
            return [(self.rows.top, self.rows.bottom)]
        return [(self(i) - 10, self(i) + 10) for i in range(self.rows.n)]

    def labeled(self) -> list[int]:
        """Return the pairs that show their names and numbers."""
        return self.rows.labeled((0, self.rows.n - 1))

    def label(self, canvas: Canvas) -> None:
        """Draw the names of all pairs, or of as many as fit."""
        names = list(dict.fromkeys(name for pair in self.pairs for name in pair))
        label_width = WIDTH - 2 * EDGE if self.above else _BESIDE - 2 * EDGE
        each = (label_width - width(" − ")) / 2 if self.above else label_width - 12
        short = dict(zip(names, shorten_all(names, each), strict=True))
        for i in self.labeled():
            for y, words, style in self._lines(i, short, label_width):
                canvas.text(EDGE, y, words, style)

    def _lines(
        self, i: int, short: dict[str, str], max_width: float
    ) -> Iterator[tuple[float, str, str]]:
        first, second = self.pairs[i]
        y = self.rows(i)
        if not self.above:
            yield y - 7, short[first], ""
            yield y + 7, f"− {short[second]}", "s"
            return
        full_text = clean(f"{first} − {second}")
        fits = width(full_text) <= max_width
        yield y - 9, full_text if fits else f"{short[first]} − {short[second]}", ""


def pair_rows(pairs: Sequence[tuple[str, str]], top: float) -> PairRows:
    """Return rows for pairs, from ``top`` downwards."""
    full = 38.0 if len(pairs) <= _MAX_TALL_ROWS else 32.0
    return PairRows(
        pairs=pairs, rows=make_rows(len(pairs), top, full=full, max_full=_MAX_TALL_ROWS)
    )


_LEFT, _RIGHT = 150.0, WIDTH - EDGE - 62
"""Ends of the plot area next to names of tasks."""
_MAX_GAPS_DRAWN = 5_000
"""Maximum number of gaps in one plot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _ForestRow:
    """One row of a forest plot."""

    label: tuple[str, ...]
    """One or two lines of the label."""
    delta: float
    ci: Interval
    verdict: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _ForestPlot:
    """Rows on one scale, with titles and headers."""

    title: str
    about: str
    head: tuple[str, ...]
    """Header of each line of a label."""
    rows: tuple[_ForestRow, ...]
    scale: HasScale
    margin: float | None
    interval: str
    """Description of the intervals that are drawn."""

    @property
    def factor(self) -> float:
        """Return the factor that converts a gap to a number on the axis."""
        return 100.0 if points(self.scale) else 1.0


def _of_pairs(pairs: PairTable) -> tuple[_ForestRow, ...]:
    return tuple(
        _ForestRow(
            label=(pairs.model_a[i], pairs.model_b[i]),
            delta=float(pairs.gap[i]),
            ci=Interval(float(pairs.ci_adjusted_low[i]), float(pairs.ci_adjusted_high[i])),
            verdict=pairs.states[i],
        )
        for i in range(len(pairs))
    )


def _of_ranking(result: Audit) -> _ForestPlot:
    of = board(result)
    pairs_choice = result.pairs_requested if len(result.tasks) == 1 else "adjacent"
    labels = {"adjacent": "adjacent models", "all": "all pairs"}
    pairs_text = labels.get(pairs_choice, f"pairs of the {pairs_choice.replace('top:', 'top ')}")
    adjusted = of.ranking.adjusted
    family = "adjusted for all pairs" if adjusted else "unadjusted"
    interval = interval_header(of.ranking.conf, adjusted=adjusted)
    return _ForestPlot(
        title=f"Gaps on {of.task}: {pairs_text}",
        about=f"First − second with {interval}; markers show verdicts ({family}).",
        head=("first", "second"),
        rows=_of_pairs(result.listed),
        scale=of.ranking.scale,
        margin=result.margin if len(result.tasks) == 1 else None,
        interval=interval,
    )


def _of_comparison(result: Comparison) -> _ForestPlot:
    first, second = (name(n, limit=40) for n in result.models)
    one = result.tasks[0]
    where = f" on {name(one.task, limit=40)}" if one.task else ""
    tasks_text = f" on {len(result.tasks):,} tasks" if len(result.tasks) > 1 else where
    adjusted = "; markers show verdicts adjusted for all tasks (Holm)" if result.adjust else ""
    interval = f"{'unadjusted ' if result.adjust else ''}{coverage(one.confidence_level)} CI"
    return _ForestPlot(
        title=f"{first} − {second}{tasks_text}",
        about=f"Gap with {interval}{adjusted}.",
        head=("task",),
        rows=tuple(
            _ForestRow(label=(p.task or "all items",), delta=p.gap, ci=p.ci, verdict=p.verdict)
            for p in result.tasks
        ),
        scale=one,
        margin=None if one.equivalence is None else one.equivalence.margin,
        interval=interval,
    )


def _own_verdict(result: Judged | Known, estimate: JudgedGap | ReferenceGap) -> str:
    """Return the verdict that one estimate gives by its own interval."""
    low, high = estimate.ci
    if not result.criteria.excludes_zero(low, high):
        return "inconclusive"
    return "better" if (estimate.gap > 0) != result.lower_is_better else "worse"


def _of_estimates(result: Judged | Known) -> _ForestPlot:
    first, second = (name(n, limit=40) for n in result.models)
    where = f" on {name(result.task, limit=40)}" if result.task else ""
    conf = f"{coverage(result.confidence_level)} CI"
    if isinstance(result, Judged):
        source, head = ", by source", "source"
        caveat = "the judge's own CI ignores its bias"
        labels = [JUDGED_BY[x.method] for x in (result.estimate, *result.other_estimates)]
    else:
        source, head = f", from {result.n_sampled:,} of {result.n_items:,} items", "claim about"
        caveat = "the last one ignores the known results"
        labels = [CLAIMS[x.claim] for x in (result.estimate, *result.other_estimates)]
    return _ForestPlot(
        title=f"{first} − {second}{where}{source}",
        about=f"Gap with its {conf}. The first row is used; {caveat}.",
        head=(head,),
        rows=tuple(
            _ForestRow(label=(label,), delta=x.gap, ci=x.ci, verdict=_own_verdict(result, x))
            for label, x in zip(labels, (result.estimate, *result.other_estimates), strict=True)
        ),
        scale=result,
        margin=None,
        interval=conf,
    )


def _table(of: _ForestPlot) -> TextTable:
    return TextTable(
        title=of.title,
        header=(*of.head, "gap", of.interval, "verdict"),
        rows=tuple(
            (
                *(name(line, limit=200) for line in row.label),
                gap(of.scale, row.delta, sign=True, column=True),
                span(of.scale, row.ci, column=True),
                row.verdict,
            )
            for row in of.rows
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _TaskRows:
    """Rows of tasks with names beside them; the counterpart of :class:`PairRows`."""

    names: tuple[str, ...]
    rows: ChartRows

    @property
    def field(self) -> tuple[float, float]:
        """Return the left and right end of the plot area."""
        return _LEFT, _RIGHT

    def __call__(self, i: float) -> float:
        """Return the vertical position of a task."""
        return self.rows(i)

    def strips(self) -> list[tuple[float, float]]:
        """Return the vertical strips of grid lines."""
        return [(self.rows.top, self.rows.bottom)]

    def labeled(self) -> list[int]:
        """Return the tasks that show their name and number."""
        return self.rows.labeled((0, self.rows.n - 1))

    def label(self, canvas: Canvas) -> None:
        """Draw the names that fit."""
        short = shorten_all(self.names, _LEFT - 10 - EDGE)
        for i in self.labeled():
            canvas.text(EDGE, self.rows(i), short[i])


def _rows(of: _ForestPlot, top: float) -> PairRows | _TaskRows:
    """Return the rows of the plot, with room for names."""
    if len(of.head) == 2:
        return pair_rows([(row.label[0], row.label[1]) for row in of.rows], top)
    rows = make_rows(len(of.rows), top, full=22, max_full=40)
    return _TaskRows(names=tuple(row.label[0] for row in of.rows), rows=rows)


def _whiskers(canvas: Canvas, of: _ForestPlot, at: PairRows | _TaskRows, scale: AxisScale) -> None:
    steps = []
    for i, row in enumerate(of.rows):
        low, high = (of.factor * float(end) for end in row.ci)
        if not math.isnan(low + high):
            steps.append(f"M{num(scale(low))} {num(at(i))}H{num(scale(high))}")
    crowded = at.rows.crowded
    canvas.path(steps, "wire" if crowded else "ci w6")
    marks = (
        (scale(of.factor * row.delta), at(i), row.verdict)
        for i, row in enumerate(of.rows)
        if not math.isnan(row.delta)
    )
    draw_verdicts(canvas, marks, 1.5 if crowded else 4.0)


def _alt(of: _ForestPlot) -> str:
    counts = {w: sum(r.verdict == w for r in of.rows) for w in VERDICTS}
    counts_text = ", ".join(f"{n:,} {w}" for w, n in counts.items() if n)
    sizes = [r.delta for r in of.rows if not math.isnan(r.delta)]
    reach = ""
    if sizes:
        low, high = (gap(of.scale, v, sign=True) for v in (min(sizes), max(sizes)))
        reach = f", from {low} to {high}" if len(sizes) > 1 else f" of {low}"
    plural = "s" if len(of.rows) > 1 else ""
    return f"{of.title}: {len(of.rows):,} gap{plural}{reach}, with intervals; {counts_text}."


def _forest_of(result: Audit | Comparison | Judged | Known) -> _ForestPlot:
    if isinstance(result, Judged | Known):
        return _of_estimates(result)
    return _of_comparison(result) if isinstance(result, Comparison) else _of_ranking(result)


def forest(result: Audit | Comparison | Judged | Known) -> Figure:
    """Draw the gap, interval, and verdict of each listed pair, task, or estimate."""
    of = _forest_of(result)
    if len(of.rows) > _MAX_GAPS_DRAWN:
        msg = (
            f"A forest plot of {len(of.rows):,} gaps is not readable. Request fewer pairs: "
            f"{arg('pairs', 'top:20')}."
        )
        raise ParameterError(msg)
    canvas = Canvas()
    y = canvas.head(of.title, of.about)
    verdicts = [w for w in VERDICTS if any(r.verdict == w for r in of.rows)]
    shapes = [(w, verdict_key(w)) for w in verdicts]
    if of.margin is not None:
        words = f"declared margin ±{declared_gap(of.scale, of.margin)}"
        shapes.append((words, [(["M-8 -6h16v12h-16z"], "band")]))
    y = canvas.legend(y, shapes)
    at = _rows(of, y + 26)
    scale = _scale(of, at)
    strips = at.strips()
    if of.margin is not None:
        left, right = (scale(s * of.factor * of.margin) for s in (-1, 1))
        for top, bottom in strips:
            canvas.rect(left, top, right - left, bottom - top, "band")
    axis(canvas, scale, at.rows.top, at.rows.bottom, above=True, strips=strips)
    canvas.path((f"M{num(scale(0))} {num(a)}V{num(b)}" for a, b in strips), "axis")
    _whiskers(canvas, of, at, scale)
    at.label(canvas)
    for i in at.labeled():
        size = gap(of.scale, of.rows[i].delta, sign=True, column=True).removesuffix(unit(of.scale))
        canvas.text(WIDTH - EDGE, at(i), size, "s ink", "end")
    canvas.text(WIDTH - EDGE, y + 17, f"gap{header_unit(of.scale)}", "s", "end")
    return canvas.figure(at.rows.bottom + 26, title=of.title, alt=_alt(of), table=_table(of))


def _scale(of: _ForestPlot, at: PairRows | _TaskRows) -> AxisScale:
    """Return a scale of gaps that includes zero, all intervals, and the margin."""
    ends = [of.factor * float(e) for r in of.rows for e in (*r.ci, r.delta)]
    limit = () if of.margin is None else (-of.factor * of.margin, of.factor * of.margin)
    return linear((0.0, *ends, *limit), *at.field, n_ticks=5)
