"""Tables of simulated rates: items and one parameter down, another and the procedures across."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from nstar._verbs.simulate.result import LevelWord, Parameter, ProcedureKind, Rate, Simulation
from nstar.report.documents import TextTable
from nstar.report.prose.numbers import count

_COLUMNS = 6
"""Maximum number of columns of rates on a page."""
MARKS = {"errs more": "!", "errs less": "c"}
"""Marks before a rate whose level does not hold."""


def values_of(simulation: Simulation, name: str) -> list[Any]:
    """Return the values of ``items`` or of a parameter, in the order of simulation."""
    return list(dict.fromkeys(value_of(r, name) for r in simulation.rates))


def value_of(rate: Rate, name: str) -> Any:
    """Return the value of ``items`` or of a parameter in the cell of a rate."""
    return rate.n_items if name == "items" else rate.parameters[name]


def format_parameter(value: Parameter) -> str:
    """Return a value of a parameter as short text."""
    if isinstance(value, tuple):
        numbers = [v for v in value if isinstance(v, int | float)]
        mean = f" of mean {sum(numbers) / len(numbers):.3g}" if numbers else ""
        return f"{len(value):,} values{mean}".replace("-", "−")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:.6g}".replace("-", "−")


def settings(rate: Rate, names: Sequence[str]) -> str:
    """Return the parameters of a cell as text: ``200 items, rho 0.5``."""
    return ", ".join(
        f"{count(rate.n_items)} items"
        if n == "items"
        else f"{n} {format_parameter(value_of(rate, n))}"
        for n in names
    )


def decimals(rates: Sequence[Rate]) -> int:
    """Return the digits of a percentage that are meaningful given its Monte Carlo error."""
    typical = sorted(r.se for r in rates)[len(rates) // 2]
    return min(max(math.ceil(-math.log10(100 * typical)), 1), 4)


def rate_text(rate: Rate, digits: int) -> str:
    """Return a rate in percent: ``73.5 ± 1.4``."""
    error = f"{100 * rate.se:.{digits}f}"
    error = error if float(error) else f"<{10.0**-digits:.{digits}f}"
    return f"{100 * rate.rate:.{digits}f} ± {error}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _RateTableLayout:
    """Positions of the parameters in tables."""

    down: tuple[str, ...]
    """Parameters of the rows."""
    across: str | None
    """Parameter of the columns, in addition to the procedures."""
    apart: tuple[str, ...]
    """Parameters of separate tables."""


def _layout(simulation: Simulation, procedures: int) -> _RateTableLayout:
    free = [n for n in simulation.varied if n != "items"]
    sizes = {n: len(values_of(simulation, n)) for n in free}
    narrow = [n for n in free if sizes[n] * procedures <= _COLUMNS]
    across = None
    if len(free) > 1 and narrow:
        across = min(reversed(narrow), key=lambda n: sizes[n])
        free.remove(across)
    down = max(free, key=lambda n: sizes[n], default=None)
    rows = tuple(n for n in ("items", down) if n in simulation.varied)
    return _RateTableLayout(down=rows, across=across, apart=tuple(n for n in free if n != down))


def _table(
    simulation: Simulation,
    layout: _RateTableLayout,
    title: str,
    rates: dict[tuple[Any, ...], tuple[Rate, LevelWord | None]],
    fixed: tuple[Any, ...],
) -> TextTable:
    """Return one table; ``cells`` has rates by parameters apart, down, across, and procedure."""
    procedures = list(dict.fromkeys(key[-1] for key in rates))
    columns = values_of(simulation, layout.across) if layout.across else [None]
    heads = [p if c is None else f"{format_parameter(c)} {p}" for c in columns for p in procedures]
    digits = decimals([r for r, _ in rates.values()])
    rows, lines = [], []
    below = list(product(*(values_of(simulation, n) for n in layout.down)))
    for k, place in enumerate(below):
        if k and len(layout.down) > 1 and place[0] != below[k - 1][0]:
            lines.append(k)
        cells = []
        for key in product([fixed], [place], columns, procedures):
            rate, level = rates[key]
            mark = MARKS.get(level or "", "")
            cells.append(f"{mark} {rate_text(rate, digits)}".strip())
        rows.append((*map(format_parameter, place), *cells))
    return TextTable(
        title=title, header=(*layout.down, *heads), rows=tuple(rows), lines=tuple(lines)
    )


_TITLES: dict[ProcedureKind, str] = {
    "test": "Rejections of a zero gap (% of replications)",
    "equivalence": "Findings of equivalence (% of replications)",
    "family": "Boards with a false positive (% of replications)",
    "interval": "Intervals that contain the true gap (% of replications)",
    "resolution": "Intervals that contain the true q (% of replications)",
    "ranks": "Boards whose rank ranges contain all true ranks (% of replications)",
}


def grids(simulation: Simulation, words: Sequence[LevelWord | None]) -> Iterator[TextTable]:
    """Yield tables by kind, tests first.

    Each value of the separate parameters has its own table.
    """
    for kind, title in _TITLES.items():
        kind_rates = [
            (r, w) for r, w in zip(simulation.rates, words, strict=True) if r.kind == kind
        ]
        if not kind_rates:
            continue
        layout = _layout(simulation, len({r.procedure for r, _ in kind_rates}))
        cells = {}
        for r, w in kind_rates:
            panel, down = (
                tuple(value_of(r, n) for n in names) for names in (layout.apart, layout.down)
            )
            column = value_of(r, layout.across) if layout.across else None
            cells[panel, down, column, r.procedure] = r, w
        for fixed in dict.fromkeys(key[0] for key in cells):
            where = ", ".join(
                f"{n} {format_parameter(v)}" for n, v in zip(layout.apart, fixed, strict=True)
            )
            title_parts = [title, where, f"across: {layout.across}" if layout.across else ""]
            part = {k: v for k, v in cells.items() if k[0] == fixed}
            yield _table(simulation, layout, "; ".join(filter(None, title_parts)), part, fixed)
