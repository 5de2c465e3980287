r"""Parse one cell of a table as printed: a number with its digits, bold marks, and an error.

LaTeX is never executed. Commands are removed as text, except for the few that have a meaning here,
such as ``\textbf`` and ``\pm``.
"""

import re
from dataclasses import dataclass
from typing import NamedTuple

_LONG = 240
"""Largest number of characters of a cell that are read."""
_PASSES = 12
"""Largest depth of nested commands."""

_BOLD = re.compile(r"\*\*(.*)\*\*|__(.*)__|<(?:b|strong)>(.*)</(?:b|strong)>")
_PLAIN = re.compile(r"\*(.*)\*|_(.*)_|<(?:u|i|em)>(.*)</(?:u|i|em)>")
_BOLD_PART = re.compile(r"\*\*([^*]+)\*\*")

# --- LaTeX as text -------------------------------------------------------------------------

_IS_BOLD = re.compile(r"\\(?:textbf|mathbf|bm|boldsymbol|bfseries|bf)(?![a-zA-Z])")
_DROPPED = re.compile(
    r"\\(?:cellcolor|rowcolor|color|cite[a-z]*|footnote(?:mark|text)?|label|ref|vspace|hspace)\*?"
    r"(?:\s*\[[^\[\]{}]*\]){0,2}\s*(?:\{[^{}]*\})?"
)
_SECOND = re.compile(
    r"\\(?:textcolor|colorbox|rotatebox|scalebox|raisebox)\s*(?:\[[^\[\]{}]*\])?\s*\{[^{}]*\}"
    r"\s*\{([^{}]*)\}"
)
_MULTIROW = re.compile(
    r"\\multirow\s*(?:\[[^\[\]{}]*\])?\s*\{[^{}]*\}\s*(?:\[[^\[\]{}]*\])?\s*"
    r"\{[^{}]*\}\s*(?:\[[^\[\]{}]*\])?\s*\{([^{}]*)\}"
)
_SUBSCRIPT = re.compile(r"_\s*(?:\{([^{}]*)\}|([0-9.]))")
_SUPERSCRIPT = re.compile(r"\^\s*(?:\{([^{}]*)\}|(\\[a-zA-Z]+|[^\s\\{}]))")
_COMMAND = re.compile(r"\\[a-zA-Z]+\*?\s*(?:\[[^\[\]{}]*\]\s*)?")
_SYMBOLS = {
    r"\pm": "±",
    r"\uparrow": "↑",
    r"\downarrow": "↓",
    r"\dagger": "†",
    r"\ddagger": "‡",
    r"\textpm": "±",
    r"\std": "±",
    r"\checkmark": "✓",
}
_SYMBOL = re.compile(r"\\(?:pm|uparrow|downarrow|dagger|ddagger|textpm|std|checkmark)(?![a-zA-Z])")
_ESCAPED = re.compile(r"\\([%&#_$])")
_SPACE = re.compile(r"\\\\(?:\[[^\]]{0,20}\])?|\\[,;:! ]|~")


def _signed(match: re.Match[str]) -> str:
    """Return a subscript as an error or a change, and a superscript without sign as a footnote."""
    text = next(part for part in match.groups() if part is not None).strip()
    if match[0].startswith("_"):
        return (
            f" {text}" if "±" in text else (f" ({text})" if text[:1] in "+-−.0123456789" else "")
        )
    return f" ({text})" if re.match(r"[+−-]\s*[\d.]", text) else ""


def plain_latex(text: str) -> tuple[str, bool]:
    r"""Return the text of a LaTeX cell, and whether any of it is bold.

    >>> plain_latex(r"\cellcolor{gray!10}\textbf{78.3}$_{\pm 0.4}$")
    ('78.3 ± 0.4', True)
    >>> plain_latex(r"MMLU~(5-shot) $\uparrow$"), plain_latex(r"GPT\_4 \cite{gpt}")
    (('MMLU (5-shot) ↑', False), ('GPT_4', False))
    """
    bold = _IS_BOLD.search(text) is not None
    plain = _SPACE.sub(" ", text[:_LONG])
    plain = _SYMBOL.sub(lambda match: _SYMBOLS[match[0]], plain)
    plain = _ESCAPED.sub(lambda match: chr(0xE000 + ord(match[1])), plain)  # private characters
    for _ in range(_PASSES):
        before = plain
        plain = _DROPPED.sub("", plain)
        plain = _MULTIROW.sub(r"\1", _SECOND.sub(r"\1", plain))
        plain = _SUPERSCRIPT.sub(_signed, _SUBSCRIPT.sub(_signed, plain))
        plain = re.sub(r"(?<![_^])\{([^{}]*)\}", r"\1", _COMMAND.sub("", plain))
        if plain == before:
            break
    plain = re.sub(r"[${}]", "", plain)
    plain = re.sub("[\ue000-\ue07f]", lambda match: chr(ord(match[0]) - 0xE000), plain)
    return " ".join(plain.split()), bold


def unmarked(text: str) -> tuple[str, bool]:
    """Return text without bold, italics, and LaTeX, and whether it was bold."""
    plain, bold = text.strip()[:_LONG], False
    if "\\" in plain or "$" in plain:
        plain, bold = plain_latex(plain)
    for _ in range(6):
        before = plain
        for marks, strong in ((_BOLD, True), (_PLAIN, False)):
            match = marks.fullmatch(plain)
            if match is not None:
                plain = next(part for part in match.groups() if part is not None).strip()
                bold = bold or strong
        if plain == before:
            break
    if part := _BOLD_PART.search(plain):  # without stars of significance
        plain, bold = plain.replace(part[0], part[1], 1), True
    return plain, bold


