"""Results to text: one Document per result, one function per format.

Percentage points exist only on this floor and in the command line.
"""

from typing import Any, Literal, TypeAlias

from nstar._claim import Claim
from nstar._plan import Plan
from nstar._selfcheck import Selfcheck
from nstar.report._document import Document
from nstar.report.claim import claim_document
from nstar.report.json import claim_json, dump, plan_json, selfcheck_json
from nstar.report.markdown import render_markdown
from nstar.report.plan import plan_document
from nstar.report.selfcheck import selfcheck_document
from nstar.report.text import render_text

__all__ = ["Format", "Result", "document", "render"]

Format: TypeAlias = Literal["text", "json", "markdown"]
Result: TypeAlias = Plan | Claim | Selfcheck


def document(result: Result) -> Document:
    """What is to be said about a result, before any format."""
    if isinstance(result, Plan):
        return plan_document(result)
    return claim_document(result) if isinstance(result, Claim) else selfcheck_document(result)


def _data(result: Result, doc: Document) -> dict[str, Any]:
    if isinstance(result, Plan):
        return plan_json(result, doc)
    return claim_json(result, doc) if isinstance(result, Claim) else selfcheck_json(result, doc)


def render(result: Result, format: Format = "text") -> str:  # noqa: A002
    """A result as plain text, JSON or Markdown.

    Examples
    --------
    >>> import nstar
    >>> print(render(nstar.claim(0.783, 0.775, 12032)).split("(")[0])
    The printed gap of +0.8 pp is within 50 % of what 12,032 items can detect, a borderline
    claim
    """
    doc = document(result)
    if format == "json":
        return dump(_data(result, doc))
    return render_markdown(doc) if format == "markdown" else render_text(doc)
