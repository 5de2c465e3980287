"""Ladder of a page: models, gaps to the next model, and rank ranges, row by row.

Positions are percentages across and pixels down, so that the ladder stretches with the window
while its text keeps its size. ``assets/ladder.js`` moves the parts that depend on settings.
"""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from nstar._base.types import IntArray
from nstar._verbs.audit import Audit
from nstar._verbs.verdict import PairState
from nstar.report.charts._text import escape, width
from nstar.report.page._gap_chart import GapAxis, pct, point, tick_text
from nstar.report.page._markup import kind_of, legend, mark
from nstar.report.prose.audit.ranking import ranking_of
from nstar.report.prose.gap import coverage, gap, page_units, points, score, unit
from nstar.report.prose.numbers import name

_STEP, _NARROW_STEP, _TALL_STEP = 24, 26, 42
"""Pixels of a row: in wide windows, in narrow ones, and there with the name above its bar."""
_LINE, _SMALL_LINE = 14, 12
"""Pixels of each further line of a name, and beside a bar."""
_MAX_ROWS = 120
"""Models of a ladder that is drawn whole."""
_WINDOW = 60
"""Rows drawn of a longer one, below the outline of the whole."""
_OUTLINE = 280
"""Pixels down of that outline."""
_NARROW_ROOM, _SCORE_ROOM = 300, 30
"""Pixels beside rank and score in a window of 390, and those of a score of usual length."""
_ABOVE_ROOM = 230
"""Pixels of a name above its bar in a window of 320."""
_MAX_LINES = 2
"""Lines of a name beside its bar, where they are small."""
_NAME_ROOM = (238, 350)
"""Pixels of a name in the column of models, and in a broader one."""
_STAIRS = 200
"""Steps of the outline of all models."""
_BREAKS = re.compile(r"[^-/_: ]*[-/_: ]*")
"""Parts of a name between which a line may end."""
_SHARE = 0.78
"""Share of the gap panel that intervals have; the rest is for the numbers."""
_PAD = 0.16
"""Share of a rank that a bar leaves free at either end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GapMark:
    """A gap to the next model in the units of its axis; NaN where it is not known."""

    value: float
    low: float
    high: float
    text: str
    state: PairState


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderRow:
    """A model."""

    rank: str
    name: str
    score: str
    low: int
    """Best rank that the data leave open."""
    high: int
    """Worst rank that the data leave open."""
    tier: int
    gap: GapMark | None
    """None for the last model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderView:
    """Data of a ladder, for any kind of score."""

    rows: Sequence[LadderRow]
    score: str
    """Head of the column of scores: ``Score, %``."""
    gap: str
    """Head of the column of gaps: ``Gap to the next model, pp``."""
    interval: str
    """What the intervals of the gaps are."""
    ranks: str
    """Head of the column of rank ranges."""
    mde: float | None = None
    """Smallest true gap that is detected, in the units of the axis."""
    highlight: int | None = None
    """Row of the highlighted model."""
    part: tuple[int, int] | None = None
    """First row and end of the part to draw; by default all, or a part of a long ladder."""


def audit_view(result: Audit, where: str | None = None) -> LadderView:
    """Return the ladder of an audit."""
    ranking = ranking_of(result, where)
    r, p = ranking.ranks, ranking.adjacent
    factor, suffix = 100.0 if points(ranking.scale) else 1.0, unit(ranking.scale)
    pairs = zip(
        p.gap.tolist(),
        p.ci_adjusted_low.tolist(),
        p.ci_adjusted_high.tolist(),
        p.states,
        strict=True,
    )
    marks = [
        GapMark(
            value=factor * value,
            low=factor * low,
            high=factor * high,
            text=gap(ranking.scale, value, sign=True, column=True).removesuffix(suffix),
            state=state,
        )
        for value, low, high, state in pairs
    ]
    fewer, mde = ranking.fewer(), p.resolvable_gap()
    adjective = "Adjusted" if ranking.adjusted else "Unadjusted"
    pp, percent = page_units(ranking.scale)
    lower = ", lower is better" if ranking.scale.lower_is_better else ""
    return LadderView(
        rows=[
            LadderRow(
                rank=f"{r.rank[i]:,}",
                name=name(r.model[i]) + " †" * (i in fewer),
                score=score(ranking.scale, float(r.mean[i]))
                .removesuffix("%")
                .removesuffix(suffix),
                low=int(r.rank_low[i]),
                high=int(r.rank_high[i]),
                tier=int(r.tier[i]),
                gap=marks[i] if i < len(marks) else None,
            )
            for i in range(len(r))
        ],
        score=f"Score{percent}{lower}",
        gap=f"Gap to the next model{pp}",
        interval=f"{adjective} {coverage(ranking.conf)} CI",
        ranks=f"{coverage(ranking.conf)} rank range",
        mde=None if mde is None else factor * mde.median,
        highlight=ranking.highlight,
    )