# --- a number with its error ------------------------------------------------------------------

MISSING = {"", "-", "–", "—", "--", "---", "/", "x", "✗"}
MISSING |= {"n/a", "na", "nan", "none", "null", "oom"}
_MAX_ERROR = 0.75
"""Largest number in parentheses, as a share of the value, that is an error and not a score."""
_NUMBER = r"(?:\d{1,3}(?:,\d{3}){1,3}(?:\.\d{0,9})?|\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})"
_CELL = re.compile(
    rf"(?P<value>[-+]?{_NUMBER})\s*%?\s*"
    rf"(?:(?P<sign>±|\+/-|\+-)\s*(?P<pm>{_NUMBER})|\(\s*(?P<inside>±?\s*{_NUMBER})\s*%?\s*\)"
    rf"|\(\s*(?P<change>[-+↑↓]\s*{_NUMBER})\s*(?:%|pp)?\s*\)"
    rf"|[\[(]\s*(?P<low>[-+]?{_NUMBER})\s*%?\s*(?:[,;–]|to|-)\s*(?P<high>[-+]?{_NUMBER})\s*%?\s*[\])])?"
    r"\s*%?",
    re.ASCII,
)
_MARKS = re.compile(
    r"\*\*|__|</?(?:b|strong|i|em|u)>|\^\{?[^\d{}$^]{1,12}\}?|[†‡§¶#]|\*{1,3}(?=\s|$)|^\*"
)
_BOLD_INSIDE = re.compile(r"\*\*.*\d.*\*\*|__.*\d.*__|<(?:b|strong)>")
_SUB = re.compile(r"<(sub|small)>\s*([^<>]{1,40})\s*</\1>")


class ReportedError(NamedTuple):
    """The error that a cell reports with its value."""

    size: float
    """Half the width of an interval, or what follows ±, in the unit of the value."""
    digits: int
    """Digits after its decimal point."""
    form: str
    """Notation: ``"±"``, ``"()"``, or ``"[]"`` for an interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedNumber:
    """A number as reported."""

    text: str
    """The digits, without marks."""
    value: float
    """The number before a percent sign."""
    digits: int
    """Digits after the decimal point."""
    percent: bool
    """Whether there is a percent sign."""
    bold: bool
    """Whether the number is bold."""
    error: ReportedError | None = None
    """The error, if there is one."""


def number_in(text: str) -> ReportedNumber | str | None:
    r"""Return the number of a cell, None if it is missing, or the reason why it is ambiguous.

    >>> number_in(r"\textbf{78.3} $\pm$ 0.4").error
    ReportedError(size=0.4, digits=1, form='±')
    >>> number_in("78.3 (0.4)").error.form, number_in("**78.3** (+2.1)").error, number_in("–")
    ('()', None, None)
    >>> number_in("0.783 (12)")
    '(12) could be an error of the last digits, a count, or a rank. Use 0.783 ± 0.012 for an error'
    >>> number_in("seven")
    ''
    """
    plain, bold = unmarked(text)
    if plain.lower() in MISSING:
        return None
    bold = bold or _BOLD_INSIDE.search(text) is not None
    plain = _SUB.sub(lambda m: f" {m[2]}" if "±" in m[2] else f" ({m[2]})", plain)
    plain = _MARKS.sub("", plain).replace("−", "-").removesuffix("\\").strip()
    if plain.lower() in MISSING:
        return None
    match = _CELL.fullmatch(plain)
    if match is None:
        return ""
    number = match["value"].replace(",", "")
    digits = len(number.partition(".")[2])
    error = _error(match, number, digits)
    if isinstance(error, str):
        return error
    return ReportedNumber(
        text=number,
        value=float(number),
        digits=digits,
        percent="%" in plain,
        bold=bold,
        error=error,
    )


def _error(match: re.Match[str], number: str, digits: int) -> ReportedError | str | None:
    """Return what follows the value: an error, nothing, or the reason why it is ambiguous."""
    if match["pm"]:
        return _sized(match["pm"], "±")
    if match["low"]:
        low, high = (match[end].replace(",", "") for end in ("low", "high"))
        if not float(low) <= float(number) <= float(high):
            return f"{number} is outside {low} to {high}"
        max_digits = max(len(end.partition(".")[2]) for end in (low, high))
        return ReportedError(round((float(high) - float(low)) / 2, 12), max_digits, "[]")
    inside = (match["inside"] or "").replace(",", "")
    if not inside or inside.startswith("±"):
        return _sized(inside[1:].strip(), "±") if inside else None
    return _in_parentheses(inside, number, digits)


def _in_parentheses(inside: str, number: str, digits: int) -> ReportedError | str:
    """Return an error in parentheses, or the reason why it may be something else."""
    if "." not in inside:
        at_last = f"{float(inside) / 10**digits:.{digits}f}"
        return (
            f"({inside}) could be an error of the last digits, a count, or a rank. Use "
            f"{number} ± {at_last} for an error"
        )
    if float(inside) > _MAX_ERROR * abs(float(number)):
        return f"({inside}) could be a second score. Use {number} ± {inside} for an error"
    return _sized(inside, "()")


def _sized(text: str, form: str) -> ReportedError:
    number = text.replace(",", "")
    return ReportedError(float(number), len(number.partition(".")[2]), form)
