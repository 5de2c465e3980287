"""``nstar claim``."""

from pathlib import Path

import click

from nstar._api.claim import claim
from nstar._base.visible import escaped
from nstar.cli.kit.front import ReportOutput, front
from nstar.cli.kit.params import Command


class _ClaimCommand(Command):
    """The command ``claim``, with a helpful error for ``claim table.csv``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Raise UsageError for a file in place of two scores."""
        words = tuple(args)  # click empties its list
        try:
            return super().parse_args(ctx, args)
        except click.MissingParameter as error:
            file = next((word for word in words if Path(word).is_file()), None)
            if file is None:
                raise
            msg = (
                f"{escaped(file)} is a file, but claim takes two scores: nstar claim 71.4% 70.6% "
                "--items 1000. For a table with a row for each model and a column for each "
                "benchmark, use nstar claim table FILE --items N."
            )
            raise click.UsageError(msg, ctx) from error


claim_command = front(
    claim,
    examples=(
        "nstar claim 71.4% 70.6% --items 1000",
        "nstar claim 71.4% 70.6% --items 1000 --p 0.04 --ci 0.1pp,1.5pp",
        "nstar claim 71.4% 70.6% --items 1000 --p '<0.05'",
    ),
    output=ReportOutput,
    cls=_ClaimCommand,
)
