"""How people write accuracies and gaps, and the options that commands share."""

import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from nstar._base.address import is_address, without_secrets
from nstar.cli.kit.completion import complete_files, complete_models
from nstar.cli.kit.params import Heading, argument, group, option

if TYPE_CHECKING:
    from nstar._base.result import Level
    from nstar._verbs.verdict import Criteria

    _Number = click.ParamType[float]
    _Numbers = click.ParamType[tuple[float, ...]]
    _Size = click.ParamType[int]
else:  # not subscriptable at run time before click 8.4
    _Number = _Numbers = _Size = click.ParamType


_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?")


def number_of(text: str) -> float | None:
    """A finite number; commas only between thousands, so that 7,1 is not read as 71."""
    plain = text.replace("−", "-")
    if _THOUSANDS.fullmatch(plain):
        plain = plain.replace(",", "")
    try:
        value = float(plain)
    except ValueError:
        return None
    return value if abs(value) < float("inf") else None


class LocalFolder(click.Path):
    """A folder of this machine; ``s3://bucket`` would else become a folder called ``s3:``."""

    def convert(
        self,
        value: "str | os.PathLike[str]",
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:
        """The path, as :class:`click.Path` has it."""
        text = os.fspath(value)
        if is_address(text):
            msg = f"{without_secrets(text)} is an address; give a folder"
            self.fail(f"{msg} (nstar audit --out takes addresses)", param, ctx)
        return super().convert(value, param, ctx)


LOCAL_FOLDER = LocalFolder(file_okay=False)


_UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "mib": 1 << 20, "gib": 1 << 30}


class ByteSize(_Size):
    """``500MB``, ``2GB``, or a number of bytes."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Bytes."""
        if isinstance(value, int):
            return value
        text = str(value).strip()
        digits = text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
        number, unit = number_of(digits), text[len(digits) :].strip().lower()
        if number is None or number < 0 or unit not in _UNITS:
            self.fail(f"{text!r} is not a size; write 500MB, 2GB or 0", param, ctx)
        return round(number * _UNITS[unit])


class Accuracy(_Number):
    """``70%`` or ``0.7``."""

    name = "share"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Proportion in [0, 1]."""
        if isinstance(value, float):
            return value
        text = str(value).strip()
        percent = text.endswith("%")
        number = number_of(text.removesuffix("%").strip())
        if number is None:
            pointed = text.replace(",", ".")
            decimal = "," in text and number_of(pointed.removesuffix("%")) is not None
            mend = f"{pointed} with a point" if decimal else "70% or 0.7"
            self.fail(f"{text!r} is not a proportion; write {mend}", param, ctx)
        if not percent and number > 1:
            self.fail(f"{text!r} is above 1; write {text}% or {number / 100:g}", param, ctx)
        share = number / 100 if percent else number
        if not 0 <= share <= 1:
            self.fail(f"{text!r} is not between 0% and 100%", param, ctx)
        return share


def decimals_of(text: str, unit: str) -> int:
    """Digits after the point of the proportion: 3 for 71.4%, 2 for 0.71.

    ``unit`` is what stands for a hundredth, ``"%"`` or ``"pp"``; the text may go without.
    """
    from decimal import Decimal

    plain = text.strip().lower().replace("−", "-").replace(",", "")
    exponent = Decimal(plain.removesuffix(unit).strip()).as_tuple().exponent
    digits = -exponent if isinstance(exponent, int) else 0
    return max(digits, 0) + (2 if plain.endswith(unit) else 0)


class Gap(_Number):
    """``1pp`` or ``0.01``."""

    name = "gap"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Proportion in (-1, 1)."""
        if isinstance(value, float):
            return value
        text = str(value).strip()
        if text.endswith("%"):
            stem = text.removesuffix("%").strip()
            self.fail(
                f"{text!r} could mean points or a share of the baseline; write {stem}pp",
                param,
                ctx,
            )
        points = text.lower().endswith("pp")
        number = number_of(text[:-2].strip() if points else text)
        if number is None:
            self.fail(f"{text!r} is not a gap; write 1pp or 0.01", param, ctx)
        if not points and abs(number) >= 1:
            self.fail(
                f"{text!r} is too large for a proportion; write {text}pp for percentage points "
                f"or {number / 100:g}",
                param,
                ctx,
            )
        share = number / 100 if points else number
        if not -1 < share < 1:
            self.fail(f"{text!r} is not between -100pp and 100pp", param, ctx)
        return share


