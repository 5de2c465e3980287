"""Command line: parse, call one function, render the result, and set the exit status.

Only click is imported here. Each command imports the library when it runs, so that ``nstar
--help`` is fast. Exit status: 0 success, 1 a check failed or the logs have a fatal finding, 2
wrong usage, 3 impossible numbers or unreadable logs, 130 interrupted.

``nstar gate`` has its own statuses: 0 PASS, 1 REGRESSION, 2 wrong usage, 3 INCONCLUSIVE, 4 INVALID
DATA.
"""

import signal
import sys
from importlib import import_module
from typing import Any

import click

from nstar.cli.kit.command_list import EXAMPLES, OCCASIONS, SUMMARIES

__all__ = ["commands", "main"]

_NEEDED = (*("numpy", "scipy", "pyarrow", "msgspec", "click", "rich", "numkong", "threadpoolctl"),)
_EXTRAS = {
    "mcp": ("mcp",),
    "hub": ("fsspec", "huggingface_hub", "s3fs"),
    "pdf": ("cairosvg",),
    "png": ("resvg_py",),
    "ray": ("ray",),
}


def _versions(names: tuple[str, ...]) -> str:
    """Return packages with the versions in their metadata, without importing the packages."""
    from importlib.metadata import PackageNotFoundError, version

    lines = []
    for name in names:
        try:
            lines.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            lines.append(f"{name} –")
    return ", ".join(lines)


def _surroundings() -> list[tuple[str, str]]:
    import platform

    missing = _versions(("numkong",)).endswith("–")
    return [
        ("Python", f"{platform.python_version()} {platform.python_implementation()}"),
        ("system", platform.platform()),
        ("needs", _versions(_NEEDED)),
        ("engine", "numpy" if missing else "NumKong if the processor supports it, else numpy"),
        *((f"nstar[{extra}]", _versions(names)) for extra, names in _EXTRAS.items()),
    ]


def _print_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:  # noqa: ARG001, FBT001
    if not value or ctx.resilient_parsing:
        return
    from nstar._base.version import __version__
    from nstar.cli.kit.output import write_text

    lines = [f"nstar, version {__version__}", *(f"  {k:<11} {v}" for k, v in _surroundings())]
    write_text("".join(f"{line}\n" for line in lines))
    ctx.exit()


_version_option = click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show version and environment",
)
"""Option ``--version``."""


class _Program(click.Group):
    """Root command, which cleans up when interrupted and sets the exit status.

    A command is imported when it is called.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of the commands."""
        return [name for name in SUMMARIES if " " not in name]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import a command by its name."""
        if cmd_name not in SUMMARIES:
            return None
        from nstar.cli.plain import EXAMPLES as PLAIN
        from nstar.cli.plain import plain_command

        if cmd_name in PLAIN:
            return plain_command(cmd_name)
        module = import_module(f"nstar.cli.{cmd_name.split(maxsplit=1)[0]}")
        command: click.Command = getattr(module, f"{cmd_name.replace(' ', '_')}_command")
        return command

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the usage of a command."""
        return ["COMMAND", "[OPTIONS]"]

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """Return the help option, whose text has no final period, like that of other options."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.help = "Show this message"
        return option

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands before the options, because most users look for a command."""
        self.format_commands(ctx, formatter)
        click.Command.format_options(self, ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write one line per command, grouped by occasion, without importing any command."""
        width = 1 + max(len(name) for names in OCCASIONS.values() for name in names)
        for occasion, names in OCCASIONS.items():
            with formatter.section(occasion):
                formatter.write_dl([(name.ljust(width), SUMMARIES[name]) for name in names])
        listed = {name for names in OCCASIONS.values() for name in names}
        advanced = [name for name in SUMMARIES if name not in listed and " " not in name]
        formatter.write(f"\nAdvanced: {', '.join(advanced)}\n")
        with formatter.section("Examples"):
            for line in EXAMPLES:
                formatter.write(f"{'':>{formatter.current_indent}}{line}\n")

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Exit with 130 after Ctrl-C and 143 after SIGTERM, as shells do."""
        from nstar.cli.kit.spelling import FlagSpeller
        from nstar.errors import spelling

        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        try:
            with spelling(FlagSpeller()):
                return super().invoke(ctx)
        except click.NoSuchOption as error:
            from nstar.cli.kit.did_you_mean import refuse_option

            refuse_option(error)
        except KeyboardInterrupt:
            click.echo("nstar: stopped", err=True)
            sys.exit(130)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command. For an unknown word, raise UsageError with similar commands."""
        words = " ".join(args[:2])
        if len(args) > 1 and words in SUMMARIES:  # a command of two words
            return words, self.get_command(ctx, words), args[2:]
        known = args[0].startswith("-") or self.get_command(ctx, args[0]) is not None
        if not known and not ctx.resilient_parsing:
            from nstar.cli.kit.did_you_mean import refuse_no_verb

            refuse_no_verb(ctx, args, self.list_commands(ctx))
        return super().resolve_command(ctx, args)


@click.group(
    cls=_Program,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@_version_option
def main() -> None:
    """Find out which differences between AI models your evaluation can support."""


def commands() -> dict[str, click.Command]:
    """Import and return every command, for documentation and tests."""
    ctx = click.Context(main)
    by_name = {name: main.get_command(ctx, name) for name in SUMMARIES}
    return {name: command for name, command in by_name.items() if command is not None}