def name_lines(text: str, max_width: float, size: float = 13) -> list[str]:
    """Split a name into lines that fit, after hyphens and the like where it has some.

    Examples
    --------
    >>> name_lines("laboratory/Mixtral-8x7B-Instruct", 150)
    ['laboratory/Mixtral-', '8x7B-Instruct']
    """
    if width(text, size) <= max_width:
        return [text]
    lines = [""]
    for part in _BREAKS.findall(text):
        pieces = [part] if width(part, size) <= max_width else list(part)
        for piece in pieces:
            if lines[-1] and width(lines[-1] + piece, size) > max_width:
                lines.append("")
            lines[-1] += piece
    return lines


class _Ladder:
    """Rows of a ladder with their positions."""

    def __init__(self, view: LadderView) -> None:
        self.view = view
        first, last = view.part or (0, len(view.rows))
        if last - first > _MAX_ROWS:
            first = min(max((view.highlight or 0) - _WINDOW // 2, 0), len(view.rows) - _WINDOW)
            last = first + _WINDOW
        self.first, self.rows = first, view.rows[first:last]
        low, high = min(r.low for r in self.rows), max(r.high for r in self.rows)
        self.low, self.ranks = low, high - low + 1
        self.domain = _domain([r.gap for r in self.rows if r.gap is not None], view.mde)
        small, large = _NAME_ROOM
        self.is_broad = max(width(r.name) for r in self.rows) > small
        self.names = [name_lines(r.name, large if self.is_broad else small) for r in self.rows]
        self.step = _STEP + _LINE * (max(map(len, self.names)) - 1)

    def x(self, rank: float) -> float:
        """Share of the way to the left edge of a rank."""
        return (rank - self.low) / self.ranks

    def gap(self, value: float) -> float:
        """Share of the way to a gap; those beyond the panel stay at its end."""
        low, high = self.domain
        return _SHARE * (min(max(value, low), high) - low) / (high - low)

    def tiers(self) -> Iterator[tuple[int, int]]:
        """First row and number of rows of each tier."""
        at = 0
        for _, group in groupby(self.rows, key=lambda row: row.tier):
            size = len(list(group))
            yield at, size
            at += size

    def bands(self, step: int) -> str:
        """Every other tier on a ground of its own, and the highlighted model."""
        parts = [
            f'<rect class="band" width="100%" y="{at * step}" height="{size * step}"/>'
            for k, (at, size) in enumerate(self.tiers())
            if k % 2 == 0
        ]
        highlight = self.view.highlight
        row = ""
        if highlight is not None:
            y = (highlight - self.first) * step
            row = f'<rect class="asked-row" width="100%" y="{y}" height="{step}"/>'
        return f'<g class="bands">{"".join(parts)}</g>{row}'

    def blocks(self, step: int) -> str:
        """Tiers as blocks on the axis of ranks."""
        parts = []
        for at, size in self.tiers():
            start = self.x(self.first + at + 1)
            parts.append(
                f'<rect x="{pct(start)}" width="{pct(size / self.ranks)}" y="{at * step}" '
                f'height="{size * step}" rx="5"/>'
            )
        return f'<g class="tier-block">{"".join(parts)}</g>'


def _domain(gaps: Sequence[GapMark], mde: float | None) -> tuple[float, float]:
    """Ends of the axis of gaps: most intervals fit; large gaps end in arrows."""
    lows, highs = (
        [x for x in ends if math.isfinite(x)]
        for ends in ([g.low for g in gaps], [g.high for g in gaps])
    )
    reach = mde if mde is not None and math.isfinite(mde) else 0.0
    if not highs:
        return -2 * reach or -1.0, 2 * reach or 1.0
    high = max(1.25 * reach, float(np.quantile(highs, 0.85)), 1e-9)
    return max(min(*lows, -1.25 * reach, -0.1 * high), -high), high


def _chart(height: int, inside: str, kind: str = "", data: str = "") -> str:
    return f'<svg class="chart{kind}" height="{height}" aria-hidden="true"{data}>{inside}</svg>'


def _text(x: str, y: float, words: str, kind: str = "", dx: float = 0) -> str:
    style = f' class="{kind}"' if kind else ""
    shift = f' dx="{dx:g}"' if dx else ""
    return f'<text x="{x}" y="{y:g}"{shift}{style}>{escape(words)}</text>'


def _lines(
    x: str, y: float, lines: Sequence[str], kind: str = "", dx: float = 0, line: float = _LINE
) -> str:
    """The lines of a name around a height."""
    top = y - line * (len(lines) - 1) / 2
    return "".join(_text(x, top + line * k, text, kind, dx) for k, text in enumerate(lines))


def _names(of: _Ladder) -> str:
    parts = [of.bands(of.step)]
    for k, (row, lines) in enumerate(zip(of.rows, of.names, strict=True)):
        y = (k + 0.5) * of.step + 4.5
        parts += (
            _text("30", y, row.rank, "s e"),
            _lines("42", y, lines),
            _text("100%", y, row.score, "e b", -14),
        )
    return _chart(len(of.rows) * of.step, "".join(parts))


def _gap_row(of: _Ladder, k: int, gap: GapMark) -> str:
    """A gap between its two rows: interval, mark and number; beyond the panel an arrow."""
    y = (k + 1) * of.step
    parts = []
    if gap.value > of.domain[1]:
        start, end = (pct(_SHARE * share) for share in (0.86, 0.95))
        parts = [
            f'<line class="iv" x1="{start}" x2="{end}" y1="{y}" y2="{y}"/>',
            _text(pct(_SHARE), y + 4.5, "→", "e b"),
        ]
    elif math.isfinite(gap.value):
        if math.isfinite(gap.low):
            start, end = pct(of.gap(gap.low)), pct(of.gap(gap.high))
            parts = [f'<line class="iv ci" x1="{start}" x2="{end}" y1="{y}" y2="{y}"/>']
        parts.append(point(of.gap(gap.value), y, kind_of(gap.state)))
    parts.append(_text("100%", y + 4.5, gap.text, "e b", -12))
    return f'<g class="{kind_of(gap.state)}" data-gap="{of.first + k}">{"".join(parts)}</g>'


def _gaps(of: _Ladder) -> tuple[str, str]:
    """The axis of gaps and the gaps."""
    height = len(of.rows) * of.step
    ticks = [(x, pct(of.gap(x))) for x in GapAxis(*of.domain).ticks(5)]
    scale = _chart(20, "".join(_text(at, 14, tick_text(x), "s m") for x, at in ticks))
    mde = of.view.mde
    mde_band = ""
    if mde is not None and math.isfinite(mde):
        start, end = of.gap(-mde), of.gap(mde)
        mde_band = (
            f'<rect class="near" x="{pct(start)}" width="{pct(end - start)}" height="{height}"/>'
        )
    lines = "".join(
        f'<line class="{"grid" if x else "zero"}" x1="{at}" x2="{at}" y2="{height}"/>'
        for x, at in ticks
    )
    # the gap of the last row is drawn between two rows, and there is none below it
    rows = [_gap_row(of, k, r.gap) for k, r in enumerate(of.rows[:-1]) if r.gap is not None]
    low, high = of.domain
    data = f' data-low="{low:.9g}" data-high="{high:.9g}" data-share="{_SHARE}"'
    inside = "".join((of.bands(of.step), mde_band, lines, *rows))
    return scale, _chart(height, inside, data=data)


def _bar(of: _Ladder, row: LadderRow, y: float) -> str:
    start, size = of.x(row.low + _PAD), (row.high - row.low + 1 - 2 * _PAD) / of.ranks
    return (
        f'<rect class="bar" x="{pct(start)}" width="{pct(size)}" y="{y - 5:g}" height="10" '
        'rx="5"/>'
    )


def _range(row: LadderRow) -> str:
    return f"{row.low:,}" if row.low == row.high else f"{row.low:,}–{row.high:,}"


def _stairs(
    of: _Ladder,
    step: int,
    label: Callable[[LadderRow, int, float], str],
    down: float,
    names: str,
) -> str:
    """Rank ranges on the blocks of tiers; ``label`` writes beside them."""
    parts = [of.bands(step), of.blocks(step)]
    for k, row in enumerate(of.rows):
        y = k * step + down
        kind = "one" if row.low == row.high else "many"
        parts.append(
            f'<g class="{kind}" data-row="{of.first + k}">{_bar(of, row, y)}{label(row, k, y)}</g>'
        )
    data = (
        f' data-step="{step}" data-low="{of.low}" data-ranks="{of.ranks}" '
        f'data-first="{of.first}" data-rows="{len(of.rows)}" data-names="{names}"'
    )
    return _chart(len(of.rows) * step, "".join(parts), " stairs", data)


def _wide_label(of: _Ladder) -> Callable[[LadderRow, int, float], str]:
    def label(row: LadderRow, _: int, y: float) -> str:
        if of.x(row.high + 1) <= 1 - 3 / 29:
            return _text(pct(of.x(row.high + 1)), y + 4.5, _range(row), "ranks", 5)
        return _text(pct(of.x(row.low)), y + 4.5, _range(row), "ranks e", -5)

    return label


def _rank_axis(of: _Ladder) -> str:
    """Ranks at round numbers."""
    step = next(s for s in (1, 2, 5, 10, 20, 50, 100, 200, 500) if of.ranks / s <= 8)
    last = of.low + of.ranks - 1
    ranks = [of.low, *(r for r in range(step, last + 1, step) if r > of.low + step / 2)]
    return _chart(20, "".join(_text(pct(of.x(r + 0.5)), 14, f"{r:,}", "s m") for r in ranks))


def _sides(of: _Ladder) -> list[tuple[float, float]]:
    """Shares of the width on either side of the tier block of each row."""
    sides = list[tuple[float, float]]()
    for at, size in of.tiers():
        start = of.x(of.first + at + 1)
        sides += [(start, 1 - start - size / of.ranks)] * size
    return sides


def _narrow(of: _Ladder) -> str:
    """Rank and score, and the rank ranges with the names beside or above them."""
    sides = _sides(of)
    names = [
        name_lines(row.name, _NARROW_ROOM * max(side) - 6, 12)
        for row, side in zip(of.rows, sides, strict=True)
    ]
    beside = max(map(len, names)) <= _MAX_LINES
    if not beside:
        names = [name_lines(row.name, _ABOVE_ROOM, 12) for row in of.rows]
    extra_height = 0 if beside else _LINE * (max(map(len, names)) - 1)
    step, down = (
        (_NARROW_STEP, _NARROW_STEP / 2)
        if beside
        else (_TALL_STEP + extra_height, 29 + extra_height)
    )

    def label(_: LadderRow, k: int, y: float) -> str:
        left, right = sides[k]
        if not beside:
            return _lines("2", y - 13 - extra_height / 2, names[k])
        small = "small " if len(names[k]) > 1 else ""
        if right >= left:
            return _lines(pct(1 - right), y + 4.5, names[k], small, 5, _SMALL_LINE)
        return _lines(pct(left), y + 4.5, names[k], f"{small}e", -5, _SMALL_LINE)

    longest = max(width(row.score, 12) for row in of.rows)
    is_roomy = longest > _SCORE_ROOM or len(of.rows[-1].rank) > 2
    numbers = [of.bands(step)]
    for k, row in enumerate(of.rows):
        y = k * step + (step / 2 + 4.5 if beside else 16)
        numbers += (
            _text("24" if is_roomy else "18", y, row.rank, "s e"),
            _text("100%", y, row.score, "e b", -6),
        )
    left = _chart(len(of.rows) * step, "".join(numbers))
    stairs = _stairs(of, step, label, down, "beside" if beside else "above")
    size = " roomy-scores" if is_roomy else ""
    return f'<div class="narrow">\n<div class="in{size}">\n{left}\n{stairs}\n</div>\n</div>'


def staircase(low: IntArray, high: IntArray) -> str:
    """Rank ranges of all models as two paths in a square of one unit; of many, in groups."""
    m = len(low)
    edges = np.linspace(0, m, min(m, _STAIRS) + 1).astype(int)
    paths = {"set-one": "", "set-many": ""}
    for a, b in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        first, last = int(low[a:b].min()) - 1, int(high[a:b].max())
        kind = "set-one" if last - first <= b - a else "set-many"
        top, tall = 1000 * a / m, 1000 * (b - a) / m
        paths[kind] += (
            f"M{1000 * first / m:.1f} {top + 0.15 * tall:.1f}H{1000 * last / m:.1f}"
            f"v{0.7 * tall:.2f}H{1000 * first / m:.1f}z"
        )
    return "".join(f'<path class="{k}" d="{d}"/>' for k, d in paths.items() if d)


def _outline(view: LadderView) -> str:
    """The whole of a long ladder: thin where ranks are known, thick where they are not."""
    low, high = (np.array([getattr(r, end) for r in view.rows]) for end in ("low", "high"))
    words = f"Rank ranges of all {len(view.rows):,} models, the best at the top."
    return (
        f'<p class="remark">{words} Below: {_WINDOW} of them.</p>\n'
        f'<svg class="chart overview" height="{_OUTLINE}" viewBox="0 0 1000 1000" '
        f'preserveAspectRatio="none" role="img" aria-label="{words}">{staircase(low, high)}</svg>'
    )


def ladder(view: LadderView) -> str:
    """Draw the ladder for wide and for narrow windows."""
    of = _Ladder(view)
    scale, gaps = _gaps(of)
    size = " broad" if of.is_broad else ""
    kinds = {kind_of(r.gap.state): r.gap.state for r in of.rows if r.gap is not None}
    entries = [
        ('<span class="key"></span>', "several ranks possible"),
        ('<span class="key one"></span>', "one rank"),
        ('<span class="key tier"></span>', "tier: every model in it beats every model below it"),
    ]
    words = {
        "sig": "significant",
        "und": "significant, underpowered",
        "eq": "equivalent",
        "inc": "inconclusive",
    }
    marks = [(mark(kind), words[kind]) for kind in words if kind in kinds]
    if view.mde is not None:
        marks.append(('<span class="key near"></span>', "gaps below the MDE"))
    head = '<div class="head{}"><b>{}</b>{}</div>'
    wide = (
        f'<div class="head both"><b>Model</b><b>{escape(view.score)}</b></div>',
        head.format(" gaps", escape(view.gap), escape(view.interval)),
        head.format("", escape(view.ranks), "simultaneous for all models"),
        "<div></div>",
        f'<div class="gaps">{scale}</div>',
        f"<div>{_rank_axis(of)}</div>",
        f"<div>{_names(of)}</div>",
        f'<div class="gaps">{gaps}</div>',
        f"<div>{_stairs(of, of.step, _wide_label(of), of.step / 2, 'none')}</div>",
    )
    alt = (
        f"Ladder of {len(of.rows):,} models: rank, score, gap to the next model and rank range. "
        "The table below has the same numbers."
    )
    is_cut = view.part is None and len(of.rows) < len(view.rows)
    outline = _outline(view) if is_cut else ""
    parts = (
        f'<figure id="ladder" aria-label="{alt}">',
        legend(entries),
        legend(marks, "gaps"),
        outline,
        f'<div class="ladder{size}">',
        *wide,
        "</div>",
        _narrow(of),
        "</figure>",
    )
    return "\n".join(filter(None, parts))
