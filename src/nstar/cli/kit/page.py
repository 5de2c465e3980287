"""``--html FILE``: the result as a page, beside what is printed."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from nstar.cli.kit.completion import complete_files
from nstar.cli.kit.output import check_target, write_whole

if TYPE_CHECKING:
    from nstar.report import Result

F = TypeVar("F", bound=Callable[..., Any])


def _check(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    return None if value is None else check_target(ctx, param, value, (".html", ".htm"))


def html_option(live: str = "") -> Callable[[F], F]:
    """``--html``; ``live`` says what can be changed in the page."""
    return click.option(
        "--html",
        metavar="FILE.html",
        callback=_check,
        shell_complete=complete_files,
        help=f"Write a page too: one file, opens offline{live}.",
    )


def refuse_crowd(models: int, options: dict[str, Any]) -> None:
    """More models than a page holds, said before any work."""
    if options["html"] is None:
        return
    from nstar.report.page import refuse_crowd as refuse

    refuse(models)


def write_page(
    result: "Result",
    options: dict[str, Any],
    *,
    where: str | None = None,
) -> None:
    """Write the page that was asked for, if one was."""
    path = options["html"]
    if path is None:
        return
    from nstar.report.page import page

    write_whole(path, page(result, where=where).encode("utf-8"), "page")
    click.echo(f"nstar: page in {path}", err=True)
