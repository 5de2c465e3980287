"""The components of every page, without a script: each is drawn here, and escapes its strings.

A page is composed in this order, and each component is used once:

1. :func:`header`: what the page is about, the finding as its title, two sentences, and up to
   three number :func:`tiles`. All of them are fields of a
   :class:`~nstar.report.documents.Document` (``title``, ``lead``, ``tiles``, ``caution``).
2. One chart: the ladder (``_ladder.py``), a gap chart or a forest (``_gap_chart.py``), and below
   it the :func:`callout` with the caution.
3. One table; its verdicts are :func:`chip`.
4. :func:`closing`: the assumptions, then a :func:`fold` for each part that few readers open.
5. :func:`footer`: version; :func:`nstar.report.page.page` adds the command above it.

Scripts change what stands there and draw nothing that is not there (``assets/*.js``).
Every page and the site have one style sheet for components, ``assets/page.css``.
"""

from collections.abc import Iterable
from html import escape

from nstar._base.version import __version__
from nstar._verbs.verdict import PAIR_STATES, PairState
from nstar.report.charts import Figure
from nstar.report.documents import Document, TextTable, Tile

_WORDS = {
    *("model", "first", "second", "verdict", "assumption", "task", "could be best", "group"),
    *("kind", "procedure", "used", "where", "claim", "outcome", "it says"),
    *("least favorable cell", "worst cell", "votes share", "effect", "why"),
    *("better", "next", "compared", "as", "reason"),
}
"""Columns of words; all others are of numbers."""

_TITLE = "nstar: Which differences between AI models can your evaluation support?"
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


def _row(grid: TextTable, i: int, name_column: int, sides: list[str]) -> str:
    marks = [m for m, on in (("line", i in grid.lines), ("asked", i == grid.marked)) if on]
    kind = f' class="{" ".join(marks)}"' if marks else ""
    first, *others = grid.rows[i]
    row = (f"→ {first}" if i == grid.marked else first, *others)
    cells = (
        _cell(text, "th", f' scope="row"{side}')
        if k == name_column
        else _cell(text, "td", side, bold=(i, k) in grid.strong)
        for k, (text, side) in enumerate(zip(row, sides, strict=True))
    )
    return f"<tr{kind}>{''.join(cells)}</tr>"


def table(grid: TextTable, *, live: str = "") -> str:
    """A table in a box that scrolls by itself; ``live`` is the name by which a script knows it."""
    kind = f' data-grid="{live}"' if live else ""
    name_column, sides = _sides(grid)
    rows = "\n".join(_row(grid, i, name_column, sides) for i in range(len(grid.rows)))
    title = escape(grid.title)
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{title}">\n'
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


MARKS = ("sig", "und", "eq", "inc")
"""A class and a symbol for each of :data:`~nstar._verbs.verdict.PAIR_STATES`."""

_WORDS_OF = ("significant", "underpowered", "equivalent", "inconclusive")

SYMBOLS = (
    '<svg width="0" height="0" aria-hidden="true" class="unseen">'
    '<symbol id="sig" viewBox="0 0 12 12"><circle class="g-sig" cx="6" cy="6" r="5" '
    'stroke-width="1.6"/></symbol>'
    '<symbol id="und" viewBox="0 0 12 12"><circle class="g-und" cx="6" cy="6" r="5" '
    'stroke-width="1.6"/><path class="g-half" d="M6 1A5 5 0 0 0 6 11Z"/></symbol>'
    '<symbol id="eq" viewBox="0 0 12 12"><path class="g-eq" d="M6 .5L11.5 6L6 11.5L.5 6Z"/>'
    "</symbol>"
    '<symbol id="inc" viewBox="0 0 12 12"><circle class="g-inc" cx="6" cy="6" r="4.7" '
    'stroke-width="2.2"/></symbol><symbol id="pass" viewBox="0 0 12 12"><circle class="g-eq" '
    'cx="6" cy="6" r="5.8"/></symbol><symbol id="reg" viewBox="0 0 12 12"><path class="g-reg" '
    'd="M.2 1H11.8L6 11.5Z"/></symbol><symbol id="plain" viewBox="0 0 12 12"><circle '
    'class="g-plain" cx="6" cy="6" r="4.7" stroke-width="2.2"/></symbol></svg>'
)
"""Shapes of the verdicts, once in every page: they differ without color, too."""


def kind_of(state: PairState) -> str:
    """The class of a verdict: ``sig``."""
    return MARKS[PAIR_STATES.index(state)]


def mark(kind: str) -> str:
    """The shape of a verdict."""
    return f'<svg class="g" viewBox="0 0 12 12" aria-hidden="true"><use href="#{kind}"/></svg>'


def chip(state: PairState) -> str:
    """A verdict as a shape and a word."""
    k = PAIR_STATES.index(state)
    return f'<span class="chip {MARKS[k]}">{mark(MARKS[k])}{_WORDS_OF[k]}</span>'


def legend(entries: Iterable[tuple[str, str]], kind: str = "") -> str:
    """What marks mean: markup of a mark and its words."""
    inside = "".join(f"<li>{mark} {escape(words)}</li>" for mark, words in entries)
    return f'<ul class="legend {kind}">{inside}</ul>'


