"""The ranking of a benchmark as a table; of a long one the first rows, the others in a file."""

import json
import zlib
from html import escape

from nstar.report.site._benchmark import BenchmarkSite, number, word

_FIRST = 100
"""Models on the page; the others are fetched when they are asked for."""
_WORDS = ("model", "verdict")
_LEVEL = 9


def _side(bench: BenchmarkSite, k: int) -> str:
    """How a column stands: numbers to the right, and not on telephones what can be done without.

    Those are interval, p and q: all between the gap and the verdict.
    """
    roomy = ("roomy",) if len(bench.header) - 5 < k < len(bench.header) - 1 else ()
    kinds = (*(() if bench.header[k] in _WORDS else ("num",)), *roomy)
    return f' class="{" ".join(kinds)}"' if kinds else ""


def flagged(flags: list[str]) -> str:
    """What is to be known of a model, as markup after its name."""
    return "".join(f'<small class="flag">{escape(flag)}</small>' for flag in flags)


def _row(bench: BenchmarkSite, i: int) -> str:
    """One model; the gap leads to the pair, a line stands above the first one of a tier."""
    rank, ranks, *others = bench.cells(i)
    verdict, gap = others[-1], len(others) - 5
    cells = [f"<td{_side(bench, k + 3)}>{escape(text)}</td>" for k, text in enumerate(others)]
    if verdict:
        link = f'<a href="{bench.compare(i, i + 1)}">{escape(others[gap])}</a>'
        cells[gap] = f"<td{_side(bench, gap + 3)}>{link}</td>"
        cells[-1] = f"<td>{word(verdict)}</td>"
    name = f'<a href="m/{bench.ids[i]}.html">{escape(bench.name(i))}</a>'
    line = ' class="line"' if bench.starts_tier(i) else ""
    return (
        f"<tr{line}>{number(rank)}{number(ranks)}"
        f'<th scope="row">{name}{flagged(bench.flags(i))}</th>{"".join(cells)}</tr>'
    )


def ranking_table(bench: BenchmarkSite) -> str:
    """The first rows."""
    rows = "\n".join(_row(bench, i) for i in range(min(_FIRST, len(bench.audit))))
    heads = "".join(
        f'<th scope="col"{_side(bench, k)}>{escape(h)}</th>' for k, h in enumerate(bench.header)
    )
    lines = "Lines separate the tiers. " if bench.audit.n_tiers > 1 else ""
    return (
        '<div class="scroll" role="region" tabindex="0" aria-label="Table of the ranking">\n'
        '<table class="board" id="ranking-table">\n'
        f"<caption><span>{lines}A gap leads to the pair</span></caption>\n"
        f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>\n</div>"
    )


def ranking_tools(bench: BenchmarkSite) -> str:
    """Ways to one model, and to two."""
    return (
        '<div class="tools">\n<div class="field" id="search" hidden><label for="wanted">Search '
        f'{len(bench.audit):,} models</label><input type="search" id="wanted" '
        'autocomplete="off" spellcheck="false"></div>\n'
        f'<p><a class="button" href="compare.html">Compare any two models</a></p>\n</div>'
    )


def ranking_rest(bench: BenchmarkSite) -> str:
    """How many of a long ranking are shown, and how to see the others."""
    models = len(bench.audit)
    first = f"The first {_FIRST} of {models:,} models." if models > _FIRST else ""
    rest = (
        '\n<noscript><p class="remark">Without scripts the rest is in '
        '<a href="models.json">models.json</a>.</p></noscript>'
    )
    return (
        '<p class="row"><button type="button" id="more" hidden>Show more</button> '
        f'<span id="shown" class="remark" role="status">{first}</span></p>'
        f"{rest if first else ''}"
    )


def ranking_file(bench: BenchmarkSite) -> bytes | None:
    """All rows beyond the first: address, name, whether a line stands above, flags, cells."""
    names, m = bench.audit.ranking.model, len(bench.audit)
    if m <= _FIRST:
        return None
    rows = [
        [bench.ids[i], names[i], int(bench.starts_tier(i)), bench.flags(i), *bench.cells(i)]
        for i in range(_FIRST, m)
    ]
    return zlib.compress(json.dumps(rows, separators=(",", ":")).encode(), _LEVEL)
