"""Pieces of a page that need no script: tables, lists, sections; every string escaped here."""

from collections.abc import Container, Iterable, Mapping
from html import escape

from nstar._base.version import __version__
from nstar.report.charts import Figure
from nstar.report.documents import Document, TextTable

_WORDS = {
    *("model", "first", "second", "verdict", "assumption", "task", "could be best", "group"),
    *("kind", "procedure", "used", "where", "claim", "outcome", "it says"),
    *("least favorable cell", "worst cell", "votes share", "effect", "why"),
    *("better", "next", "compared", "as"),
}
"""Columns of words; all others are of numbers."""

_TITLE = "nstar: can this evaluation tell these two AI models apart?"
_HOME = "https://github.com/nstar-eval/nstar"


def _cell(text: str, tag: str, kind: str, *, bold: bool = False) -> str:
    inside = f"<strong>{escape(text)}</strong>" if bold else escape(text)
    return f"<{tag}{kind}>{inside}</{tag}>"


def _counted(grid: TextTable, k: int) -> bool:
    """Whether a column holds whole numbers and dashes only."""
    cells = {row[k].replace(",", "") for row in grid.rows} - {"", "–"}
    return bool(cells) and all(cell.isdecimal() for cell in cells)


def _sides(grid: TextTable) -> tuple[int, list[str]]:
    """Which column names a row, and how each stands: words left, numbers right."""
    first, *others = [k for k, h in enumerate(grid.header) if h in _WORDS] or [0]
    words = {first, *(k for k in others if not _counted(grid, k))}
    return first, ["" if k in words else ' class="num"' for k in range(len(grid.header))]


def _head(grid: TextTable, sides: list[str]) -> str:
    cells = (_cell(h, "th", f' scope="col"{s}') for h, s in zip(grid.header, sides, strict=True))
    return "".join(cells)


def _row(grid: TextTable, i: int, named: int, sides: list[str]) -> str:
    marks = [m for m, on in (("line", i in grid.lines), ("asked", i == grid.marked)) if on]
    kind = f' class="{" ".join(marks)}"' if marks else ""
    first, *others = grid.rows[i]
    row = (f"→ {first}" if i == grid.marked else first, *others)
    cells = (
        _cell(text, "th", f' scope="row"{side}')
        if k == named
        else _cell(text, "td", side, bold=(i, k) in grid.strong)
        for k, (text, side) in enumerate(zip(row, sides, strict=True))
    )
    return f"<tr{kind}>{''.join(cells)}</tr>"


def table(grid: TextTable, *, identity: str = "", live: str = "") -> str:
    """A table in a box that scrolls by itself; ``live`` is the name by which a script knows it."""
    key = f' id="{identity}"' if identity else ""
    kind = f' data-grid="{live}"' if live else ""
    named, sides = _sides(grid)
    rows = "\n".join(_row(grid, i, named, sides) for i in range(len(grid.rows)))
    title = escape(grid.title)
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{title}"{key}>\n'
        f"<table{kind}>\n<caption><span>{title}</span></caption>\n"
        f"<thead><tr>{_head(grid, sides)}</tr></thead>\n"
        f"<tbody>\n{rows}\n</tbody>\n</table>\n</div>"
    )


def tables(grids: Iterable[TextTable]) -> str:
    """Tables side by side where there is room."""
    inside = "\n".join(map(table, grids))
    return f'<div class="tables">\n{inside}\n</div>'


def twin(*parts: str) -> str:
    """Two sections side by side where there is room."""
    inside = "\n".join(parts)
    return f'<div class="twin">\n{inside}\n</div>'


def listing(sentences: Iterable[str]) -> str:
    """Sentences one below the other."""
    inside = "\n".join(f"<li>{escape(s)}</li>" for s in sentences)
    return f'<ul class="prose">\n{inside}\n</ul>'


