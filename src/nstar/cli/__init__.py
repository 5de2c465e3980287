"""The command line: parse → one verb → render → exit status.

Only click is imported here; each command imports the library when it runs, so that
``nstar --help`` answers at once. Exit status: 0 done, 1 a check failed or something fatal was
found in the logs, 2 wrong usage, 3 impossible numbers or unreadable logs, 130 stopped.
``nstar gate`` has its own: 0 PASS, 1 REGRESSION, 2 wrong usage, 3 INCONCLUSIVE, 4 INVALID DATA.
"""

import signal
import sys
from typing import Any

import click

from nstar.cli.audit import audit_command
from nstar.cli.claim import claim_command
from nstar.cli.compare import compare_command
from nstar.cli.demo import demo_command
from nstar.cli.gate import gate_command
from nstar.cli.kit.environment import version_option
from nstar.cli.kit.hints import refuse_no_verb, refuse_option
from nstar.cli.pack import pack_command
from nstar.cli.plan import plan_command
from nstar.cli.read import read_command
from nstar.cli.runs import runs_command
from nstar.cli.selfcheck import selfcheck_command
from nstar.cli.simulate import simulate_command
from nstar.cli.site import site_command
from nstar.cli.validate import validate_command
from nstar.cli.watch import watch_command

__all__ = ["main"]


class _Program(click.Group):
    """The program: what it began is cleaned up whoever stops it, and the status tells."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; 130 after Ctrl-C, 143 after SIGTERM, as shells do."""
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        try:
            return super().invoke(ctx)
        except click.NoSuchOption as error:
            refuse_option(error)
        except KeyboardInterrupt:
            click.echo("nstar: stopped", err=True)
            sys.exit(130)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command; a word that is none is told what it may have meant."""
        known = args[0].startswith("-") or self.get_command(ctx, args[0]) is not None
        if not known and not ctx.resilient_parsing:
            refuse_no_verb(ctx, args, self.commands)
        return super().resolve_command(ctx, args)


@click.group(
    cls=_Program,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: nstar demo",
)
@version_option
def main() -> None:
    """Can this evaluation tell these two models apart?"""


main.add_command(demo_command)
main.add_command(plan_command)
main.add_command(claim_command)
main.add_command(compare_command)
main.add_command(runs_command)
main.add_command(audit_command)
main.add_command(gate_command)
main.add_command(watch_command)
main.add_command(site_command)
main.add_command(simulate_command)
main.add_command(read_command)
main.add_command(pack_command)
main.add_command(selfcheck_command)
main.add_command(validate_command)
