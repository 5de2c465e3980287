"""The types of options, and the options that commands share."""

import os
from typing import TYPE_CHECKING, Any, get_args

import click

from nstar._base.address import is_address, without_secrets
from nstar._base.parameter_types import Alternative
from nstar._base.units import ByteSize, Count, CountList, ListOf, Number, OneOrTwo, Share, Unit
from nstar.cli.kit.completion import complete_files, complete_models
from nstar.cli.kit.params import Heading, argument, group, option

if TYPE_CHECKING:
    from nstar._base.result import Level
    from nstar._verbs.verdict import Criteria

    _AnyType = click.ParamType[Any]
else:  # not subscriptable at run time before click 8.4
    _AnyType = click.ParamType


class UnitType(_AnyType):
    """A click parameter type that parses a unit."""

    def __init__(self, unit: Unit[Any]) -> None:
        self.unit, self.name = unit, unit.metavar

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Convert text. Return any other value unchanged, because it is already converted."""
        if not isinstance(value, str):
            return value
        try:
            return self.unit.parse(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


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


ACCURACY = UnitType(Share())
ITEMS = UnitType(Count())
ITEM_COUNTS = UnitType(CountList(Count()))
TASKS = UnitType(Count("tasks"))
SIZE = UnitType(ByteSize())
_RHO = Number("rho", lambda x: -1 < x < 1, "a correlation strictly between -1 and 1")
RHO = UnitType(_RHO)
RHOS = UnitType(ListOf(_RHO, "rho,…"))
_MONEY = Number("money", lambda x: x >= 0, "an amount of money; write 5000 or 0.02")
"""``5000`` or ``5,000``, in any unit; 0 only where something may be free."""
MONEY = UnitType(_MONEY)
MONIES = UnitType(OneOrTwo(_MONEY, "money[,money]"))
COUNTS = UnitType(OneOrTwo(Count("runs", minimum=1), "n[,n]"))
SEEDS = UnitType(OneOrTwo(Count("seeds"), "n[,n]"))
_SD = Number("sd", lambda x: x >= 0, "a standard deviation; write 0.3")
SDS = UnitType(ListOf(_SD, "sd[,sd]"))


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
    """Level, power, and alternative hypothesis of a test."""

    alternative: Alternative = option(
        "--alternative",
        under=Heading.STATISTICS,
        type=click.Choice(get_args(Alternative)),
        default="two-sided",
        show_default=True,
        help="Alternative hypothesis about the gap, A minus B.",
    )

    def criteria(self) -> "Criteria":
        """As the library takes them."""
        from nstar._verbs.verdict import Criteria

        return Criteria(alpha=self.alpha, power=self.power, alternative=self.alternative)


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
