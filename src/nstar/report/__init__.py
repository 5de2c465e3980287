"""Results to text: one Document per result, one function per format.

Percentage points exist only on this floor and in the command line. What a result looks like
is imported when such a result is shown, so that ``nstar plan`` does not load ``nstar claim``.
"""

from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

from nstar._base.result import Format
from nstar.errors import ParameterError
from nstar.report._kinds import HOMES, words_of
from nstar.report._save import save, to_frame
from nstar.report.documents import Document, cleaned

if TYPE_CHECKING:
    from nstar._verbs.audit import Audit, Leaderboard
    from nstar._verbs.budget import BudgetPlan
    from nstar._verbs.claim import Claim
    from nstar._verbs.compare import Comparison
    from nstar._verbs.coverage import Coverage
    from nstar._verbs.gate import Alarms, Gate, Outlook
    from nstar._verbs.plan import Plan
    from nstar._verbs.plan.sequential_result import SequentialPlan
    from nstar._verbs.runs import Runs
    from nstar._verbs.selfcheck import Selfcheck
    from nstar._verbs.simulate import Simulation, Study
    from nstar._verbs.validate import Validation
    from nstar._verbs.watch import Watched
    from nstar.report.charts import Figure

__all__ = ["Format", "Result", "document", "figure", "render", "save", "to_frame"]

# Two aliases, because type checkers read only one string literal.
_Planned: TypeAlias = "Plan | BudgetPlan | SequentialPlan | Simulation | Study | Outlook | Alarms"
_Found: TypeAlias = "Claim | Comparison | Audit | Leaderboard | Coverage | Runs | Watched | Gate"
Result: TypeAlias = "_Planned | _Found | Selfcheck | Validation"

_FORMATS = get_args(Format)
_RANKED = ("Audit", "Leaderboard")


def _home(result: Result) -> Any:
    """The module of this floor that speaks for this kind of result."""
    kind = type(result).__name__
    if kind not in HOMES:
        *most, last = HOMES
        msg = f"result must be a {', '.join(most)} or {last}; got {kind}"
        raise ParameterError(msg)
    return words_of(kind)


def _asked(result: Result, where: str | None) -> dict[str, str]:
    """The model that a ranking is asked about."""
    if where is None:
        return {}
    if type(result).__name__ not in _RANKED:
        msg = f"where asks for the place of a model; a {type(result).__name__} has none"
        raise ParameterError(msg)
    return {"where": where}


def document(result: Result, *, paragraph: bool = False, where: str | None = None) -> Document:
    """What is to be said about a result, before any format, if asked with text to paste."""
    home = _home(result)
    doc: Document = home.document(result, **_asked(result, where))
    if paragraph and doc.paragraph is None and hasattr(home, "paragraph"):
        doc = replace(doc, paragraph=home.paragraph(result))
    return cleaned(doc)


def figure(result: Result, kind: Any = None, *, where: str | None = None) -> "Figure":
    """Draw a result; see :func:`nstar.report.charts.figure`."""
    from nstar.report.charts import figure as draw

    return draw(result, kind, where=where)  # type: ignore[arg-type] # refuses the others


def render(
    result: Result,
    format: Format = "text",  # noqa: A002
    *,
    paragraph: bool = False,
    where: str | None = None,
) -> str:
    """A result as plain text, JSON, Markdown, an HTML fragment, LaTeX or CSV.

    Parameters
    ----------
    result
        What a verb of nstar returned.
    format
        ``text``, ``json``, ``markdown``, ``html``, ``latex``, or ``csv`` for the main table only.
    paragraph
        Add text to paste into a paper.
    where
        Model of a ranking that is asked about: its place comes first.

    Examples
    --------
    >>> import nstar
    >>> print(render(nstar.claim(0.783, 0.775, 12032)).split("(")[0])
    The printed gap of +0.8 pp is within 50 % of what 12,032 items can detect, a borderline
    claim
    """
    if format not in _FORMATS:
        msg = f"format must be one of {', '.join(_FORMATS)}; got {format!r}"
        raise ParameterError(msg)
    if format == "csv":
        from nstar.report.formats.csv import render_csv

        return render_csv(result)
    doc = document(result, paragraph=paragraph, where=where)
    if format == "json":
        from nstar._base.codec import streamed
        from nstar.report.formats.json import dump

        return dump(result.schema_name(), doc, streamed(result))
    if format == "latex" and type(result).__name__ in _RANKED:
        doc = import_module("nstar.report.words.audit").for_paper(result, doc, where)
    return str(getattr(import_module(f"nstar.report.formats.{format}"), f"render_{format}")(doc))
