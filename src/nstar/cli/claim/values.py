"""What people write as the values of a claim: accuracies, intervals, errors, counts."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from nstar._base.units import ShareGap, parse_number
from nstar.cli.kit.options import ACCURACY, ITEMS, UnitType

if TYPE_CHECKING:
    _Accuracy = click.ParamType["AccuracyText"]
    _Limits = click.ParamType["PrintedLimits"]
    _Errors = click.ParamType[tuple[str, ...]]
    _Pair = click.ParamType[tuple[int, int]]
    _Counted = click.ParamType[int | str]
    _Text = click.ParamType[str]
else:  # not subscriptable at run time before click 8.4
    _Accuracy = _Limits = _Errors = _Pair = _Counted = _Text = click.ParamType


_SHARE_GAP = UnitType(ShareGap())
_NEGATIVE = re.compile(r"-\.?\d.*")


def with_minus(args: list[str], flags: set[str]) -> list[str]:
    """Arguments in which ``-1.2`` is a score and no option: its sign becomes a minus.

    What follows an option is the option's own; ``flags`` are those that take no value.
    """
    out = []
    for before, arg in zip(["", *args], args, strict=False):
        value = before.startswith("--") and before not in flags and "=" not in before
        out.append(f"−{arg[1:]}" if _NEGATIVE.fullmatch(arg) and not value else arg)
    return out


def count_decimals(text: str, unit: str) -> int:
    """Count the decimals of the proportion that a text stands for: 3 for 71.4%, 2 for 0.71.

    ``unit`` stands for a hundredth, ``"%"`` or ``"pp"``. The text may omit it.
    """
    from decimal import Decimal

    plain = text.strip().lower().replace("−", "-").replace(",", "")
    exponent = Decimal(plain.removesuffix(unit).strip()).as_tuple().exponent
    digits = -exponent if isinstance(exponent, int) else 0
    return max(digits, 0) + (2 if plain.endswith(unit) else 0)


def is_table(text: str) -> bool:
    """Whether an argument names a file rather than a number."""
    return text.lower().endswith((".csv", ".tsv"))


class AccuracyText(NamedTuple):
    """One accuracy as it was written."""

    text: str
    """Without blanks around it."""
    value: float
    """The number before a percent sign."""
    percent: bool
    """There is one."""
    file: bool = False
    """It is a file: a whole table."""


class _PrintedAccuracy(_Accuracy):
    """What a share may be, and bare numbers above 1, which the other one may explain."""

    name = "share"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> AccuracyText:
        """The number with its text."""
        text = str(value).strip()
        if is_table(text):
            return AccuracyText(text, 0.0, percent=False, file=True)
        if "±" in text or "+-" in text:
            msg = f"{text[:60]!r} has an error; write the value alone and the error with --pm"
            self.fail(msg, param, ctx)
        percent = text.endswith("%")
        number = parse_number(text.removesuffix("%").strip())
        if number is None and Path(text).suffix[1:].isalpha():
            msg = (
                f"{text[:60]!r} is not a table; save it as .csv or .tsv, cells may stay as pasted"
            )
            self.fail(msg, param, ctx)
        beside = None if ctx is None else ctx.params.get("pm")
        if number is not None and isinstance(beside, tuple):
            return AccuracyText(text, number, percent)  # any score, beside its error
        if number is None or percent or number <= 1:
            ACCURACY.convert(text, param, ctx)  # refuses anything else
        return AccuracyText(text, number or 0.0, percent)


class _CountOrFile(_Counted):
    """``1000``, or a file that says it of each benchmark."""

    name = "n|file"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | str:
        """A whole number, or a path."""
        text = str(value).strip()
        return text if is_table(text) else int(ITEMS.convert(value, param, ctx))


class PrintedLimits(NamedTuple):
    """An interval with its digits."""

    low: float
    """Lower limit, a proportion."""
    high: float
    """Upper limit."""
    decimals: tuple[int, int]
    """Digits after the point of each as a proportion."""


class _PrintedInterval(_Limits):
    """``LOW,HIGH``, brackets allowed."""

    name = "low,high"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> PrintedLimits:
        """Two gaps in order."""
        parts = [part.strip() for part in str(value).strip(" []()").split(",")]
        limits = [_SHARE_GAP.convert(part, param, ctx) for part in parts]
        if len(limits) != 2 or limits[0] >= limits[1]:
            self.fail(f"{value!r} is not LOW,HIGH, such as -1.2pp,2.8pp", param, ctx)
        low, high = (count_decimals(part, "pp") for part in parts)
        return PrintedLimits(limits[0], limits[1], (low, high))


class _PrintedErrors(_Errors):
    """``0.5`` or ``0.5,0.4``, as printed after ±."""

    name = "e[,e]"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """One text for both, or one each; what they mean is for the library."""
        if isinstance(value, tuple):
            return value
        parts = tuple(part.strip() for part in str(value).split(","))
        if len(parts) > 2 or not all(any(c.isdigit() for c in part) for part in parts):
            self.fail(
                f"{str(value)[:60]!r} is not an error as printed; write 0.5 or 0.5,0.4", param, ctx
            )
        return parts


class _PValue(_Text):
    """A p-value as printed; its digits are for the library."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The text itself."""
        from nstar._verbs.claim.printed import read_p
        from nstar.errors import ParameterError

        try:
            read_p(str(value))
        except ParameterError:
            msg = f"{str(value)[:60]!r} is not a p-value; write 0.04, or '<0.05' in quotes"
            self.fail(msg, param, ctx)
        return str(value)


