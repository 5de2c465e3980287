"""``nstar mcp``: the same answers for coding agents, over the Model Context Protocol."""

import click

from nstar.cli.kit.command_list import SUMMARIES
from nstar.cli.kit.output import reported_errors
from nstar.cli.kit.params import Command


@click.command("mcp", cls=Command, short_help=SUMMARIES["mcp"])
@click.argument(
    "folders", nargs=-1, metavar="[FOLDER]...", type=click.Path(exists=True, file_okay=False)
)
def mcp_command(folders: tuple[str, ...]) -> None:
    """Serve the commands that analyze results as tools of the Model Context Protocol.

    Speaks on standard input and output with the program that started it. Results are read from
    these folders and nowhere else, or from the current one if none is named. Nothing is written.

    \b
    nstar mcp
    nstar mcp results logs
    """  # noqa: D301
    with reported_errors():
        try:
            from nstar.cli.mcp.server import serve
        except ImportError as error:
            from nstar.errors import DataError

            msg = f"tools for agents need the extra: pip install 'nstar[mcp]' ({error})"
            raise DataError(msg) from error
        serve(folders or (".",))