_LONG = 8
"""Characters of a number above which its type is smaller."""


def tiles(tile_list: Iterable[Tile], states: Iterable[PairState] = ()) -> str:
    """Numbers in large type; below the first a mark for each of ``states``."""
    dots = "".join(mark(kind_of(state)) for state in states)
    parts = []
    for k, tile in enumerate(tile_list):
        row = f'<dd class="dots" aria-hidden="true">{dots}</dd>' if dots and not k else ""
        unit = f"&nbsp;<small>{escape(tile.unit)}</small>" if tile.unit else ""
        kind = "tile long" if len(tile.number) > _LONG else "tile"
        parts.append(
            f'<div class="{kind}"><dt>{escape(tile.label)}</dt><dd class="big">'
            f"{escape(tile.number)}{unit}</dd>"
            f'{row}<dd class="more">{escape(tile.more)}</dd></div>'
        )
    inside = "\n".join(parts)
    return f'<dl class="tiles" id="tiles">\n{inside}\n</dl>' if parts else ""


def side(letter: str) -> str:
    """The letter of a model of two: ``A``."""
    return f'<span class="tag tag-{letter.lower()}">{letter}</span>'


def callout(text: str) -> str:
    """What changes the meaning of the result; hidden where nothing does."""
    hidden = "" if text else " hidden"
    return f'<p class="callout" id="caution"{hidden}>{escape(text)}</p>'


def fold(identity: str, title: str, *parts: str, aside: str = "", live: bool = False) -> str:
    """A part that opens on demand; ``live`` ones appear when the script is up."""
    hidden = " data-live hidden" if live else ""
    inside = "\n".join(parts)
    return (
        f'<details class="fold" id="{identity}"{hidden}>\n<summary>{escape(title)} '
        f'<span id="{identity}-now">{escape(aside)}</span></summary>\n'
        f'<div class="inside">\n{inside}\n</div>\n</details>'
    )


def folds(*parts: str) -> str:
    """Folds, one below the other."""
    inside = "\n".join(filter(None, parts))
    return f'<div class="folds">\n{inside}\n</div>'


def made_by(command: str) -> str:
    """The command that made the page."""
    return f'<pre id="command"><code>{escape(command)}</code></pre>'


_ANSWERS = {
    "pass": "M4 12.5l5 5L20 6.5",
    "reg": "M12 3v15M5 12l7 7 7-7",
    "inc": "M3 13c3-5 6-5 9-1s6 4 9-1",
    "inv": "M5 5l14 14M19 5L5 19",
}
"""The icon of an answer, beside its word: check mark, arrow, wave, cross."""


def _seal(answer: str, lines: str) -> str:
    """The finding beside the icon of an answer, on its color."""
    return (
        f'<div class="banner {answer}">\n<svg class="seal" viewBox="-9 -9 42 42" '
        f'aria-hidden="true"><circle cx="12" cy="12" r="21"/><path d="{_ANSWERS[answer]}"/>'
        f"</svg>\n<div>\n{lines}\n</div>\n</div>"
    )


def header(
    subject: str,
    doc: Document,
    facts: Iterable[str] = (),
    states: Iterable[PairState] = (),
    *,
    answer: str = "",
) -> str:
    """The top of a page: what it is about, the finding, two sentences, and numbers.

    ``answer`` is the class of the icon of an answer, such as ``pass``.
    """
    first, others = map(escape, doc.spoken())
    hidden = "" if others else " hidden"
    line = escape(" · ".join(("", *facts)))
    lines = (
        f'<p class="kicker"><b>{escape(subject)}</b>{line}</p>\n<h1 id="headline">{first}</h1>\n'
        f'<p class="lead" id="lead"{hidden}>{others}</p>'
    )
    top = _seal(answer, lines) if answer else lines
    return "\n".join(filter(None, ("<header>", top, tiles(doc.tiles, states), "</header>")))


def as_run() -> str:
    """A line that says by which rules a part was made, once others are chosen."""
    return '<p class="remark" data-as-run hidden></p>'


def closing(doc: Document, *first_folds: str) -> tuple[str, ...]:
    """What the result rests on, then ``first_folds`` and the folds that few readers open."""
    paste = f'<blockquote id="to-paste">{escape(doc.paragraph or "")}</blockquote>'
    notes = fold("notes", "Notes", as_run(), listing(doc.notes), aside=f"{len(doc.notes):,}")
    return (
        section("assumptions", "Assumptions", listing(doc.assumptions)) if doc.assumptions else "",
        folds(
            *first_folds,
            notes if doc.notes else "",
            fold("paragraph", "Paragraph to paste", paste) if doc.paragraph else "",
            fold("cite", "How to cite", cited()),
        ),
    )


def footer(*, live: bool = True) -> str:
    """What made the page, and what it does not do; a ``live`` one has a script."""
    suffix = "; it computes in your browser" if live else ", no scripts"
    return (
        f"<footer>\n<p>nstar {escape(__version__)} · one file, no network requests{suffix}</p>\n"
        "</footer>"
    )
