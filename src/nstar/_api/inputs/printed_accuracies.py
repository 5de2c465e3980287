"""Parse two reported accuracies and a reported interval of their gap."""

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple, NoReturn

from nstar._base.types import Interval
from nstar._base.units import Share, ShareGap, parse_number
from nstar._verbs.benchmarks import TEST_SETS
from nstar._verbs.claim.printed import number_decimals
from nstar.errors import ParameterError, QuestionError, arg, by_interface
from nstar.stats._sizes import sizes_that_print

_MAX_SIZES_LISTED = 8


class PrintedAccuracies(NamedTuple):
    """Two accuracies with their digits."""

    shares: tuple[float, float]
    """The accuracies as proportions."""
    decimals: tuple[int, int] | None
    """Digits after the point of each proportion. None if one of them is exact."""
    is_bare: bool
    """Whether both are numbers above 1 without a percent sign, which may be scores."""


class _PrintedAccuracy(NamedTuple):
    text: str
    """The reported text, for messages."""
    value: float
    """The number before a percent sign."""
    is_percent: bool
    """Whether the text has a percent sign."""
    decimals: int | None
    """Digits after the point of the proportion. None if there are too many for rounding."""
    is_text: bool
    """Whether the accuracy was passed as text, which keeps trailing zeros."""

    @property
    def is_bare_percent(self) -> bool:
        return not self.is_percent and self.value > 1

    @property
    def share(self) -> float:
        return self.value / 100 if self.is_percent or self.is_bare_percent else self.value

    @property
    def has_unknown_digits(self) -> bool:
        is_bare_whole = not self.is_percent and self.text in ("0", "1")
        return not self.is_text or is_bare_whole


def accuracies_in(first: float | str, second: float | str, n_items: int) -> PrintedAccuracies:
    """Parse two accuracies together, because one can determine the unit of the other."""
    pair = _accuracy("first", first), _accuracy("second", second)
    for accuracy in pair:
        if accuracy.is_bare_percent and accuracy.value > 100:
            _refuse_large(accuracy, n_items)
    above = [accuracy.is_bare_percent for accuracy in pair]
    proportions = [not a.is_percent and not a.is_bare_percent for a in pair]
    if any(above) and any(proportions):
        odd, other = pair if above[0] else pair[::-1]
        msg = (
            f"{odd.text} with {other.text} is ambiguous: it could be a percentage or a "
            f"proportion. Use {odd.text}% or {odd.value / 100:g}."
        )
        raise QuestionError(msg)
    return PrintedAccuracies((pair[0].share, pair[1].share), _decimals(pair), all(above))


def interval_in(limits: Sequence[float | str]) -> tuple[Interval, tuple[int, int] | None]:
    """Parse the limits of a gap as proportions, with the digits of text."""
    low, high = (gap_in("ci", limit) for limit in limits)
    if low >= high:
        msg = f"{arg('ci')} must be the lower and the upper limit; got {low:g} and {high:g}"
        raise ParameterError(msg)
    decimals = [count_decimals(limit, "pp") for limit in limits if isinstance(limit, str)]
    return Interval(low, high), (decimals[0], decimals[1]) if len(decimals) == 2 else None


def count_decimals(text: str, unit: str) -> int:
    """Count the decimals of the proportion that a text represents: 3 for 71.4%, 2 for 0.71.

    ``unit`` is ``"%"`` or ``"pp"``, a hundredth. The text may omit it.
    """
    plain = text.strip().lower().replace("−", "-").replace(",", "")
    exponent = Decimal(plain.removesuffix(unit).strip()).as_tuple().exponent
    digits = -exponent if isinstance(exponent, int) else 0
    return max(digits, 0) + (2 if plain.endswith(unit) else 0)


def refuse_no_items(first: float | str, second: float | str, sentence: str = "") -> NoReturn:
    """Raise QuestionError with the size of the benchmark in a sentence, or the possible sizes."""
    scores = by_interface(
        python="claim_scores(…, pm=…)", command="nstar claim scores with --pm (the ± value)"
    )
    msg = (
        f"{arg('items')} is missing. Accuracies need the item count; for other scores, use "
        f"{scores}."
    )
    plain = sentence.lower().replace(" ", "-")
    for benchmark, n in TEST_SETS.items():
        if benchmark.lower().replace(" ", "-") in plain:
            msg = (
                f"{arg('items')} is missing. The test set of {benchmark} has {n:,} items. If all "
                f"were used, set {arg('items', str(n))}."
            )
            raise QuestionError(msg)
    accuracies = accuracies_in(first, second, 0)
    sizes = accuracies.decimals and sizes_sentence(accuracies.shares, accuracies.decimals)
    raise QuestionError(f"{msg} {sizes}".strip() if sizes else msg)


