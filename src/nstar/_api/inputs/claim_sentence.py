"""Read a claim in a sentence: ``71.4% vs 70.6% on 1,319 items (p = 0.04)``."""

import re
import shlex
from typing import NamedTuple, NoReturn

from nstar._base.units import quoted
from nstar.errors import QuestionError, by_interface

_LONG = 500
"""Largest number of characters of a sentence."""

_N = r"\d{1,3}(?:,\d{3})+|\d{1,9}"
_DECIMAL = r"[-+−]?(?:\d{1,3}(?:\.\d{1,9})?|\.\d{1,9})"
_ITEMS = re.compile(
    rf"\b[nN]\s*=\s*(?P<n>{_N})|\b(?P<items>{_N})(?:-|\s+)(?:[a-z-]{{1,20}}\s+)?"
    r"(?:items?|questions?|examples?|problems?|tasks?|samples?|instances?|prompts?|cases?)\b",
)
_P = re.compile(r"\bp(?:-value)?\s*(?P<sign><=|>=|[<>=≤≥])\s*(?P<p>\d?\.\d{1,12}|[01])(?!\d)")
_CI = re.compile(
    rf"(?:(?P<level>\d{{2}}(?:\.\d)?)\s*%\s*)?(?:CI|confidence interval)\s*(?:of|from|[:=])?\s*"
    rf"[\[(]?\s*(?P<low>{_DECIMAL})\s*(?:%|pp|points)?\s*(?:,|to|–|;)\s*"
    rf"(?P<high>{_DECIMAL})\s*(?:%|pp|points)?\s*[\])]?"
)
_GAP = re.compile(rf"(?P<gap>{_DECIMAL})\s*(?:pp|percentage points|points)(?![a-z])")
_WINS = re.compile(
    r"\b(\d{1,4})\s+(?:of|out of)\s+(?:the\s+)?(\d{1,4})\s+(?:benchmarks|datasets)\b"
)
_NUMBER = re.compile(r"(?<![\w.,±-])(\d{1,3}(?:\.\d{1,9})?|\.\d{1,9})\s*(%?)(?![\w.-]*\w)")
_FROM = re.compile(r"\bfrom\s.{0,80}?\bto\b")


class ClaimSentence(NamedTuple):
    """The figures in a sentence, as they were written."""

    first: str
    second: str
    items: int | None
    p: str | None
    ci: str | None
    confidence_level: float | None


def sentence_in(text: str) -> ClaimSentence:
    """Return the figures of a claim about two accuracies.

    Raise QuestionError, with the form to use, for any other sentence.

    >>> sentence_in("A scores 71.4% vs 70.6% on 1,319 items (p = 0.04)")[:4]
    ('71.4%', '70.6%', 1319, '0.04')
    >>> sentence_in("from 70.6% to 71.4% (n=500, 95% CI -1.2 to 2.8)")[:3]
    ('71.4%', '70.6%', 500)
    """
    if len(text) > _LONG or "\n" in text:
        _refuse(text, f"A claim must be one line of at most {_LONG} characters.")
    items, rest = _taken(_ITEMS, text.replace("−", "-").replace("\\%", "%"))
    p, rest = _taken(_P, rest)
    ci, rest = _taken(_CI, rest)
    reported_p = f"{p['sign']}{p['p']}".removeprefix("=") if p else None
    limits = f"{ci['low']}pp,{ci['high']}pp" if ci else None
    if other := _other_form(rest, reported_p, limits):
        _refuse(text, "", other)
    numbers = _NUMBER.findall(rest)
    kinds = ([x for x in numbers if x[1]], [x for x in numbers if "." in x[0]], numbers)
    shares = next((kind for kind in kinds if kind), [])
    if len(shares) != 2:
        n = len(shares)
        _refuse(text, f"It has {n} number{'s' * (n != 1)} that could be accuracies.")
    first, second = (f"{number}{mark}" for number, mark in shares)
    if _FROM.search(rest):
        first, second = second, first
    size = items and int((items["n"] or items["items"]).replace(",", ""))
    level = float(ci["level"]) / 100 if ci and ci["level"] else None
    return ClaimSentence(first, second, size, reported_p, limits, level)


def _other_form(text: str, p: str | None, ci: str | None) -> str:
    """Return the command for a claim of another kind; empty for two accuracies."""
    if wins := _WINS.search(text):
        return f"nstar claim wins {wins[1]} {wins[2]} --models K"
    if "±" in text or "+/-" in text:
        pairs = re.findall(rf"({_DECIMAL})\s*%?\s*(?:±|\+/-)\s*({_DECIMAL})", text)
        (a, e), (b, f) = pairs if len(pairs) == 2 else (("A", "E"), ("B", "E"))
        return f"nstar claim scores {a} {b} --pm {e},{f} --seeds S"
    gap = _GAP.search(text)
    if gap is None or not (ci or p):
        return ""
    figures = [f" --ci {ci}" if ci else "", f" --p {shlex.quote(p)}" if p else ""]
    return f"nstar claim --gap {gap['gap']}pp{''.join(figures)}"


def _taken(pattern: re.Pattern[str], text: str) -> tuple[re.Match[str] | None, str]:
    """Return the only match, and the text without it. Two matches are ambiguous."""
    matches = list(pattern.finditer(text))
    if len(matches) > 1:
        examples = " and ".join(quoted(match[0]) for match in matches[:2])
        _refuse(text, f"It is ambiguous: {examples}.")
    return (matches[0], pattern.sub(" ", text)) if matches else (None, text)


def _refuse(text: str, reason: str, command: str = "") -> NoReturn:
    form = by_interface(
        python='nstar.claim("71.4%", "70.6%", items=1319, p=0.04)',
        command=command or "nstar claim 71.4% 70.6% --items 1319 --p 0.04",
    )
    cause = f"{reason} " if reason else ""
    msg = f"{quoted(text)} is not a claim about two accuracies. {cause}Use the form: {form}"
    raise QuestionError(msg)
