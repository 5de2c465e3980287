"""``nstar validate``: does nstar keep its promises?"""

from typing import TYPE_CHECKING, Any

import click

from nstar.cli.kit.grid import NAMES
from nstar.cli.kit.options import format_option
from nstar.cli.kit.output import emit, reported_errors
from nstar.cli.kit.page import html_option, write_page
from nstar.cli.kit.ray import cluster_told, ray_option
from nstar.cli.kit.reading import Line

if TYPE_CHECKING:
    from nstar._data.matrix import ScoreMatrix
    from nstar._verbs.validate import Validation


class _JobProgress(Line):
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


def _validated(options: dict[str, Any]) -> "Validation":
    from nstar._verbs.validate import validate

    progress = _JobProgress()
    try:
        with cluster_told():
            return validate(
                full=options["full"],
                claims=options["claim"] or (),
                matrix=_matrix(options["data"]),
                seed=options["seed"],
                workers=options["workers"],
                executor=options["executor"],
                progress=progress,
            )
    finally:
        progress.clear()


@click.command("validate", short_help="Does nstar keep its promises?")
@click.option("--full", is_flag=True, help="Every cell, about a quarter of an hour.")
@click.option(
    "--data",
    type=click.Path(exists=True),
    metavar="PATH",
    help="Real scores, to look for the promised power in samples of their items.",
)
@click.option("--claim", type=NAMES, help="Only these claims; see --list.")
@click.option("--list", "list_", is_flag=True, help="Show every claim.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of random numbers."
)
@click.option(
    "--workers",
    type=click.IntRange(min=0),
    default=0,
    help="Threads; the answer is the same for any.  [default: one per processor]",
)
@ray_option
@html_option()
@click.option("--paragraph", is_flag=True, help="Add a paragraph to paste into a paper.")
@format_option
def validate_command(**options: Any) -> None:
    """Check every promise of nstar: type I error, coverage, power, leaderboards, peeking.

    Cells that promise more than they hold are listed with advice, the worst first.

    \b
    nstar validate                        # a sample, under a minute
    nstar validate --full --format json   # everything
    nstar validate --claim mcnemar-level,paired-plan
    """  # noqa: D301
    with reported_errors():
        if options["list_"]:
            _listed()
            return
        result = _validated(options)
        emit(result, options["format_"], paragraph=options["paragraph"])
        write_page(result, options)