class _Items(_Number):
    """``1000`` or ``1,000``."""

    name = "n"

    def __init__(self, noun: str = "items") -> None:
        self.noun = noun

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Whole number from 2 to 10^15."""
        number = number_of(str(value))
        if number is None or number != int(number) or not 2 <= number <= 1e15:
            self.fail(
                f"{value!r} is not a number of {self.noun}; write a whole number >= 2", param, ctx
            )
        return int(number)


class _Fitting(_Number):
    """A number that fits, or why it does not."""

    def __init__(self, name: str, fits: Callable[[float], bool], refusal: str) -> None:
        self.name, self.fits, self.refusal = name, fits, refusal

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number."""
        number = number_of(str(value).strip())
        if number is None or not self.fits(number):
            self.fail(f"{value!r} is not {self.refusal}", param, ctx)
        return number


class _Runs(_Fitting):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Whole number >= 1."""
        return int(super().convert(value, param, ctx))


class Listed(_Numbers):
    """A comma-separated list of another type."""

    def __init__(self, item: "click.ParamType[float]", name: str) -> None:
        self.item = item
        self.name = name

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, ...]:
        """Each part converted."""
        if isinstance(value, tuple):
            return value
        return tuple(self.item.convert(part, param, ctx) for part in str(value).split(","))


class _OneOrTwo(Listed):
    """One number, or one for each of two models."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, ...]:
        """Each part converted; ``1,500`` could be either."""
        text = str(value).strip()
        if not isinstance(value, tuple) and _THOUSANDS.fullmatch(text):
            one = text.replace(",", "")
            self.fail(
                f"{text!r} could be {one} or a number for each model; write {one}, or "
                f"'{text.replace(',', ', ')}' for two",
                param,
                ctx,
            )
        return super().convert(value, param, ctx)


ACCURACY = Accuracy()
ITEMS = _Items()
TASKS = _Items("tasks")
VOTES = _Items("votes")
LABELS = _Items("labels")
GAP = Gap()
RHO = _Fitting("rho", lambda x: -1 < x < 1, "a correlation strictly between -1 and 1")
RHOS = Listed(RHO, "rho,…")
JUDGE_R = _Fitting("r", lambda x: 0 <= x < 1, "a correlation from 0 to below 1; write 0.65")
MONEY = _Fitting("money", lambda x: x >= 0, "an amount of money; write 5000 or 0.02")
"""``5000`` or ``5,000``, in any unit; 0 only where something may be free."""
MONIES = _OneOrTwo(MONEY, "money[,money]")
_RUNS = _Runs("n", lambda x: x >= 1 and x == int(x), "a number of runs; write a whole number >= 1")
COUNTS = _OneOrTwo(_RUNS, "n[,n]")
_SEEDS = "a number of seeds; write a whole number >= 2"
SEEDS = _OneOrTwo(_Runs("n", lambda x: x >= 2 and x == int(x), _SEEDS), "n[,n]")
SDS = Listed(_Fitting("sd", lambda x: x >= 0, "a standard deviation; write 0.3"), "sd[,sd]")


def seed_option(help_: str = "Seed of the random numbers.") -> Any:
    """``--seed``, for ``audit``, ``simulate`` and ``validate``."""
    return option(
        "--seed",
        under=Heading.STATISTICS,
        type=click.IntRange(min=0),
        default=0,
        show_default=True,
        help=help_,
    )


