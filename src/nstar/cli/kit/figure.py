"""Options ``--figure FILE`` and ``--html FILE``, which write the result as a figure or page."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nstar.cli.kit.completion import complete_files
from nstar.cli.kit.output import check_target, write_whole
from nstar.cli.kit.params import Heading, group, option, typed_command

if TYPE_CHECKING:
    from nstar.report import Result

_SUFFIXES = (".svg", ".png", ".pdf")
_RENDERERS = {"png": "resvg_py", "pdf": "cairosvg"}
"""Renderer of each output format, by the name of its optional dependency."""
_KINDS = {
    "audit": ("ladder", "forest"),
    "battles": ("ladder", "matrix"),
    "compare": ("forest", "groups"),
    "compare judged": ("forest", "groups"),
    "compare known": ("forest", "groups"),
    "items": ("heat",),
    "plan": ("power",),
    "plan margin": ("power",),
    "plan board": ("power", "gaps"),
    "plan runs": ("money",),
    "runs": ("passes",),
    "shrink": ("mde",),
    "simulate": ("rates", "ladder"),
    "simulate study": ("rates",),
}
"""Kinds of figures by command, listed here so that --help imports no other module."""


def _check_figure(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is None:
        return None
    kind = Path(value).suffix[1:].lower()
    if kind in _RENDERERS and find_spec(_RENDERERS[kind]) is None:
        install = f"pip install 'nstar[{kind}]'"
        msg = f"{kind.upper()} figures need an extra: {install}. FILE.svg needs none."
        raise click.BadParameter(msg, ctx, param)
    return check_target(ctx, param, value, _SUFFIXES)


def with_figure_kinds(params: list[click.Parameter], command: str) -> list[click.Parameter]:
    """Return parameters in which ``--figure-kind`` has the kinds of this command, if any."""
    kinds = _KINDS.get(command)
    for param in params:
        if isinstance(param, click.Option) and param.name == "figure_kind" and kinds:
            param.type = click.Choice(kinds)
            param.help = f"Type of figure.  [default: {kinds[0]}]"
    return [p for p in params if kinds or p.name != "figure_kind"]


@group
class FigureOptions:
    """Options ``--figure`` and, for the kinds of a command, ``--figure-kind``."""

    figure: str | None = option(
        "--figure",
        under=Heading.OUTPUT,
        metavar="FILE",
        callback=_check_figure,
        shell_complete=complete_files,
        help="Also write a figure to FILE.svg, FILE.png (needs nstar[png]), or FILE.pdf "
        "(needs nstar[pdf]).",
    )
    figure_kind: str | None = option("--figure-kind", under=Heading.OUTPUT)

    def draw(self, result: "Result", *, where: str | None = None) -> None:
        """Write the figure after the report, if it was requested."""
        path, kind = self.figure, self.figure_kind
        if path is None:
            if kind is not None:
                msg = "--figure-kind also needs --figure FILE."
                raise click.UsageError(msg)
            return
        from nstar.report.charts import figure

        chart = figure(result, kind, where=where if kind in (None, "ladder") else None)  # type: ignore[arg-type]
        write_whole(path, chart.render(Path(path).suffix), "figure")
        click.echo(f"nstar: wrote the figure to {path}", err=True)


def _check_page(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    return None if value is None else check_target(ctx, param, value, (".html", ".htm"))


@group
class PageOptions:
    """Option ``--html``."""

    html: str | None = option(
        "--html",
        under=Heading.OUTPUT,
        metavar="FILE.html",
        callback=_check_page,
        shell_complete=complete_files,
        help="Also write a self-contained HTML report.",
    )

    def write(self, result: "Result", *, where: str | None = None) -> None:
        """Write the page, if it was requested."""
        if self.html is None:
            return
        from nstar.report.page import page

        text = page(result, where=where, command=typed_command(click.get_current_context()))
        write_whole(self.html, text.encode("utf-8"), "page")
        click.echo(f"nstar: wrote the page to {self.html}", err=True)
