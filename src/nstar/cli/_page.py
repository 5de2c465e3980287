"""``--html FILE``: the result as a page, beside what is printed."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from nstar.cli._output import write_whole

if TYPE_CHECKING:
    from nstar._audit import Audit, Leaderboard
    from nstar._compare import Comparison

__all__ = ["html_option", "write_page"]

F = TypeVar("F", bound=Callable[..., Any])


def _check(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is None or Path(value).suffix.lower() in (".html", ".htm"):
        return value
    msg = f"{value!r} does not end in .html"
    raise click.BadParameter(msg, ctx, param)


def html_option(command: F) -> F:
    """``--html``."""
    return click.option(
        "--html",
        metavar="FILE.html",
        callback=_check,
        help="Write a page too: one file, opens offline, level and power can be changed in it.",
    )(command)


def write_page(
    result: "Audit | Leaderboard | Comparison",
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
