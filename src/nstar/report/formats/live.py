"""Live screen of a growing evaluation, drawn with rich on standard error."""

import math
import time
from typing import TYPE_CHECKING, Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from nstar._verbs.watch import Decision, Watch
from nstar.report.formats.live_parts import LabeledRows, harmless
from nstar.report.prose.gap import coverage, gap, sequence_scale, span
from nstar.report.prose.numbers import count, name
from nstar.report.prose.watch import counted, evalue, short

if TYPE_CHECKING:
    from nstar._verbs.battles import Battles
    from nstar._verbs.race import RaceResult

_STYLES = {
    "better": "bold green",
    "worse": "bold red",
    "noninferior": "bold green",
    "equivalent": "bold green",
    "futile": "bold yellow",
    "open": "bold",
}
_FIRST_LINE, _NEXT_LINE = 5.0, 60.0
"""Seconds until the first line without a terminal, and between two."""
_HEIGHTS = " ▁▂▃▄▅▆▇█"


def bar(watch: Watch, decision: Decision, width: int = 61) -> tuple[str, str]:
    """Draw the sequence as a bar around 0, with a scale below it.

    The margin, if any, is marked on the side that is worse, for equivalence at both ends.
    """
    low, high = (float(v) for v in decision.confidence_sequence)
    margin = watch.question.margin or 0.0
    known = [abs(v) for v in (low, high, decision.gap, margin) if math.isfinite(v)]
    reach = max([*known, 0.01]) * 1.05
    center = width // 2

    def at(value: float) -> int:
        clipped = min(max(value, -reach), reach)
        return center + round(clipped / reach * center)

    cells = ["─"] * width
    cells[at(low) : at(high) + 1] = ["━"] * (at(high) + 1 - at(low))
    cells[center] = "┃"
    if margin:
        worse = margin if watch.lower_is_better else -margin
        marks = (worse, -worse) if watch.question.equivalence else (worse,)
        for mark in marks:
            cells[at(mark)] = "╎"
    if decision.n_items:
        cells[at(decision.gap)] = "●"
    left, right = (gap(watch, v, sign=True) for v in (-reach, reach))
    zero = "0".rjust(center + 1 - len(left))
    return "".join(cells), f"{left}{zero}{right.rjust(width - center - 1)}"


def trace(watch: Watch) -> str:
    """Draw the path of the e-value, one character per point; full height is a decision."""
    limit = watch.question.log_e_value_threshold
    top = len(_HEIGHTS) - 1
    return "".join(
        _HEIGHTS[min(max(math.ceil(point.log_e / limit * top), 0), top)]
        for point in watch.path.points
    )


class LiveScreen:
    """Live screen. Without a terminal, ``lines`` prints a line now and then instead."""

    def __init__(self, title: str, *, lines: bool = False) -> None:
        self._lines, self._next = lines, time.monotonic() + _FIRST_LINE
        self._title = name(title, limit=96)
        self._console = Console(stderr=True, highlight=False, markup=False, emoji=False)
        self._live = Live(console=self._console, auto_refresh=False, transient=True)

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    @property
    def live(self) -> bool:
        """Return whether the output is a terminal."""
        return self._console.is_terminal

    def show(self, watch: Watch) -> None:
        """Draw the current state of the watch."""
        if self._console.is_terminal:
            self._live.update(self.view(watch), refresh=True)
        elif self._due:
            d = watch.decision
            self._say(short(watch, d))

    @property
    def _due(self) -> bool:
        """Return whether a line is due without a terminal."""
        return self._lines and not self._console.is_terminal and time.monotonic() >= self._next

    def _say(self, text: str) -> None:
        self._next = time.monotonic() + _NEXT_LINE
        line = harmless(f"nstar: {time.strftime('%H:%M:%S')} {name(text, limit=300)}")
        self._console.print(line, soft_wrap=True)

    def show_board(self, result: "Battles", pause: str = "") -> None:
        """Draw the current ratings, and the time of the next look."""
        if self._console.is_terminal:
            self._live.update(self.board(result, pause), refresh=True)
        elif self._due:
            self._say(f"{count(result.n_votes)} of {count(result.n_votes_planned)} planned votes")

    def show_race(self, result: "RaceResult") -> None:
        """Draw the current state of a race."""
        if self._console.is_terminal:
            from nstar.report.formats.live_race import race_view

            view = race_view(result, self._title, self._console.height)
            self._live.update(view, refresh=True)
        elif self._due:
            progress_text = f"{count(result.n_items)} of {count(result.question.items)} items"
            left = f"{len(result.active_models):,} of {len(result.question.models):,} models"
            self._say(f"{progress_text}, {left} remain")

    def board(self, result: "Battles", pause: str = "") -> RenderableType:
        """Return the drawing of ratings."""
        from nstar.report.formats.live_board import board_view

        return board_view(result, self._title, pause, self._console.height)

    def wait(self, reason: str) -> None:
        """Show what the command waits for."""
        if self._console.is_terminal:
            lines = harmless(self._title, "bold"), harmless(f"Waiting: {name(reason, limit=300)}")
            self._live.update(Group(*lines), refresh=True)
        elif self._due:
            self._say(f"waiting: {reason}")

    def view(self, watch: Watch) -> RenderableType:
        """Return the drawing of a watch."""
        d = watch.decision
        first, second = (name(n, limit=30) for n in watch.question.models)
        level = coverage(1 - watch.question.alpha)
        scale = sequence_scale(watch, d.confidence_sequence)
        rows = LabeledRows()
        rows.add(watch.question.unit, f"{count(d.n_items)} of {count(d.n_items_planned)}")
        rows.add("gap", f"{gap(scale, d.gap, sign=True)}   {first} − {second}")
        if math.isfinite(d.confidence_sequence.low):
            line, axis = bar(watch, d)
            rows.add(
                "sequence", f"{span(scale, d.confidence_sequence)}   ({level}, at every look)"
            )
            rows.add("", line, "cyan")
            rows.add("", axis, "dim")
        limit = evalue(watch.question.log_e_value_threshold)
        rows.add("e-value", f"{evalue(d.log_e_value)}; {limit} rejects a gap of 0")
        rows.add("", trace(watch), "cyan")
        if d.log_e_value_margin is not None:
            claim = "equivalence" if watch.question.equivalence else "non-inferiority"
            rows.add("margin", f"{evalue(d.log_e_value_margin)}; {limit} shows {claim}")
        if d.n_items_saved:
            money = "" if d.cost_saved is None else f", {d.cost_saved:,.2f}"
            rows.add("saved", f"{counted(watch, d.n_items_saved)}{money}")
        answer = harmless(short(watch, d), _STYLES[d.verdict])
        parts: list[RenderableType] = [harmless(self._title, "dim"), answer, rows.table]
        if watch.order.sorted:
            parts.append(Text("Caution: items are not in random order; shuffle them.", "yellow"))
        return Group(*parts)
