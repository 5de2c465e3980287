"""Option types, and options that several commands share."""

import os
from typing import TYPE_CHECKING, Any

import click

from nstar._base.address import is_address, without_secrets
from nstar._base.units import ByteSize, Unit
from nstar.cli.kit.params import Heading, group, option

if TYPE_CHECKING:
    from nstar._base.result import Level

    _AnyType = click.ParamType[Any]
else:  # not subscriptable at run time before click 8.4
    _AnyType = click.ParamType


class UnitType(_AnyType):
    """Click parameter type that parses values of a unit."""

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
    """Local folder. An address such as ``s3://bucket`` would create a folder called ``s3:``."""

    def convert(
        self,
        value: "str | os.PathLike[str]",
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:
        """Return the path, as :class:`click.Path` does."""
        text = os.fspath(value)
        if is_address(text):
            msg = f"{without_secrets(text)} is an address. Choose a local folder"
            self.fail(f"{msg} (nstar audit --out accepts addresses)", param, ctx)
        return super().convert(value, param, ctx)


LOCAL_FOLDER = LocalFolder(file_okay=False)
SIZE = UnitType(ByteSize())


FORMATS = ("text", "json", "markdown", "latex", "csv")


@group
class FormatOptions:
    """Options for the format of the report."""

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
        help="Show all tables, notes, and assumptions.",
    )
    brief: bool = option(
        "--brief", under=Heading.OUTPUT, is_flag=True, help="Show only the headline."
    )

    @property
    def level(self) -> "Level":
        """Return the level of detail."""
        if self.full and self.brief:
            msg = "Use either --full or --brief."
            raise click.UsageError(msg)
        return "full" if self.full else "brief" if self.brief else "short"

    @property
    def with_paragraph(self) -> bool:
        """Return whether the user requested a paragraph."""
        return False

    @property
    def as_checklist(self) -> bool:
        """Return whether the user requested the checklist in place of the report."""
        return False


@group
class ChecklistOptions(FormatOptions):
    """Option for the checklist of reporting rules."""

    checklist: bool = option(
        "--checklist",
        under=Heading.OUTPUT,
        is_flag=True,
        help="Show which reporting rules the report meets, instead of the report.",
    )

    @property
    def as_checklist(self) -> bool:
        """Return whether the user requested the checklist in place of the report."""
        return self.checklist


@group
class ReportOptions(FormatOptions):
    """Options for the format of the report, with a paragraph for a paper."""

    paragraph: bool = option(
        "--paragraph",
        under=Heading.OUTPUT,
        is_flag=True,
        help="Add a paragraph that you can use in a paper.",
    )

    @property
    def with_paragraph(self) -> bool:
        """Return whether the user requested a paragraph."""
        return self.paragraph
