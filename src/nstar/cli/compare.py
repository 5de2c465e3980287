"""``nstar compare``: does A beat B, and could this benchmark tell?"""

from typing import TYPE_CHECKING, Any

import click

from nstar.cli._options import Gap, shared_options
from nstar.cli._output import emit, reported_errors
from nstar.cli._reading import reading_options
from nstar.cli._sides import load_sides, parse_sides

if TYPE_CHECKING:
    from nstar._matrix import ScoreMatrix

__all__ = ["compare_command"]


class _Points(float):
    """A gap given in percentage points."""


class _ScoreGap(Gap):
    """``1pp`` or ``0.01``; ``5`` where scores run beyond 1."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Score units; whether they fit the scores is seen when those are read."""
        text = str(value).strip()
        if text.lower().endswith("pp"):
            return _Points(super().convert(value, param, ctx))
        try:
            return float(text)
        except ValueError:
            return super().convert(value, param, ctx)


def _refuse_points(options: dict[str, Any], matrices: "list[ScoreMatrix]") -> None:
    """Points of what, when scores do not run from 0 to 1?"""
    from nstar._coverage.words import limits
    from nstar.errors import ParameterError

    for name in ("delta", "margin"):
        for low, high in map(limits, matrices):
            if isinstance(options[name], _Points) and (low, high) != (0.0, 1.0):
                msg = (
                    f"--{name} {100 * options[name]:g}pp: scores run from {low:g} to {high:g}, "
                    "not from 0 to 1; give it in their units, without pp"
                )
                raise ParameterError(msg)


@click.command("compare", short_help="Does A beat B, and could this benchmark tell?")
@click.argument("paths", nargs=-1, required=True, metavar="A [B]")
@click.option("--a", metavar="MODEL", help="First model, when one path holds several.")
@click.option("--b", metavar="MODEL", help="Second model.")
@click.option("--task", "tasks", multiple=True, metavar="TASK", help="Only these tasks.")
@click.option("--metric", metavar="METRIC", help="Metric, instead of the first one of the log.")
@click.option("--strata", metavar="GROUP", help="Groups that define the benchmark: subjects.")
@click.option(
    "--cluster", metavar="GROUP", help="Groups that are a sample: passages, repositories."
)
@click.option("--delta", type=_ScoreGap(), help="Gap that matters, declared in advance: 1pp.")
@click.option("--margin", type=_ScoreGap(), help="Test equivalence within this margin: 2pp.")
@click.option("--paragraph", is_flag=True, help="Add a paragraph to paste into a paper.")
@reading_options
@shared_options
def compare_command(paths: tuple[str, ...], **options: Any) -> None:
    """Compare two models on the items both answered: A minus B.

    A and B are logs, folders or tables; write NAME=PATH to label one and PATH::MODEL to choose
    a model in it. One path with two models, or with --a and --b, will do.

    \b
    nstar compare results/alpha results/beta
    nstar compare run.parquet --a gpt-x --b gpt-y --strata subject
    """  # noqa: D301
    from nstar._compare import compare_tasks
    from nstar._findings import refuse_fatal
    from nstar._verdict import Criteria

    if options["strata"] and options["cluster"]:
        msg = "--strata and --cluster answer different questions; declare one (see docs)"
        raise click.UsageError(msg)
    sides = parse_sides(paths, options["a"], options["b"])
    with reported_errors():
        ready = load_sides(sides, options)
        refuse_fatal(ready.coverage.findings)
        _refuse_points(options, ready.matrices)
        result = compare_tasks(
            ready.matrices,
            names=ready.names,
            strata=options["strata"],
            cluster=options["cluster"],
            delta=options["delta"],
            margin=options["margin"],
            criteria=Criteria(
                alpha=options["alpha"],
                power=options["power"],
                sides=1 if options["one_sided"] else 2,
            ),
            findings=ready.coverage.findings,
        )
        emit(result, options["format_"], paragraph=options["paragraph"])
