"""The ranking of a benchmark as a table; of a long one the first rows, the others in a file."""

import json
import zlib
from html import escape

from nstar.report.page._models_table import ModelRow, models_table
from nstar.report.page.audit import model_cells, model_columns, table_caption
from nstar.report.site._benchmark import BenchmarkSite

_FIRST = 100
"""Models on the page; the others are fetched when they are asked for."""
_GAP = 4
"""Place of the gap among the cells of a model."""
_LEVEL = 9


def flagged(flags: list[str]) -> str:
    """What is to be known of a model, as markup after its name."""
    return "".join(f'<small class="flag">{escape(flag)}</small>' for flag in flags)


def _row(bench: BenchmarkSite, i: int, up: str, marked: int | None) -> ModelRow:
    """One model; the gap leads to the pair."""
    rank, *others = map(escape, model_cells(bench.ranking, i))
    is_last = i >= bench.neighbors
    if not is_last:
        link = f"{up}{bench.compare(i, i + 1)}"
        others[_GAP - 1] = f'<a href="{link}">{others[_GAP - 1]}</a>'
    name = f'<a href="{up}m/{bench.ids[i]}.html">{escape(bench.name(i))}</a>'
    return ModelRow(
        cells=(rank, f"{name}{flagged(bench.flags(i))}", *others),
        state=None if is_last else bench.states[i],
        starts_tier=bench.starts_tier(i),
        is_marked=i == marked,
    )


def ranking_table(
    bench: BenchmarkSite,
    first: int = 0,
    end: int = _FIRST,
    *,
    up: str = "",
    marked: int | None = None,
) -> str:
    """Some of the models, by default the first ones; ``up`` leads to the folder of the board."""
    rows = (_row(bench, i, up, marked) for i in range(first, min(end, len(bench.audit))))
    return models_table(model_columns(bench.ranking), rows, table_caption(bench.ranking.tiers))


def ranking_rest(bench: BenchmarkSite) -> str:
    """How many of a long ranking are shown, and where the others are."""
    models = len(bench.audit)
    if models <= _FIRST:
        return ""
    return (
        f'<noscript><p class="remark">The first {_FIRST} of {models:,} models. The others are in '
        '<a href="models.json">models.json</a>.</p></noscript>'
    )


def ranking_file(bench: BenchmarkSite) -> bytes | None:
    """All rows beyond the first: address, name, starts a tier, flags, verdict, cells."""
    names, m = bench.audit.ranking.model, len(bench.audit)
    if m <= _FIRST:
        return None
    states = (*bench.states, "")
    rows = [
        [
            *(bench.ids[i], names[i], int(bench.starts_tier(i)), bench.flags(i), states[i]),
            *model_cells(bench.ranking, i),
        ]
        for i in range(_FIRST, m)
    ]
    return zlib.compress(json.dumps(rows, separators=(",", ":")).encode(), _LEVEL)
