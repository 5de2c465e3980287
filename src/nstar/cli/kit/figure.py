"""``--figure FILE``, ``--html FILE``: the result as a picture or page, beside what is printed."""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nstar.cli.kit.completion import complete_files
from nstar.cli.kit.output import check_target, write_whole
from nstar.cli.kit.params import option

if TYPE_CHECKING:
    from nstar.report import Result

_SUFFIXES = (".svg", ".pdf")
_KINDS = {
    "audit": ("ladder", "forest", "matrix", "settle"),
    "compare": ("forest", "groups"),
    "plan": ("power", "mde", "money"),
    "runs": ("passes",),
    "simulate": ("rates",),
    "watch": ("evidence",),
}
"""Kinds by command, spelled out so that --help loads nothing."""


def _check_figure(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is None:
        return None
    if value.lower().endswith(".pdf") and find_spec("cairosvg") is None:
        msg = "PDF figures need the extra: pip install 'nstar[pdf]'; FILE.svg needs nothing"
        raise click.BadParameter(msg, ctx, param)
    return check_target(ctx, param, value, _SUFFIXES)


def figure_kind(command: str) -> Any:
    """``--figure-kind`` of one command, for its own kind of :class:`FigureOptions`."""
    kinds = _KINDS[command]
    return option(
        "--figure-kind",
        type=click.Choice(kinds),
        help=f"What to draw.  [default: {kinds[0]}]",
    )


@dataclass(frozen=True, kw_only=True)
class FigureOptions:
    """``--figure``; a command adds the kinds that it can draw."""

    figure: str | None = option(
        "--figure",
        metavar="FILE",
        callback=_check_figure,
        shell_complete=complete_files,
        help="Draw the result too: FILE.svg, or FILE.pdf with nstar[pdf].",
    )
    figure_kind: str | None = None

    def draw(self, result: "Result", *, where: str | None = None) -> None:
        """Write the figure that was asked for, if one was; what is printed does not wait."""
        path, kind = self.figure, self.figure_kind
        if path is None:
            if kind is not None:
                msg = "--figure-kind needs --figure FILE"
                raise click.UsageError(msg)
            return
        from nstar.report.charts import figure

        drawn = figure(result, kind, where=where if kind in (None, "ladder") else None)  # type: ignore[arg-type]
        write_whole(path, drawn.render(Path(path).suffix), "figure")
        click.echo(f"nstar: figure in {path}", err=True)


def _check_page(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    return None if value is None else check_target(ctx, param, value, (".html", ".htm"))


@dataclass(frozen=True, kw_only=True)
class PageOptions:
    """``--html``."""

    html: str | None = option(
        "--html",
        metavar="FILE.html",
        callback=_check_page,
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