def sizes_sentence(shares: tuple[float, ...], decimals: tuple[int, ...]) -> str:
    """Name the smallest numbers of items that fit, and count the others.

    >>> sizes_sentence((0.8571, 0.7143), (4, 4))[:67]
    'Both are possible on 7, 14, 21, 28, 35, 42, 49, 56 items and on 3,7'
    """
    limit = 10 ** max(decimals)
    sizes = sizes_that_print(shares, decimals)
    if sizes.size == 0 or limit < 100:
        return ""
    listed = ", ".join(f"{n:,}" for n in sizes[:_MAX_SIZES_LISTED].tolist())
    others = sizes.size - _MAX_SIZES_LISTED
    if others <= 0:
        return f"Below {limit:,} items, both are possible only on {listed}."
    return f"Both are possible on {listed} items and on {others:,} other counts below {limit:,}."


def _accuracy(name: str, value: float | str) -> _PrintedAccuracy:
    if not isinstance(value, str):
        if not 0 <= value <= 1:
            fix = f' Use {value / 100:g} or "{value:g}%".' if 1 < value <= 100 else ""
            msg = f"{arg(name)} {value:g} is not a proportion.{fix}"
            raise ParameterError(msg)
        decimals = number_decimals(float(value))
        return _PrintedAccuracy(
            f"{value:g}", float(value), is_percent=False, decimals=decimals, is_text=False
        )
    text = value.strip()
    number = parse_number(text.removesuffix("%").strip())
    is_percent = text.endswith("%")
    if number is None or is_percent or number <= 1:
        _check_share(name, text)
    number = number or 0.0
    decimals = count_decimals(text, "%") + (2 if not is_percent and number > 1 else 0)
    return _PrintedAccuracy(text, number, is_percent, decimals, is_text=True)


def _check_share(name: str, text: str) -> None:
    """Raise ParameterError if the text is not a proportion."""
    if "±" in text or "+-" in text:
        scores = by_interface(python="claim_scores(…, pm=…)", command="nstar claim scores --pm")
        msg = f"{arg(name)} {text[:60]!r} includes an error. Use {scores}."
        raise ParameterError(msg)
    if Path(text).suffix[1:].isalpha():
        table = by_interface(python="nstar.claim_table", command="nstar claim table")
        msg = f"{arg(name)} {text[:60]!r} is not an accuracy. For a table, use {table}."
        raise ParameterError(msg)
    try:
        Share().parse(text)
    except ValueError as error:
        msg = f"{arg(name)}: {error}"
        raise ParameterError(msg) from error


def _decimals(pair: tuple[_PrintedAccuracy, _PrintedAccuracy]) -> tuple[int, int] | None:
    """Return the decimals of each. A number, and a bare 0 or 1, takes those of the other."""
    first, second = (accuracy.decimals for accuracy in pair)
    if first is None or second is None:
        return None
    unknown = [accuracy.has_unknown_digits for accuracy in pair]
    min_digits = 2 if all(unknown) or not all(a.is_text for a in pair) else 1
    finest = max(first, second, min_digits)
    return finest if unknown[0] else first, finest if unknown[1] else second


def _refuse_large(accuracy: _PrintedAccuracy, n_items: int) -> NoReturn:
    """Raise QuestionError for a number above 100, with its possible meaning."""
    msg = f"{accuracy.text} is not an accuracy such as 71.4% or 0.714."
    if accuracy.value <= n_items and accuracy.value == int(accuracy.value):
        share = f"{100 * accuracy.value / n_items:.2f}".rstrip("0").rstrip(".")
        msg += f" If it is a number of correct answers, convert it to a percentage: {share}%."
    scores = by_interface(
        python="claim_scores(…, pm=…)", command="nstar claim scores with --pm (the ± value)"
    )
    msg += (
        f" For other scores, such as Elo, BLEU, or perplexity, use {scores}, or compare the "
        f"scores per item with {by_interface(python='nstar.compare', command='nstar compare')}."
    )
    raise QuestionError(msg)


def gap_in(name: str, limit: float | str) -> float:
    """Parse a reported gap, or a limit of its interval, as a proportion."""
    try:
        value = ShareGap().parse(limit) if isinstance(limit, str) else float(limit)
    except ValueError as error:
        msg = f"{arg(name)}: {error}"
        raise ParameterError(msg) from error
    if abs(value) > 1:
        msg = f"{arg(name)} must be in proportions. For {value:g} percentage points, use "
        msg += f"{value / 100:g}"
        raise ParameterError(msg)
    return value
