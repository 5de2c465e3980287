"""The ranking of a benchmark as rows of a table: the first on its page, the rest in files."""

from html import escape
from typing import Any

from nstar.report.site._bench import Bench, word

__all__ = ["CHUNK", "chunks", "ranking_table"]

CHUNK = 100
"""Models on the page at first, and in each file of further ones."""
_WORDS = ("model", "verdict")
_NUM = ' class="num"'


def _row(bench: Bench, i: int) -> str:
    """One model; the gap leads to the pair."""
    rank, ranks, mean, *rest = bench.cells(i)
    *numbers, verdict = rest
    if verdict:
        numbers[-4] = f'<a href="{bench.compare(i, i + 1)}">{escape(numbers[-4])}</a>'
    cells = "".join(f"<td{_NUM}>{n}</td>" for n in (mean, *numbers))
    line = ' class="line"' if bench.starts_tier(i) else ""
    return (
        f"<tr{line}><td{_NUM}>{rank}</td><td{_NUM}>{ranks}</td>"
        f'<th scope="row"><a href="m/{bench.ids[i]}.html">{escape(bench.name(i))}</a></th>'
        f"{cells}<td>{word(verdict) if verdict else ''}</td></tr>"
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
