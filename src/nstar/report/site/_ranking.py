"""The ranking of a benchmark as rows of a table: the first on its page, the rest in files."""

from html import escape
from typing import Any

from nstar.report.site._bench import Bench, number, word

CHUNK = 100
"""Models on the page at first, and in each file of further ones."""
_WORDS = ("model", "verdict")
_NUM = ' class="num"'


def model_row(bench: Bench, i: int, *, before: str, name: str, after: str) -> str:
    """A row for a model, with a line above the first one of a tier; all parts are markup."""
    line = ' class="line"' if bench.starts_tier(i) else ""
    return f'<tr{line}>{before}<th scope="row">{name}</th>{after}</tr>'


def _row(bench: Bench, i: int) -> str:
    """One model; the gap leads to the pair."""
    rank, ranks, *numbers, verdict = bench.cells(i)
    cells = [number(n) for n in numbers]
    if verdict:
        link = f'<a href="{bench.compare(i, i + 1)}">{escape(numbers[-4])}</a>'
        cells[-4] = f"<td{_NUM}>{link}</td>"
    return model_row(
        bench,
        i,
        before=number(rank) + number(ranks),
        name=f'<a href="m/{bench.ids[i]}.html">{escape(bench.name(i))}</a>',
        after=f"{''.join(cells)}<td>{word(verdict) if verdict else ''}</td>",
    )


def ranking_table(bench: Bench) -> str:
    """The first models."""
    rows = "\n".join(_row(bench, i) for i in range(min(CHUNK, len(bench.audit))))
    heads = "".join(
        f'<th scope="col"{"" if h in _WORDS else _NUM}>{escape(h)}</th>' for h in bench.header
    )
    return (
        '<div class="scroll" role="region" tabindex="0" aria-label="Table of the ranking">\n'
        '<table class="board" id="ranking-table">\n'
        "<caption><span>Lines part the tiers; a gap leads to the pair</span></caption>\n"
        f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>\n</div>"
    )


def chunks(bench: Bench) -> list[dict[str, Any]]:
    """Further rows: address, name, whether a line stands above, cells; and who follows."""
    names, m = bench.audit.ranks.name, len(bench.audit)

    def following(end: int) -> list[str] | None:
        return [bench.ids[end], names[end]] if end < m else None

    return [
        {
            "rows": [
                [bench.ids[i], names[i], int(bench.starts_tier(i)), *bench.cells(i)]
                for i in range(start, min(start + CHUNK, m))
            ],
            "next": following(start + CHUNK),
        }
        for start in range(CHUNK, m, CHUNK)
    ]
