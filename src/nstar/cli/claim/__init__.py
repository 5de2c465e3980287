"""``nstar claim``: two printed accuracies, or a table of them, nothing else."""

import click

from nstar.cli.claim.options import ClaimOptions
from nstar.cli.claim.values import with_minus
from nstar.cli.kit.command_list import SUMMARIES
from nstar.cli.kit.output import emit, reported_errors
from nstar.cli.kit.params import Command, takes


class _ClaimCommand(Command):
    """Scores may be negative: log-likelihoods, rewards."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Negative numbers are values."""
        own = (p for p in self.params if isinstance(p, click.Option) and p.is_flag)
        return super().parse_args(ctx, with_minus(args, {flag for p in own for flag in p.opts}))


@click.command(
    "claim",
    cls=_ClaimCommand,
    short_help=SUMMARIES["claim"],
    most_used=("items", "p", "pm", "seeds", "unpaired"),
)
@takes(options=ClaimOptions)
def claim_command(options: ClaimOptions) -> None:
    """Judge a printed gap: FIRST minus SECOND, accuracies (71.4%, 0.714) or scores with --pm.

    \b
    nstar claim 71.4% 70.6% --items 1000
    nstar claim 71.4% 70.6% --items 1000 --p 0.04 --ci 0.1pp,1.5pp
    nstar claim 71.4% 70.6% --items 1000 --p '<0.05'
    nstar claim 71.4% 70.6% --items 1000 --items-b 500
    nstar claim 71.4 70.6 --pm 0.5,0.4 --seeds 5
    nstar claim 1285 1272 --pm 5 --pm-is ci
    nstar claim --best-on 7/9 --models 5
    nstar claim table.csv --items items.csv
    """  # noqa: D301
    with reported_errors():
        from nstar.cli.claim.claim_kinds import answered

        result = answered(options)
        emit(result, options)
        options.write(result)
