"""``claim_scores``: check two reported scores that each have a reported ±."""

import re
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, NamedTuple

from nstar._api.claim import typical_rho
from nstar._base import checks
from nstar._base.parameter_types import (
    Alternative,
    FirstPrinted,
    ItemCount,
    PlusMinusKind,
    PrintedErrors,
    Proportion,
    Rho,
    SecondPrinted,
    SeedCounts,
)
from nstar._base.verb import verb
from nstar.errors import ParameterError, QuestionError, arg

if TYPE_CHECKING:
    from nstar._verbs.claim import ScoreClaim

_TWO_ENDS = re.compile(r"\+?(?P<up>[\d.]+)\s*/\s*[-−]?(?P<down>[\d.]+)")
_MAX_CHARACTERS = 40


class _PrintedNumber(NamedTuple):
    """A reported number with its digits."""

    text: str
    """The reported text, for messages."""
    value: float
    half: float
    """Half a unit of its last digit; 0 if it has too many digits to have been rounded."""
    unit: str
    """``"%"``, ``"pp"`` or nothing."""
    is_text: bool
    """Whether the number was passed as text, which keeps trailing zeros."""

    @property
    def percent(self) -> bool:
        """Return the number in hundredths."""
        return self.unit != ""


@verb()
def claim_scores(
    first: FirstPrinted,
    second: SecondPrinted,
    /,
    *,
    pm: PrintedErrors,
    pm_is: PlusMinusKind | None = None,
    seeds: SeedCounts | None = None,
    items: ItemCount | None = None,
    items_b: ItemCount | None = None,
    unpaired: bool = False,
    rho: Rho | None = None,
    confidence_level: Proportion = 0.95,
    alpha: Proportion = 0.05,
    alternative: Alternative = "two-sided",
) -> "ScoreClaim":
    """Check whether a gap between two scores with reported errors is supported.

    The scores can have any unit, such as F1, BLEU, perplexity, Elo, or accuracy. The gap is the
    first score minus the second. The reported digits determine the rounding, so keep trailing
    zeros.

    Parameters
    ----------
    first : float or str
        First reported score, such as 71.4 or ``71.4%``. Two numbers are assumed to have the
        decimals of the more precise one. A number with 12 or more digits is exact.
    second : float or str
        Second reported score.
    pm : float, str, or tuple
        Reported ± value of both scores, or one value for each score, such as 0.5,0.4. The values
        have the unit of the scores. Write 0.5pp for percentage points, and +5/-4 for unequal
        errors, which are averaged.
    pm_is : str, optional
        Meaning of ±: standard deviation, standard error, or half-width of a confidence interval.
        By default, the report shows the result for each meaning.
    seeds : int or tuple of int, optional
        Number of runs behind each score, if ± describes the variation over runs. By default, ±
        describes the variation over items.
    items : int, optional
        Number of items, if the scores are accuracies.
    items_b : int, optional
        Number of items that the second model answered, if it answered other items.
    unpaired : bool, default False
        Declare that the models share neither items nor seeds.
    rho : float or str, optional
        Correlation of the models' scores over items, or a benchmark name such as mmlu (default:
        0.4 to 0.7).
    confidence_level : float, default 0.95
        Confidence level, if ± is the half-width of a confidence interval.

    Other Parameters
    ----------------
    alpha : float, default 0.05
        Significance level of the tests.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Alternative hypothesis: the gap is not zero, is above zero, or is below zero.

    Returns
    -------
    ScoreClaim
        Welch's test for each meaning of ±, bounds over the correlation of the errors, and the
        additional error from items if ± is over seeds.

    Raises
    ------
    ParameterError
        A value is not a number or is impossible, or the unit of ± is ambiguous.

    References
    ----------
    Methods: Reported figures

    Examples
    --------
    >>> c = claim_scores("71.4", "70.6", pm=("0.5", "0.4"), seeds=5)
    >>> c.scenarios[2].reading, c.scenarios[2].verdict_independent, c.verdict_independent
    ('se', 'not_supported', 'depends')
    """
    from nstar._verbs.claim import PrintedScore, judged_scores
    from nstar._verbs.verdict import Criteria

    values = _finest(_number("first", first), _number("second", second))
    error_a, error_b = (_number("pm", e) for e in _two(pm))
    errors = _finest(error_a, error_b)
    for error in errors:
        checks.require(error.value >= 0, "pm", "0 or more", error.value)
    runs, sizes = _two(seeds), (items, items if items_b is None else items_b)
    share = _is_share(values, items)
    scale = _scale(values, share=share)
    per_item = pm_is == "sd" and seeds is None
    if not per_item:  # a standard deviation of scores per item may be as large as the scores
        _check_size(values, errors, scale)
    _check_unit(values, errors, scale)
    if pm_is == "sd" and seeds is None and items is None:
        msg = (
            f"A standard deviation needs its sample size. Set {arg('seeds')} if it is over seeds, "
            f"or {arg('items')} if it is over items."
        )
        raise QuestionError(msg)
    if seeds is not None and items is None and rho is not None:
        msg = f"{arg('rho')} is a correlation over items, but the errors are over seeds. "
        msg += f"Add {arg('items')}."
        raise QuestionError(msg)
    small = all(0 <= value.value <= 1 for value in values)
    error_scales = [100.0 if e.percent and (share or small) else scale for e in errors]
    scores = [
        PrintedScore(
            value=value.value / scale,
            pm=error.value / error_scale,
            n_seeds=run,
            n_items=size,
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
        typical=typical_rho(rho),
        conf=confidence_level,
        criteria=Criteria(alpha=alpha, power=max(0.8, (1 + alpha) / 2), alternative=alternative),
    )


def _two(values: Any) -> tuple[Any, Any]:
    """Return one value for each score. None, or one value, applies to both."""
    return (None, None) if values is None else (values[0], values[-1])


def _number(name: str, printed: Any) -> _PrintedNumber:
    from nstar._verbs.claim.printed import number_decimals

    if not isinstance(printed, str):
        checks.number(name, printed)
        value = float(printed)
        decimals = number_decimals(value)
        half = 0.0 if decimals is None else 0.5 * 10.0**-decimals
        return _PrintedNumber(f"{value:.12g}", value, half, "", is_text=False)
    text = printed.strip().replace("−", "-").lower()
    unit = next((mark for mark in ("%", "pp") if text.endswith(mark)), "")
    plain = text.removesuffix("%").removesuffix("pp").strip().lstrip("±+")
    if (match := _TWO_ENDS.fullmatch(plain)) and name == "pm" and len(text) <= _MAX_CHARACTERS:
        up, down = _number(name, match["up"]), _number(name, match["down"])
        mean, half = (up.value + down.value) / 2, max(up.half, down.half)
        return _PrintedNumber(printed.strip(), mean, half, unit, is_text=True)
    try:
        number = Decimal(plain) if len(plain) <= _MAX_CHARACTERS else Decimal("NaN")
    except InvalidOperation:
        number = Decimal("NaN")
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int) or abs(number) > Decimal("1e15") or exponent < -15:
        msg = f"{arg(name)} must be a number such as 71.4; got {printed!r:.60}"
        raise ParameterError(msg)
    half = 0.5 * 10.0 ** min(exponent, 0)
    return _PrintedNumber(printed.strip(), float(number), half, unit, is_text=True)


