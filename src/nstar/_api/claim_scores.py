"""``claim_scores``: two printed values, each with a printed ±."""

import re
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

from nstar._api.claim import typical_rho
from nstar._api.criteria import criteria
from nstar._base import checks
from nstar._verbs.claim import PmIs, PrintedScore, ScoreClaim, judged_scores
from nstar._verbs.claim.printed import number_decimals
from nstar.errors import ParameterError, QuestionError, arg

_TWO_ENDS = re.compile(r"\+?(?P<up>[\d.]+)\s*/\s*[-−]?(?P<down>[\d.]+)")
_MAX_CHARACTERS = 40


class _PrintedNumber(NamedTuple):
    """A number as given."""

    text: str
    """As given, for messages."""
    value: float
    half: float
    """Half a unit of its last digit; 0 if it has too many digits to have been rounded."""
    unit: str
    """``"%"``, ``"pp"`` or nothing."""
    is_text: bool
    """A text has the printed digits; a number does not keep trailing zeros."""

    @property
    def percent(self) -> bool:
        """In hundredths."""
        return self.unit != ""


def claim_scores(
    first: float | str,
    second: float | str,
    pm: float | str | tuple[float | str, float | str],
    *,
    pm_is: PmIs | None = None,
    seeds: int | tuple[int, int] | None = None,
    items: int | None = None,
    items_b: int | None = None,
    unpaired: bool = False,
    rho: float | None = None,
    benchmark: str | None = None,
    conf: float = 0.95,
    alpha: float = 0.05,
    one_sided: bool = False,
) -> ScoreClaim:
    """What does a gap between two values support that were printed with an error?

    Parameters
    ----------
    first, second
        Printed values in any unit (F1, BLEU, perplexity, Elo, accuracies), as text or as numbers;
        ``"71.4%"`` is an accuracy. Their digits determine the rounding. Two numbers
        count as printed with the decimals of the finer one; numbers with 12 or more digits are
        exact.
    pm
        The printed ±, in the same unit; a pair if the two differ. ``"0.5pp"`` is in percentage
        points. ``"+5/-4"`` is taken as their mean.
    pm_is
        What the paper says ± is: ``"sd"``, ``"se"`` or ``"ci"``; without it all are tried.
    seeds
        Runs that each value is a mean of, ± being over runs; without it ± is over items.
    items, items_b
        Items of an accuracy; the second number if the models answered different ones.
    unpaired
        Neither items nor seeds are shared, so that the errors are independent.
    rho, benchmark
        Item correlation of the two, if known, or the benchmark whose published one is expected.
    conf
        Coverage, if ± is half an interval.
    alpha, one_sided
        Level, and whether only "first is larger" is of interest.

    Returns
    -------
    ScoreClaim
        Welch's test under each reading of ±, bounds over the correlation of the errors, and what
        the items add to errors over seeds.

    Raises
    ------
    ParameterError
        A value is not a number or is impossible, or the unit of ± is ambiguous.

    References
    ----------
    Methods: Printed figures

    Examples
    --------
    >>> c = claim_scores("71.4", "70.6", ("0.5", "0.4"), seeds=5)
    >>> {row.reading: row.apart for row in c.rows}["se"], c.apart
    ('never', 'depends')
    """
    checks.truth(unpaired=unpaired)
    values = _finest(_number("first", first), _number("second", second))
    error_a, error_b = (_number("pm", e) for e in _two(pm))
    errors = _finest(error_a, error_b)
    for error in errors:
        checks.require(error.value >= 0, "pm", "0 or more", error.value)
    runs, sizes = _two(seeds), (items, items if items_b is None else items_b)
    share = _is_share(values, items)
    scale = _scale(values, share=share)
    if pm_is is not None:
        checks.choice("pm_is", pm_is, ("sd", "se", "ci"))
    per_item = pm_is == "sd" and seeds is None
    if not per_item:  # a standard deviation of scores per item may be as large as the scores
        _check_size(values, errors, scale)
    _check_unit(values, errors, scale)
    if pm_is == "sd" and seeds is None and items is None:
        msg = (
            f"a standard deviation needs the number it is over: {arg('seeds')}, or {arg('items')} "
            "if it is that of scores per item"
        )
        raise QuestionError(msg)
    if seeds is not None and items is None and (rho is not None or benchmark is not None):
        what = arg("benchmark" if rho is None else "rho")
        msg = (
            f"{what} is about the items, which an error over seeds leaves out; add {arg('items')}"
        )
        raise QuestionError(msg)
    small = all(0 <= value.value <= 1 for value in values)
    error_scales = [100.0 if e.percent and (share or small) else scale for e in errors]
    scores = [
        PrintedScore(
            value=value.value / scale,
            pm=error.value / error_scale,
            seeds=run,
            items=size,
            half=value.half / scale,
            pm_half=error.half / error_scale,
        )
        for value, error, error_scale, run, size in zip(
            values, errors, error_scales, runs, sizes, strict=True
        )
    ]
    return judged_scores(
        scores[0],
        scores[1],
        share=share,
        unpaired=unpaired or items_b is not None,
        pm_is=pm_is,
        typical=typical_rho(rho, benchmark),
        conf=conf,
        criteria=criteria(alpha, max(0.8, (1 + alpha) / 2), one_sided=one_sided),
    )


