"""``nstar compare``: does A beat B, and could this benchmark tell?"""

from dataclasses import dataclass

import click

from nstar.cli.kit.figure import FigureOptions, PageOptions, figure_kind
from nstar.cli.kit.options import GroupOptions, LevelOptions, ReportOptions, TwoModels, seed_option
from nstar.cli.kit.output import emit, reported_errors
from nstar.cli.kit.params import takes
from nstar.cli.kit.reading import ReadingOptions, TaskOptions
from nstar.cli.kit.score_gap import GapOptions, range_option, refuse_points
from nstar.cli.kit.sides import load_sides, parse_sides, refuse_models


@dataclass(frozen=True, kw_only=True)
class _Gaps(GapOptions):
    score_range: tuple[float, float] | None = range_option()


@dataclass(frozen=True, kw_only=True)
class CompareOptions(
    ReportOptions,
    LevelOptions,
    ReadingOptions,
    PageOptions,
    FigureOptions,
    _Gaps,
    GroupOptions,
    TaskOptions,
    TwoModels,
):
    """Everything that can be said to ``nstar compare``."""

    figure_kind: str | None = figure_kind("compare")
    seed: int = seed_option("Seed of random sign flips, for graded scores.")


@click.command("compare", short_help="Does A beat B, and could this benchmark tell?")
@takes(given=CompareOptions)
def compare_command(given: CompareOptions) -> None:
    """Compare two models on the items both answered: A minus B.

    A and B are logs, folders or tables; write NAME=PATH to label one and PATH::MODEL to choose
    a model in it. One path with two models, or with --a and --b, will do.

    \b
    nstar compare results/alpha results/beta
    nstar compare run.parquet --a gpt-x --b gpt-y --strata subject
    """  # noqa: D301
    from nstar._data.findings import refuse_fatal
    from nstar._verbs.compare.comparison import compare_board
    from nstar._verbs.compare.question import CompareQuestion

    given.refuse_both()
    if given.a is None:
        refuse_models(given.paths)
    sides = parse_sides(given.paths, given.a, given.b)
    with reported_errors():
        ready = load_sides(sides, given, given)
        refuse_fatal(ready.coverage.findings)
        refuse_points(ready.matrices, delta=given.delta, margin=given.margin)
        ask = CompareQuestion(
            strata=given.strata,
            cluster=given.cluster,
            delta=given.delta,
            margin=given.margin,
            criteria=given.criteria(),
            score_range=given.score_range,
            seed=given.seed,
        )
        result = compare_board(ready.matrices, ready.names, ask, ready.coverage.findings)
        emit(result, given.format_, paragraph=given.paragraph)
        given.draw(result)
        given.write(result)