def _finest(
    first: _PrintedNumber, second: _PrintedNumber
) -> tuple[_PrintedNumber, _PrintedNumber]:
    """Both numbers with the decimals of the finer one, since numbers lose trailing zeros."""
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
                f"{arg('pm')} {error.text} with {value.text} is ambiguous: it could be in "
                f"percentage points or in the unit of the score. Use {error.text}pp (= "
                f"{error.value / 100:g}) or {100 * error.value:g}pp (= {error.value:g})."
            )
            raise QuestionError(msg)
        if scale == 100 and error.value < _MIN_DOUBTFUL_ERROR and 0 < digits <= 0.01:
            msg = (
                f"{arg('pm')} {error.text} with {value.text} is ambiguous: it could mean "
                f"percentage points or a proportion. Use {error.text}pp or "
                f"{100 * error.value:g}pp."
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
                f"{arg('pm')} {error.text} with {value.text} is ambiguous: it could mean "
                f"percentage points or a share of the score. Use {points} or {share}."
            )
            raise QuestionError(msg)


def _is_share(values: tuple[_PrintedNumber, _PrintedNumber], items: int | None) -> bool:
    marks = [v.percent for v in values]
    if any(marks) and not all(marks):
        msg = (
            f"{arg('first')} and {arg('second')} are in different units. Use a percent sign for "
            "both or for neither."
        )
        raise ParameterError(msg)
    return all(marks) or (items is not None and all(0 <= v.value <= 100 for v in values))


def _scale(values: tuple[_PrintedNumber, _PrintedNumber], *, share: bool) -> float:
    """Return the divisor of accuracies: percent if they have the sign or are above 1."""
    if not share:
        return 1.0
    if any(v.percent or v.value > 1 for v in values):
        return 100.0
    return 1.0
