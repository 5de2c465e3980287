"""``nstar selfcheck``: does this installation reproduce the reference values?"""

import sys

import click

from nstar.cli.kit.options import format_option
from nstar.cli.kit.output import emit


@click.command("selfcheck", short_help="Check this installation against reference values.")
@format_option
def selfcheck_command(format_: str) -> None:
    """Recompute the reference sets in this package and compare, family by family.

    The references come from exact enumeration, mpmath and R, never from nstar. Exit status 1
    if any value misses its tolerance.
    """
    from nstar._verbs.selfcheck import selfcheck

    result = selfcheck()
    emit(result, format_)
    sys.exit(0 if result.passed else 1)
