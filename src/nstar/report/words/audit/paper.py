"""The ranking as papers print it: rank set, tie letters, gap to the next model, verdict."""

from dataclasses import replace

from nstar._verbs.audit import Audit, Leaderboard
from nstar.report.documents import Document, Grid
from nstar.report.words.audit.assumptions import METHODS
from nstar.report.words.audit.ranking import shown_models
from nstar.report.words.gap import coverage
from nstar.report.words.letters import Letters, letters

_LEFT_OUT = ("p", "q", "adj. p", "adj. q")


def _caption(result: Audit | Leaderboard, grid: Grid, ties: Letters) -> str:
    conf = coverage(1 - result.criteria.alpha)
    how = METHODS[result.rank_method]
    said = (
        f"{grid.title}. Rank sets and lines hold for all models at once with {conf} confidence "
        f"({how}); the interval of a gap is that of the pair alone. Unresolved is not evidence of "
        "equality."
    )
    if ties.of is None:
        return f"{said} There are no tie letters: {ties.why_not}."
    return (
        f"{said} Models that share a letter are not told apart at that level, which is not "
        "evidence that they are equal; a model may share one letter with a better and another "
        "with a worse model, though these two are told apart."
    )


def _grid(result: Audit | Leaderboard, grid: Grid, where: str | None) -> Grid:
    """The grid of the report with letters instead of p-values."""
    ties = letters(result)
    asked = None if where is None else result.ranks.name.index(where)
    model = iter(shown_models(len(result), asked))
    kept = [k for k, title in enumerate(grid.header) if title not in _LEFT_OUT]
    rows = []
    for row in grid.rows:
        letter = "" if ties.of is None or row[0] == "…" else ties.of[next(model)]
        rows.append([row[k] for k in kept])
        if ties.of is not None:
            rows[-1].insert(2, letter)
    header = [grid.header[k] for k in kept]
    if ties.of is not None:
        header.insert(2, "ties")
    return replace(
        grid,
        title=_caption(result, grid, ties),
        header=tuple(header),
        rows=tuple(map(tuple, rows)),
    )


def for_paper(result: Audit | Leaderboard, doc: Document, where: str | None = None) -> Document:
    """The document of a ranking with its first table as papers print it."""
    return replace(doc, grids=(_grid(result, doc.grids[0], where), *doc.grids[1:]))
