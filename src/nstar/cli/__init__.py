"""The command line: parse → one verb → render → exit status.

Only click is imported here; each command imports the library when it runs, so that
``nstar --help`` answers at once. Exit status: 0 done, 1 a check failed, 2 wrong usage,
3 impossible numbers.
"""

import click

from nstar._version import __version__
from nstar.cli.claim import claim_command
from nstar.cli.compare import compare_command
from nstar.cli.plan import plan_command
from nstar.cli.read import read_command
from nstar.cli.selfcheck import selfcheck_command

__all__ = ["main"]


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: nstar plan --baseline 70% --delta 1pp",
)
@click.version_option(__version__, prog_name="nstar")
def main() -> None:
    """Can this evaluation tell these two models apart?"""


main.add_command(plan_command)
main.add_command(claim_command)
main.add_command(compare_command)
main.add_command(read_command)
main.add_command(selfcheck_command)
