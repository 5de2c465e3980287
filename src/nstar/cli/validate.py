"""``nstar validate``: does nstar keep its promises?"""

from typing import TYPE_CHECKING

import click

from nstar.cli.kit.command_list import SUMMARIES
from nstar.cli.kit.figure import PageOptions
from nstar.cli.kit.options import ReportOptions, seed_option
from nstar.cli.kit.output import emit, reported_errors
from nstar.cli.kit.params import Command, Heading, group, option, takes
from nstar.cli.kit.progress import ProgressLine
from nstar.cli.kit.ray import WorkOptions, log_ray_events
from nstar.cli.kit.value_lists import NAMES

if TYPE_CHECKING:
    from nstar._data.matrix import ScoreMatrix
    from nstar._verbs.validate import Validation


@group
class _PromiseOptions:
    thorough: bool = option(
        "--thorough",
        under=Heading.INPUT,
        is_flag=True,
        help="Check every cell; takes about half an hour.",
    )
    data: str | None = option(
        "--data",
        under=Heading.INPUT,
        type=click.Path(exists=True),
        metavar="PATH",
        help="Real scores: is the promised power found in samples of their items?",
    )
    claims: tuple[str, ...] | None = option(
        "--claim", under=Heading.INPUT, type=NAMES, help="Only these claims; see --list."
    )
    list_: bool = option("--list", under=Heading.OUTPUT, is_flag=True, help="Show every claim.")
    seed: int = seed_option()


class _JobProgress(ProgressLine):
    """How many jobs are done; a job is a cell or a few."""

    def __call__(self, done: int, total: int) -> None:
        """Called after every job."""
        if self._due():
            self._write(f"{done:,} of {total:,} jobs")


def _listed() -> None:
    """Every claim that can be checked."""
    from nstar._verbs.validate import CLAIMS

    for name, claim in CLAIMS.items():
        click.echo(f"{name}: {claim.says}")


def _matrix(path: str | None) -> "ScoreMatrix | None":
    """The task with the most scores."""
    if path is None:
        return None
    from nstar._data.align import matrices
    from nstar.readers import read

    found = matrices(read(path))
    return max(found, key=lambda m: m.shape[0] * m.shape[1])


def _validated(asked: _PromiseOptions, work: WorkOptions) -> "Validation":
    from nstar._engine.work import Execution
    from nstar._verbs.validate import validate

    progress = _JobProgress()
    try:
        with log_ray_events():
            return validate(
                thorough=asked.thorough,
                claims=asked.claims or (),
                data=_matrix(asked.data),
                seed=asked.seed,
                execution=Execution(
                    workers=work.workers, executor=work.executor, progress=progress
                ),
            )
    finally:
        progress.clear()


@click.command(
    "validate",
    cls=Command,
    short_help=SUMMARIES["validate"],
    most_used=("thorough", "claims", "list_", "data", "html"),
)
@takes(asked=_PromiseOptions, work=WorkOptions, page=PageOptions, output=ReportOptions)
def validate_command(
    asked: _PromiseOptions, work: WorkOptions, page: PageOptions, output: ReportOptions
) -> None:
    """Check every promise that nstar makes: type I error, coverage, power, leaderboards, peeking.

    Cells that fall short are listed with advice, worst first.

    \b
    nstar validate                        # a sample, under a minute
    nstar validate --thorough --format json   # everything
    nstar validate --claim mcnemar-level,paired-plan
    """  # noqa: D301
    with reported_errors():
        if asked.list_:
            _listed()
            return
        result = _validated(asked, work)
        emit(result, output)
        page.write(result)