def _two(given: Any) -> tuple[Any, Any]:
    """One for both, or one each."""
    if not isinstance(given, tuple | list):
        return given, given
    if len(given) != 2:
        msg = f"write one number for both values or one for each; got {len(given)}"
        raise ParameterError(msg)
    return given[0], given[1]


def _number(name: str, given: Any) -> _PrintedNumber:
    if not isinstance(given, str):
        checks.number(name, given)
        value = float(given)
        decimals = number_decimals(value)
        half = 0.0 if decimals is None else 0.5 * 10.0**-decimals
        return _PrintedNumber(f"{value:.12g}", value, half, "", is_text=False)
    text = given.strip().replace("−", "-").lower()
    unit = next((mark for mark in ("%", "pp") if text.endswith(mark)), "")
    plain = text.removesuffix("%").removesuffix("pp").strip().lstrip("±+")
    if (both := _TWO_ENDS.fullmatch(plain)) and name == "pm" and len(text) <= _MAX_CHARACTERS:
        up, down = _number(name, both["up"]), _number(name, both["down"])
        mean, half = (up.value + down.value) / 2, max(up.half, down.half)
        return _PrintedNumber(given.strip(), mean, half, unit, is_text=True)
    try:
        number = Decimal(plain) if len(plain) <= _MAX_CHARACTERS else Decimal("NaN")
    except InvalidOperation:
        number = Decimal("NaN")
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int) or abs(number) > Decimal("1e15") or exponent < -15:
        msg = f"{arg(name)} must be a number as printed, such as 71.4; got {given!r:.60}"
        raise ParameterError(msg)
    half = 0.5 * 10.0 ** min(exponent, 0)
    return _PrintedNumber(given.strip(), float(number), half, unit, is_text=True)


def _finest(
    first: _PrintedNumber, second: _PrintedNumber
) -> tuple[_PrintedNumber, _PrintedNumber]:
    """Numbers without their trailing zeros, and a bare 0: with the digits of the finer one."""
    half = min(first.half, second.half)

    def rounded(number: _PrintedNumber) -> _PrintedNumber:
        return number if number.is_text and number.value else number._replace(half=half)

    return rounded(first), rounded(second)


_MIN_DOUBTFUL_ERROR = 0.1
"""Smallest ± of proportions that may be in percentage points."""
_MAX_GAPS = 10
"""Smallest ratio of ± to the gap of proportions at which ± may be in percentage points."""


def _check_size(
    values: tuple[_PrintedNumber, ...], errors: tuple[_PrintedNumber, ...], scale: float
) -> None:
    """Raise if ± without a unit is probably on another scale than its value."""
    is_proportion = scale == 1 and all(0 <= v.value <= 1 and not v.percent for v in values)
    gap = abs(values[0].value - values[1].value)
    for value, error in zip(values, errors, strict=True):
        if error.unit:
            continue
        digits = error.half / value.half if error.is_text and value.is_text else 1.0
        many = error.value >= _MAX_GAPS * gap > 0
        if is_proportion and error.value >= _MIN_DOUBTFUL_ERROR and (digits > 1 or many):
            msg = (
                f"{arg('pm')} {error.text} beside {value.text}: percentage points or the unit of "
                f"the value? Write {error.text}pp (= {error.value / 100:g}) or "
                f"{100 * error.value:g}pp (= {error.value:g})"
            )
            raise QuestionError(msg)
        if scale == 100 and error.value < _MIN_DOUBTFUL_ERROR and 0 < digits <= 0.01:
            msg = (
                f"{arg('pm')} {error.text} beside {value.text}: percentage points or a "
                f"proportion? Write {error.text}pp or {100 * error.value:g}pp"
            )
            raise QuestionError(msg)


def _check_unit(
    values: tuple[_PrintedNumber, ...], errors: tuple[_PrintedNumber, ...], scale: float
) -> None:
    """Raise if ± has a percent sign and its value has none."""
    for value, error in zip(values, errors, strict=True):
        if error.unit == "%" and scale == 1 and not value.percent:
            share = f"{error.value * abs(value.value) / 100:.3g}"
            points = f"{error.value:g}pp"
            msg = (
                f"{arg('pm')} {error.text} beside {value.text}: percentage points or a share of "
                f"the value? Write {points} or {share}"
            )
            raise QuestionError(msg)


def _is_share(values: tuple[_PrintedNumber, _PrintedNumber], items: int | None) -> bool:
    marks = [v.percent for v in values]
    if any(marks) and not all(marks):
        msg = f"{arg('first')} and {arg('second')}: write a percent sign for both or for neither"
        raise ParameterError(msg)
    return all(marks) or (items is not None and all(0 <= v.value <= 100 for v in values))


def _scale(values: tuple[_PrintedNumber, _PrintedNumber], *, share: bool) -> float:
    """What accuracies are divided by: percent if they say so or are above 1."""
    if not share:
        return 1.0
    if any(v.percent or v.value > 1 for v in values):
        return 100.0
    return 1.0
