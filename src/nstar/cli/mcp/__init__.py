"""``nstar mcp``: the same analyses for coding agents, over the Model Context Protocol."""

import click

from nstar.cli.kit.command_list import SUMMARIES
from nstar.cli.kit.output import reported_errors
from nstar.cli.kit.params import Argument, Command


@click.command("mcp", cls=Command, short_help=SUMMARIES["mcp"])
@click.argument(
    "folders",
    cls=Argument,
    nargs=-1,
    metavar="FOLDER…",
    type=click.Path(exists=True, file_okay=False),
    sentence="Folders that agents may read (default: the current folder).",
)
def mcp_command(folders: tuple[str, ...]) -> None:
    """Let coding agents use nstar over the Model Context Protocol (MCP).

    The server communicates over standard input and output. It reads files only in the given
    folders, and writes no files.

    \b
    nstar mcp
    nstar mcp results logs
    """  # noqa: D301
    with reported_errors():
        try:
            from nstar.cli.mcp.server import serve
        except ImportError as error:
            from nstar.errors import DataError

            msg = f"nstar mcp needs more packages: pip install 'nstar[mcp]' ({error})"
            raise DataError(msg) from error
        serve(folders or (".",))
