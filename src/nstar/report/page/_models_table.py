"""Table of all models in order of rank: of an audit, of votes, and of a board on a site.

``assets/models_table.js`` sorts and searches it. Narrow windows show rank, name, score, and
verdict; a tap opens the rest.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from nstar._verbs.verdict import PairState
from nstar.report.page._markup import chip


@dataclass(frozen=True, slots=True)
class ModelColumn:
    """A column other than those of names and verdicts."""

    head: str
    kind: str = "num"
    """Classes of its cells: ``num`` stands right, ``wide`` waits for a tap in narrow windows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRow:
    """A model. Its cells are markup, and empty where there is nothing to say."""

    cells: Sequence[str]
    """Cells by column; the verdict has none."""
    state: PairState | None
    """Verdict of the gap to the next model."""
    starts_tier: bool = False
    is_marked: bool = False


NAME, VERDICT = ModelColumn("Model", "wrap"), ModelColumn("Verdict", "verdict")


def _cell(column: ModelColumn, text: str) -> str:
    if column is NAME:
        return f'<th scope="row" class="wrap">{text}</th>'
    label = f' data-label="{escape(column.head)}"' if "wide" in column.kind else ""
    return f'<td class="{column.kind}"{label}>{text}</td>'


def _row(columns: Sequence[ModelColumn], row: ModelRow) -> str:
    texts = iter(row.cells)
    verdict = "" if row.state is None else chip(row.state)
    cells = (_cell(c, verdict if c is VERDICT else next(texts)) for c in columns)
    kinds = [k for k, on in (("line", row.starts_tier), ("asked", row.is_marked)) if on]
    kind = f' class="{" ".join(kinds)}"' if kinds else ""
    return f"<tr{kind}>{''.join(cells)}</tr>"


def models_table(columns: Sequence[ModelColumn], rows: Iterable[ModelRow], caption: str) -> str:
    """Draw the table; a line stands above the first model of a tier."""
    heads = "".join(
        f'<th scope="col" class="{"" if c is NAME else c.kind}">{escape(c.head)}</th>'
        for c in columns
    )
    inside = "\n".join(_row(columns, row) for row in rows)
    return (
        f'<table class="models full">\n<caption>{escape(caption)}</caption>\n'
        f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{inside}\n</tbody>\n</table>"
    )
