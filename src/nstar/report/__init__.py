"""Results to text: one Document per result, one function per format.

Percentage points exist only on this floor and in the command line. What a result looks like
is imported when such a result is shown, so that ``nstar plan`` does not load ``nstar claim``.
"""

from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from nstar.errors import ParameterError
from nstar.report._document import Document

if TYPE_CHECKING:
    from nstar._claim import Claim
    from nstar._compare import Comparison
    from nstar._coverage import Coverage
    from nstar._plan import Plan
    from nstar._selfcheck import Selfcheck

__all__ = ["Format", "Result", "document", "render"]

Format: TypeAlias = Literal["text", "json", "markdown"]
Result: TypeAlias = "Plan | Claim | Comparison | Coverage | Selfcheck"


def _home(result: Result) -> Any:
    """The module of this floor that speaks for this kind of result."""
    kind = type(result).__name__.lower()
    if kind not in ("plan", "claim", "comparison", "coverage", "selfcheck"):
        msg = (
            "result must be a Plan, Claim, Comparison, Coverage or Selfcheck; "
            f"got {type(result).__name__}"
        )
        raise ParameterError(msg)
    return import_module(f"nstar.report.{kind}")


def document(result: Result, *, paragraph: bool = False) -> Document:
    """What is to be said about a result, before any format, if asked with text to paste."""
    home = _home(result)
    doc: Document = home.document(result)
    if paragraph and doc.paragraph is None and hasattr(home, "paragraph"):
        doc = replace(doc, paragraph=home.paragraph(result))
    return doc


def render(result: Result, format: Format = "text", *, paragraph: bool = False) -> str:  # noqa: A002
    """A result as plain text, JSON or Markdown; with ``paragraph`` text to paste is added.

    Examples
    --------
    >>> import nstar
    >>> print(render(nstar.claim(0.783, 0.775, 12032)).split("(")[0])
    The printed gap of +0.8 pp is within 50 % of what 12,032 items can detect, a borderline
    claim
    """
    if format not in ("text", "json", "markdown"):
        msg = f"format must be one of text, json, markdown; got {format!r}"
        raise ParameterError(msg)
    doc = document(result, paragraph=paragraph)
    if format == "json":
        from nstar.report._json import dump

        return dump(type(result).__name__.lower(), doc, _home(result).data(result))
    if format == "markdown":
        from nstar.report.markdown import render_markdown

        return render_markdown(doc)
    from nstar.report.text import render_text

    return render_text(doc)
