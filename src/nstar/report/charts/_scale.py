"""Map numbers and rows to positions, with round ticks and labels that do not overlap."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from nstar.report.charts._canvas import Canvas, num
from nstar.report.charts._text import width

_THIN = 2.0
"""Minimum height of a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AxisScale:
    """A linear or logarithmic map from values to positions."""

    low: float
    """Value at ``start``."""
    high: float
    """Value at ``stop``."""
    start: float
    """Position of ``low``."""
    stop: float
    """Position of ``high``."""
    ticks: tuple[float, ...]
    """Round values between ``low`` and ``high``."""
    log: bool = False
    """Whether the scale is logarithmic."""

    def __call__(self, value: float) -> float:
        """Return the position of a value. A value beyond the scale is moved to its end."""
        value = min(max(value, self.low), self.high)
        low, high = self.low, self.high
        if self.log:
            value, low, high = math.log(value), math.log(low), math.log(high)
        return self.start + (self.stop - self.start) * (value - low) / (high - low)


def _step(size: float, n_ticks: int) -> float:
    """Return a round step that gives about ``n_ticks`` ticks."""
    raw = size / n_ticks
    base: float = 10.0 ** math.floor(math.log10(raw))
    return next(k * base for k in (1, 2, 2.5, 5, 10) if k * base >= raw * (1 - 1e-9))


def linear(
    values: Iterable[float], start: float, stop: float, *, n_ticks: int = 4, snug: bool = False
) -> AxisScale:
    """Return a linear scale for all finite values.

    It extends slightly beyond them unless ``snug``.
    """
    finite = [v for v in values if math.isfinite(v)] or [0.0]
    low, high = min(finite), max(finite)
    if high - low < 1e-12:
        pad = abs(low) / 10 or 0.01
        low, high = low - pad, high + pad
    elif not snug:
        pad = 0.04 * (high - low)
        low, high = low - pad, high + pad
    ticks: tuple[float, ...] = ()
    while len(ticks) < min(n_ticks, 3):
        step = _step(high - low, n_ticks)
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        ticks = tuple(round(k * step, 12) for k in range(first, last + 1))
        n_ticks += 1
    return AxisScale(low=low, high=high, start=start, stop=stop, ticks=ticks)


def logarithmic(values: Iterable[float], start: float, stop: float) -> AxisScale:
    """Return a logarithmic scale for all finite positive values."""
    finite = [v for v in values if math.isfinite(v) and v > 0] or [1.0]
    low, high = min(finite) / 1.3, max(finite) * 1.3
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks: tuple[float, ...] = ()
    for parts in ((1,), (1, 2, 5), (1, 2, 3, 5, 7), range(1, 10)):
        multiples = (k * 10.0**d for d in decades for k in parts)
        ticks = tuple(t for t in multiples if low <= t <= high)
        if len(ticks) >= 3:
            break
    return AxisScale(low=low, high=high, start=start, stop=stop, ticks=ticks, log=True)


def signed(value: float) -> str:
    """Return a tick as a short number with a true minus sign."""
    return f"{value:,.10g}".replace("-", "−")


def axis(
    canvas: Canvas,
    scale: AxisScale,
    top: float,
    bottom: float,
    format_tick: Callable[[float], str] = signed,
    *,
    above: bool = False,
    strips: Iterable[tuple[float, float]] | None = None,
) -> None:
    """Draw a horizontal axis: grid lines at round values, with numbers that do not touch.

    Numbers stand below, and with ``above`` also above. Lines run from top to bottom, or only
    through ``strips``.
    """
    spans = [(top, bottom)] if strips is None else list(strips)
    lines = (f"M{num(scale(t))} {num(a)}V{num(b)}" for t in scale.ticks for a, b in spans)
    canvas.path(lines, "grid")
    free = -math.inf
    for tick in scale.ticks:
        words, at = format_tick(tick), scale(tick)
        half = width(words, 12) / 2
        if at - half >= free:
            canvas.text(at, bottom + 10, words, "s", "middle")
            if above:
                canvas.text(at, top - 9, words, "s", "middle")
            free = at + half + 4


def height(
    canvas: Canvas,
    scale: AxisScale,
    left: float,
    right: float,
    format_tick: Callable[[float], str] = signed,
) -> None:
    """Draw a vertical axis: grid lines at round values, with numbers on the left."""
    canvas.path((f"M{num(left)} {num(scale(t))}H{num(right)}" for t in scale.ticks), "grid")
    for tick in scale.ticks:
        canvas.text(left - 6, scale(tick), format_tick(tick), "s", "end")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartRows:
    """Rows of a chart from top to bottom. If they are thin, only some have labels."""

    n: int
    """Number of rows."""
    top: float
    """Top edge of the first row."""
    step: float
    """Height of a row."""
    label: float
    """Height of a label."""

    @property
    def crowded(self) -> bool:
        """Return whether rows are too thin for a label each."""
        return self.step < self.label

    @property
    def bottom(self) -> float:
        """Return the bottom edge of the last row."""
        return self.top + self.n * self.step

    def __call__(self, i: float) -> float:
        """Return the middle of a row."""
        return self.top + (i + 0.5) * self.step

    def labeled(self, required_rows: Iterable[int] = ()) -> list[int]:
        """Return the rows with labels.

        If not all fit: the required ones, both ends, and every k-th row.
        """
        if not self.crowded:
            return list(range(self.n))
        spacing = math.ceil(self.label / self.step)
        label_rows: set[int] = set()
        for i in (*required_rows, 0, self.n - 1, *range(0, self.n, spacing), *range(self.n)):
            if label_rows.isdisjoint(range(i - spacing + 1, i + spacing)):
                label_rows.add(i)
        return sorted(label_rows)


def make_rows(n: int, top: float, *, full: float, max_full: int) -> ChartRows:
    """Return rows of full height.

    More than ``max_full`` rows share the same space and are thinner.
    """
    if n <= max_full:
        return ChartRows(n=n, top=top, step=full, label=full)
    step = max(full * max_full / n, _THIN)
    return ChartRows(n=n, top=top + (full - step) / 2, step=step, label=full)
