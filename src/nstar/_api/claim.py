"""``claim``: two printed accuracies, with whatever else was printed."""

from decimal import Decimal, InvalidOperation
from typing import Literal, NamedTuple, overload

from nstar import stats
from nstar._api.criteria import criteria
from nstar._base import checks
from nstar._base.types import Interval
from nstar._verbs.benchmarks import BENCHMARKS, TYPICAL, TypicalRho
from nstar._verbs.claim import Claim, PrintedFigures, UnpairedClaim, judged, judged_apart
from nstar._verbs.claim.printed import number_decimals
from nstar.errors import ParameterError, QuestionError, arg


class _RoundedAccuracy(NamedTuple):
    """A proportion, and the digits after its point."""

    share: float
    decimals: int | None
    """None: too many to have been rounded."""
    is_text: bool
    """A text has the printed digits; a number does not keep trailing zeros."""


@overload
def claim(
    first: float | str,
    second: float | str,
    items: int,
    *,
    rho: float | None = None,
    benchmark: str | None = None,
    p: float | str | None = None,
    ci: tuple[float, float] | None = None,
    conf: float = 0.95,
    printed_n: float | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    one_sided: bool = False,
) -> Claim: ...


@overload
def claim(
    first: float | str,
    second: float | str,
    items: int,
    *,
    items_b: int,
    alpha: float = 0.05,
    power: float = 0.8,
    one_sided: bool = False,
) -> UnpairedClaim: ...


@overload
def claim(
    first: float | str,
    second: float | str,
    items: int,
    *,
    unpaired: Literal[True],
    items_b: int | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    one_sided: bool = False,
) -> UnpairedClaim: ...


def claim(
    first: float | str,
    second: float | str,
    items: int,
    *,
    items_b: int | None = None,
    unpaired: bool = False,
    rho: float | None = None,
    benchmark: str | None = None,
    p: float | str | None = None,
    ci: tuple[float, float] | None = None,
    conf: float = 0.95,
    printed_n: float | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    one_sided: bool = False,
) -> Claim | UnpairedClaim:
    """What do two printed accuracies support?

    Parameters
    ----------
    first, second
        Printed accuracies, as text, ``"71.4%"`` or ``"0.714"``, or as proportions, 0.714. Their
        digits determine the rounding. A number does not keep trailing zeros: it counts as
        printed with at least two decimals, and with as many as the other accuracy. A number with
        12 or more digits, such as 88 / 164, is exact. The claim is first minus second.
    items
        Items both models answered.
    items_b, unpaired
        Items of the second model, if it answered others; ``unpaired`` if they are others but as
        many. The answer is then that of two independent proportions.
    rho, benchmark
        Item correlation of the two, if it is known, or the benchmark whose published one is to be
        expected; at most one of the two.
    p, ci, conf, printed_n
        What was printed beside: the p-value (0.04, ``"0.040"`` or ``"<0.05"``), the interval of
        the gap with its coverage, the sample size called necessary. Each is checked.
    alpha, power, one_sided
        Level, wanted power, and whether only "first is better" is of interest.

    Returns
    -------
    Claim or UnpairedClaim
        Bounds of the test statistic, detectable gap, and a verdict on every figure printed; of
        different items the score test and Newcombe's interval.

    Raises
    ------
    ParameterError
        Something is not an accuracy, or cannot be.

    References
    ----------
    Methods: Printed figures

    Examples
    --------
    >>> c = claim("78.3%", "77.5%", 12032)
    >>> round(c.t_min, 2), round(c.t_max, 2), c.significance, c.verdict
    (1.18, 10.44, 'depends', 'borderline')
    >>> claim("78.3%", "77.5%", 12032, items_b=500).significance
    'never'
    """
    a, b = _accuracy("first", first), _accuracy("second", second)
    known = _digits(a, b)
    rule = criteria(alpha, power, one_sided=one_sided)
    if unpaired or items_b is not None:
        refuse_paired(rho=rho, benchmark=benchmark, p=p, ci=ci, printed_n=printed_n)
        shown = PrintedFigures(decimals=known)
        return judged_apart(a.share, b.share, items, items_b, printed=shown, criteria=rule)
    typical = typical_rho(rho, benchmark)
    if rho is not None:
        stats.psi_from_rho(a.share, b.share, rho)  # refuses what is impossible
    checks.instance("ci", ci, tuple | list, "two proportions, low and high")
    if ci is not None and max(abs(limit) for limit in ci) > 1:
        low, high = (f"{limit / 100:g}" for limit in ci)
        msg = f"{arg('ci')} holds two proportions; for percentage points write ({low}, {high})"
        raise ParameterError(msg)
    return judged(
        a.share,
        b.share,
        items,
        typical=typical,
        printed=PrintedFigures(
            p=p,
            ci=None if ci is None else Interval(*ci),
            conf=conf,
            n=printed_n,
            decimals=known,
        ),
        criteria=rule,
    )


def refuse_paired(**given: object) -> None:
    """Words that only the same items for both models give a meaning."""
    for name, value in given.items():
        if value is not None:
            why = (
                "is an assumption about shared items"
                if name in ("rho", "benchmark")
                else "is checked against counts of shared items"
            )
            msg = f"{arg(name)} {why}; leave it out with {arg('unpaired')} or {arg('items_b')}"
            raise QuestionError(msg)


def _accuracy(name: str, given: float | str) -> _RoundedAccuracy:
    if not isinstance(given, str):
        checks.number(name, given)
        if given > 1:
            msg = f"{arg(name)} is a proportion; for {given:g} % write {given / 100:g}"
            raise ParameterError(msg)
        return _RoundedAccuracy(float(given), number_decimals(float(given)), is_text=False)
    text = given.strip().replace("−", "-")
    percent = text.endswith("%")
    try:
        number = Decimal(text.removesuffix("%").strip())
    except InvalidOperation:
        number = Decimal("NaN")
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int) or not 0 <= number <= (100 if percent else 1):
        msg = f'{arg(name)} must be an accuracy such as 0.714 or "71.4%"; got {given!r:.60}'
        raise ParameterError(msg)
    digits = max(-exponent, 0) + (2 if percent else 0)
    share = float(number / 100 if percent else number)
    return _RoundedAccuracy(share, digits, is_text=True)


_MIN_DECIMALS = 2
"""Decimals that a proportion is printed with, at least: a whole percent."""


def _digits(first: _RoundedAccuracy, second: _RoundedAccuracy) -> tuple[int, int] | None:
    """Decimals of both; None if one is exact."""
    if first.decimals is None or second.decimals is None:
        return None
    finest = max(first.decimals, second.decimals, _MIN_DECIMALS)
    return (
        first.decimals if first.is_text else finest,
        second.decimals if second.is_text else finest,
    )


def typical_rho(rho: float | None, benchmark: str | None) -> TypicalRho:
    """Correlations to expect: a known one, those of a benchmark, or typical ones."""
    if rho is not None and benchmark is not None:
        msg = f"{arg('rho')} and {arg('benchmark')} answer the same question; give one"
        raise QuestionError(msg)
    if rho is not None:
        name = "this pair, as given"
        return TypicalRho(name=name, mean=rho, low=rho, high=rho, source="as given")
    if benchmark is None:
        return TYPICAL
    if benchmark.lower() not in BENCHMARKS:
        msg = f"{arg('benchmark')} must be one of {', '.join(BENCHMARKS)}; got {benchmark!r:.60}"
        raise ParameterError(msg)
    return BENCHMARKS[benchmark.lower()]
