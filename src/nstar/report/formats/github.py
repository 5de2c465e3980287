"""Reports of a gate for GitHub: a job summary, one annotation, one comment, and a badge.

Names come from logs and are escaped: as Markdown (``markdown.py``), and in an annotation, which is
a command to the runner, with ``%``, line ends, colons, and commas encoded.
"""

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from nstar._base.version import __version__
from nstar.report import document
from nstar.report.badge import badge
from nstar.report.documents import Document
from nstar.report.formats.markdown import LIMIT, TrimmableSection, escape, fitted, sections
from nstar.report.prose.gate.task import verdict_text

if TYPE_CHECKING:
    from nstar._verbs.gate import Gate

SUMMARY_LIMIT = 1_000_000
"""Largest size of a job summary in bytes; GitHub refuses a step's summary from 1 MiB."""

_MESSAGE_LIMIT = 4_000
_LEVELS = {"pass": "notice", "inconclusive": "warning"}
_KEY = re.compile(r"[A-Za-z0-9._-]{1,60}")
_OPEN_NOTES = 4
"""Largest number of notes in a comment that are not folded away."""
_COLORS = {"pass": "#1a7f37", "regression": "#b3261e", "inconclusive": "#8a5a00"}
_FOLD = "<details><summary>{}</summary>"
_STATUS = "Exit status: 0 PASS, 1 REGRESSION, 3 INCONCLUSIVE, 4 INVALID DATA"


def _said(gate: "Gate") -> Document:
    """Return the report without its first word, the verdict, which is in the title."""
    doc = document(gate)
    return replace(doc, headline=doc.headline.removeprefix(f"{verdict_text(gate.verdict)}: "))


def _shown(gate: "Gate", *, fold: bool) -> list[TrimmableSection]:
    """Return the verdict, the headline, the tasks, and the changed items, then the rest.

    With ``fold``, the first notes come after the first table, because they state what a decision
    takes, and the rest is folded away.
    """
    doc = _said(gate)
    n_open = 1 + max(len(doc.key), len(doc.grids[:1]))
    notes = doc.notes[:_OPEN_NOTES] if fold else ()
    parts = sections(replace(doc, notes=doc.notes[len(notes) :]))
    if notes:
        place = 1 + len(doc.grids[:1])
        parts[place:place] = sections(Document(headline="", notes=notes))[1:]
        n_open += 1
    head = TrimmableSection(f"### nstar gate: {verdict_text(gate.verdict)}")
    foot = TrimmableSection(f"nstar {escape(__version__)}. {_STATUS}.")
    rest = parts[n_open:]
    if fold and rest:
        rest = [
            TrimmableSection(_FOLD.format("Notes and assumptions")),
            *rest,
            TrimmableSection("</details>"),
        ]
    return [head, *parts[:n_open], *rest, foot]


def summary(gate: "Gate", *, limit: int = SUMMARY_LIMIT) -> str:
    """Complete report as Markdown for ``$GITHUB_STEP_SUMMARY``, at most ``limit`` bytes."""
    return fitted(_shown(gate, fold=False), limit)


def marker(key: str = "gate") -> str:
    """Return the invisible first line by which a comment is found again.

    ``key`` distinguishes the gates of one pull request.

    Examples
    --------
    >>> marker("nightly")
    '<!-- nstar-gate:nightly -->'
    """
    if _KEY.fullmatch(key) is None or "--" in key:
        from nstar.errors import ParameterError

        msg = (
            "key must be 1 to 60 characters long and contain only A-Z, a-z, 0-9, periods, "
            f"underscores, and single dashes (not --); got {key!r}"
        )
        raise ParameterError(msg)
    return f"<!-- nstar-gate:{key} -->"


def comment(gate: "Gate", *, key: str = "gate") -> str:
    """Return the body of a pull request comment: the verdict visible, details folded.

    Its first line is :func:`marker`, so that the comment of the last run can be edited instead of
    adding another one.
    """
    return fitted([TrimmableSection(marker(key)), *_shown(gate, fold=True)], LIMIT)


def verdict_badge(gate: "Gate") -> bytes:
    """Return the verdict as a badge (SVG)."""
    return badge(verdict_text(gate.verdict), _COLORS.get(gate.verdict, "#57606a"))


def _data(text: str) -> str:
    """Return the message of a workflow command, encoded so that the runner reads it unchanged."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Return the value of a property of a workflow command, encoded in the same way."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def annotation(gate: "Gate") -> str:
    """Return one workflow command: notice for PASS, warning for INCONCLUSIVE, else error."""
    level = _LEVELS.get(gate.verdict, "error")
    return _command(level, f"nstar gate: {verdict_text(gate.verdict)}", _said(gate).headline)


def failure(reason: str) -> str:
    r"""The same where there is no answer: wrong usage, say.

    Examples
    --------
    >>> failure("give --candidate")
    '::error title=nstar gate%3A no answer::give --candidate\n'
    """
    return _command("error", "nstar gate: no answer", reason)


def _command(level: str, title: str, message: str) -> str:
    message = message.replace("##[", "# #[")
    if len(message) > _MESSAGE_LIMIT:
        message = f"{message[: _MESSAGE_LIMIT - 1]}…"
    return f"::{level} title={_property(title)}::{_data(message)}\n"
