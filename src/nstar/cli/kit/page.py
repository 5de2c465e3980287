"""``--html FILE``: the result as a page, beside what is printed."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from nstar.cli.kit.completion import complete_files
from nstar.cli.kit.output import check_target, write_whole
from nstar.cli.kit.params import option

if TYPE_CHECKING:
    from nstar.report import Result


def _check(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    return None if value is None else check_target(ctx, param, value, (".html", ".htm"))


@dataclass(frozen=True, kw_only=True)
class PageOptions:
    """``--html``."""

    html: str | None = option(
        "--html",
        metavar="FILE.html",
        callback=_check,
        shell_complete=complete_files,
        help="Write a page too: one file, opens offline.",
    )

    def refuse_crowd(self, models: int) -> None:
        """More models than a page holds, said before any work."""
        if self.html is not None:
            from nstar.report.page import refuse_crowd

            refuse_crowd(models)

    def write(self, result: "Result", *, where: str | None = None) -> None:
        """Write the page that was asked for, if one was."""
        if self.html is None:
            return
        from nstar.report.page import page

        write_whole(self.html, page(result, where=where).encode("utf-8"), "page")
        click.echo(f"nstar: page in {self.html}", err=True)
