"""Parse the figures that a paper reports, and the numbers that round to them."""

import re
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nstar._base.types import Interval
from nstar.errors import ParameterError, arg
from nstar.stats._printed_matches import RoundingInterval
from nstar.stats.mcnemar import P_FLOOR

_P = re.compile(
    r"(?:p\s*)?(?P<sign><=|>=|=<|=>|[<>=≤≥])?\s*"
    r"(?P<number>(?:\d+\.?(?P<digits>\d*)|\.(?P<more>\d+))(?:e(?P<power>[+-]?\d{1,4}))?)",
    re.IGNORECASE | re.ASCII,
)
_SIGNS = {"<": "<", "<=": "≤", "=<": "≤", "≤": "≤", ">": ">", ">=": "≥", "=>": "≥", "≥": "≥"}
_MAX_PVALUE_CHARACTERS = 40
"""Maximum number of characters of a p-value."""
_WHOLE_ZERO = 2
"""Number of decimals from which a reported 0 is a rounded value, such as 0.000."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedFigures:
    """Figures that a paper reports with its two accuracies. All are optional."""

    pvalue: float | str | None = None
    """p-value as reported: 0.04, ``"0.040"`` (which has more digits), ``"<0.05"``, ``"> .05"``."""
    ci: Interval | None = None
    """Interval of the gap, as proportions."""
    confidence_level: float = 0.95
    """Coverage of the interval."""
    n: float | None = None
    """Reported sample size for this gap."""
    decimals: tuple[int, int] | None = None
    """Decimals of each accuracy as a proportion (71.4% has 3); None if exact."""
    ci_decimals: tuple[int, int] | None = None
    """Decimals of the limits; None for as many as they have."""
    is_bare: bool = False
    """Whether accuracies were reported without a percent sign, such as 71.4, so that they may be
    scores.
    """


class PrintedPValue(NamedTuple):
    """Reported p-value."""

    text: str
    """Text such as ``"= 0.04"`` or ``"< 0.05"``."""
    window: RoundingInterval
    """Range of p-values that round to the reported value."""
    possible: bool
    """Whether the value is possible; False for 0."""


def read_p(p: float | str) -> PrintedPValue:
    """Return a reported p-value with the range that its digits allow.

    ``p`` is a number, whose digits are those that it has, or the reported text.

    Raise ParameterError if the value is not a p-value.

    >>> read_p("0.040").window, read_p("p < .05").text
    (RoundingInterval(low=0.0395, high=0.0405), '< .05')
    >>> read_p(0.0).possible, read_p("0.000").window
    (False, RoundingInterval(low=0.0, high=0.0005))
    """
    text = (p if isinstance(p, str) else f"{p:.12g}").strip()
    match = _P.fullmatch(text) if len(text) <= _MAX_PVALUE_CHARACTERS else None
    if match is None or float(match["number"]) > 1:
        excerpt = (
            text if len(text) <= _MAX_PVALUE_CHARACTERS else f"{text[:_MAX_PVALUE_CHARACTERS]}…"
        )
        msg = f"{arg('p')} {excerpt!r} is not a p-value. Use 0.04, or '<0.05' in quotes."
        raise ParameterError(msg)
    value, sign = float(match["number"]), _SIGNS.get(match["sign"] or "=", "=")
    decimals = len(match["digits"] or match["more"] or "")
    if value == 0 and (sign != "=" or decimals < _WHOLE_ZERO):
        zero = not match["number"].lower().partition("e")[0].strip("0.")
        return PrintedPValue(f"{sign} {match['number']}", RoundingInterval(0.0, P_FLOOR), not zero)
    unit = 10.0 ** max(int(match["power"] or 0) - decimals, -320)
    return PrintedPValue(f"{sign} {match['number']}", _window(sign, value, unit), possible=True)


def _window(sign: str, value: float, unit: float) -> RoundingInterval:
    if sign in "<≤":
        return RoundingInterval(0.0, value)
    if sign in ">≥":
        return RoundingInterval(value, 1.0)
    return RoundingInterval(max(value - unit / 2, 0.0), min(value + unit / 2, 1.0))


_MAX_PRINTED_DIGITS = 11
"""Maximum number of significant digits of a number that was rounded for a report."""


def number_decimals(value: float) -> int | None:
    """Return the decimals of a number; None if there are too many for a rounded number.

    >>> number_decimals(0.714), number_decimals(71.0), number_decimals(2 / 3)
    (3, 0, None)
    """
    digits = f"{value:.12g}".lower().partition("e")[0].lstrip("-0.").replace(".", "")
    return None if len(digits) > _MAX_PRINTED_DIGITS else _decimals(value)


def _decimals(value: float) -> int:
    """Return the decimals of a number, without trailing zeros."""
    text = np.format_float_positional(float(f"{value:.12g}"), trim="-")
    return len(text.partition(".")[2])


def interval_windows(printed: PrintedFigures) -> tuple[RoundingInterval, RoundingInterval] | None:
    """Return the ranges that round to the reported limits; None without an interval."""
    if printed.ci is None:
        return None
    limits = float(printed.ci.low), float(printed.ci.high)
    digits = printed.ci_decimals or (_decimals(limits[0]), _decimals(limits[1]))

    def window(value: float, decimals: int) -> RoundingInterval:
        half = 0.5 * 10.0**-decimals
        return RoundingInterval(value - half, value + half)

    return window(limits[0], digits[0]), window(limits[1], digits[1])