def section(identity: str, title: str, *parts: str, live: bool = False) -> str:
    """A part of the page with its heading; ``live`` ones appear when the script is up."""
    hidden = " data-live hidden" if live else ""
    inside = "\n".join((f'<h2 id="h-{identity}">{escape(title)}</h2>', *parts))
    head = f'<section id="{identity}" aria-labelledby="h-{identity}"{hidden}>'
    return f"{head}\n{inside}\n</section>"


def picture(figure: Figure) -> str:
    """A drawing with the data behind it."""
    return (
        f'<figure class="picture">\n{figure.fragment()}'
        f"<figcaption><details>\n<summary>Data behind the picture</summary>\n"
        f"{table(figure.table)}\n</details></figcaption>\n</figure>"
    )


def two_pictures(identity: str, wide: Figure, narrow: Figure, data: str = "") -> str:
    """A picture for wide and one for narrow windows, with the data behind it."""
    behind = f"<details>\n<summary>Data behind the picture</summary>\n{data}\n</details>"
    return (
        f'<figure class="picture" id="{identity}">\n'
        f'<div class="wide">\n{wide.fragment()}</div>\n'
        f'<div class="narrow">\n{narrow.fragment()}</div>\n'
        f"{f'<figcaption>{behind}</figcaption>' if data else ''}\n</figure>"
    )


def cited() -> str:
    """How to cite nstar, as CITATION.cff has it."""
    return (
        f'<p class="prose" id="citation">The nstar developers. <cite>{escape(_TITLE)}</cite> '
        f"Version {escape(__version__)}, Apache-2.0. "
        f'<a href="{_HOME}" rel="noreferrer">{_HOME.removeprefix("https://")}</a></p>'
    )


def header(title: str, doc: Document, facts: Iterable[str] = (), rules: str = "") -> str:
    """The top of a page: what it is about, the finding, and by which rules it was found."""
    first, others = map(escape, doc.spoken())
    hidden = "" if others else " hidden"
    line = escape(" · ".join(facts))
    now = f'<span id="rules-now">{escape(rules)}</span>' if rules else ""
    known = " · ".join(filter(None, (line, now)))
    return (
        f'<header>\n<p class="kicker">{escape(title)}</p>\n'
        f'<h1 class="headline" id="headline">{first}</h1>\n'
        f'<p class="lead" id="lead"{hidden}>{others}</p>\n'
        + (f'<p class="facts">{known}</p>\n' if known else "")
        + "</header>"
    )


def contents(links: Mapping[str, str], live: Container[str] = ()) -> str:
    """Where to find what; links to ``live`` parts appear with them."""
    hidden = {key: " data-live hidden" if key in live else "" for key in links}
    entries = "\n".join(
        f'<li{hidden[key]}><a href="#{key}">{escape(words)}</a></li>'
        for key, words in links.items()
    )
    return f'<nav aria-label="Contents" class="contents">\n<ul>\n{entries}\n</ul>\n</nav>'


def rules() -> str:
    """Room for the rules that a reader may change, folded away."""
    return (
        '<details class="rules" id="rules" data-live hidden>\n'
        "<summary>Change the rules</summary>\n</details>"
    )


def as_run() -> str:
    """A line that says by which rules a part was made, once others are chosen."""
    return '<p class="remark" data-as-run hidden></p>'


def closing(doc: Document) -> tuple[str, str]:
    """What is to be said beside the numbers, and what to paste."""
    notes = section("notes", "Notes", as_run(), listing(doc.notes)) if doc.notes else ""
    rests = section("assumptions", "What this rests on", listing(doc.assumptions))
    paste = f'<blockquote class="prose" id="to-paste">{escape(doc.paragraph or "")}</blockquote>'
    return twin(*filter(None, (notes, rests))), twin(
        section("paragraph", "Paragraph to paste", paste),
        section("cite", "How to cite", cited()),
    )


def footer() -> str:
    """What made the page, and what it does not do."""
    return (
        f"<footer>\n<p>Made by nstar {escape(__version__)}. This file is complete: it loads "
        "nothing, sends nothing, and computes in your browser.</p>\n</footer>"
    )
