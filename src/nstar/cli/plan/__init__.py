"""``nstar plan``: before the evaluation is run."""

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from nstar.cli.kit.command_list import SUMMARIES
from nstar.cli.kit.output import emit, reported_errors
from nstar.cli.kit.params import Command, takes
from nstar.cli.plan.options import PlanOptions

if TYPE_CHECKING:
    from nstar._api.plan import PlanQuestion


def _with_pilot(question: "PlanQuestion", options: PlanOptions) -> "PlanQuestion":
    """The question with the logs of its pilot read."""
    if question.pilot is None:
        return question
    from nstar.cli.plan.pilot import pilot_runs

    return replace(question, pilot=pilot_runs(question.pilot, options.words()))


@click.command(
    "plan",
    cls=Command,
    short_help=SUMMARIES["plan"],
    most_used=("baseline", "delta", "items", "rho", "models"),
)
@takes(options=PlanOptions)
def plan_command(options: PlanOptions) -> None:
    """Plan an evaluation: give what you know, get what is missing.

    \b
    nstar plan --baseline 70% --delta 1pp --rho 0.4     items needed
    nstar plan --baseline 70% --items 1000 --rho 0.6    smallest detectable gap
    nstar plan --baseline 70% --items 1000 --delta 2pp  power
    \b
    Many models:
    nstar plan --baseline 70% --delta 2pp --models 10 --goal best     choose the best
    nstar plan --baseline 70% --delta 2pp --models 10                 prove all pairs
    nstar plan --pilot LOGS --items 800 --models 20         a board, from models at hand
    \b
    Agents, several runs per task:
    nstar plan --budget 5000 --cost-run 1 --baseline 50% --flip 30%
    nstar plan --pilot LOG --delta 5pp --cost-run 0.2
    """  # noqa: D301
    with reported_errors():
        from nstar._api.plan import answered

        question = options.question()
        result = answered(_with_pilot(question, options))
        emit(result, options)
        options.draw(result)
        options.write(result)