class _BestOn(_Pair):
    """``7/9``."""

    name = "k/n"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """Wins and benchmarks."""
        if isinstance(value, tuple):
            return value
        wins, slash, of = str(value).strip().partition("/")
        short = wins.isascii() and wins.isdigit() and of.isascii() and of.isdigit()
        if not (slash and short and len(wins) <= 9 and len(of) <= 9):
            self.fail(f"{str(value)[:60]!r} is not wins/benchmarks; write 7/9", param, ctx)
        return int(wins), int(of)


P_VALUE = _PValue()
WINS = _BestOn()
PRINTED_ERRORS = _PrintedErrors()
PRINTED_ACCURACY = _PrintedAccuracy()
PRINTED_INTERVAL = _PrintedInterval()
ITEMS_OR_FILE = _CountOrFile()


class Accuracies(NamedTuple):
    """Two accuracies that were understood."""

    shares: tuple[float, float]
    """Proportions."""
    decimals: tuple[int, int]
    """Digits after the point of each."""
    bare: bool
    """Both were numbers above 1 without a percent sign."""


def as_accuracies(first: AccuracyText, second: AccuracyText, items: int) -> Accuracies:
    """Two accuracies read side by side, because one may tell how the other is meant.

    Raises
    ------
    click.UsageError
        If they are not accuracies, or on two scales.
    """
    pair = first, second
    large = [n for n in pair if not n.percent and n.value > 100]
    if large:
        raise click.UsageError(_no_accuracy(large[0], items))
    above = [not n.percent and n.value > 1 for n in pair]
    shares = [not n.percent and n.value <= 1 for n in pair]
    if any(above) and any(shares):
        odd, other = pair if above[0] else pair[::-1]
        msg = (
            f"{odd.text} beside {other.text}: percent or a proportion? Write {odd.text}% or "
            f"{odd.value / 100:g}"
        )
        raise click.UsageError(msg)
    scale = [1.0 if share else 100.0 for share in shares]
    digits = [
        count_decimals(n.text, "%") + (2 if up else 0) for n, up in zip(pair, above, strict=True)
    ]
    return Accuracies(
        (first.value / scale[0], second.value / scale[1]), _digits(pair, digits), all(above)
    )


def _digits(pair: tuple[AccuracyText, AccuracyText], digits: list[int]) -> tuple[int, int]:
    """A bare 0 or 1 is as fine as the other number; beside another one, a whole percent."""
    whole = [not n.percent and n.text in ("0", "1") for n in pair]
    beside = max(*digits, 2 if all(whole) else 1)
    first, second = (beside if w else d for w, d in zip(whole, digits, strict=True))
    return first, second


def _no_accuracy(number: AccuracyText, items: int) -> str:
    """What a number above 100 may be, and what to do with it."""
    msg = f"{number.text} is not an accuracy (71.4% or 0.714)."
    if number.value <= items and number.value == int(number.value):
        share = f"{100 * number.value / items:.2f}".rstrip("0").rstrip(".")
        msg += f" If it is a number of right answers, write {share}%."
    return (
        f"{msg} Other scores (Elo, BLEU, perplexity) say nothing without an error: give what was "
        "printed after ±, or half the interval, with --pm; or ask for the standard error of the "
        "difference, or for scores per item (nstar compare)"
    )
