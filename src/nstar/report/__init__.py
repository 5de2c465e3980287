"""Render results: one Document per result, one function per format.

Percentage points exist only in this layer and in the command line. The sentences of a result are
imported when such a result is shown, so that ``nstar plan`` does not load those of ``nstar
claim``.
"""

from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, get_args

from nstar._base.result import Format, Level, Result
from nstar._base.units import alternatives
from nstar.errors import ParameterError
from nstar.report._kinds import KINDS, words_of
from nstar.report._save import save, to_frame
from nstar.report.documents import Document, at_level, cleaned

if TYPE_CHECKING:
    from nstar.report.charts import Figure, FigureKind

__all__ = [
    "Format",
    "Level",
    "Result",
    "checklist",
    "document",
    "figure",
    "render",
    "save",
    "to_frame",
]

_FORMATS = get_args(Format)
_LEVELS = get_args(Level)
_RANKED = ("Audit", "Battles")
_LETTERED = ("Audit",)
"""Rankings that papers show with tie letters."""
_MAX_LABEL_NAMES = 3


def _asked(result: Result, where: str | None) -> dict[str, str]:
    """Return the model that the user named in a ranking."""
    if where is None:
        return {}
    if type(result).__name__ not in _RANKED:
        msg = f"where selects a model's rank, and a {type(result).__name__} has no ranks."
        raise ParameterError(msg)
    return {"where": where}


def document(
    result: Result,
    *,
    level: Level = "full",
    paragraph: bool = False,
    where: str | None = None,
) -> Document:
    """Return the content of a report, before any format.

    Parameters
    ----------
    result : Result
        What a verb of nstar returned.
    level : float, default "full"
        ``brief`` for the headline alone, ``short`` for one screen, ``full`` for everything.
    paragraph : bool, default False
        Add text to paste into a paper.
    where : str, optional
        Model of a ranking to highlight; its rank comes first.
    """
    return cleaned(at_level(_whole(result, paragraph, where), _known_level(level)))


def _known_level(level: Level) -> Level:
    if level not in _LEVELS:
        msg = f"level must be {alternatives(_LEVELS)}; got {level!r}"
        raise ParameterError(msg)
    return level


def _whole(result: Result, paragraph: bool, where: str | None) -> Document:  # noqa: FBT001
    kind = type(result).__name__
    if kind not in KINDS:
        *first_kinds, last = KINDS
        msg = f"result must be a {', '.join(first_kinds)} or {last}; got {kind}"
        raise ParameterError(msg)
    home = words_of(kind)
    doc: Document = home.document(result, **_asked(result, where))
    if paragraph and hasattr(home, "paragraph"):
        return replace(doc, paragraph=home.paragraph(result))
    return doc


def _label(result: Result) -> str:
    """Return words that identify a result among the tables of a paper."""
    tasks = [getattr(task, "task", task) for task in getattr(result, "tasks", ())]
    subject = getattr(result, "models", ()) or tasks
    return " ".join((type(result).__name__, *map(str, subject[:_MAX_LABEL_NAMES])))


def checklist(result: Result) -> Result:
    """Return the reporting rules with the answers of a result."""
    from nstar.report.prose.checklist import checklist as check

    return check(result)


def figure(
    result: Result, kind: "FigureKind | None" = None, *, where: str | None = None
) -> "Figure":
    """Draw a figure of a result; see :func:`nstar.report.charts.figure`."""
    from nstar.report.charts import figure as draw

    return draw(result, kind, where=where)


def render(
    result: Result,
    format: Format = "text",  # noqa: A002
    *,
    level: Level = "short",
    paragraph: bool = False,
    where: str | None = None,
) -> str:
    """Render a result as plain text, JSON, Markdown, an HTML fragment, LaTeX, or CSV.

    Parameters
    ----------
    result : Result
        What a verb of nstar returned.
    format : {"text", "json", "markdown", "html", "latex", "csv"}, default "text"
        ``text``, ``json``, ``markdown``, ``html``, ``latex``, or ``csv`` for the main table only.
    level : float, default "short"
        ``brief`` for the headline alone, ``short`` for one screen, ``full`` for everything; JSON
        and CSV are always whole. In LaTeX, ``short`` is the main table.
    paragraph : bool, default False
        Add text to paste into a paper.
    where : str, optional
        Model of a ranking to highlight; its rank comes first.

    Examples
    --------
    >>> import nstar
    >>> print(render(nstar.claim(0.783, 0.775, items=12032)).split(";")[0])
    Depends: +0.8 pp on 12,032 items is significant only if the models disagree on at most
    2,398 items
    """
    if format not in _FORMATS:
        msg = f"format must be {alternatives(_FORMATS)}; got {format!r}"
        raise ParameterError(msg)
    if format == "csv":
        from nstar.report.formats.csv import render_csv

        return render_csv(result)
    if format == "json":
        from nstar._base.codec import streamed
        from nstar.report.formats.json import dump

        doc = document(result, paragraph=paragraph, where=where)
        return dump(result.schema_name(), doc, streamed(result))
    doc = _whole(result, paragraph, where)
    if format == "latex" and type(result).__name__ in _LETTERED:
        doc = import_module("nstar.report.prose.audit").for_paper(result, doc, where)
    doc = cleaned(at_level(doc, _known_level(level)))
    if format == "latex" and level == "short" and doc.grids:
        return str(import_module("nstar.report.formats.latex").render_table(doc, _label(result)))
    return str(getattr(import_module(f"nstar.report.formats.{format}"), f"render_{format}")(doc))
