"""``nstar plan``: before the evaluation is run."""

import click

from nstar.cli.kit.command_list import SUMMARIES
from nstar.cli.kit.output import emit, reported_errors
from nstar.cli.kit.params import Command, takes
from nstar.cli.plan.options import PlanOptions


@click.command(
    "plan",
    cls=Command,
    short_help=SUMMARIES["plan"],
    most_used=("baseline", "delta", "items", "rho"),
)
@takes(options=PlanOptions)
def plan_command(options: PlanOptions) -> None:
    """Plan an evaluation: give what you know, get what is missing.

    \b
    nstar plan --baseline 70% --delta 1pp --rho 0.4     items needed
    nstar plan --baseline 70% --items 1000 --rho 0.6    smallest detectable gap
    nstar plan --baseline 70% --items 1000 --delta 2pp  power
    """  # noqa: D301
    with reported_errors():
        from nstar._api.plan import answered

        question = options.question()
        result = answered(question)
        emit(result, options)
        options.draw(result)
        options.write(result)