def refuse_both_designs(strata: str | None, cluster: str | None) -> None:
    """Groups are strata or clusters."""
    if strata and cluster:
        msg = (
            "--strata and --cluster answer different questions; declare one: strata if these "
            "groups are the benchmark, cluster if they are a sample of such groups"
        )
        raise click.UsageError(msg)


FORMATS = ("text", "json", "markdown", "latex", "csv")


@group
class FormatOptions:
    """How the answer is printed."""

    format_: str = option(
        "--format",
        under=Heading.OUTPUT,
        type=click.Choice(FORMATS),
        default="text",
        show_default=True,
        help="Output format.",
    )
    full: bool = option(
        "--full",
        under=Heading.OUTPUT,
        is_flag=True,
        help="Print every table, note and assumption.",
    )
    brief: bool = option(
        "--brief", under=Heading.OUTPUT, is_flag=True, help="Print the answer alone."
    )

    @property
    def level(self) -> "Level":
        """How much is printed."""
        if self.full and self.brief:
            msg = "--full and --brief exclude each other"
            raise click.UsageError(msg)
        return "full" if self.full else "brief" if self.brief else "short"

    @property
    def with_paragraph(self) -> bool:
        """Whether text to paste was asked for."""
        return False


@group
class ReportOptions(FormatOptions):
    """How the answer is printed, if wanted with a paragraph for a paper."""

    paragraph: bool = option(
        "--paragraph",
        under=Heading.OUTPUT,
        is_flag=True,
        help="Add a paragraph to paste into a paper.",
    )

    @property
    def with_paragraph(self) -> bool:
        """Whether text to paste was asked for."""
        return self.paragraph


def weights_option() -> Any:
    """How much each item counts."""
    return option(
        "--weights",
        under=Heading.STATISTICS,
        metavar="FILE",
        shell_complete=complete_files,
        help="Items that count unequally: a table of item and weight (.csv, .jsonl, .parquet).",
    )


@group
class GroupOptions:
    """How items come about."""

    strata: str | None = option(
        "--strata",
        under=Heading.STATISTICS,
        metavar="GROUP",
        help="Groups that make up the benchmark, such as subjects.",
    )
    cluster: str | None = option(
        "--cluster",
        under=Heading.STATISTICS,
        metavar="GROUP",
        help="Groups sampled from many, such as passages.",
    )

    def refuse_both(self) -> None:
        """Groups are strata or clusters."""
        refuse_both_designs(self.strata, self.cluster)


@group
class LevelAndPower:
    """Level and power of a test."""

    alpha: float = option(
        "--alpha",
        under=Heading.STATISTICS,
        type=ACCURACY,
        default="0.05",
        show_default=True,
        help="Significance level.",
    )
    power: float = option(
        "--power",
        under=Heading.STATISTICS,
        type=ACCURACY,
        default="0.8",
        show_default=True,
        help="Power to aim for.",
    )


@group
class LevelOptions(LevelAndPower):
    """Level, power and sides of a test."""

    one_sided: bool = option(
        "--one-sided",
        under=Heading.STATISTICS,
        is_flag=True,
        help="Test only whether A is better.",
    )

    def criteria(self) -> "Criteria":
        """As the library takes them."""
        from nstar._verbs.verdict import Criteria

        return Criteria(alpha=self.alpha, power=self.power, sides=1 if self.one_sided else 2)


@group
class TwoModels:
    """Two logs, or two models of one."""

    paths: tuple[str, ...] = argument(
        nargs=-1, required=True, metavar="A [B]", shell_complete=complete_files
    )
    a: str | None = option(
        "--a",
        under=Heading.INPUT,
        metavar="MODEL",
        shell_complete=complete_models,
        help="First model, if a path holds several.",
    )
    b: str | None = option(
        "--b",
        under=Heading.INPUT,
        metavar="MODEL",
        shell_complete=complete_models,
        help="Second model.",
    )
